"""Pictures, and live figures that follow their controls."""

from . import plots
from ._controls import choice, log_slider, slider, text
from ._live import LiveFigure, live
from ._word_map import WordMap, word_map

__all__ = ["LiveFigure", "WordMap", "choice", "live", "log_slider", "plots", "slider", "text", "word_map"]
