"""Live figures: a matplotlib figure that follows sliders, drawn by the page.

    from live_figures import live, slider

`live` shows a figure with controls. `record` writes one with all its frames to a file, which a page plays
without a kernel (recording.js).
"""

from ._controls import choice, log_slider, slider, text
from ._display_cache import display_lists
from ._display_list import DisplayList
from ._live import LiveFigure, draw_in, live, turn_dark, with_minus
from ._picture import Frame, png, without_note
from .recording import Recording, record

__version__ = "0.1.0"
