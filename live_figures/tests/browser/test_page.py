"""page.js in a browser, without Jupyter: it draws what matplotlib draws, and keeps its promises."""

import numpy as np
import pytest

from live_figures import display_lists

from ..conftest import fully_drawn
from ..drawing import new_figure
from ..gallery import GALLERY, figure_of
from ..scenes import SCENES
from .page_drawing import Screen, check_likeness, size_of


@pytest.fixture(scope="module")
def screen(browser):
    return Screen(browser)


@pytest.mark.parametrize("name", SCENES)
def test_the_page_draws_what_matplotlib_draws(screen, name):
    figure, changes = SCENES[name]()
    screen.clear()
    for change in [lambda: None, *changes]:
        change()
        drawn = screen.show(display_lists(figure), size_of(figure))
        check_likeness(drawn, figure)


@pytest.mark.parametrize("name", GALLERY)
def test_the_page_draws_the_gallery(screen, name):
    figure, update = figure_of(name)
    update(0.6)
    screen.clear()
    check_likeness(screen.show(display_lists(figure), size_of(figure)), figure)


def centre(picture):
    """(x, y) of the middle of what is drawn, in pixels."""
    ink = 255.0 - picture[..., 1]
    return [np.average(np.arange(ink.shape[1 - axis]), weights=ink.sum(axis=axis)) for axis in (0, 1)]


@pytest.mark.parametrize("style", [{}, {"mew": 0}, {"mew": 2}, {"ms": 4}])
@pytest.mark.parametrize("marker", ["o", ".", "s", "^", "+", "x", "D", "*"])
def test_markers_stand_where_matplotlib_draws_them(screen, marker, style):
    figure, axes = new_figure(0.4, 0.4)
    axes.set(position=[0, 0, 1, 1], xlim=(0, 40), ylim=(0, 40))
    axes.axis("off")
    display_lists(figure)  # lays it out
    (point,) = axes.plot([20], [20], marker, color="black", **style)
    screen.clear()
    for x in (20.2, 20.7):
        point.set_data([x], [x])
        axes.set_position([0, 0, 1, 1])
        drawn = screen.show(display_lists(figure), size_of(figure))
        if style == {"mew": 0} and marker in "+x":  # nothing but an edge
            continue
        assert np.allclose(centre(drawn), centre(fully_drawn(figure)), atol=0.25)


def test_at_ratio_2_the_canvas_has_twice_the_pixels(browser):
    figure, _ = SCENES["heatmaps"]()
    screen = Screen(browser, ratio=2)
    drawn = screen.show(display_lists(figure), size_of(figure))
    assert drawn.shape == (600, 1400, 3)
    half = drawn.reshape(300, 2, 700, 2, 3).mean(axis=(1, 3)).round().astype(int)
    check_likeness(half, figure)
    assert screen.page.evaluate("document.querySelector('canvas').style.width") == "700px"


# What is requested, and when: positions of one control from 0 to 99, answered by the test.
REQUESTS = """
window.requests = []
window.position = 50
window.steps = []  // to the neighbours
window.displayList = bytes => {  // that draws nothing
    const data = new Uint8Array(12 + bytes)
    data.set([8, 0, 0, 0, ...new TextEncoder().encode('[[],[]] ')])
    return data
}
window.begin = () => {
    const client = {
        request: (values, isPrefetch, isAnew) => new Promise((resolve, reject) =>
            requests.push({n: values.n, isPrefetch, isAnew, resolve, reject})),
        get mayChange() { return window.mayChange },
        reset: () => { window.resets = (window.resets ?? 0) + 1 },
        onInvalidate: callback => { window.invalidate = callback },
    }
    const controls = {
        values: () => ({n: position}),
        neighbours: () => steps.map(step => ({n: position + step})),
        onMove: callback => { window.moved = callback },
        onRest: callback => { window.turned = callback },
    }
    play(document.body.appendChild(document.createElement('div')), client, controls, 'a picture',
         new AbortController().signal)
}
window.move = n => { position = n; moved('n') }
window.answer = async (n, more = {}) => {
    const place = requests.findIndex(request => request.n === n)
    if (place < 0) throw Error(`${n} was not requested`)
    const [request] = requests.splice(place, 1)
    const frame = {size: [10, 10], caption: `at ${n}`, displayLists: [`d${n}`], ...more}
    if (more.error) request.reject(Object.assign(Error(more.error), more))
    else request.resolve({frame, sent: [[`d${n}`, displayList(more.bytes ?? 0)]]})
    await new Promise(done => setTimeout(done, 1))
}
begin()
"""


