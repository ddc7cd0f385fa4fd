"""The hub: the way in for every client, and the owner of everything that runs."""

import asyncio
import contextlib
import secrets
from collections.abc import Awaitable, Callable, Sequence
from random import random
from types import TracebackType
from typing import Self, TypeAlias

import msgspec

from duologue.engine.condition import loaded
from duologue.engine.replay import ReplayError
from duologue.model import limits
from duologue.model.commands import Asked, Join, Photo, Refer
from duologue.model.effects import Effect
from duologue.model.errors import Code, Problem, Refused, StoreError
from duologue.model.events import AnyEvent, TurnEnded
from duologue.model.inputs import CapabilitiesDeclared, SessionOpened, UserTurn
from duologue.model.replies import Accepted, Rejected, Reply
from duologue.model.voice import VoiceMode
from duologue.ports.agent import Agent
from duologue.ports.clock import Clock
from duologue.ports.dialect import Dialect
from duologue.ports.store import Store
from duologue.runtime import draining, files, retention
from duologue.runtime.agents import Agents, Beside
from duologue.runtime.companions import Companion, Companions
from duologue.runtime.completing import Completing
from duologue.runtime.condition import Condition
from duologue.runtime.counting import Counting
from duologue.runtime.cursor import Cursor, check_place
from duologue.runtime.desk.desk import Desk
from duologue.runtime.events_log import EventLog
from duologue.runtime.figures import Figures
from duologue.runtime.house import House
from duologue.runtime.hub_settings import HubSettings
from duologue.runtime.orders import Voice, carry_out
from duologue.runtime.recall import Recall
from duologue.runtime.registry import Admit, Registry
from duologue.runtime.runs import Runs, Surround
from duologue.runtime.session import LiveSession
from duologue.runtime.tools.approvals import Approvals
from duologue.runtime.tools.attempts import Attempts
from duologue.runtime.tools.runs import ToolRuns
from duologue.runtime.tools.toolbox import Toolbox

TakeTurns: TypeAlias = Callable[[LiveSession, VoiceMode], Awaitable[None]]
"""Lets a client of a session say who ends the turns of its call, present or to come. Raises `Refused`."""

_NO_AUDIO_TURNS = Problem(
    code=Code.UNSUPPORTED,
    message="explicit audio turns are not offered: this server's card does not declare supportsExplicitTurns; leave"
    " `audioTurnControl` out",
    path="$.clientCapabilities.audioTurnControl",
)

_STOPPING = Problem(code=Code.DRAINING, message="the server is stopping; reconnect and send it again")


