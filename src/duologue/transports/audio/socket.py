"""One socket that carries a call. Source of the messages: `protocols/audio/wire.py`.

One task reads and one writes. What is read goes to the call at once; what is written is taken from the call's playout
when it is due, and messages overtake it.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias, TypeVar, assert_never

import msgspec
from msgspec import UNSET, UnsetType
from starlette.websockets import WebSocket, WebSocketDisconnect

from duologue.model import limits
from duologue.model.audio import FRAME_MS
from duologue.model.errors import Code, Problem, Refused, SpeechError, StoreError
from duologue.model.inputs import AudioTurnCancelled, AudioTurnCommitted, AudioTurnInput, AudioTurnStarted
from duologue.model.replies import Rejected, Reply
from duologue.protocols import audio
from duologue.protocols.audio import wire
from duologue.runtime.session import LiveSession
from duologue.runtime.voice.call import Call, Ending
from duologue.runtime.voice.calls import Calls
from duologue.transports.audio.formats import Reader, Writer, reader, writer

T = TypeVar("T")

LEAD_MS: Final = 200
"""How far ahead sound is sent: a busy page or a hiccup of the network that is shorter is not heard."""

TOGETHER: Final = 3
"""Frames that are sent at a time while an answer plays: 60 ms; a third of the wake-ups of each alone."""

MOST: Final = LEAD_MS // FRAME_MS + TOGETHER
"""Frames that are taken at once: what the lead lets be sent at the beginning, or after a gap."""

ANSWERS: Final = 16
"""Messages that may wait to be written before the client's next one is read (policy: wait)."""

WAITING: Final = 256
"""Messages that may wait to be written in all: whose client reads none of so many is gone (policy: hang up)."""

CLOSE: Final = {"draining": 1012, "store_failed": 1011, "failed": 1011, "recogniser_failed": 1011}
"""Close codes by reason; 1000 for others. Source: RFC 6455, section 7.4, and its registry."""

NORMAL: Final = 1000
GOING_AWAY: Final = 1001
POLICY_VIOLATION: Final = 1008

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
        self._writer: Writer | None = None
        self._call: Call | None = None
        self._turn = 0
        self._words: deque[str] = deque()
        self._stirred, self._room = asyncio.Event(), asyncio.Event()
        self._ending: Ending | None = None
        self._told_sent = ""
        self._loop = asyncio.get_running_loop()

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
        self._stirred.set()

    def begun(self, response_id: str) -> None:
        """What follows is of this answer."""
        if self._writer is not None:
            self._writer.reset()
        self._say(wire.Speech(response_id=response_id))

    def cleared(self, response_id: str) -> None:
        """Have the client drop what it holds."""
        self._say(wire.Clear(response_id=response_id))

    def paused(self, response_id: str) -> None:
        """Have the client stand still."""
        self._say(wire.Pause(response_id=response_id))

    def resumed(self, response_id: str) -> None:
        """Have the client go on."""
        self._say(wire.Resume(response_id=response_id))

    def hung_up(self, reason: str, message: str) -> None:
        """Tell why the call is over, and close."""
        if self._ending is None:
            self._say(wire.HangUp(reason=reason, message=message))
            self._ending = Ending(reason, message)

    # --- the socket

    async def run(self, *, session_id: str | None = None) -> None:
        """Carry one call.

        Args:
            session_id: the one session that may be joined; `None` for any.
        """
        async with asyncio.TaskGroup() as group:
            writing = group.create_task(self._write(), name="write call")
            try:
                async with asyncio.timeout(limits.HELLO_MS / 1000):
                    session = await self._open(session_id)
                await self._hold(session, group)
            except TimeoutError:
                self.hung_up("no_start", f"no call was started within {limits.HELLO_MS // 1000} s")
            except Refused as refused:
                self._refuse(refused.problem)
                self.hung_up(refused.problem.code, refused.problem.message)
            except WebSocketDisconnect:
                self.hung_up("hung_up", "")
            # What was said last is written; a client that does not read is not waited for.
            await asyncio.wait([writing], timeout=limits.CANCEL_MS / 1000)
            writing.cancel()

    async def _hold(self, session: LiveSession, group: asyncio.TaskGroup) -> None:
        reading: list[asyncio.Task[None]] = []

        def begun(call: Call) -> None:
            self._call = call
            self._say(
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
            self._call = None
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
            await self._refuse_in_turn(problem)

    def _prepare(self, start: wire.Start) -> Problem | None:
        try:
            self._reader, self._writer = reader(start.input), writer(start.output)
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
                await self._refuse_in_turn(problem)

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

    # --- writing

    async def _write(self) -> None:
        try:
            while True:
                self._stirred.clear()
                await self._write_words()
                if self._ending is not None:
                    reason = self._ending.reason
                    await self._socket.close(CLOSE.get(reason, NORMAL), reason)
                    return
                wait_s = await self._send_due()
                if self._words or wait_s == 0.0:
                    continue
                timer = None if wait_s is None else self._loop.call_later(wait_s, self._stirred.set)
                await self._stirred.wait()
                if timer is not None:
                    timer.cancel()
        except (WebSocketDisconnect, OSError, RuntimeError):
            # The client is gone; reading says so as well, unless it was never begun.
            if self._call is not None:
                self._call.hang_up("lost")

    async def _write_words(self) -> None:
        while self._words:
            await self._socket.send({"type": "websocket.send", "text": self._words.popleft()})
        self._room.set()

    async def _send_due(self) -> float | None:
        """Send the sound that is due; returns how long until more is, in s, as `Playout.wait_s`."""
        call, writer = self._call, self._writer
        if call is None or writer is None:
            return None
        playout = call.playout
        wait_s = playout.wait_s(frames=TOGETHER)
        if wait_s == 0.0:
            sound = playout.sound
            for message in writer.encode(playout.due(most=MOST)):
                await self._write_words()
                # What was said may have been to drop it.
                if playout.sound is not sound:
                    return 0.0
                await self._socket.send({"type": "websocket.send", "bytes": message})
            wait_s = playout.wait_s(frames=TOGETHER)
        sound = playout.sound
        if sound is not None and sound.whole and not sound.sendable and self._told_sent != sound.response_id:
            self._told_sent = sound.response_id
            self._say(wire.SpeechSent(response_id=sound.response_id, duration_ms=sound.made_ms))
        return wait_s

    def _say(self, message: wire.ServerMessage) -> None:
        if self._ending is not None:
            return
        self._words.append(audio.encode(message))
        self._stirred.set()
        if len(self._words) > WAITING and self._call is not None:
            self._call.hang_up("lost")

    def _refuse(self, problem: Problem) -> None:
        self._words.append(audio.refused(problem))
        self._stirred.set()

    async def _refuse_in_turn(self, problem: Problem) -> None:
        """Refuse something; whoever does not read refusals is not read either."""
        self._refuse(problem)
        while len(self._words) >= ANSWERS:
            self._room.clear()
            await self._room.wait()


def _told(asked: wire.Format) -> wire.Format:
    return msgspec.structs.replace(asked, rate_hz=asked.hz)


def _given(value: T | UnsetType) -> T | None:
    return None if value is UNSET else value
