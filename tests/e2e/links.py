"""Clients: one session followed through one connection, in any dialect, over a WebSocket or HTTP."""

import asyncio
import contextlib
import json
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Final, NamedTuple

from tests.e2e.dialects import AGENTCALL, CHAT, GHOST, Dialect
from tests.e2e.harness import WAIT_S
from tests.e2e.wire import EventSource, Exchange, Frame, Gone, Json, ask, fetch
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol


class Link(ABC):
    """A client's view of one session.

    Attributes:
        frames: the events that came, in order.
        answers: what came besides events, as it was parsed.
    """

    def __init__(self, dialect: Dialect, port: int, session: str) -> None:
        self.dialect, self.port, self.session = dialect, port, session
        self.frames: list[Frame] = []
        self.answers: list[Json] = []
        self._looked_at = 0

    @property
    def last(self) -> int:
        """The number to resume from."""
        return self.frames[-1].seq if self.frames else 0

    @property
    def text(self) -> str:
        """All text that came."""
        return "".join(self.dialect.delta(frame.body) for frame in self.frames)

    @property
    def refusals(self) -> list[str]:
        """The codes of all refusals that came."""
        codes = (self.dialect.refusal(answer) for answer in self.answers)
        return [code for code in codes if code is not None]

    async def next(self) -> Frame:
        """Wait for the next event.

        Raises:
            Gone: the server has ended the connection.
        """
        async with asyncio.timeout(WAIT_S):
            frame = await self._next()
        self.frames.append(frame)
        return frame

    async def up_to(self, seq: int) -> list[Frame]:
        """Read events until the one of this number, which has to come."""
        start = len(self.frames)
        while self.last < seq:
            await self.next()
        assert self.last == seq
        return self.frames[start:]

    async def over(self) -> list[Frame]:
        """Read events until an answer has ended."""
        start = len(self.frames)
        while self.dialect.outcome((await self.next()).body) in (None, "again"):
            pass
        return self.frames[start:]

    async def until_delta(self) -> Frame:
        """Read events until one brings text."""
        while not self.dialect.delta((frame := await self.next()).body):
            pass
        return frame

    async def gone(self) -> Gone:
        """Read until the server ends the connection."""
        try:
            while True:
                await self.next()
        except Gone as gone:
            return gone

    async def refused(self) -> Json:
        """Give the next refusal, waiting for it where needed; events that come first are kept."""
        while True:
            while self._looked_at < len(self.answers):
                self._looked_at += 1
                answer = self.answers[self._looked_at - 1]
                if self.dialect.refusal(answer) is not None:
                    return answer
            await self._step()

    async def _step(self) -> None:
        """Read one thing."""
        await self.next()

    @abstractmethod
    async def _next(self) -> Frame: ...

    @abstractmethod
    async def send(self, message: Json | str | bytes) -> None:
        """Send a message of the dialect, or what is none."""

    async def say(self, text: str, number: int) -> None:
        """Send a turn; the same number is the same client message id."""
        await self.send(self.dialect.turn(text, number))

    @abstractmethod
    async def drop(self) -> None:
        """Cut the connection, as a network does."""


class SocketLink(Link):
    """Over a WebSocket."""

    def __init__(self, dialect: Dialect, port: int, session: str, *, socket: ClientConnection) -> None:
        super().__init__(dialect, port, session)
        self.socket = socket

    async def _next(self) -> Frame:
        while True:
            frame = await self._read()
            if frame is not None:
                return frame

    async def _step(self) -> None:
        async with asyncio.timeout(WAIT_S):
            frame = await self._read()
        if frame is not None:
            self.frames.append(frame)

    async def _read(self) -> Frame | None:
        try:
            raw = await self.socket.recv(decode=False)
        except ConnectionClosed as closed:
            close = closed.rcvd
            raise (Gone(close.code, close.reason) if close else Gone(1006)) from None
        body = json.loads(raw)
        seq = self.dialect.number(body)
        if seq:
            return Frame(seq, raw)
        self.answers.append(body)
        return None

    async def send(self, message: Json | str | bytes) -> None:
        data = message if isinstance(message, str | bytes) else json.dumps(message)
        with contextlib.suppress(ConnectionClosed):
            await self.socket.send(data)

    async def drop(self) -> None:
        self.socket.transport.abort()
        await self.socket.wait_closed()


