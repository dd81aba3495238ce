"""A process of its own for an answer, by bubblewrap: it reads Python, packages and pe_helpers, and no more.

It has no network, no other process, no file to write but in a folder in memory that ends with it, and bounded
time, memory and results. A filter of system calls (seccomp) keeps it from starting processes, so that what
bounds one process bounds all, and from taking over process 1 of the sandbox, bubblewrap's own, which nothing
bounds. Not bounded is the number of files in that folder: an empty one takes about 1 kB until the end.
"""

import errno
import json
import os
import platform
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tools.course import ROOT

HERE = Path(__file__).parent
PUBLISHED = "pe_helpers", "live_figures", "data"  # the folders of the course that answers may read
SYSTEM = "/usr", "/bin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/alternatives"
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/tmp",
    "LC_ALL": "C.UTF-8",
    "MPLBACKEND": "Agg",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
WINDOWS = "SYSTEMROOT", "TEMP"  # what Python needs there
FOLDER = 64 * 2**20  # bytes of its own folder
MOST = 8 * 2**20  # bytes of results, and of any file
THREADS = 64  # in one sandbox; Linux does not count those of root

# Numbers of system calls: (the machine, those that are refused, clone, clone3). Refused are, as far as there
# are such: fork, vfork; memory and disk that no limit counts: memfd_create, memfd_secret, shmget, semget,
# msgget, mq_open, fallocate; the keys of whoever grades, which no namespace holds: add_key, request_key,
# keyctl; what reaches into other processes: ptrace, process_vm_readv, process_vm_writev, pidfd_getfd; socket,
# as a network namespace does not hold all kinds (AF_VSOCK); io_uring_setup, whose calls no filter sees.
CALLS = {
    "x86_64": (
        0xC000003E,
        (57, 58, 319, 447, 29, 64, 68, 240, 285, 248, 249, 250, 101, 310, 311, 438, 41, 425),
        56,
        435,
    ),
    "aarch64": (
        0xC00000B7,
        (279, 447, 194, 190, 186, 180, 47, 217, 218, 219, 117, 270, 271, 438, 198, 425),
        220,
        435,
    ),
}
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # instructions of the filter
ALLOW, ERROR, KILL = 0x7FFF0000, 0x00050000, 0x80000000
CLONE_THREAD = 0x00010000


class SandboxError(Exception):
    """There is no sandbox here, and why."""


class Ended(NamedTuple):
    """How the process ended: what it wrote, and a sentence that says why there is no more, or ""."""

    results: bytes
    why: str


