"""Which sessions are in memory: loaded when asked for, unloaded when idle."""

import asyncio
from collections.abc import Callable, Iterator
from typing import TypeAlias
from weakref import WeakValueDictionary

from duologue.engine import replay
from duologue.engine.resuming import unfinished, waits
from duologue.engine.state import SessionState
from duologue.model import limits
from duologue.model.effects import Effect
from duologue.model.errors import Code, Problem, Refused
from duologue.model.events import AnyEvent
from duologue.model.inputs import ServerRestarted, SessionOpened
from duologue.model.records import decode_records
from duologue.ports.clock import Clock
from duologue.ports.store import Store
from duologue.runtime.session import LiveSession

Admit: TypeAlias = Callable[[int], Problem | None]

FOLD_AT_ONCE = 128
"""Records folded before others get a turn: about 2 ms."""


class Registry:
    """Holds each session at most once, so that it has one writer."""

    def __init__(
        self,
        *,
        store: Store,
        clock: Clock,
        sessions_live: int,
        idle_unload_ms: int,
        carry_out: Callable[[LiveSession, Effect], None],
        stored: Callable[[LiveSession, tuple[AnyEvent, ...]], None],
        lost: Callable[[LiveSession], None],
        loaded: Callable[[LiveSession], None],
    ) -> None:
        self._store, self._clock = store, clock
        self._sessions_live, self._idle_unload_ms = sessions_live, idle_unload_ms
        self._carry_out, self._stored, self._lost, self._loaded = carry_out, stored, lost, loaded
        self._live: dict[str, LiveSession] = {}
        self._counts: dict[str, int] = {}
        self._gates: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def __len__(self) -> int:
        return len(self._live)

    def __iter__(self) -> Iterator[LiveSession]:
        return iter(list(self._live.values()))

    def live(self, session_id: str) -> LiveSession | None:
        """A session that is in memory; `None` where it is not."""
        return self._live.get(session_id)

    def count_of(self, subject: str) -> int:
        """How many sessions of a person are in memory."""
        return self._counts.get(subject, 0)

    async def obtain(
        self, session_id: str, *, opening: SessionOpened | None, admit: Admit | None = None, unused: bool = False
    ) -> LiveSession | None:
        """The live session; loaded from the store, or made where `opening` says how, else `None`.

        Args:
            session_id: which.
            opening: how a new one begins; `None` makes none.
            unused: nobody has had this id before, so the store is not asked.
            admit: says why no new one may be made for somebody who has so many in memory; `None` lets it be.
        Raises:
            Refused: there is no room, or `admit` says so.
            StoreError: the store cannot do it now.
            ReplayError: the journal does not replay.
        """
        if (session := self._live.get(session_id)) is not None:
            session.touched_ms = self._clock.now_ms()
            return session
        gate = self._gates.get(session_id)
        if gate is None:
            gate = self._gates[session_id] = asyncio.Lock()
        async with gate:
            if (session := self._live.get(session_id)) is not None:
                return session
            self._check_room()
            known = None if unused else await self._load(session_id)
            return known or await self._make(session_id, opening, admit)

    def let_go(self, session: LiveSession) -> None:
        """Take a session out of memory; what has not been stored is forgotten."""
        session.close()
        if self._live.get(session.state.session_id) is session:
            del self._live[session.state.session_id]
            self._counts[session.state.subject] -= 1
            if not self._counts[session.state.subject]:
                del self._counts[session.state.subject]

    async def unload_idle(self) -> None:
        """Unload sessions that nobody has used for a while, and drop what the others keep ready for nobody."""
        now_ms = self._clock.now_ms()
        for session in self:
            if not session.quiet:
                continue
            session.tail.clear()
            if session.state.seq - session.snapshot_seq >= limits.SNAPSHOT_EVERY_EVENTS:
                await self._save(session)
            unused_ms = now_ms - max(session.touched_ms, session.state.at_ms)
            if not (session.readers or waits(session.state)) and unused_ms >= self._idle_unload_ms:
                await self._unload(session)

    async def save_all(self) -> None:
        """Write a snapshot of every quiet session, for a quick start."""
        for session in self:
            if session.quiet and session.failure is None:
                await self._save(session)
                self.let_go(session)

    async def _unload(self, session: LiveSession) -> None:
        """Let a session go, unless it was used while its snapshot was being written."""
        await self._save(session)
        if session.quiet and not session.readers and session.state.seq == session.snapshot_seq:
            self.let_go(session)

    async def _save(self, session: LiveSession) -> None:
        state = session.state
        if state.seq > session.snapshot_seq:
            session.snapshot_seq = state.seq
            await self._store.save_snapshot(state.session_id, seq=state.seq, state=replay.snapshot(state))

    def _check_room(self) -> None:
        if len(self._live) >= self._sessions_live:
            raise Refused(
                Problem(
                    code=Code.SERVER_FULL,
                    message=f"the server holds {self._sessions_live} sessions already; try again later",
                    limit=self._sessions_live,
                )
            )

    async def _load(self, session_id: str) -> LiveSession | None:
        loaded = await self._store.load(session_id)
        if loaded is None:
            return None
        state = replay.restore(loaded.snapshot) if loaded.snapshot is not None else SessionState()
        for folded, record in enumerate(decode_records(loaded.lines), 1):
            replay.fold(state, (record,))
            if folded % FOLD_AT_ONCE == 0:
                await asyncio.sleep(0)
        session = self._adopt(state, first_seq=loaded.info.first_seq, epoch=loaded.info.epoch)
        session.snapshot_seq = loaded.snapshot_seq
        if loaded.snapshot is not None:
            session.trim_point = (loaded.snapshot_seq, loaded.snapshot)
        if unfinished(state) or state.call is not None:
            session.give(ServerRestarted())
            # What is waited for between turns has its time, whatever the restart has changed.
            session.arm()
        self._loaded(session)
        return session

    async def _make(self, session_id: str, opening: SessionOpened | None, admit: Admit | None) -> LiveSession | None:
        if opening is None:
            return None
        problem = admit(self.count_of(opening.subject)) if admit is not None else None
        if problem is not None:
            raise Refused(problem)
        state = SessionState(session_id=session_id, subject=opening.subject)
        session = self._adopt(state, first_seq=1, epoch=0)
        await session.submit(opening)
        return session

    def _adopt(self, state: SessionState, *, first_seq: int, epoch: int) -> LiveSession:
        session = LiveSession(
            state,
            store=self._store,
            clock=self._clock,
            first_seq=first_seq,
            epoch=epoch,
            carry_out=self._carry_out,
            stored=self._stored,
            failed=self._on_failure,
        )
        self._live[state.session_id] = session
        self._counts[state.subject] = self.count_of(state.subject) + 1
        return session

    def _on_failure(self, session: LiveSession) -> None:
        self.let_go(session)
        self._lost(session)
