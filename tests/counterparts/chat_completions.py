"""A server that speaks OpenAI's chat completions over real HTTP, and sends what a test has written, chunk by chunk.

For the odd shapes that providers send and a real model cannot be made to. Source: OpenAI API reference, "The chat
completion chunk object"; what each test calls odd is what compatible servers do beside it.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, TypeAlias

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from tests.counterparts.serve import served

# A chunk as a test writes it: any JSON.
Chunk: TypeAlias = dict[str, Any]

DONE = b"data: [DONE]\n\n"


def said(text: str | None, **more: object) -> Chunk:
    """Some of the answer's text."""
    return delta({"content": text, **more})


def called(*pieces: object) -> Chunk:
    """Pieces of calls, each as `piece` makes it."""
    return delta({"tool_calls": list(pieces)})


def piece(index: int, *, call_id: str | None = None, name: str | None = None, arguments: str | None = None) -> Chunk:
    """A piece of one call; what is `None` is left out."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    made: Chunk = {"index": index, "function": function}
    if call_id is not None:
        made |= {"id": call_id, "type": "function"}
    return made


def ended(reason: str | None) -> Chunk:
    """The end of an answer, and why."""
    return delta({}, reason=reason)


def delta(given: Chunk, *, reason: str | None = None) -> Chunk:
    """A chunk with one choice."""
    return chunk(choices=[{"index": 0, "delta": given, "finish_reason": reason}])


def chunk(**members: object) -> Chunk:
    """A chunk as it stands around its choices."""
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted", **members}


@dataclass
class Scripted:
    """The server while it runs.

    Attributes:
        address: up to and including `/v1`.
        bodies: what it was sent.
        asked: how often it was asked which models it has.
        models: the status with which it tells which models it has; 503 is that of a server that still loads.
    """

    address: str = ""
    # JSON of the protocol's.
    bodies: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    models: int = 200
    asked: int = 0


@asynccontextmanager
async def scripted(*answers: Sequence[Chunk | bytes | float], port: int = 0) -> AsyncGenerator[Scripted]:
    """Serve until the block ends. Each request is given the next answer, the last one again and again.

    An answer is chunks, bytes as they are, and seconds to wait between two.
    """
    server = Scripted()

    async def complete(request: Request) -> Response:
        server.bodies.append(msgspec.json.decode(await request.body()))
        answer = answers[min(len(server.bodies), len(answers)) - 1]
        return StreamingResponse(_bytes(answer), media_type="text/event-stream")

    async def models(request: Request) -> Response:
        del request
        server.asked += 1
        if server.models != HTTPStatus.OK:
            return JSONResponse({"error": {"message": "no list today"}}, status_code=server.models)
        return JSONResponse({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    routes = [Route("/v1/chat/completions", complete, methods=["POST"]), Route("/v1/models", models)]
    async with served(Starlette(routes=routes), port=port) as address:
        server.address = f"{address}/v1"
        yield server


async def _bytes(answer: Sequence[Chunk | bytes | float]) -> AsyncGenerator[bytes]:
    for part in answer:
        match part:
            case bytes():
                yield part
            case float() | int():
                await asyncio.sleep(part)
            case _:
                yield b"data: " + msgspec.json.encode(part) + b"\n\n"
