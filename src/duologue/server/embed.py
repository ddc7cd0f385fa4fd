"""Duologue without a server: a program holds conversations in process, in the ghost protocol's words."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Mapping
from contextlib import AbstractContextManager, aclosing, contextmanager, nullcontext
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeAlias

import msgspec

from duologue.adapters.agent_knowledge import KnowledgeAgent
from duologue.adapters.agent_python import Answer, Image, Said, Turn
from duologue.model import limits
from duologue.model.base import Value
from duologue.model.commands import Ack, Command, Join
from duologue.model.errors import Code, DuologueError, Problem, Refused, StoreError
from duologue.model.events import State
from duologue.model.inputs import UserTurn
from duologue.model.replies import Accepted, Ignored, Rejected, Repeated
from duologue.ports.agent import Agent
from duologue.ports.tool import Tool
from duologue.protocols.ghost import GhostDialect
from duologue.runtime.cursor import Cursor, Frame, Stop
from duologue.runtime.hub import Hub
from duologue.server.auth import LOCAL_SUBJECT
from duologue.server.parts import as_agent, make_parts
from duologue.server.settings import Settings
from duologue.server.telemetry import Telemetry
from duologue.transports import inprocess

__all__ = [
    "Agent",
    "Answer",
    "Code",
    "Ghost",
    "GhostError",
    "GhostEvent",
    "GhostSession",
    "Image",
    "Said",
    "Turn",
]


class GhostError(DuologueError):
    """Something was refused, or the store failed.

    Attributes:
        code: stable, for programs.
        message: for people: what was wrong and what to do next.
        retryable: the same call may succeed later.
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.code}: {problem.message}")
        self.code = problem.code
        self.message = problem.message
        self.retryable = problem.retryable


class GhostEvent(Value, kw_only=True):
    """One event, as the contract names it.

    Attributes:
        type: `agent.ready`, `turn.token` and so on; ours begin with `ghost.`.
        sequence: number in the session; the next `session(after=...)` goes on after it.
        timestamp: ms since 1970.
        state: of the six-state machine, after the event.
        payload: by the contract's names.
        frame: the bytes that `WS /ghost` sends for it.
    """

    type: str
    sequence: int
    timestamp: int
    state: State
    # JSON whose members depend on the type; the agent's own where it is a rich payload.
    payload: dict[str, Any]
    frame: bytes = b""


OnEvent: TypeAlias = Callable[[GhostEvent], object]

_DIALECT: Final = GhostDialect()
_events: Final = msgspec.json.Decoder(GhostEvent)


