"""The course as pages: `make site` in a real browser, with every address but its own blocked.

What is tested is said in conftest.py: a small site, or with PE_SITE=all the whole one.
"""

import base64
import contextlib
import hashlib
import itertools
import random
import re
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from matplotlib.text import Text

from live_figures._narrow import narrow
from live_figures.recording import NARROW, controls_of
from live_figures.tests.browser import reader
from live_figures.tests.browser.page_drawing import Screen
from live_figures.tests.browser.static_page import DRAWN, SET, live_figures, weight
from live_figures.tests.conftest import pixels
from pe_helpers.figures import plots
from tests import driving
from tests.browser.conftest import IS_WHOLE, ONLY
from tests.test_colours import contrast
from tools import build_site, site_glossary, site_pages, slides
from tools.course import NOTEBOOKS, ROOT

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
STATES = 5  # of each figure, whose pixels are compared with the kernel's picture
EVERY = [path.stem for path in NOTEBOOKS]
NAMES = ["index", *(ONLY or EVERY)]
SHOWN = """input => input.type === 'range' ?
    input.closest('div').querySelector('output').textContent.replace('−', '-') :
    input.type === 'checkbox' ? ['no', 'yes'][+input.checked] : input.selectedOptions[0].textContent"""
ASK = """async address => {  // what the page has of a recording: each state's frame, each display list's hash
    const engine = new URL('_static/live_figures/recording.js', document.baseURI)
    const { load, recordingClient } = await import(engine)
    const recording = await load(address)
    const { request } = recordingClient(recording)
    const [frames, digests] = [{}, {}]
    for (const state in recording.states) {
        const { frame, sent } = await request(Object.assign({}, state.split(',')), false)
        frames[state] = [frame.caption, ...frame.displayLists]
        for (const [name, bytes] of sent) {
            const digest = await crypto.subtle.digest('SHA-256', bytes)
            digests[name] = Array.from(new Uint8Array(digest))
        }
    }
    return { frames, digests, shown: recording.controls.map(control => control.shown) }
}"""
FORMS = """async figure => {  // the states of a figure's two recordings, and what is said in each
    const { load } = await import(new URL('_static/live_figures/recording.js', document.baseURI))
    const { recording, narrow } = figure.dataset
    return Promise.all([recording, narrow].map(async address => {
        const { controls, presets, states, frames } = await load(address)
        const said = Object.entries(states).map(([state, number]) => [state, frames[number][0]])
        return { controls, presets, said }
    }))
}"""
FETCHED = "performance.getEntries().filter(e => e.name.endsWith('.bin')).map(e => e.name.split('/').pop())"
VALUES = "figure => [...figure.querySelectorAll('input, select')].map(each => each.value)"
WIDTH = "figure => figure.querySelector('canvas').getBoundingClientRect().width"
PROSE = """() => {
    for (const part of document.querySelectorAll('article :is(pre, code, .katex)')) part.remove()
    return document.querySelector('article').textContent
}"""
MENU = ["ArrowDown", "ArrowUp", "ArrowUp"]  # it may stand at its first or at its last choice


@pytest.fixture(scope="module")
def screen(browser):
    return Screen(browser)


def canvas(figure):
    """The pixels of a picture."""
    drawn = figure.eval_on_selector("canvas", "canvas => canvas.toDataURL('image/png')")
    return pixels(base64.b64decode(drawn.split(",")[1]))


def press(page, figure, control, key):
    """Press a key on a control; (the picture, the caption) then."""
    control.focus()
    page.keyboard.press(key)
    return reader.state(figure)


def check_figure(page, figure):
    """By keyboard alone each control changes picture and caption, and "reset" brings them back."""
    start = reader.state(figure)
    for control in figure.query_selector_all("input, select"):
        keys = {"range": ["Home", "End"], "checkbox": ["Space"]}.get(control.get_attribute("type"), MENU)
        found = [press(page, figure, control, key) for key in keys]
        assert any(picture != start[0] for picture, _ in found), control.get_attribute("id")
        assert any(caption != start[1] for _, caption in found), control.get_attribute("id")
        figure.query_selector(".live-tour button").click()
        assert reader.state(figure) == start
    for button in figure.query_selector_all(".live-next"):
        button.click()
        assert reader.state(figure) != start


def check_axe(page, name):
    """Nothing serious: with PE_SITE=all on whole pages and in both schemes. Else so for the first two, as axe
    takes seconds for code and formulas, which are alike everywhere; the others light or dark."""
    is_whole = IS_WHOLE or NAMES.index(name) < 2
    where = {"include": ["body"], "exclude": [] if is_whole else ["pre", ".katex"]}
    for scheme in ["light", "dark"] if is_whole else [["light", "dark"][NAMES.index(name) % 2]]:
        page.emulate_media(color_scheme=scheme)
        page.wait_for_selector(f"html[data-theme={scheme}]")
        page.wait_for_function("!document.getAnimations().length")  # colours fade into each other
        options = {"preload": False}  # it would look for style sheets in the wrong place
        found = axe.Axe().run(page, where, options).response["violations"]
        serious = [rule for rule in found if rule["impact"] in ("serious", "critical")]
        assert not serious, [(rule["id"], node["html"]) for rule in serious for node in rule["nodes"]]


def test_every_page_opens_without_a_complaint(open_page, address):
    page = open_page("index.html", width=375)
    for name in EVERY:
        page.goto(f"{address}/{name}.html")
        assert page.query_selector("h1") and page.evaluate("document.documentElement.scrollWidth") <= 375
        assert "$" not in page.evaluate(PROSE), name  # every formula was set when the page was made


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_of_a_page_moves_with_every_control(open_page, name):
    page = open_page(f"{name}.html")
    figures = list(live_figures(page))
    assert bool(figures) == (name != "index")
    for figure in figures:
        check_figure(page, figure)
    assert not page.query_selector(".math, .katex-error")
    for width in (375, 640, 1280):  # 640 is what is left of 1280 at 200 %
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{width} wide"
    for words in page.locator("a:is(.claim, .term, .source):visible").all()[:1]:
        words.focus()  # what it shows is looked at, too
    check_axe(page, name)
    page.emulate_media(media="print")
    assert not page.is_visible(".live-controls")
    printed = page.locator(":is(canvas.live-picture, .printed-start img) >> visible=true")  # moved, or not
    assert bool(printed.count()) == bool(figures)


def values_of(controls, texts):
    """{control: its value} where the page shows these texts, one for each control."""
    said = zip(controls, texts, strict=True)
    return {control.name: control.values[control.shown.index(text)] for control, text in said}


def check_every_state(page, address, figure, controls):
    """Every state that a reader can reach has the caption and the display lists of the kernel, byte for byte,
    which goes through the states in another order than the recorder did."""
    found = page.evaluate(ASK, address)
    digests = found["digests"]  # a recording calls lists by number, and what they share by its digest
    states, seen = list(found["frames"]), set()
    for state in random.Random(0).sample(states, len(states)):
        texts = [shown[int(step)] for shown, step in zip(found["shown"], state.split(","), strict=True)]
        frame = figure.frame_at(values_of(controls, texts))
        caption, *names = found["frames"][state]
        drawn = [list(hashlib.sha256(each.data).digest()) for each in frame.display_lists]
        assert [caption, *(digests[str(name)] for name in names)] == [frame.caption, *drawn], texts
        for resource in (part for each in frame.display_lists for part in each.resources):
            assert digests[resource.digest] == list(hashlib.sha256(resource.data).digest())
            seen.add(resource.digest)
        seen.update(map(str, names))
    assert seen == digests.keys()  # nothing is there that no state needs


def check_pixels(shown, figure, controls, screen):
    """From the start or a preset to any step of any control: the same caption, the same pixels."""
    rng = random.Random(0)
    screen.clear()
    inputs = shown.query_selector_all("input, select")
    for _ in range(STATES):
        rng.choice(shown.query_selector_all(".live-tour button:not(.live-next, .live-enlarge)")).click()
        for control in rng.choices(inputs, k=2):
            steps = control.evaluate("input => input.max ? +input.max + 1 : input.length || 2")
            control.evaluate(SET, rng.randrange(steps))
        values = values_of(controls, [control.evaluate(SHOWN) for control in inputs])
        frame = figure.frame_at(values)
        assert shown.query_selector(".live-caption").inner_text() == frame.caption
        assert (canvas(shown) == screen.show(frame.display_lists, frame.size)).all(), values


@pytest.mark.parametrize("name", NAMES[1:])
def test_a_page_shows_what_the_kernel_draws(open_page, screen, name):
    page = open_page(f"{name}.html")
    made = driving.live_figures(ROOT / "notebooks" / f"{name}.ipynb")
    for shown, figure in zip(live_figures(page), made, strict=True):
        controls, _ = controls_of(figure, build_site.EXAMPLES.get(name, {}))
        assert all(len(set(control.shown)) == len(control.shown) for control in controls)
        check_every_state(page, shown.get_attribute("data-recording"), figure, controls)
        if not shown.query_selector(".live-show"):  # the screen would leave the curve to its own reader
            check_pixels(shown, figure, controls, screen)
        figure.to_start()


def test_a_copied_link_restores_what_it_was_copied_from(open_page):
    page = open_page("09_relative_bias.html")
    (figure,) = live_figures(page)
    figure.query_selector("select").select_option(index=1)
    for _ in range(3):
        state = press(page, figure, figure.query_selector("input"), "ArrowRight")
    link = figure.query_selector(".live-link").evaluate("link => link.href")
    page.wait_for_function("link => location.href === link", arg=link)
    on_a_phone = open_page(link.rpartition("/")[2], width=375, has_touch=True)
    on_a_phone.wait_for_selector(DRAWN)
    figure = on_a_phone.query_selector(".live-figure")
    assert reader.state(figure)[1] == state[1]  # the picture may have another form there
    seen = "figure => { const box = figure.getBoundingClientRect(); return box.top < 900 && box.bottom > 0 }"
    on_a_phone.wait_for_function(seen, arg=figure)


def test_the_address_of_a_page_holds_all_its_figures(open_page):
    page = open_page("00_start_here.html")
    page.evaluate("document.querySelectorAll('.door').forEach(door => (door.open = true))")
    touched = []
    for figure in live_figures(page):
        slider = figure.query_selector("input[type=range]")
        slider.evaluate(SET, 1)
        at = figure.query_selector(".live-link").evaluate("link => link.search")
        page.wait_for_function("at => location.search.startsWith(at)", arg=at)
        touched.append((figure.get_attribute("id"), slider.input_value(), slider.evaluate(SHOWN)))
        page.evaluate("location.hash = 'sources'")  # a link within the page keeps what was said
    page.evaluate("history.back()")
    page.wait_for_url(f"**#{touched[-1][0]}")
    assert len(touched) == 2 and page.url.endswith(f"#{touched[-1][0]}")
    again = open_page(page.url.rpartition("/")[2])
    again.evaluate("document.querySelectorAll('.door').forEach(door => (door.open = true))")
    for figure, kept in zip(live_figures(again), touched, strict=True):
        slider = figure.query_selector("input[type=range]")
        assert (figure.get_attribute("id"), slider.input_value(), slider.evaluate(SHOWN)) == kept
    link = again.query_selector(".live-figure").query_selector(".live-link").get_attribute("href")
    assert "." not in link.partition("#")[0]  # a link is of one figure


def test_09_on_a_phone_has_panels_in_a_column_whose_letters_can_be_read(open_page, screen):
    page = open_page("09_relative_bias.html", width=375, height=812, has_touch=True, is_mobile=True)
    (shown,) = live_figures(page)
    assert page.evaluate(FETCHED) == ["1-narrow.bin"] and not shown.query_selector(".live-enlarge")
    check_figure(page, shown)
    (figure,) = driving.live_figures(NOTEBOOKS[9])
    with narrow(figure.figure, NARROW):
        figure.invalidate()
        check_pixels(shown, figure, controls_of(figure, {})[0], screen)
        upper, lower = (axes.bbox.frozen() for axes in figure.figure.axes)
        texts = [each for each in figure.figure.findobj(Text) if each.get_visible() and each.get_text()]
        points = min(each.get_size() for each in texts)
        letter = points * figure.figure.dpi / 72 * shown.evaluate(WIDTH) / NARROW
    figure.invalidate()
    assert upper.y0 > lower.y1 and letter > 10.99


PICTURES = """() => [...document.querySelectorAll('article picture img')].map(picture => ({
    cell: picture.closest('[id^=cell-]').id, address: picture.currentSrc.split('/').pop(),
    width: picture.clientWidth, height: picture.clientHeight,
    dots: [picture.naturalWidth, picture.naturalHeight] }))"""


@pytest.mark.parametrize("name", NAMES[1:])
def test_a_phone_gets_still_pictures_whose_letters_can_be_read(open_page, name):
    page = open_page(f"{name}.html", width=375, height=812, has_touch=True, is_mobile=True)
    page.evaluate("document.querySelectorAll('details').forEach(fold => (fold.open = true))")
    for picture in page.query_selector_all("article picture img"):
        picture.evaluate("it => it.scrollIntoView()")
        has_come = (
            "it => !it.isConnected || (it.complete && it.naturalWidth)"  # a live figure takes its place
        )
        page.wait_for_function(has_come, arg=picture)
    cells = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4).cells
    code = {n: cell for n, cell in enumerate(cells) if cell.cell_type == "code"}
    is_still = {n for n, cell in code.items() if build_site.is_drawn(cell) and not slides.is_live(cell)}
    is_wide = {n for n in is_still if "wide" in cells[n].metadata.get("tags", [])}
    narrow = {f"cell-{n}" for n in is_still - is_wide}
    shown = [each for each in page.evaluate(PICTURES) if each["address"].endswith(".png")]
    assert {each["cell"] for each in shown if each["address"].startswith("cell-")} == narrow
    assert bool(narrow) == (name[:2] != "06")  # whose pictures are live
    for each in shown:
        wide, high = each["dots"]
        assert each["height"] / each["width"] == pytest.approx(high / wide, rel=0.01)
        if each["cell"] in narrow:
            assert wide == NARROW and each["width"] > 0.95 * NARROW  # its letters have 11 pixels


def test_a_picture_has_its_place_before_it_comes(open_page):
    page = open_page("00_start_here.html", width=375, height=812, has_touch=True, is_mobile=True)
    waiting = "picture => !picture.complete && picture.checkVisibility()"
    heights = "picture => picture.getBoundingClientRect().height"
    found = page.evaluate(f"[...document.images].filter({waiting}).map({heights})")
    assert found and min(found) > 150


def test_a_phone_that_is_turned_keeps_the_state(open_page):
    page = open_page("09_relative_bias.html", width=375, height=812, has_touch=True, is_mobile=True)
    (shown,) = live_figures(page)
    press(page, shown, shown.query_selector("input"), "End")
    before = shown.evaluate(VALUES), reader.state(shown)[1]
    for width, height in ((1280, 720), (812, 375), (375, 812)):
        page.set_viewport_size({"width": width, "height": height})
        is_turned = "width => document.querySelector('canvas').style.width === width"
        page.wait_for_function(is_turned, arg="1040px" if height == 720 else f"{NARROW}px")
        assert (shown.evaluate(VALUES), reader.state(shown)[1]) == before
        press(page, shown, shown.query_selector("input"), "Home")
        press(page, shown, shown.query_selector("input"), "End")
        assert (shown.evaluate(VALUES), reader.state(shown)[1]) == before


def come_down_to(page, part):
    """As a reader does: from above, so that the page's bar is away."""
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    page.evaluate(
        "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )  # it is seen
    part.evaluate("it => scrollBy({ top: it.getBoundingClientRect().top - 4, behavior: 'instant' })")
    page.wait_for_function("document.querySelector('.bd-header-article').getBoundingClientRect().bottom <= 0")


@pytest.mark.parametrize("width, height", [(667, 375), (844, 390), (640, 360)])  # a desktop's at 200 %
def test_on_its_side_a_phone_has_the_controls_beside_the_picture(open_page, width, height):
    page = open_page("00_start_here.html", width=width, height=height, has_touch=True, is_mobile=True)
    figure, *_ = live_figures(page)
    parts = [figure.query_selector(part) for part in ("form", ".live-caption", "canvas")]
    come_down_to(page, parts[0])
    controls, caption, canvas = [part.bounding_box() for part in parts]
    assert controls["x"] >= 0
    assert max(each["x"] + each["width"] for each in (controls, caption)) <= canvas["x"]
    assert canvas["x"] + canvas["width"] <= width
    assert controls["y"] + controls["height"] <= caption["y"] and canvas["y"] < 20
    assert max(each["y"] + each["height"] for each in (caption, canvas)) <= height  # all on one screen
    tracks = [slider.bounding_box()["width"] for slider in figure.query_selector_all("input[type=range]")]
    assert min(tracks) > 100


def test_on_its_side_controls_and_caption_stay_beside_a_picture_that_is_higher_than_the_phone(open_page):
    page = open_page("09_relative_bias.html", width=667, height=375, has_touch=True, is_mobile=True)
    (figure,) = live_figures(page)
    controls, caption, canvas, link = [
        figure.query_selector(part) for part in ("form", ".live-caption", "canvas", ".live-link")
    ]
    come_down_to(page, canvas)
    page.evaluate("scrollBy({ top: 120, behavior: 'instant' })")
    page.wait_for_selector(".picture-high")
    above, below, picture = [part.bounding_box() for part in (controls, caption, canvas)]
    assert picture["y"] < -100 and 0 <= above["y"] < 20  # they have not gone with it
    assert below["y"] + below["height"] <= 375 and below["y"] + 1 >= above["y"] + above["height"]
    assert link.bounding_box()["y"] >= picture["y"] + picture["height"] - 1


def test_on_a_phone_the_bar_makes_room_for_who_reads_on_and_comes_back(open_page):
    page = open_page("00_start_here.html", **PHONE)
    bar = page.locator(".bd-header-article")
    for down, shown in ((500, False), (-30, False), (-50, True), (400, False)):
        page.evaluate("down => scrollBy({ top: down, behavior: 'instant' })", down)
        page.wait_for_function("is => document.documentElement.matches('.bar-away') === is", arg=not shown)
    page.wait_for_function("document.querySelector('.bd-header-article').getBoundingClientRect().bottom <= 0")
    bar.locator("button:visible").first.focus()  # who comes by Tab sees it
    page.wait_for_function("document.querySelector('.bd-header-article').getBoundingClientRect().top >= 0")
    figure, *_ = live_figures(page)
    page.set_viewport_size({"width": 375, "height": 553})  # a small phone with a browser's own bars
    canvas = figure.query_selector("canvas")
    figure.query_selector("input").focus()
    come_down_to(page, figure.query_selector(".live-control"))
    seen = figure.query_selector(".live-caption").bounding_box()["y"] - canvas.bounding_box()["y"]
    assert seen > 0.9 * canvas.bounding_box()["height"]  # two sliders, buttons, the picture and what it shows


@pytest.mark.parametrize("name", NAMES[1:])
def test_both_forms_of_a_figure_have_the_same_states(open_page, name):
    page = open_page(f"{name}.html")
    cells = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4).cells
    live = [cell for cell in cells if cell.cell_type == "code" and slides.is_live(cell)]
    assert len(page.query_selector_all(".live-figure[data-narrow]")) == len(live)
    for figure in page.query_selector_all(".live-figure[data-narrow]"):
        usual, narrow = figure.evaluate(FORMS)
        assert usual == narrow


def test_the_doors_are_closed_until_an_address_opens_them(open_page):
    page = open_page("07_words_and_positions.html")
    doors = page.query_selector_all("#going-deeper .door")
    assert doors and not any(door.get_attribute("open") is not None for door in doors)
    assert not doors[0].query_selector("p").is_visible()
    doors[0].query_selector("summary").click()
    assert doors[0].query_selector("p").is_visible()
    named = doors[-1].evaluate("door => door.closest('section').id")
    other = open_page(f"07_words_and_positions.html#{named}")
    assert other.query_selector("#going-deeper section:last-of-type p").is_visible()
    assert page.query_selector("#sources p").is_visible()  # it stands behind no door


def test_slides_have_every_question_and_every_live_figure_of_a_notebook(open_page):
    page = open_page("09_relative_bias_slides.html")
    cells = nbformat.read(NOTEBOOKS[9], as_version=4).cells
    asked = sum(cell.source.count("> **Predict.**") for cell in cells if cell.cell_type == "markdown")
    assert len(page.query_selector_all("section:has(details)")) == asked >= 3
    figures = list(live_figures(page))
    assert len(figures) == sum(slides.is_live(cell) for cell in cells if cell.cell_type == "code") >= 1
    check_figure(page, figures[0])
    assert page.query_selector(".katex math") and not page.query_selector(".math")


