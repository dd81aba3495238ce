"""What `make lab` sets besides the reader's own configuration."""

load_subconfig("../no_delay.py")  # noqa: F821  # Jupyter defines it
