"""What the terminal talks to: a server over `WS /chat/ws`, or a hub in this process, in the same words."""

import asyncio
import os
import secrets
from contextlib import suppress
from typing import Any, Final, Protocol, TypeAlias
from urllib.parse import urlsplit, urlunsplit

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from duologue.model.base import Value
from duologue.model.commands import Ack, Asked, Join
from duologue.model.errors import Code, Problem, Refused, SettingsError, StoreError
from duologue.model.replies import Rejected
from duologue.protocols.chat import ChatDialect
from duologue.runtime.hub import Hub
from duologue.server.auth import LOCAL_SUBJECT, is_loopback
from duologue.transports import inprocess

WAITING: Final = 256
"""Frames that may wait to be shown; then no more are read (policy: wait)."""

RETRY_S: Final = (0.25, 0.5, 1.0, 2.0, 5.0)
"""Pauses between attempts to connect again; the last one is repeated."""

OPEN_S: Final = 10.0
"""How long connecting and opening the session may take, each."""

CLOSE_S: Final = 1.0
"""How long a connection may take to close: nobody waits for a farewell."""

FRAME_BYTES: Final = 16 * 2**20
"""Largest frame that is taken from a server: the history of a trimmed session is far below it."""


class ChipPart(msgspec.Struct, frozen=True):
    """One suggestion."""

    label: str
    text: str


