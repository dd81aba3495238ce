"""Recordings: what a page without a kernel has of a live figure."""

import base64
import contextlib
import copy
import itertools
import math
import os
import re
import subprocess
import sys

import ipywidgets
import nbformat
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from live_figures import choice, live, log_slider, png, record, slider, text
from live_figures._narrow import narrow, on_slide

from .browser import reader
from .browser.page_drawing import ENGINE, Screen
from .browser.static_page import DRAWN, SET, serve
from .conftest import pixels
from .drawing import DRAW_FIRST, IS_SEEN, new_figure
from .every_control import EVERY_CONTROL

PAGE = """<!doctype html><div></div><script type=module>
import { play } from './page.js'
import { load, recordingClient, RecordedControls } from './recording.js'
const recording = await load('1.bin')
const controls = new RecordedControls(recording, 'figure-1', { name: 'Binder', address: '#' })
const place = document.querySelector('div')
play(place, recordingClient(recording), controls, recording.label, new AbortController().signal)
place.before(controls.form)
</script>"""


@pytest.fixture(scope="module")
def recorded():
    names = {}
    exec(EVERY_CONTROL.replace("\nlive(", "\nshown = live("), names)
    return record(names["shown"], {"words": ["a cat"]})


@pytest.fixture
def recording(recorded):
    """A figure with every kind of control, recorded once; a copy that a test may thin out."""
    shared = recorded.figure, recorded.frames
    return copy.deepcopy(recorded, {id(each): each for each in shared})


def test_every_state_that_a_reader_can_reach_is_recorded(recording):
    assert [control.kind for control in recording.controls] == [
        "range",
        "range",
        "select",
        "checkbox",
        "text",
    ]
    rates, sizes, *others = recording.together
    assert [len(steps) for steps in others] == [3, 2, 2]  # 3 shapes, flipped or not, of 2 texts
    apart = {(2, size) for size in range(41)} | {(rate, 20) for rate in range(9)}  # from the start
    assert len(recording.frames) == 12 * len(apart | set(itertools.product(rates, sizes)))


def test_what_only_moves_from_step_to_step_costs_little_also_beside_other_choices():
    figure, axes = new_figure(3, 2)
    rows = np.random.default_rng(0).random((12, 160, 100))
    image = axes.imshow(rows[0, :100], interpolation="nearest")

    def update(k, of, size):
        image.set_data(rows[of, k : k + 100, :size])
        return f"{k} {of} {size}"

    def bytes_of(choices):
        controls = {"of": choice({str(n): n for n in choices}), "size": choice({"100": 100, "99": 99})}
        return len(record(live(figure, update, k=slider(0, 30), **controls)).to_bytes())

    assert bytes_of(range(12)) < 13 * bytes_of([0])  # each costs as much as one


def test_all_sliders_move_together_at_as_many_steps_as_600_frames_have():
    shown = live(new_figure(2, 2)[0], lambda a, b: f"{a} {b}", a=slider(0, 19), b=slider(0, 29))
    assert len(record(shown).frames) == 600
    assert len(record(shown, steps=5).frames) == 6 * 6
    sliders = {"a": slider(-50, 50, -10), "b": slider(0, 300, 7), "c": slider(0, 1)}
    presets = {"far": {"a": 33, "b": 250}}
    found = record(live(new_figure(2, 2)[0], lambda a, b, c: f"{a} {b} {c}", presets, **sliders))
    crossed = [
        [control.values[step] for step in steps]
        for control, steps in zip(found.controls, found.together, strict=True)
    ]
    assert {-50, -10, 33, 50} <= {*crossed[0]} and {0, 7, 250, 300} <= {*crossed[1]} and crossed[2] == [0, 1]
    assert max(np.diff(crossed[0])) <= 10 and max(np.diff(crossed[1])) <= 33
    assert 200 < math.prod(map(len, crossed)) <= 300  # half of the frames are for any two of the three
    assert found.frames.keys() >= {*itertools.product(*found.together)}
    start, pairs = found.presets["reset"], found.pairs
    assert found.frames.keys() >= {(a, b, start[2]) for a, b in itertools.product(*pairs[:2])}
    assert len(pairs[0]) > len(crossed[0]) and len(pairs[1]) > len(crossed[1])
    assert sum(state[1:] == found.presets["reset"][1:] for state in found.frames) == 101


def test_sliders_with_too_many_presets_are_not_crossed():
    sliders = {name: slider(0, 9) for name in "abcd"}
    presets = {str(n): dict.fromkeys("abcd", n) for n in range(1, 6)}
    shown = live(new_figure(2, 2)[0], lambda a, b, c, d: f"{a} {b} {c} {d}", presets, **sliders)
    assert record(shown).together == []


def test_a_recording_that_is_too_large_loses_every_second_step(recording):
    whole = recording.to_bytes()
    ends = [(control.values[0], control.values[-1]) for control in recording.controls]
    states = len(recording.frames)
    assert len(recording.to_bytes(int(0.5 * len(whole)))) <= 0.5 * len(whole)
    assert len(recording.frames) < 0.8 * states
    assert all(preset in recording.frames for preset in recording.presets.values())
    assert recording.frames.keys() >= {*itertools.product(*recording.together)}
    assert ends == [(control.values[0], control.values[-1]) for control in recording.controls]


def test_it_loses_steps_of_sliders_together_first(recording):
    steps, crossed = [len(control.values) for control in recording.controls], [*recording.together]
    frames = len(recording.frames)
    recording.thin_out()
    assert [len(control.values) for control in recording.controls] == steps
    assert math.prod(map(len, recording.together)) < 0.7 * math.prod(map(len, crossed))
    assert len(recording.frames) < frames


@pytest.mark.parametrize("kind", ["FloatText", "DatePicker", "SelectMultiple", "IntRangeSlider", "Play"])
def test_a_control_without_steps_is_refused(kind):
    options = {"options": ["a", "b"]} if kind == "SelectMultiple" else {}
    shown = live(new_figure(2, 2)[0], lambda k: f"{k}", k=getattr(ipywidgets, kind)(**options))
    with pytest.raises(TypeError, match=r"^controls must be .* to be recorded; got k="):
        record(shown)