@pytest.mark.parametrize("name", ["00_start_here", "05_shift_matrices", "09_relative_bias"])
@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080)])
def test_nothing_on_a_slide_is_cut_whichever_answer_is_open(open_page, name, width, height):
    page = open_page(f"{name}_slides.html", width, height)
    list(live_figures(page))  # with their controls
    for section in page.query_selector_all("section"):
        answers = section.query_selector_all("details")
        for answer in [None, *answers]:
            if answer:
                answer.query_selector("summary").click()
            size = section.evaluate("it => [it.scrollWidth, it.clientHeight, it.scrollHeight]")
            assert size[0] <= width and size[1] <= height + 1 and size[2] <= height + 1, section.inner_text()
        cut = section.evaluate(
            "it => [...it.querySelectorAll('.katex-display, table, pre')].filter("
            "part => part.scrollWidth > part.clientWidth + 1).map(part => part.textContent)"
        )
        assert not cut
        shadow = (
            "it => [...it.querySelectorAll('.katex-display')].map(part => getComputedStyle(part).background)"
        )
        assert all("gradient" not in shown for shown in section.evaluate(shadow))
        letters = section.evaluate("it => parseFloat(getComputedStyle(it).fontSize)")
        assert letters >= height / 30  # to be read from the last row
        picture = section.query_selector(":scope > picture > img, canvas")
        assert not picture or picture.bounding_box()["height"] > 0.4 * height


@pytest.fixture(scope="module")
def decks(opened_once, address):
    """{name: (the words of each slide and the size of their letters, formulas that are broken or leave their
    column)} of every deck, which takes a second to lay out: once for both."""
    opener, _ = opened_once
    page = opener("index.html", width=1280, height=720)
    sizes = "all => all.map(it => [it.innerText, parseFloat(getComputedStyle(it).fontSize)])"
    broken = """all => all.filter(it => it.checkVisibility() && !it.closest('.katex-display')).filter(it => {
        const [[{ right }, next], place] = [it.getClientRects(), it.closest('p, li, td, th')]
        return next || right > place.getBoundingClientRect().right + 1
    }).map(it => it.textContent)"""
    found = {}
    for name in EVERY:
        page.goto(f"{address}/{name}_slides.html")
        page.wait_for_function("document.fonts.status === 'loaded'")
        list(live_figures(page))
        words = page.eval_on_selector_all("section", sizes)
        page.eval_on_selector_all("details", "all => all.forEach(it => { it.name = ''; it.open = true })")
        found[name] = words, page.eval_on_selector_all("section :is(p, li, td, th) .katex-html", broken)
    assert not opener.wrong
    page.context.close()
    return found


def test_the_words_of_every_deck_are_large(decks):
    for name, (found, _) in decks.items():
        for said, letters in found:
            assert letters >= 24, (name, said)
        assert len({round(letters) for _, letters in found}) <= 3, name


def test_a_formula_of_every_deck_goes_on_in_no_other_line_and_stays_in_its_column(decks):
    for name, (_, broken) in decks.items():
        assert broken == [], name


@pytest.mark.parametrize("name", NAMES[1:])
def test_the_letters_of_a_still_picture_have_twenty_pixels_on_a_slide(read_page, name):
    """They are drawn with 22, for the room that the words of its slide leave a picture."""
    page = read_page(f"{name}_slides.html", 1280, 720)
    list(live_figures(page))
    share = """all => all.map(it => [it.currentSrc, Math.min(it.width / it.naturalWidth,
        it.height / it.naturalHeight)])"""
    dots = site_pages.DOTS["slide"]
    for places, least in (("section > picture", 20), (".slide-sides picture", 18)):  # beside a question
        found = page.eval_on_selector_all(f"{places} > img", share)
        assert found or places[0] == "."
        for address, shown in found:
            assert address.endswith("-slide.png") and shown * dots * 22 >= least, address


def test_no_head_of_a_table_has_two_lines_where_smaller_letters_have_room(read_page):
    page = read_page("07_words_and_positions_slides.html", 1280, 720)
    page.wait_for_function("document.fonts.status === 'loaded'")
    lines = "all => all.map(it => it.clientHeight / parseFloat(getComputedStyle(it).fontSize))"
    found = page.eval_on_selector_all("th", lines)
    assert len(found) > 12 and max(found) < 2.4


def test_a_link_of_what_was_seen_leads_to_the_first_slide_of_its_section_and_back_to_it(open_page):
    page = open_page("07_words_and_positions_slides.html", height=720)
    page.keyboard.press("End")
    link = page.locator("section:last-of-type a", has_text="section\u00a02")
    link.click()
    at_top = "it => Math.abs(it.getBoundingClientRect().top) < 2"
    first = page.locator("section", has=page.locator("h2:text-is('2. Add their positions')")).first
    page.wait_for_function(at_top, arg=first.element_handle())
    page.go_back()
    page.wait_for_function(at_top, arg=page.query_selector("section:last-of-type"))


def test_words_that_are_explained_again_are_as_large_as_others(read_page):
    page = read_page("05_shift_matrices_slides.html", 1280, 720)
    page.wait_for_function("document.fonts.status === 'loaded'")
    sizes = "all => all.map(it => it.checkVisibility() && parseFloat(getComputedStyle(it).fontSize))"
    found = [size for size in page.eval_on_selector_all("dd", sizes) if size]
    assert len(found) >= 3 and min(found) >= 24


def test_the_answers_of_a_question_share_the_room_that_is_left_when_the_longest_is_open(read_page):
    page = read_page("05_shift_matrices_slides.html", 1280, 720)
    page.wait_for_function("document.fonts.status === 'loaded'")
    slide = page.query_selector_all(".slide-question")[-1]
    last = slide.query_selector_all("summary")[-1].bounding_box()
    assert last["y"] - slide.bounding_box()["y"] > 0.5 * 720  # not two fifths


def test_a_picture_with_the_whole_width_goes_nearly_from_edge_to_edge(read_page):
    page = read_page("07_words_and_positions_slides.html", 1280, 720)
    list(live_figures(page))
    pictures = page.query_selector_all("section:not(.slide-beside) > picture > img")
    assert pictures and all(picture.bounding_box()["width"] >= 0.98 * 1280 - 1 for picture in pictures)
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_what_is_printed_and_narrow_or_a_small_picture_stands_beside_the_words_that_announce_it(read_page):
    clock = "picture > img[alt^='Picture · positions 0']"
    for name, part in (("14_two_dimensions", "pre"), ("05_shift_matrices", clock)):
        page = read_page(f"{name}_slides.html", 1280, 720)
        shown = page.query_selector(f".slide-words > {part}").bounding_box()
        words = page.query_selector(f"section:has(> {part}) > p").bounding_box()
        assert shown["x"] > words["x"] + words["width"]
    words = "p:not(.slide-number)"
    table = page.query_selector(f".slide-words > table:has(+ {words})").bounding_box()
    read = page.query_selector(f".slide-words > table + {words}").bounding_box()
    assert read["y"] >= table["y"] + table["height"]  # it is wide


def test_the_rows_of_controls_leave_the_letters_of_a_map_twenty_pixels(read_page):
    page = read_page("07_words_and_positions_slides.html", 1280, 720)
    (figure,) = live_figures(page)
    own = "it => [it.clientWidth, parseFloat(it.style.width)]"
    shown, drawn = figure.eval_on_selector("canvas", own)
    assert plots.NOTE_SIZE * 100 / 72 * shown / drawn >= 20


def test_a_slide_on_a_phone_has_one_column(open_page):
    page = open_page("05_shift_matrices_slides.html", width=375, height=800)
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    left, right = page.query_selector(".slide-sides").query_selector_all(":scope > div")
    assert right.bounding_box()["y"] >= left.bounding_box()["y"] + left.bounding_box()["height"]


def test_on_a_phone_each_slide_has_a_screen_and_nothing_covers_it(open_page):
    page = open_page("09_relative_bias_slides.html", width=375, height=667, has_touch=True, is_mobile=True)
    heights = page.eval_on_selector_all("section", "all => all.map(it => it.clientHeight)")
    assert min(heights) >= 667
    (figure, *_) = live_figures(page)
    style = "(it, name) => getComputedStyle(it)[name]"
    assert figure.query_selector(".live-caption").evaluate(style, "position") == "static"
    page = open_page("05_shift_matrices_slides.html", width=375, height=667, has_touch=True, is_mobile=True)
    fitting, wide = page.locator("section table").first, page.locator("section table[data-wide]").first
    assert fitting.evaluate(style, "backgroundImage") == "none"
    assert "gradient" in wide.evaluate(style, "backgroundImage")


def test_a_figure_fills_a_slide_with_as_many_pixels_as_the_screen_has(open_page):
    page = open_page("09_relative_bias_slides.html", width=1920, height=1080)
    (figure,) = live_figures(page)
    shown, own = figure.eval_on_selector(
        "canvas", "c => [c.getBoundingClientRect().width, parseFloat(c.style.width)]"
    )
    assert shown > 1.2 * own
    page.wait_for_function("shown => document.querySelector('canvas').width === Math.round(shown)", arg=shown)
    assert figure.bounding_box()["width"] <= 1920


@pytest.mark.parametrize("name", ["07_words_and_positions", "09_relative_bias"])
def test_a_picture_takes_the_width_or_the_height_of_its_slide(open_page, name):
    page = open_page(f"{name}_slides.html", 1280, 720)
    list(live_figures(page))
    for picture in page.query_selector_all("section > picture > img, .live-stage canvas"):
        width, height, ratio = picture.evaluate(
            "it => [it.clientWidth, it.clientHeight, it.naturalWidth ? it.naturalWidth / it.naturalHeight :"
            " it.width / it.height]"
        )
        width, height = min(width, height * ratio), min(height, width / ratio)
        assert width > 0.7 * 1280 or height > 0.6 * 720  # beside words and controls of 24 pixels


def test_on_a_slide_a_list_has_the_room_of_its_row_and_the_slider_beside_it_can_be_moved(open_page):
    page = open_page("07_words_and_positions_slides.html", 1280, 720)
    (figure,) = live_figures(page)
    slider, select = (figure.query_selector(part) for part in ("input[type=range]", "select"))
    box = select.bounding_box()
    assert slider.bounding_box()["width"] >= 130 and box["x"] + box["width"] <= 0.97 * 1280
    select.evaluate("it => (it.style.cssText = 'flex: none; max-width: none')")
    assert box["width"] >= select.bounding_box()["width"] - 1  # its first entry is not cut
    tour = figure.query_selector(".live-tour").bounding_box()
    assert abs(tour["y"] - slider.bounding_box()["y"]) < box["height"]  # in its row


def test_on_slides_headings_are_as_large_on_each_and_what_is_printed_keeps_its_lines(read_page):
    page = read_page("01_formula_slides.html", 1280, 720)
    sizes = "all => all.map(it => getComputedStyle(it).fontSize)"
    assert len(set(page.eval_on_selector_all("section > h2", sizes))) == 1
    is_whole = "it => getComputedStyle(it).whiteSpace === 'pre' && it.scrollWidth <= it.clientWidth + 1"
    assert page.query_selector("pre") and page.eval_on_selector_all("pre", f"all => all.every({is_whole})")


def test_on_a_slide_no_button_repeats_the_menu_and_no_note_tells_of_recordings(open_page):
    page = open_page("09_relative_bias_slides.html", 1280, 720)
    (figure, *_) = live_figures(page)
    figure.evaluate(
        """it => it.innerHTML = `<form class="live-controls"><select><option>Gemma</option></select>
        <p class="live-note">Fewer steps.</p><div class="live-tour"><button>reset</button>
        <button>Gemma</button><button>Next: Gemma</button></div></form>`"""
    )
    page.wait_for_selector("button:text-is('Gemma')", state="hidden")
    assert page.is_visible("text=reset") and page.is_visible("text=Next: Gemma")
    assert not page.is_visible("text=Fewer steps.")


def test_controls_on_a_slide_are_as_large_as_its_words_and_each_label_is_one_line(open_page):
    page = open_page("09_relative_bias_slides.html", width=1920, height=1080)
    (figure,) = live_figures(page)
    words = "it => parseFloat(getComputedStyle(it).fontSize)"
    beside = page.query_selector(".slide-figure").evaluate(words)
    parts = figure.query_selector_all("label, select, button, output")
    assert beside >= 26 and [part.evaluate(words) for part in parts if part.is_visible()] == [beside] * sum(
        part.is_visible() for part in parts
    )
    for label in figure.query_selector_all("label"):
        assert label.bounding_box()["height"] < 1.8 * beside


def test_keys_lead_from_slide_to_slide(open_page):
    page = open_page("09_relative_bias_slides.html", height=720)
    shown = "n => Math.abs(document.querySelectorAll('section')[n].getBoundingClientRect().top) < 2"
    last = page.locator("section").count() - 1
    at = 0
    for key, step in [("PageDown", 1), (" ", 1), ("ArrowRight", 1), ("ArrowLeft", -1), ("PageUp", -1)]:
        page.keyboard.press(key)
        at += step
        page.wait_for_function(shown, arg=at)
    page.wait_for_timeout(500)  # the last of these keys has scrolled to its very end
    page.evaluate("addEventListener('scroll', () => (window.seen ??= []).push(scrollY))")
    for key, at in [("End", last), ("ArrowRight", last), ("Home", 0), ("ArrowUp", 0)]:
        page.keyboard.press(key)
        page.wait_for_function(shown, arg=at)
        page.wait_for_timeout(100)  # the event comes with a frame, one for both where they are too near
    end = page.evaluate("n => document.querySelectorAll('section')[n].offsetTop", last)
    assert {*page.evaluate("seen")} == {end, 0}  # at once: on its way are the answers


def test_two_buttons_beside_the_counter_lead_from_slide_to_slide_and_leave_the_keys_theirs(open_page):
    page = open_page("09_relative_bias_slides.html", height=720)
    back, on = (page.get_by_role("button", name=f"{name} slide", exact=True) for name in ("Previous", "Next"))
    assert back.count() == on.count() == 1 and back.is_disabled() and on.is_enabled()
    (left, counter, right) = (it.bounding_box() for it in (back, page.locator(".slide-number").first, on))
    assert min(left["width"], left["height"], right["width"], right["height"]) >= 24
    assert left["x"] + left["width"] < counter["x"] + 1 and counter["x"] + counter["width"] < right["x"] + 1
    shown = "n => Math.abs(document.querySelectorAll('section')[n].getBoundingClientRect().top) < 2"
    at, last = 0, page.locator("section").count() - 1

    def leads(to):
        nonlocal at
        at = to
        page.wait_for_function(shown, arg=at)

    for button, step in ((on, 1), (on, 1), (back, -1)):
        button.click()
        leads(at + step)
    assert page.url.endswith(f"#slide-{at + 1}") and page.evaluate("document.activeElement === document.body")
    page.keyboard.press(" ")
    leads(at + 1)
    for button, keys in ((on, {"Enter": 1, " ": 1, "ArrowLeft": -1}), (back, {" ": -1, "ArrowRight": 1})):
        while not button.evaluate("it => it === document.activeElement"):
            page.keyboard.press("Tab")
        for key, step in keys.items():
            page.keyboard.press(key)
            leads(at + step)
    page.keyboard.press("Escape")
    page.keyboard.press(" ")
    leads(at + 1)
    page.keyboard.press("End")
    leads(last)
    page.wait_for_function("it => it.disabled", arg=on.element_handle())
    back.focus()
    page.keyboard.press("Home")
    leads(0)
    page.wait_for_function("it => it.disabled", arg=back.element_handle())
    page.keyboard.press("ArrowRight")  # the focus was on what no longer can be pressed
    leads(1)
    page.emulate_media(media="print")
    assert not page.locator(".slide-ways").is_visible() and not page.locator(".slide-course").is_visible()
    page.emulate_media(media="screen")
    page.set_viewport_size({"width": 375, "height": 667})
    assert not page.locator(".slide-ways").is_visible()


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1024, 768)])
@pytest.mark.parametrize("name", ["00_start_here", "05_shift_matrices", "07_words_and_positions"])
def test_nothing_on_a_slide_reaches_up_to_the_buttons_beside_the_counter(read_page, name, width, height):
    page = read_page(f"{name}_slides.html", width, height)
    list(live_figures(page))
    bottom = page.locator(".slide-ways").evaluate("it => it.getBoundingClientRect().bottom")
    top = """all => all.filter(it => it.getClientRects().length).map(
        it => it.getBoundingClientRect().top - it.closest('section').getBoundingClientRect().top)"""
    found = page.eval_on_selector_all("section > :not(.slide-number), section > picture > img", top)
    assert 24 <= bottom <= min(found)


@pytest.mark.parametrize("width", [1280, 1024, 375])
def test_the_first_slide_names_course_and_notebook_and_says_in_small_print_how_to_go_on(read_page, width):
    page = read_page("05_shift_matrices_slides.html", width, 720)
    course, keys = page.locator(".slide-course"), page.locator(".slide-keys")
    assert course.inner_text() == "Positional encoding\u00a0·\u00a005"
    assert course.get_by_role("link", name="Positional encoding").get_attribute("href") == "index.html"
    title = page.locator("h1").bounding_box()
    assert course.bounding_box()["y"] + course.bounding_box()["height"] <= title["y"]
    letters = "it => parseFloat(getComputedStyle(it).fontSize)"
    assert course.evaluate(letters) <= keys.evaluate(letters) < page.locator("#slide-1").evaluate(letters)
    said = keys.inner_text()
    assert ("Scroll" if width == 375 else "Next slide: → or the arrow at the top right") in said
    assert "·" not in said  # none is left at the end of a line
    assert keys.get_by_role("link").is_visible() and keys.get_by_role("button").is_visible()


def test_the_fold_of_a_task_says_that_an_answer_opens_and_has_no_mark_that_looks_like_play(read_page):
    for name in ("05_shift_matrices", "07_words_and_positions"):
        page = read_page(f"{name}_slides.html", 1280, 720)
        fold = page.locator("header summary").first
        assert fold.inner_text().endswith("? answer")
        assert fold.evaluate("it => getComputedStyle(it).listStyleType") == "none"
    size = "parseFloat(getComputedStyle(it).fontSize)"
    in_a_line = f"it => {size} >= 24 && it.offsetHeight < 1.8 * {size}"
    page.wait_for_function(in_a_line, arg=fold.element_handle())  # beside a figure, which 07 has here


def test_on_a_phone_the_number_of_a_notebook_stays_with_its_name(read_page):
    page = read_page("05_shift_matrices_slides.html", width=375, height=667, has_touch=True, is_mobile=True)
    lines = "it => it.getClientRects().length"
    assert page.get_by_role("link", name="04 · Similarity").first.evaluate(lines) == 1


def test_tab_goes_on_from_the_slide_that_is_shown(open_page):
    page = open_page("09_relative_bias_slides.html", height=720)
    shown = "n => Math.abs(document.querySelectorAll('section')[n].getBoundingClientRect().top) < 2"
    focused = "[...document.querySelectorAll('section')].findIndex(it => it.contains(document.activeElement))"
    asked = page.evaluate(
        "[...document.querySelectorAll('section')].findLastIndex(it => it.matches('.slide-question'))"
    )
    page.keyboard.press("Tab")  # to a link of the first
    assert page.evaluate(focused) == 0
    for at in range(1, asked + 1):
        page.keyboard.press("PageDown")
        page.wait_for_function(shown, arg=at)
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == asked
    assert page.evaluate("document.activeElement.localName") in ("a", "summary")


def test_tab_does_not_leave_the_slide_that_is_shown(open_page):
    page = open_page("05_shift_matrices_slides.html", height=720)
    controls = page.eval_on_selector_all(
        "section", "all => all.map(it => it.querySelectorAll('a, summary').length)"
    )
    asked = page.eval_on_selector_all("section", "all => all.findIndex(it => it.matches('.slide-question'))")
    slides_top = "n => document.querySelectorAll('section')[n].getBoundingClientRect().top"
    for at in (controls.index(0), asked):
        used = controls[at] + 2  # the buttons beside the counter
        page.evaluate("n => document.querySelectorAll('section')[n].scrollIntoView()", at)
        page.wait_for_function(f"n => Math.abs(({slides_top})(n)) < 2", arg=at)
        found = []
        for key in ["Tab"] * (used + 1) + ["Shift+Tab"]:
            page.keyboard.press(key)
            found.append(page.evaluate("document.activeElement.textContent"))
            assert abs(page.evaluate(slides_top, at)) < 2
        assert len({*found}) == used and found[0] == found[-2] and found[-1] == found[-3]


@pytest.mark.parametrize("name", ["00_start_here", "12_fourteen_configs", "glossary"])
def test_the_search_field_is_in_sight_wherever_the_list_of_pages_is_scrolled_to(open_page, name):
    page = open_page(f"{name}.html", height=720)
    field = page.locator(".bd-sidebar-primary .search-button-field")
    for to in (0, 10_000):
        page.locator(".bd-sidebar-primary").evaluate("(bar, to) => bar.scrollTo(0, to)", to)
        box = field.bounding_box()
        assert 0 <= box["y"] < 200
        on_top = "([x, y]) => !!document.elementFromPoint(x, y).closest('.search-button-field')"
        assert page.evaluate(on_top, [box["x"] + 20, box["y"] + box["height"] / 2])


