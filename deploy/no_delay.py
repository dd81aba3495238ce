"""Configuration of Jupyter's server: what a kernel says to the page leaves at once.

By default the operating system holds small messages back until the page has acknowledged earlier ones
(Nagle's algorithm), which delays pictures while a slider is dragged. `make lab` starts its server with this
file, and jupyter_server_config.py loads it for a hub. To have it for all your notebooks, write into
~/.jupyter/jupyter_server_config.py, with the place of your copy of the course:

    load_subconfig("/home/me/positional-encoding-course/deploy/no_delay.py")
"""

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection

c = get_config()  # noqa: F821  # Jupyter defines it


class NoDelayConnection(ZMQChannelsWebsocketConnection):
    """The server's usual connection between a page and a kernel, with TCP_NODELAY set."""

    def connect(self):
        """Turn the delay off, then connect as usual."""
        self.websocket_handler.set_nodelay(True)
        return super().connect()


c.ServerApp.kernel_websocket_connection_class = NoDelayConnection