class Player:
    def __init__(self, page):
        self.page = page

    def move(self, n):
        self.page.evaluate("move", n)

    def answer(self, n, **more):
        self.page.evaluate("([n, more]) => answer(n, more)", [n, more])

    @property
    def requested(self):
        return self.page.evaluate("requests.map(request => request.n)")

    @property
    def caption(self):
        return self.page.inner_text(".live-caption")

    @property
    def frames(self):
        return int(self.page.get_attribute("canvas", "data-frames"))

    def rest(self, is_silent=False):
        """The reader rests on the slider until a neighbour is requested or, if none shall be, a while."""
        self.page.evaluate("steps = [1, -1, 2, -2]; turned('n')")
        if is_silent:
            self.page.wait_for_timeout(500)
        else:
            self.page.wait_for_function("requests.length > 0")


@pytest.fixture
def player(browser):
    screen = Screen(browser)
    screen.page.evaluate("document.body.replaceChildren()")
    screen.page.add_script_tag(type="module", content=REQUESTS)
    screen.page.wait_for_function("window.requests?.length === 1")
    player = Player(screen.page)
    player.answer(50)
    yield player
    screen.page.close()


def test_the_first_frame_has_a_role_a_name_and_a_caption(player):
    assert player.caption == "at 50" and player.frames == 1
    canvas = player.page.query_selector("canvas")
    assert canvas.get_attribute("role") == "img" and canvas.get_attribute("aria-label") == "a picture"


def test_of_captions_that_follow_each_other_the_last_is_announced_once(player):
    player.page.evaluate("""() => {
        window.heard = []
        const live = document.querySelector('[aria-live=polite]')
        new MutationObserver(() => heard.push(live.textContent)).observe(live, { childList: true })
    }""")
    player.page.wait_for_timeout(900)  # the first, which nobody asked for, would have been announced
    for n in (60, 61, 62):
        player.move(n)
        player.answer(n)
        player.page.wait_for_timeout(300)  # a slow key
    assert player.caption == "at 62" and player.page.evaluate("heard") == []
    player.page.wait_for_function("heard.length > 0")
    player.page.wait_for_function("heard.length > 1", timeout=10_000)
    assert player.page.evaluate("heard") == ["at 62", ""]  # it stands in one place only


def test_a_late_frame_is_kept_and_never_drawn_over_a_newer_one(player):
    player.move(60)
    player.move(70)
    assert player.requested == [60, 70]
    player.answer(70)
    assert player.caption == "at 70"
    player.answer(60)
    assert player.caption == "at 70"
    player.move(60)  # it was kept: no question, and it is there at once
    assert player.caption == "at 60" and player.requested == []


def test_back_at_the_first_position_the_second_is_late(player):
    player.move(60)
    player.move(70)
    player.move(60)
    player.answer(60)
    player.answer(70)
    assert player.caption == "at 60"


def test_after_a_timeout_the_frame_is_requested_again(player):
    player.move(60)  # nobody answers
    player.move(50)
    player.page.evaluate("const now = performance.now() + 11_000; performance.now = () => now")
    player.move(60)
    assert player.requested == [60, 60]
    player.page.evaluate("requests.shift()")
    player.answer(60)
    assert player.caption == "at 60"


def test_only_the_newest_position_waits(player):
    for n in (60, 61, 62, 63, 64):
        player.move(n)
    assert player.requested == [60, 61]
    player.answer(60)
    assert player.requested == [61, 64]
    assert player.caption == "at 60"  # in a drag the picture follows, a little late


def test_at_rest_it_prefetches_two_frames_at_a_time(player):
    player.move(60)
    player.answer(60)
    assert player.requested == []
    player.rest()
    assert player.requested == [61, 59]
    player.answer(61)
    assert player.requested == [59, 62] and player.caption == "at 60"
    player.move(61)
    assert player.caption == "at 61"


