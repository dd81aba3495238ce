"""The live figure: it follows its controls, says what went wrong, and stores a still picture."""

import base64
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Event, Timer

import ipywidgets
import numpy as np
import pytest
from matplotlib import rc_context
from matplotlib.figure import Figure

from live_figures import (
    LiveFigure,
    _kernel_picture,
    _live,
    choice,
    draw_in,
    live,
    log_slider,
    png,
    slider,
    text,
    turn_dark,
    without_note,
)

from .conftest import pixels
from .drawing import curves, new_figure


@pytest.fixture(params=["page", "kernel", "either"], autouse=True)
def place(request, monkeypatch):
    """Every test here is one of three: the page draws, the kernel draws, the kernel until a page does."""
    if request.param != "kernel":
        pytest.importorskip("anywidget")
    monkeypatch.setattr(_live, "_place", [])
    monkeypatch.setattr(_live, "_dark", [False])
    if request.param != "either":
        draw_in(request.param)
    return request.param


def shown_by(live_figure):
    """What tells its picture from another."""
    return live_figure.picture.png or live_figure.display_lists()


@pytest.fixture
def figure_and_update():
    figure, axes = new_figure(3, 2)
    (line,) = curves(axes, range(5), np.zeros(5))
    axes.set(xticks=[0, 4], yticks=[0])  # every tick is drawn anew for each of hundreds of pictures

    def update(height, name="x"):
        if height == 13:
            raise ValueError("thirteen <is> not drawn")
        line.set_ydata(np.full(5, height / 100))
        return f"height {height}, name {name}"

    return figure, update


@pytest.fixture
def live_figure(figure_and_update):
    return live(*figure_and_update, height=slider(0, 20, 2), name=choice(["x", "y<b>"]))


def test_picture_and_caption_follow(live_figure):
    before = shown_by(live_figure)
    live_figure.controls["height"].value = 5
    assert shown_by(live_figure) != before
    assert live_figure.caption == "height 5, name x"


def test_the_caption_is_text_not_html(live_figure, place):
    live_figure.controls["name"].value = "y<b>"
    assert live_figure.caption == "height 2, name y<b>"
    if place == "kernel":
        assert "aria-live='polite'" in live_figure.picture.children[2].value
        assert "name y&lt;b&gt;" in live_figure.picture.children[2].value


def test_an_error_is_shown_and_raised_and_the_next_picture_comes_back(live_figure, place):
    with pytest.raises(ValueError, match="thirteen"):
        live_figure.controls["height"].value = 13
    says = "This picture could not be drawn. ValueError: thirteen <is> not drawn"
    assert (live_figure.problem, live_figure.caption) == (says, "")
    parts = live_figure.picture.children if place == "kernel" else []
    assert [part.layout.display for part in parts[:2]] == ["none", None][: len(parts)]
    live_figure.controls["height"].value = 14
    assert (live_figure.problem, live_figure.caption) == ("", "height 14, name x")
    assert [part.layout.display for part in parts[:2]] == [None, "none"][: len(parts)]


def test_reset_returns_to_the_start_and_draws_once(figure_and_update):
    figure, update = figure_and_update
    calls = []

    def counted(**values):
        calls.append(values)
        return update(**values)

    live_figure = live(figure, counted, height=slider(0, 20, 2), name=choice(["x", "y"]))
    start = shown_by(live_figure)
    live_figure.controls["height"].value = 9
    live_figure.controls["name"].value = "y"
    calls.clear()
    live_figure.buttons["reset"].click()
    assert calls == [{"height": 2, "name": "x"}]
    assert shown_by(live_figure) == start


def test_a_preset_sets_its_controls_and_leaves_the_others():
    seen = []

    def update(a, b, c):
        seen.append((a, b, c))
        return "A caption."

    presets = {"low : high": {"a": 0, "b": 9}, "middle": {"b": 5}}
    figure = new_figure(2, 2)[0]
    figure = live(figure, update, presets, a=slider(0, 9, 3), b=slider(0, 9, 4), c=slider(0, 9, 7))
    assert list(figure.buttons) == ["reset", "low : high", "middle"]
    pressed = []
    for name in ("low : high", "middle", "reset"):
        figure.buttons[name].click()
        pressed.append([name for name, button in figure.buttons.items() if button.button_style])
    assert pressed == [["low : high"], ["middle"], []]
    assert seen == [(3, 4, 7), (0, 9, 7), (0, 5, 7), (3, 4, 7)]


