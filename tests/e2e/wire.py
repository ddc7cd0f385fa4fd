"""HTTP and server-sent events over a bare socket: every byte is seen, and the connection can be cut at any moment."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from tests.e2e.harness import WAIT_S

# Any: JSON of no known shape.
Json: TypeAlias = Any


class Gone(Exception):
    """The other side has ended the stream. `code` is the socket's close code, 0 for a stream over HTTP."""

    def __init__(self, code: int = 0, reason: str = "") -> None:
        super().__init__(f"{code} {reason}")
        self.code, self.reason = code, reason


class Frame(NamedTuple):
    """One event as it came; `seq` is its number."""

    seq: int
    raw: bytes

    @property
    def body(self) -> Json:
        """What it holds."""
        return json.loads(self.raw)


class Exchange:
    """One HTTP request, and its answer as it comes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self._writer = reader, writer
        self.status = 0
        self.headers: dict[str, str] = {}

    async def begin(
        self, method: str, path: str, *, headers: Mapping[str, str] | None = None, body: bytes = b""
    ) -> None:
        """Send the request and read the answer's headers."""
        lines = {"Host": "127.0.0.1", "Content-Length": str(len(body))} | dict(headers or {})
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        self._writer.write(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body)
        first, *rest = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        self.status = int(first.split()[1])
        self.headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}

    async def chunk(self) -> bytes:
        """Read the next piece of the body; empty at its end. The end of the connection in the middle is `Gone`."""
        if "content-length" in self.headers:
            length = int(self.headers.pop("content-length"))
            return await self.reader.readexactly(length)
        if "transfer-encoding" not in self.headers:
            return b""
        try:
            size = int(await self.reader.readuntil(b"\r\n"), 16)
            data = await self.reader.readexactly(size + 2)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise Gone from error
        return data[:-2]

    async def body(self) -> bytes:
        """Read the whole body."""
        parts: list[bytes] = []
        while part := await self.chunk():
            parts.append(part)
        return b"".join(parts)

    def drop(self) -> None:
        """Cut the connection, as a network does."""
        self._writer.transport.abort()


async def ask(
    port: int,
    method: str,
    path: str,
    *,
    body: bytes | Json = b"",
    headers: Mapping[str, str] | None = None,
) -> Exchange:
    """Send a request on a connection of its own; returns once the answer's headers are there."""
    exchange = Exchange(*await asyncio.open_connection("127.0.0.1", port, limit=2**24))
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    try:
        async with asyncio.timeout(WAIT_S):
            await exchange.begin(method, path, headers=headers, body=data)
    except BaseException:
        exchange.drop()
        raise
    return exchange


class Answer(NamedTuple):
    """A whole answer."""

    status: int
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Json:
        """What it holds."""
        return json.loads(self.raw)


async def fetch(
    port: int,
    method: str,
    path: str,
    *,
    body: bytes | Json = b"",
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """Send a request and read all of the answer."""
    exchange = await ask(port, method, path, body=body, headers=headers)
    try:
        async with asyncio.timeout(WAIT_S):
            return Answer(exchange.status, dict(exchange.headers), await exchange.body())
    finally:
        exchange.drop()


class EventSource:
    """A stream of server-sent events."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        self.comments: list[str] = []
        self.retry_ms: int | None = None
        self.ended = False
        self._buffer = b""

    async def next(self) -> Frame:
        """Wait for the next event; comments are only noted.

        Raises:
            Gone: the stream has ended.
        """
        while True:
            block, found, rest = self._buffer.partition(b"\n\n")
            if not found:
                part = await self._more()
                self._buffer += part
                continue
            self._buffer = rest
            frame = self._read(block)
            if frame is not None:
                return frame

    async def _more(self) -> bytes:
        try:
            part = await self.exchange.chunk()
        except Gone:
            self.ended = True
            raise
        if not part:
            self.ended = True
            raise Gone(0, "end of stream")
        return part

    def _read(self, block: bytes) -> Frame | None:
        seq, data = 0, b""
        for line in block.split(b"\n"):
            name, _, value = line.partition(b": ")
            match name:
                case b"":
                    self.comments.append(value.decode())
                case b"id":
                    seq = int(value)
                case b"data":
                    data = value
                case b"retry":
                    self.retry_ms = int(value)
                case _:
                    raise AssertionError(f"an SSE line of no kind: {line!r}")
        return Frame(seq, data) if data else None
