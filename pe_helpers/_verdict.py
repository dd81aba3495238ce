"""What a check found, and how a notebook shows it: never stale, for a changed answer is checked anew."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

MARKS = {True: ("✓", "#009E73"), False: ("✗", "#D55E00"), None: ("–", "#767676")}  # and their colours


class Verdict(NamedTuple):
    """What a check found: `passed`, and `message`, which a notebook shows as the output of the cell.

    passed: None where there is no answer yet.

    >>> Verdict(True, "All three cases are right.")
    ✓ All three cases are right.
    """

    passed: bool | None
    message: str

    def __repr__(self) -> str:
        return f"{MARKS[self.passed][0]} {self.message}"

    def _repr_html_(self) -> str:
        box = f"border-left: 5px solid {MARKS[self.passed][1]}; padding: 0.4em 0.8em; font-size: 1.05em"
        text = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(repr(self)))
        text = re.sub(r"(?<!\S)\*(\w+)\*(?!\w)", r"<em>\1</em>", text)
        return f"<div class='course-verdict' style='{box}'>{text}</div>"


class _Kept(Verdict):
    """A verdict that a notebook keeps up to date: it knows the answer, and how to judge another one."""

    answer: Any
    judge: Callable[[Any], Verdict]

    @classmethod
    def of(cls, answer: Any, judge: Callable[[Any], Verdict]) -> _Kept:
        """Judge an answer, and remember both."""
        verdict = cls(*judge(answer))
        verdict.answer, verdict.judge = answer, judge
        return verdict

    def _ipython_display_(self) -> None:
        from IPython import get_ipython
        from IPython.display import display

        place = display(_data(self), raw=True, display_id=True)
        _shown.append(_Shown(self.answer, self.judge, place))
        get_ipython().events.register("post_run_cell", _follow)  # only the first time


@dataclass(eq=False)
class _Shown:
    """A verdict in a notebook."""

    answer: Any
    judge: Callable[[Any], Verdict]
    place: Any  # of the display
    name: str | None = None  # of the answer
    cell: str | None = None  # which shows it; None: the one that runs

    def verdict_after(self, names, source, error):
        """Return the new verdict after a cell ran, or stopped with an error; None if the old one holds."""
        answer = names.get(self.name, self.answer)
        if answer is not self.answer:
            self.answer = answer
            try:
                return self.judge(answer)
            except (Exception, KeyboardInterrupt):  # it takes too long; or what the check needs has changed
                return Verdict(False, f"`{self.name}` has changed and is not checked yet: run this cell.")
        if error and re.search(rf"^\s*def {self.name}\b", source, re.M):
            what = type(error).__name__
            return Verdict(False, f"Not checked: the cell of `{self.name}` stops with {what}.")
        return None


_shown: list[_Shown] = []


def _follow(result):
    """After each cell: judge the answers that it changed, in the place of the old verdicts."""
    from IPython import get_ipython

    with suppress(Exception, KeyboardInterrupt):  # the reader's cell is none the worse for it
        names, source = get_ipython().user_ns, result.info.raw_cell
        cell = getattr(result.info, "cell_id", None) or source  # Colab's IPython has no `cell_id`
        _shown[:] = [shown for shown in _shown if shown.cell != cell]  # the cell ran again
        for shown in _shown:
            if shown.cell is None:
                words = filter(names.__contains__, re.findall(r"\w+", source))
                shown.name = next((word for word in words if names[word] is shown.answer), None)
                shown.cell = cell
            verdict = shown.verdict_after(names, source, result.error_before_exec or result.error_in_exec)
            if verdict:
                shown.place.update(_data(verdict), raw=True)


def _explain_missing_names() -> None:
    """In a notebook, where a check misses a name because cells above it did not run, say so.

    The traceback would show the check's own code, which holds the right results.
    """
    from IPython import get_ipython

    if shell := get_ipython():
        shell.set_custom_exc((NameError,), _explain_missing)


def _explain_missing(shell, kind, error, traceback, tb_offset=None):
    if not shell.user_ns["In"][-1].startswith("# @title Check "):
        return shell.showtraceback((kind, error, traceback), tb_offset=tb_offset)
    how = "Run all cells first: menu Run, Run All Cells (in Colab: Runtime, Run all)."
    shell._showtraceback(kind, error, [f"Not checked: {error.name} is not defined yet. {how}"])


def _data(verdict):
    return {"text/plain": repr(verdict), "text/html": verdict._repr_html_()}
