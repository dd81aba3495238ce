"""Pictures, and live figures that follow their controls."""

from . import plots
from ._controls import choice, log_slider, slider, text
from ._live import LiveFigure, draw_in, live
from ._table import Table, table
from ._word_map import WordMap, word_map

__all__ = [
    "LiveFigure",
    "Table",
    "WordMap",
    "choice",
    "draw_in",
    "live",
    "log_slider",
    "plots",
    "slider",
    "table",
    "text",
    "word_map",
]
