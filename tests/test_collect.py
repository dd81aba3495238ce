"""`tools.collect` and a hub that does what hubs do; `make hub-test` has a real one."""

import csv
import json
import sys
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from tools import collect

STEM = collect.STEMS[2]
SAVED = "2026-11-24T10:00:00Z"


class FakeHub:
    """Students with files, whose servers run or not; it answers as JupyterHub and Jupyter's server do."""

    def __init__(self, files, running=(), broken=()):
        self.files, self.running, self.broken, self.asked = files, set(running), set(broken), []

    def answer(self, method, path, query):
        parts = [unquote(part) for part in path.strip("/").split("/")]
        if parts == ["hub", "api", "users"]:
            first, most = int(query["offset"][0]), min(int(query["limit"][0]), 2)  # as a hub with small pages
            return 200, [{"name": name} for name in [*self.files][first : first + most]]
        if parts[:3] == ["hub", "api", "users"]:
            name, is_server = parts[3], len(parts) == 5
            if is_server:
                (self.running.add if method == "POST" else self.running.discard)(name)
                return 201 if name not in self.broken else 500, None
            return 200, {"servers": {"": {"ready": True}} if name in self.running else {}}
        name, place = parts[1], "/".join(parts[4:])
        assert parts[0] == "user" and name in self.running, path
        if place not in self.files[name]:
            return 404, None
        content = self.files[name][place]
        about = {"type": "notebook", "size": len(content), "last_modified": SAVED}
        return 200, about | ({"content": content} if query["content"] == ["1"] else {})


@pytest.fixture
def serve():
    servers = []

    def serve(hub):
        class Handler(BaseHTTPRequestHandler):
            def respond(self):
                hub.asked.append((self.command, self.path, self.headers["Authorization"]))
                address = urlsplit(self.path)
                status, answer = hub.answer(self.command, address.path, parse_qs(address.query))
                self.send_response(status)
                self.end_headers()
                self.wfile.write(json.dumps(answer).encode())

            do_GET = do_POST = do_DELETE = respond

            def log_message(self, *_):
                pass

        servers.append(ThreadingHTTPServer(("127.0.0.1", 0), Handler))
        Thread(target=servers[-1].serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{servers[-1].server_port}"

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


def place(stem=STEM):
    return f"{collect.FOLDER}/{stem}.ipynb"


def run(monkeypatch, tmp_path, address, *options):
    (tmp_path / "token").write_text("secret\n")
    given = ["collect", address, *options, "--token-file", str(tmp_path / "token")]
    monkeypatch.setattr(sys, "argv", [*given, "--out", str(tmp_path / "out")])
    collect.main()


def rows_in(tmp_path):
    return [*csv.DictReader((tmp_path / "out.csv").open(encoding="utf-8"))]


def test_all_is_collected_and_what_was_started_is_stopped(monkeypatch, tmp_path, serve):
    files = {name: {place(): f'{{"of": "{name}"}}'} for name in ("ada", "bob", "grace@x.org", "dan", "eve")}
    hub = FakeHub(files | {"nobody": {}}, running=["ada"])
    run(monkeypatch, tmp_path, serve(hub), STEM)
    for name in files:
        assert json.loads((tmp_path / "out" / name / f"{STEM}.ipynb").read_text()) == {"of": name}
    assert hub.running == {"ada"} and {token for *_, token in hub.asked} == {"token secret"}
    assert [(row["student"], row["saved"], row["note"]) for row in rows_in(tmp_path)] == [
        *((name, SAVED, "") for name in files),
        ("nobody", "", "none"),
    ]


def test_one_student_never_stops_the_rest(monkeypatch, tmp_path, serve, capsys):
    content = "{}" + " " * collect.LARGEST
    hub = FakeHub({"ada": {place(): "{}"}, "bob": {}, "dan": {place(): content}}, broken=["bob"])
    with pytest.raises(SystemExit, match="2 of 3 failed: bob, dan"):
        run(monkeypatch, tmp_path, serve(hub), STEM)
    ada, bob, dan = rows_in(tmp_path)
    assert ada["note"] == "" and (tmp_path / "out" / "ada" / f"{STEM}.ipynb").exists()
    assert bob["note"].startswith("failed: POST hub/api/users/bob/server got 500")
    assert dan["note"].startswith("failed:") and "at most 20,971,520 bytes" in dan["note"]


def test_what_was_collected_before_stays_where_there_is_nothing_now(monkeypatch, tmp_path, serve):
    hub = FakeHub({"ada": {place(): "{}"}}, running=["ada"])
    again = partial(run, monkeypatch, tmp_path, serve(hub), STEM)
    again()
    hub.files["ada"] = {}
    again()
    assert (tmp_path / "out" / "ada" / f"{STEM}.ipynb").read_text() == "{}"
    assert [row["note"] for row in rows_in(tmp_path)] == ["none"]


@pytest.mark.parametrize("name", ["../../ada", ".ssh", "a/b", "=cmd|x", "C:\\x"])
def test_no_name_leads_out_of_the_folder_or_is_a_formula(tmp_path, serve, name):
    hub = collect.Hub(serve(FakeHub({name: {place(): "{}"}}, running=[name])), "secret")
    collect.collect(hub, [name], [STEM], collect.FOLDER, tmp_path / "out")
    (written,) = tmp_path.rglob("*.ipynb")
    assert written.parent.parent == tmp_path / "out" and not written.parent.name.startswith(".")
    assert rows_in(tmp_path)[0]["student"].lstrip("'") == name and rows_in(tmp_path)[0]["student"][0] != "="


def test_a_name_that_no_address_can_have_is_refused(tmp_path, serve):
    hub = collect.Hub(serve(FakeHub({"..": {}}, running=[".."])), "secret")
    (row,) = collect.collect(hub, [".."], [STEM], collect.FOLDER, tmp_path / "out")
    assert row["note"] == "failed: no address can have this name"


def test_the_token_goes_to_no_address_that_others_can_read(monkeypatch, tmp_path, capsys):
    with pytest.raises(SystemExit):
        run(monkeypatch, tmp_path, "http://hub.example.org", STEM)
    assert "must begin with https://" in capsys.readouterr().err


def test_a_hub_that_does_not_answer_is_named(monkeypatch, tmp_path):
    with pytest.raises(SystemExit, match="no answer to GET hub/api/users: ConnectionError"):
        run(monkeypatch, tmp_path, "http://127.0.0.1:9", STEM)
