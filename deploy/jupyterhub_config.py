"""What a hub of this course sets, whatever starts it: The Littlest JupyterHub, the hub test, or your own.

The Littlest JupyterHub loads this file from /opt/tljh/config/jupyterhub_config.d. Limits and the culling
of idle servers stand in README.md and z2jh-values.yaml, because here no spawner would enforce them.
"""

c = get_config()  # noqa: F821  # JupyterHub defines it

# The hub may restart during a lecture: the students' servers and the proxy are processes of their own.
c.JupyterHub.cleanup_servers = False
c.ConfigurableHTTPProxy.should_start = False

# A class logs in within a minute, and every server needs the processor to start: patience.
c.Spawner.start_timeout = 300
c.Spawner.http_timeout = 300

c.Spawner.default_url = "/lab"
# One thread for each kernel: many small matrices, and a class shares the cores.
c.Spawner.environment = {"OMP_NUM_THREADS": "1"}
