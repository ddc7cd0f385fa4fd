"""A small HTTP server on loopback, which says what it was asked."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Received:
    """One request; names of headers in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(slots=True)
class Listening:
    """The server."""

    port: int
    received: list[Received] = field(default_factory=list[Received])

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"


@dataclass(frozen=True, slots=True)
class Said:
    """An answer; `cut` closes the connection in the middle of it."""

    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    cut: bool = False
    silent: bool = False


@asynccontextmanager
async def listening(
    answer: Callable[[Received], Said] | None = None,
    *,
    status: int = 200,
    body: bytes = b"{}",
    headers: Mapping[str, str] | None = None,
) -> AsyncGenerator[Listening]:
    """Listen while the block runs; each connection takes one request."""
    usual = Said(status=status, body=body, headers=headers or {"content-type": "application/json"})
    stopped = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            received = await _read(reader)
            server.received.append(received)
            said = usual if answer is None else answer(received)
            if said.silent:
                await stopped.wait()
            head = [f"HTTP/1.1 {said.status} Said", f"content-length: {len(said.body)}", "connection: close"]
            head += [f"{name}: {value}" for name, value in said.headers.items()]
            writer.write("\r\n".join(head).encode() + b"\r\n\r\n" + (said.body[:1] if said.cut else said.body))
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    server = Listening(port=listener.sockets[0].getsockname()[1])
    try:
        async with listener:
            yield server
    finally:
        stopped.set()


async def _read(reader: asyncio.StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = head[0].split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:]) if name}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(method, path, headers, body)