@pytest.mark.parametrize("answer", ["", "The shuffled one does. " * 7])
def test_an_answer_that_is_opened_on_a_slide_leaves_its_picture_as_it_is(open_page, answer):
    """It stands where the caption does, and above what concludes."""
    page = open_page("07_words_and_positions_slides.html", height=720)
    figure = page.locator(".slide-figure:has(> header > details)").first
    figure.evaluate("slide => slide.scrollIntoView()")
    canvas, caption, told = (figure.locator(it) for it in ("canvas", ".live-caption", "header details > p"))
    before = canvas.bounding_box()
    assert before["width"] > 1000
    if answer:
        told.evaluate("(it, words) => (it.textContent = words)", answer)
    figure.locator("header summary").click()
    told.wait_for()
    assert canvas.bounding_box() == before
    conclusion = figure.locator(":scope > p:not(.slide-number)")
    said, below, above = told.bounding_box(), conclusion.bounding_box(), caption.bounding_box()
    letters = told.evaluate("it => parseFloat(getComputedStyle(it).fontSize)")
    assert letters >= 24 and abs(said["y"] - above["y"]) < 2 and not caption.is_visible()
    assert said["y"] + said["height"] <= below["y"] + 1 and below["y"] + below["height"] <= 720
    assert said["height"] < 3.2 * letters and figure.evaluate("it => it.scrollHeight <= it.clientHeight + 1")


def test_on_a_slide_tab_goes_through_the_controls_of_a_figure_in_the_order_in_which_they_stand(open_page):
    page = open_page("07_words_and_positions_slides.html", height=720)
    page.locator(".slide-figure").first.evaluate("slide => slide.scrollIntoView()")
    page.locator(".slide-figure input[type=range]").first.focus()
    places = []
    while page.evaluate("document.activeElement.matches('.live-controls *')"):
        places.append(
            page.evaluate(
                "(({ left, bottom }) => [bottom, left])(document.activeElement.getBoundingClientRect())"
            )
        )
        page.keyboard.press("Tab")
    assert len(places) > 3  # slider, buttons, the menu below them
    for (bottom, left), (next_bottom, next_left) in itertools.pairwise(places):
        assert next_left > left or next_bottom > bottom + 20
    assert places[-1] == max(places)


@pytest.mark.parametrize("way", ["key", "wheel"])
def test_enter_follows_no_link_of_a_slide_that_was_left(open_page, way):
    page = open_page("00_start_here_slides.html", height=720)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('a') && document.activeElement.closest('section')")
    address = page.url
    if way == "key":
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
    else:
        page.mouse.move(600, 300)
        page.mouse.wheel(0, 1440)
    page.wait_for_function("document.querySelectorAll('section')[2].getBoundingClientRect().top < 2")
    page.wait_for_function("document.activeElement === document.body")
    page.keyboard.press("Enter")
    page.wait_for_timeout(200)
    assert page.url.partition("#")[0] == address


def test_a_slider_moved_by_pointer_keeps_left_and_right_and_one_reached_by_tab_all_its_keys(open_page):
    page = open_page("09_relative_bias_slides.html", height=720)
    (figure,) = live_figures(page)
    shown = "n => Math.abs(document.querySelectorAll('section')[n].getBoundingClientRect().top) < 2"
    at = page.evaluate(
        "[...document.querySelectorAll('section')].findIndex(it => it.querySelector('canvas'))"
    )
    figure.evaluate("it => it.closest('section').scrollIntoView()")
    slider = figure.query_selector("input[type=range]")
    box = slider.bounding_box()
    start = slider.input_value()
    page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.9 * box["width"], box["y"] - 40)  # and let go beside it
    page.mouse.up()
    moved = slider.input_value()
    assert moved != start
    page.keyboard.press("ArrowLeft")
    stepped = slider.input_value()
    assert float(stepped) < float(moved) and page.evaluate(shown, at)
    page.keyboard.press("ArrowDown")
    page.wait_for_function(shown, arg=at + 1)
    assert slider.input_value() == stepped

    page.keyboard.press("ArrowUp")
    page.wait_for_function(shown, arg=at)
    while page.evaluate("document.activeElement.type") != "range":
        page.keyboard.press("Tab")
    slider = page.evaluate_handle("document.activeElement").as_element()
    for key in ("Home", "ArrowRight"):
        page.keyboard.press(key)
    assert slider.input_value() == "1" and page.evaluate(shown, at)
    page.keyboard.press("PageDown")
    page.wait_for_function(shown, arg=at + 1)
    assert slider.input_value() == "1"
    page.keyboard.press("PageUp")
    page.wait_for_function(shown, arg=at)
    page.keyboard.press(" ")
    page.wait_for_function(shown, arg=at + 1)


def test_space_presses_what_has_the_focus_and_escape_gives_the_keys_back(open_page):
    page = open_page("09_relative_bias_slides.html", height=720)
    (figure,) = live_figures(page)
    top = "it => Math.abs(it.closest('section').getBoundingClientRect().top) < 2"
    question = page.query_selector(".slide-question details")
    answer = question.query_selector("summary")
    answer.evaluate("it => it.closest('section').scrollIntoView()")
    answer.focus()
    page.keyboard.press(" ")
    assert question.evaluate("it => it.open") and answer.evaluate(top)
    page.keyboard.press("PageDown")
    page.wait_for_function(f"it => !({top})(it)", arg=answer)
    page.keyboard.press(" ")  # the focus is on a slide that is not shown
    assert question.evaluate("it => it.open")

    figure.evaluate("it => it.closest('section').scrollIntoView()")
    slider, button = (figure.query_selector(part) for part in ("input[type=range]", ".live-tour button"))
    slider.focus()
    page.keyboard.press("End")
    before = reader.state(figure)
    button.focus()
    page.keyboard.press(" ")
    assert reader.state(figure) != before and button.evaluate(top)
    slider.focus()
    page.keyboard.press("Home")
    value = slider.input_value()
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"it => !({top})(it)", arg=slider)
    assert slider.input_value() == value


def test_on_a_phone_no_table_of_the_path_is_cut(open_page):
    page = open_page("00_start_here.html", width=375, height=812, has_touch=True, is_mobile=True)
    tables = page.locator(".cell_output table >> visible=true")
    assert tables.count() >= 4
    right = "all => all.map(each => each.getBoundingClientRect().right)"
    assert max(tables.evaluate_all(right)) <= 375 - 16


def test_a_picture_that_leads_to_itself_has_a_ring_around_it(open_page):
    page = open_page("00_start_here.html")
    link = page.locator("article a:has(> picture)").first
    link.scroll_into_view_if_needed()
    page.keyboard.press("Tab")  # keys are in use
    link.focus()
    ring = "e => [getComputedStyle(e).outlineStyle, parseFloat(getComputedStyle(e).outlineWidth)]"
    assert link.evaluate(ring) == ["solid", 3]
    assert "Enter opens the picture" in link.evaluate("e => getComputedStyle(e, '::after').content")
    alt = link.locator("img").get_attribute("alt")
    assert page.get_by_role("link", name=f"Open the picture: {alt}", exact=True).count() == 1
    outer, inner = link.bounding_box(), link.locator("img").bounding_box()
    above = "e => parseFloat(getComputedStyle(e, '::after').bottom) >= e.clientHeight"
    assert link.evaluate(above)  # it covers nothing of the picture
    assert outer["width"] == pytest.approx(inner["width"], abs=1)
    assert outer["height"] == pytest.approx(inner["height"], abs=12)  # and a line's descent


def test_a_slider_stays_when_another_moves_and_so_does_the_picture(open_page):
    page = open_page("09_relative_bias.html")
    (figure,) = live_figures(page)
    first, second = figure.query_selector_all("input[type=range]")
    picture = figure.query_selector("canvas")
    place = "canvas => canvas.getBoundingClientRect().top + scrollY"
    before = picture.evaluate(place)
    press(page, figure, first, "Home")
    press(page, figure, second, "Home")
    assert [slider.get_attribute("aria-valuetext") for slider in (first, second)] == ["1", "0.00"]
    press(page, figure, first, "ArrowRight")
    press(page, figure, second, "ArrowRight")
    press(page, figure, first, "Home")
    kept = second.get_attribute("aria-valuetext")
    assert kept != "0.00" and first.get_attribute("aria-valuetext") == "1"
    press(page, figure, first, "End")
    assert second.get_attribute("aria-valuetext") == kept and picture.evaluate(place) == before


def test_without_an_address_no_page_leads_to_the_repository(site, open_page, monkeypatch):
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    monkeypatch.setattr(build_site.course, "repository", lambda: "https://github.com/OWNER/course")
    assert list(build_site.ways(NOTEBOOKS[0])) == ["Download the notebook", "Slides"]
    assert build_site.linked("see [the data](../data/README.md).") == "see the data."
    assert build_site.from_root("[00](notebooks/00_a.ipynb) [b](README.md#b)") == "[00](00_a.ipynb) b"
    assert not [file.name for file in site.glob("*.html") if "/OWNER" in file.read_text()]


def test_an_exercise_is_not_judged_before_it_is_tried(site):
    for name in EVERY:
        page = (site / f"{name}.html").read_text()
        led = '<a href="running.html">JupyterLab</a>'
        assert page.count(f"The check of your answer runs in {led}") == 2
        assert build_site.repository() or "JupyterLab</a> or Colab" not in page  # no way leads there
        assert "✗" not in page.partition('id="exercises"')[2].partition('id="going-deeper"')[0], name


def test_the_list_of_pages_has_the_numbers_that_the_text_uses(open_page):
    page = open_page("09_relative_bias.html")
    listed = page.locator(".bd-sidebar-primary .toctree-l1").all_inner_texts()
    assert [text[:5] for text in listed[: len(EVERY)]] == [f"{name[:2]} · " for name in EVERY]


CUT = r"""() => [...document.querySelectorAll('article .cell_input pre')]
    .filter(block => block.scrollWidth > block.clientWidth && block.checkVisibility())
    .map(block => Math.max(...block.textContent.split('\n').map(line => line.length)))"""


@pytest.mark.parametrize("width", [1280, 1400])
def test_a_line_of_code_of_a_hundred_letters_is_not_cut(open_page, width):
    page = open_page("09_relative_bias.html", width=width)
    page.evaluate("document.querySelectorAll('details').forEach(fold => (fold.open = true))")
    assert page.locator(".cell_input pre:visible").count() > 10
    assert all(length > 100 for length in page.evaluate(CUT))


def test_on_paper_everything_is_open_and_nothing_is_cut(open_page):
    page = open_page("09_relative_bias.html", width=794, asks=True)  # the width of A4
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert not page.locator("text=Contents >> visible=true").count()
    folds = "details:not(.hide, .prediction-answer, .printed-below)"
    said = page.locator(f"article :is({folds} > :not(summary, span), .cell_output .on-paper)")
    assert said.count() > 20 and all(said.nth(n).is_visible() for n in range(said.count()))
    for hidden in ("form.prediction", ".live-controls", "details.hide", ".bd-sidebar-primary"):
        assert not page.locator(f"{hidden} >> visible=true").count(), hidden
    assert page.locator(".printed-start img").first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 794
    title, first = page.locator("#jb-print-docs-body h1"), page.locator("article section > p").first
    assert title.bounding_box()["x"] == pytest.approx(first.bounding_box()["x"], abs=1)
    assert not page.locator("#sources strong:text-is('Sources.')").count()  # as its heading says
    blocks = "[...document.querySelectorAll('article pre, article table')]"
    assert (
        page.evaluate(f"{blocks}.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent)")
        == []
    )
    style = "all => all.map(pre => getComputedStyle(pre).overflow)"
    assert set(page.eval_on_selector_all(".cell_input pre", style)) == {
        "visible"
    }  # what scrolls is never cut
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not page.locator("#going-deeper .door[open]").count()


def test_a_formula_that_is_wider_than_the_paper_is_scaled_to_fit(open_page):
    page = open_page("01_formula.html")
    page.wait_for_load_state("networkidle")  # the fonts are there
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    sizes = []
    for width in (720, 430):  # A4, and A6
        page.set_viewport_size({"width": width, "height": 900})
        ends = """[...document.querySelectorAll('.katex-display')].map(formula => {
            const range = document.createRange()
            range.selectNodeContents(formula.querySelector('.katex-html'))
            const size = parseFloat(getComputedStyle(formula.firstChild).fontSize)
            return [formula.getBoundingClientRect().right - range.getBoundingClientRect().right, size]
        })"""
        found = page.evaluate(ends)
        assert len(found) > 2 and all(space >= 0 for space, _ in found), width
        sizes.append([size for _, size in found])
    assert all(small <= large for large, small in zip(*sizes, strict=True))
    assert min(sizes[1]) < max(sizes[1])  # each as large as it can be


def test_on_paper_a_question_has_its_choices_and_the_answers_stand_at_the_end(open_page):
    page = open_page("00_start_here.html", asks=True)
    asked = page.locator(".bd-article .prediction-answer").count()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    choices = page.locator(".prediction-answer")
    assert asked > 4 and choices.locator("> summary >> visible=true").count() == asked
    assert not choices.locator("> :not(summary) >> visible=true").count()
    answers = page.locator("section:has(> h2:text-is('What the answers say')) details")
    assert answers.count() == asked and answers.locator("> p >> visible=true").count() >= asked
    places = page.locator(".printed-answers h3").all_inner_texts()
    assert places[:4] == [f"Section {n}" for n in range(1, 5)]
    assert places[4:] == ["Reading from left to right: the causal mask", "What sines offer"]
    starts = page.locator(".printed-part")  # hints follow the exercises, and answers can be held back
    breaks = starts.evaluate_all("all => all.map(it => getComputedStyle(it).breakBefore)")
    assert breaks == ["auto", "page", "auto"]
    heads = page.locator(".printed-part > h2").evaluate_all(
        "all => all.map(it => getComputedStyle(it, '::after').content)"
    )
    assert ["These sheets are for later." in head for head in heads] == [False, True, False]
    mark = "all => all.map(it => getComputedStyle(it.querySelector('summary'), '::before').content[1])"
    marks = answers.evaluate_all(mark)
    assert {*marks} == {"○", "✓"} and marks.count("✓") == page.locator(".printed-answers blockquote").count()
    right = page.locator(".printed-right > summary + *").all_inner_texts()
    assert right and all(words.startswith("Yes") for words in right)
    folds = page.locator("summary >> visible=true").evaluate_all(
        "all => all.map(it => getComputedStyle(it).listStyleType)"
    )
    assert set(folds) == {"none", '"○  "'}  # nothing on paper can be opened
    together = page.locator(".printed-answers > :not(h2)")  # a question with all of its answers, on one sheet
    cut = together.evaluate_all("all => all.map(it => getComputedStyle(it).breakInside)")
    assert set(cut) == {"avoid"} and len(cut) == page.locator(".printed-answers blockquote").count()
    whole = "all => all.every(it => it.querySelector('blockquote') && it.querySelector('.printed-right'))"
    assert together.evaluate_all(whole)
    assert not page.locator("text=The check of your answer runs in >> visible=true").count()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not page.locator("text=What the answers say").count()


def test_a_sheet_says_whose_work_it_is_and_where_the_page_is_unless_nobody_else_can_go_there(
    open_page, browser, address
):
    whose = "Positional encoding · By the contributors · Code: MIT licence · text and pictures: CC BY 4.0"
    page = open_page("00_start_here.html")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert f'@bottom-left {{ color: rgb(85, 85, 85); content: "{whose}"; ' in page.evaluate(AT_EDGES)
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert whose not in page.evaluate(AT_EDGES)
    away = browser.new_page()  # as if it stood elsewhere
    away.route(
        "https://course.example/**",
        lambda it: it.fulfill(
            response=it.fetch(url=it.request.url.replace("https://course.example", address))
        ),
    )
    away.goto("https://course.example/00_start_here.html?k=2#figure-1")
    away.evaluate("dispatchEvent(new Event('beforeprint'))")
    where = '"This page, where its figures move: https://course.example/00_start_here.html"'
    assert f'content: "{whose}" "\\a " {where}; ' in away.evaluate(AT_EDGES)
    away.goto("https://course.example/glossary.html")
    away.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert '"This page: https://course.example/glossary.html"' in away.evaluate(AT_EDGES)
    away.close()


ROOM = """it => {  // below it, cm
    const { marginBottom, paddingBottom } = getComputedStyle(it)
    return (parseFloat(marginBottom) + parseFloat(paddingBottom)) / 96 * 2.54
}"""
ROOMS = f"all => all.map(it => [it.innerText, ({ROOM})(it)])"


def test_on_paper_every_exercise_has_room_to_write_and_nothing_else_has(open_page):
    for name, of_code, on_paper in (("00_start_here", 2, 2), ("07_words_and_positions", 2, 2)):
        page = open_page(f"{name}.html")
        page.emulate_media(media="print")
        for _ in range(2):  # printed again it is the same
            page.evaluate("dispatchEvent(new Event('beforeprint'))")
            rooms = {}
            for kind in ("p", ".cell"):
                found = page.locator(f"article {kind}:visible").evaluate_all(ROOMS)
                rooms[kind] = [(words, room) for words, room in found if room > 1]
            assert [len(wide) for wide in rooms.values()] == [on_paper, of_code]
            for words, room in rooms["p"]:
                is_of_figure = words.endswith("which order loses blue dots sooner?")
                assert is_of_figure or re.match(r"\d\. On paper", words)
                assert room == pytest.approx(4, abs=0.1)
            for words, room in rooms[".cell"]:
                assert words.startswith("def ") and room > 2.5
            page.evaluate("dispatchEvent(new Event('afterprint'))")


def test_on_paper_a_task_has_its_fold_at_the_end_too_and_exercises_say_where_their_solutions_are(open_page):
    page = open_page("05_shift_matrices.html")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    task = page.locator("p", has_text="Take a pencil").first
    told = "it => getComputedStyle(it, '::after').content"
    assert task.evaluate(told) == "none" and task.evaluate(ROOM) == pytest.approx(4, abs=0.1)
    cover = task.locator("xpath=following-sibling::*[1]")  # who covers what follows still sees where to write
    assert "“What the answers say”: last sheets, Section 1." in cover.evaluate(told)
    fold = cover.locator("+ details")
    assert fold.count() == 1 and not fold.is_visible()
    answers = page.locator(".printed-answers p")
    assert answers.count() > 10 and max(answers.evaluate_all(ROOMS), key=lambda it: it[1])[1] < 1
    first = page.locator(".printed-answers > .printed-together").first
    assert first.locator("p").first.inner_text().endswith("turns each of the four rows into the next?")
    assert first.locator("details.printed-right").inner_text().startswith("The matrix")
    assert first.locator("details.printed-right > p").first.is_visible()
    heading = page.locator("#exercises > h2")
    assert heading.evaluate(told) == '"Hints: below the last one. Solutions: at the end."'
    size = "(it, part) => getComputedStyle(it, part).fontSize"
    assert heading.evaluate(size, "::after") == page.locator("#exercises > p").first.evaluate(size)
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not task.evaluate("it => it.nextElementSibling.matches('p')")


def test_on_paper_code_that_moves_a_figure_is_left_out_where_it_is_long(open_page):
    page = open_page("00_start_here.html")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    code = page.locator(
        ".cell_input:has-text('def show_scores'), .cell_input:has-text('scores_figure, score_axes')"
    )
    assert code.count() == 2 and not page.locator(".printed-plumbing >> visible=true").count()
    assert not any(code.nth(n).is_visible() for n in range(2))
    assert page.locator(
        ".cell_input:has-text('def position_scores')"
    ).is_visible()  # what it computes is a part of the text


def test_on_paper_no_line_goes_on_alone_with_what_it_announces(open_page):
    page = open_page("05_shift_matrices.html", asks=True)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    told = """all => all.map(it => {
        const copy = it.cloneNode(true)
        for (const other of copy.querySelectorAll('.katex-mathml, .door-readers')) other.remove()
        return [copy.textContent.length, getComputedStyle(it).breakInside]
    })"""
    found = page.eval_on_selector_all(".bd-article p:visible", told)  # no paragraph of four lines is parted
    assert len(found) > 50 and all(inside == "avoid" for letters, inside in found if letters < 340)
    assert "auto" in {inside for _, inside in found}


def test_on_paper_a_picture_of_one_row_is_nine_cm_high_and_letters_have_six_points_and_a_half(open_page):
    """Letters have 22 of the pixels that a picture is laid out for."""
    page = open_page("07_words_and_positions.html", width=673, height=987)  # what the margins leave of A4
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    shown = """all => all.map(it => {
        const { width, height } = it.getBoundingClientRect()
        return [it.getAttribute('src'), width, height]
    })"""
    pictures = page.locator("article .cell_output img >> visible=true")
    for n in range(pictures.count()):  # they are fetched when they are near
        pictures.nth(n).scroll_into_view_if_needed()
    page.wait_for_function("[...document.images].every(it => !it.checkVisibility() || it.naturalWidth)")
    dots = "all => all.map(it => [it.naturalWidth, it.naturalHeight])"
    found = list(zip(pictures.evaluate_all(shown), pictures.evaluate_all(dots), strict=True))
    assert len(found) > 6
    for (file, width, height), (across, down) in found:
        letters = (
            22 * min(width, height * across / down) * (2 if "-slide" in file else 4 / 3) / across * 72 / 96
        )
        assert letters > 6.5 and across > 2 * width, file
        assert height / 96 * 2.54 < 9.3 or "cell-54" in file, file
    rows = page.locator("img.on-paper-high").evaluate(  # two rows of maps are as wide as one
        "it => it.getBoundingClientRect().width"
    )
    assert rows == pytest.approx(max(width for (_, width, _), _ in found))


