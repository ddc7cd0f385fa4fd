"""One socket that carries a call. Source of the messages: `protocols/audio/wire.py`.

One task reads and one writes (`outgoing.py`). What is read goes to the call at once.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias, TypeVar, assert_never

import msgspec
from msgspec import UNSET, UnsetType
from starlette.websockets import WebSocket, WebSocketDisconnect

from duologue.model import limits
from duologue.model.errors import Code, Problem, Refused, SpeechError, StoreError
from duologue.model.inputs import AudioTurnCancelled, AudioTurnCommitted, AudioTurnInput, AudioTurnStarted
from duologue.model.replies import Rejected, Reply
from duologue.protocols import audio
from duologue.protocols.audio import wire
from duologue.runtime.session import LiveSession
from duologue.runtime.voice.call import Call
from duologue.runtime.voice.calls import Calls
from duologue.transports.audio.formats import Reader, reader, writer
from duologue.transports.audio.outgoing import LEAD_MS, NORMAL, Outgoing

T = TypeVar("T")

GOING_AWAY: Final = 1001

JoinSession: TypeAlias = Callable[[str | None, str | None], Awaitable[LiveSession]]
"""Joins a session by id and language, `None` for a new one and for the usual one. Raises `Refused`, `StoreError`."""

Submit: TypeAlias = Callable[[LiveSession, AudioTurnInput], Awaitable[Reply]]
"""Takes a client's audio turns, as `Hub.submit`."""


