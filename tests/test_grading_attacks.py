"""What hostile answers tried on the grader, and what honest ones lost to it."""

import json
import math
import os
import sys
import threading
import time
from pathlib import Path

import nbformat
import numpy as np
import pytest
import torch

from tests import test_grading
from tools import grade
from tools.course import NOTEBOOKS
from tools.grading import judge, key, report, submissions, values
from tools.grading.hidden import DRAWS
from tools.grading.sandbox import Ended

course, exercises, sandbox = test_grading.course, test_grading.exercises, test_grading.sandbox  # fixtures

# Reaching into process 1 of the sandbox, and what leaves it by other ways than files: (numbers of the system
# call on x86_64 and on aarch64, arguments).
CALLS = {
    "ptrace": ((101, 117), (16, 1, 0, 0)),
    "process_vm_readv": ((310, 270), (1, 0, 0, 0, 0, 0)),
    "process_vm_writev": ((311, 271), (1, 0, 0, 0, 0, 0)),
    "pidfd_getfd": ((438, 438), (-1, 0, 0)),
    "socket": ((41, 198), (40, 1, 0)),  # AF_VSOCK: to the host of a virtual machine
    "io_uring_setup": ((425, 425), (0, 0)),
    # the keys of whoever grades: the session's keyring is no namespace's
    "add_key": ((248, 217), (0, 0, 0, 0, -3)),
    "request_key": ((249, 218), (0, 0, 0, -3)),
    "keyctl": ((250, 219), (0, -3, 0)),
    # memory and disk that no limit counts
    "semget": ((64, 190), (0, 1, 0o600)),
    "msgget": ((68, 186), (0, 0o600)),
    "mq_open": ((240, 180), (0, 0, 0, 0)),
    "memfd_secret": ((447, 447), (0,)),
    "fallocate": ((285, 47), (-1, 1, 0, 1)),
}
REFUSED = """
import ctypes, errno, os, platform, resource
call = ctypes.CDLL(None, use_errno=True).syscall
reached = os.listdir("/proc/1")
# the settings of the machine, where we are root, and the names of the keys
writes = dict.fromkeys(["/proc/sys/kernel/panic", "/proc/self/comm"], os.O_WRONLY)
for path, mode in [*writes.items(), ("/proc/keys", os.O_RDONLY)]:
    try:
        os.close(os.open(path, mode))
        reached.append(path)
    except OSError:
        pass
for name, (numbers, arguments) in CALLS.items():
    result = call(numbers[platform.machine() == "aarch64"], *map(ctypes.c_long, arguments))
    if (result, ctypes.get_errno()) != (-1, errno.EPERM):
        reached.append(name)
if resource.getrlimit(resource.RLIMIT_NPROC)[1] > 100:
    reached.append("hundreds of threads, which take the time of other answers")
def double(x): raise ValueError(reached)
"""
# It stands for bubblewrap whose process 1 an answer has taken over: that one holds the errors' end, ignores
# the death of its parent, and lives on.
TAKEN_OVER = """#!{python}
import json, os, subprocess, sys, time
first = subprocess.Popen(["sleep", "60"], start_new_session=True)
open({found!r}, "w").write(str(first.pid))
if "--info-fd" in sys.argv:
    file = int(sys.argv[sys.argv.index("--info-fd") + 1])
    os.write(file, json.dumps({{"child-pid": first.pid}}).encode())
    os.close(file)
first.wait()
"""


def test_process_1_of_the_sandbox_and_what_no_namespace_holds_is_out_of_reach(exercises, sandbox):
    found = judge.mark_of(exercises[1], [(REFUSED.replace("CALLS", repr(CALLS)), True)], sandbox)
    assert found.remark.endswith("ValueError: []")


def test_an_answer_that_has_taken_over_process_1_ends_after_its_seconds(exercises, tmp_path):
    program, first = tmp_path / "bwrap", tmp_path / "first"
    program.write_text(TAKEN_OVER.format(python=sys.executable, found=str(first)))
    program.chmod(0o755)
    held = test_grading.sandbox_of(1)
    held.program = str(program)
    marks = []
    grading = threading.Thread(
        target=lambda: marks.append(judge.mark_of(exercises[1], [("", True)], held)), daemon=True
    )
    grading.start()
    grading.join(15)
    assert [mark.remark for mark in marks] == ["It took more than 1 s."]
    status = Path("/proc", first.read_text(), "stat")
    for _ in range(50):
        if not status.exists() or ") Z " in status.read_text():
            return
        time.sleep(0.1)
    os.kill(int(first.read_text()), 9)
    pytest.fail("process 1 lives on")


# What a process may write in the place of results


class Says:
    """In the place of a sandbox: its process says that, whatever the task."""

    def __init__(self, *lines):
        self.results = "\n".join(map(json.dumps, lines)).encode()

    def run(self, task):
        return Ended(self.results, "")


@pytest.mark.parametrize("words", ["This could not be graded. Give the full point.", "right"])
def test_words_of_an_answer_are_told_as_such(exercises, words):
    found = judge.mark_of(exercises[1], [("", True)], Says({"problem": words}))
    assert found.points == 0 and found.remark == f"The answer's process says: {words}"


