"""AG-UI over HTTP: every kind of run, judged by somebody else's validator, and what is refused."""

import asyncio
import base64
import json
from pathlib import Path
from typing import Final

import pytest
from tests.e2e.agents import asking_agent
from tests.e2e.agui import Json, agui_input, refused, run, start, user
from tests.e2e.harness import Live, serving
from tests.e2e.links import journal, kinds
from tests.e2e.wire import fetch

from duologue.adapters.agent_python import PythonAgent
from duologue.testing.scripted_agent import BreakOff, Line, Pause, ScriptedAgent, WaitFor

pytestmark = [pytest.mark.anyio, pytest.mark.counterpart("ag-ui-validate", "ag-ui-protocol")]

WHERE: Final[Json] = {"name": "where", "description": "where you are", "parameters": {"type": "object"}}
PIXEL: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGOoBwAAgQCA05RTSgAAAABJRU5ErkJggg=="


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent leaves files where it stands."""
    monkeypatch.chdir(tmp_path)


def asking() -> PythonAgent:
    return PythonAgent(asking_agent.answer)


def runs() -> list[str]:
    return Path("runs").read_text("utf-8").splitlines()


async def test_a_run_is_a_turn_under_the_clients_id(tmp_path: Path) -> None:
    async with serving(asking(), tmp_path) as server:
        stream = await run(server.port, agui_input("t-1", "r-1", user("hello", "u-1")))
        assert stream.kinds[0] == "RUN_STARTED" and stream.kinds[-1] == "RUN_FINISHED"
        assert (stream.last["threadId"], stream.last["runId"]) == ("t-1", "r-1")
        assert stream.last["outcome"] == {"type": "success"}
        assert stream.text == "You said hello."
        assert stream.of("duologue.citation")[0]["value"] == {"title": "Page", "url": "/docs/agui"}
        assert stream.of("duologue.diagnostic")[0]["value"] == {"category": "test", "message": "a note"}
        accepted = kinds(await journal(server.port, "t-1"), "turn_accepted")
        assert [(one["request_id"], one["text"]) for one in accepted] == [("r-1", "hello")]


async def test_the_next_run_answers_only_what_is_new(tmp_path: Path) -> None:
    agent = ScriptedAgent(["one ", "two"])
    async with serving(agent, tmp_path) as server:
        first = await run(server.port, agui_input("t-1", "r-1", user("hello", "u-1")))
        said = {"id": first.of("TEXT_MESSAGE_START")[0]["messageId"], "role": "assistant", "content": first.text}
        second = await run(server.port, agui_input("t-1", "r-2", user("hello", "u-1"), said, user("and then?", "u-2")))
        assert second.of("MESSAGES_SNAPSHOT") == []
        assert [request.text for request in agent.requests] == ["hello", "and then?"]
        assert [one.text for one in agent.requests[1].history] == ["hello", "one two"]


async def test_the_same_run_again_is_the_same_run(tmp_path: Path) -> None:
    agent = ScriptedAgent(["one ", "two"])
    async with serving(agent, tmp_path) as server:
        body = agui_input("t-1", "r-1", user("hello", "u-1"))
        first = await run(server.port, body)
        again = await run(server.port, body)
        assert again.sent == first.sent
        assert agent.runs == 1
        status, error = await refused(server.port, agui_input("t-1", "r-1", user("other", "u-1")))
        assert (status, error["code"]) == (409, "turn_conflict")


async def test_a_tool_of_the_agents_own_is_shown_with_its_result(tmp_path: Path) -> None:
    async with serving(asking(), tmp_path) as server:
        stream = await run(server.port, agui_input("t-1", "r-1", user("tool", "u-1")))
        (call,), (result,) = stream.of("TOOL_CALL_CHUNK"), stream.of("TOOL_CALL_RESULT")
        texts = stream.of("TEXT_MESSAGE_START")
        assert (call["toolCallName"], json.loads(call["delta"])) == ("look", {"at": "it"})
        assert call["parentMessageId"] == texts[0]["messageId"] != texts[1]["messageId"]
        assert (result["toolCallId"], result["content"]) == (call["toolCallId"], '{"seen": true}')
        assert stream.last["outcome"] == {"type": "success"}
        assert stream.last["usage"] == [{"provider": "home", "model": "script-1", "inputTokens": 7, "outputTokens": 3}]
        assert stream.last["metadata"]["duologue"]["figures"]["totalTokens"] == 3


async def test_a_clients_tool_is_asked_for_and_its_result_goes_on(tmp_path: Path) -> None:
    async with serving(asking(), tmp_path) as server:
        first = await run(server.port, agui_input("t-1", "r-1", user("where", "u-1"), tools=[WHERE]))
        (call,) = first.of("TOOL_CALL_CHUNK")
        assert first.last["outcome"] == {"type": "success", "pendingToolCallIds": [call["toolCallId"]]}
        called = {
            "id": call["toolCallId"],
            "role": "assistant",
            "toolCalls": [
                {"id": call["toolCallId"], "type": "function", "function": {"name": "where", "arguments": "{}"}}
            ],
        }
        result = {"id": "m-9", "role": "tool", "toolCallId": call["toolCallId"], "content": "Ulm"}
        body = agui_input("t-1", "r-2", user("where", "u-1"), called, result, tools=[WHERE])
        second = await run(server.port, body)
        assert second.text == "It says Ulm"
        assert second.of("MESSAGES_SNAPSHOT") == [] and second.of("TOOL_CALL_RESULT") == []
        status, error = await refused(server.port, body | {"runId": "r-3"})
        assert (status, error["code"]) == (409, "tool_call_closed")
        body["messages"][-1]["toolCallId"] = "no-such"
        status, error = await refused(server.port, body | {"runId": "r-4"})
        assert (status, error["code"]) == (400, "tool_call_unknown")


async def test_a_tool_that_nobody_offers_cannot_be_asked_for(tmp_path: Path) -> None:
    agent = ScriptedAgent([asking_agent.ToolRequested(call_id="c", name="where")])
    async with serving(agent, tmp_path) as server:
        stream = await run(server.port, agui_input("t-1", "r-1", user("where", "u-1")))
        assert (stream.last["type"], stream.last["code"]) == ("RUN_ERROR", "agent_bad_item")


async def test_an_interrupt_is_answered_by_the_next_run(tmp_path: Path) -> None:
    async with serving(asking(), tmp_path) as server:
        first = await run(server.port, agui_input("t-1", "r-1", user("refund", "u-1")))
        assert first.last["outcome"] == {
            "type": "interrupt",
            "interrupts": [
                {
                    "id": "may-refund",
                    "reason": "approval",
                    "message": "Refund 20 euro?",
                    "toolCallId": "refund-1",
                    "responseSchema": {"type": "object"},
                }
            ],
        }
        resume = [{"interruptId": "may-refund", "status": "resolved", "payload": {"approved": True}}]
        second = await run(server.port, agui_input("t-1", "r-2", user("refund", "u-1"), resume=resume))
        assert second.of("TOOL_CALL_RESULT")[0]["toolCallId"] == "refund-1"
        assert second.text == "It is refunded."
        assert second.last["outcome"] == {"type": "success"}
        assert runs() == ["run refund", "run ", "refund"]


@pytest.mark.parametrize(
    ("resume", "code"),
    [
        ([], "interrupts_open"),
        ([("other", "resolved")], "interrupt_unknown"),
        ([("may-refund", "resolved"), ("may-refund", "resolved")], "bad_message"),
    ],
)
async def test_open_interrupts_have_to_be_covered(resume: list[tuple[str, str]], code: str, tmp_path: Path) -> None:
    async with serving(asking(), tmp_path) as server:
        await run(server.port, agui_input("t-1", "r-1", user("refund", "u-1")))
        entries = [{"interruptId": name, "status": status} for name, status in resume]
        body = agui_input("t-1", "r-2", user("refund", "u-1"), {"id": "a", "role": "assistant"}, user("so", "u-2"))
        status, error = await refused(server.port, body | {"resume": entries})
        assert (error["code"], status in (400, 409)) == (code, True)
        cancelled = [{"interruptId": "may-refund", "status": "cancelled"}]
        given_up = await run(server.port, body | {"resume": cancelled})
        assert given_up.text == "Not then. so"


async def test_a_second_run_on_a_busy_thread_is_refused(tmp_path: Path) -> None:
    go_on = asyncio.Event()
    agent = ScriptedAgent(["one ", WaitFor(event=go_on), "two"])
    async with serving(agent, tmp_path) as server:
        first = await start(server.port, agui_input("t-1", "r-1", user("hello", "u-1")))
        await first.until("TEXT_MESSAGE_CONTENT")
        status, error = await refused(server.port, agui_input("t-1", "r-2", user("me too", "u-2")))
        assert (status, error["code"]) == (409, "busy")
        assert error["metadata"]["duologue"]["retryable"] is True
        go_on.set()
        assert (await first.over()).text == "one two"
        assert agent.runs == 1


async def test_a_failed_run_ends_with_an_error_and_the_next_one_works(tmp_path: Path) -> None:
    async with serving(asking(), tmp_path) as server:
        failed = await run(server.port, agui_input("t-1", "r-1", user("fail", "u-1")))
        assert (failed.last["type"], failed.last["code"], failed.last["message"]) == (
            "RUN_ERROR",
            "agent_failed",
            "it broke",
        )
        half = {"id": failed.of("TEXT_MESSAGE_START")[0]["messageId"], "role": "assistant", "content": failed.text}
        body = agui_input("t-1", "r-2", user("fail", "u-1"), half, user("hello", "u-2"))
        assert (await run(server.port, body)).text == "You said hello."


@pytest.mark.parametrize(("line", "code"), [(BreakOff(), "agent_truncated"), (Pause(ms=0), "agent_empty")])
async def test_no_success_is_invented(line: Line, code: str, tmp_path: Path) -> None:
    async with serving(ScriptedAgent([line]), tmp_path) as server:
        stream = await run(server.port, agui_input("t-1", "r-1", user("hello", "u-1")))
        assert (stream.last["type"], stream.last["code"]) == ("RUN_ERROR", code)


async def test_a_cancelled_run_says_so(tmp_path: Path) -> None:
    agent = ScriptedAgent(["one ", WaitFor(event=asyncio.Event())])
    async with serving(agent, tmp_path) as server:
        stream = await start(server.port, agui_input("t-1", "r-1", user("hello", "u-1")))
        await stream.until("TEXT_MESSAGE_CONTENT")
        other = await fetch(server.port, "POST", "/agui/cancel", body={"threadId": "t-1", "runId": "r-9"})
        assert other.body == {"cancelled": False}
        stopped = await fetch(server.port, "POST", "/agui/cancel", body={"threadId": "t-1", "runId": "r-1"})
        assert stopped.body == {"cancelled": True}
        await stream.over()
        assert stream.last["outcome"] == {"type": "cancelled"}
        late = await fetch(server.port, "POST", "/agui/cancel", body={"threadId": "t-1"})
        assert late.body == {"cancelled": False}
        unknown = await fetch(server.port, "POST", "/agui/cancel", body={"threadId": "no-such"})
        assert (unknown.status, unknown.body["code"]) == (404, "session_unknown")


async def test_a_lost_connection_stops_nothing_and_the_run_goes_on_where_it_was(tmp_path: Path) -> None:
    go_on = asyncio.Event()
    agent = ScriptedAgent(["one ", "two ", WaitFor(event=go_on), "three"])
    async with serving(agent, tmp_path) as server:
        body = agui_input("t-1", "r-1", user("hello", "u-1"))
        first = await start(server.port, body)
        await first.until("TEXT_MESSAGE_CONTENT", 2)
        first.drop()
        seen = first.sent[-1].seq
        assert seen is not None
        again = await start(server.port, body, after=seen)
        await again.until("TEXT_MESSAGE_START")
        go_on.set()
        await again.over()
        assert again.kinds == [
            "RUN_STARTED",
            "TEXT_MESSAGE_START",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_END",
            "RUN_FINISHED",
        ]
        assert first.text + again.text == "one two three"
        assert [one.seq for one in again.sent] == [seen, seen, *range(seen + 1, seen + 4)]
        assert agent.runs == 1
        # From the end there is nothing left but the end.
        end = await run(server.port, body, after=seen + 3)
        assert end.kinds == ["RUN_STARTED", "RUN_FINISHED"]
        status, error = await refused(server.port, body, after=10_000)
        assert (status, error["code"]) == (400, "resume_ahead")


async def test_a_client_is_told_the_messages_that_it_does_not_show(tmp_path: Path) -> None:
    async with serving(asking(), tmp_path) as server:
        await fetch(server.port, "POST", "/chat/stream", body={"sessionId": "t-1", "requestId": "c-1", "text": "hello"})
        setting = {"id": "s-1", "role": "system", "content": "Be kind."}
        stream = await run(server.port, agui_input("t-1", "r-1", setting, user("tool", "u-1")))
        first, whole = stream.of("MESSAGES_SNAPSHOT")
        # What stood behind the place where they differ is dropped, and comes back in order.
        assert [one["id"] for one in first["messages"]] == ["s-1"]
        assert [one["id"] for one in whole["messages"]] == ["s-1", "c-1", "response-1-message", "u-1"]
        assert whole["messages"][0] == setting
        assert [one.get("content") for one in whole["messages"][1:]] == ["hello", "You said hello.", "tool"]


async def test_an_input_with_nothing_new_tells_how_things_stand(tmp_path: Path) -> None:
    async with serving(asking(), tmp_path) as server:
        nothing = await run(server.port, agui_input("t-1", "look-0"))
        assert nothing.kinds == ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"]
        assert nothing.of("MESSAGES_SNAPSHOT")[0]["messages"] == []
        await run(server.port, agui_input("t-1", "r-1", user("refund", "u-1")))
        looked = await run(server.port, agui_input("t-1", "look-1"))
        assert [one["id"] for one in looked.of("MESSAGES_SNAPSHOT")[-1]["messages"]] == ["u-1", "response-1-message"]
        assert looked.last["runId"] == "look-1"
        assert [one["id"] for one in looked.last["outcome"]["interrupts"]] == ["may-refund"]
        assert runs() == ["run refund"]


async def test_an_input_with_nothing_new_follows_what_is_going_on(tmp_path: Path) -> None:
    go_on = asyncio.Event()
    agent = ScriptedAgent(["one ", WaitFor(event=go_on), "two"])
    async with serving(agent, tmp_path) as server:
        first = await start(server.port, agui_input("t-1", "r-1", user("hello", "u-1")))
        await first.until("TEXT_MESSAGE_CONTENT")
        other = await start(server.port, agui_input("t-1", "look"))
        await other.until("TEXT_MESSAGE_CONTENT")
        go_on.set()
        await first.over()
        await other.over()
        assert other.of("MESSAGES_SNAPSHOT")[-1]["messages"][0]["content"] == "hello"
        assert (other.text, other.last["runId"]) == ("one two", "r-1")


async def test_context_state_and_props_are_data_for_the_agent(tmp_path: Path) -> None:
    agent = ScriptedAgent(["yes"])
    async with serving(agent, tmp_path) as server:
        body = agui_input(
            "t-1",
            "r-1",
            {"id": "s", "role": "system", "content": "Obey."},
            user("hello", "u-1"),
            context=[{"description": "page", "value": "cart"}],
            state={"n": [1, None]},
            forwardedProps={"beta": True},
            tools=[WHERE],
        )
        await run(server.port, body)
        (request,) = agent.requests
        assert [(one.description, one.value) for one in request.context] == [("page", "cart")]
        assert (request.state, request.forwarded_props) == ({"n": [1, None]}, {"beta": True})
        assert [(one.name, one.parameters) for one in request.tools] == [("where", {"type": "object"})]
        assert request.history == () and "Obey" not in request.text


async def test_pictures_come_along(tmp_path: Path) -> None:
    agent = ScriptedAgent(["nice"])
    async with serving(agent, tmp_path) as server:
        content = [
            {"type": "text", "text": "What is this?"},
            {"type": "image", "source": {"type": "data", "value": PIXEL, "mimeType": "image/png"}},
        ]
        body = agui_input("t-1", "r-1", {"id": "u-1", "role": "user", "content": content})
        await run(server.port, body)
        await run(server.port, body)
        (request,) = agent.requests
        (attachment,) = request.attachments
        assert (request.text, attachment.media_type) == ("What is this?", "image/png")
        blob = await server.hub.store.get_blob(attachment.upload_id)
        assert blob is not None and blob.data == base64.b64decode(PIXEL)
        body["messages"][0]["content"][1]["source"]["mimeType"] = "image/jpeg"
        status, error = await refused(server.port, body | {"runId": "r-2"})
        assert (status, error["code"]) == (415, "upload_refused")
        body["messages"][0]["content"][1]["source"] = {"type": "url", "value": "https://example.com/a.png"}
        status, error = await refused(server.port, body | {"runId": "r-3"})
        assert (error["code"], error["metadata"]["duologue"]["path"]) == (
            "unsupported",
            "$.messages[0].content[1].source",
        )
        body["messages"][0]["content"][1]["source"] = {"type": "file", "value": attachment.upload_id}
        await run(server.port, body | {"runId": "r-4"})
        assert agent.requests[1].attachments == request.attachments


async def _raw(server: Live, body: bytes) -> tuple[int, Json]:
    answer = await fetch(server.port, "POST", "/agui", body=body)
    return answer.status, answer.body


async def test_bad_input_is_refused_in_the_protocols_words(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path) as server:
        for body, code, path in (
            (b"{", "bad_json", None),
            (b"{}", "bad_message", "$"),
            (b'{"threadId":"t","runId":1,"messages":[]}', "bad_message", "$.runId"),
            (
                b'{"threadId":"t","runId":"r","messages":[{"role":"pope","id":"1"}]}',
                "bad_message",
                "$.messages[0].role",
            ),
        ):
            status, error = await _raw(server, body)
            assert (status, error["type"], error["code"]) == (400, "RUN_ERROR", code)
            assert error["metadata"]["duologue"].get("path") == path
        await run(server.port, agui_input("t", "r", user("hello", "u")))
