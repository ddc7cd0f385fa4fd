"""A proxy in front of a real HTTP server that can refuse, delay, stall or cut an answer, and notes what passed."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import msgspec


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of one request.

    Attributes:
        status: refuses with it; 0 lets the request through.
        headers: of a refusal.
        body: of a refusal.
        pass_bytes: how much of the real answer's body passes before it is cut or stalls; `None`: all.
        stall: whether it then stays silent until the client leaves; else the connection is cut.
    """

    status: int = 0
    headers: tuple[str, ...] = ()
    body: str = '{"error": {"message": "secret detail of the provider", "code": null}}'
    pass_bytes: int | None = None
    stall: bool = False


PASS = Step()


@dataclass
class Proxy:
    """The proxy while it runs.

    Attributes:
        address: where it listens.
        heads: request line and headers of each request, as text.
        bodies: each request's JSON.
        left: set when a client has left an answer that was not at its end.
    """

    address: str
    heads: list[str] = field(default_factory=list[str])
    # Bodies of several protocols: no narrower type exists.
    bodies: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    left: asyncio.Event = field(default_factory=asyncio.Event)


@asynccontextmanager
async def proxied(target: str, steps: Sequence[Step] = ()) -> AsyncGenerator[Proxy]:
    """Stand in front of a server until the block ends; requests beyond the given steps pass."""
    parts = urlsplit(target)
    waiting = list(steps)
    handlers: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        handlers.add(task)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                await _one(proxy, reader, writer, waiting.pop(0) if waiting else PASS)
        finally:
            handlers.discard(task)
            writer.close()

    async def _one(proxy: Proxy, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, step: Step) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = next(
            int(line.split(":")[1]) for line in head.splitlines() if line.lower().startswith("content-length:")
        )
        body = await reader.readexactly(length)
        proxy.heads.append(head)
        proxy.bodies.append(msgspec.json.decode(body))
        if step.status:
            lines = [f"HTTP/1.1 {step.status} Refused", *step.headers, f"Content-Length: {len(step.body)}"]
            lines += ["Content-Type: application/json", "Connection: close", "", step.body]
            writer.write("\r\n".join(lines).encode())
            await writer.drain()
            return
        up_reader, up_writer = await asyncio.open_connection(parts.hostname, parts.port)
        try:
            kept = [line for line in head.split("\r\n") if not line.lower().startswith(("connection:", "host:"))]
            kept[1:1] = [f"Host: {parts.netloc}", "Connection: close"]
            up_writer.write("\r\n".join(kept).encode() + body)
            await _relay(proxy, up_reader, reader, writer, step)
        finally:
            up_writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port: int = server.sockets[0].getsockname()[1]
        proxy = Proxy(address=f"http://127.0.0.1:{port}")
        try:
            yield proxy
        finally:
            for task in list(handlers):
                task.cancel()
            await asyncio.gather(*handlers, return_exceptions=True)


async def _relay(
    proxy: Proxy, up: asyncio.StreamReader, client: asyncio.StreamReader, writer: asyncio.StreamWriter, step: Step
) -> None:
    """Pass the answer on until it ends, is to be cut, or the client leaves."""
    gone = asyncio.ensure_future(client.read(1))
    try:
        writer.write(await up.readuntil(b"\r\n\r\n"))
        passed = 0
        while step.pass_bytes is None or passed < step.pass_bytes:
            chunk = asyncio.ensure_future(up.read(65_536))
            await asyncio.wait({chunk, gone}, return_when=asyncio.FIRST_COMPLETED)
            if gone.done():
                chunk.cancel()
                proxy.left.set()
                return
            data = chunk.result()
            if not data:
                return
            passed += len(data)
            writer.write(data)
            await writer.drain()
        if step.stall:
            await asyncio.wait({gone})
            proxy.left.set()
    finally:
        gone.cancel()
