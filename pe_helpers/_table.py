"""A small table that a cell shows: HTML in a page, aligned text elsewhere."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from live_figures import with_minus


class Table(NamedTuple):
    """What `table` makes of columns; it is shown where it is the last line of a cell.

    >>> Table(["pair", "rate"], [("0", "1"), ("1", "1/100")])
    pair   rate
       0      1
       1  1/100
    """

    names: list[str]
    rows: list[tuple[str, ...]]
    bold: frozenset[tuple[int, int]] = frozenset()  # the row and column of each cell that a page marks

    def __repr__(self) -> str:
        lines = [self.names, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(map(str.rjust, line, widths)) for line in lines)

    def _repr_html_(self) -> str:
        def escaped(cell: str) -> str:
            return with_minus(html.escape(cell))

        def line(tag: str, cells: Sequence[str], n: int = -1) -> str:
            written = [
                f"<b>{escaped(cell)}</b>" if (n, m) in self.bold else escaped(cell)
                for m, cell in enumerate(cells)
            ]
            return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in written) + "</tr>"

        body = "\n".join(line("td", row, n) for n, row in enumerate(self.rows))
        return f"<table>\n<thead>{line('th', self.names)}</thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def table(columns: Mapping[str, Sequence[Any]], *, digits: int = 4, largest: bool = False) -> Table:
    """Show columns, {name: values}, as a table; floating numbers have `digits` significant digits.

    largest: in a page, the largest number of each row is bold; words and names do not count.
    Raises ValueError where the columns differ in length.

    >>> table({"position": [0, 1], "sine": [0.0, 0.841471]}, digits=3)
    position   sine
           0      0
           1  0.841
    >>> sorted(table({"query": ["a", "b"], "0": [1, 3], "1": [2, 3]}, largest=True).bold)
    [(0, 2), (1, 1), (1, 2)]
    """

    def words(value: Any) -> str:
        return str(value) if isinstance(value, str | int) else f"{float(value):,.{digits}g}"

    cells = [list(map(words, column)) for column in columns.values()]
    rows, bold = list(zip(*columns.values(), strict=True)), set()
    for n, row in enumerate(rows if largest else ()):
        numbers = {m: value for m, value in enumerate(row) if not isinstance(value, str)}
        bold |= {(n, m) for m, value in numbers.items() if value == max(numbers.values())}
    return Table(list(columns), list(zip(*cells, strict=True)), frozenset(bold))
