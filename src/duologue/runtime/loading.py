"""Which tiers' models are loaded: told by what loads them, and by how their runs go."""

import asyncio
from collections.abc import Mapping
from typing import Protocol, runtime_checkable

import msgspec

from duologue.model import limits
from duologue.model.condition import Readings
from duologue.model.content import Tier
from duologue.ports.agent import Agent
from duologue.runtime.events_log import EventLog
from duologue.runtime.probing import Probing, RemoteAgent


@runtime_checkable
class WarmingAgent(Protocol):
    """An agent that loads something before it can answer; others have no such method."""

    async def warm(self) -> None:
        """Load it now.

        Raises:
            Exception: it cannot be loaded; it is tried again later.
        Cancellation: safe.
        """
        ...


class Loading:
    """Keeps count of the tiers.

    A tier is not loaded where its agent cannot be warmed or reached, or where `limits.TIER_FAILURES` runs in a row have
    failed; then it rests for `limits.TIER_REST_MS` and is tried again. Until something is known of it, it counts as
    loaded.

    Args:
        agents: by tier.
        log: hears of what fails.
        first_ms: when agents elsewhere are first asked whether they are there.
    """

    def __init__(self, agents: Mapping[Tier, Agent], *, log: EventLog, first_ms: int = 0) -> None:
        self._agents, self._log = dict(agents), log
        self._probing: dict[Tier, Probing] = {}
        for tier, agent in agents.items():
            if isinstance(agent, RemoteAgent):
                self._probing[tier] = Probing(tier, agent, told=self._reached, log=log, first_ms=first_ms)
        self._failed: dict[Tier, int] = {}
        self._unloaded: dict[Tier, asyncio.TimerHandle | None] = {}
        self._news = asyncio.Event()

    async def changed(self) -> None:
        """Wait until something is news."""
        await self._news.wait()
        self._news.clear()

    def with_unloaded(self, readings: Readings) -> Readings:
        """Add what is not loaded to what the sensors read."""
        unloaded = tuple(tier for tier in self._agents if tier in self._unloaded or tier in readings.unloaded)
        return msgspec.structs.replace(readings, unloaded=unloaded)

    def ran(self, tier: Tier, *, well: bool) -> None:
        """Note how a run of a tier went. Where there is no other tier, nothing follows but that it is asked."""
        probing = self._probing.get(tier)
        if well:
            self._failed.pop(tier, None)
            if probing is not None:
                probing.answered()
            return
        if probing is not None:
            probing.doubt()
        if len(self._agents) > 1 and tier in self._agents:
            self._failed[tier] = self._failed.get(tier, 0) + 1
            if self._failed[tier] >= limits.TIER_FAILURES:
                self._rest(tier)

    async def watch(self) -> None:
        """Load what has to be loaded, and ask those elsewhere whether they are there, for ever."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self.warm(), name="loading")
            for tier, probing in self._probing.items():
                group.create_task(probing.watch(), name=f"probe {tier}")

    def _reached(self, tier: Tier, loaded: bool) -> None:
        """Take what is known of an agent elsewhere."""
        if loaded == (tier not in self._unloaded):
            return
        if loaded:
            resting = self._unloaded.pop(tier)
            if resting is not None:
                resting.cancel()
            self._failed.pop(tier, None)
        else:
            self._unloaded[tier] = None
        self._news.set()

    async def warm(self) -> None:
        """Load what has to be loaded, again and again where it fails, until all of it is."""
        waiting: dict[Tier, WarmingAgent] = {}
        for tier, agent in self._agents.items():
            if isinstance(agent, WarmingAgent):
                waiting[tier] = agent
        while waiting:
            for tier, agent in list(waiting.items()):
                if await self._warmed(tier, agent):
                    del waiting[tier]
            if waiting:
                await asyncio.sleep(limits.TIER_REST_MS / 1000)

    async def _warmed(self, tier: Tier, agent: WarmingAgent) -> bool:
        try:
            await agent.warm()
        # Whatever is wrong with one tier, the others answer.
        except Exception as error:  # noqa: BLE001
            self._log("tier_not_loaded", tier=tier, error=type(error).__name__, **{"pii.detail": str(error)})
            if tier not in self._unloaded:
                self._unloaded[tier] = None
                self._news.set()
            return False
        if tier in self._unloaded:
            del self._unloaded[tier]
            self._news.set()
        return True

    def _rest(self, tier: Tier) -> None:
        if tier in self._unloaded:
            return
        self._log("tier_rests", tier=tier, failures=self._failed[tier])
        loop = asyncio.get_running_loop()
        self._unloaded[tier] = loop.call_later(limits.TIER_REST_MS / 1000, self._try_again, tier)
        self._news.set()

    def _try_again(self, tier: Tier) -> None:
        # One more failure, and it rests again.
        self._failed[tier] = limits.TIER_FAILURES - 1
        if self._unloaded.pop(tier, None) is not None:
            self._news.set()
