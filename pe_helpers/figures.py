"""Live figures that follow their controls, pictures, words in a plane, and small tables."""

from live_figures import LiveFigure, choice, draw_in, live, log_slider, slider, text  # noqa: F401

from . import plots  # noqa: F401
from ._table import Table, table  # noqa: F401
from ._word_map import WordMap, word_map  # noqa: F401
