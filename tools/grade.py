"""Grade what students handed in, and say for each exercise what was right and what was not.

    python -m tools.grade SUBMISSIONS --out grades

SUBMISSIONS has a folder or a zip archive for each student, or is the archive that a learning platform gives.
What counts are the student's own cells. They run in a sandbox, by bubblewrap: a process of its own that has
the package of the course, and no solution, no network, no other submission and no file to write. The cases go
in as data and the results come out as data; what is right stays here. Cases that no notebook shows are for
answers that are right in the others.

OUT/grades.csv has a row for each exercise and is written as they come, OUT/totals.csv one for each student,
OUT/STUDENT.html is a page to hand back, which tells no case that the notebook doesn't show. What is graded is
kept in OUT/graded.jsonl: a second run grades what is new or changed, or took too long, in the same cases.
"""

import argparse
import codecs
import csv
import hashlib
import io
import json
import multiprocessing
import os
import secrets
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from pathlib import Path

from tools.course import NOTEBOOKS
from tools.grading import judge, key, report, submissions
from tools.grading.sandbox import Sandbox, SandboxError

COLUMNS = "student", "notebook", "exercise", "points", "of", "remark", "note"
EACH, LEAST = 0.5, 0.5  # GB that a job takes for Python and torch, and that it must have besides
UNSAFE = (
    "Nothing keeps the answers from your files, your network and other submissions: grade only people whom "
    "you trust, or in a container or account of its own."
)


class Refused(Exception):
    """The command cannot grade, and why."""


def row(student, notebook, exercise, mark, note="", code=""):
    """What is kept of an exercise."""
    kept = {"student": student, "notebook": notebook, "exercise": exercise, "of": 1 if exercise else 0}
    return kept | mark._asdict() | {"note": judge.printable(note), "code": code}


def rows_of(student, stem, exercises, submission, sandbox):
    """The rows of a notebook, one for each exercise, whatever was handed in."""
    file, note = submission if submission else (None, "")
    problem = (
        "Not handed in." if file is None else file.problem and f"The file cannot be read: {file.problem}."
    )
    cells = []
    if not problem:
        try:
            cells = submissions.cells_of(file.content)
        except submissions.NotANotebook as error:
            problem = str(error)
    for number, exercise in exercises.items():
        if problem:
            yield row(student, stem, number, judge.Mark(0, judge.printable(problem)), note)
            continue
        own, below = submissions.answer_cells(cells, exercise.known, number)
        code = "\n\n".join(source for source, is_answer in [*below, *own] if is_answer)
        mark = judge.mark_of(exercise, own, sandbox, below)
        yield row(student, stem, number, mark, note, code[:20_000])


def graded(student, stem, exercises, submission, sandbox):
    """(rows, whether they are to be kept): whatever happens, it is in this student's rows."""
    try:
        rows = list(rows_of(student, stem, exercises, submission, sandbox))
        return rows, not any(judge.may_change(one["remark"]) for one in rows)
    except Exception as error:
        mark = judge.Mark(0, judge.printable(f"This could not be graded: {type(error).__name__}: {error}"))
        return [row(student, stem, number, mark) for number in exercises], False


def tried(stem, exercises, sandbox):
    """Seconds for one student's notebook, by the course's own solutions; raises Refused where one fails."""
    start = time.monotonic()
    for number, exercise in exercises.items():
        mark = judge.mark_of(exercise, [(exercise.solution, True)], sandbox)
        if not mark.points:
            raise Refused(
                f"The course's own solution of {stem}, exercise {number}, fails here: {mark.remark}"
            )
    return time.monotonic() - start


def keys(paths, seed, jobs):
    """{stem: {number: Exercise}} of these notebooks, each run in a process of its own."""
    # a process for each: notebooks change settings of theirs
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, max_tasks_per_child=1) as pool:
        tasks = {path.stem: pool.submit(key.exercises_of, path, seed) for path in paths}
        found = {}
        for stem, task in tasks.items():
            try:
                found[stem] = task.result()
            except Exception as error:
                raise Refused(f"The course's own {stem} fails: {type(error).__name__}: {error}") from error
        return found


