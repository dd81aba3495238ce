"""page.js and recording.js without a browser: tsc checks their types, node tests the parts that need no page.

Skipped where node, or TypeScript beside it, is missing; `make test` installs TypeScript where there is npm.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from live_figures._display_list import DisplayList
from live_figures.recording import _shuffled

from .browser.page_drawing import ENGINE

HERE = Path(__file__).parent / "javascript"
NODE = shutil.which("node")
TSC = shutil.which("tsc", path=Path(sys.prefix) / "node_modules" / ".bin") or shutil.which("tsc")


@pytest.mark.skipif(TSC is None, reason="no TypeScript")
def test_the_types_are_right():
    run = subprocess.run([TSC, "--project", HERE], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


@pytest.mark.skipif(NODE is None, reason="no node")
def test_the_pure_parts(tmp_path):
    resource = DisplayList("a resource", b"")
    arrays = [np.array([1, 2, 3.5, -4], "<f4"), np.array([1, 2, 79], np.uint8), np.array([-7], "<i2")]
    written = DisplayList.of([["path", 2, 3], ["fill", "#ff0000ff"]], arrays, (resource,))
    (tmp_path / "list.bin").write_bytes(written.data)
    (tmp_path / "shuffled.bin").write_bytes(_shuffled(bytes(range(21))))
    (tmp_path / "package.json").write_text(json.dumps({"type": "module"}))
    for file in (ENGINE / "page.js", ENGINE / "recording.js", HERE / "page.test.js"):
        shutil.copy(file, tmp_path)
    run = subprocess.run([NODE, "--test", "."], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "pass 12" in run.stdout
