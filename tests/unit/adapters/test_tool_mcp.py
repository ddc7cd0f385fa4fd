"""Against a real server of the official SDK, over both transports."""

import asyncio
import contextlib
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from duologue.adapters.guarded_http import Reach, guarded_client, read_networks
from duologue.adapters.tool_mcp import Listed, McpOptions, McpSource
from duologue.model.tools import ToolSpec
from duologue.ports.tool import Tool, ToolContext, ToolFailed

pytestmark = [pytest.mark.anyio, pytest.mark.counterpart("MCP SDK")]

SERVER = Path(__file__).parents[2] / "counterparts" / "mcp_server.py"
FOR = ToolContext(session_id="s", subject="ada", turn=1, call_id="c-1", key="k-1")
LOOPBACK = Reach(read_networks(["127.0.0.1"]))
PATIENCE_S = 60


def over(listed: Listed) -> ToolSpec | None:
    return ToolSpec(
        name=listed.name,
        kind="mcp",
        description=listed.description,
        input_schema=listed.input_schema,
        output_schema=listed.output_schema,
        side_effect=listed.side_effect,
        policy="denied",
    )


class Told:
    """Keeps what a source tells, and lets others wait for it."""

    def __init__(self) -> None:
        self.tools: dict[str, Tool] = {}
        self.times = 0
        self._told = asyncio.Event()

    def __call__(self, tools: Sequence[Tool]) -> None:
        self.tools = {tool.spec.name: tool for tool in tools}
        self.times += 1
        self._told.set()

    async def first(self) -> dict[str, Tool]:
        async with asyncio.timeout(PATIENCE_S):
            await self._told.wait()
        return self.tools


@asynccontextmanager
async def kept(options: McpOptions, reach: Reach = LOOPBACK) -> AsyncGenerator[Told]:
    source = McpSource(options, over=over, client=lambda: guarded_client(reach))
    told = Told()
    task = asyncio.ensure_future(source.keep(told))
    try:
        yield told
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


STDIO = McpOptions(name="shop", command=(sys.executable, str(SERVER)), env=(("PYTHONWARNINGS", "ignore"),))


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with serving(free_port()) as port:
        yield port


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]


@contextmanager
def serving(port: int) -> Generator[int]:
    process = subprocess.Popen([sys.executable, str(SERVER), str(port)], stderr=subprocess.DEVNULL)
    try:
        for _ in range(PATIENCE_S * 20):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            assert process.poll() is None
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.05)
        yield port
    finally:
        process.kill()
        process.wait()


@pytest.fixture(params=["stdio", "http"])
def options(request: pytest.FixtureRequest) -> McpOptions:
    if request.param == "stdio":
        return STDIO
    port: int = request.getfixturevalue("port")
    return McpOptions(name="shop", url=f"http://127.0.0.1:{port}/mcp", headers=(("x-from", "duologue"),))


async def test_tools_are_listed_with_their_schemas_and_hints(options: McpOptions) -> None:
    async with kept(options) as told:
        tools = await told.first()
        assert list(tools) == ["stock", "note", "empty", "made.calls", "die"]
        assert [tool.spec.side_effect for tool in tools.values()] == ["read", "write", *["destructive"] * 3]
        assert all(tool.spec.policy == "denied" for tool in tools.values())
        spec = tools["stock"].spec
        assert spec.description.startswith("How much of an item is left.")
        assert spec.input_schema is not None
        assert spec.input_schema["required"] == ["item"]
        assert spec.output_schema is not None


async def test_calls_give_structured_results_text_and_failures(options: McpOptions) -> None:
    async with kept(options) as told:
        tools = await told.first()
        assert await tools["stock"].call({"item": "tea"}, FOR) == {"left": 3}
        assert await tools["note"].call({"text": "hello"}, FOR) == {"result": "noted: hello"}
        with pytest.raises(ToolFailed, match="there are nine shelves"):
            await tools["empty"].call({"shelf": 10}, FOR)
        with pytest.raises(ToolFailed):
            await tools["empty"].call({"shelf": "first"}, FOR)
        made: dict[str, Any] = await tools["made.calls"].call({}, FOR)
        assert made["result"][-2:] == ["tea", "hello"]


async def test_calls_can_be_made_at_once(options: McpOptions) -> None:
    async with kept(options) as told:
        tools = await told.first()
        results = await asyncio.gather(*(tools["stock"].call({"item": "x" * n}, FOR) for n in range(1, 9)))
    assert [result["left"] for result in results] == list(range(1, 9))


async def test_a_program_that_ends_in_a_call_fails_it_and_is_begun_again() -> None:
    async with kept(STDIO) as told:
        tools = await told.first()
        with pytest.raises(ToolFailed) as failed:
            await tools["die"].call({}, FOR)
        assert (failed.value.code, failed.value.retryable, failed.value.perhaps_done) == ("broken_off", True, True)
        async with asyncio.timeout(PATIENCE_S):
            while True:
                with contextlib.suppress(ToolFailed):
                    assert await tools["stock"].call({"item": "rice"}, FOR) == {"left": 4}
                    break


async def test_nobody_is_told_as_no_tools_and_calls_fail() -> None:
    async with kept(McpOptions(name="gone", command=(sys.executable, "-c", "pass"))) as told:
        assert await told.first() == {}
    async with kept(McpOptions(name="gone", url=f"http://127.0.0.1:{free_port()}/mcp")) as told:
        assert await told.first() == {}


async def test_an_inner_address_is_not_asked(port: int) -> None:
    async with kept(McpOptions(name="inner", url=f"http://127.0.0.1:{port}/mcp"), Reach()) as told:
        assert await told.first() == {}


async def test_a_program_gets_the_variables_it_is_given_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DUOLOGUE_AUTH__SECRET", "a secret of the server's that no program is to have")
    source = (
        "import os, sys; sys.exit(0 if os.environ.get('A') == 'b' and 'DUOLOGUE_AUTH__SECRET' not in os.environ else 1)"
    )
    from mcp.client.stdio import get_default_environment

    assert "DUOLOGUE_AUTH__SECRET" not in get_default_environment()
    options = McpOptions(name="env", command=(sys.executable, "-c", source), env=(("A", "b"),))
    assert "b" not in repr(options).replace("McpOptions", "")
    async with kept(options) as told:
        assert await told.first() == {}
