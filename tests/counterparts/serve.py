"""Serves any ASGI application with uvicorn, on the test's own loop and a free port of loopback."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import uvicorn
from starlette.types import ASGIApp


@asynccontextmanager
async def served(app: ASGIApp, *, port: int = 0) -> AsyncGenerator[str]:
    """Serve until the block ends, on a free port unless one is given; gives the address."""
    listener = socket.create_server(("127.0.0.1", port))
    port = listener.getsockname()[1]
    config = uvicorn.Config(app, log_config=None, lifespan="off", timeout_graceful_shutdown=5)
    server = uvicorn.Server(config)
    # The test's own process handles signals.
    server.capture_signals = contextlib.nullcontext  # pyright: ignore[reportAttributeAccessIssue]
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        while not server.started:
            await asyncio.sleep(0.005)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        await task
        listener.close()
