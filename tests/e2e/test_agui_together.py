"""Case 8 for interrupts, and one conversation on AG-UI and another channel at the same time."""

import asyncio
from pathlib import Path

import pytest
from tests.e2e.agents import asking_agent
from tests.e2e.agui import agui_input, refused, run, start, user
from tests.e2e.conftest import Serve
from tests.e2e.harness import serving
from tests.e2e.links import CHANNELS, Channel, channel_name, journal, kinds
from tests.e2e.wire import fetch

from duologue.adapters.agent_python import PythonAgent
from duologue.testing.scripted_agent import ScriptedAgent, WaitFor

pytestmark = pytest.mark.anyio

APPROVED = {"interruptId": "may-refund", "status": "resolved", "payload": {"approved": True}}


async def test_case_8_what_was_asked_survives_and_is_decided_once(serve: Serve, tmp_path: Path) -> None:
    server = await asyncio.to_thread(serve, "--agent", "asking_agent:answer")
    port = server.port
    await run(port, agui_input("t-1", "r-1", user("refund", "u-1")))

    # The page reloads, and the server is killed and started again: the same is offered every time.
    offered = await run(port, agui_input("t-1", "look-1"))
    await asyncio.to_thread(server.kill)
    await asyncio.to_thread(server.start)
    again = await run(port, agui_input("t-1", "look-2"))
    assert offered.last["outcome"] == again.last["outcome"]
    assert [one["id"] for one in again.last["outcome"]["interrupts"]] == ["may-refund"]
    assert again.of("MESSAGES_SNAPSHOT")[0]["messages"][1]["toolCalls"][0]["id"] == "refund-1"

    # An invented id is refused, a second device decides, and the first one is told so.
    invented = agui_input("t-1", "r-2", resume=[APPROVED | {"interruptId": "may-pay"}])
    assert (await refused(port, invented))[1]["code"] == "interrupt_unknown"
    decided = await run(port, agui_input("t-1", "r-3", resume=[APPROVED]))
    assert decided.text == "It is refunded."
    status, late = await refused(port, agui_input("t-1", "r-4", resume=[APPROVED]))
    assert (status, late["code"]) == (409, "interrupt_closed") and "already been decided" in late["message"]

    # Sent again it is the same run, also after another restart.
    await asyncio.to_thread(server.kill)
    await asyncio.to_thread(server.start)
    repeated = await run(port, agui_input("t-1", "r-3", resume=[APPROVED]))
    assert repeated.sent == decided.sent
    assert (await refused(port, agui_input("t-1", "r-5", resume=[APPROVED])))[1]["code"] == "interrupt_closed"
    assert (tmp_path / "runs").read_text("utf-8").splitlines() == ["run refund", "run ", "refund"]


async def test_case_8_two_devices_decide_at_the_same_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with serving(PythonAgent(asking_agent.answer), tmp_path) as server:
        await run(server.port, agui_input("t-1", "r-1", user("refund", "u-1")))

        async def decide(run_id: str) -> str:
            body = agui_input("t-1", run_id, resume=[APPROVED])
            answer = await fetch(server.port, "POST", "/agui", body=body)
            return "taken" if answer.status == 200 else answer.body["code"]

        outcomes = await asyncio.gather(*(decide(f"device-{number}") for number in range(4)))
        assert sorted(outcomes) == ["interrupt_closed"] * 3 + ["taken"]
        assert (tmp_path / "runs").read_text("utf-8").splitlines().count("refund") == 1


async def test_a_run_that_may_have_refunded_is_not_run_again(serve: Serve, tmp_path: Path) -> None:
    """The server dies while what was approved is on its way: it fails visibly, and is not done twice."""
    server = await asyncio.to_thread(serve, "--agent", "asking_agent:answer")
    await run(server.port, agui_input("t-1", "r-1", user("slow refund", "u-1")))
    body = agui_input("t-1", "r-2", resume=[APPROVED])
    stream = await start(server.port, body)
    await stream.until("TEXT_MESSAGE_CONTENT")
    await asyncio.to_thread(server.kill)
    stream.drop()
    await asyncio.to_thread(server.start)
    again = await run(server.port, body)
    assert (again.last["type"], again.last["code"]) == ("RUN_ERROR", "run_lost")
    assert again.last["metadata"]["duologue"]["retryable"] is False
    assert (tmp_path / "runs").read_text("utf-8").splitlines().count("run ") == 1


