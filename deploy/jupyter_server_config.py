"""What each student's server sets.

With no_delay.py it belongs into etc/jupyter of the environment that runs the servers.
"""

c = get_config()  # noqa: F821  # Jupyter defines it

load_subconfig("no_delay.py")  # noqa: F821  # frames leave the server at once

# A kernel whose page is closed stops after half an hour without work. Open pages keep theirs.
c.MappingKernelManager.cull_idle_timeout = 1800
c.MappingKernelManager.cull_interval = 300
