"""A hub whose agent is a language model that is reached over HTTP, with a shop's tools."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Literal, TypeVar

from duologue.adapters.agent_llm import Endpoint, LlmAgent, LlmOptions
from duologue.adapters.tool_python import tool
from duologue.model.commands import Join
from duologue.model.events import AnyEvent, ToolMoved, ToolReturned, TurnEnded
from duologue.model.inputs import CancelRequested, UserTurn
from duologue.model.records import decode_events
from duologue.model.tools import ApprovalPolicy
from duologue.runtime.clock import SystemClock
from duologue.runtime.hub import Hub
from duologue.runtime.hub_settings import HubSettings
from duologue.runtime.session import LiveSession
from duologue.runtime.tools.toolbox import Toolbox
from duologue.testing.memory_store import MemoryStore

Kind = TypeVar("Kind", bound=AnyEvent)

PACKS = {"tea": 7, "coffee": 3}


class Shop:
    """A conversation with the shop's agent.

    Attributes:
        asked: the products that the tool `stock` was carried out for.
        busy: set while it is carried out; it waits for `shelf`.
    """

    def __init__(self, session: LiveSession, hub: Hub) -> None:
        self.session, self._hub = session, hub
        self.asked: list[str] = []
        self.busy, self.shelf = asyncio.Event(), asyncio.Event()
        self.shelf.set()

    async def say(self, text: str) -> TurnEnded:
        """Say something, and wait until it is answered."""
        await self.begin(text)
        return await self.over()

    async def begin(self, text: str) -> None:
        """Say something."""
        await self._hub.submit(self.session, UserTurn(text=text))

    async def stop(self) -> TurnEnded:
        """Stop the answer."""
        await self._hub.submit(self.session, CancelRequested())
        return await self.over()

    async def over(self) -> TurnEnded:
        """Wait until the open turn is over."""
        async with asyncio.timeout(60):
            while self.session.state.open is not None or self.session.stored_seq < self.session.state.seq:
                await self.session.changed()
        return (await self.events(TurnEnded))[-1]

    async def returned(self) -> ToolReturned:
        """Wait until a tool has come to its end."""
        async with asyncio.timeout(60):
            while not (found := await self.events(ToolReturned)):
                await self.session.changed()
        return found[-1]

    async def events(self, kind: type[Kind]) -> list[Kind]:
        """What is stored of one kind."""
        lines = await self._hub.store.read(self.session.state.session_id, after=0, limit=100_000)
        return [event for event in decode_events(lines) if isinstance(event, kind)]

    async def walks(self) -> dict[str, list[str | None]]:
        """The steps of each call, by its id."""
        found: dict[str, list[str | None]] = {}
        for event in [*await self.events(ToolMoved), *await self.events(ToolReturned)]:
            found.setdefault(event.call_id, []).append(event.status)
        return found


@asynccontextmanager
async def shop(address: str, *, policy: ApprovalPolicy = "auto", **options: Any) -> AsyncGenerator[Shop]:
    """Open a conversation, for a block.

    Args:
        address: of the model's server, up to and including `/v1`.
        policy: of the tool that tells the stock.
        options: further ones of the agent.
    """
    open_shops: list[Shop] = []

    async def stock(product: Literal["tea", "coffee"]) -> int:
        """Tells the stock of a product."""
        here = open_shops[0]
        here.asked.append(product)
        here.busy.set()
        await here.shelf.wait()
        return PACKS[product]

    endpoint = Endpoint(model="smollm2", base_url=address)
    agent = LlmAgent(LlmOptions(endpoint=endpoint, max_tokens=96, attempts=1, **options))
    toolbox = Toolbox((tool(side_effect="read", policy=policy)(stock),))
    hub = Hub(
        store=MemoryStore(),
        agent=agent,
        clock=SystemClock(),
        log=_quiet,
        toolbox=toolbox,
        settings=HubSettings(drain_ms=0),
    )
    async with hub:
        session = await hub.join(Join(session_id="s"), subject="ada")
        open_shops.append(Shop(session, hub))
        yield open_shops[0]


def _quiet(event: str, **fields: object) -> None:
    del event, fields
