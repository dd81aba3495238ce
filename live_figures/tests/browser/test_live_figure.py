"""Live figures with every kind of control, in a notebook written for this: what a reader may do to them."""

import json

import nbformat
import pytest
from matplotlib.figure import Figure

from live_figures import choice, live

from ..conftest import pixels
from ..drawing import DRAW_FIRST, IS_SEEN
from ..every_control import ANOTHER, EVERY_CONTROL
from . import reader
from .jupyter_page import lab as start_lab
from .jupyter_page import open_notebook, run_all, shut_down, write_notebook

axe = pytest.importorskip("axe_playwright_python.sync_playwright")


TOGGLE = """
import ipywidgets
from live_figures import live, slider
from matplotlib.figure import Figure

figure = Figure(figsize=(3, 2))
(line,) = figure.add_subplot().plot([0, 1])


def update(kind, k):
    line.set_ydata([0, k])
    return f"{kind} at {k}"


kind = ipywidgets.ToggleButtons(options=["near", "far"])
live(figure, update, {"far": {"k": 9}}, kind=kind, k=slider(0, 9, 1))
"""


IMPORTS = "import numpy as np\nfrom matplotlib.figure import Figure\nfrom live_figures import *\n"


IN_RED = """figure = Figure(figsize=(3, 2), facecolor='white')
figure.add_axes((0.3, 0.3, 0.4, 0.4), facecolor=(200 / 255, 0, 0)).set(xticks=[], yticks=[])
live(figure, lambda k: f'{k}', k=slider(0, 9), dark=True)"""