def test_on_paper_a_live_figure_has_its_other_settings_unless_the_reader_moved_it(open_page):
    page = open_page("07_words_and_positions.html", width=673, height=987)
    figure = page.locator(".live-figure")
    figure.scroll_into_view_if_needed()
    page.wait_for_selector(".live-figure canvas[data-frames='1']")
    assert not page.locator(":is(.on-paper, .printed-figure) >> visible=true").count()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert not figure.is_visible()
    settings = page.locator(".printed-figure > div").all()  # in the order of the slider
    assert all(setting.is_visible() for setting in settings)
    start = page.locator(".printed-start")
    said = [setting.inner_text() for setting in settings]
    for words, ratio in zip(said, ("1 : 0.1", "1 : 1", "1 : 10"), strict=True):  # which are not broken
        begin = f"{ratio}. Word : position = {ratio}. In groups: "
        whole = re.sub("(?<=[a-z0-9]) ([:=]) ", "\xa0\\1\xa0", begin.partition(". In")[0])
        assert words.startswith(f"{whole}. In groups: ")
    above = page.locator(".printed-figure > :first-child").inner_text()  # what is said of all
    lines = "Arrows lead to the nearest"
    assert lines in above and not any(lines in words for words in said)
    whole = page.locator(".printed-figure")
    inside = "it => getComputedStyle(it).breakInside"  # what is to be compared stands on one sheet
    assert whole.evaluate(inside) == "avoid"
    assert {setting.evaluate(inside) for setting in settings} == {"avoid"}
    widths = {part.locator("img").bounding_box()["width"] for part in settings}
    assert len(widths) == 1 and whole.bounding_box()["height"] < 987
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    page.click("button:text-is('1 : 10')")
    page.wait_for_selector(".live-caption:has-text('1 : 10.')")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert figure.locator("canvas").is_visible() and not start.is_visible()
    assert settings[0].is_visible() and "printed-start" in settings[1].get_attribute("class")


def test_on_paper_settings_that_would_fill_a_sheet_may_be_parted(open_page):
    page = open_page("07_words_and_positions.html")
    page.emulate_media(media="print")
    inside = "it => getComputedStyle(it).breakInside"
    for height, kept in ((180, "avoid"), (400, "auto")):
        page.eval_on_selector_all(
            ".printed-row img", f"all => all.map(it => it.setAttribute('height', {height}))"
        )
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.locator(".printed-figure").evaluate(inside) == kept
        page.evaluate("dispatchEvent(new Event('afterprint'))")


def test_on_paper_every_map_whose_red_and_blue_are_one_grey_asks_for_colours(open_page):
    for name, number in (("05_shift_matrices", 2), ("07_words_and_positions", 0)):
        page = open_page(f"{name}.html")
        maps = page.locator(".tag_red-and-blue > .cell_output")
        assert maps.count() == number
        told = "all => all.map(it => getComputedStyle(it, '::before').content)"
        assert maps.evaluate_all(told) == ["none"] * number
        page.emulate_media(media="print")
        assert (
            maps.evaluate_all(told) == ['"To be printed in colour: red is above zero, blue below."'] * number
        )


def test_on_paper_a_figure_without_presets_has_each_choice_of_its_menu(open_page):
    page = open_page("00_start_here.html")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    names = page.locator(".printed-figure >> nth=1 >> b").all_inner_texts()
    others = ["sines and random matrices.", "random vectors and the identity."]
    assert names == ["sines and the identity.", *others]
    assert page.locator(".printed-half >> visible=true").count() == 3  # two beside each other


def test_paper_and_a_screen_have_each_their_words(open_page):
    page = open_page("07_words_and_positions.html")
    both = (f"p:not(details *) > .{kind}-words" for kind in ("screen", "paper"))
    screen, paper = (page.locator(words).first for words in both)
    assert screen.inner_text().startswith("Raise ") and not paper.is_visible()
    page.emulate_media(media="print")
    assert not screen.is_visible() and paper.inner_text().startswith("From 1 : 0.1 to 1 : 10")
    found = page.evaluate("fetch('search.json').then(it => it.text())")
    assert "from the left: which order" in found and "From 1 : 0.1 to" not in found


def test_on_paper_a_link_says_which_section_it_leads_to(open_page):
    page = open_page("00_start_here.html")
    page.emulate_media(media="print")
    line = page.locator("p:has(> a:text-is('the proof'))")
    before = line.inner_text()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert "(the proof: “Any order, any depth: the proof”)" in line.inner_text()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert line.inner_text() == before
    page = open_page("05_shift_matrices.html")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    said = page.locator("#what-you-saw li").all_inner_texts()
    assert all(re.search(r"section \d", words) for words in said)


def test_on_paper_a_task_stands_with_what_it_asks_about(open_page):
    page = open_page("05_shift_matrices.html")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    task = page.locator("p", has_text="Take a pencil").first
    kept = task.evaluate("""it => {
        const found = []
        do {
            it = it.previousElementSibling
            found.push([getComputedStyle(it).breakAfter, it.matches('.cell:has(img)')])
        } while (!it.matches('.cell'))
        return found
    }""")
    assert len(kept) > 2 and kept[-1][1] and {after for after, _ in kept} == {"avoid"}


def test_on_paper_code_what_it_shows_and_what_follows_from_that_are_kept_together(open_page):
    page = open_page("07_words_and_positions.html", width=673)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    style = "(it, name) => getComputedStyle(it)[name]"
    table = page.locator(".cell:has(.cell_input:has-text('squared(\"wolf\"'))")
    assert table.evaluate(style, "breakInside") == "avoid"
    line = page.locator(
        ".cell:has(.cell_input:has-text('PCA(n_components=1)'))"
    )  # its picture is the next cell's: with that, a third of a sheet would be empty
    assert line.evaluate(style, "breakAfter") == "auto"
    before = page.locator("p", has_text="on which their shadows lie farthest apart:")
    assert before.evaluate(style, "breakAfter") == "avoid"
    said = page.locator("p", has_text="sum is nearer: here meaning wins").first
    assert said.evaluate(style, "breakBefore") == "avoid"
    page = open_page("05_shift_matrices.html", width=673)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    long = page.locator(".cell:has(.cell_input:has-text('def favourites'))")  # its table would be alone
    assert long.evaluate(style, "breakInside") == "avoid"
    long.locator(".cell_input pre").evaluate("it => it.append('pass\\n'.repeat(18))")  # too high for that
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert long.evaluate(style, "breakInside") == "auto"
    read = page.locator(
        "p", has_text="Random rows follow no rule"
    )  # with its code, and what leads to that, a third of a sheet would be empty
    assert read.evaluate(style, "breakBefore") == "auto"
    kept = page.locator(".cell:has(.cell_input:has-text('encodings = {'))")  # too high with what leads to it
    assert kept.evaluate(style, "breakInside") == "avoid"
    clocks = page.locator("p", has_text="In all three clocks the turn is")  # which brings its formula along
    assert clocks.evaluate(style, "breakBefore") == "auto"
    bold = page.locator("p", has_text="is a nudge, not a pointer.")  # away from its table it says little
    assert bold.evaluate(style, "breakBefore") == "avoid"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not page.locator(":is(.printed-whole, .printed-with-next, .printed-with-last)").count()


def test_on_paper_an_exercise_has_its_question_and_the_solutions_stand_at_the_end(open_page):
    page = open_page("00_start_here.html", asks=True)
    number = page.locator("#exercises > details").count()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert number > 6 and not page.locator("#exercises > details >> visible=true").count()
    end = page.locator("h2:text-is('Solutions')")  # behind all but the sources, of a few lines
    assert end.evaluate("end => end.parentElement.nextElementSibling.id") == "sources"
    assert page.locator("#sources").evaluate("it => !it.nextElementSibling")
    below = page.locator("#exercises > :last-child > h2")  # on a sheet of their own they would stand alone
    assert below.inner_text() == "Hints"
    hints, solutions = (page.locator(f".printed-{name} details") for name in ("hints", "solutions"))
    assert hints.count() + solutions.count() == number and hints.count() > 3
    assert not solutions.locator("summary:text-is('Hint')").count()
    for part in (hints, solutions):
        assert part.locator("> p >> visible=true").count() >= part.count()
    for name in ("hints", "solutions"):
        headings = page.locator(f".printed-{name} h3").all_inner_texts()
        assert headings == [f"Exercise {n}" for n in range(1, 5)]
    assert not page.locator(":is(.printed-hints, .printed-solutions) summary >> visible=true").count()
    numbers = page.locator("#exercises > p > strong:first-child").evaluate_all(
        "all => all.map(it => getComputedStyle(it, '::before').content + it.textContent)"
    )
    assert [words for words in numbers if "Exercise" in words] == [f'"Exercise "{n}.' for n in range(1, 5)]
    order = page.locator(".printed-part > h2").all_inner_texts()
    assert order == ["Hints", "What the answers say", "Solutions"]
    assert page.locator("#sources >> visible=true").count() == 1
    assert not page.locator("text=Download >> visible=true").count()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert not page.locator(".printed-part").count() and page.locator("#sources").is_visible()
    assert page.locator("#exercises > details >> visible=true").count() == number


def test_what_belongs_together_is_on_one_sheet(open_page):
    page = open_page("05_shift_matrices.html", asks=True)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    style = "(all, name) => all.map(each => getComputedStyle(each)[name])"
    for part, name in (
        (".katex-display", "breakBefore"),
        ("blockquote + form + .prediction-answer, .prediction-answer", "breakBefore"),
        (".cell_input + .printed-few:not(:has(img, canvas, table))", "breakBefore"),
        ("p:has(+ .katex-display)", "breakAfter"),
        ("article li", "breakInside"),
        ("#what-you-saw ul", "breakInside"),  # with its heading
        (":is(h2, summary) + span", "breakAfter"),  # else a heading stays behind
    ):
        found = page.eval_on_selector_all(part, style, name)
        assert found and set(found) == {"avoid"}, part
    printed = """all => all.filter(it => it.checkVisibility() && !it.matches(':has(img, canvas, table)'))
        .map(it => [it.innerText.trim().split('\\n').length, getComputedStyle(it).breakBefore])"""
    outputs = page.eval_on_selector_all(".cell_input + .cell_output", printed)
    assert {lines < 5 for lines, _ in outputs} == {True, False}  # many lines may go where there is room
    assert all(before == "avoid" for lines, before in outputs if lines < 5)
    assert any(before != "avoid" for _, before in outputs)


AT_EDGES = """() => [...document.styleSheets].flatMap(sheet => [...sheet.cssRules])
    .flatMap(rule => [rule, ...(rule.media?.mediaText === 'print' ? rule.cssRules : [])])
    .filter(rule => rule instanceof CSSPageRule).map(rule => rule.cssText).join(' ')"""


def test_a_long_table_has_five_rows_at_least_on_the_sheet_of_its_heading(open_page):
    page = open_page("00_start_here.html")
    page.emulate_media(media="print")
    table = page.locator("table:has-text('its question')")
    rows = table.locator("tr").evaluate_all("all => all.map(it => getComputedStyle(it).breakAfter)")
    inside = table.evaluate("it => getComputedStyle(it).breakInside")
    assert inside == "auto" and rows[1:5] == ["avoid"] * 4 and {*rows[5:]} == {"auto"}


def test_a_sheet_has_its_number_and_the_name_of_the_page(open_page):
    page = open_page("05_shift_matrices.html")
    assert "counter(page)" in page.evaluate(AT_EDGES) and page.title() not in page.evaluate(AT_EDGES)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert f'@top-left {{ color: rgb(85, 85, 85); content: "{page.title()}"' in page.evaluate(AT_EDGES)
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.title() not in page.evaluate(AT_EDGES)
    slides = open_page("05_shift_matrices_slides.html")
    slides.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert "@top-left" not in slides.evaluate(AT_EDGES)  # they have numbers of their own
    assert slides.evaluate(AT_EDGES).endswith("@bottom-right { content: none; } }")
    assert "@bottom-left" not in slides.evaluate(AT_EDGES)


def test_a_heading_has_three_lines_of_its_text_with_it(open_page):
    page = open_page("05_shift_matrices.html", asks=True)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    after = """all => all.map(heading => {
        const found = []
        let part = (heading.closest('summary') ?? heading).nextElementSibling
        for (; part; part = part.nextElementSibling) {
            if (part.matches('span:not(.katex-display)')) continue
            const style = getComputedStyle(part)
            const copy = part.cloneNode(true)
            for (const hidden of copy.querySelectorAll('.katex-mathml')) hidden.remove()
            found.push([part.localName, copy.textContent.length, style.breakAfter, +style.orphans])
        }
        return found
    })"""
    short = 0
    for parts in page.locator("article :is(h2, h3) >> visible=true").evaluate_all(after):
        letters = 0
        for kind, length, following, orphans in parts:
            if kind not in ("p", "ul", "ol"):
                break
            assert letters or kind != "p" or orphans == 3  # for whom it is, is a line of its own
            letters += length
            if letters >= 200:
                break
            assert following == "avoid"
            short += 1
    assert short > 3


@pytest.mark.parametrize("name", NAMES[1:])
def test_short_code_in_a_line_of_text_is_not_broken_on_paper(open_page, name):
    page = open_page(f"{name}.html", width=673)  # what the margins leave of A4
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    lines = """all => all.filter(it => it.checkVisibility()).map(it =>
        [it.textContent, it.getClientRects().length])"""
    found = page.locator("article :is(p, li) code.literal").evaluate_all(lines)
    assert not [said for said, number in found if number > 1 and len(said.split()) < 6]
    if name == "07_words_and_positions":
        assert "1 : 10" in [said for said, _ in found]
    assert page.evaluate("document.documentElement.scrollWidth") <= 673


def test_on_paper_code_of_25_lines_is_not_cut(open_page):
    page = open_page("05_shift_matrices.html")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    found = page.eval_on_selector_all(
        ".cell_input pre",
        """all => all.filter(it => it.checkVisibility()).map(it => {
            const { breakInside } = getComputedStyle(it.closest('.cell_input'))
            return [it.textContent.trim().split('\\n').length, breakInside]
        })""",
    )
    assert len(found) > 5 and 12 < max(lines for lines, _ in found) <= 25
    assert {inside for _, inside in found} == {"avoid"}


def test_on_paper_code_and_choices_have_room_and_a_question_says_where_its_answers_are(open_page):
    page = open_page("07_words_and_positions.html", asks=True)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    room = """all => all.filter(it => it.checkVisibility()).map(it => {
        const { paddingTop, paddingBottom, fontSize } = getComputedStyle(it)
        return Math.min(parseFloat(paddingTop), parseFloat(paddingBottom)) / parseFloat(fontSize)
    })"""
    blocks = page.eval_on_selector_all("article .cell pre, .printed-part pre", room)
    assert len(blocks) > 15 and min(blocks) > 0.3
    below = """all => all.map(it => [it.nextElementSibling.matches('.prediction-answer'),
        parseFloat(getComputedStyle(it).marginBottom)])"""
    gaps = page.eval_on_selector_all(".prediction-answer", below)
    assert min(gap for is_inner, gap in gaps if not is_inner) > 12
    told = "all => all.map(it => getComputedStyle(it, '::after').content)"
    last = ".prediction-answer:not(:has(+ .prediction-answer))"  # what is to be covered is below the choices
    asked = page.locator(last).evaluate_all(told)
    assert len(asked) == 4
    for n, words in enumerate(asked, 1):
        where = f"“What the answers say”: last sheets, Section {n}."  # what follows may begin a sheet
        assert words == f'"Cover what follows, here or on the next sheet. {where}"'
    cut = """all => all.map(it => {
        const { borderBottomStyle, fontSize } = getComputedStyle(it, '::after')
        return [borderBottomStyle, parseFloat(fontSize) / parseFloat(getComputedStyle(it).fontSize)]
    })"""
    for form, size in page.locator(last).evaluate_all(cut):
        assert form == "dashed" and size == pytest.approx(0.9)
    line = """all => all.map(it => it.getBoundingClientRect().bottom
        - it.querySelector('summary').getBoundingClientRect().bottom)"""
    assert min(page.locator(last).evaluate_all(line)) > 8  # it is seen there
    others = f"article :not({last}, h2, [data-place])"  # also not at the names of words, nor at the copies
    assert "last sheets" not in str(page.locator(others).evaluate_all(told))


def test_on_paper_a_text_is_not_parted_from_its_figure_by_code_that_is_folded(open_page):
    page = open_page("07_words_and_positions.html", width=673)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    after = """all => all.map(it => {
        let next = it.nextElementSibling
        while (next && !next.checkVisibility()) next = next.nextElementSibling
        const others = [...it.querySelectorAll('.katex-mathml, .door-readers')]
        const seen = others.reduce((sum, other) => sum - other.textContent.length, it.textContent.length)
        const letters = it.textContent.trim().endsWith(':') ? seen : 0
        return [letters, getComputedStyle(it).breakAfter, next?.getBoundingClientRect().height]
    })"""
    found = page.eval_on_selector_all("article p:has(+ .cell:not(:has(img, canvas)))", after)
    assert len(found) > 8 and all(height for *_, height in found)
    found += page.eval_on_selector_all("article p:has(+ .cell :is(img, canvas))", after)  # nor by a picture
    leads = [(letters, kept) for letters, kept, _ in found if letters]
    assert {kept for letters, kept in leads if letters < 340} == {"avoid"}
    assert max(letters for letters, _ in leads) > 200
    assert "auto" in {kept for letters, kept, _ in found if not letters}  # they fill a sheet
    assert not page.locator("[class*=tag_check-] >> visible=true").count()
    edges = "all => all.map(it => it.getBoundingClientRect().width / it.closest('.cell').clientWidth)"
    assert max(page.eval_on_selector_all("article .cell_output img:visible", edges)) == pytest.approx(
        0.85, abs=0.01
    )


def test_on_paper_sources_have_their_addresses_and_all_links_the_colour_of_the_text(open_page):
    page = open_page("07_words_and_positions.html")
    page.emulate_media(media="print")
    after = "all => all.map(it => [it.getAttribute('href'), getComputedStyle(it, '::after').content])"
    sources = page.locator("#sources a[href^=http]").evaluate_all(after)
    assert len(sources) > 3
    assert all(address in said or "attr(href)" in said for address, said in sources)
    others = page.locator("article a:not(#sources a)").evaluate_all(after)
    assert not [said for _, said in others if "http" in said or "attr" in said]
    colour = """all => all.filter(it => it.checkVisibility()).map(it =>
        getComputedStyle(it).color === getComputedStyle(it.parentElement).color)"""
    alike = page.eval_on_selector_all("article a", colour)
    assert len(alike) > 10 and all(alike)
    lines = "all => [...new Set(all.map(it => getComputedStyle(it).textDecorationLine))]"
    assert page.locator("article a.claim").count() > 4 and page.locator("article a.term").count()
    assert page.eval_on_selector_all("article a", lines) == ["none"]  # which lead nowhere on paper


def test_on_paper_text_has_10_points_and_a_half_code_8_and_a_line_of_100_letters_is_whole(open_page):
    page = open_page("09_relative_bias.html", width=673)  # what the margins leave of A4
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    size = "it => parseFloat(getComputedStyle(it).fontSize) * 72 / 96"
    assert page.eval_on_selector("article section > p", size) == pytest.approx(10.5, abs=0.01)
    assert page.eval_on_selector(".cell_input:visible pre", size) == pytest.approx(8, abs=0.01)
    page.eval_on_selector(".cell_input:visible pre", "pre => (pre.textContent = 'm'.repeat(100))")
    lines = "pre => pre.clientHeight / parseFloat(getComputedStyle(pre).lineHeight)"
    assert page.eval_on_selector(".cell_input:visible pre", lines) < 3  # with the room above and below


def test_on_paper_no_choice_has_a_mark_even_where_answers_are_always_shown(open_page):
    page = open_page("07_words_and_positions.html")
    right = page.locator(".prediction-right > summary")
    marks = "all => all.map(it => getComputedStyle(it, '::after').content)"
    assert right.evaluate_all(marks) == ['" ✓"'] * right.count() and right.count() > 2
    page.emulate_media(media="print")
    assert right.evaluate_all(marks) == ["none"] * right.count()