@pytest.mark.parametrize(
    "presets",
    [
        {"x": {"b": 1}},
        {"x": {"a": 9}},
        {"x": {"a": 2.5}},
        {"x": {"a": "zzz"}},
        {"fine": {"a": 1}, "x": {"a": 1, "c": "w"}},
        {"x": {"d": 1e6}},
        {"reset": {"a": 1}},
    ],
)
def test_bad_presets_are_named(presets):
    controls = {"a": slider(0, 5, 2), "c": choice(["u", "v"]), "d": log_slider(1, 100)}
    with pytest.raises(ValueError, match=r"presets must .* controls a, c, d .*; got '(x|reset)': \{"):
        live(new_figure(2, 2)[0], lambda a, c, d: "A caption.", presets, **controls)
    assert [control.value for control in controls.values()] == [2, "u", 1]


@pytest.mark.parametrize("value", [3, 9, "zzz"])
def test_checking_presets_moves_no_control(value):
    """Another figure may follow the same control: it must not draw for a check."""
    control, moves = slider(0, 5, 2), []
    control.observe(moves.append)
    with suppress(ValueError):
        live(new_figure(2, 2)[0], lambda a: "A caption.", {"x": {"a": value}}, a=control)
    assert control.value == 2 and not [move for move in moves if move.name == "value"]


@pytest.mark.parametrize("parameters", ["k, other", "other", "k, /"])
def test_controls_that_update_does_not_take_are_named(parameters):
    with pytest.raises(ValueError, match=r"controls must be the parameters of update\(.*\); got \(k\): "):
        live(new_figure(2, 2)[0], eval(f"lambda {parameters}: 'A caption.'"), k=slider(0, 5))


@pytest.mark.parametrize("control", [5, ipywidgets.Image(), ipywidgets.FileUpload(), ipywidgets.Button()])
def test_what_is_no_control_is_named(control):
    with pytest.raises(TypeError, match=r"^controls must be sliders, menus and texts, .* got k="):
        live(new_figure(2, 2)[0], lambda k: "", k=control)


def test_axes_are_no_figure():
    with pytest.raises(TypeError, match=r"^figure must be a matplotlib Figure; got <Axes"):
        live(new_figure(2, 2)[1], lambda k: "", k=slider(0, 9))


def test_a_negative_number_in_the_caption_has_a_minus_sign_like_tick_labels():
    said = "k = {k} is in (-9, -.5); on 2026-11-25 x-1, f(x)-1, 3 - 1, 1e-9 and well-known"
    shown = live(Figure(), lambda k: said.format(k=k), k=slider(-9, 9, -2))
    assert shown.caption == said.replace("(-9, -.5", "(−9, −.5").format(k="−2")
    with rc_context({"axes.unicode_minus": False}):
        shown.refresh()
    assert shown.caption == said.format(k=-2)


def test_a_caption_is_required(figure_and_update):
    with pytest.raises(TypeError, match="caption"):
        live(figure_and_update[0], lambda height: None, height=slider(0, 20))


def test_the_display_bundle_has_live_view_still_picture_and_constant_text(live_figure):
    bundle, _ = live_figure._repr_mimebundle_()
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"] == live_figure.model_id
    still = without_note(base64.b64decode(bundle["image/png"]))
    np.testing.assert_array_equal(pixels(still), pixels(png(live_figure.figure)))
    text_before = bundle["text/plain"]
    live_figure.controls["height"].value = 7
    assert live_figure._repr_mimebundle_()[0]["text/plain"] == text_before
    assert not callable(live_figure._ipython_display_)


def test_where_the_kernel_draws_plain_widgets_are_enough(live_figure, place):
    assert isinstance(live_figure, LiveFigure) and isinstance(live_figure, ipywidgets.VBox)
    parts = [*live_figure.children, *getattr(live_figure.picture, "children", [])]
    is_plain = all(part._model_module == "@jupyter-widgets/controls" for part in parts)
    assert is_plain == (place != "page")


