"""Models that a notebook trained, and their evaluations, kept for the next run of the same code and torch.

nbval trains for real and keeps them; runs that look at other things take them from there where they can.
With PE_KEPT_MODELS=1 so does nbval, where other versions of other packages are tested.
"""

import hashlib
import os
import re
from importlib.metadata import version
from itertools import count
from pathlib import Path
from unittest.mock import patch

import pe_helpers


def folder_of(path):
    """Where a notebook's models are kept, as its code and the package's are now; None: it trains none."""
    if not re.search(r"from pe_helpers\.models import .*\btrain\b", path.read_text()):
        return None
    code = [path, Path(__file__), *sorted(Path(pe_helpers.__file__).parent.rglob("*.py"))]
    known = [version("torch").encode(), *(file.read_bytes() for file in code)]
    return path.resolve().parents[1] / "build" / "trained" / hashlib.sha256(b"".join(known)).hexdigest()[:16]


def remember(folder, anew=False):
    """A patch that lets `train` and `evaluate` keep their work in a folder.

    anew: whether they train even where it is there, and replace it.
    """
    import torch

    import pe_helpers.models as models

    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    number = count()

    def remembered(function):
        def call(model, *arguments, **options):
            file = folder / f"{next(number)}.pt"
            if not anew and file.exists():
                weights, result = torch.load(file, weights_only=False)
                model.load_state_dict(weights)
                return result
            result = function(model, *arguments, **options)
            part = file.with_suffix(f".{os.getpid()}.part")  # another process may be writing the same file
            torch.save((model.state_dict(), result), part)
            part.replace(file)
            return result

        return call

    functions = models.train, models.evaluate
    return patch.multiple(models, **{function.__name__: remembered(function) for function in functions})


def first_cell(path, anew=False):
    """Code for the beginning of a notebook, which does that in its kernel; empty where nothing is trained."""
    folder = folder_of(path)
    if folder is None:
        return ""
    return f"import runpy\n\nrunpy.run_path({__file__!r})['remember']({str(folder)!r}, {anew}).start()\n"
