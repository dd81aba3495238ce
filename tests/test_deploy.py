"""deploy/: its files parse, their options exist, and its README says what they say.

`make hub-test` starts a hub with them; here is what needs none.
"""

import ast
import re
from urllib.parse import parse_qs, urlsplit

import pytest

from tools import collect
from tools.course import ROOT

DEPLOY = ROOT / "deploy"
README = (DEPLOY / "README.md").read_text()

# Names from the projects' own lists: TLJH's tljh/config_schema.py, the Helm chart's values.schema.yaml.
TLJH = {
    "limits": {"memory", "cpu"},
    "services.cull": set("enabled timeout every concurrency users max_age remove_named_servers".split()),
    "user_environment": {"default_app"},
}
CHART = {
    "hub.config": None,  # classes of JupyterHub and their options
    "hub.loadRoles": None,
    "singleuser.image": {"name", "tag", "pullPolicy", "pullSecrets"},
    "singleuser.defaultUrl": None,
    "singleuser.startTimeout": None,
    "singleuser.extraEnv": None,
    "singleuser.memory": {"guarantee", "limit"},
    "singleuser.cpu": {"guarantee", "limit"},
    "singleuser.storage": {"type", "capacity", "homeMountPath"},
    "cull": set("enabled users removeNamedServers timeout every concurrency maxAge".split()),
    "prePuller.continuous": {"enabled"},
    "scheduling.userScheduler": {"enabled", "replicas"},
}


def settings(name):
    return pytest.importorskip("yaml").safe_load((DEPLOY / name).read_text())


def littlest():
    """What the commands of the README set for The Littlest JupyterHub: {path: value}."""
    return dict(re.findall(r"^tljh-config set (\S+) (\S+)$", README, re.MULTILINE))


def at(tree, path):
    for key in path.split("."):
        tree = tree[key]
    return tree


def paths(tree, known, under=""):
    """The path of each setting, down to a known one whose parts the list gives or leaves open."""
    for key, value in tree.items():
        path = f"{under}{key}"
        if path in known or not isinstance(value, dict):
            yield path
        else:
            yield from paths(value, known, f"{path}.")


def test_the_assistants_scopes_are_jupyterhubs():
    known = pytest.importorskip("jupyterhub.scopes").scope_definitions
    (role,) = settings("z2jh-values.yaml")["hub"]["loadRoles"].values()
    assert set(role["scopes"]) <= known.keys() and "access:servers" in role["scopes"]


def test_options_are_those_of_the_projects():
    tree = settings("z2jh-values.yaml")
    for path in paths(tree, CHART):
        assert path in CHART, path
        if CHART[path] is not None:
            assert set(at(tree, path)) <= CHART[path], path
    for path in littlest():
        group, _, name = path.rpartition(".")
        assert name in TLJH[group], path


def test_both_hubs_have_the_same_limits_and_the_readme_names_them():
    chart, ours = settings("z2jh-values.yaml"), littlest()
    for kind in ("memory", "cpu"):
        assert ours[f"limits.{kind}"] == str(chart["singleuser"][kind]["limit"])
    for key in ("enabled", "timeout", "every"):
        assert ours[f"services.cull.{key}"] == str(chart["cull"][key]).lower()
    assert "default_app jupyterlab" in README and chart["singleuser"]["defaultUrl"] == "/lab"
    (limit,) = re.findall(r"at most (\d+) GB and (\d+) core", README)
    assert limit == (ours["limits.memory"].rstrip("G"), ours["limits.cpu"])


def test_students_get_their_own_edition_and_nothing_else():
    image = (DEPLOY / "Dockerfile").read_text()
    assert "dist/student\n" in image and "dist/student\n" in README  # the only context
    (handed_out,) = re.findall(r"git clone (\S+) /opt/course\n", README)
    assert handed_out in README[README.index("## What students get") :] and "/OWNER/" not in handed_out
    (link,) = re.findall(r"git-pull\?repo=([^&]+)&", README)
    assert link == handed_out


@pytest.mark.parametrize("file", sorted(DEPLOY.glob("*.py")), ids=lambda file: file.name)
def test_python_parses(file):
    ast.parse(file.read_text())


def test_options_of_the_students_servers_exist():
    manager = pytest.importorskip("jupyter_server.services.kernels.kernelmanager")
    loader = pytest.importorskip("traitlets.config.loader")
    config = loader.PyFileConfigLoader("jupyter_server_config.py", path=str(DEPLOY)).load_config()
    from jupyter_server.serverapp import ServerApp

    classes = {"ServerApp": ServerApp, "MappingKernelManager": manager.MappingKernelManager}
    for name, options in config.items():
        assert set(options) <= set(classes[name].class_traits(config=True)), name
    app = ServerApp(config=config)
    assert app.kernel_websocket_connection_class.__name__ == "NoDelayConnection"


def test_options_of_the_hub_exist():
    app = pytest.importorskip("jupyterhub.app")  # `make hub-test` installs it and checks the same
    proxy, spawner = pytest.importorskip("jupyterhub.proxy"), pytest.importorskip("jupyterhub.spawner")
    from traitlets.config.loader import PyFileConfigLoader

    config = PyFileConfigLoader("jupyterhub_config.py", path=str(DEPLOY)).load_config()
    classes = (app.JupyterHub, proxy.ConfigurableHTTPProxy, spawner.Spawner)
    known = {each.__name__: each.class_traits(config=True) for each in classes}
    assert all(set(options) <= set(known[name]) for name, options in config.items())


def test_the_link_opens_a_notebook_of_the_repository():
    (link,) = set(re.findall(r"https://HUB/hub/user-redirect/git-pull\?\S+", README))
    options = {name: value for name, (value,) in parse_qs(urlsplit(link).query).items()}
    assert set(options) == {"repo", "branch", "targetPath", "urlpath"}
    folder = options["targetPath"]
    assert f"{folder}/notebooks" == collect.FOLDER
    opened = options["urlpath"].removesuffix("?autodecode").removeprefix(f"lab/tree/{folder}/")
    assert (ROOT / opened).is_file()


def test_files_that_the_readme_and_the_image_name_exist():
    image = (DEPLOY / "Dockerfile").read_text()
    linked = re.findall(r"\]\((?!https:)([^)#]+)", README)
    installed = re.findall(r"/(?:opt|root)/course/([\w./-]+\w)", image + README)
    assert "deploy/jupyter_server_config.py" in installed
    copied = re.findall(r"COPY --from=deploy (.*) /usr/local/etc/jupyter/", image)
    assert len(copied) == 2  # what the server reads, and what the page does
    installed += [f"deploy/{name}" for names in copied for name in names.split()]
    for path in [DEPLOY / name for name in linked] + [ROOT / name for name in installed]:
        assert path.exists(), path
    assert not [file for file in DEPLOY.glob("*.*") if file.name not in README and file.name != "README.md"]


def test_the_readme_names_targets_of_the_makefile():
    (targets,) = re.findall(r"^\.PHONY: (.*)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(re.findall(r"`make ([\w-]+)", README)) <= set(targets.split())