def test_the_picture_has_a_name(live_figure, place):
    name = "Picture that follows height, name; the text below says what it shows"
    if place == "page":
        assert live_figure.picture.label == name
    elif place == "kernel":
        state = live_figure.picture.children[0].get_state()
        assert state["tooltip"] == name and state["description"] == ""


def test_controls_have_labels_units_and_readouts(figure_and_update):
    update = lambda **values: "caption"  # noqa: E731
    controls = live(
        figure_and_update[0],
        update,
        k=slider(-5, 5, 0, label="offset k", unit="positions"),
        share=slider(0, 1, 0.5, step=0.1),
        base=log_slider(10, 1000, 100),
        on=ipywidgets.Checkbox(description="switch"),
        plain=ipywidgets.FloatText(),
        words=text("hello"),
        rate=log_slider(1, 10, unit="rad"),
    ).controls
    assert controls["k"].description == "offset k (positions)" and controls["k"].readout
    assert isinstance(controls["k"], ipywidgets.IntSlider)
    assert isinstance(controls["share"], ipywidgets.FloatSlider)
    assert isinstance(slider(0, np.int64(5)), ipywidgets.IntSlider)
    assert slider(0, 0.5).step == 0.005
    assert controls["base"].description == "base" and controls["base"].value == 100
    assert (controls["base"].min, controls["base"].max) == (1, 3)
    through_start = log_slider(2, 100_000, 10_000)
    assert round((4 - through_start.min) / 0.05, 6) == 73 and through_start.max == 5
    doubling = log_slider(1000, 2**20, 131_072, base=2)
    assert (doubling.base, doubling.min, doubling.max, doubling.step) == (2, 10, 20, 0.25)
    assert doubling.value == 131_072
    assert controls["on"].description == "switch" and controls["plain"].description == "plain"
    assert controls["words"].description == "words" and controls["rate"].description == "rate (rad)"
    assert choice({"one": 1, "two": 2}, 2).value == 2


def test_running_the_cell_again_shows_the_same_picture(figure_and_update):
    first = live(*figure_and_update, height=slider(0, 20, 2))
    picture = shown_by(first)
    first.controls["height"].value = 9
    second = live(*figure_and_update, height=slider(0, 20, 2))
    assert shown_by(second) == picture
    second.controls["height"].value = 9
    assert shown_by(second) == shown_by(first) != picture


def test_a_control_that_update_sets_is_followed(figure_and_update, place):
    figure, update = figure_and_update
    low, high = slider(0, 9, 1), slider(0, 9, 4)

    def ordered(low_end, high_end):
        if high_end < low_end:
            high.value = low_end
        return update(high_end, name=f"from {low_end} to {high_end}")

    live_figure = live(figure, ordered, low_end=low, high_end=high)
    low.value = 7
    assert high.value == 7 and "from 7 to 7" in live_figure.caption
    low.value = 2
    if place == "page":  # a prefetch moves nothing
        assert live_figure.frame_at({"low_end": 9, "high_end": 7}, True) is None
        assert high.value == 7 and live_figure.frame_at({"low_end": 3, "high_end": 7}, True) is None


def test_an_update_that_never_comes_to_rest_is_an_error(figure_and_update):
    figure, update = figure_and_update
    k = slider(0, 1000, 0)

    def restless(k_now):
        if k_now:
            k.value = k_now + 1
        return update(k_now)

    live_figure = live(figure, restless, k_now=k)
    with pytest.raises(RuntimeError, match=r"update must stop .*; after ten calls .*'k_now': 1"):
        k.value = 1
    assert "RuntimeError: update must stop" in live_figure.problem
    assert live_figure.caption == ""
    live_figure.to_start()
    assert live_figure.problem == ""


def test_two_live_figures_may_share_a_figure_and_a_control(figure_and_update):
    figure, update = figure_and_update
    height = slider(0, 20, 2, unit="cm")
    first, second = (live(figure, update, height=height) for _ in range(2))
    assert height.description == "height (cm)"
    height.value = 9
    assert shown_by(first) == shown_by(second)


def test_after_a_failed_start_the_control_is_free(figure_and_update):
    height = slider(0, 20, 13)
    with pytest.raises(ValueError, match="thirteen"):
        live(*figure_and_update, height=height)
    height.value = 12  # would raise if the dead figure still followed