class Ghost:
    """Holds conversations in this process; an async context manager.

    Leaving lets running answers finish, within `settings.server.drain_ms`, and stops them where the block
    ends with an exception. What a callback raises ends the block and is raised there.

    Args:
        agent: an async generator function that takes a `Turn`, or any `Agent`; `None` answers from Duologue's
            own docs, or as `settings` say.
        data: folder of the journals, which no server may have open; `None` forgets all at the end.
        settings: everything else; the defaults where not given.
        subject: the person whose sessions these are.
        tools: that the agent may have run, besides those in its own module; see `duologue.tool`.
    Raises:
        SettingsError: the agent of the settings is not there.
        TypeError: the agent is neither a fitting function nor an `Agent`.
        StoreError: on entering: the folder is locked by another process, damaged or cannot be written.
    """

    def __init__(
        self,
        agent: Answer | Agent | None = None,
        *,
        data: Path | str | None = None,
        settings: Settings | None = None,
        subject: str = LOCAL_SUBJECT,
        tools: Iterable[Tool] = (),
    ) -> None:
        self._settings = settings or Settings()
        self._tools = tuple(tools)
        self._agent = as_agent(agent, self._settings)
        self._owned = self._agent if agent is None and isinstance(self._agent, KnowledgeAgent) else None
        self._data = data
        self._subject = subject
        self._group = asyncio.TaskGroup()
        self._callers: set[asyncio.Task[None]] = set()
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._hub: Hub | None = None
        self._telemetry: Telemetry | None = None

    async def __aenter__(self) -> Self:
        if self._data is None:
            self._folder = tempfile.TemporaryDirectory(prefix="duologue-", ignore_cleanup_errors=True)
        folder = str(self._data) if self._folder is None else self._folder.name
        server = msgspec.structs.replace(self._settings.server, data=folder)
        settings = msgspec.structs.replace(self._settings, server=server)
        parts = make_parts(settings, agent=self._agent, tools=self._tools)
        hub, self._telemetry = parts.hub, parts.telemetry
        try:
            await hub.__aenter__()
        except BaseException:
            await self._let_go()
            raise
        self._hub = hub
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        hub, self._hub = self._hub, None
        assert hub is not None, "it was entered"
        # Groups are left as if nothing was raised: what the block raises goes on as it is, not in a group.
        try:
            if kind is not None:
                hub.runs.stop_all()
            await hub.drain()
            if self._callers:
                patience_ms = max(hub.settings.drain_ms, limits.CANCEL_MS)
                await asyncio.wait(self._callers, timeout=patience_ms / 1000)
            for caller in list(self._callers):
                caller.cancel()
            await self._group.__aexit__(None, None, None)
        except BaseExceptionGroup as group:
            first, *others = group.exceptions
            raise (group if others else first) from None
        finally:
            try:
                await hub.__aexit__(None, None, None)
            finally:
                await self._let_go()

    async def session(
        self,
        session_id: str | None = None,
        *,
        after: int = 0,
        language: str | None = None,
        on_event: OnEvent | None = None,
    ) -> "GhostSession":
        """Open a session, or join one that exists.

        Args:
            session_id: `None` makes a new one.
            after: the last sequence that the caller has; 0 for nothing.
            language: BCP 47 tag of a new session.
            on_event: called with every event after `after`, in order, on the event loop's thread.
        Raises:
            GhostError: it is somebody else's, or `after` does not exist or was trimmed.
        """
        session = await open_session(
            self._entered(),
            session_id,
            subject=self._subject,
            after=after,
            language=language,
            telemetry=self._telemetry,
        )
        if on_event is not None:
            caller = self._group.create_task(session.call(on_event), name=f"events {session.id}")
            self._callers.add(caller)
            caller.add_done_callback(self._callers.discard)
        return session

    async def _let_go(self) -> None:
        if self._owned is not None:
            await self._owned.close()
        if self._folder is not None:
            await asyncio.to_thread(self._folder.cleanup)
            self._folder = None

    def _entered(self) -> Hub:
        if self._hub is None:
            raise RuntimeError("use it inside `async with Ghost(...) as ghost:`")
        return self._hub