def test_an_error_is_recorded_in_words():
    shown = live(new_figure(2, 2)[0], lambda k: f"{1 / (3 - k):.0f}", k=slider(0, 5))
    assert record(shown).frames[3,] == "ZeroDivisionError: division by zero"


def test_a_figure_that_depends_on_what_it_drew_before_is_refused():
    drawn = []
    shown = live(new_figure(2, 2)[0], lambda k: f"frame {len(drawn)}" + str(drawn.append(k)), k=slider(0, 5))
    with pytest.raises(RuntimeError, match="depends on what it showed before"):
        record(shown)


def test_a_figure_that_sets_its_controls_is_refused():
    low, high = slider(0, 5), slider(0, 5, 2)

    def ordered(a, b):
        high.value = max(a, b)
        return f"{a} {b}"

    with pytest.raises(RuntimeError, match="sets its controls"):
        record(live(new_figure(2, 2)[0], ordered, a=low, b=high))


def test_the_page_shows_what_the_kernel_draws_for_every_state(browser, recording, tmp_path):
    """Pixel for pixel."""
    (tmp_path / "1.bin").write_bytes(recording.to_bytes())
    for name in ("page.js", "recording.js"):
        (tmp_path / name).write_text((ENGINE / name).read_text())
    (tmp_path / "index.html").write_text(PAGE)
    page, screen = browser.new_page(), Screen(browser)
    page.goto(serve(tmp_path))
    page.wait_for_selector(DRAWN)
    inputs = page.query_selector_all("input, select")
    for state in list(recording.frames)[::14]:
        page.click("button")
        for n in sorted(range(5), key=lambda n: recording.controls[n].kind == "range"):  # choices stay
            inputs[n].evaluate(SET, state[n])
        frame = recording.draw(state)
        assert page.inner_text(".live-caption") == frame.caption
        drawn = page.eval_on_selector("canvas", "canvas => canvas.toDataURL('image/png')")
        drawn = pixels(base64.b64decode(drawn.split(",")[1]))
        assert (drawn == screen.show(frame.display_lists, frame.size)).all()
    page.close()


def test_one_file_moves_without_a_network(browser, tmp_path):
    figure, axes = new_figure(11, 2)
    (line,) = axes.plot([0, 1], [0, 0])

    def update(a, b):
        line.set_ydata([a, b])
        return f"From {a} to {b} & on."

    shown = live(figure, update, {"far": {"a": 9}}, a=slider(0, 30), b=slider(0, 40, label="end"))
    shown.to_html(tmp_path / "a line.html", title="A <line>", max_bytes=4000)
    with contextlib.closing(browser.new_context(offline=True)) as context:
        page, errors = context.new_page(), []
        page.on("pageerror", lambda error: errors.append(error))
        page.goto((tmp_path / "a line.html").as_uri())
        page.wait_for_selector(DRAWN)
        assert page.title() == "A <line>" and page.inner_text(".live-caption") == "From 0 to 0 & on."
        said = page.inner_text("small")
        assert said.startswith("On this page") and re.search(r"end: (21|11) of 41 steps", said)
        assert page.inner_text(".live-note") == ""
        page.focus("input")
        page.keyboard.press("End")
        page.wait_for_function("location.search.includes('a=30')")
        again = context.new_page()
        again.goto(page.url)
        again.wait_for_selector(DRAWN)
        assert again.inner_text(".live-caption") == page.inner_text(".live-caption")
        again.set_viewport_size({"width": 375, "height": 700})
        sizes = again.evaluate("[...document.querySelectorAll('input, button')].map(e => e.offsetHeight)")
        assert min(sizes) >= 44 and again.evaluate("document.body.scrollWidth <= innerWidth")
        again.emulate_media(media="print")
        assert again.is_visible("canvas") and not again.is_visible("form")
        assert errors == []


def test_beside_a_slider_that_was_moved_another_goes_to_its_nearest_step(browser, tmp_path):
    figure, axes = new_figure(6, 2)
    (line,) = axes.plot([0, 1], [0, 0])
    axes.set_ylim(0, 100)

    def update(a, b):
        line.set_ydata([a, b])
        return f"From {a} to {b}."

    shown = live(figure, update, a=slider(0, 100, 20), b=slider(0, 100, 50, label="end"))
    few = [[control.values[n] for n in steps] for control, steps in zip(*crossed_of(shown), strict=True)]
    shown.to_html(tmp_path / "1.html")
    said = ".live-caption"
    with contextlib.closing(browser.new_page()) as page:
        page.goto((tmp_path / "1.html").as_uri())
        page.wait_for_selector(DRAWN)
        assert page.inner_text(".live-note") == ""  # nothing has happened
        place = "canvas => canvas.getBoundingClientRect().top + scrollY"
        top = page.eval_on_selector("canvas", place)
        page.focus("#figure-a")
        for _ in range(13):
            page.keyboard.press("ArrowRight")
        assert page.inner_text(said) == "From 33 to 50."  # a slider alone has all its steps
        at, ahead = min(few[0], key=lambda a: abs(a - 33)), min(b for b in few[1] if b > 50)
        assert at not in (20, 33)
        page.focus("#figure-b")
        page.keyboard.press("ArrowRight")  # "a" goes to a step that is crossed with others
        assert page.inner_text(said) == f"From {at} to {ahead}."
        words = f"This page has no a = 33 with this end: it shows {at}. The notebook has it."
        assert page.inner_text(".live-note") == words
        assert page.eval_on_selector("canvas", place) == top  # the words have their room
        page.keyboard.press("ArrowLeft")  # "a" comes back to where the reader put it
        assert page.inner_text(said) == "From 33 to 50."
        words = (
            f"This page has no end = {ahead - 1} with these other values: it shows 50. The notebook has it."
        )
        assert page.inner_text(".live-note") == words  # further than a step
        page.keyboard.press("ArrowRight")
        page.focus("#figure-a")
        page.keyboard.press("End")
        state = page.inner_text(said)
        assert state == f"From 100 to {ahead}."
        page.keyboard.press("ArrowLeft")  # to the next that is there
        second = sorted(few[0])[-2]
        assert page.inner_text(said) == state.replace("100", str(second), 1)
        box = page.locator("#figure-a").bounding_box()
        page.mouse.move(box["x"] + 8 + second / 100 * (box["width"] - 16), box["y"] + box["height"] / 2)
        page.mouse.down()
        found = set()
        for x in range(60):  # a pointer has the nearest, and no other slider moves
            page.mouse.move(box["x"] + box["width"] * (0.9 - x / 100), box["y"] + box["height"] / 2)
            found.add(page.inner_text(said))
        page.mouse.up()
        assert {int(text.split()[1]) for text in found} <= {*few[0]} and len(found) > 5
        assert {text.split(" to ")[1] for text in found} == {state.split(" to ")[1]}
        page.wait_for_function("location.search.includes('a=')")
        again = browser.new_page()
        again.goto(re.sub("a=[0-9]+", "a=1", page.url))  # nobody has recorded it: the nearest
        again.wait_for_selector(DRAWN)
        assert again.inner_text(said) == f"From {few[0][0]} to {state.split(' to ')[1]}"
        again.close()