def test_the_picture_grows_with_the_figure(figure_and_update, place):
    figure, _ = figure_and_update

    def update(width):
        figure.set_size_inches(width, 2)
        return "A wide figure."

    live_figure = live(figure, update, width=slider(2, 5))
    live_figure.controls["width"].value = 5
    if place == "page":
        assert live_figure.frame_at({"width": 5}).size == [500, 200]
    elif place == "kernel":
        assert live_figure.picture.children[0].layout.width == "500px"


def test_a_start_outside_the_range_and_an_empty_range_are_refused():
    for make in (slider, log_slider):
        with pytest.raises(ValueError, match="high must be greater than low = 5; got 5"):
            make(5, 5)
        with pytest.raises(ValueError, match="start must be from low = 1 to high = 5; got 9"):
            make(1, 5, 9)
    with pytest.raises(ValueError, match="high must be at least one step"):
        log_slider(1, 1.1)
    with pytest.raises(
        ValueError, match=r"high must be at least one step, a factor of 1\.19, above low = 1; got 1\.15"
    ):
        log_slider(1, 1.15, base=2)
    with pytest.raises(ValueError, match="base must be 10 or 2; got 3"):
        log_slider(1, 9, base=3)
    with pytest.raises(ValueError, match=r"start must be one of \['a', 'b'\]; got 'c'"):
        choice(["a", "b"], "c")
    with pytest.raises(ValueError, match="start must be one of"):
        choice([])


def test_who_draws_is_chosen_by_name():
    with pytest.raises(ValueError, match=r"place must be one of .*; got 'paper'"):
        draw_in("paper")


in_either = pytest.mark.parametrize("place", ["either"], indirect=True)


@pytest.mark.parametrize("place", ["kernel", "either"], indirect=True)
def test_what_a_page_held_back_does_not_undo_a_press_that_the_kernel_draws(live_figure, monkeypatch):
    height = live_figure.controls["height"]
    height.set_state({"value": 9})  # as a page does
    live_figure.buttons["reset"].click()
    image = live_figure.picture.png
    height.set_state({"value": 15})  # set before the press, sent after it
    assert height.value == 2 and live_figure.caption == "height 2, name x"
    assert live_figure.picture.png == image
    height.value = 4  # no page's
    assert live_figure.caption == "height 4, name x"
    for name in ("HELD", "SOON"):  # later, or after a press that has waited for no drawing
        with monkeypatch.context() as patch:
            patch.setattr(_kernel_picture, name, -1)
            live_figure.buttons["reset"].click()
            height.set_state({"value": 15})
            assert height.value == 15 and live_figure.caption == "height 15, name x"


@in_either
def test_without_anywidget_the_kernel_draws(figure_and_update, monkeypatch):
    monkeypatch.setattr(_live.importlib.util, "find_spec", lambda name: None)
    shown = live(*figure_and_update, height=slider(0, 20, 2))
    assert [type(part).__name__ for part in shown.picture.children] == ["_NamedImage", "HTML", "HTML"]


@in_either
def test_the_kernel_draws_until_a_page_asks(live_figure, monkeypatch):
    picture, height = live_figure.picture, live_figure.controls["height"]
    (kernel,) = picture.children
    page, answers, pressed = picture._page, [], {"event": "click"}
    monkeypatch.setattr(page, "send", lambda *answer: answers.append(answer[0]))
    image = kernel.children[0].value
    height.set_state({"value": 3})  # as a page does
    assert kernel.children[0].value != image and "height 3" in kernel.children[2].value
    live_figure.buttons["reset"]._handle_custom_msg(pressed, [])
    assert height.value == 2 and kernel.children[0].value == image
    page._handle_custom_msg({"hello": True}, [])
    assert picture.children == (kernel, page) and kernel.children[0].value == image and not answers
    values = {"height": 2, "name": 0}
    request = {"id": 1, "client": "a page", "values": values, "prefetch": False, "anew": False}
    page._handle_custom_msg(request, [])
    assert [answer["frame"]["caption"] for answer in answers] == ["height 2, name x"]
    assert picture.children == (kernel, page) and not kernel.children and picture.png == b""
    height.set_state({"value": 9})
    live_figure.buttons["reset"]._handle_custom_msg(pressed, [])
    assert height.value == 9 and live_figure.caption == "height 2, name x"  # the page will ask


