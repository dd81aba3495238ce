"""Pictures, and live figures that follow their controls."""

from . import plots
from ._controls import choice, log_slider, slider, text
from ._live import LiveFigure, draw_in, live
from ._table import Table, table
from ._word_map import WordMap, word_map
