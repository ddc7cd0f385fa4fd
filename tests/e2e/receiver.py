"""Somebody who receives webhooks over real sockets: well, failing, silent, or gone and back on the same port."""

import asyncio
import json
from collections.abc import Callable
from typing import Final, NamedTuple

from tests.e2e.harness import free_port
from tests.e2e.wire import Json

SECRET: Final = "the secret of both sides"


class Got(NamedTuple):
    """One request: its headers by lower-case name, and its body as it came."""

    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Json:
        """What it holds."""
        return json.loads(self.raw)

    @property
    def session(self) -> str:
        """Which session it is about."""
        return self.headers["duologue-session"]

    @property
    def seq(self) -> int:
        """Which event it is about."""
        return int(self.headers["duologue-sequence"])

    @property
    def event_id(self) -> str:
        """By which repeats are known."""
        return self.headers["duologue-event-id"]


def well(got: Got) -> int | None:
    """Take everything."""
    del got
    return 200


class Receiver:
    """Receives on one port.

    Attributes:
        got: every request that came, in order.
        took: those that were answered with 200.
        answer: the status of an answer; `None` never answers.
        pause_s: how long it thinks about each.
    """

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/hook"
        self.got: list[Got] = []
        self.took: list[Got] = []
        self.answer: Callable[[Got], int | None] = well
        self.pause_s = 0.0
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()

    async def __aenter__(self) -> "Receiver":
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Be there."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)

    async def stop(self) -> None:
        """Be gone, at once."""
        server, self._server = self._server, None
        if server is not None:
            server.close()
            for writer in self._writers:
                writer.transport.abort()
            await server.wait_closed()

    def first_of(self, session: str) -> list[Got]:
        """What was taken of a session, without repeats, in the order of the first time."""
        seen: dict[str, Got] = {}
        for got in self.took:
            if got.session == session:
                first = seen.setdefault(got.event_id, got)
                assert (first.raw, first.seq) == (got.raw, got.seq), "a repeat is the same"
        return list(seen.values())

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            while True:
                got = await _read(reader)
                self.got.append(got)
                status = self.answer(got)
                if status is None:
                    await reader.read()
                    return
                if status == 200:
                    self.took.append(got)
                await asyncio.sleep(self.pause_s)
                writer.write(f"HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n".encode())
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._writers.discard(writer)
            writer.close()


async def _read(reader: asyncio.StreamReader) -> Got:
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().rstrip().split("\r\n")
    assert first == "POST /hook HTTP/1.1"
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    return Got(headers, await reader.readexactly(int(headers["content-length"])))
