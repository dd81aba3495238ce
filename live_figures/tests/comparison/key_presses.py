"""Sliders in a page, moved by real keys and clicks, and the time until the picture has changed."""

REST = 30  # milliseconds from one picture to the next key: a key that is held down repeats as fast
BURST = 3
ROOTS = """(() => {  // images in shadow roots tell their document nothing
    const attach = Element.prototype.attachShadow
    Element.prototype.attachShadow = function (options) {
        const root = attach.call(this, options)
        root.addEventListener('load', event => event.target.tagName === 'IMG' && window.watch?.note(), true)
        return root
    }
})()"""
WATCH = """() => {  // note when key or mouse went down, and every change of a picture that follows
    const watch = window.watch = {pressed: 0, changed: null, frames: 0, isCounting: false, seen: false}
    const note = watch.note = () => {
        watch.changed ??= performance.now()
        if (watch.isCounting && !watch.seen) {
            watch.seen = true
            requestAnimationFrame(() => { watch.frames += 1; watch.seen = false })
        }
    }
    for (const down of ['keydown', 'pointerdown'])
        addEventListener(down, event => { watch.pressed = event.timeStamp; watch.changed = null }, true)
    document.addEventListener('load', event => event.target.tagName === 'IMG' && note(), true)
    const draw = CanvasRenderingContext2D.prototype.drawImage
    CanvasRenderingContext2D.prototype.drawImage = function (...given) {
        draw.apply(this, given)
        if (this.canvas.isConnected && !this.canvas.dataset.frames) note()  // ipympl's
    }
    new MutationObserver(note).observe(document.body, {subtree: true, attributeFilter: ['data-frames']})
    for (const plot of document.querySelectorAll('.js-plotly-plot')) plot.on('plotly_afterplot', note)
    new MutationObserver(records => records.some(({target}) => target.closest?.('.mpld3-figure')) && note())
        .observe(document.body, {childList: true, subtree: true})
    const echo = [...document.querySelectorAll('.widget-label')].find(e => e.textContent === 'start')
    if (echo) new MutationObserver(note).observe(echo, {childList: true, characterData: true, subtree: true})
}"""


def handle_of(page, number):
    return page.query_selector_all(".jp-CodeCell")[number].query_selector(".noUi-handle")


def press(page, handle, key):
    """Milliseconds from each of a few key presses to the changed picture; the first is not counted."""
    handle.scroll_into_view_if_needed()
    handle.focus()
    page.wait_for_timeout(300)  # the page comes to rest
    took = []
    for _ in range(1 + BURST):
        page.keyboard.press(key)
        took.append(wait_for_picture(page))
        page.wait_for_timeout(REST)
    return took[1:]


def jump(page, handle, place):
    """Milliseconds from a click on the track, 0 to 1, to the changed picture."""
    track = handle.evaluate_handle("handle => handle.closest('.noUi-target')").as_element()
    track.scroll_into_view_if_needed()
    page.wait_for_timeout(1000)  # whatever is prefetched is there
    box = track.bounding_box()
    page.mouse.click(box["x"] + place * box["width"], box["y"] + box["height"] / 2)
    return wait_for_picture(page)


def wait_for_picture(page, timeout=20_000):
    page.wait_for_function("watch.changed !== null", timeout=timeout)
    return page.evaluate("watch.changed - watch.pressed")
