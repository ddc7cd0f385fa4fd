"""An answer that is prepared early is kept back, held where it calls a tool, and let out as it was."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from duologue.model import limits
from duologue.model.agent import AgentItem, AgentRequest, Finished, ToolCalled, ToolReturned
from duologue.model.memory import MemoryItem
from duologue.ports.agent import Files
from duologue.runtime.recall import Recalled
from duologue.runtime.voice.early import Prepared
from duologue.testing.scripted_agent import BreakOff, Pause, Raise, ScriptedAgent

pytestmark = pytest.mark.anyio

REQUEST = AgentRequest(session_id="s", subject="ada", response_id="response-1", turn=1, text="hello")


class NoFiles:
    """Nothing was uploaded."""

    async def read(self, upload_id: str) -> bytes:
        raise LookupError(upload_id)


class Tools:
    """Says a word, runs a tool, and says another."""

    name = "tools"

    def __init__(self) -> None:
        self.executed = 0
        self.closed = False

    async def run(self, request: AgentRequest, files: Files) -> AsyncGenerator[AgentItem, None]:
        del request, files
        try:
            yield "One. "
            yield ToolCalled(call_id="c", name="tool")
            self.executed += 1
            yield ToolReturned(call_id="c", result="done")
            yield "Two."
            yield Finished()
        finally:
            self.closed = True


async def rounds(count: int = 10) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_it_is_held_at_a_tool_and_goes_on_when_it_is_wanted() -> None:
    agent = Tools()
    async with asyncio.TaskGroup() as group:
        prepared = Prepared(REQUEST, agent=agent, files=NoFiles(), group=group)
        await rounds()
        assert (prepared.tokens, agent.executed, prepared.failed) == (1, 0, False)
        said = [item async for item in prepared.run(REQUEST, NoFiles())]
        assert said[0] == "One. "
        assert said[-2:] == ["Two.", Finished()]
        assert agent.executed == 1
    assert agent.closed


async def test_what_is_dropped_does_nothing_more() -> None:
    agent = Tools()
    async with asyncio.TaskGroup() as group:
        prepared = Prepared(REQUEST, agent=agent, files=NoFiles(), group=group)
        await rounds()
        prepared.drop()
    assert (agent.executed, agent.closed, prepared.tokens) == (0, True, 0)


async def test_so_much_is_kept_and_then_the_agent_waits() -> None:
    agent = ScriptedAgent(["word "] * (2 * limits.EARLY_ITEMS))
    async with asyncio.TaskGroup() as group:
        prepared = Prepared(REQUEST, agent=agent, files=NoFiles(), group=group)
        await rounds(3 * limits.EARLY_ITEMS)
        assert prepared.tokens == limits.EARLY_ITEMS
        said = [item async for item in prepared.run(REQUEST, NoFiles())]
        assert len(said) == 2 * limits.EARLY_ITEMS + 1


@pytest.mark.parametrize("end", [Raise(error=ValueError("broken")), BreakOff()])
async def test_a_run_that_fails_is_known_to_have_failed(end: Raise | BreakOff) -> None:
    async with asyncio.TaskGroup() as group:
        prepared = Prepared(REQUEST, agent=ScriptedAgent(["a", end]), files=NoFiles(), group=group)
        await rounds()
        assert prepared.failed


async def test_a_failure_after_it_was_let_out_is_raised() -> None:
    agent = ScriptedAgent(["a", Pause(ms=20), Raise(error=ValueError("broken"))])
    async with asyncio.TaskGroup() as group:
        prepared = Prepared(REQUEST, agent=agent, files=NoFiles(), group=group)
        with pytest.raises(ValueError, match="broken"):
            assert [item async for item in prepared.run(REQUEST, NoFiles())]


class Remembers:
    """Finds something once it is told to."""

    def __init__(self) -> None:
        self.may = asyncio.Event()
        self.asked = 0

    async def look(self, request: AgentRequest) -> Recalled:  # noqa: ARG002
        """Find it."""
        self.asked += 1
        await self.may.wait()
        return FOUND


FOUND = Recalled(
    memories=(MemoryItem(memory_id="m", kind="fact", text="Lives in Rome", importance=0.8),), retrieve_ms=3
)


async def test_it_is_given_what_is_remembered_and_says_so_once_it_is_let_out() -> None:
    agent, remembers = ScriptedAgent(["a"]), Remembers()
    async with asyncio.TaskGroup() as group:
        prepared = Prepared(REQUEST, agent=agent, files=NoFiles(), group=group, recall=remembers)
        await rounds()
        assert agent.requests == []
        looking = group.create_task(prepared.look(REQUEST))
        remembers.may.set()
        said = [item async for item in prepared.run(REQUEST, NoFiles())]
        assert len(said) == 2 and said[-1] == Finished()
        assert await looking == FOUND
        assert [request.memories for request in agent.requests] == [FOUND.memories]
        assert remembers.asked == 1


async def test_where_it_fails_nothing_was_remembered() -> None:
    async with asyncio.TaskGroup() as group:
        prepared = Prepared(REQUEST, agent=ScriptedAgent(["a"]), files=NoFiles(), group=group)
        assert await prepared.look(REQUEST) == Recalled()
