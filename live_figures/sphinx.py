"""Live figures in the pages that Sphinx makes: `extensions = ["live_figures.sphinx"]` in conf.py, then

    .. live-figure:: rain.py

for a file beside the document whose last line is `live(…)`, or the code itself in the place of the file:

    .. live-figure::
       :steps: 20

       from live_figures import live, slider
       …
       live(figure, update, rate=slider(0.5, 5, 1))

The code runs when the document is read, and what it shows is recorded (`live_figures.record`; `:steps:`: of
each slider, by default all; `:narrow:`: for phones, too). Recordings are kept beside Sphinx's doctrees while
the code stays the same. Pages of HTML move; other builders, and pages without scripts, have the still picture
and its caption.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import shutil
import traceback
from pathlib import Path
from types import MappingProxyType
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.osutil import relative_uri

from . import LiveFigure, __version__, record
from ._html import HERE, figure_at, steps_said
from .recording import NARROW

SCRIPTS = "page.js", "recording.js"
STATIC = "_static/live_figures"  # of the pages


class live_figure(nodes.General, nodes.Element):
    """A recorded figure: an image and its caption; `kept`, its files without their `endings`."""


class LiveFigureDirective(SphinxDirective):
    """`live-figure`; see the module."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = MappingProxyType({"steps": directives.nonnegative_int, "narrow": directives.flag})

    def run(self) -> list[nodes.Node]:
        if bool(self.arguments) == bool(self.content):
            raise self.error("live-figure must have either a file or code")
        if self.arguments:
            name, path = self.env.relfn2path(self.arguments[0])
            self.env.note_dependency(name)
            try:
                source = Path(path).read_text(encoding="utf-8")
            except OSError as error:
                raise self.error(f"live-figure: {error}") from error
        else:  # lines count as in the document
            path, source = self.get_source_info()[0], "\n" * self.content_offset + "\n".join(self.content)
        kept = self.kept(path, source)
        about = json.loads(kept.with_suffix(".json").read_text(encoding="utf-8"))
        here = Path(self.env.doc2path(self.env.docname)).parent
        still = nodes.image(
            uri=Path(os.path.relpath(kept.with_suffix(".png"), here)).as_posix(), alt=about["caption"]
        )
        caption = nodes.paragraph(about["caption"], about["caption"])
        return [live_figure("", still, caption, kept=str(kept), **about)]

    def kept(self, path: str, source: str) -> Path:
        """The recording of this code, made unless it is there: .bin, .png and .json."""
        known = json.dumps([source, self.options, __version__])
        folder = Path(self.env.doctreedir) / "live_figures"
        kept = folder / hashlib.sha256(known.encode()).hexdigest()[:16]
        if not kept.with_suffix(".json").exists():
            shown = self.shown_by(path, source)
            steps = self.options.get("steps", 0)
            try:
                recording = record(shown, steps=steps)
                files = {".bin": recording.to_bytes(), ".png": shown.still()}
                if "narrow" in self.options:
                    files[".narrow.bin"] = record(shown, steps=steps, width=NARROW, like=recording).to_bytes()
            except (TypeError, ValueError, RuntimeError) as error:
                raise self.error(f"live-figure: {path}: {error}") from error
            folder.mkdir(parents=True, exist_ok=True)
            for ending, content in files.items():
                kept.with_suffix(ending).write_bytes(content)
            about = {
                "caption": recording.caption,
                "said": steps_said(recording),
                "endings": list(files),
                "is_dark": shown.is_dark,
            }
            part = kept.with_suffix(f".{os.getpid()}")  # another process may be reading the same figure
            part.write_text(json.dumps(about), encoding="utf-8")
            part.replace(kept.with_suffix(".json"))
        return kept

    def shown_by(self, path: str, source: str) -> LiveFigure:
        """What the last line of this code gives; an error names its line."""
        os.environ.setdefault("MPLBACKEND", "agg")
        names: dict[str, Any] = {"__name__": "__main__", "__file__": path}
        try:
            tree = ast.parse(source, path)
            last = tree.body.pop() if tree.body else None
            exec(compile(tree, path, "exec"), names)
            end = ast.Expression(last.value if isinstance(last, ast.Expr) else ast.Constant(None))
            shown = eval(compile(ast.fix_missing_locations(end), path, "eval"), names)
        except Exception as error:
            lines = [
                each.lineno for each in traceback.extract_tb(error.__traceback__) if each.filename == path
            ]
            line = getattr(error, "lineno", None) or (lines or [None])[-1]
            raise self.error(f"live-figure: {path}:{line}: {type(error).__name__}: {error}") from error
        if not isinstance(shown, LiveFigure):
            raise self.error(f"live-figure: {path} must end with live(…); got {shown!r:.80}")
        return shown


def write_html(translator: Any, node: live_figure) -> None:
    """The figure as HTML; its recording comes beside the page's scripts."""
    builder, kept = translator.builder, Path(node["kept"])
    target = Path(builder.outdir) / STATIC
    target.mkdir(parents=True, exist_ok=True)
    for ending in node["endings"]:
        shutil.copyfile(kept.with_suffix(ending), target / kept.with_suffix(ending).name)
    here = "./" + relative_uri(builder.get_target_uri(builder.current_docname), STATIC)
    addresses = {name.partition(".")[0]: f"{here}/{name}" for name in SCRIPTS}
    for kind, ending in {"still": ".png", "data": ".bin", "narrow": ".narrow.bin"}.items():
        if ending in node["endings"]:
            addresses[kind] = f"{here}/{kept.name}{ending}"
    translator.body.append(
        figure_at(f"live-{kept.name}", node["caption"], node["said"], is_dark=node["is_dark"], **addresses)
    )
    raise nodes.SkipNode


def copy_scripts(app: Sphinx, error: Exception | None) -> None:
    """What pages of live figures load; a site of its own may load it from there, too."""
    if app.builder.format == "html" and error is None:
        target = Path(app.outdir) / STATIC
        target.mkdir(parents=True, exist_ok=True)
        for name in SCRIPTS:
            shutil.copyfile(HERE / name, target / name)


def nothing(translator: Any, node: live_figure) -> None:
    """The image and the caption stand for themselves."""


def setup(app: Sphinx) -> dict[str, Any]:
    plain = nothing, nothing
    app.add_node(live_figure, html=(write_html, None), latex=plain, text=plain, man=plain, texinfo=plain)
    app.add_directive("live-figure", LiveFigureDirective)
    app.connect("build-finished", copy_scripts)
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}