@in_either
def test_a_hello_that_comes_early_is_heard(live_figure, figure_and_update):
    page = live_figure.picture._page
    page._handle_custom_msg({"hello": True}, [])
    kernel = _live.KernelPicture(figure_and_update[0], "a picture")
    assert type(live_figure.picture)(kernel, page).children == (kernel, page)


@in_either
def test_what_is_stored_is_drawn_once_and_again_after_a_change(figure_and_update, monkeypatch):
    drawn = []
    for module in (_live, _kernel_picture):
        monkeypatch.setattr(module, "png", lambda figure: drawn.append(figure) or png(figure))
    live_figure = live(*figure_and_update, height=slider(0, 20, 2))
    before = live_figure.still()
    assert live_figure.still() == before and len(drawn) == 1
    live_figure.figure.axes[0].lines[0].set_color("red")
    assert live_figure.still() != before


@in_either
def test_frames_that_no_reader_sees_are_no_pictures_of_the_kernel(live_figure):
    before = live_figure.picture.png
    live_figure.frame_at({"height": 9, "name": "x"})
    with suppress(ValueError):
        live_figure.frame_at({"height": 13, "name": "x"})
    assert live_figure.picture.png is before
    assert "height 2" in live_figure.picture.children[0].children[2].value


in_page = pytest.mark.parametrize("place", ["page"], indirect=True)


@pytest.fixture
def page(live_figure, monkeypatch):
    """What a page requests of the kernel, and what it gets: {"frame": …, "sent": …} and the bytes."""
    answers = []
    monkeypatch.setattr(live_figure.picture, "send", lambda *answer: answers.append(answer))

    def ask(height, *, client="a page", prefetch=False):
        values = {"height": height, "name": 0}
        request = {"id": 1, "client": client, "values": values, "prefetch": prefetch, "anew": False}
        with suppress(ValueError):
            live_figure.picture._answer(None, request, [])
        return answers.pop()

    return ask


@in_page
def test_a_page_gets_a_frame_and_each_display_list_once(page, live_figure):
    first, data = page(3)
    assert first["frame"]["caption"] == "height 3, name x" and first["frame"]["size"] == [300, 200]
    assert first["sent"] and len(first["sent"]) == len(data) and all(data)
    again, data = page(3)
    assert again["sent"] == data == []
    moved, _ = page(4)
    assert len(moved["sent"]) == 1
    other, _ = page(4, client="another page")
    assert len(other["sent"]) == len(first["sent"])
    assert live_figure.controls["height"].value == 2  # it was not moved
    assert live_figure.caption == "height 4, name x"


@in_page
def test_after_a_cell_frames_are_new_and_the_figure_is_as_its_controls_say(page, live_figure):
    page(3)
    generation = live_figure.picture.generation
    live_figure.picture.invalidate()
    assert live_figure.picture.generation == generation + 1 and live_figure.caption == "height 2, name x"
    live_figure.picture.invalidate()
    assert live_figure.picture.generation == generation + 1  # nobody keeps anything
    line = live_figure.figure.axes[0].lines[0]
    line.set_color("red")
    png(live_figure.figure)  # takes the stale marks away
    assert len(page(2)[0]["sent"]) > 1


@in_page
def test_eight_pages_are_remembered_and_the_ninth_displaces_the_one_that_was_silent_longest(page):
    for client in "abcdefgh":
        assert page(3, client=client)[0]["sent"]
    assert [page(3, client=client)[0]["sent"] for client in "hgfedcba"] == [[]] * 8
    assert page(3, client="i")[0]["sent"]
    assert [bool(page(3, client=client)[0]["sent"]) for client in "abcdefgh"] == [False] * 7 + [True]