def test_on_paper_for_whom_a_section_is_stands_on_a_line_of_its_own(open_page):
    page = open_page("05_shift_matrices.html")
    readers = page.locator("#going-deeper .door > p:first-of-type > .door-readers")
    said = readers.evaluate_all("all => all.map(it => it.textContent)")
    assert len(said) == page.locator("#going-deeper .door").count() > 2
    assert all(re.fullmatch(r"(For|If) [^.]*; \d+ minutes\.", words) for words in said)
    assert readers.first.evaluate("it => getComputedStyle(it).display") == "inline"  # on a screen it runs on
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    style = "all => all.map(it => [getComputedStyle(it).display, getComputedStyle(it).breakAfter].join())"
    assert set(readers.evaluate_all(style)) == {"block,avoid"}
    title = page.locator("#going-deeper .door > summary").first
    assert title.evaluate("it => parseFloat(getComputedStyle(it).marginBottom)") > 4


def test_on_paper_no_line_stands_alone_and_a_high_picture_leaves_room(open_page):
    page = open_page("07_words_and_positions.html", width=673, height=987)  # what the margins leave of A4
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    lines = "all => all.map(it => [getComputedStyle(it).orphans, getComputedStyle(it).widows].join())"
    assert {*page.eval_on_selector_all("article p:not(:has(+ .katex-display))", lines)} == {"3,3"}
    assert {*page.eval_on_selector_all("article p:has(+ .katex-display)", lines)} == {"3,2"}
    sizes = """all => all.map(it =>
        [parseFloat(getComputedStyle(it).maxHeight) / 96 * 2.54, getComputedStyle(it).objectFit])"""
    pictures = "article .cell_output :is(img:not(.on-paper), canvas)"
    heights, fits = zip(*page.eval_on_selector_all(pictures, sizes), strict=True)
    assert {round(height, 1) for height in heights} == {9} and {*fits} == {"contain"}


def test_a_dark_page_is_printed_light_and_dark_again_behind_it(open_page):
    page = open_page("05_shift_matrices.html", color_scheme="dark")
    theme = "document.documentElement.dataset.theme"
    assert page.evaluate(theme) == "dark"
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    colours = "it => [getComputedStyle(it).color, getComputedStyle(document.body).backgroundColor]"
    for part in ("h1", "article p", "article pre"):
        ink, ground = page.eval_on_selector(part, colours)
        assert sum(map(int, re.findall(r"\d+", ink)[:3])) < 300 and ground != "rgb(18, 18, 18)", part
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(theme) == "dark"


def test_the_first_figure_keeps_its_colours_on_paper_and_loses_its_buttons(open_page):
    page = open_page("index.html", width=794, reduced_motion="reduce")  # while it plays, rows are made anew
    page.wait_for_selector(".words-band")
    page.emulate_media(media="print")
    assert page.eval_on_selector(".words-band", "band => getComputedStyle(band).printColorAdjust") == "exact"
    assert not page.is_visible(".hero-button") and not page.is_visible(".words-slider button")


SEARCHED = {
    "rotary": "08_rotary",
    "RoPE": "08_rotary",
    "why 10000": "02_angle_rates",
    "permutation": "00_start_here",
    "YaRN": "10_context_extension",
    "sinusoidal": "01_formula",
    "what is positional encoding": "01_formula",
    "what is a query": "00_start_here",
    "why does attention ignore order?": "00_start_here",
    "sin cos": "01_formula",
    "clock": "01_formula",
    "learned position embeddings": "03_heatmaps",
    "left padding": "13_decoding",
    "why does order matter": "00_start_here",
    "does order matter": "00_start_here",
    "why is word order important": "00_start_here",
    "why do we divide by sqrt d": "00_start_here",
    "divide by the square root of d": "00_start_here",
    "relative position": "09_relative_bias",
    "frequency": "01_formula",
    "inv_freq": "01_formula",
    "self-attention": "00_start_here",
    "KV cache": "13_decoding",
    "why is sine used and not just 1 2 3": "01_formula",
    "why not just number the words": "01_formula",
    "how does the computer know the subject": "00_start_here",
    "numpy": "00_start_here",
    "who bites whom": "00_start_here",
    "is this used in real models": "12_fourteen_configs",
    "gpt2 positions": "03_heatmaps",
    "2d positions": "14_two_dimensions",
    "how are words turned into numbers": "06_embedding_layers",
    "why are queries and keys rotated": "08_rotary",
    "long context": "10_context_extension",
    "bigger base": "02_angle_rates",
    "ablation": "15_inside_a_trained_model",
    "do i need to install anything": "running",
    "exam": "TEACHING",
}


def test_search_finds_the_notebook_and_the_place_in_it(open_page):
    page = open_page("search.html")
    for asked, expected in SEARCHED.items():
        page.fill(".bd-search-container input", asked)
        page.keyboard.press("Enter")
        page.wait_for_selector(f"#search-results [role=status]:has-text('“{asked}”')")
        found = page.locator(".search-found > li").first
        assert found.locator("a").first.get_attribute("href") == f"{expected}.html"
        said = found.locator("p").all_inner_texts()
        assert said and all(len(text) < 400 and not re.search(r"\\|import |\[\[", text) for text in said)
    page.fill(".bd-search-container input", "left padding")
    page.wait_for_selector(".search-said:has-text('“left padding”')")
    page.locator(".search-found > li").first.locator(".search-part").first.click()
    page.wait_for_url("**/13_decoding.html*#*padding*")
    sums = {}
    for asked in ("score", "rotary score"):  # more words find fewer pages
        page.goto(page.url.rpartition("/")[0] + f"/search.html?q={asked}")
        page.wait_for_selector("#search-results .search-said")
        sums[asked] = int(page.locator("#search-results [role=status]").inner_text().split()[0])
    assert 1 < sums["rotary score"] < sums["score"]
    icon, field = (page.locator(f".bd-search-container .bd-search {kind}") for kind in ("svg", "input"))
    start = field.bounding_box()["x"] + field.evaluate(
        "field => parseFloat(getComputedStyle(field).paddingLeft)"
    )
    assert icon.bounding_box()["x"] + icon.bounding_box()["width"] < start


def test_who_finds_nothing_is_told_what_to_try(open_page):
    page = open_page("search.html?q=zebra")
    page.wait_for_selector("#search-results :text('No pages for “zebra”')")
    links = page.locator("#search-results a")
    *words, glossary = links.all_inner_texts()
    assert len(words) == 3 and {*words} <= {term.name for term in site_glossary.terms()}
    links.first.click()
    page.wait_for_selector(f".search-said:has-text('pages for “{words[0]}”')")
    assert page.locator(".search-word > a").first.inner_text() == words[0]
    page.go_back()
    page.click(f"#search-results a:text('{glossary}')")
    page.wait_for_url("**/glossary.html")


HEARD = """() => {  // all that the status says from now on
    window.heard = []
    const status = document.querySelector('#search-results [role=status]')
    const tell = () => status.textContent && heard.push(status.textContent)
    new MutationObserver(tell).observe(status, { childList: true })
}"""


def test_results_come_as_one_types_and_their_number_is_announced_once_at_rest(open_page, address):
    page = open_page("index.html")
    page.goto(f"{address}/search.html")
    page.wait_for_function("document.activeElement.matches('.bd-search-container input')")
    page.evaluate(HEARD)
    for typed, asked in (("rotary", "rotary"), (" score", "rotary score")):
        page.keyboard.type(typed, delay=20)
        page.wait_for_selector(f".search-said:has-text('“{asked}”')")
    assert page.locator(".search-found > li > a").first.get_attribute("href") == "08_rotary.html"
    assert page.evaluate("heard") == []  # it would talk into the typing
    page.wait_for_function("heard.length > 0")
    page.wait_for_timeout(300)
    assert page.evaluate("heard") == [page.inner_text(".search-said")]
    assert page.evaluate("document.activeElement.matches('.bd-search-container input')")
    page.locator(".search-found > li > a").first.click()
    page.go_back()  # to what was found
    page.wait_for_selector(".search-said:has-text('“rotary score”')")
    page.go_back()  # and to where the reader came from
    page.wait_for_url("**/index.html")


@pytest.mark.parametrize("width", [1280, 375])
def test_the_search_above_a_page_shows_what_is_found_as_one_types(open_page, width):
    page = open_page("00_start_here.html", width=width, height=720)
    page.keyboard.press("Control+k")
    page.wait_for_selector("#pst-search-dialog[open]")
    page.keyboard.type("softmax", delay=20)
    page.wait_for_selector(".search-typed .search-said:has-text('pages for “softmax”')")
    assert page.locator(".search-typed .search-word a").first.inner_text() == "softmax"
    page.wait_for_selector(".search-typed [role=status]:has-text('pages for “softmax”')", state="attached")
    dialog, field = page.locator("#pst-search-dialog"), page.locator("#pst-search-dialog input")
    top = field.bounding_box()["y"]
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('.search-typed a')")
    page.locator(".search-typed a").last.focus()  # what is found scrolls, and the field stays
    assert field.bounding_box()["y"] == top and dialog.bounding_box()["height"] <= 0.75 * 720 + 1
    assert page.locator(".search-typed").bounding_box()["y"] <= top + field.bounding_box()["height"] + 2
    margin = "part => getComputedStyle(part).marginTop"
    for part in (".search-typed", ".search-typed > div"):  # no text of the page shows between
        assert page.locator(part).evaluate(margin) == "0px"
    field.focus()
    rings = "part => [...getComputedStyle(part).boxShadow.matchAll(/rgb/g)].length"
    form, outline = page.locator("#pst-search-dialog form"), "part => getComputedStyle(part).outlineStyle"
    assert form.evaluate(outline) == "solid" and form.evaluate(rings) == 0  # one frame, around the keys, too
    assert field.evaluate(outline) == "none"
    inks = "part => ['color', 'backgroundColor'].map(name => getComputedStyle(part)[name].match(/\\d+/g))"
    (ink, _), (_, ground) = (
        page.locator(part).last.evaluate(inks)
        for part in ("#pst-search-dialog .search-button__kbd-shortcut", "#pst-search-dialog form")
    )
    assert contrast(*([int(each) / 255 for each in colour[:3]] for colour in (ink, ground))) > 4.5
    page.locator(".search-typed a[href^='00_start_here.html']:not([href$='html'])").first.click()  # here
    page.wait_for_url(re.compile("00_start_here.html.*#"))
    page.wait_for_selector("#pst-search-dialog:not([open])", state="attached")
    page.wait_for_selector(".search-typed", state="attached")  # its script is there
    page.keyboard.press("Control+k")
    page.keyboard.type("softmax")
    page.keyboard.press("Enter")  # all of it
    page.wait_for_url("**/search.html?q=softmax")
    page.wait_for_selector("#search-results .search-said:has-text('pages for “softmax”')")


def test_the_newest_question_wins_also_where_the_index_comes_late(open_page, address):
    page = open_page("index.html")
    late = []
    page.route("**/search.json", lambda route: late.append(route))
    page.goto(f"{address}/search.html?q=mask")
    page.fill(".bd-search-container input", "rotary")
    page.wait_for_url("**/search.html?q=rotary")
    page.wait_for_timeout(200)
    (route,) = late
    route.continue_()
    page.wait_for_selector(".search-said")
    page.wait_for_timeout(200)
    assert page.locator(".search-said").all_inner_texts() == [
        page.inner_text("#search-results [role=status] + div > p")
    ]
    assert "“rotary”" in page.inner_text(".search-said")
    page.fill(".bd-search-container input", "")
    page.wait_for_selector(".search-said", state="detached")
    assert page.url.endswith("/search.html")


def test_what_is_optional_stands_below_the_path_and_a_snippet_ends_where_a_sentence_or_a_word_does(open_page):
    page = open_page("search.html")
    index = page.evaluate("async () => (await (await fetch('search.json')).json()).pages")
    asides = {
        f"{each['page']}.html#{section[0]}"
        for each in index
        for section in each["sections"]
        if section[3] or section[0] in ("sources", "exercises")
    }
    assert "02_angle_rates.html#the-bases-of-real-models" in asides
    assert not [
        text for each in index for _, _, texts, *_ in each["sections"] for text in texts if "$" in text
    ]
    listed = "all => all.map(link => link.getAttribute('href').replace('?open', '').split(':~:')[0])"
    for asked in ("head", "mask", "what is positional encoding", "rotary"):
        page = searched(open_page, asked)
        order = []
        for item in page.locator(".search-found > li").all():
            found = [link in asides for link in item.locator(".search-part").evaluate_all(listed)]
            assert found == sorted(found) or len(asked.split()) > 1  # one of its words the path may lack
            order.append(bool(found) and all(found) and item.locator("p").count() == len(found))
        is_sorted = order[:-1] == sorted(order[:-1])  # the last is for who teaches
        assert not order[0] and (is_sorted or len(asked.split()) > 1), asked
        for text in page.locator(".search-found p").all_inner_texts():
            assert not re.search(r"\b(So|and|at)$|\([^)]* …$", text), text


def searched(open_page, question):
    page = open_page(f"search.html?q={question}")
    page.wait_for_selector("#search-results .search-said")
    return page


FIND = """async ([index, query]) => {
    const { find } = await import(new URL('_static/search.js', document.baseURI))
    return find(index, query, []).map(({ page, sections }) => [page, ...sections.map(each => each.id)])
}"""


def section(name, *texts, optional=False, cells=()):
    return [name, name, list(texts), optional, list(cells)]


def test_a_page_that_says_two_words_far_apart_is_found_only_where_none_says_them_together(open_page):
    page = open_page("search.html")

    index = [
        {"page": "01", "title": "one", "sections": [section("a", "left left left left left", "left left")]},
        {"page": "02", "title": "two", "sections": [section("b", "hands and clocks, on the left; padding")]},
        {"page": "03", "title": "three", "sections": [section("c", "words, words, words")]},
    ]
    index[0]["sections"].append(section("d", "padding padding padding", optional=True))
    assert page.evaluate(FIND, [index, "left padding"]) == [["02", "b"]]
    assert page.evaluate(FIND, [[index[0], index[2]], "left padding"]) == [["01", "a", "d"]]
    assert page.evaluate(FIND, [index, "padding"]) == [["02", "b"], ["01", "d"]]
    assert page.evaluate(FIND, [index, "left"])[0] == ["01", "a"]
    long = [index[1], index[0], index[2]]
    assert page.evaluate(FIND, [long, "hands left clocks"]) == [["02", "b"], ["01", "a"]]  # others may answer


def test_a_search_says_where_no_page_has_all_words_near_each_other(open_page):
    page = searched(open_page, "lost in the middle")
    said = page.inner_text(".search-said")
    assert re.match(r"\d+ pages for some words of “lost in the middle”", said), said
    assert "some words" not in searched(open_page, "left padding").inner_text(".search-said")
    found = searched(open_page, "why is rope better than adding").locator(".search-found > li > a")
    assert "08 · Rotary" in " ".join(found.all_inner_texts())


def test_a_question_in_the_words_of_others_shows_the_course_s_words_and_where_they_are_explained(open_page):
    asked = {
        "why do we divide by sqrt d": ("score", "00_start_here.html#three-words-by-hand"),
        "relative position": ("offset", "09_relative_bias.html#must-anything-turn"),
        "frequency": ("rate", "01_formula.html#one-clock"),
        "KV cache": ("cache", "13_decoding.html#what-may-be-kept"),
        "self-attention": ("attention", "00_start_here.html#three-words-by-hand"),
    }
    for question, (word, place) in asked.items():
        page = searched(open_page, question)
        assert page.locator(".search-word > a").first.inner_text() == word
        first = page.locator(".search-found > li").first
        led = first.locator(".search-part").first.get_attribute("href")
        assert led.replace("?open", "").startswith(place)
        assert len(first.locator("p").first.inner_text().split()) > 10
        assert re.match(r"(One page|\d+ pages) for “", page.inner_text(".search-said"))


LINES = """words => {  // of a text on the page: where it stands on the screen, or null
    const walker = document.createTreeWalker(document.querySelector('article'), NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
        const at = walker.currentNode.data.indexOf(words)
        if (at < 0) continue
        const range = document.createRange()
        range.setStart(walker.currentNode, at)
        range.setEnd(walker.currentNode, at + words.length)
        const { top, bottom } = range.getBoundingClientRect()
        return [top, bottom]
    }
    return null
}"""


@pytest.mark.parametrize("width", [1280, 375])
@pytest.mark.parametrize(
    ("asked", "place", "words"),
    [
        ("loudness", "give-every-word-a-place", "loudness"),
        ("causal mask", "reading-from-left-to-right-the-causal-mask", "Models that write text"),
    ],
)
def test_a_result_leads_to_the_sentence_that_it_shows_also_behind_a_door(
    open_page, asked, place, words, width
):
    page = open_page(f"search.html?q={asked}", width=width, height=720, asks=True)
    page.click(f".search-part[href*='#{place}']")
    page.wait_for_url(re.compile("00_start_here.html.*#"))
    page.wait_for_load_state("load")
    page.wait_for_timeout(500)
    top, bottom = page.evaluate(LINES, words)
    assert 300 < top < bottom < 520  # where the eye is, and not only below the heading
    assert page.evaluate("location.hash") == f"#{place}"  # what the page's scripts read


def test_a_result_on_the_page_itself_leads_to_its_sentence_too(open_page):
    page = open_page("00_start_here.html?open#sources", height=720)
    page.wait_for_selector(".search-typed", state="attached")
    page.keyboard.press("Control+k")
    page.keyboard.type("loudness")
    page.locator(".search-typed a[href^='00_start_here.html'][href*='#give-every']").click()
    page.wait_for_function("location.hash === '#give-every-word-a-place'")
    page.wait_for_timeout(500)
    top, bottom = page.evaluate(LINES, "loudness")
    assert 300 < top < bottom < 520


def test_a_result_opens_an_answer_only_where_its_words_wait_for_it(open_page):
    page = open_page("search.html?q=loudness", asks=True)
    page.click(".search-part[href*='#give-every']")  # said before the question
    page.wait_for_url(re.compile("00_start_here.html#"))
    form = page.locator("#give-every-word-a-place form.prediction")
    form.wait_for()
    page.goto(page.url.rpartition("/")[0] + "/search.html?q=seven tenths")
    page.click(".search-part[href*='#give-every']")
    page.wait_for_url("**/00_start_here.html?open#*")
    page.locator("#give-every-word-a-place .prediction-right").wait_for()
    assert not form.is_visible()


def test_a_word_of_the_course_is_shown_where_it_is_asked_for_and_examples_where_nothing_is(open_page):
    page = searched(open_page, "how long texts can a model read")
    assert page.locator(".search-word").count() == 0  # "network" is called model, too
    assert searched(open_page, "model").locator(".search-word > a").first.inner_text() == "network"
    page = open_page("00_start_here.html")
    page.keyboard.press("Control+k")
    examples = page.locator(".search-typed .search-examples a")
    examples.first.wait_for()
    assert examples.count() == 3
    asked = examples.first.inner_text()
    examples.first.click()
    page.wait_for_selector(f".search-said:has-text('“{asked}”')")


PHRASES = """async texts => {
    const { find, addressOf } = await import(new URL('_static/search.js', document.baseURI))
    const sections = texts.map((text, n) => [`s${n}`, 'heading', [text], false, []])
    const found = find([{ page: '01', title: 'one', sections }], 'padding', [])
    const phrases = Object.fromEntries(found[0].sections.map(({ id, phrase }) => [id, phrase]))
    return texts.map((_, n) => addressOf('01', `s${n}`, phrases[`s${n}`]))
}"""


def test_the_words_that_a_result_leads_to_are_no_formula_s_and_stand_once_on_the_page(open_page):
    page = open_page("search.html")
    texts = ["With 2 cos ω_i k left-hand padding, and more of Q x.", "Is padding 2 or k here?"]
    led = "01.html#s0:~:text=left%2Dhand%20padding%2C%20and%20more%20of"
    assert page.evaluate(PHRASES, texts) == [led, "01.html#s1"]
    twice = ["Now the padding is here.", "Now the padding is here."]
    assert page.evaluate(PHRASES, twice) == ["01.html#s0", "01.html#s1"]
    page.evaluate("delete Document.prototype.fragmentDirective")  # an older browser
    assert page.evaluate(PHRASES, texts) == ["01.html#s0", "01.html#s1"]


def test_words_are_near_each_other_in_neighbouring_sentences_and_below_their_heading(open_page):
    page = open_page("search.html")
    sections = [
        section("neighbours", "It stands on the left.", "That is padding."),
        section("far", "It stands on the left. It waits. It waits. That is padding."),
        section("cells", "It waits.", cells=["left", "padding"]),
        section("left", "It waits. That is padding."),
    ]
    index = [{"page": each[0], "title": "all", "sections": [each]} for each in sections]
    found = page.evaluate(FIND, [index, "left padding"])
    assert {name for name, _ in found} == {"neighbours", "left"}


def test_shift_matrix_is_not_found_in_a_list_that_says_matrix(open_page):
    shown = searched(open_page, "shift matrix").locator(".search-found > li")
    assert shown.first.inner_text().startswith("05 · ")
    assert not shown.filter(has_text="What does the matrix look like?").count()


