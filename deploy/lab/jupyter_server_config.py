"""What `make lab` sets besides the reader's own configuration."""

from pathlib import Path

c = get_config()  # noqa: F821  # Jupyter defines it

load_subconfig("../no_delay.py")  # noqa: F821

c.LabApp.extra_labextensions_path = [str(Path(__file__).with_name("labextensions"))]
# File, Save and Export Notebook As, HTML: folded code is not in it
c.TagRemovePreprocessor.enabled = True
c.TagRemovePreprocessor.remove_input_tags = {"setup", "hide-input"}
