"""WebSocket: a client and a session, joined in any dialect.

The first frame opens the session, unless the address has said which. One task reads, one writes; a reader that the
writer cannot keep up with waits.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TypeAlias

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from duologue.model import limits
from duologue.model.commands import Ack, Decoded, Join, Photo, Refer
from duologue.model.errors import Code, Problem, Refused, StoreError
from duologue.model.inputs import AudioTurnCommitted, UserTurn
from duologue.model.replies import Rejected, Repeated
from duologue.ports.dialect import Dialect
from duologue.runtime.cursor import Cursor, Frame, Stop
from duologue.runtime.hub import Hub
from duologue.runtime.pump import Pump
from duologue.runtime.registry import Admit
from duologue.runtime.tasks import until_first

OUTBOX_FRAMES = 16
"""Answers to the client's own frames that may wait to be written; then its next frame is not read (policy: wait)."""

DECODED_HERE_BYTES = 64 * 1024
"""Frames up to this are decoded on the event loop, in about a ms; a photo takes up to 100 and goes to a thread."""

CLOSING: dict[Stop, tuple[int, str]] = {
    "ended": (1000, "the session has ended"),
    "turn_ended": (1000, "the turn has ended"),
    "failed": (1011, "the store failed; reconnect and resume"),
    "deleted": (1000, "the session was deleted"),
    "draining": (1012, "the server is restarting; reconnect and resume"),
}
"""Close codes. Source: RFC 6455, section 7.4, and its registry."""


Calling: TypeAlias = Callable[[str, str | None], AbstractContextManager[None]]
"""Surrounds the submission of a turn: its session, and its client's id for it, where there is one."""


def _nobody(session_id: str, request_id: str | None) -> AbstractContextManager[None]:
    del session_id, request_id
    return nullcontext()