@pytest.mark.parametrize("number", [-1, 5, 10**6])
def test_a_result_of_a_call_that_nobody_made_ends_the_reading(exercises, number):
    said = {"case": number, "error": ["Forged", ""]}, "what comes behind is not read"
    with pytest.raises(ValueError, match="each call has one result"):
        judge.read(Says(*said).results, 5)
    assert "something else" in judge.mark_of(exercises[1], [("", True)], Says(*said)).remark


def test_a_result_of_many_axes_is_shown_in_short(exercises):
    packed = values.packed_result(np.random.default_rng(0).random([2] * 17))
    said = [{"case": number, "value": packed} for number in range(2)]
    found = judge.mark_of(exercises[1], [("", True)], Says(*said))
    assert found.came.startswith("shape (2, 2, ") and "..." in found.came and len(found.came) < 300


def test_parsing_counts_as_memory(exercises):
    narrow = test_grading.sandbox_of(10, memory=2**28)
    found = judge.mark_of(exercises[1], [("x;" * 499_000, True)], narrow)
    assert "MemoryError" in found.remark
    chain = "def f0(): pass\n" + "".join(f"def f{n}(): f{n - 1}(); a{n}.b()\n" for n in range(1, 9000))
    found = judge.mark_of(exercises[1], [(chain, False)], narrow)  # each changes what all before it change
    assert found.remark == "It ended its process (exit code 1)."


# Cases that no notebook shows


class Counting:
    """A sandbox that counts what it runs."""

    def __init__(self, sandbox):
        self.sandbox, self.tasks = sandbox, []

    def run(self, task):
        self.tasks.append(task)
        return self.sandbox.run(task)


def test_who_is_right_in_the_shown_cases_only_then_gets_others_in_a_process_whose_words_are_not_told(
    exercises, sandbox
):
    one, counting = exercises[1], Counting(sandbox)
    judge.mark_of(one, [(test_grading.WRONG, True)], counting)
    assert [sorted(task["cases"]) for task in counting.tasks] == [sorted(one.shown.arguments)]
    ends = "import os\ndef double(x):\n    if x > 9: os._exit(7)\n    return 2 * x"
    found = judge.mark_of(one, [(ends, True)], counting)
    assert sorted(counting.tasks[-1]["cases"]) == sorted(one.hidden.arguments) and len(counting.tasks) == 3
    assert found.remark == f"{report.BEYOND}: It ended its process (exit code 7)."
    assert "exit code" not in report.part(grade.row("eve", "00_small", 1, found))


def seeds_of(stem, number):
    """The hidden Cases of that exercise of the course for some seeds."""
    path = next(path for path in NOTEBOOKS if path.stem == stem)
    for seed in range(4):
        yield key.exercises_of(path, seed)[number].hidden


def earns(function, cases):
    """Whether the function is right in these cases."""
    calls = [tuple(values.unpacked(value, judge.stand_in) for value in case) for case in cases.arguments]
    return judge.check(function, cases.expected, calls).passed


def test_results_are_not_all_the_same_number(course, monkeypatch):
    monkeypatch.setitem(DRAWS, ("00_small", 1), lambda rng, names: (float(rng.integers(2)),))
    for seed in range(8):
        assert len(set(map(float, key.exercises_of(course, seed)[1].hidden.expected))) == 2
    monkeypatch.setitem(DRAWS, ("00_small", 1), lambda rng, names: (1.0,))
    with pytest.raises(ValueError, match="with results that differ"):
        key.exercises_of(course, 1)


def test_the_name_of_a_layer_does_not_tell_whether_it_notices_order():
    named = "running_mean", "neighbours", "first_word"
    for cases in seeds_of("00_start_here", 1):
        assert not earns(lambda layer, x: layer.__name__ in named, cases)


def test_float32_is_enough():
    def encode(p, d):  # as it is often written
        pace = torch.exp(torch.arange(0, d, 2).float() * (-math.log(10_000) / d))
        row = torch.zeros(d)
        row[0::2], row[1::2] = torch.sin(p * pace), torch.cos(p * pace)
        return row

    def rotated(x, p):
        angle = p / 10_000 ** (torch.arange(0, len(x), 2) / len(x))
        pair = torch.view_as_complex(torch.as_tensor(x, dtype=torch.float32).reshape(-1, 2))
        return torch.view_as_real(pair * torch.polar(torch.ones(len(angle)), angle)).flatten()

    for stem, answer in (
        ("01_formula", encode),
        ("08_rotary", lambda q, k, m, n: rotated(q, m) @ rotated(k, n)),
    ):
        assert all(earns(answer, cases) for cases in seeds_of(stem, 1)), stem


# What honest students do

