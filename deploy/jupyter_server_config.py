"""What each student's server sets. It belongs into etc/jupyter of the environment that runs the servers."""

c = get_config()  # noqa: F821  # Jupyter defines it

# Frames leave the server at once, without Nagle's delay.
c.ServerApp.kernel_websocket_connection_class = "pe_helpers.no_delay.NoDelayConnection"

# A kernel whose page is closed stops after half an hour without work. Open pages keep theirs.
c.MappingKernelManager.cull_idle_timeout = 1800
c.MappingKernelManager.cull_interval = 300