class ChatFrame(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A frame of the chat protocol, with the members that the terminal shows."""

    type: str
    request_id: str = ""
    sequence: int = 0
    session_id: str = ""
    last_sequence: int = 0
    attempt: int = 1
    delta: str = ""
    title: str = ""
    url: str = ""
    chips: tuple[ChipPart, ...] = ()
    payload_type: str = ""
    # JSON of the agent's own design, and JSON whose members depend on the category.
    data: dict[str, Any] = {}
    details: dict[str, Any] = {}
    category: str = ""
    message: str = ""
    outcome: str = ""
    reason: str = ""
    retryable: bool = False
    will_retry: bool = False

    @property
    def is_refusal(self) -> bool:
        """Whether it is an error that is no event."""
        return self.type == "error" and not self.sequence


class Lost(Value, kw_only=True):
    """The connection is gone; the link tries to get it back by itself."""

    message: str


class Over(Value, kw_only=True):
    """Nothing comes any more, and why; empty where the session has ended."""

    message: str


Told: TypeAlias = ChatFrame | Lost | Over

_frames: Final = msgspec.json.Decoder(ChatFrame)
_encode: Final = msgspec.json.Encoder().encode


class Inbox:
    """What was told and not yet shown."""

    def __init__(self) -> None:
        self._told: list[Told] = []
        self._changed = asyncio.Event()
        self._room = asyncio.Event()

    async def put(self, told: Told) -> None:
        """Add; waits for room."""
        while len(self._told) >= WAITING:
            self._room.clear()
            await self._room.wait()
        self._told.append(told)
        self._changed.set()

    def add(self, told: Told) -> None:
        """Add what answers the reader's own call, which may not wait for the reader."""
        self._told.append(told)
        self._changed.set()

    async def take(self) -> list[Told]:
        """Wait for what is new; empty after a `nudge`."""
        await self._changed.wait()
        return self.take_now()

    def take_now(self) -> list[Told]:
        """Take what is new without waiting."""
        told, self._told = self._told, []
        self._changed.clear()
        self._room.set()
        return told

    def nudge(self) -> None:
        """Make a waiting `take` return."""
        self._changed.set()


class Link(Protocol):
    """A conversation with one session. Frames are those of the chat protocol."""

    @property
    def inbox(self) -> Inbox:
        """What came; begins with `session.opened`."""
        ...

    async def run(self) -> None:
        """Fill the inbox until it is over; the last is then an `Over`. Cancellation: safe."""
        ...

    async def say(self, text: str) -> str:
        """Send a message, and keep it until `settle`; returns its id, by which its frames are known."""
        ...

    def settle(self) -> None:
        """Let go of the message: its answer is over."""
        ...

    async def cancel(self) -> None:
        """Stop the answer."""
        ...

    def leave(self) -> None:
        """Make ready to be closed at once."""
        ...


class ServerLink:
    """A link to a running server, which comes back by itself after the last frame that it had.

    Args:
        url: the server's address, `http` or `https`.
        token: the credential; `None` sends none.
        session_id: `None` opens a new session.
        patience_s: how long to try to come back; `None` for ever.
    Raises:
        SettingsError: that is no address.
    """

    def __init__(self, url: str, *, token: str | None, session_id: str | None, patience_s: float | None) -> None:
        self.inbox = Inbox()
        self._url, self._socket_url = url, socket_url(url)
        self._token, self._session_id, self._patience_s = token, session_id, patience_s
        self._seq = 0
        self._kept: bytes | None = None
        self._cancelling = False
        self._socket: ClientConnection | None = None

    async def run(self) -> None:
        """Connect, read, and connect again until there is no sense in it."""
        attempt, lost_at = 0, 0.0
        loop = asyncio.get_running_loop()
        while True:
            opened, told = await self._once()
            if opened:
                attempt, lost_at = 0, loop.time()
            given_up = self._patience_s is not None and loop.time() - lost_at > self._patience_s
            if isinstance(told, Over) or not lost_at or given_up:
                await self.inbox.put(told if isinstance(told, Over) else Over(message=told.message))
                return
            if opened:
                await self.inbox.put(told)
            await asyncio.sleep(RETRY_S[min(attempt, len(RETRY_S) - 1)])
            attempt += 1

    async def say(self, text: str) -> str:
        """Send a message; one that cannot be sent now is sent when the server is back."""
        request_id = f"terminal-{secrets.token_urlsafe(12)}"
        self._kept = _message(request_id, text)
        await self._send(self._kept)
        return request_id

    def settle(self) -> None:
        """Let go of the message."""
        self._kept, self._cancelling = None, False

    async def cancel(self) -> None:
        """Stop the answer, now or when the server is back."""
        self._cancelling = True
        await self._send(_CANCEL)

    def leave(self) -> None:
        """Make ready to be closed."""

    async def _once(self) -> tuple[bool, Lost | Over]:
        """Hold one connection as long as it lasts; tell whether the session was opened, and how it went."""
        opened = False
        try:
            async with self._connect() as socket:
                first = await self._open(socket)
                if first.type == "error" and first.retryable:
                    return False, Lost(message=first.message)
                if first.type == "error":
                    return False, Over(message=first.message)
                opened, self._session_id = True, first.session_id
                await self.inbox.put(first)
                await self._resume(socket)
                return True, await self._read(socket)
        except ConnectionClosed as error:
            return opened, Lost(message=error.reason or "the connection to the server was lost")
        except TimeoutError:
            return opened, Lost(message=f"the server at {self._url} does not answer")
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error) or type(error).__name__
            message = f"there is no server at {self._url} ({reason}); start one with: duologue serve"
            return opened, Lost(message=message)
        except (InvalidHandshake, msgspec.MsgspecError) as error:
            return opened, Lost(message=f"what answers at {self._url} is no Duologue server ({error})")
        finally:
            self._socket = None

    def _connect(self) -> connect:
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        local = is_loopback(urlsplit(self._url).hostname or "")
        return connect(
            self._socket_url,
            additional_headers=headers,
            compression=None,
            # What is on this machine is never behind the environment's proxy.
            proxy=None if local else True,
            open_timeout=OPEN_S,
            close_timeout=CLOSE_S,
            max_size=FRAME_BYTES,
        )

    async def _open(self, socket: ClientConnection) -> ChatFrame:
        start = {"type": "session.start", "cursor": self._seq}
        if self._session_id is not None:
            start["sessionId"] = self._session_id
        # A server that lets nobody in says why and closes at once: what it said is there to be read all the same.
        with suppress(ConnectionClosed):
            await socket.send(_encode(start).decode())
        async with asyncio.timeout(OPEN_S):
            return _frames.decode(await socket.recv())

    async def _resume(self, socket: ClientConnection) -> None:
        self._socket = socket
        if self._kept is not None:
            await self._send(self._kept)
        if self._cancelling:
            await self._send(_CANCEL)

    async def _read(self, socket: ClientConnection) -> Lost | Over:
        async for data in socket:
            frame = _frames.decode(data)
            if frame.type == "message.repeated" or 0 < frame.sequence <= self._seq:
                continue
            self._seq = frame.sequence or self._seq
            if frame.is_refusal and frame.reason == Code.DRAINING:
                # The message is kept, and sent again to the server that comes after.
                continue
            await self.inbox.put(frame)
            if frame.type == "session.ended":
                return Over(message="")
        return Lost(message=socket.close_reason or "the server has closed the connection")

    async def _send(self, frame: bytes) -> None:
        if self._socket is not None:
            # A lost connection is noticed by `run`, which sends what is kept again.
            with suppress(ConnectionClosed):
                await self._socket.send(frame.decode())


