"""A frame in the page's cache is a true one: cells, other pages, Python and a slow kernel come between."""

import time

import pytest

from . import reader
from .jupyter_page import lab as start_lab
from .jupyter_page import open_notebook, run_all, shut_down, write_notebook

FIGURE = """
import time

from matplotlib.figure import Figure

from live_figures import live, slider

calls, height, pause = [], 1, 0
figure = Figure(figsize=(4, 2), dpi=100, layout="constrained")
axes = figure.subplots()
(line,) = axes.plot(range(3), [0, 0, 0])
axes.set_ylim(-100, 100)


def update(n):
    calls.append(n)
    time.sleep(pause)
    if n == 13:
        raise ValueError("thirteen is not drawn")
    line.set_ydata([0, n * height, 0])
    return f"The line rises to {n * height}."


shown = live(figure, update, {"nine": {"n": 9}}, n=slider(0, 40, 5))
shown
"""
NAME = "truth.ipynb"


@pytest.fixture(scope="module")
def open_page(browser, lab):
    """Opens the notebook in another page of the browser."""
    folder, address = lab
    write_notebook(folder / NAME, [FIGURE, ""])
    pages = []

    def open_page():
        pages.append(browser.new_page(viewport={"width": 1280, "height": 900}))
        open_notebook(pages[-1], address, NAME)
        return pages[-1]

    yield open_page
    shut_down(pages[0])
    for page in pages:
        page.close()


@pytest.fixture(scope="module")
def first_page(open_page):
    return open_page()


@pytest.fixture
def page(first_page):
    """The notebook, with the figure made anew."""
    first_page.bring_to_front()
    run(first_page, "")
    assert run_all(first_page) == []
    wait_for(first_page, "The line rises to 5.")
    return first_page


def wait_for(page, caption, number=0):
    """Until the caption of a figure is this one and its picture was drawn."""
    page.wait_for_function(
        """([caption, number]) => {
            const figure = document.querySelectorAll('.live-figure')[number]
            const frames = figure?.querySelector('.live-picture')?.dataset.frames
            return frames > 0 && figure.querySelector('.live-caption').textContent === caption
        }""",
        arg=[caption, number],
        timeout=30_000,
    )


def run(page, code):
    """Run code in the second cell and give what it prints."""
    page.evaluate(
        """async code => {
            const notebook = jupyterapp.shell.currentWidget.content
            notebook.activeCellIndex = 1
            notebook.activeCell.model.sharedModel.setSource(code)
            await jupyterapp.commands.execute('notebook:run-cell')
        }""",
        code,
    )
    output = page.query_selector_all(".jp-CodeCell")[1].query_selector(".jp-OutputArea-output")
    return output.inner_text().strip() if output else ""


def settle(page):
    """Until the kernel has had nothing to do for longer than a page waits before it prefetches."""
    page.evaluate("window.idleSince = null")
    page.wait_for_function(
        """() => {
            const { status } = jupyterapp.shell.currentWidget.sessionContext.session.kernel
            window.idleSince = status === 'idle' ? window.idleSince ?? performance.now() : null
            return window.idleSince !== null && performance.now() - window.idleSince > 600
        }"""
    )


def rest(page):
    """The reader turns to the slider; the neighbours are prefetched."""
    page.query_selector(".noUi-handle").focus()
    settle(page)


def press(page, key, caption):
    page.query_selector(".noUi-handle").focus()
    page.keyboard.press(key)
    wait_for(page, caption)


def test_what_was_prefetched_is_there_at_once(page):
    rest(page)
    assert {4, 6, 7} <= set(eval(run(page, "print(calls)")))
    press(page, "ArrowRight", "The line rises to 6.")
    settle(page)
    before = page.evaluate("document.querySelector('.live-picture').dataset.frames")
    page.keyboard.press("ArrowRight")
    picture = "document.querySelector('.live-picture').dataset.frames"
    drawn = page.evaluate(f"[{picture}, document.querySelector('.live-figure .live-caption').textContent]")
    assert drawn == [str(int(before) + 1), "The line rises to 7."]


def test_a_cell_that_changes_what_is_drawn_is_seen(page):
    rest(page)
    run(page, "height = 2")
    press(page, "ArrowRight", "The line rises to 12.")
    press(page, "ArrowLeft", "The line rises to 10.")
    state = reader.state(page.query_selector(".live-figure"))
    run(page, "line.set_color('red')")
    press(page, "ArrowRight", "The line rises to 12.")
    press(page, "ArrowLeft", "The line rises to 10.")
    assert reader.state(page.query_selector(".live-figure"))[0] != state[0]


def test_a_callback_that_changes_what_is_drawn_is_seen(page):
    button = "import ipywidgets; button = ipywidgets.Button(description='twice'); display(button)"
    run(page, f"{button}; button.on_click(lambda _: globals().update(height=2))")
    rest(page)
    page.click("button:has-text('twice')")
    press(page, "ArrowRight", "The line rises to 12.")


