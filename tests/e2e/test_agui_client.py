"""The official AG-UI client against a real server: what it makes of runs, tools, interrupts and refusals."""

import asyncio
import json
from pathlib import Path

import pytest
from tests.e2e.agents import asking_agent
from tests.e2e.agui import Json
from tests.e2e.harness import serving
from tests.e2e.links import journal, kinds

from duologue.adapters.agent_python import PythonAgent

pytestmark = pytest.mark.anyio

CLIENT_S = 60
"""How long a conversation of the client may take: node starts slowly on a busy machine."""


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent leaves files where it stands."""
    monkeypatch.chdir(tmp_path)


async def talk(client: list[str], name: str, data: Path, *, go_on: bool = False) -> tuple[Json, list[Json]]:
    """Let the client hold a conversation; gives what it has seen, and the turns that were accepted.

    A warning of the client fails the test. With `go_on`, the agent that waits goes on after the client's first word.
    """
    async with serving(PythonAgent(asking_agent.answer), data) as server:
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