def test_beside_a_slider_that_was_moved_another_keeps_its_sign(browser, tmp_path):
    sliders = {"a": slider(-50, 50, -14), "b": slider(0, 100, 50), "c": slider(0, 3)}
    shown = live(new_figure(3, 2)[0], lambda a, b, c: f"From {a} to {b}.", **sliders)
    found = record(shown)
    steps = [found.controls[0].values[n] for n in found.pairs[0]]
    assert {-4, 1} <= {*steps} and not {-3, -2, -1, 0} & {*steps}
    shown.to_html(tmp_path / "1.html")
    with contextlib.closing(browser.new_page()) as page:
        page.goto((tmp_path / "1.html").as_uri())
        page.wait_for_selector(DRAWN)
        page.locator("#figure-a").evaluate(SET, 49)
        assert page.inner_text(".live-caption") == "From −1 to 50."
        page.focus("#figure-b")
        page.keyboard.press("ArrowRight")
        assert page.inner_text(".live-caption").startswith("From −4 to ")  # not 1, which is nearer


def crossed_of(shown):
    found = record(shown)
    return found.controls, found.together


def test_two_buttons_move_a_slider_by_single_steps_and_no_further_than_its_ends(browser, tmp_path):
    shown = live(new_figure(3, 2)[0], lambda a: f"At {a}.", a=slider(-2, 3, 2, label="offset", unit="words"))
    shown.to_html(tmp_path / "1.html")
    with contextlib.closing(browser.new_page()) as page:
        page.goto((tmp_path / "1.html").as_uri())
        page.wait_for_selector(DRAWN)
        up = page.get_by_role("button", name="offset, one step up")
        down = page.get_by_role("button", name="offset, one step down")
        for button, expected in ((up, 3), (up, 3), (down, 2), *((down, n) for n in (1, 0, -1, -2, -2))):
            button.click()
            said = f"{expected}".replace("-", "−")
            assert page.inner_text("output") == said
            page.wait_for_function(f"document.querySelector('.live-caption').innerText === 'At {said}.'")
        page.keyboard.press("ArrowRight")  # goes on from there
        assert page.inner_text("output") == "−1"
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "reset"  # they are no stops
        style = "document.querySelector('input').style.getPropertyValue('--%s')"
        assert [float(page.evaluate(style % name)) for name in ("at", "zero")] == [0.2, 0.4]


def test_a_link_is_copied_or_stands_in_the_address_bar(browser, tmp_path):
    live(new_figure(3, 2)[0], lambda a: f"At {a}.", a=slider(-3, 3)).to_html(tmp_path / "1.html")
    with contextlib.closing(
        browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    ) as context:
        page = context.new_page()
        page.goto((tmp_path / "1.html").as_uri())
        page.wait_for_selector(DRAWN)
        assert page.inner_text("output") == "−3" == page.get_attribute("input", "aria-valuetext")
        page.click("text=Copy link")
        page.wait_for_selector(".live-link:text('Copied')")
        link = page.evaluate("navigator.clipboard.readText()")
        assert link == page.url and "a=-3#" in link
        page.wait_for_selector("text=Copy link")
        page.evaluate("void (navigator.clipboard.writeText = () => Promise.reject(Error('refused')))")
        page.focus("input")
        page.keyboard.press("ArrowRight")
        page.click("text=Copy link")
        page.wait_for_selector("[role=status]:has-text('The address bar has the link')")
        assert "a=-2#" in page.url


def test_a_notebook_that_nbconvert_turned_into_a_page_moves(browser, tmp_path):
    shown = "live(Figure((3, 2)), lambda k: f'The offset is {k}.', k=slider(0, 9, %d))"
    cells = ["from live_figures import *\nfrom matplotlib.figure import Figure", shown % 2, shown % 5]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbformat.write(notebook, tmp_path / "two.ipynb")
    command = [sys.executable, "-m", "nbconvert", "--execute", "--to", "html", tmp_path / "two.ipynb"]
    subprocess.run(command, check=True, env=os.environ | {"LIVE_FIGURES_DRAW_IN": "html"})
    with contextlib.closing(browser.new_context(offline=True)) as context:
        page = context.new_page()
        page.goto((tmp_path / "two.html").as_uri())
        page.wait_for_function(f"document.querySelectorAll('{DRAWN}').length == 2")
        page.focus("input >> nth=1")
        page.keyboard.press("ArrowRight")
        captions = [each.inner_text() for each in page.query_selector_all(".live-caption")]
        assert captions == ["The offset is 2.", "The offset is 6."]


@pytest.fixture(scope="module")
def file_of_two_sliders(tmp_path_factory):
    figure, axes = new_figure(6, 4)
    (line,) = axes.plot([0, 1], [0, 0])

    def update(a, b):
        line.set_ydata([a, b])
        return f"From {a} to {b:.3g}."

    path = tmp_path_factory.mktemp("sliders") / "1.html"
    live(figure, update, a=slider(0, 30, 10), b=log_slider(1, 1000, 10)).to_html(path)
    return path.as_uri()