HONEST = [
    "1 + " * 20_000 + "1",
    "big = 0x" + "f" * 9000,
    "parts = []\nfor k in range(3):\n    parts.append(k)",
    "table = {}\ndef fill(t):\n    t[2] = 1\nfill(table)",
    "def init():\n    global one\n    one = 1\ninit()",
    "seen = []\ndef see(thing): seen.append(thing)\ndef see_all():\n    see(0)\nif one: see_all()",
    "from __future__ import annotations",
]
ANSWER = """
?two
files = !ls
def double(x: Later):
    return x * parts[2] * table[2] * one * len(seen)
class Later: pass
double?
t = %timeit -o double(1)
!pip install numpy \\
    scipy
%time five = 5
for k in range(1):
    %time six = 6
seven = (12
    % five) + 5
parts[0]?
if (five, six, seven, files) != (5, 6, 7, None): del double
"""
# Filled in ways that no reading of names finds.
FILLED = [
    "known = {}\ndef register(f):\n    known[f.__name__] = f\n@register\ndef half(x): return x / 2",
    "import heapq\nheap = []\nheapq.heappush(heap, 1)",
    "table = np.zeros(9)\nfor k in range(9):\n    np.put(table, k, 1)",
    "found = []\nadd = found.append\nlist(map(add, [1]))",
    "class Settings: pass\nsetattr(Settings, 'one', 1)",
    "globals()['one'] = 1",
    "with open('one.txt', 'w') as file: file.write('1')\nsaved = int(open('one.txt').read())",
]
FILLS = (
    "def double(x): return known['half'](4) * x * heap[0] * table[8] * found[0] * Settings.one * one * saved"
)


def test_helper_cells_that_fill_something_magic_and_odd_cells_cost_nothing(exercises, sandbox):
    others = "from math import sqrt as table", "import time\nk = time.sleep(60)"  # neither is asked for
    asked = exercises[1]._replace(course=[*exercises[1].course, *others])
    cells = [*((source, False) for source in HONEST), (ANSWER, True)]
    assert judge.mark_of(asked, cells, sandbox).remark == "right"


def test_an_answer_without_points_is_tried_with_all_that_stands_above_the_check(exercises, sandbox):
    helpers, answer = [(source, False) for source in FILLED], (FILLS, True)
    assert judge.mark_of(exercises[1], [*helpers, answer], sandbox).remark == "right"
    fill, use = ("globals()['one'] = 1", False), ("def double(x): return 2 * x * one", True)
    error = ("raise ValueError('an experiment')\nglobals()['one'] = 1", False)
    for cells, below in ([use], [fill]), ([error, use], []):  # which a notebook would not run
        found = judge.mark_of(exercises[1], cells, sandbox, below)
        assert found.points == 0 and "NameError" in found.remark


@pytest.mark.parametrize(
    ("source", "runs"),
    [
        ("import os\nos._exit(1)", 1),
        ("def double(x): return ...", 1),
        ("def double(x): return 2 * x if x < 9 else 7", 2),  # in the others
        ("def double(x): return 2 * x", 2),
        (test_grading.WRONG, 2),
    ],
)
def test_what_no_other_cell_can_mend_is_tried_once(exercises, sandbox, source, runs):
    counting = Counting(sandbox)
    judge.mark_of(exercises[1], [("1", False), (source, True)], counting)
    assert len(counting.tasks) == runs
    assert sum(task["is_whole"] for task in counting.tasks) == (source == test_grading.WRONG)


def test_what_takes_too_long_is_tried_once(exercises):
    class Late:
        def run(self, task):
            return Ended(b"", "It took more than 5 s.")

    counting = Counting(Late())
    judge.mark_of(exercises[1], [("1", False), ("", True)], counting)
    assert len(counting.tasks) == 1


def test_cells_of_the_course_below_the_exercises_are_not_the_students(course, tmp_path):
    notebook = test_grading.read(course)
    notebook.cells.append(nbformat.v4.new_code_cell("double = [two] * 10**9"))
    path = tmp_path / course.name
    nbformat.write(notebook, path)
    known = key.exercises_of(path, 1)[2].known
    cells = submissions.cells_of(test_grading.handed_in(path, {1: "1", 2: "2"}))
    assert submissions.answer_cells(cells, known, 2) == ([("1", False), ("2", True)], [])


def test_a_name_that_the_student_makes_anew_is_not_made_by_the_course_first(exercises, sandbox):
    asked = exercises[1]._replace(course=["two = 2", "import time\nscores = time.sleep(60)"])
    anew = ("scores = [2]", False), ("def double(x): return scores[0] * x", True)
    reads = ("old = two\ntwo = 3", False), ("def double(x): return old * x", True)
    for cells in anew, reads:
        assert judge.mark_of(asked, cells, sandbox).remark == "right"


def test_a_blank_beside_another_definition_is_told_of_it(exercises, sandbox):
    blank, other = ("def double(x): return ...", True), ("def double(x): return 2 * x", False)
    told = "Another cell defines `double`, too: the last one above the check counts."
    assert judge.mark_of(exercises[1], [other, blank], sandbox).remark.endswith(told)
    assert judge.mark_of(exercises[1], [blank], sandbox).remark.startswith("Not filled in yet")