def test_a_thread_that_changes_what_is_drawn_is_seen_at_rest(page):
    run(page, "import threading; threading.Timer(3, lambda: globals().update(height=4)).start()")
    rest(page)
    page.wait_for_timeout(3000)  # of the thread's
    press(page, "ArrowRight", "The line rises to 24.")
    press(page, "ArrowRight", "The line rises to 28.")


KINDS = """
import datetime
import ipywidgets as w

noon, day = datetime.time(12, 30), datetime.date(2024, 2, 29)
moment = datetime.datetime(2024, 2, 29, 12, 30).astimezone()
pairs = [("one", 1), ("two", 2)]
kinds = dict(  # a control, and a value to which it moves
    a=(w.FloatText(0.1), 1e-9), b=(w.BoundedIntText(3), 4), c=(w.Checkbox(), True),
    d=(w.ColorPicker(), "red"), e=(w.DatePicker(), day), f=(w.TimePicker(), noon),
    g=(w.DatetimePicker(), moment), h=(w.Text(), "dog"), i=(w.RadioButtons(options=[3, 4]), None),
    j=(w.SelectMultiple(options="xyz"), ("x", "z")), l=(w.SelectionSlider(options=pairs), 2),
    k=(w.SelectionRangeSlider(options="abc", index=(0, 1)), ("b", "c")), m=(w.IntRangeSlider(), (1, 2)),
    n=(w.FloatRangeSlider(), (0.5, 2.5)), o=(w.ToggleButton(), True), p=(w.ToggleButtons(options=[1, 2]), 2),
    q=(w.Textarea(), "a"), r=(w.Combobox(), "b"), s=(w.Select(options=[1, 2]), 2),
    t=(w.IntText(2**53 - 2), 2**53 - 1), u=(w.TagsInput(allowed_tags=["x"]), ["x"]),
    v=(w.FloatLogSlider(), 100.0), x=(w.Play(), 7), y=(w.FloatsInput(), [0.5]), z=(w.Password(), "secret"),
)
"""
EVERY_KIND = """
controls = {name: control for name, (control, _) in kinds.items()}
presets = {"moved": {name: to for name, (_, to) in kinds.items()}}
every = live(Figure(figsize=(2, 1)), lambda **values: repr(values), presets, **controls)
every
"""


def test_every_kind_of_control_says_in_the_page_what_it_says_in_python(page):
    here = {}
    exec(KINDS, here)
    run(page, KINDS + EVERY_KIND)
    wait_for(page, repr({name: control.value for name, (control, _) in here["kinds"].items()}), 1)
    page.click(".live-figure button:has-text('moved')")
    wait_for(page, moved := repr({name: to for name, (_, to) in here["kinds"].items()}), 1)
    assert run(page, "print({name: control.value for name, control in controls.items()})") == moved


def test_a_cell_that_changes_what_stands_there_is_seen_without_a_move(page):
    rest(page)
    run(page, "height = 2")
    wait_for(page, "The line rises to 10.")


def test_a_cell_finds_the_figure_where_the_reader_left_it(page):
    rest(page)
    assert run(page, "print(float(max(line.get_ydata())), shown.caption)") == "5.0 The line rises to 5."


def test_in_a_drag_the_kernels_slider_gets_few_values_and_the_last_and_the_page_never_goes_back(page):
    run(page, "seen = []; shown.controls['n'].observe(lambda change: seen.append(change.new), 'value')")
    page.evaluate("""() => {
        window.readouts = []
        const readout = document.querySelector('.live-figure .widget-readout')
        const look = () => readouts.push(+readout.textContent)
        new MutationObserver(look).observe(readout, {childList: true, characterData: true, subtree: true})
    }""")
    track = page.query_selector(".live-figure .noUi-base").bounding_box()
    handle = page.query_selector(".live-figure .noUi-handle").bounding_box()
    height = track["y"] + track["height"] / 2
    page.mouse.move(handle["x"] + handle["width"] / 2, height)
    page.mouse.down()
    start = time.perf_counter()
    for n in range(61):
        page.mouse.move(track["x"] + track["width"] * (0.2 + n / 75), height)
        page.wait_for_timeout(16)
    took = time.perf_counter() - start
    page.mouse.up()
    wait_for(page, "The line rises to 40.")
    settle(page)
    seen, readouts = eval(run(page, "print(seen)")), page.evaluate("readouts")
    assert seen[-1] == 40 and len(seen) <= 2 + took / 0.25, (seen, took)
    assert readouts == sorted(readouts) and len(readouts) > 10, readouts


def test_python_sets_a_control(page):
    run(page, "shown.controls['n'].value = 30")
    wait_for(page, "The line rises to 30.")
    page.click(".live-figure button:has-text('nine')")
    wait_for(page, "The line rises to 9.")
    page.click(".live-figure button:has-text('reset')")
    wait_for(page, "The line rises to 5.")


