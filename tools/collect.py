"""Collect from a JupyterHub what its students have done: a folder for each, as `tools.grade` takes it.

    python -m tools.collect https://HUB --token-file token --out submissions 02_angle_rates 05_shift_matrices

The token is an administrator's, from the hub's page Token, or that of a service with the scopes list:users,
read:servers, servers and access:servers. The course lies in each student's home where the link for students
puts it. A server that does not run is started, asked and stopped again. OUT/STUDENT/NOTEBOOK.ipynb is written
whole or not at all; what was collected before stays where a student has nothing now. OUT.csv has a row for
each student and notebook: when it was saved, or why there is none. Exits with 1 where something failed.
"""

import argparse
import csv
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import requests

from tools.course import NOTEBOOKS
from tools.grading import report
from tools.grading.submissions import LARGEST

FOLDER = "positional-encoding-course/notebooks"
COLUMNS = "student", "notebook", "saved", "note"
STEMS = [path.stem for path in NOTEBOOKS]


class HubError(Exception):
    """The hub or a student's server does not do what it was asked for, and what it says."""


class Hub(NamedTuple):
    """A JupyterHub, asked with a token; patience: seconds that a server may take to start."""

    address: str
    token: str
    patience: float = 120

    def ask(self, method, path, allowed=(), **more):
        """The answer to a request; raises HubError where its status is an error that is not allowed."""
        headers = {"Authorization": f"token {self.token}"}
        try:
            answer = requests.request(method, f"{self.address}/{path}", headers=headers, timeout=60, **more)
        except requests.RequestException as error:
            raise HubError(f"no answer to {method} {path}: {type(error).__name__}") from error
        if not answer.ok and answer.status_code not in allowed:
            raise HubError(f"{method} {path} got {answer.status_code} {answer.reason}")
        return answer

    def students(self):
        """The names of all users, page by page."""
        names, offset = [], 0
        while page := self.ask("GET", "hub/api/users", params={"offset": offset, "limit": 50}).json():
            names += [user["name"] for user in page]
            offset += len(page)
        return names

    @contextmanager
    def server(self, name):
        """The student's server runs, and is stopped afterwards if it did not run before."""
        user = f"hub/api/users/{quote(name, safe='')}"
        ran = self.is_ready(user)
        if not ran:
            self.ask("POST", f"{user}/server", allowed=[400])  # it may be starting
        try:
            end = time.monotonic() + self.patience
            while not (ran or self.is_ready(user)):
                if time.monotonic() > end:
                    raise HubError(f"the server did not start within {self.patience:.0f} s")
                time.sleep(0.5)
            yield
        finally:
            if not ran:
                self.ask("DELETE", f"{user}/server", allowed=[400, 404])

    def is_ready(self, user):
        return self.ask("GET", user).json().get("servers", {}).get("", {}).get("ready", False)

    def file(self, name, path):
        """(text, when it was saved) of a file in a student's home; None where there is none.

        Raises HubError where it is too large, or no file.
        """
        place = f"user/{quote(name, safe='')}/api/contents/{quote(path)}"
        found = self.ask("GET", place, allowed=[404], params={"content": 0})
        if found.status_code == 404:
            return None
        about = found.json()
        if about["type"] == "directory" or (about.get("size") or 0) > LARGEST:
            raise HubError(f"{path} must be a file of at most {LARGEST:,} bytes; it has {about.get('size')}")
        options = {"type": "file", "format": "text", "content": 1}
        return self.ask("GET", place, params=options).json()["content"], about["last_modified"]


def folder_of(out, name):
    """A student's folder: the name, with whatever could lead elsewhere written as %.

    >>> folder_of(Path("out"), "../ada").as_posix()
    'out/%2E.%2Fada'
    """
    safe = quote(name, safe="@+ ")
    return out / (f"%2E{safe[1:]}" if safe.startswith(".") else safe)


def collected(hub, name, stems, folder, out):
    """The rows of a student, whose files are written."""
    rows = [{"student": name, "notebook": stem, "saved": "", "note": "none"} for stem in stems]
    try:
        if name in (".", ".."):
            raise HubError("no address can have this name")
        with hub.server(name):
            for row in rows:
                try:
                    found = hub.file(name, f"{folder}/{row['notebook']}.ipynb")
                except HubError as error:
                    row["note"] = f"failed: {error}"
                    continue
                if found is not None:
                    text, row["saved"] = found
                    row["note"] = ""
                    write(folder_of(out, name) / f"{row['notebook']}.ipynb", text)
    except HubError as error:
        for row in rows:
            row["note"] = row["note"] and f"failed: {error}"
    return rows


def write(path, text):
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def collect(hub, names, stems, folder, out):
    """Collect from these students; the rows of all, which are in OUT.csv, too."""
    rows = []
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda name: collected(hub, name, stems, folder, out), names):
            rows += found
            print(
                f"{found[0]['student']}: {sum(not row['note'] for row in found)} of {len(stems)}", flush=True
            )
    out.mkdir(parents=True, exist_ok=True)
    with out.with_name(f"{out.name}.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        table.writerows({name: report.cell(value) for name, value in row.items()} for row in rows)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("hub", help="its address, https://…")
    parser.add_argument(
        "notebooks", nargs="*", choices=[[], *STEMS], metavar="NOTEBOOK", help="by default all"
    )
    parser.add_argument(
        "--token-file", type=Path, required=True, help="a file that has the token, for you alone"
    )
    parser.add_argument("--out", type=Path, default=Path("submissions"))
    parser.add_argument("--students", nargs="+", help="by default all users of the hub")
    parser.add_argument("--folder", default=FOLDER, help=f"in a student's home; by default {FOLDER}")
    arguments = parser.parse_args()
    if not arguments.hub.startswith(("https://", "http://127.0.0.1", "http://localhost")):
        parser.error(f"hub must begin with https://, for the token goes there; got {arguments.hub}")
    hub = Hub(arguments.hub.rstrip("/"), arguments.token_file.read_text().strip())
    try:
        names = arguments.students or hub.students()
    except HubError as error:
        sys.exit(str(error))
    rows = collect(hub, names, arguments.notebooks or STEMS, arguments.folder, arguments.out)
    failed = {row["student"] for row in rows if row["note"].startswith("failed")}
    if failed:
        sys.exit(f"{len(failed)} of {len(names)} failed: {', '.join(sorted(failed))}")


if __name__ == "__main__":
    main()
