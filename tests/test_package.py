"""The package is quick and light and built in floors; the setup cell brings it into Colab."""

import ast
import graphlib
import json
import os
import re
import statistics
import subprocess
import sys

import refresh_notebooks
from conftest import ROOT

FLOORS = [  # a module imports only from its own floor, without a circle, and from those below
    "arguments waves sinusoidal rates rotary bias similarity",
    "vocabulary vector_files word_vectors projection rope_config",
    "layers tasks checkpoints training devices",
    "plots canvas word_map",
    "live exercises",
]
FLOOR = {module: floor for floor, modules in enumerate(FLOORS) for module in modules.split()}


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
        heavy = {"torch", "matplotlib", "ipywidgets", "pandas", "scipy", "sklearn"}
        print(json.dumps([took, sorted(heavy & set(sys.modules))]))
    """
    runs = [json.loads(python(code)) for _ in range(3)]
    assert statistics.median(took for took, _ in runs) <= 0.25
    assert runs[0][1] == []


def test_the_page_does_without_pyplot_and_torch():
    loaded = python(
        "import sys, pe_helpers.live, pe_helpers.plots, pe_helpers.exercises; print(*sys.modules)"
    ).split()
    assert "matplotlib.pyplot" not in loaded and "torch" not in loaded


def own_imports(file):
    """The modules of the package that one of them imports, anywhere in it, all by relative imports."""
    source = file.read_text()
    assert not re.search(r"^ *(import|from) pe_helpers", source, re.M)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level:
            yield from [node.module] if node.module else [alias.name for alias in node.names]


def test_a_module_imports_only_what_lies_below_it():
    files = {file.stem: file for file in (ROOT / "pe_helpers").glob("*.py")}
    del files["__init__"]
    assert not list(own_imports(files.pop("no_delay")))
    assert set(files) <= set(FLOOR)
    imports = {module: set(own_imports(file)) for module, file in files.items()}
    for module, others in imports.items():
        assert all(FLOOR[other] <= FLOOR[module] for other in others), module
    graphlib.TopologicalSorter(imports).prepare()  # raises CycleError


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
