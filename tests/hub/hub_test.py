"""A class on a real JupyterHub: its own proxy, a server for every student, everybody at once.

    make hub-test ARGS="--users 20"

Each student logs in over HTTP as a browser does, starts a server, runs all code cells of a notebook over the
kernel's websocket and then moves a slider, all of it through configurable-http-proxy. A step of the slider is
timed as in benchmarks/classroom.py, with Jupyter's server and the proxy in between. Then the hub stops and
starts again, and each student reaches for a neighbour's files and kernel. Exits with 1 where a check fails.

SimpleLocalProcessSpawner runs all servers under one account of the system. So this shows that the hub and the
servers let no student into another's server; it does not show that the disk keeps them apart, nor any limit.
Needs Linux.
"""

import argparse
import json
import os
import queue
import secrets
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import requests
import websocket
from jupyter_client.session import Session, json_packer
from jupyter_server.services.kernels.connection.base import (
    deserialize_msg_from_ws_v1,
    serialize_msg_to_ws_v1,
)
from requests.cookies import get_cookie_header

from benchmarks.classroom import NOTEBOOK, Student, memory, move_at_once
from tools import collect

HERE = Path(__file__).resolve().parent
PROXY = Path(sys.prefix) / "node_modules" / ".bin" / "configurable-http-proxy"
COURSE = "positional-encoding-course/notebooks"  # in a student's home, where nbgitpuller puts it
PATIENCE = 600  # seconds, for a class that starts all at once on two cores


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def wait_for(what, ready):
    end = time.monotonic() + PATIENCE
    while not ready():
        if time.monotonic() > end:
            raise TimeoutError(f"waited {PATIENCE} s for {what}")
        time.sleep(0.2)


def answers(address):
    try:
        return requests.get(address, timeout=5).ok
    except requests.RequestException:
        return False


class Hub:
    """JupyterHub and its proxy, two processes, with all they write in one folder."""

    def __init__(self, folder, proxy):
        self.folder, self.secret = folder, secrets.token_hex(16)
        port, api_port, hub_port = free_port(), free_port(), free_port()
        self.address = f"http://127.0.0.1:{port}"
        self.environment = os.environ | {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "CONFIGPROXY_AUTH_TOKEN": self.secret,
            "HUB_TEST_SECRET": self.secret,
            "HUB_TEST_FOLDER": str(folder),
            "HUB_TEST_ADDRESS": self.address,
            "HUB_TEST_PORT": str(hub_port),
            "HUB_TEST_PROXY": f"http://127.0.0.1:{api_port}",
        }
        self.log = open(folder / "hub.log", "a")  # noqa: SIM115  # as long as the processes live
        ports = [f"--port={port}", f"--api-port={api_port}", "--ip=127.0.0.1", "--api-ip=127.0.0.1"]
        to_hub = f"--default-target=http://127.0.0.1:{hub_port}"
        self.proxy = self._start([str(proxy.absolute()), *ports, to_hub])

    def _start(self, command):
        where = {"cwd": self.folder, "env": self.environment}
        return subprocess.Popen(command, stdout=self.log, stderr=subprocess.STDOUT, **where)

    def start(self):
        self.hub = self._start([sys.executable, "-m", "jupyterhub", "-f", str(HERE / "hub_test_config.py")])
        health = f"{self.address}/hub/health"
        wait_for("the hub", lambda: answers(health) or self.hub.poll() is not None)
        if self.hub.poll() is not None:
            raise RuntimeError("the hub ended")

    def stop(self):
        self.hub.terminate()
        self.hub.wait(60)

    def api(self, method, path):
        """What the hub answers to the test, which may do more than a student."""
        token = {"Authorization": f"token {self.secret}"}
        return requests.request(method, f"{self.address}/hub/api/{path}", headers=token, timeout=60)

    def leave(self):
        """Stop all servers, then the hub and the proxy."""
        try:
            if self.hub.poll() is not None:  # a check failed while the hub was down
                self.start()
            while active := self.api("GET", "users?state=active").json():  # it tells 50 at a time
                servers = [f"users/{user['name']}/server" for user in active]
                with ThreadPoolExecutor(8) as pool:
                    list(pool.map(lambda server: self.api("DELETE", server), servers))
            self.stop()
        finally:
            self.proxy.terminate()
            self.proxy.wait(60)


