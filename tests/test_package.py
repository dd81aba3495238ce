"""The package is quick and light and built in floors."""

import ast
import graphlib
import importlib
import inspect
import re
import subprocess
import sys

import pytest

from tools.course import ROOT

# from the lowest floor to the highest
ROOMS = [
    "encodings",
    "words",
    "models _verdict _description",
    "plots exercises claims",
    "_word_map _table",
    "figures",
]
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
        if room == "_arguments":  # for all
            assert not others, name
            continue
        for other in others - {"_arguments"}:
            assert other.split(".")[0] == room or FLOOR[other.split(".")[0]] < FLOOR[room], (name, other)
            assert other.split(".")[0] == room or "._" not in other, f"{name} uses {other}, which is internal"
    graphlib.TopologicalSorter(imports).prepare()  # raises CycleError


def test_the_readme_names_every_module():
    rows = [line for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("| ")]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert {name.rpartition(".")[2] for name in MODULES if "_" not in name.split(".")[-1][:1]} <= named | {""}


def test_no_name_shadows_a_module():
    """`import pe_helpers.words.vocabulary as m` gives the module, not a function of the same name."""
    for name in MODULES:
        if name:
            parent, _, own = f"pe_helpers.{name}".rpartition(".")
            module = importlib.import_module(f"{parent}.{own}")
            assert getattr(importlib.import_module(parent), own) is module, name


MAY_IMPORT = {  # what a folder's Python may import of the others'
    "live_figures": set(),
    "pe_helpers": {"live_figures"},
    "tools": {"live_figures", "pe_helpers"},
    "site": set(),
    "deploy": set(),
    "benchmarks": {"live_figures", "pe_helpers", "tools", "tests"},  # they share the tests' harnesses
    "tests": {"live_figures", "pe_helpers", "tools", "benchmarks"},
}


def imported(file):
    """The names of the modules that a file imports, anywhere in it, but its own folder's by dots."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_a_folder_imports_only_from_those_below_it(folder):
    files = list((ROOT / folder).rglob("*.py"))
    assert files
    for file in files:
        tops = {name.partition(".")[0] for name in imported(file)} & {*MAY_IMPORT} - {"site"}
        assert tops <= MAY_IMPORT[folder] | {folder}, file
        tested = [name for name in imported(file) if "tests" in name.split(".")]
        assert not tested or folder in ("tests", "benchmarks") or "tests" in file.parts, (file, tested)
        # Colab's set-up cell extends it, and so does what runs in the grader's sandbox
        if not {"test_package.py", "refresh_notebooks.py", "answering.py"} & {file.name}:
            assert "sys.path" not in file.read_text(), file


def test_colab_s_path_is_enough(tmp_path):
    """A clone on the path, nothing installed: what the set-up cell makes of Colab."""
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); import live_figures, pe_helpers.figures as figures; "
    )
    code += "print(live_figures.__file__, figures.live is live_figures.live)"
    assert python(code, cwd=tmp_path).split() == [str(ROOT / "live_figures" / "__init__.py"), "True"]


def is_ours(found):
    module = getattr(found, "__module__", "")
    return module.startswith("pe_helpers") and module != "pe_helpers._arguments"


def public_objects():
    """(name, function or class) of everything that a room offers, and of the methods of its classes."""
    for room in ("", *(f".{room}" for room in FLOOR if room[0] != "_")):
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
