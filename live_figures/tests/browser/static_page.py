"""Pages with recorded live figures: a server for their folder, and the figures in the browser."""

import functools
import http.server
import threading

DRAWN = 'canvas.live-picture:not([data-frames="0"])'
OPEN = "each => { while ((each = each.parentElement)) if ('open' in each) each.open = true }"
SET = """(input, step) => {  // to this step, as a reader's key or finger would
    if (input.type === 'checkbox') return input.checked == step || input.click()
    if (input.value == step) return
    input.value = step
    input.dispatchEvent(new Event('input'))
}"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def serve(folder):
    """A server of this folder, in a thread; its address."""
    handler = functools.partial(Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def live_figures(page):
    """The live figures of a page, each as soon as it is loaded; what is folded over it is opened, what the
    reader may draw first is shown."""
    for figure in page.query_selector_all(".live-figure"):
        figure.evaluate(OPEN)
        figure.scroll_into_view_if_needed()
        page.wait_for_function("([figure, drawn]) => figure.querySelector(drawn)", arg=[figure, DRAWN])
        if show := figure.query_selector(".live-show"):
            show.click()
        yield figure


def weight(page):
    """The bytes, uncompressed, of a page and what it fetched so far, without its figures."""
    return page.evaluate("""() => performance.getEntries().filter(e => 'decodedBodySize' in e &&
        !/\\.(bin|png)$/.test(e.name)).reduce((sum, e) => sum + e.decodedBodySize, 0)""")
