"""Notebook 04: what its prose tells of single hands, worked out from the formula without the package."""

import numpy as np
import torch

from pe_helpers.models import load_trained, position_kernel

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


def test_04_before_training_queries_share_favourite_keys_because_near_ones_are_alike():
    angles = np.outer(range(64), HANDS[::4])
    encoding = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)  # (64, 128)
    rng = np.random.default_rng(0)
    matrices = rng.normal(size=(50, 2, 128, 32))
    favourites = {}
    for name, queries in {"as they are": encoding, "unrelated": rng.normal(size=(64, 128))}.items():
        scores = [queries @ q @ k.T @ encoding.T for q, k in matrices]
        favourites[name] = np.mean([len(set(each.argmax(axis=1))) for each in scores])
    assert 1.5 * favourites["as they are"] < favourites["unrelated"]
    assert (encoding[:-1] * encoding[1:]).sum(axis=1).min() > 0.9 * 64


def test_04_after_training_the_own_key_scores_highest_and_the_one_before_it_second_in_the_head_drawn():
    tokens = torch.arange(0, 1024, 4)[:, None].expand(-1, 64)
    scores = position_kernel(load_trained("sinusoidal").model, tokens, layer=0, head=0).scores
    best = np.argsort(np.nan_to_num(scores, nan=-np.inf), axis=1)[1:, :-3:-1]
    assert (best == np.arange(1, 64)[:, None] - [0, 1]).all()