class Kept:
    """What is graded, in a file of lines of JSON; a line that was cut off counts for nothing."""

    def __init__(self, path):
        self.path, self.every = path, {}
        text = path.read_text("utf-8") if path.exists() else ""
        for line in text.splitlines():
            try:
                kept = json.loads(line)
                self.every[kept["student"], kept["notebook"]] = kept["digest"], kept["rows"]
            except (ValueError, KeyError, TypeError):
                continue
        if text and not text.endswith("\n"):
            path.write_text(f"{text}\n", "utf-8")

    def add(self, student, stem, digest, rows, is_to_stay=True):
        """Keep the rows of a notebook; is_to_stay: for the next run, too."""
        self.every[student, stem] = digest, rows
        if is_to_stay:
            kept = {"student": student, "notebook": stem, "digest": digest, "rows": rows}
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(kept) + "\n")

    def rows(self, student, stem, digest):
        """The rows of a notebook if they are of this submission; else None."""
        before, rows = self.every.get((student, stem), (None, None))
        return rows if before == digest else None


def digest_of(path, submission, settings):
    """What must be the same for a mark to hold: the course's notebook, what was handed in, the settings."""
    content = submission.file.content if submission else b""
    about = [*settings, submission.file.problem, submission.note] if submission else None
    parts = path.read_bytes(), content, json.dumps(about).encode("utf-8")
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def read_roster(path):
    """({student: the row's other values}, their heads) of a table with the students in its first column.

    Between the values may be commas, semicolons or tabs. Raises Refused.
    """
    content = path.read_bytes()
    encoding = "utf-16" if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    try:
        text = content.decode(encoding)
        between = max(",;\t", key=text.partition("\n")[0].count)
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=between, strict=True)
        head, *rows = [row for row in lines if any(row)] or [[]]
    except UnicodeDecodeError as error:
        raise Refused(f"--roster must be UTF-8 or UTF-16 (“CSV UTF-8” in Excel); {path}: {error}") from error
    except csv.Error as error:
        raise Refused(f"--roster must be a table (CSV); {path}: {error}") from error
    if not head:
        raise Refused(f"--roster must be a table with a head; {path}: it is empty")
    found = {}
    for name, *others in rows:
        student = submissions.student_name(name)
        if student in found:
            raise Refused(f"--roster must have each student once; got {student} twice")
        found[student] = others
    return found, head[1:]


def totals(every, roster, heads, stems):
    """(head, rows) of the table with a row for each student."""
    head = ["student", *heads, "points", "of", *stems, "note"]
    rows = []
    for student, kept in every.items():
        about = roster.get(student, [])
        each = [sum(one["points"] for one in kept if one["notebook"] == stem) for stem in stems]
        note = "not on the roster" if roster and student not in roster else ""
        filled = [*about[: len(heads)], *[""] * (len(heads) - len(about))]
        rows.append([student, *filled, sum(each), sum(one["of"] for one in kept), *each, note])
    return head, rows


