"""Running a recorded session again: the real engine, hub and relay, a store in memory, and virtual time."""

import asyncio
import inspect
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, get_args

import msgspec

from duologue.engine.replay import snapshot
from duologue.model.errors import DuologueError, StoreError
from duologue.model.events import AnyEvent, TurnAccepted, TurnEnded
from duologue.model.inputs import (
    AgentInput,
    AgentRequested,
    AnyInput,
    ComplexityJudged,
    DeadlinePassed,
    HistoryDropped,
    MemoryInput,
    ServerRestarted,
    SessionOpened,
    ToolReported,
)
from duologue.model.records import Record, decode_records
from duologue.model.replies import Accepted
from duologue.ports.agent import Agent
from duologue.runtime.events_log import EventLog
from duologue.runtime.hub import Hub
from duologue.runtime.hub_settings import HubSettings
from duologue.runtime.portable import mark_of
from duologue.runtime.session import LiveSession
from duologue.server.replay.others import stand_in
from duologue.server.replay.recorded import Recorded
from duologue.server.replay.tape import TapeAgent
from duologue.testing.memory_store import MemoryStore
from duologue.testing.virtual_time import VirtualClock, VirtualLoop

PATIENCE_S: Final = 60.0
"""How long, in virtual time, a recorded step may take to show before the rerun has left the recording."""

FOREVER_MS: Final = 2**53
"""Longer than any recording: nothing is unloaded meanwhile."""


MACHINES: Final = (
    *get_args(AgentInput),
    *get_args(MemoryInput),
    ComplexityJudged,
    ToolReported,
    DeadlinePassed,
    ServerRestarted,
    HistoryDropped,
)
"""What nobody did: it belongs to the answers that were given then."""


class RerunError(DuologueError):
    """The session could not be run again; the message says where it stopped."""


class Rerun(NamedTuple):
    """What came of it.

    Attributes:
        lines: the records, from the first that was stepped again.
        became: for a recorded turn that was not taken, or under another number, that number; 0 for none.
    """

    events: tuple[AnyEvent, ...]
    lines: tuple[bytes, ...]
    became: dict[int, int]


