"""Importing the package is quick and light; the setup cell brings it into Colab and leaves torch alone."""

import json
import os
import statistics
import subprocess
import sys

import refresh_notebooks
from conftest import ROOT


def python(code, **options):
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, **options)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_import_is_quick_and_light():
    code = """if True:
        import json, sys, time, numpy
        start = time.perf_counter()
        import pe_helpers
        took = time.perf_counter() - start
        heavy = [name for name in ("torch", "matplotlib", "ipywidgets", "sklearn") if name in sys.modules]
        print(json.dumps([took, heavy]))
    """
    runs = [json.loads(python(code)) for _ in range(3)]
    assert statistics.median(took for took, _ in runs) <= 0.25
    assert runs[0][1] == []


def test_the_page_does_without_pyplot_and_torch():
    loaded = python(
        "import sys, pe_helpers.live, pe_helpers.plots, pe_helpers.exercises; print(*sys.modules)"
    ).split()
    assert "matplotlib.pyplot" not in loaded and "torch" not in loaded


COLAB = """if True:
    import importlib.metadata, json, sys, types

    def installed():
        found = [(d.name, d.version, str(d.locate_file(""))) for d in importlib.metadata.distributions()]
        return sorted(map(str, found))

    sys.modules["google"] = types.ModuleType("google")
    sys.modules["google.colab"] = types.ModuleType("google.colab")
    before, setup = installed(), sys.stdin.read()
    exec(setup)
    exec(setup)  # running it again does no harm
    print(json.dumps([pe_helpers.__file__, before == installed(), "torch" in sys.modules]))
"""


def test_the_setup_cell_fetches_the_course_in_colab(tmp_path):
    setup = refresh_notebooks.SETUP.format(repository=refresh_notebooks.repository())
    environment = os.environ | {
        "GIT_CONFIG_COUNT": "1",  # the address on the network leads to this checkout
        "GIT_CONFIG_KEY_0": f"url.{ROOT.as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": refresh_notebooks.repository(),
    }
    told = python(COLAB, input=setup, cwd=tmp_path, env=environment).splitlines()
    assert told[0].startswith("pe_helpers") and told[0].endswith("is ready")
    file, nothing_changed, torch_loaded = json.loads(told[-1])
    assert file == str(tmp_path / "course" / "pe_helpers" / "__init__.py")
    assert (tmp_path / "course" / "data").is_dir()
    assert nothing_changed and not torch_loaded


def test_elsewhere_the_setup_cell_only_imports(tmp_path):
    setup = refresh_notebooks.SETUP.format(repository="https://nowhere.invalid")
    python(setup, cwd=tmp_path)
    assert not list(tmp_path.iterdir())