def test_what_names_papers_stands_last_of_a_page_s_places(open_page):
    last = 0
    for asked in ("RoPE", "GloVe", "YaRN", "softmax"):
        for item in searched(open_page, asked).locator(".search-found > li").all():
            found = item.locator(".search-part").all_inner_texts()
            assert "Sources" not in found[:-1], (asked, found)
            last += found[1:][-1:] == ["Sources"]
    assert last


def test_small_words_of_a_question_count_only_where_it_has_no_others(open_page):
    page = searched(open_page, "what is softmax")
    marked = page.locator("#search-results mark").all_inner_texts()
    assert marked and all("softmax" in text.lower() for text in marked)
    pages = (
        "() => [...document.querySelectorAll('.search-found > li > a:first-child')].map(a => a.textContent)"
    )
    found = page.evaluate(pages)
    assert found[-1] == "Teaching with the course" and len(found) > 2
    assert searched(open_page, "softmax").evaluate(pages) == found
    small = searched(open_page, "what is").locator("#search-results mark").all_inner_texts()
    assert any(text.lower() == "what" for text in small)


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("rotery", "rotary"),
        ("Permutaton", "permutation"),
        ("left pading", "left padding"),
        ("maks", "mask"),  # as near to "makes", which is no word of the course
        ("zebra", "zebra"),
    ],
)
def test_a_misspelt_word_finds_what_it_means_and_the_page_says_so(open_page, asked, meant):
    page = searched(open_page, asked)
    said = page.inner_text("#search-results [role=status]")
    assert f"for “{meant}”" in said and (f"none says “{asked}”" in said) == (meant != asked)
    if meant != asked:
        links = "all => all.map(link => link.getAttribute('href'))"
        first = [
            page.eval_on_selector_all(".search-found a", links),
            searched(open_page, meant).eval_on_selector_all(".search-found a", links),
        ]
        assert first[0] == first[1] != []
    assert page.input_value(".bd-search-container input") == asked


@pytest.mark.parametrize(
    ("asked", "here", "name", "page_name"),
    [
        ("rotary embedding", "rotary encoding", "rotary encoding", "08_rotary"),
        ("Rotary embeddings", "rotary encoding", "rotary encoding", "08_rotary"),
        ("rotery embeding", "rotary encoding", "rotary encoding", "08_rotary"),
        ("positional embeddings", "positional encoding", "encoding", "01_formula"),
        ("what is a position embedding", "what is a positional encoding", "encoding", "01_formula"),
        ("sinusoidal embedding", "sinusoidal encoding", "sinusoidal encoding", "01_formula"),
    ],
)
def test_what_others_call_an_embedding_is_found_as_an_encoding(open_page, asked, here, name, page_name):
    page = searched(open_page, asked)
    assert f"here “{here}”" in page.inner_text("#search-results [role=status]")
    assert page.locator(".search-word > a").first.inner_text() == name
    first = page.locator(".search-found > li > a").first
    assert first.get_attribute("href") == f"{page_name}.html"
    assert page.input_value(".bd-search-container input") == asked
    matrix = searched(open_page, "embedding matrix")  # it keeps its name
    assert "here" not in matrix.inner_text("#search-results [role=status]")


def test_the_section_that_explains_a_word_stands_before_the_mistake_that_is_made_with_it(open_page):
    first = searched(open_page, "softmax").locator(".search-found > li").first
    assert first.locator(".search-part").all_inner_texts()[0] == "1. Three words, by hand"
    assert "that’s softmax" in first.locator("p").first.inner_text()


def test_a_snippet_is_sentences_and_has_the_words_that_stand_together(open_page):
    page = open_page("search.html")
    index = page.evaluate("async () => (await (await fetch('search.json')).json()).pages")
    shown = [text for each in index for _, _, texts, *_ in each["sections"] for text in texts]
    assert not {"Solution", "Llama 3.1"} & {*shown}
    assert min(len(text.split()) for text in shown) >= 4 and len(shown) > 1000
    texts = [
        "Left of the line stand keys. They wait.",
        "A short text is filled up. On the left is padding. Yes.",
    ]
    one = {"page": "01", "title": "one", "sections": [["a", "a", texts, False, ["left padding left"]]]}
    ask = """async index => {
        const { find } = await import(new URL('_static/search.js', document.baseURI))
        return find(index, 'left padding', [])[0].sections[0].text
    }"""
    assert "On the left is padding." in page.evaluate(ask, [one])


def test_the_page_of_the_search_offers_questions_that_are_answered(open_page):
    page = open_page("search.html")
    links = page.locator("#search-results a")
    asked = links.all_inner_texts()
    assert len(asked) > 3
    links.first.click()
    page.wait_for_selector(f".search-said:has-text('“{asked[0]}”')")
    for question in asked:
        assert searched(open_page, question).locator(".search-found > li").count(), question
    page.fill(".bd-search-container input", "")
    page.wait_for_selector(".search-said", state="detached")
    assert links.all_inner_texts() == asked


def test_an_index_of_a_formula_is_set_low_and_code_stays_as_it_is(open_page):
    found = searched(open_page, "query matrix").locator(".search-found")
    assert "q" in found.locator("sub").all_inner_texts() and "W_q" not in found.inner_text()
    assert "d_model" in searched(open_page, "context smallest_base").inner_text(".search-found")


def test_a_power_is_set_high_and_a_minus_is_no_hyphen(open_page):
    (power,) = searched(open_page, "why 10000").locator(".search-word sup").all_inner_texts()
    assert power == "−2i/d"
    powers = searched(open_page, "63/64").locator(".search-found sup").all_inner_texts()
    assert "6 · 63/64" in powers  # with spaces, too


def test_what_a_colon_announces_is_not_shown_so_no_snippet_ends_on_one(open_page):
    said = searched(open_page, "shift matrix").locator(".search-found p").all_inner_texts()
    assert not [text for text in said if re.search(r":( …)?$", text)]
    assert any("zeros elsewhere …" in text for text in said)


def test_what_stands_nowhere_is_not_answered_with_a_form_of_another_word(open_page):
    page = searched(open_page, "residual stream")
    assert page.inner_text(".search-said") == "No pages for “residual stream”; none says “residual”"
    assert not page.locator(":is(.search-word, .search-found)").first.is_visible()
    assert searched(open_page, "residual padding").locator(".search-found > li").count()
    assert searched(open_page, "permutat equivar").locator(".search-found > li").count()  # both are begun
    asked = searched(open_page, "perplexity")
    assert "for “perplexity”, here “loss”" in asked.inner_text(".search-said")


def test_what_is_asked_in_other_words_is_told_by_the_word_of_the_course_that_explains_it(open_page):
    told = {
        "where do the positions go in a picture": "axial rotary encoding",
        "absolute positions": "sinusoidal encoding",
        "perplexity": "loss",
        "left padding": "padding",
    }
    for asked, name in told.items():
        assert searched(open_page, asked).locator(".search-word > a").first.inner_text() == name


def test_a_line_that_only_leads_on_is_not_found(open_page):
    page = open_page("search.html")
    index = page.evaluate("async () => (await (await fetch('search.json')).json()).pages")
    found = [text for each in index for _, _, texts, *_ in each["sections"] for text in texts]
    assert found and not [text for text in found if text.startswith("Next:")]


def test_the_page_of_the_search_waits_for_a_question(open_page):
    page = open_page("search.html")
    page.wait_for_function("document.activeElement.matches('.bd-search-container input')")
    page.keyboard.type("YaRN")
    page.keyboard.press("Enter")
    page.wait_for_selector("#search-results [role=status]:has-text('“YaRN”')")
    assert page.evaluate("document.activeElement === document.body")  # results are read, not overwritten


@pytest.mark.parametrize("number", ["10000", "10,000", "ten thousand"])
def test_a_number_is_found_however_it_is_written_first_in_the_opening(open_page, number):
    page = searched(open_page, f"why {number}")
    found = page.locator(".search-found > li").first
    assert "The paper takes ten thousand and gives no reason" in found.locator("p").first.inner_text()
    assert "ten thousand" in found.locator("p").first.locator("mark").all_inner_texts()
    marked = page.locator(".search-found mark").all_inner_texts()
    assert "10,000" in marked and not any("1000000" in text.replace(",", "") for text in marked)
    assert not any(text[-1] in ".,;" for text in marked)


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("what is softmax", "softmax"),
        ("RoPE", "rotary encoding"),
        ("queries", "query"),
        ("why 10000", "base"),
        ("head", "head"),
        ("sinusoidal", "sinusoidal encoding"),
        ("clock", "hand"),
        ("permutation invariant", "permutation-equivariant"),
        ("learned position embeddings", "learned positions"),
        ("model", "network"),
    ],
)
def test_a_word_of_the_course_stands_before_the_pages(open_page, asked, name):
    page = searched(open_page, asked)
    term = next(term for term in site_glossary.terms() if term.name == name)
    first = page.locator("#search-results :is(.search-word, .search-found > li)").first
    powers = re.sub(r"\^\(([^()]*)\)", r"\1", term.plain)  # they are set high
    assert first.locator("p").inner_text() == powers
    first.locator("a").click()
    page.wait_for_url(f"**/glossary.html#{term.place}")
    assert page.locator(f"#{term.place}").count() == 1
    bars = "all => all.filter(it => getComputedStyle(it).backgroundImage !== 'none').length"
    assert page.eval_on_selector_all("dt", bars) == 1  # in one piece, from the word to the end of its text
    assert page.eval_on_selector_all("dd", "all => Math.max(...all.map(it => it.clientLeft))") == 0
    page.set_viewport_size({"width": 375, "height": 720})
    border = "all => all.map(it => parseFloat(getComputedStyle(it).borderLeftWidth)).filter(Boolean).length"
    assert page.eval_on_selector_all("dt", border) == page.eval_on_selector_all("dd", border) == 1


def test_a_figure_whose_recording_did_not_come_can_be_asked_for_again(browser, address):
    with contextlib.closing(browser.new_context()) as context:
        context.route("**/*.bin", lambda route: route.abort())
        page = context.new_page()
        page.goto(f"{address}/09_relative_bias.html#figure-1")
        again = page.locator("[role=alert] button").first
        assert page.is_visible("#figure-1 img")  # the still stays
        context.unroute("**/*.bin")
        again.click()
        page.wait_for_selector(f"#figure-1 {DRAWN}")
        assert not page.locator("#figure-1 [role=alert]:visible").count()


def test_a_page_is_light_before_its_figures(open_page, address):
    page = open_page("index.html")
    page.wait_for_load_state("networkidle")
    assert weight(page) < 1e6
    for name in ONLY or EVERY:
        page.goto(f"{address}/{name}.html")
        page.wait_for_load_state("networkidle")
        assert page.query_selector(".katex") and weight(page) < 1.5e6, name


SECTIONS = """() => {  // the entry that is marked, and the section that the screen shows
    const marked = [...document.querySelectorAll('#pst-page-toc-nav [aria-current]')]
    const headings = [...document.querySelectorAll('article section :is(h2, h3)')]
    const { bottom } = document.querySelector('.bd-article').getBoundingClientRect()
    const isEnd = scrollY > 0 && bottom <= innerHeight
    const least = (isEnd ? 1 : 0.3) * innerHeight
    const passed = each => each.checkVisibility() && each.getBoundingClientRect().top <= least
    return [marked, headings.filter(passed).slice(-1)].map(found =>
        found.map(each => each.textContent.replace('#', '').trim()))
}"""


def test_the_contents_mark_the_section_that_is_read(open_page):
    page = open_page("00_start_here.html", asks=True)
    page.wait_for_load_state("networkidle")
    is_right = f"() => {{ const [marked, shown] = ({SECTIONS})(); return marked.join() === shown.join() }}"
    found = []
    for place in (300, 2000, 4000, 3000, 6000, 5000, 2500, 10**6, 0):  # also back into long sections
        page.evaluate("top => scrollTo({ top, behavior: 'instant' })", place)
        page.wait_for_function(is_right)
        found.append(page.evaluate(SECTIONS)[1])
    assert found[-2:] == [["Sources"], []] and len({each[0] for each in found[:-1]}) > 4
    page.evaluate("scrollTo({ top: 2500, behavior: 'instant' })")
    height = "document.documentElement.scrollHeight"
    before = page.evaluate(height)
    while (buttons := page.locator("button:text-is('Go on without') >> visible=true")).count():
        buttons.first.click()  # what stood below is further down now
        page.wait_for_function(is_right)
    assert page.evaluate(height) > before + 2000
    page.click("#pst-page-toc-nav a[href='#sources']")  # too near the end to come to the top
    page.wait_for_function(f"({SECTIONS})()[0].join() === 'Sources'")


def test_the_marked_entry_of_long_contents_is_in_sight(open_page):
    page = open_page("00_start_here.html", height=720)
    page.wait_for_load_state("networkidle")
    page.evaluate("document.querySelectorAll('.door').forEach(door => (door.open = true))")
    is_seen = """part => {
        const list = document.querySelector('.bd-sidebar-secondary')
        const entry = list.querySelector('a.active')
        if (!entry?.hash.includes(part)) return false
        const [{ top, bottom }, box] = [list.getBoundingClientRect(), entry.getBoundingClientRect()]
        return box.top >= top && box.bottom <= bottom
    }"""
    for part in ("positions-in-a-batch", "three-words"):  # the last one is at the end of the list
        page.evaluate("part => document.querySelector(`section[id*='${part}']`).scrollIntoView()", part)
        page.wait_for_function(is_seen, arg=part)


def test_a_finger_on_a_still_picture_stays_on_the_page(open_page):
    page = open_page("00_start_here.html", width=375, height=667, has_touch=True, is_mobile=True)
    picture = page.locator("a:has(> picture > source) img").first
    picture.scroll_into_view_if_needed()
    box, address = picture.bounding_box(), page.url
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_timeout(300)
    assert page.url == address


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_picture_opens_above_the_page_and_escape_leads_back_to_it(open_page, scheme):
    page = open_page("00_start_here.html", width=1000, height=500, color_scheme=scheme)
    link, address = page.locator("a:has(> picture)").first, page.url
    shown, dialog = link.locator("img"), page.get_by_role("dialog", name="Picture, large")
    link.focus()
    page.keyboard.press("Enter")
    picture = dialog.get_by_role("img", name=shown.get_attribute("alt"))
    width = picture.evaluate("e => e.decode().then(() => e.clientWidth)")
    assert shown.bounding_box()["width"] * 1.1 < width < picture.evaluate("e => e.naturalWidth")  # and sharp
    filters = "e => getComputedStyle(e).filter"
    assert picture.evaluate(filters) == shown.evaluate(filters)
    assert dialog.bounding_box()["height"] <= 500 and page.url == address
    page.keyboard.press("Tab")
    assert dialog.get_by_role("button").evaluate("button => button === document.activeElement")
    page.keyboard.press("Escape")
    assert not dialog.count() and link.evaluate("link => link === document.activeElement")
    for leads_back in ("button", "img"):
        link.locator("img").click()
        dialog.locator(leads_back).click()
        assert not dialog.count()


def test_a_menu_of_sentences_shows_a_whole_one(open_page):
    page = open_page("07_words_and_positions.html")
    (figure,) = live_figures(page)
    menu = figure.query_selector("select")
    letters = """menu => {
        const pen = document.createElement('canvas').getContext('2d')
        pen.font = getComputedStyle(menu).font
        return pen.measureText(menu.selectedOptions[0].textContent).width
    }"""
    assert menu.bounding_box()["width"] > menu.evaluate(letters) + 20
    menu.select_option(index=1)
    figure.query_selector("text=1 : 10").click()
    assert menu.evaluate("menu => menu.value") == "1"  # a ratio leaves the sentence
    assert "Shuffled: prince man princess " in reader.state(figure)[1]


def test_a_formula_that_cannot_be_set_stops_the_making_of_the_site():
    (fine,) = site_pages.set_formulas([("(", r"\cos 60°")])
    assert "<math" in fine
    with pytest.raises(SystemExit, match="nocommand"):
        site_pages.set_formulas([("(", r"\nocommand{2}")])


def test_on_a_phone_buttons_stand_above_the_picture_and_its_caption_below(open_page):
    page = open_page("07_words_and_positions.html", width=375, height=667, has_touch=True, is_mobile=True)
    (figure,) = live_figures(page)
    parts = [figure.query_selector_all(part) for part in (".live-control", "canvas", ".live-tour")]
    rows, (canvas,), (tour,) = [[part.bounding_box() for part in found] for found in parts]
    caption = figure.query_selector(".live-caption").bounding_box()
    tops = [*(row["y"] for row in rows), tour["y"], canvas["y"], caption["y"]]
    assert tops == sorted(tops) and canvas["y"] - tour["y"] - tour["height"] < 20
    button = figure.query_selector("text=1 : 10")
    button.scroll_into_view_if_needed()
    button.evaluate("button => scrollBy(0, button.getBoundingClientRect().top - 100)")
    button.tap()
    assert figure.query_selector("canvas").bounding_box()["y"] < 300  # its effect is seen
    page.evaluate("scrollBy(0, 250)")
    page.wait_for_selector(".controls-passed")  # a frame later, on a busy machine two
    head = page.locator(".bd-header-article").bounding_box()
    assert 0 <= button.bounding_box()["y"] - head["y"] - head["height"] < 60  # it stays in reach
    page.evaluate("scrollBy(0, -250)")
    figure.eval_on_selector("canvas", "canvas => scrollBy(0, canvas.getBoundingClientRect().bottom - 700)")
    caption = figure.query_selector(".live-caption")
    box = caption.bounding_box()  # the picture ends below the screen
    assert box["y"] > 400 and box["y"] + box["height"] <= 667
    slider = figure.query_selector("input[type=range]")
    slider.focus()
    figure.evaluate(PAST)
    page.wait_for_selector(".controls-passed")
    edge = "e => getComputedStyle(e).boxShadow"
    above, below = (part.evaluate(edge) for part in (slider.query_selector("xpath=../.."), caption))
    assert len(re.findall(r"rgba?\(", above)) >= 2  # what goes by ends at a line
    assert re.search(r"0px -1px 0px 0px", below)  # and where it goes on


PHONE = {"width": 375, "height": 812, "has_touch": True, "is_mobile": True}
TO_TOP = """figure => {  // its first slider below the page's head
    const head = document.querySelector('.bd-header-article').getBoundingClientRect().bottom
    scrollBy(0, figure.querySelector('.live-control').getBoundingClientRect().top - head - 4)
}"""


def test_who_reads_down_a_picture_as_high_as_a_phone_keeps_its_first_slider(open_page):
    page = open_page("09_relative_bias.html", width=375, height=560, has_touch=True, is_mobile=True)
    (figure,) = live_figures(page)
    assert figure.query_selector("canvas").bounding_box()["height"] > 560
    page.evaluate("document.activeElement.blur()")
    figure.eval_on_selector("canvas", "canvas => scrollBy(0, canvas.getBoundingClientRect().top + 250)")
    page.wait_for_selector(".picture-high.controls-passed")
    head = page.locator(".bd-header-article").bounding_box()
    rows = [row.bounding_box() for row in figure.query_selector_all(".live-control:has(input[type=range])")]
    below = [row["y"] - head["y"] - head["height"] for row in rows]
    assert 0 <= below[0] < 20 and max(below[1:]) < 0  # the others have left the screen
    lower = open_page("00_start_here.html", width=375, height=667, has_touch=True, is_mobile=True)
    figure, *_ = live_figures(lower)
    figure.eval_on_selector("canvas", "canvas => scrollBy(0, canvas.getBoundingClientRect().top + 50)")
    lower.wait_for_selector(".controls-passed")
    assert figure.query_selector("input").bounding_box()["y"] < 0


def test_a_button_that_the_words_name_is_pointed_out_and_pressed_there(open_page):
    page = open_page("00_start_here.html", width=1280, height=720)
    figure, *_ = live_figures(page)
    name = page.locator("p em > button:visible", has_text="the object")
    name.scroll_into_view_if_needed()
    button = figure.query_selector(".live-tour button:text-is('the object')")
    name.hover()
    assert button.evaluate("it => it.matches('.live-pointed')")
    name.evaluate("it => scrollBy(0, it.getBoundingClientRect().top - 100)")
    page.mouse.move(0, 0)
    assert not button.evaluate("it => it.matches('.live-pointed')")
    name.click()
    assert button.get_attribute("aria-pressed") == "true"
    canvas = figure.query_selector("canvas").bounding_box()
    head = page.locator(".bd-header-article").bounding_box()
    assert head["y"] + head["height"] <= canvas["y"] and canvas["y"] + canvas["height"] <= 720
    page.locator("p em > button:visible", has_text="no positions").focus()
    page.keyboard.press("Enter")
    button = figure.query_selector(".live-tour button:text-is('no positions')")
    assert button.get_attribute("aria-pressed") == "true"


@pytest.mark.parametrize("name", EVERY)
def test_below_its_title_a_page_says_which_it_is_and_what_it_needs(open_page, name):
    page = open_page(f"{name}.html", width=375, height=667, has_touch=True, is_mobile=True)
    facts = page.locator("h1 + p")
    assert re.match(rf"{name[:2]} · \d\d minutes, plus exercises · needs: \S", facts.inner_text())
    assert page.locator("article p", has_text="plus exercises").count() == 1
    box = facts.bounding_box()
    assert box["y"] + box["height"] < 400