class SocketTalk:
    """One accepted socket from its first frame to its last.

    Args:
        socket: accepted.
        hub: has the sessions.
        dialect: what the frames mean.
        subject: whose sessions may be opened.
        frame_bytes: largest frame that is taken.
        admit_session: may refuse a new session; see `Registry.obtain`.
        admit_turn: may refuse a turn, before anything is done with it.
        calling: surrounds the submission of a turn.
        pace_ms: how long the frame that came is left waiting; asked again after that, until it says 0 (policy: wait).
        granted: scopes that the person has for tools; `None` for all of them.
    """

    def __init__(
        self,
        socket: WebSocket,
        *,
        hub: Hub,
        dialect: Dialect,
        subject: str,
        frame_bytes: int,
        admit_session: Admit | None = None,
        admit_turn: Callable[[], Problem | None] | None = None,
        calling: Calling = _nobody,
        pace_ms: Callable[[], int] | None = None,
        granted: tuple[str, ...] | None = None,
    ) -> None:
        self._pace_ms, self._granted = pace_ms, granted
        self._admit_session, self._admit_turn, self._calling = admit_session, admit_turn, calling
        self._socket, self._hub, self._dialect, self._subject = socket, hub, dialect, subject
        self._frame_bytes = frame_bytes
        self._outbox: list[bytes] = []
        self._room = asyncio.Event()
        self._sent_seq = 0

    async def run(self, *, session_id: str | None = None, join: Join | None = None) -> None:
        """Talk until either side is done.

        Args:
            session_id: the one session that may be opened; `None` for any.
            join: stands for the first frame of somebody who only looks on; where it is refused, the socket is closed.
        """
        try:
            async with asyncio.timeout(limits.HELLO_MS / 1000):
                cursor = await (self._open(session_id) if join is None else self._join(join, aside=True))
        except TimeoutError:
            await self._socket.close(1008, f"no session was opened within {limits.HELLO_MS // 1000} s")
            return
        except WebSocketDisconnect:
            return
        if cursor is None:
            await self._socket.close(1008, "the session cannot be joined")
            return
        pump = Pump(cursor, write=self._frames_out, nudged=self._flush)
        with cursor:
            await until_first(self._write(cursor, pump), self._read(cursor, pump))

    async def _open(self, bound_to: str | None) -> Cursor:
        """Read frames until one opens a session; what does not is refused."""
        cursor = None
        while cursor is None:
            command = await self._receive()
            match command:
                case Join(session_id=None) if bound_to is not None:
                    command, problem = msgspec.structs.replace(command, session_id=bound_to), None
                case Join():
                    problem = _outside(command, bound_to)
                case Problem():
                    problem = command
                case _:
                    problem = Problem(code=Code.NOT_OPEN, message="open a session with the first frame")
            if problem is None and isinstance(command, Join):
                cursor = await self._join(command)
            elif problem is not None:
                await self._send(self._refusal(problem, ""))
        return cursor

    async def _join(self, join: Join, *, aside: bool = False) -> Cursor | None:
        """Join a session, or refuse to."""
        try:
            session = await self._hub.join(join, subject=self._subject, admit=self._admit_session)
        except Refused as refused:
            problem = refused.problem
        except StoreError as error:
            problem = Problem(code=Code.STORE_FAILED, message=str(error))
        else:
            session_id = session.state.session_id
            opened = self._dialect.opened(session_id, after=join.after, last_seq=session.stored_seq)
            if opened is not None:
                await self._send(opened)
            self._sent_seq = join.after
            return self._hub.follow(session, dialect=self._dialect, after=join.after, aside=aside)
        await self._send(self._refusal(problem, ""))
        return None

    async def _receive(self) -> Decoded:
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1005))
        # The bucket is shared with other sockets, which nobody could wake in a fair order.
        while self._pace_ms is not None and (wait_ms := self._pace_ms()):  # noqa: ASYNC110
            await asyncio.sleep(wait_ms / 1000)
        text = message.get("text")
        if text is None:
            return Problem(code=Code.BINARY_FRAME, message="binary frames are not taken here; send JSON as text")
        frame = text.encode("utf-8", "replace")
        if len(frame) > self._frame_bytes:
            return Problem(
                code=Code.TOO_LARGE,
                message=f"the frame has {len(frame)} bytes; at most {self._frame_bytes} are taken",
                limit=self._frame_bytes,
            )
        if len(frame) > DECODED_HERE_BYTES:
            return await asyncio.to_thread(self._dialect.decode, frame)
        return self._dialect.decode(frame)

    async def _read(self, cursor: Cursor, pump: Pump) -> None:
        while True:
            try:
                command = await self._receive()
            except WebSocketDisconnect:
                return
            answer = await self._obey(cursor, command)
            if answer is not None:
                self._outbox.append(answer)
                pump.nudge()
            while len(self._outbox) >= OUTBOX_FRAMES:
                self._room.clear()
                await self._room.wait()

    async def _obey(self, cursor: Cursor, command: Decoded) -> bytes | None:
        request_id = _request_id(command)
        match command:
            case Problem():
                return self._refusal(command, request_id)
            case Join():
                problem = Problem(code=Code.ALREADY_OPEN, message="a session is open on this connection already")
                return self._refusal(problem, request_id)
            case Ack(seq=seq):
                if seq <= self._sent_seq:
                    return None
                message = f"sequence {seq} was not sent yet; the last one is {self._sent_seq}"
                return self._refusal(Problem(code=Code.ACK_AHEAD, message=message, limit=self._sent_seq), request_id)
            case UserTurn() | Photo() | Refer() | AudioTurnCommitted():
                problem = self._admit_turn() if self._admit_turn is not None else None
                if problem is not None:
                    return self._refusal(problem, request_id)
            case _:
                pass
        try:
            with self._calling(cursor.session.state.session_id, request_id or None):
                reply = await self._hub.submit(
                    cursor.session, command, protocol=self._dialect.name, granted=self._granted
                )
        except StoreError as error:
            return self._refusal(Problem(code=Code.STORE_FAILED, message=str(error)), request_id)
        match reply:
            case Rejected(problem=problem):
                return self._refusal(problem, request_id)
            case Repeated():
                return self._dialect.repeated(reply, request_id=request_id)
            case _:
                return None

    async def _write(self, cursor: Cursor, pump: Pump) -> None:
        try:
            await pump.run()
        except (WebSocketDisconnect, OSError):
            return
        except StoreError:
            cursor.stop = "failed"
        await self._flush()
        await self._socket.close(*CLOSING[cursor.stop or "failed"])

    async def _frames_out(self, frames: list[Frame]) -> None:
        send = self._socket.send
        for seq, frame in frames:
            await send({"type": "websocket.send", "text": frame.decode()})
            self._sent_seq = seq

    async def _flush(self) -> None:
        outbox, self._outbox = self._outbox, []
        for frame in outbox:
            await self._send(frame)
        self._room.set()

    async def _send(self, frame: bytes) -> None:
        await self._socket.send({"type": "websocket.send", "text": frame.decode()})

    def _refusal(self, problem: Problem, request_id: str) -> bytes:
        return self._dialect.refuse(problem, request_id=request_id, now_ms=self._hub.clock.now_ms())


def _outside(join: Join, bound_to: str | None) -> Problem | None:
    if bound_to is None or join.session_id == bound_to:
        return None
    return Problem(code=Code.FORBIDDEN, message="this token is for another session")


def _request_id(command: Decoded) -> str:
    match command:
        case UserTurn(request_id=request_id):
            return request_id or ""
        case Photo(turn=turn) | Refer(turn=turn):
            return turn.request_id or ""
        case _:
            return ""
