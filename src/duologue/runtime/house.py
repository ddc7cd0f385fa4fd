"""What is done for sessions without anybody asking: taking up, unloading, trimming."""

import asyncio
from typing import Final

from duologue.engine.replay import ReplayError
from duologue.model import limits
from duologue.model.errors import DuologueError
from duologue.ports.clock import Clock
from duologue.ports.store import Store
from duologue.runtime import retention
from duologue.runtime.events_log import EventLog
from duologue.runtime.registry import Registry
from duologue.runtime.runs import Runs

SWEEP_MS: Final = 2_000
"""How often idle sessions are looked for: well under the time after which one is unloaded."""


class House:
    """Keeps the sessions of a hub in order.

    Attributes:
        cut_off: sessions whose turn was cut, by the end of a process or by the store; they are to be taken up.
    """

    def __init__(self, sessions: Registry, *, store: Store, clock: Clock, log: EventLog, retain_events: int) -> None:
        self._sessions, self._store, self._clock, self._log = sessions, store, clock, log
        self._retain_events = retain_events
        self._stopping = False
        self.cut_off: set[str] = set()

    @property
    def taking_up(self) -> bool:
        """Whether sessions are still to be taken up."""
        return bool(self.cut_off) and not self._stopping

    def stop(self) -> None:
        """Take up no more of them; the next start does."""
        self._stopping = True

    async def keep(self, runs: Runs) -> None:
        """Take up interrupted sessions, trim long ones and unload idle ones, for ever."""
        while True:
            try:
                await self._take_up(runs)
                await self._sessions.unload_idle()
                await self._trim()
            except DuologueError as error:
                self._log("house_failed", error=str(error))
            await asyncio.sleep(SWEEP_MS / 1000)

    async def _take_up(self, runs: Runs) -> None:
        """Load the sessions whose turn was cut; loading one runs its turn again."""
        while self.taking_up:
            while len(runs) >= limits.RECOVERY_AT_ONCE:
                await runs.one_less()
            session_id = next(iter(self.cut_off))
            try:
                await self._sessions.obtain(session_id, opening=None)
            except ReplayError as error:
                self._log("replay_failed", session=session_id, error=str(error))
            self.cut_off.discard(session_id)

    async def _trim(self) -> None:
        for session in self._sessions:
            await retention.trim(
                session, store=self._store, retain_events=self._retain_events, now_ms=self._clock.now_ms()
            )
