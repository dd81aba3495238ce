"""Positions as torch modules, toy tasks, a small transformer and its training."""

from .devices import accelerator
from .layers import AlibiBias, LearnedPositions, RotaryPositions, SinusoidalPositions, T5Bias
from .tasks import recurrence
from .training import SCHEMES, Settings, Transformer, evaluate, train

__all__ = [
    "SCHEMES",
    "AlibiBias",
    "LearnedPositions",
    "RotaryPositions",
    "Settings",
    "SinusoidalPositions",
    "T5Bias",
    "Transformer",
    "accelerator",
    "evaluate",
    "recurrence",
    "train",
]