@pytest.fixture
def phone(browser, file_of_two_sliders):
    """A file with two sliders, on a phone."""
    screen = {"width": 375, "height": 400}
    with contextlib.closing(browser.new_context(viewport=screen, has_touch=True, is_mobile=True)) as context:
        page = context.new_page()
        page.goto(file_of_two_sliders)
        page.wait_for_selector(DRAWN)
        page.evaluate("document.body.style.paddingBottom = '1000px'")
        yield page


@pytest.mark.parametrize("where", ["input >> nth=0", "input >> nth=1", "canvas"])
@pytest.mark.parametrize("place", [0.33, 0.8])
def test_a_finger_that_moves_up_scrolls_and_changes_nothing(phone, where, place):
    watch = "caption => new MutationObserver(() => window.changes = 1).observe(caption, { childList: true })"
    phone.evaluate(watch, phone.query_selector(".live-caption"))
    phone.evaluate("window.values = () => [...document.querySelectorAll('input')].map(input => input.value)")
    before = phone.evaluate("values()")
    box = phone.locator(where).bounding_box()
    reader.swipe(phone, box["x"] + place * box["width"], min(box["y"] + box["height"] / 2, 380), 3, -150)
    assert phone.evaluate("scrollY") > 50
    assert phone.evaluate("values()") == before and phone.evaluate("window.changes ?? 0") == 0


def test_a_finger_that_moves_sideways_drags_and_a_tap_moves(phone):
    box = phone.locator("input >> nth=0").bounding_box()
    middle = box["y"] + box["height"] / 2
    reader.swipe(phone, box["x"] + 0.35 * box["width"], middle, 0.3 * box["width"], 4)
    assert 15 < int(phone.input_value("input >> nth=0")) < 25
    said = phone.inner_text(".live-caption")
    assert said == f"From {phone.input_value('input >> nth=0')} to 10." and phone.evaluate("scrollY") == 0
    phone.touchscreen.tap(box["x"] + 0.9 * box["width"], middle)
    phone.wait_for_function("document.querySelector('.live-caption').textContent > 'From 25'")


def test_on_a_phone_handles_are_as_large_as_fingers(phone):
    phone.focus("input >> nth=0")
    phone.keyboard.press("Home")
    phone.evaluate("document.activeElement.blur()")
    row = pixels(phone.locator("input >> nth=0").screenshot())[22].astype(int)
    blue = np.flatnonzero(row[:, 2] - row[:, 0] > 100)
    assert 20 <= np.ptp(blue) <= 26 and abs(blue.mean() - 22) <= 1  # a dot in the middle of 44 pixels
    sizes = phone.evaluate("[...document.querySelectorAll('input, button')].map(e => e.offsetHeight)")
    assert min(sizes) >= 44


def test_a_larger_picture_moves_sideways_in_its_frame_and_its_caption_stays(phone):
    caption = phone.locator(".live-caption")
    small, place = phone.locator("canvas").bounding_box(), caption.bounding_box()
    phone.click("text=Larger picture")
    frame = phone.get_by_role("group", name="Picture")
    frame.focus()
    phone.keyboard.press("ArrowRight")
    phone.wait_for_function("document.activeElement.scrollLeft > 0")
    assert phone.locator("canvas").bounding_box()["width"] > 1.2 * small["width"]
    assert caption.bounding_box()["x"] == place["x"] and caption.bounding_box()["width"] == place["width"]
    assert phone.evaluate("document.documentElement.scrollWidth") <= 375
    phone.click("text=Smaller picture")
    assert phone.locator("canvas").bounding_box()["width"] == small["width"] and not frame.count()


def test_next_leads_through_the_presets_and_reset_is_none_of_them(browser, tmp_path):
    presets = {"low": {"k": 2}, "middle": {"k": 5}, "high": {"k": 9}, "lowest": {"k": 0}, "near": {"k": 3}}
    shown = live(new_figure(3, 2)[0], lambda k: f"It is {k}.", presets, k=slider(0, 9, 2))
    shown.to_html(tmp_path / "1.html")
    with contextlib.closing(browser.new_page()) as page:
        page.goto((tmp_path / "1.html").as_uri())
        page.wait_for_selector(DRAWN)
        found = []
        for _ in range(6):
            found.append(page.locator("[aria-pressed=true]").all_inner_texts())
            page.click(".live-next")
        assert found == [["low"], ["middle"], ["high"], ["lowest"], ["near"], ["low"]]


def test_on_a_narrow_page_many_presets_stand_in_one_row_that_follows_the_keys_and_next(browser, tmp_path):
    presets = {f"to the number {k}": {"k": k} for k in range(1, 10)}
    shown = live(new_figure(3, 2)[0], lambda k: f"It is {k}.", presets, k=slider(0, 9))
    shown.to_html(tmp_path / "1.html")
    places = """all => all.map(it => {
        const box = it.getBoundingClientRect()
        return [box.left, box.right, box.top]
    })"""
    for width in (375, 1100):
        with contextlib.closing(browser.new_page(viewport={"width": width, "height": 700})) as page:
            page.goto((tmp_path / "1.html").as_uri())
            page.wait_for_selector(DRAWN)
            buttons = page.locator(".live-tour button:not(.live-next, .live-enlarge)")
            lines = {top for *_, top in buttons.evaluate_all(places)}
            assert len(lines) == 1 if width == 375 else len(lines) > 1
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            buttons.first.focus()
            for n in range(10):  # each can be reached by Tab and is seen then
                assert page.evaluate("document.activeElement.innerText") == buttons.nth(n).inner_text()
                page.wait_for_function(
                    """() => { const box = document.activeElement.getBoundingClientRect()
                    return box.left >= 0 && box.right <= innerWidth }"""
                )
                page.keyboard.press("Tab")
            for n in range(1, 10):
                page.click(".live-next")
                assert page.inner_text(".live-caption") == f"It is {n}."
                left, right, _ = page.locator("[aria-pressed=true]").evaluate_all(places)[0]
                assert left >= 0 and right <= width


