"""What happens between two runs of AG-UI: who follows gets each event once, who only runs is told with the next run."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.e2e.agui import Stream, agui_input, follow, run, start, user
from tests.e2e.desk import Operator
from tests.e2e.harness import CountingAgent, Live, serving, until
from tests.e2e.links import journal, kinds
from tests.e2e.wire import fetch

from duologue import tool
from duologue.model.agent import AgentItem, AgentRequest, Finished, ToolRequested
from duologue.testing.scripted_agent import ScriptedAgent, WaitFor

pytestmark = [pytest.mark.anyio, pytest.mark.counterpart("ag-ui-validate", "ag-ui-protocol")]


@tool(policy="supervisor_approve")
def voucher(amount: int) -> dict[str, int]:
    """Give a voucher, which a supervisor lets pass."""
    return {"voucher": amount}


async def gives(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
    """Give a voucher where the person wants one, and say what came of it."""
    if request.resumed:
        yield f"Your voucher: {request.tool_results[0].content}"
    elif request.tool_results:
        yield "Somebody has to agree."
    elif request.text == "voucher":
        yield ToolRequested(call_id="call-1", name="voucher", arguments='{"amount": 5}')
    else:
        yield f"You said {request.text}."
    yield Finished()


async def chat(port: int, text: str) -> None:
    """Say something over another protocol."""
    body = {"sessionId": "t-1", "requestId": f"m-{text}", "text": text}
    assert (await fetch(port, "POST", "/chat/stream", body=body)).status == 200


def messages(stream: Stream) -> list[tuple[str, str, str]]:
    """The conversation as a stream has told it: role, words, and whose."""
    told = stream.of("MESSAGES_SNAPSHOT")[-1]["messages"]
    return [(one["role"], one.get("content", ""), one.get("name", "")) for one in told]


async def approve(server: Live) -> None:
    """Let the voucher pass, and wait until the agent has said so."""
    (waits,) = (await fetch(server.port, "GET", "/api/approvals")).body["approvals"]
    body = {"decision": "approve", "digest": waits["digest"]}
    assert (await fetch(server.port, "POST", f"/api/approvals/{waits['approvalId']}", body=body)).status == 200
    async with asyncio.timeout(15):
        while not any(one.get("resumed") for one in kinds(await journal(server.port, "t-1"), "turn_ended")):
            await asyncio.sleep(0.01)


async def test_a_late_result_is_told_with_the_next_run(tmp_path: Path) -> None:
    async with serving(CountingAgent(gives), tmp_path, tools=[voucher]) as server:
        first = await run(server.port, agui_input("t-1", "r-1", user("voucher", "u-1")))
        assert first.text == "Somebody has to agree."
        # Who looks meanwhile is shown that it waits, and holds that as the result for now.
        waiting = (await run(server.port, agui_input("t-1", "look-1"))).of("MESSAGES_SNAPSHOT")[-1]["messages"]
        await approve(server)
        looked = await run(server.port, agui_input("t-1", "look-2"))
        assert [one["value"]["status"] for one in looked.of("duologue.tool.moved")] == ["approved", "executing"]
        assert looked.of("duologue.turn.resumed")[0]["value"]["cause"] == "tool"

        body = agui_input("t-1", "r-2", *waiting, user("thanks", "u-2"))
        after = await run(server.port, body)
        assert messages(after) == [
            ("user", "voucher", ""),
            ("assistant", "", ""),
            ("tool", '{"voucher":5}', ""),
            ("assistant", "Somebody has to agree.", ""),
            ("assistant", 'Your voucher: {"voucher":5}', ""),
            ("user", "thanks", ""),
        ]
        assert [one["value"]["status"] for one in after.of("duologue.tool.moved")] == ["approved", "executing"]
        # It comes again with the same run, and not with the one after it.
        assert (await run(server.port, body)).sent == after.sent
        everything = after.of("MESSAGES_SNAPSHOT")[-1]["messages"]
        last = await run(server.port, agui_input("t-1", "r-3", *everything, user("bye", "u-3")))
        assert last.of("duologue.tool.moved") == []


async def test_what_an_operator_said_and_did_is_told_with_the_next_run(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["Hello."]), tmp_path) as server:
        mia = Operator(server.port, "mia")
        first = await run(server.port, agui_input("t-1", "r-1", user("hi", "u-1")))
        assert first.text == "Hello."
        taken = (await mia.post("take-over", sessionId="t-1")).body["handoff"]
        await mia.do(taken["id"], "say", text="Mia here.")
        shown = [user("hi", "u-1"), {"id": "response-1-message", "role": "assistant", "content": "Hello."}]
        second = await run(server.port, agui_input("t-1", "r-2", *shown, user("a person?", "u-2")))
        assert messages(second) == [
            ("user", "hi", ""),
            ("assistant", "Hello.", ""),
            ("assistant", "Mia here.", "mia"),
            ("user", "a person?", ""),
        ]
        assert [one["value"]["status"] for one in second.of("duologue.handoff")][-1] == "connected"
        assert second.last["metadata"]["duologue"]["outcome"] == "passed"
        numbers = [one.seq for one in second.sent if one.seq is not None]
        assert numbers == sorted(numbers)
        # A client that has them is not told again.
        again = await run(server.port, agui_input("t-1", "r-2", *shown, user("a person?", "u-2")), after=numbers[0])
        assert again.of("duologue.handoff") == []


async def test_who_looks_or_follows_while_a_turn_goes_on_again_sees_what_is_new(tmp_path: Path) -> None:
    go_on = asyncio.Event()

    async def slow(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
        if request.resumed:
            yield "Here "
            await go_on.wait()
            yield "it is."
            yield Finished()
            return
        async for item in gives(request):
            yield item

    async with serving(CountingAgent(slow), tmp_path, tools=[voucher]) as server:
        await run(server.port, agui_input("t-1", "r-1", user("voucher", "u-1")))
        approving = asyncio.create_task(approve(server))
        await until(lambda: any(one.state.open is not None for one in server.hub.sessions))
        streams: list[Stream] = []
        try:
            for number, begin in enumerate((follow, start)):
                streams.append(await begin(server.port, agui_input("t-1", f"look-{number}")))
                await streams[-1].until("TEXT_MESSAGE_CONTENT")
            go_on.set()
            await approving
            for stream in streams:
                await stream.over()
                assert stream.text == "Here it is."
                assert messages(stream)[:2] == [("user", "voucher", ""), ("assistant", "", "")]
                assert stream.last["outcome"] == {"type": "success"}
        finally:
            go_on.set()
            for stream in streams:
                stream.drop()


async def test_who_follows_goes_on_where_it_was(tmp_path: Path) -> None:
    """Each event once, in order, however often the stream is cut, and what comes between two streams as well."""
    go_on = asyncio.Event()
    agent = ScriptedAgent(["One ", WaitFor(event=go_on), "two."])
    async with serving(agent, tmp_path) as server:
        first = await follow(server.port, agui_input("t-1", "look-1"))
        await first.until("RUN_STARTED")
        talking = asyncio.create_task(chat(server.port, "hello"))
        await first.until("TEXT_MESSAGE_CONTENT")
        first.drop()
        seen = first.sent[-1].seq
        assert seen is not None
        go_on.set()
        await talking
        second = await (await follow(server.port, agui_input("t-1", "look-2"), after=seen)).over()
        assert [one["type"] for one in second.events[:3]] == [
            "RUN_STARTED",
            "TEXT_MESSAGE_START",
            "TEXT_MESSAGE_CONTENT",
        ]
        assert (first.text, second.text) == ("One ", "two.")
        assert second.last["type"] == "RUN_FINISHED"

        # Between two streams another turn is answered: it is the next run's, and so on.
        await chat(server.port, "again")
        await chat(server.port, "and again")
        place = second.sent[-1].seq
        told: list[str] = []
        for number in (3, 4):
            stream = await (await follow(server.port, agui_input("t-1", f"look-{number}"), after=place)).over()
            told += [one["delta"] for one in stream.of("TEXT_MESSAGE_CHUNK")] + [stream.text]
            assert stream.of("MESSAGES_SNAPSHOT") == []
            place = stream.sent[-1].seq
        assert told == ["again", "One two.", "and again", "One two."]
        again = await (await follow(server.port, agui_input("t-1", "look-4"), after=second.sent[-1].seq)).over()
        assert again.text == "One two."

        live = await follow(server.port, agui_input("t-1", "look-5"), after=place)
        await live.until("RUN_STARTED")
        await chat(server.port, "live")
        assert (await live.over()).text == "One two."


@pytest.mark.parametrize("after", ["10000", "x"])
async def test_a_place_that_there_is_not_is_refused(after: str, tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["Hello."]), tmp_path) as server:
        await chat(server.port, "hello")
        headers = {"Last-Event-ID": after}
        body = agui_input("t-1", "look-1")
        refused = await fetch(server.port, "POST", "/agui/follow", body=body, headers=headers)
        assert (refused.status, refused.body["type"]) == (400, "RUN_ERROR")


async def test_a_result_is_never_told_without_its_call(tmp_path: Path) -> None:
    """A stream of AG-UI has to be whole by itself: where it goes on behind a call, the call comes again."""
    async with serving(CountingAgent(gives), tmp_path, tools=[voucher]) as server:
        first = await run(server.port, agui_input("t-1", "r-1", user("voucher", "u-1")))
        place = first.sent[-1].seq
        await approve(server)
        stream = await (await follow(server.port, agui_input("t-1", "look-1"), after=place)).over()
        told = [one["type"] for one in stream.events if one["type"].startswith("TOOL_CALL")]
        assert told == ["TOOL_CALL_CHUNK", "TOOL_CALL_RESULT"]
        assert stream.of("TOOL_CALL_RESULT")[0]["content"] == '{"voucher":5}'
