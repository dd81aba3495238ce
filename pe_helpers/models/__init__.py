"""Positions as torch modules, two tasks, a small transformer, its training, and small language models."""

from .instruments import attention_maps, loss_by_position, pair_norms, position_kernel, with_rates
from .layers import AlibiBias, LearnedPositions, RotaryPositions, SinusoidalPositions, T5Bias
from .tasks import recall, recall_distance, recurrence
from .trained import Trained, load_trained
from .training import Settings, accelerator, evaluate, train
from .transformer import SCHEMES, Transformer