@in_page
def test_what_a_cell_changed_is_drawn_at_the_values_where_the_figure_stands(monkeypatch):
    unit, answers, calls = ["cm"], [], []
    live_figure = live(new_figure(2, 2)[0], lambda k: calls.append(k) or f"{k} {unit[0]}", k=slider(0, 9))
    monkeypatch.setattr(live_figure.picture, "send", lambda *answer: answers.append(answer[0]))
    request = {"id": 1, "client": "a page", "values": {"k": 0}, "prefetch": False, "anew": False}
    live_figure.picture._answer(None, request, [])
    live_figure.picture.invalidate()  # a cell begins
    assert calls == [0]  # it is drawn there already
    unit[0] = "mm"
    live_figure.picture._answer(None, request, [])
    assert [answer["frame"]["caption"] for answer in answers] == ["0 cm", "0 mm"]


@in_page
def test_where_the_reader_rests_nothing_that_was_kept_counts(monkeypatch):
    unit, answers = ["cm"], []
    live_figure = live(new_figure(2, 2)[0], lambda k: f"{k} {unit[0]}", k=slider(0, 9))
    monkeypatch.setattr(live_figure.picture, "send", lambda *answer: answers.append(answer[0]))
    request = {"id": 1, "client": "a page", "values": {"k": 0}, "prefetch": True}
    live_figure.picture._answer(None, request | {"anew": False}, [])
    unit[0] = "mm"  # a thread does this: no cell runs
    for anew in (False, True):
        live_figure.picture._answer(None, request | {"anew": anew}, [])
    assert [answer["frame"]["caption"] for answer in answers] == ["0 cm", "0 cm", "0 mm"]


@in_page
def test_after_an_error_the_figure_stands_nowhere():
    """What `update` drew before it failed is in the figure: the last good frame is made again."""
    figure, axes = new_figure(2, 2)
    (line,) = axes.plot([0, 1])

    def update(k):
        line.set_ydata([0, k])
        return f"{6 / (3 - k):.0f}"

    live_figure = live(figure, update, k=slider(0, 9))
    before = live_figure.frame_at({"k": 0}).display_lists
    with suppress(ZeroDivisionError):
        live_figure.frame_at({"k": 3})
    again = live_figure.frame_at({"k": 0})
    assert again.caption == "2" and again.display_lists == before


def test_what_changed_without_a_cell_is_drawn_when_somebody_says_so(monkeypatch):
    unit, answers, calls = ["cm"], [], []
    live_figure = live(new_figure(2, 2)[0], lambda k: calls.append(k) or f"{k} {unit[0]}", k=slider(0, 9))
    if hasattr(live_figure.picture, "generation"):  # the page draws, and has asked for a frame
        monkeypatch.setattr(live_figure.picture, "send", lambda *answer: answers.append(answer[0]))
        request = {"id": 1, "client": "a page", "values": {"k": 0}, "prefetch": False, "anew": False}
        live_figure.picture._answer(None, request, [])
        before = live_figure.picture.generation
    unit[0] = "mm"
    calls.clear()
    live_figure.invalidate()
    assert live_figure.caption == "0 mm" and calls == [0]
    if answers:
        assert live_figure.picture.generation == before + 1
        live_figure.picture._answer(None, request, [])
        assert [answer["frame"]["caption"] for answer in answers] == ["0 cm", "0 mm"]


@in_page
def test_a_page_gets_the_error(page):
    answer, *_ = page(13)
    assert answer["error"] == "ValueError: thirteen <is> not drawn"
    assert page(14)[0]["frame"]["caption"] == "height 14, name x"


@in_page
def test_the_still_picture_is_that_of_the_controls(page, live_figure):
    before = live_figure.still()
    page(19)
    assert live_figure.still() == before


@in_page
def test_a_press_in_the_page_that_is_heard_late_undoes_no_later_move(figure_and_update):
    """The page moves the controls of a button itself."""
    live_figure = live(*figure_and_update, height=slider(0, 20, 2))
    live_figure.controls["height"].value = 9
    live_figure.buttons["reset"]._handle_custom_msg({"event": "click"}, [])  # as its message does
    assert live_figure.controls["height"].value == 9