class Sandbox:
    """Runs answers, each in a process of its own.

    seconds: for one process, with its start. memory: bytes that it may use beyond what Python and the course
        need. is_safe: whether bubblewrap keeps it from everything else; without it an answer can read and
        write whatever you can.
    secret: paths that must not lie in what an answer may read; the notebooks are always secret.
    Raises SandboxError where one does, and where bubblewrap is missing or does not work.
    """

    def __init__(self, seconds=20, memory=10**9, is_safe=True, secret=()):
        self.seconds, self.memory, self.is_safe = seconds, memory, is_safe
        if is_safe:
            self.program = find_bubblewrap()
            for path in (ROOT / "notebooks", ROOT / "tools", *secret):
                for place in readable():
                    if path.resolve().is_relative_to(place):
                        raise SandboxError(f"answers would read {path}, because they may read all of {place}")
            nothing = {
                "function": "f",
                "functions": [],
                "course": [],
                "own": [],
                "is_whole": False,
                "cases": [],
            }
            self.run(nothing, is_trial=True)

    def run(self, task, is_trial=False):
        """What the process of a task wrote until it ended, or was ended."""
        limits = {"seconds": self.seconds + 1, "memory": self.memory, "results": MOST}
        limits["threads"] = THREADS if self.is_safe else None  # outside, all that you run would count
        task = json.dumps(task | limits).encode("ascii")
        # files: nobody who holds the other end of a pipe can keep us waiting
        new = tempfile.TemporaryFile
        with new() as given, new() as results, new() as errors:
            given.write(task)
            given.seek(0)
            with self.started(given, results, errors) as process:
                why = self.waited(process)
            results.seek(0)
            written = results.read(MOST)
            errors.seek(0)
            said = errors.read(2000).decode(errors="replace").strip()
        if is_trial and not written:
            raise SandboxError(f"bubblewrap does not work here: {said or why}")
        return Ended(written, why if len(written) < MOST else f"Its results have more than {MOST:,} bytes.")

    def started(self, given, results, errors):
        """The process, which reads `given` and writes `results`."""
        options = {"stdin": given, "stdout": results, "stderr": errors, "env": ENVIRONMENT}
        if not self.is_safe:
            command = [sys.executable, "-I", str(HERE / "answering.py"), str(ROOT), str(HERE)]
            options["env"] = ENVIRONMENT | {key: os.environ[key] for key in WINDOWS if key in os.environ}
            return _Alone(command, **options)
        reading, writing = os.pipe()
        os.write(writing, system_calls())
        os.close(writing)
        try:
            return _Inside(self.command(reading), reading, **options)
        finally:
            os.close(reading)

    def command(self, filter_of_calls):
        """The command of bubblewrap, which reads the filter there."""
        command = [self.program, "--unshare-all", "--unshare-user", "--disable-userns"]
        command += ["--die-with-parent", "--new-session"]
        command += ["--cap-drop", "ALL", "--seccomp", str(filter_of_calls)]
        for place in readable():
            command += ["--ro-bind-try", place, place]
        for folder in PUBLISHED:
            command += ["--ro-bind", str(ROOT / folder), f"/course/{folder}"]
        for file in "answering.py", "values.py":
            command += ["--ro-bind", str(HERE / file), f"/grader/{file}"]
        command += ["--proc", "/proc", "--tmpfs", "/proc/1", "--remount-ro", "/proc/1"]
        if os.path.exists("/proc/keys"):  # the names of keys, which no namespace holds
            command += ["--ro-bind", "/dev/null", "/proc/keys"]
        command += ["--remount-ro", "/proc"]
        command += ["--dev", "/dev", "--remount-ro", "/dev"]
        command += ["--size", str(FOLDER), "--tmpfs", "/tmp", "--chdir", "/tmp", "--remount-ro", "/"]
        return [*command, sys.executable, "-I", "-B", "/grader/answering.py", "/course", "/grader"]

    def waited(self, process):
        """Wait for the end of a process, or end it; why there may be results missing, or ""."""
        try:
            code = process.wait(self.seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return f"It took more than {self.seconds} s."
        return f"It ended its process (exit code {code})." if code else ""


class _Inside(subprocess.Popen):
    """bubblewrap, which ends with process 1 of its sandbox, and with that one all that is in there."""

    def __init__(self, command, filter_of_calls, **options):
        program, *others = command
        reading, writing = os.pipe()
        try:
            command = [program, "--info-fd", str(writing), *others]
            super().__init__(command, pass_fds=[filter_of_calls, writing], **options)
        finally:
            os.close(writing)
        with open(reading, "rb") as file:
            about = file.read()  # before the answer starts; nothing where bubblewrap fails
        self.first = json.loads(about)["child-pid"] if about else None

    def kill(self):
        if self.first and self.poll() is None:  # else the number may be another's by now
            with suppress(OSError):
                os.kill(self.first, signal.SIGKILL)
        super().kill()


class _Alone(subprocess.Popen):
    """A process in a folder of its own, which is all that it is kept from."""

    def __init__(self, command, **options):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        super().__init__(command, cwd=self.folder.name, start_new_session=True, **options)

    def kill(self):
        if os.name == "posix":
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)  # what it has started, too
        super().kill()

    def __exit__(self, *error):
        self.kill()
        super().__exit__(*error)
        self.folder.cleanup()


def readable():
    """The paths that an answer may read, besides the package of the course: the system's and Python's."""
    python = sys.prefix, sys.base_prefix, str(Path(sys.executable).resolve().parent.parent)
    return [*SYSTEM, *(place for place in dict.fromkeys(python) if not place.startswith("/usr/"))]


def find_bubblewrap():
    """The path of bubblewrap; raises SandboxError where there is none that will do."""
    program = shutil.which("bwrap")
    if program is None:
        raise SandboxError("bubblewrap is not installed (Debian and Ubuntu: apt install bubblewrap)")
    if platform.machine() not in CALLS:
        raise SandboxError(f"processors must be {' or '.join(CALLS)}; this one is {platform.machine()}")
    return program


def system_calls():
    """The filter of system calls, a program for the kernel: no new process, no memory that is not counted."""
    machine, refused, clone, clone3 = CALLS[platform.machine()]
    steps = [(LOAD, 0, 0, 4), (EQUAL, 1, 0, machine), (RETURN, 0, 0, KILL), (LOAD, 0, 0, 0)]
    steps += [(AT_LEAST, 0, 1, 0x40000000), (RETURN, 0, 0, ERROR | errno.EPERM)]  # x32, the same calls again
    for call in refused:
        steps += [(EQUAL, 0, 1, call), (RETURN, 0, 0, ERROR | errno.EPERM)]
    steps += [(EQUAL, 0, 1, clone3), (RETURN, 0, 0, ERROR | errno.ENOSYS)]  # then the C library calls clone
    steps += [(EQUAL, 0, 3, clone), (LOAD, 0, 0, 16), (ANY_BIT, 1, 0, CLONE_THREAD)]
    steps += [(RETURN, 0, 0, ERROR | errno.EPERM), (RETURN, 0, 0, ALLOW)]
    return b"".join(struct.pack("HBBI", *step) for step in steps)
