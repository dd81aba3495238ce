"""Positions as torch modules, two tasks, a small transformer and its training."""

from .devices import accelerator
from .layers import AlibiBias, LearnedPositions, RotaryPositions, SinusoidalPositions, T5Bias
from .tasks import recall, recall_distance, recurrence
from .training import Settings, evaluate, train
from .transformer import SCHEMES, Transformer
