"""What a reader does with a live figure in the page, by keyboard and by mouse, and what comes of it."""

import time

STATE = """async figure => {  // what a reader gets from a live figure: its picture and its caption
    const picture = figure.querySelector('.live-picture')
    const { width, height, src } = picture
    const data = src
        ? await (await fetch(src)).arrayBuffer()
        : picture.getContext('2d').getImageData(0, 0, width, height).data
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', data))
    return [digest.join(), figure.querySelector('.live-caption').textContent]
}"""


def state(figure):
    return figure.evaluate(STATE)


def places(figure):
    return [handle.get_attribute("aria-valuenow") for handle in figure.query_selector_all(".noUi-handle")]


def wait_until(page, figure, is_so, what):
    """Ask again and again, until it is so and stands still: an earlier message may yet be under way.

    (`page.wait_for_function` would take an asynchronous predicate for true at once.)
    """
    end, last = time.monotonic() + 10, None
    while not (is_so(now := state(figure)) and now == last):
        assert time.monotonic() < end, (
            f"{what}; the caption is {now[1]!r}, the sliders are at {places(figure)}"
        )
        last = now
        page.wait_for_timeout(50)


def wait_until_it_follows(page, figure, before):
    """Until neither the picture nor the caption is what it was."""
    picture, caption = before
    what = f"picture and caption should no longer be those of {caption!r}"
    wait_until(page, figure, lambda now: now[0] != picture and now[1] != caption, what)


def wait_until_it_is(page, figure, expected):
    what = f"picture and caption should be those of {expected[1]!r}"
    wait_until(page, figure, lambda now: now == expected, what)


def reset(page, figure):
    """Press the button that returns to the start; something must have been moved."""
    before = state(figure)
    figure.query_selector("button").click()
    wait_until_it_follows(page, figure, before)


def press(page, figure, handle, key):
    """Press a key on a slider; where its value changes, wait for the picture and the caption."""
    before, value = state(figure), handle.get_attribute("aria-valuenow")
    handle.focus()
    page.keyboard.press(key)
    if handle.get_attribute("aria-valuenow") != value:
        wait_until_it_follows(page, figure, before)
        return True
    return False


def check_sliders(page, figure):
    for slider in figure.query_selector_all(".noUi-target"):
        handle = slider.query_selector(".noUi-handle")
        start = handle.get_attribute("aria-valuenow")
        assert {press(page, figure, handle, key) for key in ("Home", "ArrowRight", "End")} >= {True}
        if handle.get_attribute("aria-valuenow") == start:  # a slider that starts at its end
            press(page, figure, handle, "Home")
        reset(page, figure)
        before = state(figure)
        low, high, now = (float(handle.get_attribute(f"aria-value{name}")) for name in ("min", "max", "now"))
        place = 0.25 if now > (low + high) / 2 else 0.75  # of the track, away from the handle
        track = slider.bounding_box()
        slider.click(position={"x": place * track["width"], "y": track["height"] / 2})  # once it stands still
        wait_until_it_follows(page, figure, before)
        reset(page, figure)


def check_menus(page, figure):
    for menu in figure.query_selector_all("select"):
        before = state(figure)
        menu.focus()
        is_first = menu.evaluate("menu => menu.selectedIndex") == 0
        for key in ("Enter", "ArrowDown" if is_first else "ArrowUp", "Enter"):  # open, move, choose
            page.keyboard.press(key)
        wait_until_it_follows(page, figure, before)
        reset(page, figure)
        before = state(figure)
        # the list that a click opens belongs to the operating system: this is what choosing in it sends
        last = len(menu.query_selector_all("option")) - 1
        menu.select_option(index=last if is_first else 0)
        wait_until_it_follows(page, figure, before)
        reset(page, figure)


def check_boxes(page, figure):
    for box in figure.query_selector_all("input[type=checkbox]"):
        before = state(figure)
        box.focus()
        page.keyboard.press("Space")
        wait_until_it_follows(page, figure, before)
        switched = state(figure)
        box.click()
        wait_until_it_is(page, figure, before)
        box.click()
        wait_until_it_is(page, figure, switched)
        reset(page, figure)


def check_texts(page, figure):
    for line in figure.query_selector_all("input[type=text]"):
        before = state(figure)
        line.press("End")
        line.type(" more")
        wait_until_it_follows(page, figure, before)
        before = state(figure)
        line.click(click_count=3)  # selects the line
        line.type("a")  # the picture may stay: both texts may be ones that nothing is drawn for
        wait_until(page, figure, lambda now, old=before: now[1] != old[1], "the caption should follow")
        reset(page, figure)


def check_every_control(page, figure):
    check_sliders(page, figure)
    check_menus(page, figure)
    check_boxes(page, figure)
    check_texts(page, figure)


def check_every_control_once(page, figure):
    """Each control moves picture and caption, and the button takes it back."""
    for handle in figure.query_selector_all(".noUi-handle"):
        assert press(page, figure, handle, "End") or press(page, figure, handle, "Home")
        reset(page, figure)
    for menu in figure.query_selector_all("select"):
        before = state(figure)
        last = len(menu.query_selector_all("option")) - 1
        menu.select_option(index=0 if menu.evaluate("menu => menu.selectedIndex") == last else last)
        wait_until_it_follows(page, figure, before)
        reset(page, figure)
    for box in figure.query_selector_all("input[type=checkbox]"):
        before = state(figure)
        box.click()
        wait_until_it_follows(page, figure, before)
        reset(page, figure)
    check_texts(page, figure)


def drag(page, figure, handle, steps=20):
    """Drag a handle from where it is beyond the right end of its track."""
    handle.scroll_into_view_if_needed()
    start, track = handle.bounding_box(), figure.query_selector(".noUi-base").bounding_box()
    x, y = start["x"] + start["width"] / 2, start["y"] + start["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(track["x"] + track["width"] + 20, y, steps=steps)
    page.mouse.up()


def check_drag(page, figure):
    """A quick drag from one end to the other leaves the picture of the last value."""
    handle = figure.query_selector(".noUi-handle")
    if handle is None:  # it has menus or texts alone
        return
    press(page, figure, handle, "End")
    at_the_end = state(figure)
    press(page, figure, handle, "Home")
    drag(page, figure, handle)
    wait_until_it_is(page, figure, at_the_end)


def swipe(page, x, y, across, down, steps=12):
    """Move a finger from (x, y) by so many pixels."""
    cdp = page.context.new_cdp_session(page)
    for step in range(steps + 1):
        kind = "touchMove" if step else "touchStart"
        point = {"x": x + across * step / steps, "y": y + down * step / steps}
        cdp.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
        page.wait_for_timeout(16)  # a frame
    cdp.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(300)  # the page comes to rest
    cdp.detach()


def check_place(figure):
    """The picture can be seen, nothing is cut off at the side, and labels are not cut short."""
    figure.scroll_into_view_if_needed()
    width = figure.evaluate("() => innerWidth")
    assert figure.query_selector(".live-picture").bounding_box()["width"] > min(300, 0.6 * width)
    inside = "figure => [figure, figure.closest('.jp-OutputArea')].every(e => e.scrollWidth <= e.clientWidth)"
    assert figure.evaluate(inside), "the figure must be scrolled sideways"
    for part in figure.query_selector_all(
        ".live-picture, p, .widget-label, .noUi-base, select, input, button"
    ):
        if part.is_visible():
            box = part.bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= width, part
    for label in figure.query_selector_all(".widget-label, button"):
        assert label.evaluate("e => e.scrollWidth <= e.clientWidth"), label.inner_text()
