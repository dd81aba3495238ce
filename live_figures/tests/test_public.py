"""What the package offers is documented, and importing it is light."""

import inspect
import subprocess
import sys

import live_figures


def public():
    """(name, function or class) of everything that the package offers."""
    for name, found in vars(live_figures).items():
        if not name.startswith("_") and getattr(found, "__module__", "").startswith("live_figures"):
            yield name, found


def test_everything_public_is_annotated_and_has_an_example():
    names = dict(public())
    assert {"live", "slider", "log_slider", "choice", "text", "draw_in", "record", "LiveFigure"} <= set(names)
    for name, found in names.items():
        assert inspect.getdoc(found), name
        if inspect.isfunction(found):
            signature = inspect.signature(found)
            annotations = [each.annotation for each in signature.parameters.values()]
            assert inspect.Parameter.empty not in [*annotations, signature.return_annotation], name
            assert ">>> " in found.__doc__, name


def test_methods_are_documented():
    for name, found in public():
        for method, function in vars(found).items() if inspect.isclass(found) else ():
            if inspect.isfunction(function) and not method.startswith("_"):
                assert inspect.getdoc(function) or found.__bases__ == (tuple,), f"{name}.{method}"


def test_it_does_without_pyplot_and_without_anywidget_until_a_page_draws():
    code = "import sys, live_figures; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"matplotlib.pyplot", "anywidget", "torch"} & set(run.stdout.split())