def duration(seconds):
    """Seconds in words.

    >>> duration(50), duration(4000)
    ('1 min', '1 h 7 min')
    """
    hours, minutes = divmod(max(1, round(seconds / 60)), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


class Grading:
    """A class with what it handed in, and what is graded of it.

    paths: of the notebooks that count. seed: of the hidden cases.
    """

    def __init__(self, arguments, seed):
        self.out, self.seed = arguments.out, seed
        settings = seed, arguments.seconds, round(arguments.memory), arguments.unsafe
        self.roster, self.heads = read_roster(arguments.roster) if arguments.roster else ({}, [])
        try:
            every, self.strange = submissions.submissions_in(
                arguments.submissions, [path.stem for path in NOTEBOOKS], self.roster
            )
        except submissions.NotAClass as error:
            raise Refused(
                "SUBMISSIONS must be a folder or a zip archive with one for each student; "
                f"{arguments.submissions}: {error}"
            ) from error
        self.students = {student: every.get(student, {}) for student in sorted({*every, *self.roster})}
        if not self.students:
            raise Refused(
                f"SUBMISSIONS must have a folder or an archive for each student; got {arguments.submissions}"
            )
        handed_in = {stem for notebooks in every.values() for stem in notebooks}
        asked = tuple(arguments.notebooks)
        self.paths = [path for path in NOTEBOOKS if path.stem.startswith(asked or tuple(handed_in) or "-")]
        self.kept = Kept(self.out / "graded.jsonl")
        self.digests = {
            (student, path.stem): digest_of(path, notebooks.get(path.stem), settings)
            for student, notebooks in self.students.items()
            for path in self.paths
        }

    def waiting(self, student=None):
        """[(student, stem)] of what is not graded, of all students or of one."""
        ours = [which for which in self.digests if student in (None, which[0])]
        return [which for which in ours if self.kept.rows(*which, self.digests[which]) is None]

    def rows(self, student):
        """All rows of a student so far, in order."""
        problems = [judge.Mark(0, judge.printable(problem)) for problem in self.strange.get(student, [])]
        found = [row(student, "", 0, mark) for mark in problems]
        for path in self.paths:
            found += self.kept.rows(student, path.stem, self.digests[student, path.stem]) or []
        return found

    def run(self, sandbox, jobs):
        """Grade what is not graded; what is, is in the tables from then on."""
        waiting = self.waiting()
        print(f"{len(self.students)} students, {len(self.paths)} notebooks; {len(waiting)} pairs to grade")
        counts = Counter(stem for notebooks in self.students.values() for stem in notebooks)
        print("handed in:", ", ".join(f"{path.stem} {counts[path.stem]}" for path in self.paths))
        gone = {student for student, _ in self.kept.every} - {*self.students}
        if gone:
            names = judge.printable(", ".join(sorted(gone)))
            print(f"Not in SUBMISSIONS any more, so in no table, with a page from before: {names}")
        self.write_tables()
        if not waiting:
            return
        needed = {stem for _, stem in waiting}
        print("The notebooks of the course run, and then their own solutions …", flush=True)
        answers = keys([path for path in self.paths if path.stem in needed], self.seed, jobs)
        took = {stem: tried(stem, exercises, sandbox) for stem, exercises in answers.items()}
        print("seconds each:", ", ".join(f"{stem} {seconds:.1f}" for stem, seconds in took.items()))
        expected = {which: took[which[1]] * (which[1] in self.students[which[0]]) for which in waiting}
        total, so_far = sum(expected.values()), 0.0
        print(f"This takes about {duration(total / jobs)} with {jobs} jobs.", flush=True)
        start = time.monotonic()
        with (self.out / "grades.csv").open("a", newline="", encoding="utf-8") as file:
            table = report.writer(file)
            done = self.grade_all(waiting, answers, sandbox, jobs)
            for number, (student, stem, rows) in enumerate(done, 1):
                so_far += expected[student, stem]
                table.writerows(values_of(rows))
                file.flush()
                if not self.waiting(student):
                    left = (time.monotonic() - start) / (so_far or 1) * (total - so_far)
                    points = self.write_page(student)
                    share = f"{number} of {len(waiting)} pairs done"
                    print(
                        f"{judge.printable(student)}: {points} ({share}, {duration(left)} left)", flush=True
                    )
        self.write_tables()

    def grade_all(self, waiting, answers, sandbox, jobs):
        """Yield (student, stem, rows) of each pair as it is done."""

        def work(student, stem):
            return graded(student, stem, answers[stem], self.students[student].get(stem), sandbox)

        with ThreadPoolExecutor(jobs) as pool:
            tasks = {pool.submit(work, *which): which for which in waiting}
            try:
                for task in as_completed(tasks):
                    which = tasks[task]
                    rows, is_to_stay = task.result()
                    self.kept.add(*which, self.digests[which], rows, is_to_stay)
                    yield *which, rows
            finally:
                pool.shutdown(cancel_futures=True)

    def write_page(self, student):
        """Write the page of a student; return "7 of 10"."""
        rows = self.rows(student)
        text = report.page(student, rows)
        path = self.out / report.page_name(student)
        path.write_text(text, encoding="utf-8", errors="replace")
        return f"{sum(one['points'] for one in rows)} of {sum(one['of'] for one in rows)}"

    def write_tables(self):
        """Write the tables and the pages of all that is graded, in order."""
        every = {student: self.rows(student) for student in self.students}
        report.write_table(
            self.out / "grades.csv", COLUMNS, values_of(one for rows in every.values() for one in rows)
        )
        stems = [path.stem for path in self.paths]
        report.write_table(self.out / "totals.csv", *totals(every, self.roster, self.heads, stems))
        for student, rows in every.items():
            if rows:
                self.write_page(student)


def values_of(rows):
    """The cells of rows for a table."""
    return [[report.cell(one[column]) for column in COLUMNS] for one in rows]


def sandbox_for(arguments):
    """The Sandbox that the arguments ask for; raises Refused where there is none."""
    each = arguments.memory / arguments.jobs - EACH
    if each < LEAST:
        raise Refused(
            f"--jobs must leave {EACH + LEAST} GB of --memory to each; got {arguments.jobs} jobs for "
            f"{arguments.memory:.1f} GB"
        )
    try:
        secret = arguments.submissions, arguments.out
        return Sandbox(arguments.seconds, int(each * 2**30), not arguments.unsafe, secret)
    except SandboxError as error:
        raise Refused(
            f"There is no sandbox for the code of students: {error}. --unsafe does without. {UNSAFE}"
        ) from error


def seed_of(out, asked):
    """The seed of the hidden cases: what is kept, what is asked for, or a new one; raises Refused."""
    file = out / "seed.txt"
    if not file.exists():
        file.write_text(f"{secrets.randbits(32) if asked is None else asked}\n")
    try:
        seed = int(file.read_text())
    except ValueError as error:
        raise Refused(f"{file} must have the seed of this class, a whole number: {error}") from error
    if asked not in (None, seed):
        raise Refused(f"--seed must be {seed}, as in {file}: one class has the same cases; got {asked}")
    return seed


def memory_here():
    """80 % of this machine's memory in GB; 4 where it does not tell."""
    try:
        return 0.8 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    except (AttributeError, ValueError):
        return 4.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("submissions", type=Path)
    parser.add_argument("--out", type=Path, default=Path("grades"))
    parser.add_argument(
        "--notebooks", nargs="+", default=[], help="02 05 …; else those that anybody handed in"
    )
    parser.add_argument("--roster", type=Path, help="a table (CSV) whose first column has all students")
    parser.add_argument(
        "--seconds", type=int, default=20, help="for each answer, with the start of its process"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="answers that run at a time")
    parser.add_argument("--memory", type=float, default=memory_here(), help="for all jobs together, in GB")
    parser.add_argument("--seed", type=int, help="of the cases that no notebook shows; else drawn")
    parser.add_argument("--unsafe", action="store_true", help="without a sandbox")
    arguments = parser.parse_args()
    folder, out = arguments.submissions.resolve(), arguments.out.resolve()
    if not folder.exists():
        parser.error(f"argument submissions: must be a folder or an archive; got {arguments.submissions}")
    if out.is_relative_to(folder):
        parser.error(f"argument --out: must not lie in the submissions; got {arguments.out}")
    if arguments.jobs < 1 or arguments.seconds < 1:
        parser.error("arguments --jobs and --seconds: must be at least 1")
    try:
        sandbox = sandbox_for(arguments)
        out.mkdir(parents=True, exist_ok=True)
        if arguments.unsafe:
            print(f"Without a sandbox. {UNSAFE}")
        Grading(arguments, seed_of(arguments.out, arguments.seed)).run(sandbox, arguments.jobs)
    except Refused as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