class GhostSession:
    """One conversation; made by `Ghost.session`.

    Attributes:
        id: its id, to join it again.
    """

    def __init__(
        self, hub: Hub, session_id: str, *, subject: str, after: int, telemetry: Telemetry | None = None
    ) -> None:
        self.id = session_id
        self._hub, self._subject, self._after, self._telemetry = hub, subject, after, telemetry

    async def say(
        self, text: str, *, turn_id: str | None = None, language: str | None = None
    ) -> AsyncGenerator[GhostEvent, None]:
        """Say something, and iterate over the events of this turn until its end.

        The turn goes on when the iteration is left; `cancel` stops it. With the id and the text of an earlier
        turn nothing is said: that turn's events are shown again.

        Args:
            text: what the person wrote.
            turn_id: the caller's id for it, by which a repeat is recognised.
            language: BCP 47 tag; `None` keeps the session's.
        Raises:
            GhostError: it was refused, or the store failed.
        """
        reply = await self._tell("user_sends_text", text=text, turn_id=turn_id, language=language)
        assert not isinstance(reply, Ignored), "a turn is never ignored"
        async for event in self._follow(after=reply.seq - 1, only_turn=reply.turn):
            yield event

    async def events(self, *, after: int | None = None) -> AsyncGenerator[GhostEvent, None]:
        """Iterate over all events, until the session ends or the `Ghost` is left.

        Args:
            after: begin behind this sequence; `None` as the session was opened.
        Raises:
            GhostError: `after` was trimmed or does not exist, or the store failed.
        """
        async for event in self._follow(after=self._after if after is None else after, only_turn=None):
            yield event

    async def trigger(self, name: str, **fields: object) -> bool:
        """Send a client message of the contract, such as `user_activates_mic` or `stt_complete` with `text`.

        Args:
            name: the message's type.
            fields: its other members.
        Returns:
            False where it came too late to change anything.
        Raises:
            GhostError: it is unknown, badly shaped or not possible now.
        """
        return not isinstance(await self._tell(name, **fields), Ignored)

    async def send(self, text: str, *, turn_id: str | None = None) -> int:
        """Say something without waiting for the answer; returns the turn's number. Raises as `say`."""
        reply = await self._tell("user_sends_text", text=text, turn_id=turn_id)
        assert not isinstance(reply, Ignored), "a turn is never ignored"
        return reply.turn

    async def cancel(self) -> bool:
        """Stop the answer; false where none is running."""
        return await self.trigger("cancel")

    async def end(self) -> None:
        """End the session; nothing can be said in it any more."""
        await self.trigger("session.end")

    async def call(self, on_event: OnEvent) -> None:
        """Call back for each event, until the session ends or the `Ghost` is left."""
        cursor = await self._cursor(after=self._after, only_turn=None)
        with _told():
            await inprocess.call(cursor, lambda frame: on_event(_event(frame)))
        _check(cursor.stop)

    async def _follow(self, *, after: int, only_turn: int | None) -> AsyncGenerator[GhostEvent, None]:
        cursor = await self._cursor(after=after, only_turn=only_turn)
        with _told():
            async with aclosing(inprocess.frames(cursor)) as frames:
                async for frame in frames:
                    yield _event(frame)
        _check(cursor.stop, whole_turn=only_turn is not None)

    async def _cursor(self, *, after: int, only_turn: int | None) -> Cursor:
        with _told():
            live = await self._hub.join(Join(session_id=self.id, after=after), subject=self._subject)
        return self._hub.follow(live, dialect=_DIALECT, after=after, only_turn=only_turn)

    async def _tell(self, name: str, **fields: object) -> Accepted | Repeated | Ignored:
        command = _read(name, fields)
        if isinstance(command, Join | Ack):
            raise GhostError(Problem(code=Code.ALREADY_OPEN, message="the session is open already"))
        with _told():
            live = await self._hub.find(self.id, subject=self._subject)
            with self._calling(command):
                reply = await self._hub.submit(live, command, protocol=_DIALECT.name)
        match reply:
            case Rejected(problem=problem):
                raise GhostError(problem)
            case _:
                return reply

    def _calling(self, command: Command) -> AbstractContextManager[None]:
        """A turn is part of the trace in which it is said."""
        if self._telemetry is None or not isinstance(command, UserTurn):
            return nullcontext()
        return self._telemetry.here(self.id, command.request_id)


async def open_session(
    hub: Hub,
    session_id: str | None,
    *,
    subject: str,
    after: int = 0,
    language: str | None = None,
    telemetry: Telemetry | None = None,
) -> GhostSession:
    """Open a session of a hub, or join one that exists; see `Ghost.session`.

    Raises:
        GhostError: it is somebody else's, or `after` does not exist or was trimmed.
    """
    join = _read("session.open", {"session_id": session_id, "after": after, "language": language})
    assert isinstance(join, Join), "it opens a session"
    with _told():
        live = await hub.join(join, subject=subject)
    return GhostSession(hub, live.state.session_id, subject=subject, after=after, telemetry=telemetry)


@contextmanager
def _told() -> Generator[None, None, None]:
    """Raise the runtime's refusals in the words of this module."""
    try:
        yield
    except Refused as refused:
        raise GhostError(refused.problem) from refused
    except StoreError as error:
        raise GhostError(Problem(code=Code.STORE_FAILED, message=str(error))) from error


def _read(name: str, fields: Mapping[str, object]) -> Command:
    """Read a client message as `WS /ghost` would."""
    given = {member: value for member, value in fields.items() if value is not None}
    try:
        frame = msgspec.json.encode({"type": name} | given)
    except (TypeError, ValueError) as error:
        raise GhostError(Problem(code=Code.BAD_JSON, message=f"{name} is no JSON: {error}")) from error
    command = _DIALECT.decode(frame)
    if isinstance(command, Problem):
        raise GhostError(command)
    return command


def _event(frame: Frame) -> GhostEvent:
    data = frame[1]
    return msgspec.structs.replace(_events.decode(data), frame=data)


def _check(stop: Stop | None, *, whole_turn: bool = False) -> None:
    """Raise where following has stopped too early."""
    if stop == "failed":
        message = "the store failed; open the session again after the last sequence that came"
        raise GhostError(Problem(code=Code.STORE_FAILED, message=message))
    if stop == "draining" and whole_turn:
        message = "the Ghost was left before the answer was finished"
        raise GhostError(Problem(code=Code.DRAINING, message=message))