class HubLink:
    """A link to a hub in this process.

    Args:
        hub: running.
        session_id: `None` opens a new session.
    """

    def __init__(self, hub: Hub, *, session_id: str | None) -> None:
        self.inbox = Inbox()
        self._hub, self._dialect = hub, ChatDialect(NOWHERE)
        self._session_id = session_id

    async def run(self) -> None:
        """Follow the session."""
        try:
            live = await self._hub.join(Join(session_id=self._session_id), subject=LOCAL_SUBJECT)
            self._session_id = live.state.session_id
            opened = self._dialect.opened(self._session_id, after=0, last_seq=live.stored_seq)
            await self.inbox.put(_frames.decode(opened))
            cursor = self._hub.follow(live, dialect=self._dialect, after=0)
            async for _, frame in inprocess.frames(cursor):
                await self.inbox.put(_frames.decode(frame))
            failed = "the store failed; look at the messages above, then start again"
            over = failed if cursor.stop == "failed" else ""
        except Refused as refused:
            over = refused.problem.message
        except StoreError as error:
            over = str(error)
        await self.inbox.put(Over(message=over))

    async def say(self, text: str) -> str:
        """Send a message."""
        request_id = f"terminal-{secrets.token_urlsafe(12)}"
        await self._tell(_message(request_id, text), request_id)
        return request_id

    def settle(self) -> None:
        """Nothing is kept: what was taken is stored."""

    async def cancel(self) -> None:
        """Stop the answer."""
        await self._tell(_CANCEL, "")

    def leave(self) -> None:
        """Stop what is running, so that closing does not wait for it."""
        self._hub.runs.stop_all()

    async def _tell(self, frame: bytes, request_id: str) -> None:
        command = self._dialect.decode(frame)
        match command:
            case Problem():
                problem = command
            case Join() | Ack():
                raise AssertionError("the terminal sends neither")
            case _:
                problem = await self._submit(command)
        if problem is not None:
            now_ms = self._hub.clock.now_ms()
            refusal = self._dialect.refuse(problem, request_id=request_id, now_ms=now_ms)
            self.inbox.add(_frames.decode(refusal))

    async def _submit(self, command: Asked) -> Problem | None:
        try:
            live = await self._hub.find(self._session_id or "", subject=LOCAL_SUBJECT)
            reply = await self._hub.submit(live, command)
        except Refused as refused:
            return refused.problem
        except StoreError as error:
            return Problem(code=Code.STORE_FAILED, message=str(error))
        return reply.problem if isinstance(reply, Rejected) else None


def _message(request_id: str, text: str) -> bytes:
    return _encode({"type": "message.send", "requestId": request_id, "text": text})


NOWHERE: Final = "duologue:"
"""Begins the address of a page where no server is there to show it; the terminal leaves it out."""

_CANCEL: Final = _encode({"type": "response.cancel"})


def socket_url(url: str) -> str:
    """Find the address of the chat socket of a server.

    Raises:
        SettingsError: that is no address of a server.
    """
    parts = urlsplit(url)
    scheme = {"http": "ws", "https": "wss"}.get(parts.scheme)
    if scheme is None or not parts.hostname or parts.query or parts.fragment:
        raise SettingsError(f"--url {url}: write it like http://127.0.0.1:8420")
    return urlunsplit((scheme, parts.netloc, parts.path.rstrip("/") + "/chat/ws", "", ""))
