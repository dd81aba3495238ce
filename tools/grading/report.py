"""The tables and pages that come out of grading."""

import csv
import hashlib
import html
import re

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{student}</title>
<style>body {{ font: 16px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em }}
pre {{ background: #f4f4f4; padding: 0.5em; overflow-x: auto; white-space: pre-wrap }}
dt {{ font-weight: bold }} .right {{ color: #00664b }} .wrong {{ color: #a03c00 }}</style>
<h1>{student}: {points} of {most}</h1>
{parts}</html>
"""
PART = """<h2>{title}</h2>
<p>{remark}</p>
{details}"""
BEYOND = "Right in the cases of the notebook, not in others"  # as a Mark says it, and then the case
SIGNS = r"[=+\-@\t\r\n\uff0b\uff0d\uff1d\uff20]"
FORMULA = re.compile(rf"^\s*{SIGNS}")
LATER = re.compile(rf"(;[\s\"]*)(?={SIGNS})")  # where a spreadsheet takes ; for what separates cells


def cell(value):
    """A value as a cell of a table that a spreadsheet does not take for a formula.

    >>> cell("=HYPERLINK(1)"), cell("a; =1"), cell(3)
    ("'=HYPERLINK(1)", "a; '=1", 3)
    """
    if isinstance(value, int):
        return value
    text = "".join(letter if letter.isprintable() else " " for letter in str(value))
    text = LATER.sub(r"\1'", text)
    return f"'{text}" if FORMULA.match(text) or FORMULA.match(str(value)) else text


def writer(file):
    """A writer of CSV that puts every text into quotes."""
    return csv.writer(file, quoting=csv.QUOTE_NONNUMERIC)


def write_table(path, head, rows):
    """Write a CSV file of these rows."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer(file).writerows([list(map(cell, row)) for row in [head, *rows]])


def page_name(student):
    """The name of the file of a student's page; no two students share one.

    >>> page_name("ada"), page_name("../ada")
    ('ada.html', '.._ada-600882.html')
    """
    name = (
        re.sub(r"[^\w.@ -]", "_", student)[:80].encode()[:150].decode(errors="ignore")
    )  # a disk counts bytes
    same = name == student and name == name.lower() and not re.search(r"-[0-9a-f]{6}$", name)
    return f"{name if same else f'{name}-{hashlib.sha256(student.encode()).hexdigest()[:6]}'}.html"


def page(student, rows):
    """The HTML page of a student; rows: dicts as `tools.grade` keeps them."""
    parts = [part(row) for row in rows]
    points, most = sum(row["points"] for row in rows), sum(row["of"] for row in rows)
    return PAGE.format(student=html.escape(student), points=points, most=most, parts="\n".join(parts))


def part(row):
    """What a page says about one exercise; of the cases that no notebook shows not one: they come again."""
    title, remark = "A file", row["remark"]  # one that belongs to no exercise
    shown = [("code", "your code"), ("call", "the call"), ("came", "what came"), ("expected", "expected")]
    if row["exercise"]:
        verdict = "right" if row["points"] and row["points"] == row["of"] else "wrong"
        points = f'<span class="{verdict}">{row["points"]} of {row["of"]}</span>'
        title = f"{html.escape(row['notebook'])}, exercise {row['exercise']}: {points}"
    if remark.startswith(BEYOND):
        remark = f"{BEYOND}. Try it with arguments of your own, where you know the result."
        shown = shown[:1]
    if row["note"]:
        remark += f" ({row['note']})"
    details = [
        f"<dt>{head}</dt><dd><pre>{html.escape(row[key])}</pre></dd>" for key, head in shown if row[key]
    ]
    details = f"<dl>{''.join(details)}</dl>" if details else ""
    return PART.format(title=title, remark=html.escape(remark), details=details)
