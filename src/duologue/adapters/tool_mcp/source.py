"""One server of tools: connected to for as long as ours runs."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

import httpx2
import mcp
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CONNECTION_CLOSED, Implementation, ToolListChangedNotification
from mcp.types import Tool as Described

from duologue.adapters.tool_mcp.options import Listed, McpOptions, Over
from duologue.adapters.tool_mcp.result import read_result
from duologue.model import limits
from duologue.model.tools import SideEffect, ToolSpec
from duologue.ports.tool import Tell, Tool, ToolContext, ToolFailed

KEY: Final = "duologue/idempotencyKey"
"""Where a call's `_meta` carries its idempotency key; MCP itself has none."""

PAGES: Final = 16
"""Most pages of a list of tools: with less than `limits.TOOLS` on each, more is no list."""

RELIST_S: Final = 60.0
"""How often the list is asked for again: it also shows that the server is still there."""

RECONNECT_S: Final = 1.0
RECONNECT_MAX_S: Final = 60.0

_log: Final = logging.getLogger(__name__)


class McpSource:
    """Connects to a server of tools, lists them, and carries out their calls.

    The server is asked for tools only: it may ask nothing back, neither the model nor the person, and what its
    annotations say is a hint and no permission.
    Source: `duologue.ports.tool.ToolSource`; MCP 2025-11-25 and 2026-07-28.

    Args:
        options: where it is.
        over: decides what is declared of each tool.
        client: gives what sends requests over HTTP, which decides where they may go.
    Cancellation: a server that was begun as a process is ended.
    """

    def __init__(self, options: McpOptions, *, over: Over, client: Callable[[], httpx2.AsyncClient]) -> None:
        self._options, self._over, self._make_client = options, over, client
        self._client: mcp.Client | None = None
        self._there = asyncio.Event()
        self._look = asyncio.Event()
        self._lost = False

    @property
    def name(self) -> str:
        """A short name for people and figures."""
        return self._options.name

    async def keep(self, tell: Tell) -> None:
        """Stay connected; see the port."""
        pause_s = RECONNECT_S
        known = False
        while True:
            try:
                async with self._connected() as client:
                    while not self._lost:
                        tell(await self._list(client))
                        self._client, known, pause_s = client, True, RECONNECT_S
                        self._there.set()
                        await self._until_looked_at()
            # The boundary of one server: whatever it does, conversations go on.
            except Exception as error:  # noqa: BLE001
                fields = {"source": self.name, "error": type(error).__name__, "pii.detail": str(error)}
                _log.warning("tools_lost", extra={"fields": fields})
            finally:
                self._client = None
                self._there.clear()
            if not known:
                tell(())
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 2, RECONNECT_MAX_S)

    # JSON of the tool's own design.
    async def call(self, name: str, arguments: dict[str, Any], context: ToolContext) -> Any:
        """Carry out a call of one of its tools; see `duologue.ports.tool.Tool`."""
        client = await self._reach()
        meta: Any = {KEY: context.key}
        try:
            result = await client.call_tool(name, arguments, meta=meta)
        except mcp.MCPError as error:
            if error.code == CONNECTION_CLOSED:
                self._lose()
                raise ToolFailed("the connection to the tool broke off", code="broken_off", retryable=True) from error
            raise ToolFailed(error.message[: limits.TOOL_FAULT_CHARS], code="refused") from error
        except RuntimeError as error:
            # What the SDK says quotes the result.
            raise ToolFailed("the tool's result is not what it declares", code="bad_output") from error
        return read_result(result)

    async def _reach(self) -> mcp.Client:
        """Wait until the server is there; the call's own time bounds it."""
        while self._client is None:
            try:
                async with asyncio.timeout(limits.TOOL_CONNECT_MS / 1000):
                    await self._there.wait()
            except TimeoutError as error:
                message = "the tool cannot be reached"
                raise ToolFailed(message, code="unreachable", retryable=True, perhaps_done=False) from error
        return self._client

    def _lose(self) -> None:
        self._lost = True
        self._client = None
        self._there.clear()
        self._look.set()

    async def _until_looked_at(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(RELIST_S):
                await self._look.wait()
        self._look.clear()

    @asynccontextmanager
    async def _connected(self) -> AsyncGenerator[mcp.Client]:
        self._lost = False
        options = self._options
        async with AsyncExitStack() as stack:
            if options.command:
                parameters = StdioServerParameters(
                    command=options.command[0], args=[*options.command[1:]], env=dict(options.env)
                )
                transport = stdio_client(parameters)
            else:
                client = await stack.enter_async_context(self._make_client())
                client.headers.update(dict(options.headers))
                transport = streamable_http_client(options.url, http_client=client)
            made = mcp.Client(
                transport,
                client_info=Implementation(name="duologue", version="1"),
                message_handler=self._on_message,
                cache=None,
            )
            async with asyncio.timeout(limits.TOOL_SOURCE_MS / 1000):
                entered = await stack.enter_async_context(made)
            yield entered

    async def _on_message(self, message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            self._look.set()

    async def _list(self, client: mcp.Client) -> Sequence[Tool]:
        found: list[Described] = []
        cursor: str | None = None
        async with asyncio.timeout(limits.TOOL_SOURCE_MS / 1000):
            for _ in range(PAGES):
                page = await client.list_tools(cursor=cursor)
                found += page.tools
                cursor = page.next_cursor
                if cursor is None:
                    break
        made: list[Tool] = []
        for one in found:
            spec = self._over(_listed(one))
            if spec is not None:
                made.append(McpTool(self, one.name, spec))
        return made


class McpTool:
    """One tool of a server.

    Source: `duologue.ports.tool.Tool`.
    """

    def __init__(self, source: McpSource, name: str, spec: ToolSpec) -> None:
        self._source, self._name, self._spec = source, name, spec

    @property
    def spec(self) -> ToolSpec:
        """What is declared of it."""
        return self._spec

    # JSON of the tool's own design.
    async def call(self, arguments: dict[str, Any], context: ToolContext) -> Any:
        """Carry out a call; see the port."""
        return await self._source.call(self._name, arguments, context)


def _listed(one: Described) -> Listed:
    return Listed(
        name=one.name,
        description=one.description or one.title or "",
        input_schema=one.input_schema,
        output_schema=one.output_schema,
        side_effect=_side_effect(one),
    )


def _side_effect(one: Described) -> SideEffect:
    """As the annotations hint; what they do not say is taken for the worst. Source: MCP, `ToolAnnotations`."""
    hints = one.annotations
    if hints is not None and hints.read_only_hint:
        return "read"
    if hints is not None and hints.destructive_hint is False:
        return "write"
    return "destructive"
