"""The package is quick and light and built in floors; the setup cell brings it into Colab."""

import ast
import graphlib
import importlib
import inspect
import json
import os
import re
import subprocess
import sys

import pytest
import refresh_notebooks
from conftest import ROOT

ROOMS = ["encodings", "words", "models", "figures exercises"]  # from the lowest floor to the highest
FLOOR = {room: floor for floor, rooms in enumerate(ROOMS) for room in rooms.split()}
PACKAGE = ROOT / "pe_helpers"


def python(code, **options):
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, **options)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_import_is_light():
    """Beyond NumPy it loads a few small modules; how long that takes, a busy machine cannot tell."""
    code = (
        "import sys, numpy; before = set(sys.modules); import pe_helpers; print(*set(sys.modules) - before)"
    )
    loaded = python(code).split()
    assert "pe_helpers.encodings.rotary" in loaded and len(loaded) < 40
    heavy = {"torch", "matplotlib", "ipywidgets", "pandas", "scipy", "sklearn"}
    assert not heavy & {name.partition(".")[0] for name in loaded}


def test_the_page_does_without_pyplot_and_torch():
    loaded = python("import sys, pe_helpers.figures, pe_helpers.exercises; print(*sys.modules)").split()
    assert "matplotlib.pyplot" not in loaded and "torch" not in loaded


def test_mypy_accepts_the_annotations():
    """Here, not before the tests, so that the other core does something else meanwhile."""
    pytest.importorskip("mypy")  # it is not among Colab's versions
    run = subprocess.run([sys.executable, "-m", "mypy"], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def module_name(file):
    """The dotted name of a module inside the package: `encodings.rotary`, `words` for words/__init__.py."""
    return ".".join(file.relative_to(PACKAGE).with_suffix("").parts).removesuffix("__init__").rstrip(".")


def own_imports(file):
    """The dotted names of the package's modules that one of them imports, anywhere in it."""
    source, name = file.read_text(), module_name(file)
    assert not re.search(r"^ *(import|from) pe_helpers", source, re.M)
    room = name if file.stem == "__init__" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = ".".join(room.split(".")[: len(room.split(".")) - node.level + 1]) if room else ""
            base = ".".join(filter(None, [above, node.module]))
            inner = [".".join(filter(None, [base, alias.name])) for alias in node.names]
            yield from {name if name in MODULES else base for name in inner}


MODULES = {module_name(file): file for file in PACKAGE.rglob("*.py")}


def test_a_room_imports_only_from_rooms_below_it():
    imports = {name: set(own_imports(file)) for name, file in MODULES.items() if name}
    for name, others in imports.items():
        room = name.split(".")[0]
        if room in ("_arguments", "no_delay"):  # for all; for Jupyter's server
            assert not others, name
            continue
        for other in others - {"_arguments"}:
            assert other.split(".")[0] == room or FLOOR[other.split(".")[0]] < FLOOR[room], (name, other)
            assert other.split(".")[0] == room or "._" not in other, f"{name} uses {other}, which is internal"
    graphlib.TopologicalSorter(imports).prepare()  # raises CycleError


def test_no_name_shadows_a_module():
    """`import pe_helpers.words.vocabulary as m` gives the module, not a function of the same name."""
    for name, file in MODULES.items():
        if name and not any(own in file.read_text() for own in ("jupyter_server", "import anywidget")):
            # Colab has neither
            parent, _, own = f"pe_helpers.{name}".rpartition(".")
            module = importlib.import_module(f"{parent}.{own}")
            assert getattr(importlib.import_module(parent), own) is module, name


def is_ours(found):
    module = getattr(found, "__module__", "")
    return module.startswith("pe_helpers") and module != "pe_helpers._arguments"


def public_objects():
    """(name, function or class) of everything that a room offers, and of the methods of its classes."""
    for room in ("", *(f".{room}" for room in FLOOR), ".figures.plots"):
        for name, found in vars(importlib.import_module(f"pe_helpers{room}")).items():
            if is_ours(found) and not name.startswith("_"):
                yield f"pe_helpers{room}.{name}", found
                for method, function in vars(found).items() if inspect.isclass(found) else ():
                    if inspect.isfunction(function) and is_ours(function) and not method.startswith("_"):
                        yield f"pe_helpers{room}.{name}.{method}", function


def test_everything_public_is_annotated_and_has_an_example():
    for name, found in public_objects():
        assert inspect.getdoc(found), name
        if inspect.isfunction(found):
            signature = inspect.signature(found)
            for parameter in signature.parameters.values():
                assert parameter.name == "self" or parameter.annotation is not parameter.empty, name
            assert signature.return_annotation is not signature.empty, name
        is_method = "." in found.__qualname__  # its example may stand with its class
        assert is_method or "Error" in name or ">>> " in found.__doc__, name


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