class PageSocket:
    """The socket between a page and its kernel, with the names of a kernel client that `Student` uses."""

    def __init__(self, address, cookie):
        self.session, self.shell_channel = Session(), self
        self.arrived = queue.Queue()
        self.socket = websocket.create_connection(
            f"{address.replace('http', 'ws', 1)}/channels?session_id={self.session.session}",
            subprotocols=["v1.kernel.websocket.jupyter.org"],  # as JupyterLab
            cookie=cookie,
            sockopt=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],  # as browsers
            timeout=PATIENCE,
        )
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        try:
            while data := self.socket.recv():  # it also answers the server's pings
                channel, parts = deserialize_msg_from_ws_v1(data)
                names = ("header", "parent_header", "metadata", "content")
                self.arrived.put((channel, dict(zip(names, map(json.loads, parts[:4]), strict=True))))
        except (OSError, websocket.WebSocketException):
            pass  # closed; who waits for a message finds none in time

    def send(self, message):
        self.socket.send_binary(serialize_msg_to_ws_v1(message, "shell", pack=json_packer))

    def get_message(self, timeout):
        return self.arrived.get(timeout=timeout)

    def get_iopub_msg(self, timeout):
        channel, message = self.get_message(timeout)
        return message if channel == "iopub" else self.get_iopub_msg(timeout)

    def close(self):
        self.socket.close()