def test_where_buttons_say_all_that_was_recorded_of_a_text_no_menu_says_it_again(browser, tmp_path):
    for number, of in enumerate(("abcdef", "ab"), 1):
        presets = {letter: {"said": letter} for letter in of}
        controls = {"said": text("a", label="words"), "n": slider(0, 1)}
        live(new_figure(3, 2)[0], lambda said, n: f"{said} {n}.", presets, **controls).to_html(
            tmp_path / f"{number}.html"
        )
        with contextlib.closing(browser.new_page()) as page:
            page.goto((tmp_path / f"{number}.html").as_uri())
            page.wait_for_selector(DRAWN)
            assert page.is_visible("select") == (number == 2)
            page.click("button:text-is('b')")
            page.wait_for_function("document.querySelector('.live-caption').innerText === 'b 0.'")


def test_a_preset_leaves_the_controls_that_it_does_not_name(browser, tmp_path):
    presets = {"low": {"k": 2}, "high": {"k": 9}, "high dog": {"k": 9, "word": "dog"}}
    controls = {"k": slider(0, 9, 5), "word": text("cat")}
    shown = live(new_figure(3, 2)[0], lambda k, word: f"{word} {k}", presets, **controls)
    shown.to_html(tmp_path / "1.html", examples={"word": ["wolf"]})
    with contextlib.closing(browser.new_page()) as page:
        page.goto((tmp_path / "1.html").as_uri())
        page.wait_for_selector(DRAWN)
        page.select_option("select", label="wolf")
        found = []
        for button in ("low", "high", "high dog", "low", "reset"):
            page.click(f"button:text-is('{button}')")
            pressed = page.locator("[aria-pressed=true]").all_inner_texts()
            found.append((page.inner_text(".live-caption"), pressed))
    assert found == [
        ("wolf 2", ["low"]),
        ("wolf 9", ["high"]),
        ("dog 9", ["high", "high dog"]),
        ("dog 2", ["low"]),
        ("cat 5", []),
    ]


def test_a_preset_takes_back_as_few_as_possible_where_a_state_was_not_recorded(browser, tmp_path):
    controls = {name: slider(0, 100, 50) for name in "abc"}
    shown = live(new_figure(3, 2)[0], lambda a, b, c: f"{a} {b} {c}", {"far": {"b": 77}}, **controls)
    states = record(shown).frames
    a, _, c = next(s for s in states if s[0] != 50 != s[2] and (s[0], 77, s[2]) not in states)
    shown.to_html(tmp_path / "1.html")
    with contextlib.closing(browser.new_page()) as page:
        page.goto(f"{(tmp_path / '1.html').as_uri()}?a={a}&b=50&c={c}#figure")
        page.wait_for_selector(DRAWN)
        page.wait_for_function("document.querySelector('.live-caption').textContent")
        assert page.inner_text(".live-caption") == f"{a} 50 {c}"
        page.click("text=far")
        assert page.inner_text(".live-caption") in (f"50 77 {c}", f"{a} 77 50")
        other = f"a = {a}" if page.inner_text(".live-caption").startswith("50 ") else f"c = {c}"
        words = f"This page has no {other} with “far”: it shows 50. The notebook has it."
        assert page.inner_text(".live-note") == words
        page.goto("about:blank")
        page.goto(f"{(tmp_path / '1.html').as_uri()}?a={a}&b=77&c={c}#figure")  # nor what an address asks for
        page.wait_for_selector(DRAWN)
        assert "This page " in page.inner_text(".live-note")


def test_a_change_is_said_once_by_the_slider_and_once_by_the_caption(phone):
    parts = "[aria-live=polite], [role=status], [role=alert], output:not([aria-live=off])"
    watch = """parts => {
        window.said = []
        const note = ([{ target }]) => said.push(target.textContent)
        for (const part of document.querySelectorAll(parts))
            new MutationObserver(note).observe(part, { childList: true })
    }"""
    phone.evaluate(watch, parts)
    phone.focus("input >> nth=1")
    for key in ("Home", "ArrowRight", "End"):  # as a key that is held passes many states
        phone.keyboard.press(key)
    assert phone.get_attribute("input >> nth=1", "aria-valuetext") == "1,000"
    assert phone.inner_text(".live-caption") == "From 10 to 1e+03."
    phone.wait_for_function("said.length > 0")
    assert phone.evaluate("said") == ["From 10 to 1e+03."]


@pytest.mark.parametrize("is_turned", [True, False])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_file_is_as_dark_as_the_readers_system_and_its_picture_where_it_may(
    browser, tmp_path, scheme, is_turned
):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    figure, _ = new_figure(3, 2)
    figure.patch.set_alpha(0)
    presets = {"far": {"a": 3}}
    shown = live(figure, lambda a: f"At {a}.", presets, a=slider(0, 3), dark=is_turned)
    shown.to_html(tmp_path / "1.html")
    with contextlib.closing(browser.new_context(color_scheme=scheme)) as context:
        page = context.new_page()
        page.goto((tmp_path / "1.html").as_uri())
        page.wait_for_selector(DRAWN)
        assert axe.Axe().run(page, options={"runOnly": ["color-contrast"]}).response["violations"] == []
        ground, picture = pixels(page.screenshot()), pixels(page.locator("canvas").screenshot())
        assert (ground[2, 2] > 250).all() if scheme == "light" else (ground[2, 2] < 40).all()
        is_dark = scheme == "dark" and is_turned
        assert (picture[2, 2] < 40).all() if is_dark else (picture[2, 2] == 255).all()


def test_without_scripts_the_file_shows_the_still(browser, tmp_path):
    live(new_figure(3, 2)[0], lambda a: f"At {a}.", a=slider(0, 3)).to_html(tmp_path / "1.html")
    with contextlib.closing(browser.new_context(java_script_enabled=False)) as context:
        page = context.new_page()
        page.goto((tmp_path / "1.html").as_uri())
        assert page.inner_text("figcaption") == "At 0."
        assert page.eval_on_selector("img", "image => image.naturalWidth") == 300


@pytest.fixture(scope="module")
def file_to_draw(tmp_path_factory):
    names, path = {}, tmp_path_factory.mktemp("curve") / "draw.html"
    exec(DRAW_FIRST, names)
    names["shown"].to_html(path)
    return path.as_uri()