def test_an_error_at_one_value(page):
    run(page, "shown.controls['n'].value = 12")
    wait_for(page, "The line rises to 12.")
    rest(page)  # thirteen, prefetched, is no error to anybody
    assert page.query_selector(".live-figure [role=alert]").is_hidden()
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".live-figure [role=alert]:visible")
    assert "ValueError: thirteen is not drawn" in page.inner_text(".live-figure [role=alert]")
    assert not page.query_selector(".live-picture").is_visible()
    press(page, "ArrowRight", "The line rises to 14.")
    assert page.query_selector(".live-picture").is_visible()


def test_a_slow_figure_shows_the_last_position_and_is_not_prefetched(page):
    run(page, "pause = 0.4; calls.clear()")
    page.query_selector(".noUi-handle").focus()
    for _ in range(8):
        page.keyboard.press("ArrowRight", delay=20)
    page.wait_for_selector(".live-figure [role=alert]:visible")
    press(page, "ArrowRight", "The line rises to 14.")
    settle(page)
    called = eval(run(page, "print(calls)"))
    assert len(called) <= 8 and 15 not in called  # not one for each key, and no neighbour at rest


def test_a_button_that_overtakes_a_move_wins_nevertheless(page):
    run(page, "pause = 0.5")
    page.query_selector(".noUi-handle").focus()
    for key in ("ArrowRight", "End", "Home"):
        page.keyboard.press(key)
    page.click(".live-figure button:has-text('nine')")
    wait_for(page, "The line rises to 9.")
    settle(page)
    wait_for(page, "The line rises to 9.")
    assert run(page, "print(shown.controls['n'].value)") == "9"


def test_a_button_that_overtakes_a_move_wins_where_the_kernel_draws_the_picture_too(browser, lab):
    folder, address = lab
    drawn = FIGURE.replace("import live, slider", "import draw_in, live, slider\n\ndraw_in('kernel')")
    write_notebook(folder / "kernel.ipynb", [drawn.replace("pause = [], 1, 0", "pause = [], 1, 0.5")])
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    open_notebook(page, address, "kernel.ipynb")
    assert run_all(page) == []
    page.focus(".noUi-handle")
    for key in ("ArrowRight", "End"):
        page.keyboard.press(key)
    page.wait_for_timeout(200)  # the kernel draws the first, and the page holds the other back
    page.click(".live-figure button:has-text('nine')")
    page.wait_for_selector(".live-caption:has-text('The line rises to 9.')")
    page.wait_for_timeout(1500)
    assert page.inner_text(".live-caption") == "The line rises to 9."
    assert page.inner_text(".widget-readout") == "9"
    shut_down(page)
    page.close()


def test_a_figure_shown_twice(page):
    run(page, "shown")
    wait_for(page, "The line rises to 5.", 1)
    press(page, "ArrowRight", "The line rises to 6.")
    wait_for(page, "The line rises to 6.", 1)


def test_two_pages_on_one_kernel(page, open_page):
    page.evaluate("() => jupyterapp.commands.execute('docmanager:save')")
    second = open_page()
    wait_for(second, "The line rises to 5.")
    press(second, "ArrowRight", "The line rises to 6.")
    page.bring_to_front()
    wait_for(page, "The line rises to 6.")
    run(page, "height = 3")
    second.bring_to_front()
    press(second, "ArrowLeft", "The line rises to 15.")
    second.close()


def test_after_a_restart_the_picture_stays_and_says_what_to_do_and_works_again(page):
    rest(page)
    page.evaluate("() => { jupyterapp.commands.execute('kernelmenu:restart') }")
    page.click(".jp-Dialog .jp-mod-accept")
    page.wait_for_selector(".live-figure [role=alert]:visible")
    assert "Python was restarted. Run → Run All Cells" in page.inner_text(".live-figure [role=alert]")
    page.query_selector(".noUi-handle").focus()
    assert not page.evaluate("document.activeElement.matches('.noUi-handle')")
    told = "getComputedStyle(document.querySelector('.live-figure'), '::before').content"
    assert "Python was restarted." in page.evaluate(told)
    settle(page)  # JupyterLab loses a second restart that comes too soon
    assert page.query_selector(".live-picture").is_visible()
    old = page.query_selector(".live-figure")
    page.evaluate("() => { jupyterapp.commands.execute('notebook:restart-run-all') }")
    page.click(".jp-Dialog .jp-mod-accept")
    page.wait_for_function("figure => !figure.isConnected", arg=old)
    wait_for(page, "The line rises to 5.")
    press(page, "ArrowRight", "The line rises to 6.")


def test_in_notebook_7_the_arrow_keys_move_the_slider(browser, tmp_path):
    """After a cell was run it has shortcuts of its own on them."""
    pytest.importorskip("notebook", "7")
    write_notebook(tmp_path / NAME, [FIGURE, ""])
    with start_lab(tmp_path / "home", tmp_path, app="notebook") as address:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        open_notebook(page, address, NAME)
        run(page, "")
        assert run_all(page) == []
        wait_for(page, "The line rises to 5.")
        press(page, "ArrowRight", "The line rises to 6.")
        press(page, "ArrowLeft", "The line rises to 5.")
        shut_down(page)
        page.close()
