"""A hub that remembers: the embedded store and memory, the rules, and an agent that keeps what it is asked."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from duologue.adapters.memory_rules import RuleExtractor
from duologue.adapters.memory_sqlite import SqliteMemory
from duologue.adapters.store_sqlite import SqliteStore
from duologue.model.commands import Join
from duologue.model.events import AnyEvent, MemoryErased, MemoryRecalled, MemoryStored
from duologue.model.inputs import UserTurn
from duologue.model.records import decode_events
from duologue.ports.memory import Embedder, Memory, MemoryExtractor, Page
from duologue.runtime.clock import SystemClock
from duologue.runtime.hub import Hub
from duologue.runtime.memory.options import MemoryOptions
from duologue.runtime.memory.remembering import Remembering
from duologue.runtime.session import LiveSession
from duologue.testing.scripted_agent import ScriptedAgent

MEMORY_EVENTS = (MemoryRecalled, MemoryStored, MemoryErased)


class World:
    """A running hub.

    Attributes:
        agent: keeps the requests of its runs.
        log: the events that were logged.
    """

    def __init__(self, hub: Hub, remembering: Remembering, agent: ScriptedAgent, log: list[str]) -> None:
        self.hub, self.remembering, self.agent, self.log = hub, remembering, agent, log
        self.memory = remembering.memory

    async def open(self, session_id: str, *, subject: str = "ada", language: str = "en") -> LiveSession:
        """Open a session."""
        return await self.hub.join(Join(session_id=session_id, language=language), subject=subject)

    async def say(self, session: LiveSession, text: str) -> None:
        """Say something, and wait until it was answered and looked through."""
        await self.hub.submit(session, UserTurn(text=text))
        await self.answered(session)
        await self.settled()

    async def answered(self, session: LiveSession) -> None:
        """Wait until the open turn is over."""
        while session.state.open is not None or session.stored_seq < session.state.seq:
            await session.changed()

    async def settled(self) -> None:
        """Wait until nothing waits to be looked through."""
        async with asyncio.timeout(20):
            await self.remembering.settled()

    async def texts(self, subject: str = "ada") -> list[str]:
        """What is remembered of a person, by text."""
        return sorted(one.text for one in await self.memory.listed(subject, Page()))

    async def events(self, session_id: str) -> list[AnyEvent]:
        """All that is stored of a session."""
        return list(decode_events(await self.hub.store.read(session_id, after=0, limit=100_000)))

    async def told(self, session_id: str) -> list[AnyEvent]:
        """What a session was told of memory."""
        return [event for event in await self.events(session_id) if isinstance(event, MEMORY_EVENTS)]


@asynccontextmanager
async def remembering(
    folder: Path,
    *,
    memory: Memory | None = None,
    extractors: Sequence[MemoryExtractor] | None = None,
    embedder: Embedder | None = None,
    options: MemoryOptions | None = None,
    agent: ScriptedAgent | None = None,
) -> AsyncGenerator[World]:
    """Run a hub that remembers, for a block."""
    log: list[str] = []
    store, clock = SqliteStore(folder), SystemClock()
    answering = agent or ScriptedAgent(["Well."])

    def note(event: str, **_fields: object) -> None:
        log.append(event)

    remembers = Remembering(
        store=store,
        memory=memory or SqliteMemory(folder),
        extractors=[RuleExtractor()] if extractors is None else extractors,
        embedder=embedder,
        clock=clock,
        log=note,
        options=options or MemoryOptions(recall_ms=5_000),
        wishes=RuleExtractor(),
    )
    hub = Hub(store=store, agent=answering, clock=clock, log=note, companions=[remembers])
    remembers.join(hub)
    async with hub:
        yield World(hub, remembers, answering, log)
