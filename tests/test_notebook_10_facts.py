"""Notebook 10: what it says of its texts and its models, and no claim guards."""

import numpy as np

from pe_helpers.models import load_trained
from tests.conftest import run_notebook
from tools.course import NOTEBOOKS


def test_the_bumps_that_all_its_curves_share_come_from_its_texts():
    """Models whose biases read on have them, too."""
    names = run_notebook(NOTEBOOKS[10]).names
    losses, all_curves = names["losses"], list(names["long"].values())
    all_curves += [losses(load_trained(name).model) for name in ("t5", "alibi")]
    bumps = np.diff([curve[:3] for curve in all_curves], axis=1)  # (curves, 2), around the trained length
    assert (bumps > 0.03).all()


def test_without_angles_the_loss_climbs_too_and_far_keys_have_a_part_in_it():
    names = run_notebook(NOTEBOOKS[10]).names
    climbs = names["long"]["no positions"]
    model = load_trained("none").model
    model.window = 128
    assert climbs[8:].mean() - climbs[1] > 0.4
    assert climbs[8:].mean() - names["losses"](model)[8:].mean() > 0.2