class AudioSocket:
    """One accepted socket, from `start` to its end; the `Link` of its call.

    Args:
        socket: accepted.
        calls: opens the call.
        join: joins the session that the client names.
        submit: takes the client's audio turns.
        pace_ms: how long a text message that came is left waiting; asked again until it says 0 (policy: wait).
    """

    def __init__(
        self, socket: WebSocket, *, calls: Calls, join: JoinSession, submit: Submit, pace_ms: Callable[[], int]
    ) -> None:
        self._socket, self._calls, self._join, self._submit = socket, calls, join, submit
        self._pace_ms = pace_ms
        self._start = wire.Start()
        self._reader: Reader | None = None
        self._turn = 0
        self._out = Outgoing(socket)

    # --- the call's link

    @property
    def lead_ms(self) -> int:
        """How far ahead of the person's ear sound is sent."""
        return LEAD_MS

    @property
    def tells(self) -> bool:
        """Whether the client tells how much it has played."""
        return self._start.playback

    def wake(self) -> None:
        """Look at the playout again."""
        self._out.stir()

    def begun(self, response_id: str) -> None:
        """What follows is of this answer."""
        if self._out.writer is not None:
            self._out.writer.reset()
        self._out.say(wire.Speech(response_id=response_id))

    def cleared(self, response_id: str) -> None:
        """Have the client drop what it holds."""
        self._out.say(wire.Clear(response_id=response_id))

    def paused(self, response_id: str) -> None:
        """Have the client stand still."""
        self._out.say(wire.Pause(response_id=response_id))

    def resumed(self, response_id: str) -> None:
        """Have the client go on."""
        self._out.say(wire.Resume(response_id=response_id))

    def hung_up(self, reason: str, message: str) -> None:
        """Tell why the call is over, and close."""
        self._out.close(reason, message)

    # --- the socket

    async def run(self, *, session_id: str | None = None) -> None:
        """Carry one call.

        Args:
            session_id: the one session that may be joined; `None` for any.
        """
        async with asyncio.TaskGroup() as group:
            writing = group.create_task(self._out.run(), name="write call")
            try:
                async with asyncio.timeout(limits.HELLO_MS / 1000):
                    session = await self._open(session_id)
                await self._hold(session, group)
            except TimeoutError:
                self.hung_up("no_start", f"no call was started within {limits.HELLO_MS // 1000} s")
            except Refused as refused:
                self._out.refuse(refused.problem)
                self.hung_up(refused.problem.code, refused.problem.message)
            except WebSocketDisconnect:
                self.hung_up("hung_up", "")
            # What was said last is written; a client that does not read is not waited for.
            await asyncio.wait([writing], timeout=limits.CANCEL_MS / 1000)
            writing.cancel()

    async def _hold(self, session: LiveSession, group: asyncio.TaskGroup) -> None:
        reading: list[asyncio.Task[None]] = []

        def begun(call: Call) -> None:
            self._out.call = call
            self._out.say(
                wire.Ready(
                    session_id=session.state.session_id,
                    call_id=call.call_id,
                    turns=call.rules.mode,
                    input=_told(self._start.input),
                    output=_told(self._start.output),
                    lead_ms=LEAD_MS,
                )
            )
            reading.append(group.create_task(self._read(call), name="read call"))

        try:
            await self._calls.hold(session, self, begun, mode=_given(self._start.turns))
        finally:
            self._out.call = None
            for task in reading:
                task.cancel()

    async def _open(self, bound_to: str | None) -> LiveSession:
        """Read messages until one starts a call; what does not is refused."""
        while True:
            message = await self._receive()
            if isinstance(message, bytes):
                problem = Problem(code=Code.NOT_OPEN, message="send `start` before any sound")
            else:
                match audio.decode(message.encode("utf-8", "replace")):
                    case Problem() as problem:
                        pass
                    case wire.Start() as start:
                        problem = self._prepare(start)
                        if problem is None:
                            return await self._joined(start, bound_to)
                    case _:
                        problem = Problem(code=Code.NOT_OPEN, message="the first message has to be `start`")
            await self._out.refuse_in_turn(problem)

    def _prepare(self, start: wire.Start) -> Problem | None:
        try:
            self._reader, self._out.writer = reader(start.input), writer(start.output)
        except SpeechError as error:
            return Problem(code=Code.UNSUPPORTED, message=str(error), path="$.input")
        self._start = start
        return None

    async def _joined(self, start: wire.Start, bound_to: str | None) -> LiveSession:
        session_id = _given(start.session_id) or bound_to
        if bound_to is not None and session_id != bound_to:
            raise Refused(Problem(code=Code.FORBIDDEN, message="this token is for another session"))
        try:
            return await self._join(session_id, _given(start.language))
        except StoreError as error:
            raise Refused(Problem(code=Code.STORE_FAILED, message=str(error))) from error

    async def _receive(self) -> bytes | str:
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", GOING_AWAY))
        data: bytes | None = message.get("bytes")
        if data is not None:
            return data
        # Sound has its own bound; words are paced as on other sockets, whose bucket nobody could wake in a fair order.
        while wait_ms := self._pace_ms():  # noqa: ASYNC110
            await asyncio.sleep(wait_ms / 1000)
        text: str = message["text"]
        return text

    async def _read(self, call: Call) -> None:
        while True:
            try:
                message = await self._receive()
            except WebSocketDisconnect as left:
                call.hang_up("hung_up" if left.code in (NORMAL, GOING_AWAY) else "lost")
                return
            problem = self._hear(call, message) if isinstance(message, bytes) else await self._obey(call, message)
            if problem is not None:
                await self._out.refuse_in_turn(problem)

    def _hear(self, call: Call, message: bytes) -> Problem | None:
        assert self._reader is not None, "the call was started"
        try:
            pcm = self._reader.decode(message)
        except ValueError as error:
            return Problem(code=Code.BAD_MESSAGE, message=str(error))
        call.hear(pcm)
        return None

    async def _obey(self, call: Call, text: str) -> Problem | None:
        message = audio.decode(text.encode("utf-8", "replace"))
        match message:
            case Problem():
                return message
            case wire.Start():
                return Problem(code=Code.ALREADY_OPEN, message="a call is on already; hang up and start another")
            case wire.Playback(response_id=response_id, played_ms=played_ms):
                return self._played(call, response_id, played_ms)
            case wire.ClientHangUp(reason=reason):
                call.hang_up("hung_up", reason)
                return None
            case wire.TurnStart(turn=turn):
                self._turn = _given(turn) or call.session.state.last_turn + 1
                return await self._take(call, AudioTurnStarted(turn=self._turn))
            case wire.TurnCommit(turn=turn):
                return await self._take(call, AudioTurnCommitted(turn=_given(turn) or self._turn))
            case wire.TurnCancel(turn=turn):
                return await self._take(call, AudioTurnCancelled(turn=_given(turn) or self._turn))
            case _:
                assert_never(message)

    def _played(self, call: Call, response_id: str, played_ms: int) -> Problem | None:
        if not self._start.playback:
            message = "this call's playback is taken from the clock; say `playback: true` in `start` to tell it"
            return Problem(code=Code.BAD_MESSAGE, message=message)
        if call.played(response_id, played_ms):
            return None
        sound = call.playout.sound
        sent_ms = 0 if sound is None else sound.sent_ms
        message = f"{played_ms} ms cannot have been played: it falls, or is above the {sent_ms} ms that were sent"
        return Problem(code=Code.BAD_MESSAGE, message=message, path="$.playedMs", limit=sent_ms)

    async def _take(self, call: Call, happened: AudioTurnInput) -> Problem | None:
        try:
            reply = await self._submit(call.session, happened)
        except StoreError as error:
            return Problem(code=Code.STORE_FAILED, message=str(error))
        return reply.problem if isinstance(reply, Rejected) else None


def _told(asked: wire.Format) -> wire.Format:
    return msgspec.structs.replace(asked, rate_hz=asked.hz)


def _given(value: T | UnsetType) -> T | None:
    return None if value is UNSET else value