PAST = """figure => {  // all its controls are behind the page's head
    const head = document.querySelector('.bd-header-article').getBoundingClientRect().bottom
    scrollBy(0, figure.querySelector('.live-stage').getBoundingClientRect().top - head + 20)
}"""
IN_VIEW = """figure => {  // of the picture, above the caption and below what is dragged: [pixels, of so many]
    const [canvas, caption, row] = ['canvas', '.live-caption', '.live-control:focus-within'].map(part =>
        figure.querySelector(part).getBoundingClientRect())
    const lowest = Math.min(canvas.bottom, caption.top, innerHeight)
    return [lowest - Math.max(canvas.top, row.bottom), canvas.height]
}"""


STAYS = """async figure => {  // scrolls past it in steps of 20 pixels, with the focus in each of its rows
    const frame = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))
    const rows = [...figure.querySelectorAll('.live-control, .live-tour')]
    const [head, stage] = [document.querySelector('.bd-header-article'), figure.querySelector('.live-stage')]
    const boxOf = part => part.getBoundingClientRect()
    const found = { covers: [], kept: 0, lost: 0 }
    for (const row of rows) {
        const from = scrollY + boxOf(figure).top - 100
        const to = scrollY + boxOf(figure).bottom
        row.querySelector('input, select, button').focus({ preventScroll: true })
        for (let y = from; y < to; y += 20) {
            scrollTo({ top: y, behavior: 'instant' })
            await frame()
            const [own, bar] = [boxOf(row), boxOf(head).bottom]
            const isUnder = other => boxOf(other).bottom > own.top - 4 && boxOf(other).top < own.bottom + 2
            const isKept = own.top >= bar - 1 && own.bottom <= boxOf(stage).bottom
            // where it stands in its place it has the distance of all
            const isMoved = own.bottom > boxOf(stage).top
            if (isMoved && rows.some(other => other !== row && isUnder(other)))
                found.covers.push([row.textContent, y])
            if (boxOf(stage).top <= bar && boxOf(stage).bottom > bar + 200) found[isKept ? 'kept' : 'lost']++
        }
    }
    return found
}"""


@pytest.mark.parametrize("name", NAMES[1:])
def test_on_a_phone_what_stays_in_reach_covers_no_other_control_wherever_the_page_is(open_page, name):
    page = open_page(f"{name}.html", **PHONE)
    for figure in live_figures(page):
        found = figure.evaluate(STAYS)
        assert found["covers"] == [] and found["lost"] == 0
        assert found["kept"] or figure.bounding_box()["height"] < 700


@pytest.mark.parametrize("name", NAMES[1:])
def test_a_figure_fits_a_screen_of_720_with_its_controls_and_its_caption(open_page, name):
    page = open_page(f"{name}.html", height=720)
    bar = page.locator(".bd-header-article").bounding_box()["height"]
    for figure in live_figures(page):
        assert figure.bounding_box()["height"] <= 720 - bar


@pytest.mark.parametrize("options", [PHONE, {"width": 1280, "height": 720}], ids=["phone", "desktop"])
def test_the_note_about_a_slider_stands_below_the_sliders_and_moves_no_picture(open_page, options):
    page = open_page("09_relative_bias.html", **options)
    (figure,) = live_figures(page)
    figure.eval_on_selector(".live-note", "note => note.hidden = false")  # this one lacks nothing
    place = figure.query_selector("canvas").bounding_box()
    said = "This page has no query’s place = 1,000,000 with this margin: it shows 1,000. The notebook has it."
    figure.eval_on_selector(".live-note", "(note, said) => note.append(said)", said)
    parts = [figure.query_selector_all(part) for part in (".live-control", ".live-note", ".live-tour")]
    rows, (note,), (tour,) = [[part.bounding_box() for part in found] for found in parts]
    assert max(row["y"] + row["height"] for row in rows) <= note["y"]
    assert note["y"] + note["height"] <= tour["y"] + tour["height"] + 1
    assert figure.query_selector("canvas").bounding_box() == place


@pytest.mark.parametrize("width", [1280, 375])
def test_a_button_that_leads_on_is_as_wide_for_every_name_and_moves_nothing(open_page, width):
    page = open_page("07_words_and_positions.html", width=width)
    (figure,) = live_figures(page)
    add = """tour => {
        const button = document.createElement('button')
        button.className = 'live-next'
        tour.insertBefore(button, tour.querySelector('.live-enlarge, [role=status]'))
    }"""
    figure.eval_on_selector(".live-tour", add)
    places = []
    for name in ("o3", "DeepSeek-V4-Flash", "a model with a name of forty-nine letters or more"):
        figure.eval_on_selector(".live-next", "(button, name) => button.textContent = `Next: ${name}`", name)
        parts = [figure.query_selector(part) for part in (".live-next", ".live-link", "canvas")]
        places.append([part.bounding_box() for part in parts])
    assert places[0] == places[1] == places[2] and places[0][0]["width"] <= width