@pytest.fixture(scope="module")
def window(browser, lab):
    """Opens a notebook with both figures, under a name of its own or again, in a page."""
    folder, address = lab

    def open_page(name, zoom=1):
        if not (folder / name).exists():
            write_notebook(folder / name, [EVERY_CONTROL, ANOTHER])
        viewport = {"width": 1280 // zoom, "height": 900 // zoom}
        page = browser.new_page(viewport=viewport, device_scale_factor=zoom)
        open_notebook(page, address, name)
        return page

    return open_page


@pytest.fixture(scope="module")
def first_page(window):
    page = window("every_control.ipynb")
    yield page
    shut_down(page)
    page.close()


@pytest.fixture
def page(first_page):
    """The notebook with all its cells run."""
    assert run_all(first_page) == []
    figures(first_page)
    return first_page


def figures(page):
    """The two live figures, when both are there."""
    pictures = "[...document.querySelectorAll('.live-picture')].map(picture => picture.dataset.frames > 0)"
    page.wait_for_function(f"String({pictures}) === 'true,true'")
    return page.query_selector_all(".live-figure")


SEEN = """() => {  // in each frame: the pictures that can be seen, and where the caption stands
    window.seen = new Set()
    const isDrawn = e => e.getBoundingClientRect().height > 0 && (e.naturalWidth || e.dataset.frames > 0)
    const look = () => {
        const pictures = [...document.querySelectorAll('.live-picture')].filter(isDrawn)
        const captions = [...document.querySelectorAll('.live-caption')]
        const caption = captions.find(e => e.textContent && e.offsetHeight)
        const top = document.querySelector('.live-figure')?.getBoundingClientRect().top
        if (pictures.length || seen.size)
            seen.add([...pictures.map(e => e.tagName), caption?.getBoundingClientRect().top - top].join(' '))
        requestAnimationFrame(look)
    }
    look()
}"""


def test_the_kernels_picture_stands_until_the_page_has_drawn(browser, lab):
    folder, address = lab
    write_notebook(folder / "first.ipynb", [IMPORTS + ANOTHER])
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    open_notebook(page, address, "first.ipynb")
    page.evaluate(SEEN)
    assert run_all(page) == []
    page.wait_for_function("document.querySelector('canvas.live-picture')?.dataset.frames > 0")
    page.wait_for_function("!document.querySelector('img.live-picture')")
    seen = page.evaluate("[...seen]")
    places = {each.split()[-1] for each in seen}
    assert [each.split()[:-1] for each in seen] == [["IMG"], ["CANVAS"]], seen
    assert len(places) == 1, "the caption should stay where it is"
    shut_down(page)
    page.close()


def test_a_page_that_cannot_load_anywidget_has_the_kernels_pictures(browser, tmp_path):
    settings = tmp_path / "home" / "config" / "labconfig" / "page_config.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"disabledExtensions": {"anywidget": True}}))
    write_notebook(tmp_path / "plain.ipynb", [EVERY_CONTROL, ANOTHER])
    with start_lab(tmp_path / "home", tmp_path) as address:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        open_notebook(page, address, "plain.ipynb")
        assert run_all(page) == []
        page.wait_for_function("document.querySelectorAll('.live-figure img.live-picture').length === 2")
        first, second = page.query_selector_all(".live-figure")
        assert "error" not in first.inner_text() and not page.query_selector(".jupyter-widgets-error-widget")
        untouched = reader.state(second)
        reader.check_every_control(page, first)
        assert reader.state(second) == untouched
        shut_down(page)
        page.close()


def test_handles_are_large_and_a_logarithmic_one_says_its_value(page):
    page.query_selector_all(".noUi-handle")[1].focus()
    page.wait_for_function("document.activeElement.ariaValueText === '1.00'")
    page.keyboard.press("End")
    page.wait_for_function("document.activeElement.ariaValueText === '10.0'")
    large = "[...document.querySelectorAll('.noUi-handle, .live-figure button')]"
    sizes = page.evaluate(f"{large}.map(e => [e.offsetWidth, e.offsetHeight]).flat()")
    assert min(sizes) >= 24


def test_the_picture_stands_on_white_on_a_dark_page_too(page):
    """A transparent figure's black letters could not be read there."""
    ground = "getComputedStyle(document.querySelector('.live-picture')).backgroundColor"
    assert page.evaluate(ground) == "rgb(255, 255, 255)"


@pytest.mark.parametrize("place", ["either", "kernel"])
def test_a_dark_theme_turns_the_picture_dark_that_may_be_and_red_stays_red(browser, lab, place):
    folder, address = lab
    told = IMPORTS + ("draw_in('kernel')\n" if place == "kernel" else "")
    write_notebook(folder / f"dark_{place}.ipynb", [told, IN_RED, IN_RED.replace("dark=True", "dark=False")])
    page = browser.new_page()
    open_notebook(page, address, f"dark_{place}.ipynb")
    assert run_all(page) == []
    shown = "img.live-picture" if place == "kernel" else "canvas.live-picture:not([data-frames='0'])"
    page.wait_for_function(f"document.querySelectorAll({shown!r}).length === 2")
    page.evaluate("jupyterapp.commands.execute('apputils:change-theme', { theme: 'JupyterLab Dark' })")
    page.wait_for_selector("body[data-jp-theme-light=false]", state="attached")
    turned = "getComputedStyle(document.querySelector('.live-dark .live-picture')).filter.includes('#dark')"
    page.wait_for_function(turned)
    for _ in range(40):  # a loaded machine paints the new theme piece by piece
        dark, light = (pixels(each.screenshot()) for each in page.query_selector_all(shown))
        red, green, blue = dark[100, 150].astype(int)
        if is_painted := red > 200 and max(green, blue) < 110 and (dark[20, 20] < 40).all():
            break
        page.wait_for_timeout(250)
    assert is_painted, (dark[100, 150], dark[20, 20])
    assert (light[20, 20] == 255).all() and (light[100, 150] == (200, 0, 0)).all()
    shut_down(page)
    page.close()


def test_a_screen_reader_never_hears_the_exponent(page):
    """Between two tasks of the page there is nothing but the value."""
    page.query_selector_all(".noUi-handle")[1].focus()
    page.wait_for_function("document.activeElement.ariaValueText === '1.00'")
    page.evaluate("""window.heard = []
        const handle = document.activeElement
        const hear = () => setTimeout(() => heard.push(handle.ariaValueText))
        addEventListener('keydown', hear, { capture: true, once: true })""")
    page.keyboard.press("Home")
    page.wait_for_function("heard.length > 0")
    assert page.evaluate("heard") == ["0.100"]


def test_a_finger_that_moves_up_scrolls_and_changes_nothing(window, browser, lab):
    write_notebook(lab[0] / "touched.ipynb", [EVERY_CONTROL, *[f"# {n}" for n in range(12)]])
    page = browser.new_page(viewport={"width": 900, "height": 700}, has_touch=True)
    open_notebook(page, lab[1], "touched.ipynb")
    assert run_all(page) == []
    page.wait_for_selector("canvas.live-picture:not([data-frames='0'])")
    page.wait_for_function("!document.querySelector('img.live-picture')")
    scrolled = "document.querySelector('.jp-WindowedPanel-outer').scrollTop"
    figure = page.query_selector(".live-figure")
    handle, track = figure.query_selector(".noUi-handle"), figure.query_selector(".noUi-base")
    before = reader.state(figure)
    for part, place in ((handle, 0.5), (track, 0.9), (figure.query_selector("canvas"), 0.5)):
        figure.query_selector(".noUi-target").evaluate("slider => slider.scrollIntoView({ block: 'center' })")
        box, start = part.bounding_box(), page.evaluate(scrolled)
        reader.swipe(page, box["x"] + place * box["width"], box["y"] + box["height"] / 2, 3, -150)
        assert page.evaluate(scrolled) > start + 50
        page.mouse.move(700, 300)  # nothing follows it
        assert reader.state(figure) == before
    figure.query_selector(".noUi-target").evaluate("slider => slider.scrollIntoView({ block: 'center' })")
    box = handle.bounding_box()
    reader.swipe(page, box["x"] + 12, box["y"] + 12, 100, 3)
    reader.wait_until_it_follows(page, figure, before)
    before, box = reader.state(figure), track.bounding_box()
    page.touchscreen.tap(box["x"] + 0.95 * box["width"], box["y"] + 2)
    reader.wait_until_it_follows(page, figure, before)
    shut_down(page)
    page.close()


def test_every_control_by_keyboard_and_mouse_and_the_other_figure_stays(page):
    first, second = figures(page)
    assert len(first.query_selector_all(".noUi-handle, select, input")) == 5
    untouched = reader.state(second)
    reader.check_every_control(page, first)
    assert reader.state(second) == untouched
    untouched = reader.state(first)
    reader.check_every_control(page, second)
    reader.check_drag(page, second)
    assert reader.state(first) == untouched


def test_a_stored_picture_stands_on_white_on_a_dark_page_too(browser, lab):
    shown = live(Figure((3, 2)), lambda k: k, k=choice(["a", "b"]))
    data, said = shown._repr_mimebundle_()
    del data["application/vnd.jupyter.widget-view+json"]  # JupyterLab looks for its kernel
    write_notebook(lab[0] / "stored.ipynb", [""])
    notebook = nbformat.read(lab[0] / "stored.ipynb", as_version=4)
    notebook.cells[0].outputs = [nbformat.v4.new_output("display_data", data, metadata=said)]
    nbformat.write(notebook, lab[0] / "stored.ipynb")
    page = browser.new_page()
    open_notebook(page, lab[1], "stored.ipynb")
    page.wait_for_selector(".jp-RenderedImage img.jp-needs-light-background")
    shut_down(page)
    page.close()


def test_after_a_press_on_its_track_or_a_button_the_arrow_keys_move_a_slider(window):
    """JupyterLab would go on to the next heading, and the figure be out of sight."""
    page = window("pressed.ipynb")
    assert run_all(page) == []
    figure, _ = figures(page)
    track, handle = (figure.query_selector(part) for part in (".noUi-target", ".noUi-handle"))
    value = "handle => handle.ariaValueNow"
    box = track.bounding_box()
    for press in (
        lambda: page.mouse.click(box["x"] + 0.7 * box["width"], box["y"] + box["height"] / 2),
        lambda: figure.query_selector(".live-preset").click(),
    ):
        page.evaluate("document.activeElement.blur()")
        press()
        assert handle.evaluate("handle => handle === document.activeElement")
        before = handle.evaluate(value)
        page.keyboard.press("ArrowRight")
        moved = "([handle, before]) => handle.ariaValueNow !== before"
        page.wait_for_function(moved, arg=[handle, before])
    shut_down(page)
    page.close()


def test_a_reopened_page_has_its_figures_back(window):
    page = window("reopened.ipynb")
    assert run_all(page) == []
    for figure in figures(page):
        reader.press(page, figure, figure.query_selector(".noUi-handle"), "ArrowRight")
    left = [reader.state(figure) for figure in figures(page)]
    page.evaluate("() => jupyterapp.commands.execute('docmanager:save')")
    page.close()

    page = window("reopened.ipynb")
    for figure, state in zip(figures(page), left, strict=True):
        reader.wait_until_it_is(page, figure, state)
        reader.check_every_control(page, figure)
    shut_down(page)
    page.close()


def test_an_option_with_the_text_of_a_preset_is_no_preset(browser, lab):
    folder, address = lab
    write_notebook(folder / "toggle.ipynb", [TOGGLE])
    page = browser.new_page()
    open_notebook(page, address, "toggle.ipynb")
    assert run_all(page) == []
    page.wait_for_selector("canvas.live-picture:not([data-frames='0'])")
    for button, caption in ((".widget-toggle-button", "far at 1"), (".live-preset", "far at 9")):
        page.locator(button, has_text="far").click()
        page.wait_for_selector(f".live-figure .live-caption:has-text('{caption}')")
    shut_down(page)
    page.close()


def test_after_a_restart_and_run_all_the_figures_work(page):
    old = figures(page)[0]
    reader.press(page, old, old.query_selector(".noUi-handle"), "End")
    page.evaluate("() => { jupyterapp.commands.execute('notebook:restart-run-all') }")
    page.click(".jp-Dialog .jp-mod-accept")
    page.wait_for_function("figure => !figure.isConnected", arg=old)
    for figure in figures(page):
        reader.press(page, figure, figure.query_selector(".noUi-handle"), "Home")
        reader.reset(page, figure)


def problems(page):
    """What axe finds in the live figures: (rule, the element)."""
    found = axe.Axe().run(page, context=".live-figure").response["violations"]
    return [(rule["id"], node["html"]) for rule in found for node in rule["nodes"]]


def test_axe_finds_nothing(page):
    page.wait_for_function("!document.querySelector('.live-figure [role=slider]:not([aria-label])')")
    assert problems(page) == []
    for figure in figures(page):
        for slider in figure.query_selector_all(".widget-slider"):
            told = slider.query_selector("[role=slider]").get_attribute("aria-label")
            assert told == slider.query_selector(".widget-label").inner_text().strip() != ""
        assert figure.query_selector(".live-caption").inner_text().strip()
    remove = "() => document.querySelectorAll('canvas').forEach(e => e.removeAttribute('aria-label'))"
    page.evaluate(remove)
    assert "role-img-alt" in {rule for rule, _ in problems(page)}  # the name of the picture was needed


def test_the_tabulator_key_reaches_every_control(page):
    figure = figures(page)[0]
    controls = ".noUi-handle, select, input, button"
    figure.query_selector(controls).focus()
    reached = set()
    for _ in range(12):
        focus = (
            "([figure, controls]) => [...figure.querySelectorAll(controls)].indexOf(document.activeElement)"
        )
        reached.add(page.evaluate(focus, [figure, controls]))
        page.keyboard.press("Tab")
    assert reached >= set(range(6))


def test_at_200_percent_nothing_is_cut_off(window):
    page = window("zoomed.ipynb", zoom=2)
    hide = "application:toggle-left-area"  # Notebook 7 has none
    page.evaluate("name => jupyterapp.commands.hasCommand(name) && jupyterapp.commands.execute(name)", hide)
    assert run_all(page) == []
    for figure in figures(page):
        reader.check_place(figure)
        reader.press(page, figure, figure.query_selector(".noUi-handle"), "End")
    shut_down(page)
    page.close()


def test_a_curve_is_not_seen_before_the_reader_has_drawn_it(browser, lab):
    folder, address = lab
    write_notebook(folder / "draw.ipynb", [DRAW_FIRST])
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    open_notebook(page, address, "draw.ipynb")
    page.evaluate(SEEN)
    assert run_all(page) == []
    canvas = page.wait_for_selector("canvas.live-picture:not([data-frames='0'])")
    page.wait_for_function("!document.querySelector('img.live-picture')")
    assert not page.evaluate(IS_SEEN)
    canvas.focus()
    for key in ("ArrowUp", "ArrowRight", "ArrowRight", "ArrowDown"):  # JupyterLab does not take them
        page.keyboard.press(key)
    assert canvas.get_attribute("aria-valuetext") == "x 0.5, y 0"
    assert problems(page) == []
    page.click("text=Show it")
    assert page.evaluate(IS_SEEN) and "Your drawing" in page.inner_text(".live-caption")
    shut_down(page)
    page.close()
