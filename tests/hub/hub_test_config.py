"""The hub of `make hub-test`: the course's settings, and what only a test may do.

Everybody with the password is let in, and all servers run under the account that runs the test.
"""

import os
from pathlib import Path

c = get_config()  # noqa: F821  # JupyterHub defines it
deploy = Path(__file__).resolve().parents[2] / "deploy"
load_subconfig(str(deploy / "jupyterhub_config.py"))  # noqa: F821

folder = os.environ["HUB_TEST_FOLDER"]
c.JupyterHub.bind_url = os.environ["HUB_TEST_ADDRESS"]
c.JupyterHub.hub_port = int(os.environ["HUB_TEST_PORT"])
c.ConfigurableHTTPProxy.api_url = os.environ["HUB_TEST_PROXY"]

c.JupyterHub.authenticator_class = "dummy"
c.DummyAuthenticator.password = os.environ["HUB_TEST_SECRET"]
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = f"{folder}/homes/{{username}}"
c.Spawner.environment |= {"JUPYTER_CONFIG_PATH": str(deploy)}  # where jupyter_server_config.py is

c.JupyterHub.services = [{"name": "hub-test", "api_token": os.environ["HUB_TEST_SECRET"]}]
c.JupyterHub.load_roles = [
    {
        "name": "hub-test",
        "scopes": ["admin:users", "admin:servers", "admin:server_state", "access:servers"],
        "services": ["hub-test"],
    }
]

if os.geteuid() == 0:  # in a container
    c.Spawner.args = ["--allow-root"]
