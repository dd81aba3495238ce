"""A small table that a cell shows: HTML in a page, aligned text elsewhere."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Table(NamedTuple):
    """What `table` makes of columns; it is shown where it is the last line of a cell.

    >>> Table(["pair", "rate"], [("0", "1"), ("1", "1/100")])
    pair   rate
       0      1
       1  1/100
    """

    names: list[str]
    rows: list[tuple[str, ...]]

    def __repr__(self) -> str:
        lines = [self.names, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(map(str.rjust, line, widths)) for line in lines)

    def _repr_html_(self) -> str:
        def line(tag: str, cells: Sequence[str]) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

        body = "\n".join(line("td", row) for row in self.rows)
        return f"<table>\n<thead>{line('th', self.names)}</thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def table(columns: Mapping[str, Sequence[Any]], *, digits: int = 4) -> Table:
    """Show columns, {name: values}, as a table; floating numbers have `digits` significant digits.

    Raises ValueError where the columns differ in length.

    >>> table({"position": [0, 1], "sine": [0.0, 0.841471]}, digits=3)
    position   sine
           0      0
           1  0.841
    """

    def words(value: Any) -> str:
        return str(value) if isinstance(value, str | int) else f"{float(value):,.{digits}g}"

    cells = [list(map(words, column)) for column in columns.values()]
    return Table(list(columns), list(zip(*cells, strict=True)))
