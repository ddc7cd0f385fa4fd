"""Answers that are prepared before it is sure that they are wanted: the agent runs, and all of it is kept back."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from duologue.model import limits
from duologue.model.agent import (
    AgentItem,
    AgentRequest,
    Asked,
    Failure,
    RunEnd,
    Text,
    ToolCalled,
    ToolRequested,
)
from duologue.model.content import ToolResult
from duologue.model.handoff import HandOff
from duologue.model.observations import Observe
from duologue.model.routing import Upgrade
from duologue.ports.agent import Agent, Calls, Files
from duologue.runtime.recall import Looks, Recalled

HOLDS: Final = (ToolCalled, ToolRequested, Asked, Observe, HandOff, Upgrade)
"""Where a run is held until it is wanted: it goes on, and a tool runs, only once somebody asks for the next item."""


class Prepared:
    """A run that nobody sees yet; once it is let out, an agent that says what it said and goes on from there.

    It runs in one task of its own from its beginning to its end. It keeps `limits.EARLY_ITEMS` (policy: the agent
    waits), and is held where it calls a tool.

    Attributes:
        request: what it answers.
    """

    def __init__(
        self,
        request: AgentRequest,
        *,
        agent: Agent,
        files: Files,
        group: asyncio.TaskGroup,
        recall: Looks | None = None,
    ) -> None:
        self.request = request
        self._recall = recall
        self._recalled: asyncio.Future[Recalled] = asyncio.get_running_loop().create_future()
        self._agent, self._files = agent, _Held(files)
        self._items: deque[AgentItem] = deque()
        self._error: Exception | None = None
        self._ended = self._whole = self._wanted = False
        self._changed = asyncio.Event()
        name = f"prepare {request.session_id} {request.response_id}"
        self._task = group.create_task(self._pull(), name=name)

    @property
    def name(self) -> str:
        """The agent's name."""
        return self._agent.name

    @property
    def tokens(self) -> int:
        """How many pieces of text are kept."""
        return sum(1 for item in self._items if isinstance(item, str | Text))

    @property
    def failed(self) -> bool:
        """Whether it has ended without an answer."""
        return self._error is not None or (self._ended and not self._whole)

    def drop(self) -> None:
        """Stop it, and forget what it said."""
        self._task.cancel()
        self._items.clear()

    async def look(self, request: AgentRequest) -> Recalled:  # noqa: ARG002
        """What it was given of memory; see `runtime.recall.Looks`."""
        return await asyncio.shield(self._recalled)

    # The run has both already.
    async def run(self, request: AgentRequest, files: Files) -> AsyncGenerator[AgentItem, None]:  # noqa: ARG002
        """Let it out, as an agent's run. Leaving it stops it."""
        self._wanted = True
        self._files.let_out(files)
        self._changed.set()
        try:
            while True:
                while self._items:
                    item = self._items.popleft()
                    self._changed.set()
                    yield item
                if self._ended:
                    break
                self._changed.clear()
                await self._changed.wait()
            if self._error is not None:
                raise self._error
        finally:
            self._task.cancel()

    async def _pull(self) -> None:
        try:
            found = Recalled() if self._recall is None else await self._recall.look(self.request)
            self._recalled.set_result(found)
            async with aclosing(self._agent.run(found.given_to(self.request), self._files)) as items:
                async for item in items:
                    self._items.append(item)
                    self._whole = self._whole or (isinstance(item, RunEnd) and not isinstance(item, Failure))
                    self._changed.set()
                    await self._hold(item)
        # The boundary of the actor: an agent may raise anything; whoever lets it out gets it.
        except Exception as error:  # noqa: BLE001
            self._error = error
        finally:
            if not self._recalled.done():
                self._recalled.set_result(Recalled())
            self._ended = True
            self._changed.set()

    async def _hold(self, item: AgentItem) -> None:
        """Wait until the next item may be asked for."""
        while (not self._wanted and isinstance(item, HOLDS)) or len(self._items) >= limits.EARLY_ITEMS:
            self._changed.clear()
            await self._changed.wait()


class _Held:
    """What a run that nobody sees may reach: its files; a tool runs only once the run is let out."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._out = asyncio.Event()

    def let_out(self, files: Files) -> None:
        """Reach what the run may reach now."""
        self._files = files
        self._out.set()

    async def read(self, upload_id: str) -> bytes:
        """Read an upload; see `ports.agent.Files`."""
        return await self._files.read(upload_id)

    async def call(self, name: str, arguments: str) -> ToolResult:
        """Have a tool run; see `ports.agent.Calls`."""
        await self._out.wait()
        if not isinstance(self._files, Calls):
            raise RuntimeError("no tools can be had here")
        return await self._files.call(name, arguments)
