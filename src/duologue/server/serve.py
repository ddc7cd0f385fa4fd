"""Running the application with uvicorn."""

import gc
import socket

import uvicorn
from starlette.applications import Starlette

from duologue.model.errors import SettingsError
from duologue.runtime.hub import Hub
from duologue.server.settings import ServerSettings
from duologue.transports.sse import RawSend

GC_ALLOCATIONS = 20_000
"""New containers between collections: a token makes about thirty that die at once; 700 is every twenty tokens."""

SHUTDOWN_S = 5
"""How long connections have to close after the drain."""


class DrainingServer(uvicorn.Server):
    """Lets running answers finish, and tells clients to reconnect, before connections are closed."""

    def __init__(self, config: uvicorn.Config, hub: Hub) -> None:
        super().__init__(config)
        self._hub = hub

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start; what was made until now lives as long as the process, so the collector need not look at it."""
        await super().startup(sockets)
        gc.collect()
        gc.freeze()
        gc.set_threshold(GC_ALLOCATIONS, 20, 50)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Drain, then stop."""
        await self._hub.drain()
        await super().shutdown(sockets)


def make_server(app: Starlette, settings: ServerSettings) -> DrainingServer:
    """Make the server for an application of `make_app`."""
    beat_s = settings.heartbeat_ms / 1000
    config = uvicorn.Config(
        RawSend(app),
        host=settings.host,
        port=settings.port,
        loop="uvloop",
        http="httptools",
        ws="websockets-sansio",
        # Twice the frame limit: a frame that is a little too large is refused with an error and not a lost connection.
        ws_max_size=2 * settings.frame_bytes,
        ws_per_message_deflate=False,
        ws_ping_interval=beat_s,
        ws_ping_timeout=2 * beat_s,
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=SHUTDOWN_S,
    )
    return DrainingServer(config, app.state.hub)


def listen(settings: ServerSettings) -> socket.socket:
    """Take the port before anything else is started.

    Raises:
        SettingsError: it cannot be had.
    """
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((settings.host, settings.port))
    except OSError as error:
        listener.close()
        where = f"{settings.host}:{settings.port}"
        raise SettingsError(
            f"cannot listen on {where}: {error.strerror or error}; set server.port to a free one (0 takes any)"
        ) from error
    listener.setblocking(False)
    return listener
