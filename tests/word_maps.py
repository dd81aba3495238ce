"""Which labels of a map of words do not show whose they are, or touch."""

from itertools import combinations

import numpy as np


def unclear(words, margin=1.3):
    """The words whose label is not at their own dot alone.

    Near a dot, every other is at least `margin` times as far away; or a thin line leads from the dot to the
    label, over no other dot and no other label, and none is where the label's own would be. Two dots of which
    each covers the other's middle are one to the eye.
    """
    dots = words.axes.transData.transform(words._points)
    radius = 3.25 * words.figure.dpi / 72
    places = [(n, np.array(place[:4]), place[5]) for n, place in enumerate(words._places()) if place]
    found = []
    for n, box, is_away in places:
        near = np.clip(dots, box[:2], box[2:])  # (words, 2)
        gaps, others = np.hypot(*(near - dots).T), np.hypot(*(dots - dots[n]).T) > radius
        if not is_away:
            is_clear = (gaps[others] >= margin * gaps[n]).all()
        else:
            line = dots[n] + np.linspace(0, 1, 50)[:, None] * (near[n] - dots[n])  # (50, 2)
            to_line = np.hypot(*(line[:, None] - dots[others]).transpose(2, 0, 1)).min(axis=0)
            boxes = [other for m, other, _ in places if m != n]
            is_cut = any(((line > other[:2]) & (line < other[2:])).all(axis=1).any() for other in boxes)
            is_clear = (to_line > radius).all() and (gaps[others] > 5 / 3 * radius).all()
            is_clear = is_clear and not is_cut
        found += [] if is_clear else [words._words[n]]
    return found


def touching(words, room=2):
    """The pairs of words whose labels are less than so many points apart."""
    room *= words.figure.dpi / 72
    placed = [(word, np.array(place[:4])) for word, place in zip(words._words, words._places(), strict=True)]
    return [
        (one, other)
        for (one, box), (other, beside) in combinations(placed, 2)
        if np.hypot(*np.maximum(0, np.maximum(box[:2] - beside[2:], beside[:2] - box[2:]))) < room
    ]


def astray(words, far=5):
    """The words whose labels stand off their dot, with no thin line, or at another's side.

    far: so many points from its dot a label is off it; twice as far, a dot at its height seems to own it.
    """
    dots, point, found = words.axes.transData.transform(words._points), words.figure.dpi / 72, []
    for n, (*box, _, is_away) in enumerate(words._places()):
        box = np.array(box)
        gaps = dots - np.clip(dots, box[:2], box[2:])  # (words, 2)
        is_off = np.hypot(*gaps[n]) > far * point
        in_corner = gaps[n].all()
        beside = (gaps[:, 1] == 0) & (abs(gaps[:, 0]) < 2 * far * point)
        found += [words._words[n]] if not is_away and (is_off or (in_corner and beside.any())) else []
    return found