class HubStudent(Student):
    """A browser: its cookies, its server, and the kernel of one notebook."""

    def __init__(self, hub, account):
        self.hub, self.account = hub, account
        self.browser = requests.Session()
        self.server = f"{hub.address}/user/{account}"

    def log_in(self):
        login = f"{self.hub.address}/hub/login"
        self.browser.get(login, timeout=PATIENCE)
        form = {"username": self.account, "password": self.hub.secret, "_xsrf": self._xsrf("/hub/")}
        self.browser.post(login, data=form, params={"next": "/hub/home"}, timeout=PATIENCE).raise_for_status()

    def start_server(self):
        self.browser.get(f"{self.hub.address}/hub/spawn/{self.account}", timeout=PATIENCE).raise_for_status()
        wait_for(f"the server of {self.account}", self.has_server)
        page = self.browser.get(f"{self.server}/lab", timeout=PATIENCE)
        assert page.ok and page.url.startswith(f"{self.server}/lab"), (page.status_code, page.url)

    def has_server(self):
        user = self.browser.get(f"{self.hub.address}/hub/api/users/{self.account}", timeout=PATIENCE).json()
        return user.get("servers", {}).get("", {}).get("ready", False)

    def open_notebook(self, notebook):
        """Start its kernel and run all code cells."""
        path = f"{COURSE}/{notebook.name}"
        asked = {"path": path, "name": "", "type": "notebook", "kernel": {"name": "python3"}}
        self.kernel = self.ask("POST", "api/sessions", json=asked).json()["kernel"]["id"]
        self.connect()
        self.run_notebook(notebook)
        self.kernel_id, self.server_id = self.processes()

    def connect(self):
        """Open the page's socket to the kernel."""
        address = f"{self.server}/api/kernels/{self.kernel}"
        self.client = PageSocket(address, self.cookies_for(address))

    def processes(self):
        return json.loads(self.run("import os; print([os.getpid(), os.getppid()])"))

    def cookies_for(self, address):
        return get_cookie_header(self.browser.cookies, requests.Request("GET", address))

    def _xsrf(self, path):
        return self.browser.cookies.get("_xsrf", path=path)

    def ask(self, method, path, **more):
        """A request of the page to the student's own server."""
        headers = {"X-XSRFToken": self._xsrf(f"/user/{self.account}/")}
        answer = self.browser.request(
            method, f"{self.server}/{path}", headers=headers, timeout=PATIENCE, **more
        )
        answer.raise_for_status()
        return answer

    def run(self, code):
        """What the code prints; raises RuntimeError where it fails."""
        content = {"code": code, "silent": False, "store_history": True, "stop_on_error": True}
        message = self.client.session.msg("execute_request", content | {"allow_stdin": False})
        self.client.send(message)
        printed, reply, is_idle = [], None, False
        while reply is None or not is_idle:
            _, answer = self.client.get_message(PATIENCE)
            if answer["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                continue
            kind, content = answer["header"]["msg_type"], answer["content"]
            if kind == "stream":
                printed.append(content["text"])
            elif kind == "execute_reply":
                reply = content
            is_idle |= content.get("execution_state") == "idle"
        if reply["status"] != "ok":
            raise RuntimeError("\n".join(reply["traceback"]))
        return "".join(printed)


def processor_seconds(processes):
    """Seconds of processor time that these processes have had."""
    stats = [Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split() for process in processes]
    return sum(int(stat[11]) + int(stat[12]) for stat in stats) / os.sysconf("SC_CLK_TCK")


def middle(values):
    return f"{statistics.median(values):.0f}"


def report_memory(hub, students):
    kernels = [memory(student.kernel_id) for student in students]
    servers = [memory(student.server_id) for student in students]
    both = [kernel + server for kernel, server in zip(kernels, servers, strict=True)]
    print(
        f"memory a student: {middle(both)} MB, kernel {middle(kernels)} and server {middle(servers)}; ",
        end="",
    )
    print(f"at most {max(both):.0f} MB, {sum(both) / 1000:.2f} GB in all")
    print(f"the hub has {memory(hub.hub.pid):.0f} MB, its proxy {memory(hub.proxy.pid):.0f} MB")
    spent = {name: processor_seconds(processes) for name, processes in processes_of(hub, students).items()}
    told = [f"{name} {spent[name] / len(students):.1f} s" for name in ("kernel", "server")]
    print("processor time a student until here:", ", ".join(told), flush=True)


def processes_of(hub, students):
    return {
        "kernel": [student.kernel_id for student in students],
        "server": [student.server_id for student in students],
        "proxy": [hub.proxy.pid],
    }


def report_frames(hub, students, steps):
    parts = processes_of(hub, students)
    before = {name: processor_seconds(processes) for name, processes in parts.items()}
    start = time.perf_counter()
    seconds = move_at_once(students, steps)
    rate = len(seconds) / (time.perf_counter() - start)
    spent = {name: processor_seconds(processes) - before[name] for name, processes in parts.items()}
    half, late = (1000 * np.percentile(seconds, share) for share in (50, 95))
    told = ", ".join(f"{name} {1000 * each / len(seconds):.1f} ms" for name, each in spent.items())
    print(
        f"{len(students)} moving a slider: p50 {half:.0f} ms, p95 {late:.0f} ms, {rate:.0f} frames a second"
    )
    print(f"    processor time of a frame: {told}", flush=True)


def restart(hub, students):
    """Stop the hub, move all sliders without it, start it; yields what was checked and whether it held."""
    marks = [secrets.token_hex(8) for _ in students]
    for student, mark in zip(students, marks, strict=True):
        student.run(f"mark_of_the_test = {mark!r}")
    hub.stop()
    yield "while the hub is down every slider moves", len(move_at_once(students, 3)) == 3 * len(students)
    hub.start()
    wait_for("the hub to find its servers", lambda: all(student.has_server() for student in students))
    kept = []
    for student, mark in zip(students, marks, strict=True):
        student.client.close()
        student.connect()  # as a page does that is loaded again, with the cookies from before
        kept.append(student.run("print(mark_of_the_test)").strip() == mark)
    yield "after the restart every kernel has its variables", all(kept)
    same = [student.processes() == [student.kernel_id, student.server_id] for student in students]
    yield "servers and kernels are the processes from before", all(same)
    yield "after the restart every slider moves", len(move_at_once(students, 3)) == 3 * len(students)


def knocks(visitor, owner):
    """The statuses that the owner's server and the hub give a visitor, and what they say."""
    token = visitor.browser.post(
        f"{visitor.hub.address}/hub/api/users/{visitor.account}/tokens",
        headers={"X-XSRFToken": visitor._xsrf("/hub/")},
        timeout=60,
    ).json()["token"]
    as_page, as_program = visitor.browser, requests.Session()
    as_program.headers["Authorization"] = f"token {token}"
    for browser in (as_page, as_program):
        for path in ("api/contents/mine.txt", "files/mine.txt", f"api/kernels/{owner.kernel}", "lab"):
            yield browser.get(f"{owner.server}/{path}", timeout=60)
        yield browser.get(f"{owner.hub.address}/hub/api/users/{owner.account}", timeout=60)
    asked = {"path": "mine.txt", "name": "", "type": "notebook", "kernel": {"name": "python3"}}
    yield as_program.post(f"{owner.server}/api/sessions", json=asked, timeout=60)
    yield as_program.put(f"{owner.server}/api/contents/mine.txt", json=text_file("changed"), timeout=60)
    yield as_program.delete(f"{owner.server}/api/kernels/{owner.kernel}", timeout=60)


def text_file(text):
    return {"type": "file", "format": "text", "content": text}


def status_of_socket(visitor, owner):
    """The status with which the owner's kernel answers a visitor's socket: 101 where it lets them in."""
    address = f"{owner.server}/api/kernels/{owner.kernel}"
    try:
        PageSocket(address, visitor.cookies_for(f"{visitor.server}/") or "").close()
    except websocket.WebSocketBadStatusException as refused:
        return refused.status_code
    return 101


def isolation(hub, students):
    """Each student tries the next one's files and kernel; yields what was checked and whether it held."""
    texts = [secrets.token_hex(8) for _ in students]
    for student, text in zip(students, texts, strict=True):
        student.ask("PUT", "api/contents/mine.txt", json=text_file(text))
    homes = [hub.folder / "homes" / student.account for student in students]
    on_disk = [(home / "mine.txt").read_text() for home in homes]  # each another text
    yield "what a student saves lies in their own home folder", on_disk == texts
    refused, told, sockets = [], [], []
    for owner, visitor, text in zip(students, students[1:] + students[:1], texts, strict=True):
        for answer in knocks(visitor, owner):
            refused.append(answer.status_code in (403, 404))
            told.append(text in answer.text)
        sockets.append(status_of_socket(visitor, owner) in (403, 404))
    yield f"{len(refused)} requests for another's files, kernel and account get 403 or 404", all(refused)
    yield "none of these answers holds the other's text", not any(told)
    yield "another's kernel takes no socket", all(sockets)
    stranger = requests.get(f"{students[0].server}/files/mine.txt", timeout=60)
    yield "who is not logged in is asked to", "/hub/login" in stranger.url and texts[0] not in stranger.text
    own = [student.ask("GET", "api/contents/mine.txt").json()["content"] for student in students]
    yield "everybody reads their own file, unchanged", own == texts
    yield "every slider still moves", len(move_at_once(students, 3)) == 3 * len(students)


def collection(hub, students, notebook):
    """What `tools.collect` brings, one server being stopped; yields what was checked and whether it held."""
    marked = {}
    for student in students:
        made = json.loads(notebook.read_text())
        made["metadata"]["mark"] = marked[student.account] = secrets.token_hex(8)
        model = {"type": "notebook", "format": "json", "content": made}
        student.ask("PUT", f"api/contents/{COURSE}/{notebook.name}", json=model)
    sleeper = students[-1]
    hub.api("DELETE", f"users/{sleeper.account}/server")
    wait_for("a server to stop", lambda: not sleeper.has_server())
    out, asked = hub.folder / "collected", [notebook.stem, "15_inside_a_trained_model"]
    rows = collect.collect(collect.Hub(hub.address, hub.secret), list(marked), asked, COURSE, out)
    files = {
        file.parent.name: json.loads(file.read_text())["metadata"]["mark"] for file in out.rglob("*.ipynb")
    }
    yield "the notebooks of all are collected as they saved them", files == marked
    yield "and a row says what is not there", [row["note"] for row in rows] == ["", "none"] * len(students)
    yield "a server that was started for it is stopped again", not sleeper.has_server()


def is_configured(hub):
    yield "every option is one that JupyterHub and its servers know", "not recognized" not in hub_log(hub)


def hub_log(hub):
    return (hub.folder / "hub.log").read_text(errors="replace")


def in_class(hub, arguments):
    """All of it; the names of the checks that failed."""
    students = [HubStudent(hub, f"student-{n + 1}") for n in range(arguments.users)]
    for student in students:
        notebooks = hub.folder / "homes" / student.account / COURSE
        notebooks.mkdir(parents=True)
        shutil.copy(arguments.notebook, notebooks)

    def at_once(do):
        start = time.perf_counter()
        with ThreadPoolExecutor(len(students)) as pool:
            list(pool.map(do, students))
        return time.perf_counter() - start

    for student in students:
        student.log_in()
    started = at_once(HubStudent.start_server)
    ran = at_once(lambda student: student.open_notebook(arguments.notebook))
    print(
        f"{len(students)} students on {os.cpu_count()} cores: {started:.0f} s until every server runs, "
        f"{ran:.0f} s until {arguments.notebook.name} has run in every kernel",
        flush=True,
    )
    report_memory(hub, students)
    at_once(HubStudent.find_slider)
    for moving in sorted({1, min(3, len(students)), len(students)}):
        report_frames(hub, students[:moving], arguments.steps)
    failed = []
    parts = restart(hub, students), isolation(hub, students), collection(hub, students, arguments.notebook)
    for checks in (*parts, is_configured(hub)):
        for check, held in checks:
            print("ok    " if held else "FAILED", check, flush=True)
            failed += [] if held else [check]
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--users", type=int, default=5, help="at least 2")
    parser.add_argument("--steps", type=int, default=40, help="of each slider, one after the other")
    parser.add_argument("--notebook", type=Path, default=NOTEBOOK)
    parser.add_argument("--proxy", type=Path, default=PROXY, help="configurable-http-proxy")
    arguments = parser.parse_args()
    if arguments.users < 2:
        parser.error("--users must be at least 2; nobody can be kept from themselves")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that it ends what it started
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        hub = Hub(Path(folder), arguments.proxy)
        failed = ["it came to no end"]
        try:
            hub.start()
            failed = in_class(hub, arguments)
        finally:
            if failed:
                print("\n".join(hub_log(hub).splitlines()[-40:]))
            hub.leave()
    print("All servers here are one account of the system: no limit and no file permission was tested.")
    return f"{len(failed)} checks failed" if failed else 0


if __name__ == "__main__":
    sys.exit(main())
