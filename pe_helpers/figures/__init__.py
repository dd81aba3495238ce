"""Pictures, and live figures that follow their controls."""

from live_figures import LiveFigure, choice, draw_in, live, log_slider, slider, text

from . import plots
from ._table import Table, table
from ._word_map import WordMap, word_map