async def test_a_run_that_a_crash_cut_goes_on_under_the_same_id(serve: Serve, tmp_path: Path) -> None:
    server = await asyncio.to_thread(serve, "--agent", "asking_agent:answer")
    body = agui_input("t-1", "r-1", user("wait", "u-1"))
    stream = await start(server.port, body)
    await stream.until("TEXT_MESSAGE_CONTENT")
    await asyncio.to_thread(server.kill)
    stream.drop()
    await asyncio.to_thread(server.start)
    await asyncio.to_thread((tmp_path / "go").touch)
    again = await run(server.port, body)
    assert again.of("RUN_STARTED")[0]["runId"] == again.last["runId"] == "r-1"
    assert again.of("duologue.retry")[0]["value"] == {"attempt": 2, "responseId": "response-2"}
    lost, whole = again.of("TEXT_MESSAGE_END")
    assert lost["metadata"]["duologue"] == {"code": "run_lost", "willRetry": True}
    words = [one["delta"] for one in again.of("TEXT_MESSAGE_CONTENT") if one["messageId"] == whole["messageId"]]
    assert words == ["before ", "after"]


@pytest.mark.parametrize("channel", CHANNELS, ids=channel_name)
async def test_the_same_conversation_on_another_channel(channel: Channel, tmp_path: Path) -> None:
    go_on = asyncio.Event()
    agent = ScriptedAgent(["one ", WaitFor(event=go_on), "two"])
    async with serving(agent, tmp_path) as server, channel.link(server.port, "t-1") as link:
        await link.say("from there", 1)
        await link.until_delta()
        # A run of the thread is going on: a second is refused, and nothing new to say means to follow it.
        status, error = await refused(server.port, agui_input("t-1", "r-1", user("me too", "u-1")))
        assert (status, error["code"]) == (409, "busy")
        followed = await start(server.port, agui_input("t-1", "look"))
        await followed.until("TEXT_MESSAGE_CONTENT")
        go_on.set()
        await link.over()
        assert (await followed.over()).text == link.text == "one two"

        stream = await run(server.port, agui_input("t-1", "r-2", user("from here", "u-2")))
        assert stream.text == "one two"
        # Over HTTP a client follows its own messages.
        if channel.is_socket:
            await link.over()
            assert link.text == "one two" * 2
            assert [channel.dialect.asked(frame.body) for frame in link.frames].count("from here") == 1
        told = stream.of("MESSAGES_SNAPSHOT")[-1]["messages"]
        assert [one["content"] for one in told] == ["from there", "one two", "from here"]
        assert [turn["text"] for turn in kinds(await journal(server.port, "t-1"), "turn_accepted")] == [
            "from there",
            "from here",
        ]


@pytest.mark.parametrize("channel", CHANNELS, ids=channel_name)
async def test_another_channel_sees_questions_and_tools_and_writes_on(
    channel: Channel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with serving(PythonAgent(asking_agent.answer), tmp_path) as server:
        await run(server.port, agui_input("t-1", "r-1", user("tool", "u-1")))
        await run(server.port, agui_input("t-1", "r-2", user("refund", "u-2")))
        async with channel.link(server.port, "t-1") as link:
            await link.say("forget it", 3)
            await link.over() if channel.is_socket else None
            while "Not then" not in link.text:
                await link.next()
        _, error = await refused(server.port, agui_input("t-1", "r-3", resume=[APPROVED]))
        assert error["code"] == "interrupt_closed"
        given_up = kinds(await journal(server.port, "t-1"), "turn_accepted")[-1]
        assert given_up["answers"] == [{"interrupt_id": "may-refund", "status": "cancelled"}]
