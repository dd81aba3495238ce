"""Notebook 04: what its prose tells of single hands, worked out from the formula without the package."""

import numpy as np

HANDS = 10_000 ** (-np.arange(256) / 256)  # d = 512


def test_04_the_last_dip_lies_where_the_prose_says_and_nearly_cancels():
    parts = np.cos(100 * HANDS)
    assert (parts[85:116] < 0).all() and (parts[116:146] > 0).all() and parts[84] > 0
    turned = 100 * HANDS / (2 * np.pi)
    assert turned[145] > 1 / 12 >= turned[146]  # the orange ones begin
    assert abs(parts[85:146].sum()) < 0.05 * len(parts[85:146])
    assert abs(parts[:85].sum()) < 0.1 * 85  # and the fast ones cancel, too


def test_04_the_same_dip_stands_64_hands_further_on_at_ten_times_the_offset():
    assert np.allclose(np.cos(1000 * HANDS[64:]), np.cos(100 * HANDS[:-64]))
