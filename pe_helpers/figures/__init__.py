"""Pictures, and live figures that follow their controls."""

from . import plots
from ._live import LiveFigure, choice, live, log_slider, slider, text, toggle
from ._table import Table, table
from ._word_map import WordMap, word_map

__all__ = [
    "LiveFigure",
    "Table",
    "WordMap",
    "choice",
    "live",
    "log_slider",
    "plots",
    "slider",
    "table",
    "text",
    "toggle",
    "word_map",
]
