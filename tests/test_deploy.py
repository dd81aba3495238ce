"""deploy/: its files parse, their options exist, and its README says what they say.

`make hub-test` starts a hub with them; here is what needs none.
"""

import ast
import re
from urllib.parse import parse_qs, urlsplit

import pytest

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


@pytest.mark.parametrize(("name", "known"), [("tljh-config.yaml", TLJH), ("z2jh-values.yaml", CHART)])
def test_options_are_those_of_the_project(name, known):
    tree = settings(name)
    for path in paths(tree, known):
        assert path in known, path
        if known[path] is not None:
            assert set(at(tree, path)) <= known[path], path


def test_both_hubs_have_the_same_limits_and_the_readme_names_them():
    littlest, chart = settings("tljh-config.yaml"), settings("z2jh-values.yaml")
    assert littlest["limits"] == {
        "memory": chart["singleuser"]["memory"]["limit"],
        "cpu": chart["singleuser"]["cpu"]["limit"],
    }
    for key in ("enabled", "timeout", "every"):
        assert littlest["services"]["cull"][key] == chart["cull"][key]
    (limit,) = re.findall(r"at most (\d+) GB and (\d+) core", README)
    assert limit == (littlest["limits"]["memory"].rstrip("G"), str(littlest["limits"]["cpu"]))


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
    assert f'"{options["repo"]}"' in (ROOT / "pyproject.toml").read_text()
    opened = options["urlpath"].removesuffix("?autodecode").removeprefix(f"lab/tree/{folder}/")
    assert (ROOT / opened).is_file()


def test_files_that_the_readme_and_the_image_name_exist():
    image = (DEPLOY / "Dockerfile").read_text()
    linked = re.findall(r"\]\((?!https:)([^)#]+)", README)
    installed = re.findall(r"/opt/course/([\w./-]+\w)", image + README)
    assert "deploy/jupyter_server_config.py" in installed
    for path in [DEPLOY / name for name in linked] + [ROOT / name for name in installed]:
        assert path.exists(), path
    assert not [file for file in DEPLOY.glob("*.*") if file.name not in README and file.name != "README.md"]


def test_the_readme_names_targets_of_the_makefile():
    (targets,) = re.findall(r"^\.PHONY: (.*)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(re.findall(r"`make ([\w-]+)", README)) <= set(targets.split())