@pytest.fixture
def page_to_draw(browser, file_to_draw):
    """The page of a figure whose curve the reader draws first, at 1 from 0 to 10."""
    page = browser.new_page(viewport={"width": 500, "height": 700}, has_touch=True)  # the picture is smaller
    page.goto(file_to_draw)
    page.wait_for_selector(DRAWN)
    yield page
    page.close()


def caption(page):
    return page.inner_text(".live-caption")


def places_of(page):
    """A function from x and y of the figure to those of the page."""
    names = {}
    exec(DRAW_FIRST, names)
    box, scale = page.query_selector("canvas").bounding_box(), names["axes"].transData
    zoom = box["width"] / 600

    def place(x, y):
        left, up = scale.transform((x, y))
        return box["x"] + zoom * left, box["y"] + zoom * (300 - up)

    return place


def test_a_curve_is_seen_after_the_reader_has_drawn_it(page_to_draw):
    page, canvas = page_to_draw, page_to_draw.query_selector("canvas")
    assert not page.evaluate(IS_SEEN)
    assert caption(page).startswith("Draw the curve") and "A line" not in caption(page)
    place = places_of(page)
    page.mouse.move(*place(2, 2))
    page.mouse.down()
    page.mouse.move(*place(6, 2), steps=5)
    page.mouse.move(*place(8, 3), steps=5)
    page.mouse.up()
    page.mouse.move(*place(9, -3))  # nothing follows it
    assert not page.evaluate(IS_SEEN)
    page.click("text=Show it")
    assert page.evaluate(IS_SEEN) and canvas.get_attribute("role") == "img"
    expected = (
        "A line at 1. Your drawing (dashed) is 1.2 off on average, and most at x = 8, where it is 2 too high."
    )
    assert caption(page) == expected
    page.focus("input")
    page.keyboard.press("End")  # the drawing stays, and is held against the new curve
    page.wait_for_function("document.querySelector('.live-caption').textContent.includes('A line at 3')")
    assert caption(page).endswith("and most at x = 2, where it is 1 too low.")
    page.click("text=Draw again")
    assert not page.evaluate(IS_SEEN) and caption(page).startswith("Draw the curve")


def test_a_curve_is_drawn_by_keyboard_and_said_to_a_screen_reader(page_to_draw):
    page = page_to_draw
    canvas = page.query_selector("canvas")
    assert canvas.get_attribute("role") == "slider" and "arrow keys" in canvas.get_attribute("aria-label")
    canvas.focus()
    for key in ["ArrowUp"] * 10 + ["ArrowRight"] * 40 + ["ArrowDown"] * 5:
        page.keyboard.press(key)
    assert canvas.get_attribute("aria-valuetext") == "x 10, y 1"
    assert canvas.get_attribute("aria-valuenow") == "40"
    page.focus("text=Show it")
    page.keyboard.press("Enter")
    assert page.evaluate(IS_SEEN) and page.evaluate("document.activeElement.textContent") == "Draw again"
    # a drawing begins at the first column of pixels, which lies at 0 or beside it, as the axes are laid out
    assert re.search(r"most at x = 0(\.1)?, where it is (1|0\.99) too high\.$", caption(page))


def test_a_finger_draws_and_does_not_scroll(page_to_draw):
    page = page_to_draw
    place = places_of(page)
    (x, y), (_, down) = place(2, 3), place(2, -3)
    reader.swipe(page, x, y, 30, down - y)
    page.click("text=Show it")
    assert "Your drawing" in caption(page) and page.evaluate("scrollY") == 0


def test_the_curve_is_shown_to_who_does_not_draw(page_to_draw):
    page_to_draw.click("text=Show it")
    assert page_to_draw.evaluate(IS_SEEN) and caption(page_to_draw) == "A line at 1."


@pytest.fixture
def row_of_panels():
    figure, (left, right) = new_figure(10, 3, 1, 2)
    (line,) = left.plot([0, 1], [0, 1])
    left.set_title("A title that is too long for a telephone, and broken")
    right.set_xlabel("small", fontsize=6)
    figure.colorbar(right.imshow(np.eye(9)))
    figure.suptitle("Both")

    def update(k):
        line.set_ydata([0, k])
        return f"To {k}."

    return live(figure, update, k=slider(0, 3, 1))


def test_for_a_narrow_page_panels_stand_one_below_the_other_and_then_as_they_did(row_of_panels):
    figure, seen = row_of_panels.figure, {}
    before = row_of_panels.still(), row_of_panels.display_lists()
    update = row_of_panels.update

    def look(k):
        letters = min(figure.dpi / 72 * text.get_size() for text in figure.findobj(Text))
        title = figure.axes[0].title.get_window_extent().width
        seen[round(figure.bbox.width)] = [axes.bbox.extents for axes in figure.axes], letters, title
        return update(k)

    row_of_panels.update = look
    recording = record(row_of_panels, width=340)
    (first, second, bar), letters, title = seen[340]
    assert first[1] > second[3] and first[2] - first[0] > 170 and letters > 10.99 and title <= 340
    assert second[2] + 25 < first[2] and second[2] < bar[0]  # it takes no room from the other panel
    sizes = {tuple(frame.size) for frame in recording.frames.values()}
    assert sizes == {tuple(recording.size)} and recording.size[0] == 340
    row_of_panels.update = update
    assert (row_of_panels.still(), row_of_panels.display_lists()) == before


