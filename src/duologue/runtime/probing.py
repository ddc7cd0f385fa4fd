"""Whether an agent elsewhere can be reached: asked again and again, beside the conversations."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Protocol, runtime_checkable

from duologue.model import limits
from duologue.model.content import Tier
from duologue.runtime.events_log import EventLog


@runtime_checkable
class RemoteAgent(Protocol):
    """An agent that has to be reached before it can answer; others have no such method."""

    async def reach(self) -> None:
        """Look whether it can be reached now, without a run and at no cost.

        Raises:
            Exception: it cannot; its text says why.
        Cancellation: safe; it is cancelled after `limits.TIER_PROBE_MS`.
        """
        ...


class Probing:
    """Asks one agent: every `limits.TIER_PROBE_EVERY_MS`, sooner where a run of it failed or it could not be reached.

    Once it has been reached, one question without an answer means nothing: `limits.TIER_PROBES` in a row do.

    Args:
        told: called with each change of what is known, and once at the begin.
        first_ms: when it is asked first.
    """

    def __init__(
        self, tier: Tier, agent: RemoteAgent, *, told: Callable[[Tier, bool], None], log: EventLog, first_ms: int
    ) -> None:
        self._tier: Tier = tier
        self._agent, self._told, self._log = agent, told, log
        self._first_s = first_ms / 1000
        self._failures, self._reached = 0, False
        self._doubted = asyncio.Event()

    def doubt(self) -> None:
        """Ask soon, as a run has failed."""
        self._doubted.set()

    def answered(self) -> None:
        """Take that it has just answered a run."""
        self._failures = 0
        self._tell(reached=True)

    async def watch(self) -> None:
        """Ask for ever."""
        await asyncio.sleep(self._first_s)
        while True:
            self._doubted.clear()
            await self._ask()
            await self._rest()

    async def _ask(self) -> None:
        try:
            async with asyncio.timeout(limits.TIER_PROBE_MS / 1000):
                await self._agent.reach()
        # An agent may raise anything, and it means the same.
        except Exception as error:  # noqa: BLE001
            self._failures += 1
            if not self._reached or self._failures >= limits.TIER_PROBES:
                if self._failures in (1, limits.TIER_PROBES):
                    kind = type(error).__name__
                    self._log("tier_not_reached", tier=self._tier, error=kind, **{"pii.detail": str(error)})
                self._reached = False
                self._told(self._tier, False)
        else:
            self._failures = 0
            self._tell(reached=True)

    def _tell(self, *, reached: bool) -> None:
        if self._reached != reached:
            self._reached = reached
            self._told(self._tier, reached)

    async def _rest(self) -> None:
        """Wait until it is asked again."""
        rest_ms = limits.TIER_PROBE_EVERY_MS
        if self._failures:
            rest_ms = min(limits.TIER_PROBE_RETRY_MS * 2 ** (self._failures - 1), limits.TIER_REST_MS)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(rest_ms / 1000):
                await self._doubted.wait()
                # Runs that fail together are one reason, and an agent that is gone is not asked for each.
                await asyncio.sleep(limits.TIER_PROBE_RETRY_MS / 1000)
