"""For Jupyter's server, not for notebooks: what a kernel says to the page leaves at once.

By default the operating system holds small messages back until the page has acknowledged earlier ones
(Nagle's algorithm), which delays pictures while a slider is dragged. `make lab` starts the server with

    --ServerApp.kernel_websocket_connection_class=pe_helpers.no_delay.NoDelayConnection

It needs jupyter_server, which Colab's kernels do not have, so nothing in the package imports it.
"""

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection


class NoDelayConnection(ZMQChannelsWebsocketConnection):
    """The server's usual connection between a page and a kernel, with TCP_NODELAY set."""

    def connect(self):
        """Turn the delay off, then connect as usual."""
        self.websocket_handler.set_nodelay(True)
        return super().connect()