def test_for_a_narrow_page_panels_stand_close_in_their_order_also_one_of_several_cells():
    figure, panels = new_figure(9, 6, 2, 3)
    grid = panels[0, 0].get_gridspec()
    for each in panels[1]:
        each.remove()
    wide = figure.add_subplot(grid[1, :])
    wide.set_title("A title at the left, too long for a telephone", loc="left")
    for each in panels[0]:
        each.set(aspect="equal", xlim=(-1, 1), ylim=(-1, 1))
    (line,) = panels[0, 2].plot([0, 1], label="a name that takes room")
    panels[0, 2].legend(loc="center left", bbox_to_anchor=(1, 0.5))
    seen = []

    def update(k):
        line.set_ydata([0, k])
        wide.set_xlabel("words below" + (k > 1) * ", and more of them than before")
        title, label = (words.get_window_extent() for words in (wide._left_title, wide.xaxis.label))
        ends = title.x1, label.x1, 340 - label.x0, 340 - label.y0
        seen.append((round(figure.bbox.width), [each.bbox.frozen() for each in (*panels[0], wide)], ends))
        return f"To {k}."

    record(live(figure, update, k=slider(0, 3, 1)), width=340)
    for boxes, ends in [each[1:] for each in seen if each[0] == 340]:
        gaps = [upper.y0 - lower.y1 for upper, lower in itertools.pairwise(boxes)]
        assert min(gaps) > 20 and max(gaps) < 90 and max(ends) <= 340  # all words are within the picture


def test_for_a_narrow_page_three_panels_are_lower_than_two_so_that_more_of_them_are_seen():
    figure = Figure(figsize=(11, 2.8), dpi=100, layout="constrained")
    one, other, image = figure.subplots(1, 3)
    one.plot([0, 1])
    other.set_aspect("equal")
    image.imshow([[0, 1], [2, 3]])
    with narrow(figure, 340):
        heights = [axes.bbox.height for axes in (one, other, image)]
        assert figure.bbox.height < 620
    assert max(heights[:2]) < 0.43 * 340 and heights[2] > 0.6 * 340


def test_for_a_narrow_page_a_title_keeps_off_the_label_above_it():
    figure, panels = new_figure(11, 3, 1, 3)
    for axes in panels[:2]:
        axes.set(xlabel="to dimension", title="the table")
    panels[2].set(aspect="equal", xlim=(-1, 1), ylim=(-1, 1), title="a clock")
    with narrow(figure, 340):
        for upper, lower in itertools.pairwise(panels):
            label, title = (words.get_window_extent() for words in (upper.xaxis.label, lower.title))
            assert 14 < label.y0 - title.y1 < 20


def test_for_a_narrow_page_panels_stay_in_a_row_where_the_author_says_so():
    figure, (left, middle, right) = new_figure(9, 3, 1, 3)
    middle.set(aspect="equal", anchor="N", xlabel="a label")
    bar = figure.colorbar(right.imshow(np.eye(9), aspect="auto"), label="number").ax
    before, seen = [axes.get_position().bounds for axes in figure.axes], {}

    def update(k):
        seen[round(figure.bbox.width)] = [axes.bbox.frozen() for axes in (left, middle, right)]
        return f"To {k}."

    shown = live(figure, update, narrow_columns=3, k=slider(0, 3, 1))
    assert before != [axes.get_position().bounds for axes in figure.axes]  # it has been laid out
    before, still = [axes.get_position().bounds for axes in figure.axes], png(figure)
    record(shown, width=340)
    one, square, other = seen[340]
    assert one.x1 < square.x0 and square.x1 < other.x0 and one.y0 == other.y0 < square.y0
    assert np.allclose([square.width, other.width], one.width)
    assert [axes.get_position().bounds for axes in figure.axes] == before and png(figure) == still
    with narrow(figure, 340):  # of the still picture, too
        words = bar.get_tightbbox()
        assert words.y1 < middle.get_tightbbox().y0 and left.bbox.x1 < words.x0 and words.x1 < right.bbox.x0
    live(figure, update, k=slider(0, 3, 1))  # the same cell, changed
    with narrow(figure, 340):
        assert left.bbox.y0 > middle.bbox.y1 > right.bbox.y1


@pytest.mark.parametrize("columns", [0, 4, -1, 2.5, "two"])
def test_no_more_panels_can_stand_beside_each_other_than_the_figure_has_in_a_row(columns):
    allowed = r"^narrow_columns must be a whole number from 1 to 3, the panels in a row of the figure; got "
    with pytest.raises(ValueError, match=allowed + re.escape(repr(columns))):
        live(new_figure(3, 2, 1, 3)[0], lambda k: "", narrow_columns=columns, k=slider(0, 3, 1))


def test_for_a_narrow_page_small_panels_stand_in_rows_and_one_as_wide_as_the_figure_below_them():
    figure = Figure(figsize=(10, 4), dpi=100, layout="constrained")
    panels = figure.subplot_mosaic("abcd;wwww")
    clocks, wide = [panels[letter] for letter in "abcd"], panels["w"]
    for axes in clocks:
        axes.set(aspect="equal", xlim=(-1, 1), ylim=(-1, 1), title="a clock")
        axes.axis("off")
    shown = live(figure, lambda k: "", narrow_columns=2, k=slider(0, 1))
    before = [axes.get_position().bounds for axes in figure.axes]
    with narrow(figure, 340):
        first, second, third, fourth = (axes.bbox.frozen() for axes in clocks)
        assert np.allclose([first.y0, third.y0], [second.y0, fourth.y0])
        assert first.y0 > third.y1 and third.y0 > wide.bbox.y1
        assert np.allclose([first.x0, second.x0], [third.x0, fourth.x0]) and second.x0 > first.x1
        assert first.width == pytest.approx(first.height) and first.width > 130  # as large as there is room
        assert wide.bbox.width > 290
    assert [axes.get_position().bounds for axes in figure.axes] == before and shown.caption == ""


def test_for_a_narrow_page_the_first_panel_has_a_row_where_one_would_be_left_over():
    figure, (clock, left, right) = new_figure(11, 3, 1, 3)
    clock.set(aspect="equal", xlim=(-1, 1), ylim=(-1, 1))
    figure.supxlabel("a label of all")
    live(figure, lambda k: "", narrow_columns=2, k=slider(0, 1))
    with narrow(figure, 340):
        assert clock.bbox.y0 > left.bbox.y1 and left.bbox.y0 == right.bbox.y0
        assert left.bbox.x1 < right.bbox.x0 and left.bbox.width == pytest.approx(right.bbox.width)
        assert figure.bbox.height < 400 and left.bbox.height < 1.2 * left.bbox.width


