"""Running the application with uvicorn."""

import gc
import signal
import socket
import sys
from collections.abc import Callable
from types import FrameType

import uvicorn
from starlette.applications import Starlette

from duologue.model.errors import SettingsError
from duologue.runtime.hub import Hub
from duologue.server.settings import ServerSettings
from duologue.server.streaming_http import StreamingHttp

GC_ALLOCATIONS = 20_000
"""New containers between collections: a token makes about thirty that die at once; 700 is every twenty tokens."""

SWITCH_S = 0.002
"""How long another thread may keep the interpreter from the event loop: nothing blocks the loop for 5 ms."""

SHUTDOWN_S = 5
"""How long connections have to close after the drain."""


class DrainingServer(uvicorn.Server):
    """Opens the hub before it serves, and drains it before connections are closed.

    The hub is not left to the application's lifespan: what is wrong with the data folder is then raised by
    `run`, for the one who started the server, and not logged as a failure of the application.
    """

    def __init__(
        self, config: uvicorn.Config, hub: Hub, started: Callable[[], None], stopped: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._hub, self._on_stopped = hub, stopped
        self._on_started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start; what was made until now lives as long as the process, so the collector need not look at it."""
        await self._hub.__aenter__()
        try:
            await super().startup(sockets)
        except BaseException:
            await self._hub.__aexit__(None, None, None)
            raise
        gc.collect()
        gc.freeze()
        gc.enable()
        sys.setswitchinterval(SWITCH_S)
        gc.set_threshold(GC_ALLOCATIONS, 20, 50)
        self._on_started()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop in order, as uvicorn does; but not die of the signal afterwards: an ordered stop is a success."""
        del frame
        if self.should_exit and sig == signal.SIGINT:
            self.force_exit = True
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Drain, then stop."""
        try:
            await self._hub.drain()
            await super().shutdown(sockets)
        finally:
            self._on_stopped()
            await self._hub.__aexit__(None, None, None)


def _say_nothing() -> None:
    pass


def make_server(
    app: Starlette, settings: ServerSettings, *, started: Callable[[], None] = _say_nothing
) -> DrainingServer:
    """Make the server for an application of `make_app`; `started` is called once connections are taken."""
    beat_s = settings.heartbeat_ms / 1000
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        loop="uvloop",
        http=StreamingHttp,
        ws="websockets-sansio",
        # Twice the frame limit: a frame that is a little too large is refused with an error and not a lost connection.
        ws_max_size=2 * settings.frame_bytes,
        ws_per_message_deflate=False,
        ws_ping_interval=beat_s,
        ws_ping_timeout=2 * beat_s,
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=list(settings.trusted_proxies),
        timeout_graceful_shutdown=SHUTDOWN_S,
    )
    return DrainingServer(config, app.state.hub, started, app.state.audit.close)


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
