"""The official AG-UI client against a real server: what it makes of runs, tools, interrupts and refusals."""

import asyncio
import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.conformance.causes.runs_tiers import AGENTS
from tests.conformance.causes.runs_tools import TOOLS, calls
from tests.e2e.agents import asking_agent
from tests.e2e.agui import Json
from tests.e2e.harness import CountingAgent, serving
from tests.e2e.links import journal, kinds

from duologue.adapters.agent_python import PythonAgent
from duologue.ports.agent import Agent
from duologue.ports.tool import Tool
from duologue.server.settings import ServerSettings, Settings
from duologue.testing.scripted_agent import ScriptedAgent

pytestmark = pytest.mark.anyio

CLIENT_S = 60
"""How long a conversation of the client may take: node starts slowly on a busy machine."""


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent leaves files where it stands."""
    monkeypatch.chdir(tmp_path)


async def talk(
    client: list[str],
    name: str,
    data: Path,
    *,
    go_on: bool = False,
    agent: Agent | None = None,
    settings: Settings | None = None,
    tools: Iterable[Tool] = (),
) -> tuple[Json, list[Json]]:
    """Let the client hold a conversation; gives what it has seen, and the turns that were accepted.

    A warning of the client fails the test. With `go_on`, the agent that waits goes on after the client's first word.
    """
    answering = agent or PythonAgent(asking_agent.answer)
    async with serving(answering, data, settings, tools=tools) as server:
        process = await asyncio.create_subprocess_exec(
            *client, f"{server.url}/agui", name, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        assert process.stdout is not None and process.stderr is not None
        try:
            async with asyncio.timeout(CLIENT_S):
                if go_on:
                    assert await process.stderr.readline() == b"refused\n"
                    await asyncio.to_thread(Path("go").touch)
                seen, warned = await asyncio.gather(process.stdout.read(), process.stderr.read())
                code = await process.wait()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        assert (code, warned.decode()) == (0, "")
        return json.loads(seen), kinds(await journal(server.port, name), "turn_accepted")


def told(messages: list[Json]) -> list[tuple[str, str]]:
    """Who said what."""
    return [(one["role"], one.get("content") or "") for one in messages]


async def test_who_follows_a_thread_sees_what_another_says(agui_client: list[str], tmp_path: Path) -> None:
    seen, _ = await talk(agui_client, "follow", tmp_path)
    assert told(seen["messages"]) == told(seen["own"])
    assert [one["outcome"] for one in (seen["first"], seen["second"])] == ["success", "success"]


async def test_two_runs_of_one_thread(agui_client: list[str], tmp_path: Path) -> None:
    seen, turns = await talk(agui_client, "text", tmp_path)
    assert told(seen["messages"]) == [
        ("user", "hello"),
        ("assistant", "You said hello."),
        ("user", "again"),
        ("assistant", "You said again."),
    ]
    assert seen["first"]["outcome"] == seen["second"]["outcome"] == "success"
    assert "MESSAGES_SNAPSHOT" not in seen["second"]["kinds"]
    assert seen["first"]["custom"] == ["duologue.citation", "duologue.diagnostic"]
    assert [turn["text"] for turn in turns] == ["hello", "again"]


async def test_a_tool_of_the_agents_own(agui_client: list[str], tmp_path: Path) -> None:
    seen, _ = await talk(agui_client, "ownTool", tmp_path)
    assert told(seen["messages"]) == [
        ("user", "tool"),
        ("assistant", "Let me look. "),
        ("tool", '{"seen": true}'),
        ("assistant", "There it is."),
        ("user", "thanks"),
        ("assistant", "You said thanks."),
    ]
    (call,) = seen["messages"][1]["toolCalls"]
    assert call["function"] == {"name": "look", "arguments": '{"at": "it"}'}
    assert seen["first"]["pending"] == []
    assert seen["first"]["usage"][0]["outputTokens"] == 3
    assert "MESSAGES_SNAPSHOT" not in seen["second"]["kinds"]


async def test_a_tool_of_the_client(agui_client: list[str], tmp_path: Path) -> None:
    seen, turns = await talk(agui_client, "clientTool", tmp_path)
    assert len(seen["first"]["pending"]) == 1
    assert told(seen["messages"]) == [
        ("user", "where"),
        ("assistant", ""),
        ("tool", "Ulm"),
        ("assistant", "It says Ulm"),
    ]
    assert "MESSAGES_SNAPSHOT" not in seen["second"]["kinds"]
    assert [turn["text"] for turn in turns] == ["where", ""]


async def test_a_tool_of_the_server_that_the_person_approves(agui_client: list[str], tmp_path: Path) -> None:
    agent = CountingAgent(calls)
    seen, turns = await talk(agui_client, "approval", tmp_path, agent=agent, tools=TOOLS)
    (asked,) = seen["pending"]
    assert (seen["first"]["outcome"], asked["reason"]) == ("interrupt", "tool_approval")
    assert "refund" in asked["message"]
    assert (seen["second"]["outcome"], seen["left"]) == ("success", [])
    assert told(seen["messages"])[-2:] == [("tool", "refunded 7"), ("assistant", "[refunded 7]")]
    (call,) = next(one["toolCalls"] for one in seen["messages"] if one.get("toolCalls"))
    assert call["id"] == asked["toolCallId"]
    assert [len(turn.get("answers", [])) for turn in turns] == [0, 1]


async def test_an_answer_that_a_better_one_takes_the_place_of(agui_client: list[str], tmp_path: Path) -> None:
    settings = Settings(server=ServerSettings(drain_ms=500), agents=AGENTS)
    seen, _ = await talk(agui_client, "upgraded", tmp_path, agent=ScriptedAgent(["It will rain."]), settings=settings)
    assert "duologue.answer.upgraded" in seen["first"]["custom"]
    assert told(seen["messages"]) == [("user", "Will the weather be fine?"), ("assistant", "It will rain.")]
    assert told(seen["followed"]) == told(seen["messages"])


async def test_an_interrupt_and_its_answer(agui_client: list[str], tmp_path: Path) -> None:
    seen, turns = await talk(agui_client, "interrupt", tmp_path)
    assert seen["first"]["outcome"] == "interrupt"
    assert [one["id"] for one in seen["pending"]] == ["may-refund"]
    assert (seen["plain"]["status"], seen["plain"]["payload"]["code"]) == (409, "interrupts_open")
    assert seen["second"]["outcome"] == "success" and seen["left"] == []
    assert told(seen["messages"]) == [
        ("user", "refund"),
        ("assistant", "That needs a yes."),
        ("tool", "done"),
        ("assistant", "It is refunded."),
    ]
    assert (seen["late"]["status"], seen["late"]["payload"]["code"]) == (409, "interrupt_closed")
    assert [(turn["text"], len(turn.get("answers", []))) for turn in turns] == [("refund", 0), ("", 1)]


async def test_an_interrupt_without_words(agui_client: list[str], tmp_path: Path) -> None:
    """The client sends its last message again with the answer: it does not count twice."""
    seen, turns = await talk(agui_client, "silentInterrupt", tmp_path)
    assert told(seen["messages"]) == [("user", "silent question"), ("assistant", "So it is tea.")]
    assert [turn["text"] for turn in turns] == ["silent question", ""]


async def test_a_second_run_is_refused(agui_client: list[str], tmp_path: Path) -> None:
    seen, turns = await talk(agui_client, "busy", tmp_path, go_on=True)
    assert (seen["second"]["status"], seen["second"]["payload"]["code"]) == (409, "busy")
    assert told(seen["messages"]) == [("user", "wait"), ("assistant", "before after")]
    assert len(turns) == 1


async def test_a_run_that_fails(agui_client: list[str], tmp_path: Path) -> None:
    seen, _ = await talk(agui_client, "error", tmp_path)
    assert seen["first"]["error"] == "agent_failed" and "outcome" not in seen["first"]
    assert seen["second"]["outcome"] == "success"
    assert told(seen["messages"])[-1] == ("assistant", "You said hello.")


async def test_an_operator_speaks_between_two_runs(agui_client: list[str], tmp_path: Path) -> None:
    seen, _ = await talk(agui_client, "operator", tmp_path)
    everything = [
        ("user", "hello", None),
        ("assistant", "You said hello.", None),
        ("assistant", "Mia here.", "mia"),
        ("user", "a person?", None),
    ]
    named = [(one["role"], one["content"], one.get("name")) for one in seen["messages"]]
    assert named == everything
    assert [(one["role"], one["content"], one.get("name")) for one in seen["followed"]] == everything[:3]
    assert seen["second"]["outcome"] == "success"
    assert set(seen["second"]["custom"]) == {"duologue.handoff", "duologue.turn.resumed"}


async def test_what_was_said_on_another_channel_comes_in_order(agui_client: list[str], tmp_path: Path) -> None:
    seen, _ = await talk(agui_client, "elsewhere", tmp_path)
    everything = [
        ("user", "hello"),
        ("assistant", "You said hello."),
        ("user", "from the chat"),
        ("assistant", "You said from the chat."),
        ("user", "and now?"),
        ("assistant", "You said and now?."),
    ]
    assert told(seen["messages"]) == everything
    assert told(seen["reloaded"]) == everything
    assert seen["looked"]["outcome"] == "success"
