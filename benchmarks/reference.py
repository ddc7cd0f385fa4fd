"""The peer: a plain AG-UI server on the official encoder, Starlette and uvicorn; it keeps nothing.

`POST /agui` with `{"n": tokens, "rate": tokens a second}` streams them; `/raw` sends ready-made bytes.
"""

import asyncio
import sys
import time
from collections.abc import AsyncGenerator, Callable

import uvicorn
from ag_ui.core import (
    RunFinishedEvent,
    RunStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
)
from ag_ui.encoder import EventEncoder
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route


async def paced(tokens: int, rate: float) -> AsyncGenerator[int, None]:
    """Yield the moment of each token, in ns."""
    start = time.monotonic()
    for index in range(tokens):
        if rate:
            await asyncio.sleep(max(0.0, start + index / rate - time.monotonic()))
        yield time.monotonic_ns()


async def encoded(tokens: int, rate: float) -> AsyncGenerator[str, None]:
    """A run, as the official encoder writes it."""
    encode = EventEncoder().encode
    yield encode(RunStartedEvent(thread_id="thread", run_id="run"))
    yield encode(TextMessageStartEvent(message_id="message", role="assistant"))
    async for moment in paced(tokens, rate):
        yield encode(TextMessageContentEvent(message_id="message", delta=f"{moment} tok"))
    yield encode(TextMessageEndEvent(message_id="message"))
    yield encode(RunFinishedEvent(thread_id="thread", run_id="run"))


async def ready_made(tokens: int, rate: float) -> AsyncGenerator[bytes, None]:
    """The same tokens without encoding anything."""
    async for moment in paced(tokens, rate):
        yield b'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"message","delta":"%d tok"}\n\n' % moment


def at(path: str, stream: Callable[[int, float], AsyncGenerator[str, None] | AsyncGenerator[bytes, None]]) -> Route:
    """One address."""

    async def run(request: Request) -> Response:
        asked = await request.json()
        return StreamingResponse(stream(asked["n"], asked["rate"]), media_type="text/event-stream")

    return Route(path, run, methods=["POST"])


app = Starlette(routes=[at("/agui", encoded), at("/raw", ready_made)])

if __name__ == "__main__":
    uvicorn.run(app, port=int(sys.argv[1]), log_level="warning", access_log=False)
