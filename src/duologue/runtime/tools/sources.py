"""The servers of tools: each is kept connected for as long as the hub runs."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import Self

from duologue.model import limits
from duologue.model.events import AnyEvent
from duologue.ports.tool import Tool, ToolSource
from duologue.runtime.events_log import EventLog
from duologue.runtime.tools.toolbox import Toolbox


class Sources:
    """Fills the registry with what servers of tools list. A companion of the hub.

    Entering it waits until each has told what it has, `limits.TOOL_START_MS` at most; those that are later are used
    once they are there.

    Args:
        sources: the servers.
        toolbox: the registry.
        log: is told of tools that cannot be used.
        closing: let go of at the end, such as connections that tools share.
    """

    def __init__(
        self,
        sources: Sequence[ToolSource],
        *,
        toolbox: Toolbox,
        log: EventLog,
        closing: Sequence[Callable[[], Awaitable[None]]] = (),
    ) -> None:
        self._sources, self._toolbox, self._log, self._closing = tuple(sources), toolbox, log, tuple(closing)
        self._group: asyncio.TaskGroup | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._silent = {source.name for source in self._sources}
        self._told = asyncio.Event()

    async def __aenter__(self) -> Self:
        if self._sources:
            self._group = await asyncio.TaskGroup().__aenter__()
            self._tasks = [self._group.create_task(self._keep(source)) for source in self._sources]
            try:
                async with asyncio.timeout(limits.TOOL_START_MS / 1000):
                    await self._told.wait()
            except TimeoutError:
                self._log("tools_late", sources=sorted(self._silent))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        group, self._group = self._group, None
        for task in self._tasks:
            task.cancel()
        if group is not None:
            await group.__aexit__(None, None, None)
        for close in self._closing:
            await close()

    def stored(self, session_id: str, events: tuple[AnyEvent, ...]) -> None:
        """Hear of durable events, which do not matter here."""

    async def removing(self, session_ids: Sequence[str]) -> None:
        """Forget nothing: nothing is kept of sessions."""

    async def _keep(self, source: ToolSource) -> None:
        await source.keep(lambda tools: self._tell(source.name, tools))

    def _tell(self, source: str, tools: Sequence[Tool]) -> None:
        for fault in self._toolbox.replace(source, tools):
            self._log("tool_left_out", source=source, fault=fault)
        self._silent.discard(source)
        if not self._silent:
            self._told.set()