@pytest.mark.parametrize("name", NAMES[1:])
def test_on_a_phone_a_slider_and_the_picture_that_it_moves_are_seen_together(open_page, name):
    page = open_page(f"{name}.html", **PHONE)
    finger = page.context.new_cdp_session(page)

    def touch(kind, *points):
        finger.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": [*points]})

    for figure in live_figures(page):
        caption = figure.query_selector(".live-caption")
        sliders = figure.query_selector_all("input[type=range]")
        boxes = [slider.bounding_box() for slider in sliders]
        assert all(box["height"] >= 44 for box in boxes)
        assert all(lower["y"] >= upper["y"] + 44 for upper, lower in itertools.pairwise(boxes))
        for slider in sliders:
            figure.evaluate(TO_TOP)
            box = slider.bounding_box()
            x, y = box["x"] + 22, box["y"] + 22
            touch("Start", {"x": x, "y": y})
            for far in range(10, 150, 20):
                touch("Move", {"x": x + far, "y": y})
            page.wait_for_function("slider => 'held' in slider.dataset", arg=slider)
            seen, whole = figure.evaluate(IN_VIEW)
            assert seen >= 300 or seen >= 0.6 * whole, slider.get_attribute("id")
            assert caption.evaluate("e => e.scrollHeight <= e.clientHeight + 1")  # all of it
            touch("End")
            page.wait_for_function("slider => !('held' in slider.dataset)", arg=slider)
            assert caption.evaluate("e => e.scrollHeight <= e.clientHeight + 1")  # all of it
            before = page.evaluate("scrollY")
            figure.evaluate(PAST)
            page.wait_for_timeout(300)  # it sticks, with its label, and the page's bar has gone
            head = page.locator(".bd-header-article").bounding_box()
            label = slider.query_selector("xpath=../..//label").bounding_box()
            assert label["y"] >= head["y"] + head["height"], slider.get_attribute("id")
            page.evaluate("before => scrollTo(0, before)", before)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_code_that_goes_on_to_the_right_has_a_shadow_there_until_its_end(open_page, scheme):
    options = {"has_touch": True, "is_mobile": True, "color_scheme": scheme}
    page = open_page("07_words_and_positions.html", width=667, height=375, **options)
    code = page.locator(".cell_input pre")
    wide = code.evaluate_all(
        "all => all.findIndex(it => it.checkVisibility() && it.scrollWidth > it.clientWidth)"
    )
    code = code.nth(wide)
    code.scroll_into_view_if_needed()

    def edge():  # how far the last columns differ from the ground, in an empty line
        picture = pixels(code.screenshot())[..., :3].astype(int)
        line = picture[8]  # above the first line of code
        return abs(line[-6:-2] - line[len(line) // 2]).max()

    assert edge() > 30
    code.evaluate("it => (it.scrollLeft = it.scrollWidth)")
    assert edge() < 6


def test_on_a_phone_a_long_line_of_code_goes_on_below_two_letters_further_in(open_page):
    """On paper and on wider pages it is as it was written; and it is copied so everywhere."""
    page, wide = open_page("00_start_here.html", **PHONE), open_page("00_start_here.html")
    code = ".bd-article :is(.cell_input, .highlight-python) pre"
    for fold in page, wide:
        fold.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    written = [
        each.locator(code).evaluate_all("all => all.map(it => it.textContent)") for each in (page, wide)
    ]
    assert written[0] == written[1] and len(written[0]) > 10
    # every letter that is measured with stands in the page at once: each change lays the page out anew
    edges = """lines => {
    lines = lines.filter(line => line.checkVisibility())
    const letters = lines.map(line => {
        const letter = document.createElement('span')
        letter.style.cssText = 'position: absolute; text-indent: 0; padding: 0'
        letter.textContent = '0'
        line.append(letter)
        return letter
    })
    const widths = letters.map(letter => letter.getBoundingClientRect().width)
    for (const letter of letters) letter.remove()
    return lines.map((line, n) => {
        const range = document.createRange()
        const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT)
        const lefts = new Map()  // {top of a line on the screen: where its first letter is}
        while (texts.nextNode())
            for (const { index } of texts.currentNode.data.matchAll(/\\S/g)) {
                range.setStart(texts.currentNode, index)
                range.setEnd(texts.currentNode, index + 1)
                const { left, bottom } = range.getBoundingClientRect()
                const top = Math.round(bottom / 6)
                lefts.set(top, Math.min(left, lefts.get(top) ?? Infinity))
            }
        const [first, ...others] = lefts.values()
        return others.map(left => (left - first) / widths[n])
    })}"""
    further = page.locator(f"{code} > .code-line").evaluate_all(edges)
    long = [each for each in further if each]
    # a word that has no room beside the spaces before it begins a row of its own, as far in
    hanging = [each for each in long if all(left == pytest.approx(2, abs=0.1) for left in each)]
    assert len(long) > 20 and len(hanging) >= 0.97 * len(long)
    assert all(left == pytest.approx(0, abs=0.1) for each in long if each not in hanging for left in each)
    cut = "all => all.filter(it => it.checkVisibility() && it.scrollWidth > it.clientWidth + 1).length"
    assert page.locator(code).evaluate_all(cut) == 0
    size = "it => parseFloat(getComputedStyle(it).fontSize)"
    assert page.locator(code).first.evaluate(size) >= 12.5
    page.emulate_media(media="print")
    assert page.locator(".code-line").first.evaluate("it => getComputedStyle(it).display") == "inline"
    assert wide.locator(".code-line").count() == 0
    assert wide.locator(code).first.evaluate("it => getComputedStyle(it).whiteSpace") == "pre"


ROWS = """line => {  // of each row of a line of code: [the two letters where it is parted, its lower edge]
    const range = document.createRange()
    const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT)
    const rows = []
    let [before, bottom] = ['', -Infinity]
    while (texts.nextNode())
        for (const { 0: letter, index } of texts.currentNode.data.matchAll(/./g)) {
            range.setStart(texts.currentNode, index)
            range.setEnd(texts.currentNode, index + 1)
            const box = range.getBoundingClientRect()
            if (letter.trim() && box.bottom > bottom + 6) {
                rows.push([before + letter, box.bottom])
                bottom = box.bottom
            }
            before = letter
        }
    return rows
}"""


def test_on_a_phone_no_name_in_code_is_parted_and_no_row_is_empty(open_page):
    page = open_page("00_start_here.html", **PHONE)
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    code = ".bd-article :is(.cell_input, .highlight-python) pre"
    told = "[it.textContent, it.getBoundingClientRect().top, parseFloat(getComputedStyle(it).lineHeight)"
    lines = page.locator(f"{code} > .code-line").evaluate_all(
        f"all => all.filter(it => it.checkVisibility()).map(it => {told}, ({ROWS})(it)])"
    )
    long = [line for line in lines if len(line[3]) > 1]
    assert len(long) > 20
    for text, top, height, rows in long:
        assert rows[0][1] - top < 1.2 * height, text  # it begins in its first row
        assert not [parted for parted, _ in rows[1:] if re.fullmatch(r"\w\w|-\d", parted)], text
    texts = [text for text, *_ in long]
    assert any("default_rng(0).permutation" in text for text in texts)
    assert any("changed.append(sum(abs(f(" in text for text in texts)
    assert any("1e-9" in text for text in texts)


def test_on_a_phone_a_comment_that_has_no_room_stands_below_its_line_with_its_sign(open_page):
    page = open_page("00_start_here.html", **PHONE)
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    places = """all => all.filter(it => it.checkVisibility() && it.textContent.startsWith('#')).map(it => {
        const range = document.createRange()
        const boxOf = (from, to) => {
            range.setStart(it.firstChild, from)
            range.setEnd(it.firstChild, to)
            return range.getBoundingClientRect()
        }
        const [sign, letter, all] = [boxOf(0, 1), boxOf(2, 3), it.getBoundingClientRect()]
        return [sign.left - all.left, letter.bottom - sign.bottom, all.height / sign.height]
    })"""
    told = page.locator(".bd-article .code-line .c1").evaluate_all(places)
    assert all(abs(left) < 1 and abs(below) < 1 for left, below, _ in told)
    assert sum(rows > 1.5 for *_, rows in told) > 3 and len(told) > 20


def test_on_a_phone_rows_of_a_table_whose_labels_may_have_several_lines_have_a_rule_between_them(open_page):
    rule = "all => all.map(row => parseFloat(getComputedStyle(row).borderTopWidth))"
    for options, width in ((PHONE, 1), ({}, 0)):
        rows = open_page("00_start_here.html", **options).locator(".cell_output tbody tr")
        assert rows.count() > 3 and set(rows.evaluate_all(rule)) == {width}


def test_a_short_name_and_a_pair_are_not_parted(open_page):
    page = open_page("00_start_here.html", **PHONE)
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    parts = "all => all.filter(it => it.checkVisibility()).map(it => it.getClientRects().length)"
    short = page.locator("#exercises p code", has_text="notices_order(layer, x)")
    assert short.count() and set(short.evaluate_all(parts)) == {1}
    assert "his key (2,\u00a00) is 2" in page.locator("article").evaluate("it => it.textContent")
    assert page.evaluate("document.documentElement.scrollWidth") == 375


def test_on_a_phone_each_line_of_an_answer_begins_below_the_first_and_all_are_as_far_apart(open_page):
    page = open_page("07_words_and_positions.html", width=375, height=667, has_touch=True, is_mobile=True)
    boxes = """all => all.filter(it => it.checkVisibility()).map(it => {
        const range = document.createRange()
        range.selectNodeContents(it)
        const lines = [...range.getClientRects()]
        return { left: new Set(lines.filter(it => it.width).map(it => Math.round(it.left))).size,
            lines: new Set(lines.map(it => Math.round(it.top))).size,
            above: range.getBoundingClientRect().top - it.getBoundingClientRect().top }
    })"""
    page.wait_for_selector(".prediction-answer > summary")
    plain = page.locator(".prediction-answer > summary:not(:has(*))")
    found = plain.evaluate_all(boxes)
    assert {each["lines"] for each in found} >= {1, 2} and {each["left"] for each in found} == {1}
    above = [each["above"] for each in found]
    assert max(above) - min(above) < 2 and min(above) > 8


def test_a_phone_has_the_pictures_of_the_page_on_slides_too(open_page):
    page = open_page("00_start_here_slides.html", width=375, height=667, has_touch=True, is_mobile=True)
    pictures = page.locator("section > picture > img")
    assert pictures.count() > 1
    sources = "all => all.map(it => it.currentSrc.split('/').pop())"
    page.wait_for_load_state("networkidle")
    assert all(name.endswith("-narrow.png") for name in pictures.evaluate_all(sources))
    page.set_viewport_size({"width": 812, "height": 375})
    page.wait_for_function(
        "[...document.querySelectorAll('section > picture > img')]"
        ".every(it => it.complete && it.currentSrc.endsWith('-slide.png'))"
    )


@pytest.mark.parametrize("name", ["index", "00_start_here"])
def test_on_a_phone_what_can_be_tapped_is_as_large_as_a_finger(open_page, name):
    page = open_page(f"{name}.html", width=375, height=667, has_touch=True, is_mobile=True, asks=True)
    page.wait_for_selector("form >> visible=true")
    tapped = "summary, button, label:has(input), .hero-button"
    targets = page.locator(f"article :is({tapped}), .bd-header-article :is(a, button), nav a")
    assert targets.locator("visible=true").count() >= 4  # of Start, Play, the menu, the scheme and the search
    for target in targets.locator("visible=true").all():
        assert target.bounding_box()["height"] >= 44, target.evaluate("e => e.outerHTML")


def test_a_phone_has_no_tooltips_and_keys_see_where_they_are(open_page):
    phone = open_page("07_words_and_positions.html", width=375, height=667, has_touch=True, is_mobile=True)
    button = phone.get_by_role("button", name="Contents of this page")
    phone.wait_for_selector(".secondary-toggle[aria-label]")  # its tooltip is ready
    button.hover()  # as a finger that came by
    phone.wait_for_selector(".tooltip", state="attached")
    assert not phone.is_visible(".tooltip")
    page = open_page("07_words_and_positions.html", width=1280, height=720)
    page.keyboard.press("Tab")
    page.focus(".primary-toggle")
    ring = "e => parseFloat(getComputedStyle(e).outlineWidth)"
    assert page.eval_on_selector(".primary-toggle", ring) >= 2


FOCUS = "document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText"


@pytest.mark.parametrize("width", [1000, 1280, 1440, 1600, 1920])
def test_a_page_whose_side_list_is_hidden_keeps_its_margin_and_the_focus_its_place(open_page, width):
    page = open_page("00_start_here.html", width=width)
    button, text = page.get_by_role("button", name="All notebooks"), page.locator(".bd-article h1").first
    page.keyboard.press("Tab")
    for is_shown in (False, True):
        button.press("Enter")
        page.wait_for_function("!document.getAnimations().length")
        assert page.locator("#pst-primary-sidebar").is_visible() == is_shown
        assert button.get_attribute("aria-expanded") == str(is_shown).lower()
        assert text.bounding_box()["x"] >= 32 and button.bounding_box()["x"] >= 16
        assert page.evaluate(FOCUS) == "All notebooks"


RING = """() => {
    const { outlineStyle, outlineWidth, outlineColor, boxShadow } = getComputedStyle(document.activeElement)
    return [outlineStyle, outlineWidth, outlineColor, boxShadow]
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_focus_has_one_frame_everywhere_that_can_be_seen(open_page, address, scheme):
    page = open_page("index.html", color_scheme=scheme)
    found = set()
    for name, stops in (("index", 12), ("00_start_here", 75), ("search", 4)):
        page.goto(f"{address}/{name}.html")
        page.wait_for_selector(f"html[data-theme={scheme}]")
        for _ in range(stops):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement !== document.body"):
                found.add(tuple(page.evaluate(RING)))
    ((style, width, colour, shadow),) = found
    assert (style, width, shadow) == ("solid", "3px", "none")
    for place in ("background", "surface"):
        ground = page.evaluate(GROUND, place)
        one, other = ([int(part) / 255 for part in re.findall(r"\d+", each)[:3]] for each in (colour, ground))
        assert contrast(one, other) > 3, place


def test_in_a_deck_too_the_focus_has_a_frame_that_can_be_seen(open_page):
    page = open_page("09_relative_bias_slides.html", height=720)
    found = set()
    for _ in range(8):
        page.keyboard.press("Tab")
        found.add(tuple(page.evaluate(RING)))
    ((style, width, colour, shadow),) = found
    assert (style, width, shadow) == ("solid", "3px", "none")
    assert contrast([int(part) / 255 for part in re.findall(r"\d+", colour)[:3]], (1, 1, 1)) > 3


GROUND = """place => {
    document.body.style.backgroundColor = `var(--pst-color-${place})`
    return getComputedStyle(document.body).backgroundColor
}"""


def test_a_ring_is_whole_and_covers_no_mark(open_page):
    page = open_page("00_start_here.html")
    (figure, *_) = live_figures(page)
    # How far each part reaches beyond what would cut its ring: the ring's width and its distance, or less.
    cut = """part => {
        const style = getComputedStyle(part)
        const reach = parseFloat(style.outlineOffset) + parseFloat(style.outlineWidth)
        const { left, top } = part.getBoundingClientRect()
        const cutting = []
        for (let outer = part.parentElement; outer !== document.body; outer = outer.parentElement) {
            const box = outer.getBoundingClientRect()
            const isCut = getComputedStyle(outer).overflowX !== 'visible'
            if (isCut && (left - reach < box.left || top - reach < box.top)) cutting.push(outer.className)
        }
        return [reach, cutting]
    }"""
    page.keyboard.press("Tab")  # by keys
    reset = figure.query_selector("text=reset")
    code = page.locator("details.hide > summary").nth(1).element_handle()
    for part in (reset, code):
        part.focus()
        reach, cutting = part.evaluate(cut)
        assert reach == 5 and not cutting  # 3 pixels wide, and 2 off


def test_a_choice_of_colours_by_key_gives_the_focus_back(open_page):
    page = open_page("00_start_here.html")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Color mode").press("Enter")
    page.locator(".theme-change-button[data-mode=dark]").press("Enter")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate(FOCUS) == "Color mode"


@pytest.mark.parametrize("name", ["00_start_here", "glossary", "index"])
def test_who_skips_to_the_main_content_is_in_the_text(open_page, name):
    page = open_page(f"{name}.html")
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUS) == "Skip to main content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.matches('article.bd-article h1')")
    assert page.evaluate(RING)[:2] == ["solid", "3px"]  # it is seen where one is
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('article.bd-article') !== null")
    assert page.evaluate("!document.activeElement.matches('h1, h1 *')")


def test_on_a_narrow_page_the_contents_lead_on_and_escape_leads_back_to_their_button(open_page):
    page = open_page("00_start_here.html", width=800)
    button = page.get_by_role("button", name="Contents of this page")
    page.keyboard.press("Tab")
    button.press("Enter")
    page.wait_for_function("document.querySelector('.secondary-toggle').ariaExpanded === 'true'")
    page.keyboard.press("Escape")
    page.wait_for_function(f"({FOCUS}) === 'Contents of this page'")
    page.wait_for_function("document.querySelector('.secondary-toggle').ariaExpanded === 'false'")
    button.press("Enter")
    entry = page.locator("#pst-secondary-sidebar-modal nav a", has_text="Give every word a place")
    entry.press("Enter")
    page.wait_for_function("document.activeElement === document.body")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('#give-every-word-a-place') !== null")


def test_on_a_phone_contents_that_were_chosen_from_leave_the_page_in_sight(open_page):
    page = open_page("00_start_here.html", width=375, height=812, has_touch=True, is_mobile=True)
    page.locator(".bd-main .secondary-toggle").tap()
    page.locator("#pst-secondary-sidebar-modal a", has_text="Give every word a place").tap()
    page.wait_for_function("!document.querySelector('#pst-secondary-sidebar-modal').open")
    page.wait_for_function(
        "Math.abs(document.querySelector('#give-every-word-a-place').getBoundingClientRect().top) < 150"
    )


def test_where_the_list_of_pages_is_folded_the_search_is_in_the_bar(open_page):
    page = open_page("00_start_here.html")
    button = page.locator(".article-header-buttons .search-button")
    assert not button.is_visible()
    page.locator(".bd-main .primary-toggle").click()
    button.wait_for(state="visible")
    button.click()
    assert page.locator("#pst-search-dialog").is_visible()


def test_arrow_keys_lead_through_what_is_found(open_page):
    page = open_page("search.html?q=yarn")
    page.wait_for_selector(".search-found")
    assert page.evaluate("document.activeElement.type") == "search"
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.href").endswith("glossary.html#term-YaRN")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.href").endswith("10_context_extension.html")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.type") == "search"


def test_escape_closes_the_search_from_what_is_found(open_page):
    page = open_page("00_start_here.html")
    page.keyboard.press("Control+k")
    page.keyboard.type("softmax")
    page.wait_for_selector(".search-typed a")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    page.wait_for_selector("#pst-search-dialog:not([open])", state="attached")


QUESTIONS = {  # of students: which page answers, and what its first words in the list say
    "permutation invariance": ("00", "rows and columns in the new order"),
    "left padding": ("13", "the shorter one is filled up on the left"),
    "how do I run the notebooks": ("running", "make lab installs what the notebooks need"),
    "run": ("running", "starts JupyterLab to run them"),
    "install": ("running", "make lab installs"),
    "open in colab": ("running", "the badge at the top of a notebook opens it in Colab"),
    "start jupyter": ("running", "starts JupyterLab"),
    "why is rope better than adding": ("08", "Of turned ones only the offset counts"),
    "how does rope work": ("08", "turns queries and keys"),
    "does rope turn the values too": ("08", "Should they be turned, too?"),
    "why are only queries and keys rotated": ("08", "rotary encoding leaves only the offset"),
    "why are sine and cosine both needed": ("01", "Where the sine hardly moves, the cosine moves fast"),
    "what does the base do": ("01", "sets how much slower each next hand turns"),
    "why does attention ignore word order": ("00", "why it cannot see the order of words"),
    "what is the difference between a query and a key": ("00", "name tag"),
    "how does softmax turn scores into weights": ("00", "power of each score"),
    "what is the difference between sinusoidal and learned positions": ("03", "formula"),
    "what is the difference between half-split and interleaved": ("03", "all sines first, then all cosines"),
    "what does the heatmap show": ("03", "Draw every number as a coloured cell"),
    "how does the similarity depend on the distance": ("04", "similarity decays with distance"),
    "how do I compute the shift matrix": ("05", "build the shift matrix"),
    "how does ALiBi work": ("09", "Each head has a slope"),
    "what does YaRN do": ("10", "YaRN slows by s the unfinished hands"),
    "what is the kv cache": ("13", "keeps those: the cache"),
    "why must padding be on the left": ("13", "the shorter one is filled up on the left"),
    "how does a vision transformer know where a patch is": ("14", "Each needs a position"),
    "where do the positions go in a picture": ("14", "a picture of three rows and three columns"),
    "absolute positions": ("01", "A position is now a row of four heights"),
    "perplexity": ("02", "its loss (in nats) says how badly"),
    "rotary": ("08", "Rotary encoding, RoPE for short, turns queries and keys"),
    "what does a trained model do with positions": ("15", "what the model does with positions"),
}


@pytest.mark.parametrize(("asked", "first", "said"), [(asked, *it) for asked, it in QUESTIONS.items()])
def test_a_question_in_a_students_words_is_answered_first(open_page, asked, first, said):
    page = searched(open_page, asked)
    found = page.locator(".search-found > li").first
    assert found.locator("a").first.get_attribute("href").startswith(first)
    assert said in found.locator("p").first.inner_text()
    assert not page.locator(".search-found", has_text="plus exercises").count()


def test_how_to_run_is_found_by_who_learns_and_the_commands_for_a_class_by_who_teaches(open_page):
    found = searched(open_page, "how do I run the notebooks").locator(".search-found > li > a")
    assert "running" in found.first.get_attribute("href")
    parts = ".search-found a[href*='commands-for-a-class']"
    assert searched(open_page, "grade").locator(parts).count() == 1


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("adding", "We add it."),
        ("positions", "A position."),
        ("rotated", "It turns."),
        ("queries", "A query."),
    ],
)
def test_a_form_of_a_word_is_that_word(open_page, asked, said):
    index = [{"page": "01", "title": "one", "sections": [section("a", "Nothing, less, string.", said)]}]
    other = [{"page": "02", "title": "two", "sections": [section("b", "An address, a posit, a quest, ads.")]}]
    assert open_page("search.html").evaluate(FIND, [index + other, asked]) == [["01", "a"]]


def found_first(open_page, asked):
    page = searched(open_page, asked)
    return page, page.locator(".search-found > li > a:first-child").first.inner_text()[:2]


@pytest.mark.parametrize(
    ("asked", "name", "first"),
    [
        ("extrapolation", "extrapolate", "11"),
        ("sinusoid", "sinusoidal encoding", "01"),
        ("permutat", "permutation-equivariant", "00"),
        ("softm", "softmax", "00"),
    ],
)
def test_a_form_of_a_word_or_its_beginning_finds_it(open_page, asked, name, first):
    page, number = found_first(open_page, asked)
    assert number == first and page.locator(".search-word > a").first.inner_text() == name
    assert page.inner_text(".search-from") == "From the words of this course"
    said = page.inner_text("#search-results .search-said")
    others = re.findall("also “(.*?)”", said)  # whole words, as pages have them
    forms = {"extrapolation": "extrapolates", "sinusoid": "sinusoids", "permutat": "permutation"}
    assert others == [forms[word] for word in [asked] if word in forms]
    assert page.locator(".search-found mark").count()


def test_where_a_place_has_both_words_none_is_shown_that_has_one(open_page):
    page, number = found_first(open_page, "left padding")
    shown = page.locator(".search-found > li").first.locator("p").all_inner_texts()
    assert number == "13" and shown
    assert all("left" in text and "padding" in text for text in shown)


@pytest.mark.parametrize("asked", ["colab", "jupyterlab"])
def test_who_asks_how_to_run_a_notebook_is_told(open_page, asked):
    page, _ = found_first(open_page, asked)
    first = page.locator(".search-found > li > a").first
    assert first.get_attribute("href") == "running.html"


def test_how_to_run_a_notebook_is_two_commands_that_lead_nowhere_but_to_an_address(monkeypatch):
    monkeypatch.setattr(build_site, "repository", lambda: "")
    told = build_site.running_page()
    assert "make lab" in told and "git clone" not in told and "OWNER" not in told
    monkeypatch.setattr(build_site, "repository", lambda: "https://github.com/you/fork")
    assert "git clone https://github.com/you/fork && cd fork\nmake lab" in build_site.running_page()


def test_a_formula_that_is_marked_keeps_its_bracket(open_page):
    page = searched(open_page, "triples")
    marks = page.locator("#search-results mark").all_inner_texts()
    assert any("(" in text for text in marks)
    assert all(text.count("(") == text.count(")") for text in marks)


def test_the_page_that_is_read_is_in_sight_in_the_list_whole_and_no_line_above_its_field(open_page, address):
    page = open_page("15_inside_a_trained_model.html", height=720)
    for name in ("07_words_and_positions", "00_start_here", "glossary"):  # from one to the next
        page.goto(f"{address}/{name}.html")
        places = [
            page.locator(f".bd-sidebar-primary {part}").bounding_box()
            for part in (".sidebar-primary-item:has(.search-button-field)", ".toctree-l1.current > a")
        ]
        (field, entry) = ([box["y"], box["y"] + box["height"]] for box in places)
        assert field[1] <= entry[0] and entry[1] <= 720, name
    assert page.evaluate("document.querySelector('.bd-sidebar-primary').scrollTop") > 200
    above = pixels(page.screenshot(clip={"x": 4, "y": 0, "width": 180, "height": field[0]}))
    assert len({*map(tuple, above.reshape(-1, 3))}) == 1


def test_of_a_question_of_many_words_one_may_stand_nowhere(open_page):
    page = open_page("search.html?q=why%20does%20attention%20ignore%20order")
    page.wait_for_selector(".search-found")
    found = page.locator(".search-found > li > a:not(.search-part)").all_inner_texts()
    assert len(found) > 5 and any(title.startswith("00 · ") for title in found[:4]), found


def test_a_reload_shows_the_slide_that_was_shown(open_page):
    page = open_page("05_shift_matrices_slides.html")
    page.wait_for_selector("#slide-5")  # its script is there
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    assert page.url.endswith("#slide-5")
    page.reload()
    page.wait_for_function("Math.abs(document.getElementById('slide-5').getBoundingClientRect().top) < 5")


ON_WHITE = {0: set(), 2: set(), 4: {5, 15, 35}, 5: set(), 7: set(), 9: {4}, 12: set()}  # cells by notebooks


@pytest.mark.parametrize("number", ON_WHITE)
def test_a_picture_stands_on_white_where_words_or_colours_say_what_is_bright(number):
    cells = nbformat.read(NOTEBOOKS[number], as_version=4).cells
    said = build_site.said_of_pictures(cells)
    drawn = {n for n in said if build_site.is_drawn(cells[n])}
    assert {n for n in drawn if build_site.is_on_white(cells[n], said[n])} == ON_WHITE[number] != drawn


def test_a_thing_in_its_own_colours_stands_on_white():
    """A landscape has no brown sun; numbers drawn in a scale of colours may be dark."""
    for number, fragment, is_own in ((14, "made for 12 × 16", True), (1, 'cmap="Greys"', False)):
        cells = nbformat.read(NOTEBOOKS[number], as_version=4).cells
        said = build_site.said_of_pictures(cells)
        (n,) = (n for n in said if fragment in cells[n].source)
        assert build_site.is_on_white(cells[n], said[n]) == is_own


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_in_a_notebook_live_pictures_stand_on_white_where_they_do_on_the_page(path):
    cells = nbformat.read(path, as_version=4).cells
    said = build_site.said_of_pictures(cells)
    for n in (n for n in said if build_site.slides.is_live(cells[n])):
        assert ("dark=False" in cells[n].source) == build_site.is_on_white(cells[n], said[n]), cells[n].source


@pytest.mark.parametrize(("name", "has_white"), [("00_start_here", False), ("09_relative_bias", True)])
def test_on_a_dark_page_tables_are_dark_and_so_are_pictures(open_page, name, has_white):
    page = open_page(f"{name}.html", color_scheme="dark")
    style = "(e, name) => getComputedStyle(e)[name]"
    for output in page.locator(".text_html").all():
        assert output.evaluate(style, "backgroundColor") == "rgba(0, 0, 0, 0)"
    pictures = page.locator("article :is(img, canvas)")
    on_white = page.locator("article .tag_on-white :is(img, canvas)")
    assert pictures.count() - on_white.count() > 2 and bool(on_white.count()) == has_white
    filters = "all => all.map(it => getComputedStyle(it).filter)"
    dark = pictures.evaluate_all(filters).count('url("#dark-picture")')
    assert dark == pictures.count() - on_white.count()
    assert set(on_white.evaluate_all(filters)) <= {"brightness(0.78)"}  # it does not glare
    assert {picture.evaluate(style, "padding") for picture in pictures.all()} == {"0px"}
    shown = next(it for it in pictures.all() if "#dark" in it.evaluate(style, "filter") and it.is_visible())
    assert (pixels(shown.screenshot())[..., :3] < 60).mean() > 0.5  # its white is nearly black


FORMULAS = """[...document.querySelectorAll('.katex-display')].filter(e => e.checkVisibility()).map(each => (
    { cut: each.scrollWidth - each.clientWidth, size: parseFloat(getComputedStyle(each).fontSize),
      usual: parseFloat(getComputedStyle(each.parentElement).fontSize),
      isNamed: each.tabIndex === 0 && Boolean(each.role && each.ariaLabel) }))"""


@pytest.mark.parametrize("name", ["00_start_here", "05_shift_matrices"])
@pytest.mark.parametrize("form", ["", "_slides"])
def test_on_a_phone_no_formula_of_these_is_cut(open_page, name, form):
    page = open_page(f"{name}{form}.html", width=375, height=667, has_touch=True, is_mobile=True)
    page.wait_for_load_state("networkidle")  # the fonts are there
    page.evaluate("document.querySelectorAll('details').forEach(fold => (fold.open = true))")
    page.wait_for_function(f"{FORMULAS}.every(each => each.cut <= 0)")
    found = page.evaluate(FORMULAS)
    assert len(found) > 1 and not any(each["isNamed"] for each in found)
    if name == "05_shift_matrices":
        assert any(each["size"] < each["usual"] for each in found)
    letters = "all => all.map(each => parseFloat(getComputedStyle(each).fontSize))"
    assert min(page.eval_on_selector_all(".katex-display > .katex", letters)) > 11


@pytest.mark.parametrize(("form", "least"), [("", 0.6), ("_slides", 0.6)])
def test_on_a_phone_a_wide_formula_is_smaller_and_scrolls_only_where_it_has_to(open_page, form, least):
    page = open_page(f"01_formula{form}.html", width=320, height=568, has_touch=True, is_mobile=True)
    page.wait_for_load_state("networkidle")  # the fonts are there
    found = page.evaluate(FORMULAS)
    cut = [each for each in found if each["cut"]]
    assert cut and all(
        each["isNamed"] and each["size"] == pytest.approx(least * each["usual"]) for each in cut
    )
    assert not any(each["isNamed"] for each in found if not each["cut"])
    page.locator(".katex-display[tabindex]").first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.activeElement.scrollLeft > 0")
    options = {"preload": False, "runOnly": ["scrollable-region-focusable", "aria-allowed-role"]}
    assert not axe.Axe().run(page, None, options).response["violations"]
    page.set_viewport_size({"width": 1280, "height": 720})
    page.wait_for_function(f"{FORMULAS}.every(each => !each.cut && !each.isNamed)")


def test_without_javascript_there_are_the_still_pictures(open_page):
    page = open_page("00_start_here.html", java_script_enabled=False)
    picture = page.query_selector(".live-figure img")
    assert picture.is_visible() and picture.bounding_box()["width"] > 300


def test_every_still_picture_says_what_it_shows_and_opens_in_its_full_size(site):
    number = 0
    for name in EVERY:
        page = (site / f"{name}.html").read_text()
        link = r'(?:<a href="(_images/[^"]*)"[^>]*><picture>(?:<source[^>]*>)?)?'
        form = link + r'<img alt="([^"]*)" src="_images/'
        pictures = re.findall(form, page)
        for link, said in pictures:
            number += 1
            assert (site / link).is_file() and len(said) > 9 and not re.search(r"\.png|[$`*]", said), said
    assert number >= 40


def test_buttons_and_folds_are_named_by_what_they_hold(open_page):
    page = open_page("07_words_and_positions.html", width=375)
    for name in ("All notebooks", "Contents of this page"):
        assert page.get_by_role("button", name=name).count() == 1
    assert not page.locator("summary[aria-label]").count()
    page.wait_for_selector("pre[tabindex='0'] >> visible=true")
    assert not page.locator("pre[tabindex='0']:not([role=group][aria-label])").count()


def test_a_page_does_not_say_what_only_a_notebook_does(site):
    page = (site / "00_start_here.html").read_text()
    assert "then open an answer" not in page and "If nothing moves" not in page


def test_a_fork_has_its_own_links(monkeypatch):
    monkeypatch.setenv("GITHUB_REPOSITORY", "someone/course")
    colab, binder, download, _ = build_site.ways(NOTEBOOKS[0]).values()
    assert "/someone/course/" in colab and "/someone/course/" in binder
    assert download == f"notebooks/{NOTEBOOKS[0].name}"
    assert build_site.linked("[data](../data/README.md)").endswith("someone/course/blob/main/data/README.md)")


class Links(HTMLParser):
    """The addresses that a page names, and the places in it that others can name."""

    def __init__(self, file):
        super().__init__()
        self.named, self.places = [], {""}
        self.feed(file.read_text())

    def handle_starttag(self, tag, attributes):
        told = dict(attributes)
        self.places.add(told.get("id"))
        names = ("href", "src", "srcset", "data-recording", "data-narrow")
        self.named += [told[name].removesuffix(" 2x") for name in names if told.get(name)]


def test_links_within_the_site_lead_somewhere(site):
    found = {file.name: Links(file) for file in site.glob("*.html")}
    for name, links in found.items():
        for link in map(urlsplit, links.named):
            if not link.scheme:
                target = unquote(link.path) or name
                assert (site / target).exists(), (name, link.geturl())
                assert target not in found or unquote(link.fragment) in found[target].places, (
                    name,
                    link.geturl(),
                )


def test_a_deck_is_dark_or_light_as_the_reader_chose_and_paper_stays_light(open_page, address):
    page = open_page("00_start_here_slides.html", color_scheme="dark")
    back = "getComputedStyle(document.documentElement).backgroundColor"
    assert page.evaluate(back) == "rgb(26, 26, 25)"
    filters = "all => [...new Set(all.map(it => getComputedStyle(it).filter))]"
    assert page.eval_on_selector_all(".slides :is(img, canvas)", filters) == ['url("#dark-picture")']
    assert page.locator("#dark-picture").count() == 1
    page.emulate_media(media="print")
    assert page.evaluate(back) == "rgb(255, 255, 255)"
    assert page.eval_on_selector_all(".slides :is(img, canvas)", filters) == ["none"]
    page.emulate_media(media="screen")
    page.click(".slide-keys button")
    assert page.evaluate(back) == "rgb(255, 255, 255)"
    page.goto(f"{address}/00_start_here.html")  # the choice is the pages', too
    assert page.get_attribute("html", "data-theme") == "light"
    page.goto(f"{address}/07_words_and_positions_slides.html")
    assert page.evaluate(back) == "rgb(255, 255, 255)"
    page.keyboard.press("d")
    assert page.evaluate(back) == "rgb(26, 26, 25)"
    page.reload()
    assert page.evaluate(back) == "rgb(26, 26, 25)"


@pytest.mark.parametrize("width", [1280, 375])
def test_each_page_names_the_course_in_its_bar_and_leads_home(open_page, width):
    page = open_page("07_words_and_positions.html", width=width)
    name = page.get_by_role("link", name="Positional encoding", exact=True)
    menu = page.get_by_role("button", name="All notebooks")
    title, theme = page.locator("article h1"), page.get_by_role("button", name="Color mode")
    boxes = [part.bounding_box() for part in (menu, name, theme)]
    middles = [box["y"] + box["height"] / 2 for box in boxes]
    assert max(middles) - min(middles) < 4  # in one row
    ends = [(box["x"], box["x"] + box["width"]) for box in boxes]
    assert ends[0][1] <= ends[1][0] and ends[1][1] <= ends[2][0]
    assert boxes[1]["y"] + boxes[1]["height"] <= title.bounding_box()["y"]
    name.click()
    page.wait_for_url("**/index.html")
    assert not page.locator(".course-name").count()