class StreamLink(Link):
    """Over server-sent events, with posts for what the client says."""

    def __init__(self, dialect: Dialect, port: int, session: str, *, headers: Mapping[str, str]) -> None:
        super().__init__(dialect, port, session)
        self.headers = dict(headers)
        self.source: EventSource | None = None
        self._turn_only = False

    @property
    def events_path(self) -> str:
        """Where the events are."""
        return f"/{self.dialect.name}/sessions/{self.session}/events"

    async def follow(self, after: int) -> None:
        """Open the stream; a session that does not exist yet (Chat) has none, and begins with its first turn."""
        headers = self.headers | ({"Last-Event-ID": str(after)} if after else {})
        exchange = await ask(self.port, "GET", self.events_path, headers=headers)
        if exchange.status == 200:
            self.source = EventSource(exchange)
            return
        answer = json.loads(await exchange.body())
        exchange.drop()
        if exchange.status != 404:
            self.answers.append(answer)

    async def _next(self) -> Frame:
        if self.source is None:
            raise Gone(0, "there is no stream")
        return await self.source.next()

    async def send(self, message: Json | str | bytes) -> None:
        if self.dialect.name == "ghost":
            await self._post(f"/ghost/sessions/{self.session}/triggers", message)
            return
        match message:
            case {"type": "message.send"}:
                await self.stream(message | {"sessionId": self.session})
            case {"type": "response.cancel" | "session.end" as kind}:
                path = "/chat/cancel" if kind == "response.cancel" else "/chat/end"
                await self._post(path, {"sessionId": self.session})
            case _:
                await self.stream(message)

    async def stream(self, body: Json | str | bytes) -> None:
        """Post a turn (Chat); where nothing is followed yet, its own answer is."""
        exchange = await self._ask("/chat/stream", body)
        if exchange.status == 200 and (self.source is None or self._turn_is_over()):
            await self.drop()
            self.source, self._turn_only = EventSource(exchange), True
            return
        if exchange.status != 200:
            self.answers.append(json.loads(await exchange.body()))
        exchange.drop()

    def _turn_is_over(self) -> bool:
        """Whether only a turn was followed, and that has ended."""
        if not self._turn_only or not self.frames:
            return False
        return self.dialect.outcome(self.frames[-1].body) not in (None, "again")

    async def _post(self, path: str, body: Json | str | bytes) -> None:
        exchange = await self._ask(path, body)
        self.answers.append(json.loads(await exchange.body()))
        exchange.drop()

    async def _ask(self, path: str, body: Json | str | bytes) -> Exchange:
        data = body.encode() if isinstance(body, str) else body
        return await ask(self.port, "POST", path, body=data, headers=self.headers)

    async def drop(self) -> None:
        if self.source is not None:
            self.source.exchange.drop()


class Channel(NamedTuple):
    """A dialect and how it travels."""

    dialect: Dialect
    transport: str

    @property
    def is_socket(self) -> bool:
        """Whether it is a WebSocket."""
        return self.transport == "ws"

    async def open(
        self,
        port: int,
        session: str,
        after: int = 0,
        *,
        headers: Mapping[str, str] | None = None,
        hello: Json | None = None,
    ) -> Link:
        """Open a link; `hello` in place of the usual first frame of a socket."""
        if not self.is_socket:
            link = StreamLink(self.dialect, port, session, headers=headers or {})
            await link.follow(after)
            return link
        socket = await connect_to(port, self.dialect.path, headers=headers)
        opened = SocketLink(self.dialect, port, session, socket=socket)
        await opened.send(hello or self.dialect.hello(session, after))
        return opened

    @asynccontextmanager
    async def link(
        self, port: int, session: str, after: int = 0, *, headers: Mapping[str, str] | None = None
    ) -> AsyncGenerator[Link]:
        """Open a link for a block."""
        link = await self.open(port, session, after, headers=headers)
        try:
            yield link
        finally:
            await link.drop()

    async def read(self, port: int, session: str, *, up_to: int) -> list[Frame]:
        """What a fresh client reads from the start."""
        async with self.link(port, session) as link:
            return await link.up_to(up_to)


async def connect_to(
    port: int,
    path: str,
    *,
    headers: Mapping[str, str] | None = None,
    subprotocols: Sequence[str] = (),
    origin: str | None = None,
    name: str = "127.0.0.1",
) -> ClientConnection:
    """Open a bare WebSocket; `name` is what the client takes the server's name to be."""
    more = dict(headers or {}) | ({"Origin": origin} if origin else {})
    return await connect(
        f"ws://{name}:{port}{path}",
        host="127.0.0.1",
        port=port,
        additional_headers=more,
        subprotocols=[Subprotocol(name) for name in subprotocols] or None,
        compression=None,
        max_size=None,
        ping_interval=None,
        proxy=None,
        open_timeout=WAIT_S,
    )


async def journal(port: int, session: str) -> list[Json]:
    """All stored events of a session, as the server has them."""
    answer = await fetch(port, "GET", f"/api/sessions/{session}/journal")
    assert answer.status == 200
    return [event for line in answer.raw.splitlines() for event in json.loads(line)["events"]]


async def last_seq(port: int, session: str) -> int:
    """The number of the last stored event; 0 for a session that does not exist."""
    answer = await fetch(port, "GET", f"/api/sessions/{session}")
    return answer.body["lastSequence"] if answer.status == 200 else 0


async def stored(port: int, session: str, *, at_least: int) -> None:
    """Wait until an event is stored."""
    async with asyncio.timeout(WAIT_S):
        while await last_seq(port, session) < at_least:
            await asyncio.sleep(0.005)


def kinds(events: Sequence[Json], kind: str) -> list[Json]:
    """The events of one kind."""
    return [event for event in events if event["kind"] == kind]


AGENTCALL_WS: Final = Channel(AGENTCALL, "ws")
CHAT_WS: Final = Channel(CHAT, "ws")
CHAT_SSE: Final = Channel(CHAT, "sse")
GHOST_WS: Final = Channel(GHOST, "ws")
GHOST_SSE: Final = Channel(GHOST, "sse")
CHANNELS: Final = (AGENTCALL_WS, CHAT_WS, CHAT_SSE, GHOST_WS, GHOST_SSE)
SOCKETS: Final = (AGENTCALL_WS, CHAT_WS, GHOST_WS)


def channel_name(channel: Channel) -> str:
    """Name a parametrised test."""
    return f"{channel.dialect.name}-{channel.transport}"
