"""Live figures that follow their controls, pictures, words in a plane, and small tables."""

from live_figures import LiveFigure, choice, draw_in, live, log_slider, slider, text, turn_dark  # noqa: F401

from . import plots  # noqa: F401
from ._table import Table, table  # noqa: F401
from ._word_map import WordMap, word_map  # noqa: F401

turn_dark()  # on dark pages, and but for figures of which the words say what is black, white, bright or dark
