"""Positions as numbers: array in, array out, for NumPy and torch alike; no file, no picture, no torch import.

Its functions come from `pe_helpers` itself: `from pe_helpers import sinusoidal, apply_rotary`.
"""
