"""Positions as numbers: arrays in, arrays out, of NumPy and of torch. No files, figures or import of torch.

The functions come from `pe_helpers` itself: `from pe_helpers import sinusoidal, apply_rotary`.
"""
