"""What an answer can do to its sandbox, to the grader, and to whoever reads the marks."""

import os
import sys
import threading
import time
from pathlib import Path

import pytest

from tests import test_grading
from tools.grading import judge

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
}
REFUSED = """
import ctypes, errno, os, platform
call = ctypes.CDLL(None, use_errno=True).syscall
reached = os.listdir("/proc/1")
for name, (numbers, arguments) in CALLS.items():
    result = call(numbers[platform.machine() == "aarch64"], *map(ctypes.c_long, arguments))
    if (result, ctypes.get_errno()) != (-1, errno.EPERM):
        reached.append(name)
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


def test_process_1_of_the_sandbox_and_what_no_namespace_holds_are_out_of_reach(exercises, sandbox):
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
