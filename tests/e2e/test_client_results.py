"""A client's own tools give their results one by one, and what was given survives whatever happens in between."""

import asyncio
from pathlib import Path
from typing import Final

import pytest
from tests.e2e.agents import asking_agent
from tests.e2e.agui import agui_input, run, user
from tests.e2e.conftest import Serve
from tests.e2e.harness import serving
from tests.e2e.links import AGENTCALL_WS, CHAT_WS, GHOST_WS, Channel, channel_name, journal, kinds
from tests.e2e.wire import Json, fetch

from duologue.adapters.agent_python import PythonAgent

pytestmark = pytest.mark.anyio

TOOLS: Final = [{"name": name, "description": name} for name in ("town", "river")]
CALLS: Final = ("response-1-0", "response-1-1")


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent leaves files where it stands."""
    monkeypatch.chdir(tmp_path)


async def asks(port: int) -> None:
    """Say something for which both tools are asked."""
    body = {"sessionId": "s-1", "requestId": "m-1", "text": "where", "tools": TOOLS}
    answer = await fetch(port, "POST", "/chat/stream", body=body, headers={"Accept": "application/json"})
    assert tuple(answer.body["pendingToolCalls"]) == CALLS


async def give(port: int, call_id: str, output: Json) -> tuple[int, str]:
    """Give what a tool gave; gives the status, and why it was not taken."""
    body = {"sessionId": "s-1", "toolCallId": call_id, "output": output}
    answer = await fetch(port, "POST", "/chat/tool-call", body=body)
    return answer.status, answer.body.get("reason", "")


async def said(port: int) -> list[str]:
    """What the agent has said in the end."""
    async with asyncio.timeout(15):
        while len(ended := kinds(await journal(port, "s-1"), "turn_ended")) < 2:
            await asyncio.sleep(0.01)
    return [one.get("answer", "") for one in ended]


async def test_one_of_two_results_survives_a_crash(serve: Serve, tmp_path: Path) -> None:
    server = await asyncio.to_thread(serve, "--agent", "asking_agent:answer")
    await asks(server.port)
    assert await give(server.port, CALLS[0], "Ulm") == (200, "")
    await asyncio.to_thread(server.kill)
    await asyncio.to_thread(server.start)
    # A client that does not know whether it was taken sends it again; another one in its place is refused.
    assert await give(server.port, CALLS[0], "Ulm") == (200, "")
    assert await give(server.port, CALLS[0], "Linz") == (409, "tool_call_closed")
    assert await give(server.port, CALLS[1], "Danube") == (200, "")
    assert await said(server.port) == ["", "It says Ulm, Danube"]
    assert [one["result"] for one in kinds(await journal(server.port, "s-1"), "tool_returned")] == ["Ulm", "Danube"]
    assert (tmp_path / "runs").read_text("utf-8").splitlines() == ["run where", "run "], "each turn is run once"


@pytest.mark.parametrize("channel", [CHAT_WS, GHOST_WS], ids=channel_name)
async def test_the_second_result_comes_after_a_restart(channel: Channel, tmp_path: Path) -> None:
    call = "tool_call_id" if channel is GHOST_WS else "toolCallId"
    async with serving(PythonAgent(asking_agent.answer), tmp_path) as server:
        await asks(server.port)
        async with channel.link(server.port, "s-1") as link:
            await link.send({"type": "tool.output", call: CALLS[1], "output": "Danube"})
            async with asyncio.timeout(15):
                while "Danube" not in str([frame.body for frame in link.frames]):
                    await link.next()
    async with serving(PythonAgent(asking_agent.answer), tmp_path) as server:
        assert await give(server.port, CALLS[0], "Ulm") == (200, "")
        assert await said(server.port) == ["", "It says Ulm, Danube"]


async def test_who_writes_on_takes_with_it_what_was_given(tmp_path: Path) -> None:
    async with serving(PythonAgent(asking_agent.answer), tmp_path) as server:
        await asks(server.port)
        await give(server.port, CALLS[0], "Ulm")
        async with AGENTCALL_WS.link(server.port, "s-1") as link:
            await link.say("never mind", 2)
            await link.over()
        assert (await said(server.port))[-1] == "It says Ulm"
        assert await give(server.port, CALLS[1], "Danube") == (409, "tool_call_closed")


async def test_an_agui_run_brings_what_is_still_missing(tmp_path: Path) -> None:
    tools = [one | {"parameters": {"type": "object"}} for one in TOOLS]
    async with serving(PythonAgent(asking_agent.answer), tmp_path) as server:
        await run(server.port, agui_input("s-1", "r-1", user("where", "u-1"), tools=tools))
        await give(server.port, CALLS[0], "Ulm")
        stands = await run(server.port, agui_input("s-1", "look"))
        assert stands.last["outcome"] == {"type": "success", "pendingToolCallIds": [CALLS[1]]}
        shown = stands.of("MESSAGES_SNAPSHOT")[-1]["messages"]
        assert [one["content"] for one in shown if one["role"] == "tool"] == ["Ulm"]
        result = {"id": "m-1", "role": "tool", "toolCallId": CALLS[1], "content": "Danube"}
        done = await run(server.port, agui_input("s-1", "r-2", *shown, result, tools=tools))
        assert done.text == "It says Ulm, Danube"