@in_page
@pytest.mark.parametrize("who", ["page", "cell"])
def test_a_control_that_moves_while_a_frame_is_prefetched_stays_where_it_is(figure_and_update, who):
    """JupyterLab handles the messages to a control and to the picture in threads of their own."""
    figure, update = figure_and_update
    started, may_end = Event(), Event()

    def slow(height):
        if height == 9:
            started.set()
            assert may_end.wait(10)
        return update(height)

    live_figure = live(figure, slow, height=slider(0, 20, 2))
    control = live_figure.controls["height"]
    with ThreadPoolExecutor() as pool:
        frame = pool.submit(live_figure.frame_at, {"height": 9}, True)
        assert started.wait(10)
        if who == "page":
            control.set_state({"value": 3})  # as its message does
            may_end.set()
        else:
            Timer(0.2, may_end.set).start()
            control.value = 3
    assert frame.result().caption.startswith("height 9,")
    assert control.value == 3
    assert live_figure.frame_at({"height": 4}, True).caption.startswith("height 4,")
    if who == "cell":
        assert live_figure.frame_at({"height": 3}).caption.startswith("height 3,")


def test_a_stored_picture_says_below_itself_that_it_is_one(live_figure):
    """Nothing else can: JupyterLab shows a PNG that nobody hears of and that has no title."""
    stored = base64.b64decode(live_figure._repr_mimebundle_()[0]["image/png"])
    still = without_note(stored)
    note = pixels(stored)[len(pixels(still)) :]
    assert len(note) > 0 and (note < 128).any() and (note[:, 0] == 255).all()
    assert without_note(still) == still == without_note(still)


@pytest.mark.parametrize("said", [True, False])
@pytest.mark.parametrize("dark", [True, False, None])
def test_a_figure_is_turned_dark_where_it_or_all_are_said_to_be(monkeypatch, said, dark):
    monkeypatch.setattr(_live, "_dark", [False])
    turn_dark(said)
    figure, axes = new_figure(2, 2)
    axes.imshow([[0, 1]])
    shown = live(figure, lambda k: f"{k}", k=slider(0, 9), dark=dark)
    assert shown.is_dark is (said if dark is None else dark)
    assert ("live-dark" in shown._dom_classes) is shown.is_dark


def test_a_photograph_is_turned_dark_only_where_its_author_says_so(monkeypatch):
    monkeypatch.setattr(_live, "_dark", [True])
    figure, axes = new_figure(2, 2)
    axes.imshow(np.zeros((2, 2, 3)))
    assert not live(figure, lambda k: f"{k}", k=slider(0, 9)).is_dark
    assert live(figure, lambda k: f"{k}", k=slider(0, 9), dark=True).is_dark


def test_what_is_neither_dark_nor_light_is_refused_by_name(figure_and_update):
    with pytest.raises(TypeError, match="turn must be True or False; got 'black'"):
        turn_dark("black")
    with pytest.raises(TypeError, match="dark must be True, False or None; got 'black'"):
        live(*figure_and_update, height=slider(0, 9), dark="black")


def test_a_curve_that_the_reader_draws_first_is_left_out_of_the_stored_picture():
    figure, axes = new_figure(2, 2)
    (line,) = axes.plot([0, 1], [0, 1], color="red", lw=9)
    update = lambda k: f"{k}"  # noqa: E731
    shown = live(figure, update, k=slider(0, 9), draw_first=line)
    has_red = lambda png: (pixels(png) == (255, 0, 0)).all(axis=2).any()  # noqa: E731
    data, _ = shown._repr_mimebundle_()
    assert not has_red(base64.b64decode(data["image/png"])) and has_red(shown.still())
    draw_in("kernel")
    assert has_red(live(figure, update, k=slider(0, 9), draw_first=line).picture.png)


@pytest.mark.parametrize("kind", ["text", "points", "logarithmic", "polar", "backwards", "other"])
def test_what_cannot_be_drawn_first_is_refused(kind):
    figure = Figure()
    axes = figure.add_subplot(projection="polar" if kind == "polar" else None)
    (line,) = axes.plot([1, 2] if kind != "backwards" else [2, 1], [1, 2])
    if kind == "logarithmic":
        axes.set_yscale("log")
    given = {"text": axes.title, "points": axes.plot([1], [1]), "other": Figure().subplots().plot([1])[0]}
    error = TypeError if kind in ("text", "points") else ValueError
    with pytest.raises(error, match=r"^draw_first must be .*; got "):
        live(figure, lambda k: f"{k}", k=slider(0, 9), draw_first=given.get(kind, line))