class Hub:
    """Opens sessions, takes inputs, runs agents, and lets readers follow.

    Use it as an async context manager: entering opens the store and takes up interrupted turns, leaving drains.

    Attributes:
        agent: the first of its agents, which answers where no other is named.
        agents: all of them.
        toolbox: the registry of tools.
        approvals: finds what waits for a decision.
        tools: the calls of its tools that are being carried out.
        voice: set by whoever opens calls.
        take_turns: as `voice`, where calls are offered.
        desk: passes conversations on; set before it is entered, where there is one.
        recall: set by whoever remembers people.
        condition: how much of the machine there is, and what may be done with it.
        counting: what is counted, and whoever watches how the runs of each tier go.
    """

    def __init__(
        self,
        *,
        store: Store,
        agent: Agent,
        clock: Clock,
        log: EventLog,
        settings: HubSettings | None = None,
        companions: Sequence[Companion] = (),
        surround: Surround | None = None,
        others: Sequence[Beside] = (),
        toolbox: Toolbox | None = None,
        approvals: Approvals | None = None,
    ) -> None:
        self.store, self.agent, self.clock, self.log = store, agent, clock, log
        self._companions = Companions(companions if approvals is None else (*companions, approvals))
        self._surround = surround
        self.settings = settings or HubSettings()
        self.agents = Agents(agent, tier=self.settings.tier, others=others)
        self.condition = Condition(self.agents.tiers)
        self._routing = msgspec.structs.replace(self.settings.routing, tiers=self.agents.tiers)
        self.toolbox, self.approvals = toolbox or Toolbox(), approvals
        self.figures = Figures()
        self.counting = Counting(self.figures, agents=self.agents)
        self._completing = Completing(store, clock, settings=self.settings, toolbox=self.toolbox)
        self.draining = False
        self.voice: Voice | None = None
        self.take_turns: TakeTurns | None = None
        self.desk: Desk | None = None
        self.recall: Recall | None = None
        self.sessions = Registry(
            store=store,
            clock=clock,
            sessions_live=self.settings.sessions_live,
            idle_unload_ms=self.settings.idle_unload_ms,
            carry_out=self._carry_out,
            stored=self._stored,
            lost=self._on_lost,
            loaded=self._loaded,
        )
        self._leaving = self._closing = False
        self._house = House(self.sessions, store=store, clock=clock, log=log, retain_events=self.settings.retain_events)
        self._group = asyncio.TaskGroup()

    async def __aenter__(self) -> Self:
        await self.store.open()
        try:
            await self._companions.enter()
            self._house.cut_off.update(await self.store.interrupted())
        except BaseException:
            await self._companions.leave()
            await self.store.close()
            raise
        await self._group.__aenter__()
        self.runs = Runs(
            self._group,
            agents=self.agents,
            files=lambda subject: files.StoredFiles(self.store, subject),
            log=self.log,
            surround=self._surround,
            toolbox=self.toolbox,
            recall=self.recall,
        )
        self.tools = ToolRuns(self._group, Attempts(self.toolbox, log=self.log, chance=random))
        self._chore = self._group.create_task(self._house.keep(self.runs), name="house")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self.drain()
            self._chore.cancel()
            self._closing = True
            self.tools.stop_all()
            self.runs.stop_all()
            await self.runs.stopped()
            await self.sessions.save_all()
            await self._group.__aexit__(kind, error, trace)
        finally:
            async with contextlib.AsyncExitStack() as last:
                last.push_async_callback(self.store.close)
                last.push_async_callback(self._companions.leave)
                await self.agents.aclose(self.log)

    async def join(self, join: Join, *, subject: str, admit: Admit | None = None) -> LiveSession:
        """Open a session, or load an existing one, for a client that has read up to `join.after`.

        Args:
            join: which session, and from where on.
            subject: who joins.
            admit: may refuse a new session; see `Registry.obtain`.
        Raises:
            Refused: it is somebody else's, the number is beyond what exists or was trimmed, there is no room, or
                `admit` says so.
            StoreError: the store cannot do it now.
        """
        if join.audio_turns is not None and self.take_turns is None:
            raise Refused(_NO_AUDIO_TURNS)
        session_id = join.session_id or _new_session_id()
        opening = SessionOpened(
            session_id=session_id,
            subject=subject,
            agent=self.agent.name,
            tier=self.settings.tier,
            language=join.language or self.settings.language,
            silence_ms=self.settings.silence_ms,
            response_ms=self.settings.response_ms,
            memory_items=await self._remembered(session_id, subject),
            routing=self._routing,
            loaded=self.condition.tiers,
            opened_ms=self.clock.now_ms(),
        )
        # Who has read something of a session that is not there is mistaken, and gets no new one.
        new = None if join.after or self.draining else opening
        unused = join.session_id is None
        if not self.condition.policy.new_sessions:
            admit = _no_model if self.condition.standing.reason == "model_unloaded" else _spared
        session = await self._obtain(session_id, subject=subject, opening=new, admit=admit, unused=unused)
        check_place(session, join.after)
        if join.modalities is not None:
            await session.submit(CapabilitiesDeclared(modalities=join.modalities))
        if join.audio_turns is not None and self.take_turns is not None:
            await self.take_turns(session, join.audio_turns)
        return session

    def accompany(self, companion: Companion) -> None:
        """Take one more companion, before the hub is entered."""
        self._companions.add(companion)

    def condition_changed(self) -> None:
        """Tell the sessions in memory of it; others are told when they are loaded."""
        for session in self.sessions:
            self._tell_condition(session)

    def _tell_condition(self, session: LiveSession) -> None:
        known, now = session.state.condition, self.condition
        if session.state.ended or (known.state, loaded(session.state)) == (now.standing.condition, now.tiers):
            return
        with contextlib.suppress(StoreError):
            session.give(now.change())

    async def _remembered(self, session_id: str, subject: str) -> int:
        """How much is remembered of whoever joins a session that may be new."""
        if self.recall is None or self.sessions.live(session_id) is not None:
            return 0
        return await self.recall.count(subject)

    async def find(self, session_id: str, *, subject: str) -> LiveSession:
        """Load an existing session.

        Raises:
            Refused: there is none, or it is somebody else's.
            StoreError: the store cannot do it now.
        """
        return await self._obtain(session_id, subject=subject, opening=None)

    async def reach(self, session_id: str) -> LiveSession:
        """Load an existing session, whoever's it is.

        Raises:
            Refused: there is none.
            StoreError: the store cannot do it now.
        """
        return await self._load(session_id, opening=None)

    def live(self, session_id: str) -> LiveSession | None:
        """A session that is in memory."""
        return self.sessions.live(session_id)

    @property
    def taking_up(self) -> bool:
        """Whether sessions are still to be loaded that were left open before the last start."""
        return self._house.taking_up

    async def submit(
        self,
        session: LiveSession,
        command: Asked,
        *,
        protocol: str = "",
        granted: tuple[str, ...] | None = None,
    ) -> Reply:
        """Take a client's input; the reply comes once what it speaks of is durable.

        Args:
            session: whose input it is.
            command: what was said.
            protocol: through which it came; stored with a turn, and counted.
            granted: scopes that the person has for tools; `None` for all of them.

        Raises:
            StoreError: it was not stored; nothing of it will be seen.
        """
        turn = command.turn if isinstance(command, Photo | Refer) else command
        if self.draining and isinstance(turn, UserTurn):
            return self.counting.told(Rejected(problem=_STOPPING))
        try:
            said = await self._completing.complete(session, command)
        except Refused as refused:
            return self.counting.told(Rejected(problem=refused.problem))
        if said is None:
            return Accepted(turn=0, seq=session.stored_seq)
        if isinstance(said, UserTurn) and (protocol or granted is not None):
            said = msgspec.structs.replace(said, protocol=protocol, granted=granted)
        return self.counting.told(await session.submit(said))

    def follow(
        self, session: LiveSession, *, dialect: Dialect, after: int, only_turn: int | None = None, aside: bool = False
    ) -> Cursor:
        """Follow a session from a number on, perhaps as an onlooker; use the cursor as a context manager."""
        return Cursor(session, dialect=dialect, store=self.store, after=after, only_turn=only_turn, aside=aside)

    async def delete(self, session_id: str, *, subject: str) -> None:
        """Remove a session with its uploads; its run is stopped and its readers are sent away.

        Raises:
            Refused: there is none, or it is somebody else's.
            StoreError: the store cannot do it now.
        """
        session = await self.find(session_id, subject=subject)
        self._send_away(session)
        await self._companions.removing([session_id])
        await self.store.delete_session(session_id)

    async def delete_subject(self, subject: str) -> list[str]:
        """Remove everything about a person; returns the ids of the removed sessions.

        Raises:
            StoreError: the store cannot do it now; nothing was removed.
        """
        for session in self.sessions:
            if session.state.subject == subject:
                self._send_away(session)
        await self._companions.removing_subject(self.store, subject)
        return list(await self.store.delete_subject(subject))

    async def unready(self) -> str | None:
        """Why no turns can be taken now; `None` where they can."""
        if self.draining:
            return "draining"
        try:
            await self.store.interrupted()
        except StoreError as error:
            return str(error)
        return None

    async def drain(self) -> None:
        """Take no new turns, let running answers finish within `drain_ms`, then send the readers away."""
        if self.draining:
            return
        self.draining = True
        self._house.stop()
        for session in self.sessions:
            # Calls that answer nothing end now, the others with their answer.
            session.wake()
        try:
            async with asyncio.timeout(self.settings.drain_ms / 1000):
                await draining.answered(self.sessions, self.runs, self.tools)
        except TimeoutError:
            self.log("drain_timed_out", running=len(self.runs), tools=len(self.tools))
        self._leaving = True
        if self.desk is not None:
            self.desk.feed.close()
        for session in self.sessions:
            session.leave()
        await draining.readers_gone(self.sessions)

    async def _obtain(
        self,
        session_id: str,
        *,
        subject: str,
        opening: SessionOpened | None,
        admit: Admit | None = None,
        unused: bool = False,
    ) -> LiveSession:
        session = await self._load(session_id, opening=opening, admit=admit, unused=unused)
        if session.state.subject != subject:
            raise Refused(Problem(code=Code.FORBIDDEN, message="this session belongs to somebody else; open a new one"))
        return session

    async def _load(
        self, session_id: str, *, opening: SessionOpened | None, admit: Admit | None = None, unused: bool = False
    ) -> LiveSession:
        if not 0 < len(session_id) <= limits.SESSION_ID_CHARS:
            message = f"a session id has 1 to {limits.SESSION_ID_CHARS} characters"
            raise Refused(Problem(code=Code.BAD_MESSAGE, message=message, limit=limits.SESSION_ID_CHARS))
        try:
            session = await self.sessions.obtain(session_id, opening=opening, admit=admit, unused=unused)
        except ReplayError as error:
            self.log("replay_failed", session=session_id, error=str(error))
            raise StoreError("this session's journal cannot be replayed; export it and report it") from error
        if session is None and self.draining:
            raise Refused(_STOPPING)
        if session is None:
            raise Refused(Problem(code=Code.SESSION_UNKNOWN, message=f"there is no session {session_id[:128]!r}"))
        self._tell_condition(session)
        if self._leaving:
            session.leave()
        return session

    def _carry_out(self, session: LiveSession, effect: Effect) -> None:
        carry_out(
            session,
            effect,
            runs=self.runs,
            tools=self.tools,
            desk=self.desk,
            voice=self.voice,
            closing=self._closing,
        )

    def _loaded(self, session: LiveSession) -> None:
        if self.desk is not None:
            self.desk.loaded(session)
        if self.approvals is not None:
            self.approvals.loaded(session)

    def _stored(self, session: LiveSession, events: tuple[AnyEvent, ...]) -> None:
        session_id = session.state.session_id
        self.counting.stored(session, events)
        self._companions.stored(session_id, events)
        self.runs.waiting.told(session_id, events)
        if any(isinstance(event, TurnEnded) for event in events):
            retention.note_point(session, retain_events=self.settings.retain_events)

    def _on_lost(self, session: LiveSession) -> None:
        """The store refused a session's record: forget it, and take it up again from what is stored."""
        session_id = session.state.session_id
        self.log("session_lost", session=session_id, error=str(session.failure))
        self.counting.forget(session_id)
        self.runs.stop(session_id)
        self._house.cut_off.add(session_id)

    def _send_away(self, session: LiveSession) -> None:
        self.counting.forget(session.state.session_id)
        self.runs.stop(session.state.session_id)
        self.sessions.let_go(session)
        session.deleted = True
        session.leave()


def _spared(_: int) -> Problem:
    """Why nobody new is let in while the machine is about to give up."""
    message = "this machine has too little left for another conversation; try again later"
    return Problem(code=Code.SERVER_FULL, message=message, retry_after_ms=limits.CONDITION_RETRY_MS)


def _no_model(_: int) -> Problem:
    """Why nobody new is let in while nothing is there that answers."""
    message = "no model is loaded that could answer; try again later"
    return Problem(code=Code.SERVER_FULL, message=message, retry_after_ms=limits.CONDITION_RETRY_MS)


def _new_session_id() -> str:
    """Make a session id that cannot be guessed."""
    return secrets.token_urlsafe(18)
