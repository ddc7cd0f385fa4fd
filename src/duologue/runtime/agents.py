"""The agents that answer: the first, and those beside it, by name and by tier."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from duologue.model import limits
from duologue.model.content import Tier
from duologue.ports.agent import Agent, ClosingAgent
from duologue.runtime.events_log import EventLog


class Beside(NamedTuple):
    """An agent beside the first.

    Attributes:
        name: as rules and handoffs name it; no other agent has it.
        agent: answers.
        tier: whose turns it answers, which no other agent has; `None` where conversations are only handed to it.
        about: what it is for, in a few words.
    """

    name: str
    agent: Agent
    tier: Tier | None = None
    about: str = ""


class Agents:
    """Who answers a run.

    Attributes:
        first: the agent that answers where nobody else is named.
        tier: its tier.
        others: those beside it.
    """

    def __init__(self, first: Agent, *, tier: Tier, others: Sequence[Beside] = ()) -> None:
        self.first, self.tier, self.others = first, tier, tuple(others)
        self._named = {other.name: other.agent for other in others}
        self._tiers: dict[Tier, Agent] = {other.tier: other.agent for other in others if other.tier is not None}
        self._tiers[tier] = first

    @property
    def names(self) -> tuple[str, ...]:
        """The names of those beside the first."""
        return tuple(self._named)

    @property
    def tiers(self) -> tuple[Tier, ...]:
        """The tiers that have an agent, the smallest first."""
        order: tuple[Tier, ...] = ("gate", "reflex", "workhorse")
        return tuple(tier for tier in order if tier in self._tiers)

    def find(self, name: str = "", tier: Tier | None = None) -> Agent:
        """Who answers a run: the one of that name, else of that tier, else the first.

        A name that is not known any more, as the settings were changed, counts as none.
        """
        named = self._named.get(name)
        if named is not None:
            return named
        return self.first if tier is None else self._tiers.get(tier, self.first)

    def label(self, agent: Agent) -> str:
        """What figures call an agent: its own name for the first, and the configured one for others."""
        return next((other.name for other in self.others if other.agent is agent), agent.name)

    async def aclose(self, log: EventLog) -> None:
        """Let all of them let go of what they hold, each once and within `limits.CANCEL_MS`; failures are logged."""
        await asyncio.gather(*(_close(agent, log) for agent in self._all()))

    def _all(self) -> Iterator[Agent]:
        known: set[int] = set()
        for agent in (self.first, *(other.agent for other in self.others)):
            if id(agent) not in known:
                known.add(id(agent))
                yield agent


async def _close(agent: Agent, log: EventLog) -> None:
    if not isinstance(agent, ClosingAgent):
        return
    try:
        async with asyncio.timeout(limits.CANCEL_MS / 1000):
            await agent.aclose()
    # An agent may raise anything, and the others and the store are still to be closed.
    except Exception as error:  # noqa: BLE001
        log("agent_not_closed", error=type(error).__name__, **{"pii.detail": str(error)})
