"""Over AG-UI the client carries its tools out itself: what the server declares of them holds all the same."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Final

import pytest
from tests.e2e.agui import Json, Stream, agui_input, refused, run, user
from tests.e2e.harness import CountingAgent, Live, serving, until
from tests.e2e.links import journal
from tests.e2e.wire import fetch

from duologue.model.agent import AgentItem, AgentRequest, Finished, ToolRequested
from duologue.server.settings import AuthSettings, ServerSettings, Settings
from duologue.server.settings_tools import ClientToolSettings, Policy, ToolsSettings

pytestmark = [pytest.mark.anyio, pytest.mark.counterpart("ag-ui-validate", "ag-ui-protocol")]

OPEN_PAGE: Final[Json] = {"name": "open_page", "description": "Open a page.", "parameters": {"type": "object"}}
CALL: Final[Json] = {
    "id": "a-1",
    "role": "assistant",
    "toolCalls": [
        {"id": "call-1", "type": "function", "function": {"name": "open_page", "arguments": '{"path":"/pay"}'}}
    ],
}


async def opens(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
    """Open a page for the person, and say what came of it."""
    if request.tool_results:
        yield "; ".join(f"{one.status or 'brought'}: {one.content}" for one in request.tool_results)
    elif request.text == "open it":
        yield ToolRequested(call_id="call-1", name="open_page", arguments='{"path":"/pay"}')
    else:
        yield "Hello."
    yield Finished()


def settings(policy: Policy, pattern: str = "^/", output: Json = None) -> Settings:
    tool = ClientToolSettings(
        name="open_page",
        description="Open a page.",
        policy=policy,
        confirm="Open {path}?",
        input={"type": "object", "properties": {"path": {"type": "string", "pattern": pattern}}},
        output=output or {},
    )
    return Settings(server=ServerSettings(drain_ms=500), auth=AuthSettings(), tools=ToolsSettings(client=(tool,)))


async def ask(live: Live, number: int, *messages: Json, **more: Json) -> Stream:
    body = agui_input("t-1", f"r-{number}", user("open it", "u-1"), *messages, tools=[OPEN_PAGE], **more)
    return await run(live.port, body)


def result(content: str = "opened") -> Json:
    return {"id": "m-9", "role": "tool", "toolCallId": "call-1", "content": content}


async def test_a_denied_tool_is_never_the_clients_to_run(tmp_path: Path) -> None:
    async with serving(CountingAgent(opens), tmp_path, settings("denied")) as live:
        stream = await ask(live, 1)
        assert stream.last["outcome"] == {"type": "success"}, "nothing waits for the client"
        assert stream.of("TOOL_CALL_RESULT")[0]["content"] == "this tool may not be used"
        assert stream.text == "denied: this tool may not be used"
        body = agui_input("t-1", "r-2", user("open it", "u-1"), CALL, result(), tools=[OPEN_PAGE])
        status, _ = await refused(live.port, body)
        assert status in (400, 409)


async def test_arguments_that_do_not_fit_do_not_reach_the_client(tmp_path: Path) -> None:
    async with serving(CountingAgent(opens), tmp_path, settings("auto", "^/shop/")) as live:
        stream = await ask(live, 1)
        assert stream.last["outcome"] == {"type": "success"}
        assert stream.text.startswith("failed: $.path")


async def test_what_nobody_has_to_let_run_is_the_clients_at_once(tmp_path: Path) -> None:
    async with serving(CountingAgent(opens), tmp_path, settings("auto")) as live:
        stream = await ask(live, 1)
        assert stream.last["outcome"] == {"type": "success", "pendingToolCallIds": ["call-1"]}
        assert (await ask(live, 2, CALL, result())).text == "brought: opened"


PAGE: Final[Json] = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}


async def test_what_it_gives_is_what_is_declared_or_refused(tmp_path: Path) -> None:
    async with serving(CountingAgent(opens), tmp_path, settings("auto", output=PAGE)) as live:
        assert (await ask(live, 1)).last["outcome"] == {"type": "success", "pendingToolCallIds": ["call-1"]}
        before = await journal(live.port, "t-1")
        for wrong in ("opened", '{"title": 7}'):
            body = agui_input("t-1", "r-2", user("open it", "u-1"), CALL, result(wrong), tools=[OPEN_PAGE])
            status, error = await refused(live.port, body)
            assert (status, error["code"]) == (400, "bad_message")
            assert error["message"].startswith("what 'open_page' gave is not what is declared: $")
            assert error["metadata"]["duologue"]["path"] == "$.messages[2].content"
        told = {"sessionId": "t-1", "toolCallId": "call-1", "output": {"title": 7}}
        refusal = await fetch(live.port, "POST", "/chat/tool-call", body=told)
        assert (refusal.status, refusal.body["reason"], refusal.body["path"]) == (400, "bad_message", "$.output")
        assert await journal(live.port, "t-1") == before, "nothing has changed"
        # The call still waits: for what is declared, or for why there is none.
        assert (await ask(live, 2, CALL, result('{"title": "Pay"}'))).text == 'brought: {"title": "Pay"}'
        assert (await run(live.port, agui_input("t-1", "r-3", user("hi", "u-2")))).text == "Hello."


async def test_why_it_gave_nothing_needs_no_schema(tmp_path: Path) -> None:
    async with serving(CountingAgent(opens), tmp_path, settings("auto", output=PAGE)) as live:
        await ask(live, 1)
        assert (await ask(live, 2, CALL, result("") | {"error": "no page"})).text == "brought: no page"


async def test_the_person_lets_it_run_before_the_client_does(tmp_path: Path) -> None:
    async with serving(CountingAgent(opens), tmp_path, settings("user_confirm")) as live:
        stream = await ask(live, 1)
        (asked,) = stream.last["outcome"]["interrupts"]
        assert (asked["reason"], asked["message"], asked["toolCallId"]) == ("tool_approval", "Open /pay?", "call-1")
        # A client that runs it all the same has its result refused.
        forged = agui_input("t-1", "r-2", user("open it", "u-1"), CALL, result(), tools=[OPEN_PAGE])
        status, error = await refused(live.port, forged)
        assert status in (400, 409), error
        resume = [{"interruptId": asked["id"], "status": "resolved", "payload": {"approved": True}}]
        stream = await ask(live, 3, CALL, resume=resume)
        assert stream.last["outcome"] == {"type": "success", "pendingToolCallIds": ["call-1"]}
        assert (await ask(live, 4, CALL, result())).text == "brought: opened"


async def test_what_the_person_denies_is_told_to_client_and_agent(tmp_path: Path) -> None:
    async with serving(CountingAgent(opens), tmp_path, settings("user_confirm")) as live:
        (asked,) = (await ask(live, 1)).last["outcome"]["interrupts"]
        resume = [{"interruptId": asked["id"], "status": "resolved", "payload": {"approved": False}}]
        stream = await ask(live, 2, CALL, resume=resume)
        assert stream.last["outcome"] == {"type": "success"}
        assert stream.of("TOOL_CALL_RESULT")[0]["toolCallId"] == "call-1"
        assert stream.text == "denied: the person did not let it run"


async def test_a_supervisor_lets_it_run_and_the_client_reports_it_by_itself(tmp_path: Path) -> None:
    agent = CountingAgent(opens)
    async with serving(agent, tmp_path, settings("supervisor_approve")) as live:
        assert (await ask(live, 1)).text.startswith("pending_supervisor: ")
        told = {"sessionId": "t-1", "toolCallId": "call-1", "output": "opened"}
        assert (await fetch(live.port, "POST", "/chat/tool-call", body=told)).status == 409, "it may not run yet"
        (waits,) = (await fetch(live.port, "GET", "/api/approvals")).body["approvals"]
        body = {"decision": "approve", "digest": waits["digest"]}
        done = await fetch(live.port, "POST", f"/api/approvals/{waits['approvalId']}", body=body)
        assert done.status == 200, done.body
        assert (await fetch(live.port, "POST", "/chat/tool-call", body=told)).status == 200
        await until(lambda: bool(agent.requests[-1].tool_results) and agent.requests[-1].resumed == "tool")
        assert agent.requests[-1].tool_results[0].content == "opened"


async def test_a_tool_that_the_client_does_not_offer_is_unknown(tmp_path: Path) -> None:
    async with serving(CountingAgent(opens), tmp_path, settings("auto")) as live:
        stream = await run(live.port, agui_input("t-1", "r-1", user("open it", "u-1")))
        assert stream.text.startswith("failed: unknown tool")