def test_where_the_reader_rests_the_frame_is_computed_anew_before_neighbours_are(player):
    player.page.evaluate("mayChange = true")
    player.move(60)
    player.answer(60)
    player.rest()
    assert player.requested == [60] and player.page.evaluate("requests[0].isAnew")
    player.answer(60)
    assert player.requested == [61, 59] and player.frames == 2  # nothing had changed
    player.answer(61)
    player.move(61)
    assert player.caption == "at 61"
    for n in (59, 62):
        player.answer(n)
    player.rest()
    player.answer(61, caption="changed")
    assert player.requested == [61] and not player.page.evaluate("requests[0].isPrefetch")
    player.answer(61, caption="changed")
    assert player.caption == "changed"
    player.page.wait_for_function("requests.length > 0")
    assert player.requested == [62, 60]  # 61 is not asked for again


def test_a_request_does_not_wait_for_a_prefetch(player):
    player.move(60)
    player.answer(60)
    player.rest()
    player.move(80)
    assert player.requested == [61, 59, 80]
    player.answer(80)
    assert player.caption == "at 80"
    player.answer(61)
    assert 80 not in player.requested and player.caption == "at 80"


def test_a_prefetched_frame_is_drawn_if_the_reader_is_there(player):
    player.page.evaluate("turned('n')")
    player.rest()
    assert player.requested == [51, 49]
    player.move(51)
    player.answer(51)
    assert player.caption == "at 51"


def test_a_hidden_page_does_not_prefetch(player):
    hide = "Object.defineProperty(document, 'hidden', {value: true, configurable: true})"
    player.page.evaluate(f"() => {{ {hide} }}")
    player.move(60)
    player.answer(60)
    player.rest(is_silent=True)
    assert player.requested == []
    show = "delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))"
    player.page.evaluate(f"() => {{ {show} }}")
    assert player.requested == [61, 59]


def test_a_slow_figure_is_not_prefetched(player):
    player.move(60)
    player.answer(60, updateTime=900)
    player.rest(is_silent=True)
    assert player.requested == []


def test_a_figure_that_fails_slowly_is_not_prefetched_either(player):
    player.move(60)
    player.answer(60)
    player.rest()
    player.answer(61, error="ValueError: 61", updateTime=900)
    assert player.requested == [59] and player.caption == "at 60"


def test_the_cache_is_invalidated(player):
    player.move(60)
    player.answer(60)
    player.move(50)
    assert player.requested == []
    player.page.evaluate("invalidate()")
    player.move(60)
    assert player.requested == [60]
    player.page.evaluate("invalidate()")  # an answer that is under way is none any more
    player.answer(60, caption="old")
    assert player.caption == "at 50"
    assert player.requested == [60]


def test_the_cache_has_a_bound(player):
    for n in range(60, 67):
        player.move(n)
        player.answer(n, bytes=1_300_000)
    assert player.page.evaluate("resets") == 1 and player.caption == "at 66"
    player.move(60)
    assert player.requested == [60]


def test_an_error_is_told_in_place_of_the_picture(player):
    player.move(60)
    player.answer(60, error="ValueError: no <b>60</b>")
    alert = player.page.query_selector("[role=alert]")
    assert alert.inner_text() == "ValueError: no <b>60</b>"
    assert player.page.is_hidden("canvas") and player.caption == ""
    player.move(50)
    assert player.page.is_visible("canvas") and alert.is_hidden() and player.caption == "at 50"
    player.move(60)  # an error is not kept
    assert player.requested == [60]


def test_a_change_of_the_pixel_ratio_draws_again(player):
    before = player.frames
    player.page.evaluate("() => { window.devicePixelRatio = 3; dispatchEvent(new Event('resize')) }")
    assert player.frames == before + 1
    assert player.page.evaluate("document.querySelector('canvas').width") == 30


def test_cells_are_not_smoothed(screen):
    figure, _ = SCENES["heatmaps"]()
    drawn = screen.show(display_lists(figure), size_of(figure))
    assert len(np.unique(drawn[120:180, 60:250].reshape(-1, 3), axis=0)) <= 12
