"""`make lab` turns off what delays a drag: on the sockets between pages and kernels, and in the page."""

import os
import shlex
import subprocess
import sys

import pytest

from tools.course import ROOT

pytest.importorskip("jupyter_server")  # Colab's kernels have none

SERVER = """if True:  # start a server with these options, connect to a kernel, tell how its socket is set
    import json, socket, sys, urllib.parse
    from jupyter_server.serverapp import ServerApp
    from tornado.httpclient import AsyncHTTPClient
    from tornado.websocket import websocket_connect

    app = ServerApp()
    fixed = ["--no-browser", "--allow-root", "--port=0", "--ip=127.0.0.1", "--IdentityProvider.token=t"]
    app.initialize([*fixed, *sys.argv[1:]])

    async def look():
        try:
            address = f"127.0.0.1:{app.port}/api/kernels"
            request = {"method": "POST", "body": "", "headers": {"Authorization": "token t"}}
            kernel = json.loads((await AsyncHTTPClient().fetch(f"http://{address}", **request)).body)["id"]
            page = await websocket_connect(f"ws://{address}/{kernel}/channels?token=t&session_id=s")
            await page.read_message()
            (connection,) = app.kernel_websocket_connection_class._open_sockets
            stream = connection.websocket_handler.ws_connection.stream
            print("without delay:", bool(stream.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)))
            page.close()
            await app.kernel_manager.shutdown_all()
        finally:
            app.stop()

    app.io_loop.add_callback(look)
    app.start()
"""


def make_lab(*assignments):
    """The command that `make lab` runs, as a list of words."""
    command = ["make", "--dry-run", "--no-print-directory", "READY=", "lab", *assignments]
    return shlex.split(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)


def server_says(settings, tmp_path):
    command = [sys.executable, "-c", SERVER, f"--ServerApp.root_dir={tmp_path}"]
    environment = os.environ | dict(setting.split("=", 1) for setting in settings)
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


@pytest.mark.parametrize(("assignments", "says"), [([], "True"), (["NO_DELAY="], "False")])
def test_sockets_of_the_server_that_make_lab_starts(assignments, says, tmp_path):
    command = make_lab(*assignments)
    assert "jupyter lab notebooks/00_start_here.ipynb" in " ".join(command)
    settings = [word for word in command if word.startswith("JUPYTER_")]
    assert f"without delay: {says}" in server_says(settings, tmp_path)


@pytest.mark.parametrize(("assignments", "says"), [([], "True"), (["NO_DELAY="], "False")])
def test_the_page_that_make_lab_opens_leaves_the_browsers_icon_alone(assignments, says, tmp_path):
    settings = dict(word.split("=", 1) for word in make_lab(*assignments) if word.startswith("JUPYTER_"))
    code = """if True:
        from jupyterlab_server.config import get_page_config

        print("@jupyterlab/application-extension:faviconbusy" in get_page_config([])["disabledExtensions"])
    """
    environment = os.environ | {"JUPYTER_CONFIG_DIR": str(tmp_path)} | settings
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert run.stdout.strip() == says, run.stderr