class Player:
    """Plays one recording into a hub.

    Args:
        recorded: what was recorded.
        make_agent: makes the agent that answers instead of the recorded one; `None` says what was said.
        log: where the hub says what happened to it.
    """

    def __init__(self, recorded: Recorded, *, make_agent: Callable[[], Agent] | None, log: EventLog) -> None:
        self._recorded, self._make_agent, self._log = recorded, make_agent, log

    def play(self) -> Rerun:
        """Run it, on a virtual loop of its own.

        Raises:
            RerunError: it cannot be run again.
        """
        # Made outside of the loop, as a server does: an agent's module may run one of its own while it is imported.
        tape = TapeAgent(self._recorded.header.info.mark.agent)
        agent = tape if self._make_agent is None else self._make_agent()
        loop = VirtualLoop()
        steps = [record for _, record in self._recorded.steps()]
        clock = VirtualClock(loop, start_ms=steps[0].at_ms if steps else 0)
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            return runner.run(self._play(clock, steps, agent))

    async def _play(self, clock: VirtualClock, steps: list[Record], agent: Agent) -> Rerun:
        recorded = self._recorded
        store = MemoryStore()
        await store.open()
        await self._prepare(store)
        became: dict[int, int] = {}
        settings = HubSettings(idle_unload_ms=FOREVER_MS, drain_ms=0)
        try:
            async with Hub(store=store, agent=agent, clock=clock, log=self._log, settings=settings) as hub:
                stand_in(hub)
                if isinstance(agent, TapeAgent):
                    await self._exactly(hub, clock, steps, agent)
                else:
                    became = await self._freely(hub, clock, steps)
                lines = await store.read(recorded.session_id, after=recorded.begins_after, limit=FOREVER_MS)
        except StoreError as error:
            raise RerunError(f"{recorded.name}: {error}") from error
        finally:
            await _close(agent)
        kept = tuple(lines.splitlines(keepends=True))
        events = tuple(event for record in decode_records(lines) for event in record.events)
        return Rerun(events, kept, became)

    async def _prepare(self, store: MemoryStore) -> None:
        """Put into the store what was there before the first step: uploads, and what retention has left."""
        recorded = self._recorded
        for blob in recorded.blobs:
            await store.put_blob(blob)
        after = recorded.begins_after
        if not after:
            return
        state = recorded.beginning()
        before = [line for line in recorded.lines if next(decode_records(line)).events[0].seq <= after]
        info = msgspec.structs.replace(recorded.header.info, last_seq=after, mark=mark_of(state))
        await store.import_session(info, lines=b"".join(before), state=snapshot(state))

    # As it was: every input at its time, every word when it was said.

    async def _exactly(self, hub: Hub, clock: VirtualClock, steps: list[Record], tape: TapeAgent) -> None:
        session = await hub.sessions.obtain(self._recorded.session_id, opening=None)
        for record in steps:
            clock.jump_to(record.at_ms)
            match record.input:
                case SessionOpened() as opened:
                    session = await hub.sessions.obtain(opened.session_id, opening=opened)
                case ServerRestarted() as restarted:
                    hub.runs.stop(self._recorded.session_id)
                    _known(session).give(restarted)
                case DeadlinePassed():
                    # The session's own timer notices it.
                    pass
                case AgentRequested(spec=spec, waits=waits) as wanted if spec is not None or waits:
                    # Declared as it was then: by a registry that is not here, or within the run.
                    _known(session).give(wanted)
                case happened if isinstance(happened, AgentInput):
                    tape.say(happened)
                case said:
                    await _known(session).submit(said)
            await self._reached(_known(session), record.events[-1].seq)

    async def _reached(self, session: LiveSession, seq: int) -> None:
        try:
            async with asyncio.timeout(PATIENCE_S):
                while session.stored_seq < seq:
                    await session.changed()
                    if session.failure is not None:
                        raise session.failure
        except TimeoutError as error:
            raise RerunError(
                f"{self._recorded.name}: run again, it stops at event {session.stored_seq}; {seq} was recorded"
            ) from error

    # With another agent: what people did comes when it came, as seen from the answers.

    async def _freely(self, hub: Hub, clock: VirtualClock, steps: list[Record]) -> dict[int, int]:
        became: dict[int, int] = {}
        session = await hub.sessions.obtain(self._recorded.session_id, opening=None)
        began_ms = clock.now_ms()
        for move in _moves(steps):
            match move.input:
                case SessionOpened() as opened:
                    renamed = msgspec.structs.replace(opened, agent=hub.agent.name)
                    session = await hub.sessions.obtain(opened.session_id, opening=renamed)
                    continue
                case said:
                    live = _known(session)
            if move.in_turn:
                await self._until(live, clock, began_ms + move.after_ms)
            else:
                await self._quiet(live)
                clock.jump_to(clock.now_ms() + move.after_ms)
            reply = await live.submit(said)
            if move.turn:
                # Another agent may not have asked what this one answers: then it is refused.
                became[move.turn] = reply.turn if isinstance(reply, Accepted) else 0
                began_ms = clock.now_ms()
        if session is not None:
            await self._quiet(session)
        return became

    async def _until(self, session: LiveSession, clock: VirtualClock, at_ms: int) -> None:
        """Wait until a time; where the answer is over before, the rest is not waited for."""
        try:
            async with asyncio.timeout(max(0, at_ms - clock.now_ms()) / 1000):
                await self._quiet(session)
        except TimeoutError:
            return
        clock.jump_to(at_ms)

    async def _quiet(self, session: LiveSession) -> None:
        """Wait until the answer is over and everything is stored; the engine's deadlines bound it."""
        while session.state.open is not None or session.stored_seq < session.state.seq:
            await session.changed()
            if session.failure is not None:
                raise session.failure


class _Move(NamedTuple):
    """Something that people did.

    Attributes:
        turn: the turn that it became; 0 where none.
        in_turn: while an answer was being made; `after_ms` is then since that turn was accepted, else since the
            last thing that happened before it.
    """

    input: AnyInput
    turn: int
    in_turn: bool
    after_ms: int


def _moves(steps: list[Record]) -> Iterator[_Move]:
    """What people did, each with its time as seen from the answers."""
    began_ms = last_ms = steps[0].at_ms if steps else 0
    in_turn = False
    for record in steps:
        happened = record.input
        if not isinstance(happened, MACHINES):
            turn = next((event.turn for event in record.events if isinstance(event, TurnAccepted)), 0)
            yield _Move(happened, turn, in_turn, record.at_ms - (began_ms if in_turn else last_ms))
        for event in record.events:
            match event:
                case TurnAccepted():
                    in_turn, began_ms = True, event.at_ms
                case TurnEnded():
                    in_turn = False
                case _:
                    pass
        last_ms = record.at_ms


async def _close(agent: Agent) -> None:
    """Let go of what an agent holds, where it has something to let go of; the port does not ask for it."""
    close: object = getattr(agent, "close", None)
    if callable(close) and inspect.isawaitable(closing := close()):
        await closing


def _known(session: LiveSession | None) -> LiveSession:
    if session is None:
        raise RerunError("the recording does not begin with the session's opening, nor with a state that stands for it")
    return session