def test_every_state_of_all_sliders_is_recorded_where_that_is_asked_for():
    controls = {"a": slider(0, 30, 5), "b": slider(0, 40), "c": choice(["x", "y"])}
    shown = live(Figure(), lambda a, b, c: f"{a} {b} {c}", **controls)
    few, every = record(shown), record(shown, every=True)
    assert len(few.frames) < 700 and len(every.frames) == 31 * 41 * 2
    assert every.frames[30, 7, 1].caption == "30 7 y"
    assert len(record(shown, like=every).frames) == len(every.frames)


def test_a_preset_takes_the_place_of_a_step_of_a_log_slider_that_is_close_to_it():
    presets = {"file": {"k": 40_960.0}, "other": {"k": 48_000.0}}
    shown = live(Figure(), lambda k: f"{k:.0f}", presets, k=log_slider(1024, 1e6, 131_072))
    values = np.array(record(shown).controls[0].values)
    assert {40_960, 48_000, 131_072} <= {*values}
    factors = values[1:] / values[:-1]
    assert factors.min() > 10 ** (1 / 40) and factors.max() < 10 ** (3 / 40)


def test_for_a_narrow_page_a_figure_is_laid_out_at_its_start_whatever_was_recorded_before():
    figure, axes = new_figure(6, 3)
    seen = {}

    def update(k):
        axes.set_yticks([0.5], ["a long name that takes room" if k == 0 else "a"])
        seen[round(figure.bbox.width), k] = axes.bbox.x0
        return f"To {k}."

    shown = live(figure, update, k=slider(0, 3))
    shown.frame_at({"k": 3})  # as a recording leaves it
    record(shown, width=340)
    assert seen[340, 0] > 100


def test_a_still_picture_for_a_narrow_page_has_legends_below_and_labels_that_can_be_read(tmp_path):
    figure, panels = new_figure(9, 3, 1, 2)
    left, right = panels
    right.sharey(left)
    right.tick_params(labelleft=False)
    right.plot([0, 1], label="a name that takes room")
    right.set_xlabel("below it")
    legend = right.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    names = [f"name {n}" for n in range(20)]
    left.set_yticks(range(20), names)
    title = figure.suptitle("Words over all panels, more than a telephone has room for in one line")
    before = png(figure)
    with narrow(figure, 340):
        page = figure.bbox
        assert legend.get_window_extent().y1 < right.xaxis.label.get_window_extent().y0 + 1
        assert legend.get_window_extent().y0 > 0 and right.bbox.width > 0.7 * page.width
        assert [label.get_text() for label in right.get_yticklabels() if label.get_visible()] == names
        boxes = [label.get_window_extent() for label in left.get_yticklabels()]
        assert all(lower.y1 <= upper.y0 for lower, upper in itertools.pairwise(boxes))
        assert title.get_window_extent().x0 >= 0 and title.get_window_extent().x1 <= page.width
    wide, high = pixels(png(figure, 340)).shape[1::-1]
    assert wide in (679, 680) and high > 680  # older versions of matplotlib cut a fraction of a pixel off
    assert png(figure) == before
    wide, high = pixels(png(figure, 1178, 400)).shape[1::-1]
    assert wide in (2355, 2356) and high in (799, 800)  # of a slide
    assert png(figure) == before


def test_a_file_has_the_recording_for_a_narrow_page(row_of_panels, browser, tmp_path):
    row_of_panels.to_html(tmp_path / "panels.html", narrow=True)
    is_wide = "wide => document.querySelector('canvas')?.getBoundingClientRect().width === wide"
    for width, expected, turned in ((375, 340, 1000), (1200, 1000, 340)):
        page = browser.new_page(viewport={"width": width, "height": 700})
        page.goto((tmp_path / "panels.html").as_uri())
        page.wait_for_function(is_wide, arg=expected)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.focus("input")
        page.keyboard.press("End")
        page.wait_for_selector(".live-caption:has-text('To 3.')")
        page.set_viewport_size({"width": 1575 - width, "height": 700})  # it is turned
        page.wait_for_function(is_wide, arg=turned)
        assert page.inner_text(".live-caption") == "To 3." and page.input_value("input") == "3"
        page.close()


def test_a_figure_that_is_no_row_of_panels_is_refused_for_a_narrow_page():
    figure = new_figure(4, 2)[0]
    figure.add_axes((0, 0, 0.1, 0.1))
    figure.add_subplot(2, 2, (1, 2))
    with pytest.raises(ValueError, match=r"^figure must be laid out by one call of subplots"):
        record(live(figure, lambda k: f"{k}", k=slider(0, 2)), width=340)


def test_a_figure_whose_layout_was_computed_once_is_laid_out_anew_for_a_slide_and_then_as_it_was():
    figure = Figure(figsize=(8, 3), dpi=100, layout="constrained")
    axes = figure.subplots()
    axes.set(title="Two lines\nof a title", xlabel="positions")
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # as in a live figure
    before = axes.get_position().bounds
    with on_slide(figure, 1178, 400):
        figure.draw_without_rendering()
        title, label = axes.title.get_window_extent(), axes.xaxis.label.get_window_extent()
        assert title.y1 <= 400 and label.y0 >= 0
    assert axes.get_position().bounds == before


def test_on_a_slide_no_title_above_two_rows_of_panels_is_cut_at_the_first_drawing():
    figure = Figure(figsize=(10.4, 6.8), dpi=100, layout="constrained")
    panels = figure.subplots(2, 3, height_ratios=[1.4, 1])
    for axes in panels[1]:
        axes.remove()
    below = figure.add_subplot(panels[0, 0].get_gridspec()[1, :])
    below.set(title="the score", xlabel="offset", ylabel="score")
    for axes in panels[0]:
        axes.plot([0, 1], label="at position 0")
        axes.set(title="a pair", xlabel="column 0", ylabel="column 1", aspect="equal")
        axes.set(xlim=(-1.25, 1.25), ylim=(-1.25, 1.25))
    panels[0, 2].legend(loc="center left", bbox_to_anchor=(1, 0.5))
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    with on_slide(figure, 1600, 800):
        figure.draw_without_rendering()  # as a PNG is made
        assert all(axes.title.get_window_extent().y1 <= 800 for axes in panels[0])
