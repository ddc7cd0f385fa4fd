"""Who lets a tool run: over the API and by a signed callback; forged, altered, replayed and late decisions."""

import hashlib
import hmac
import json
import time
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.e2e.harness import CountingAgent, Live, serving, until
from tests.e2e.receiver import Receiver
from tests.e2e.wire import Json, ask, fetch

from duologue import Idempotency, ToolContext, tool
from duologue.model.agent import AgentItem, AgentRequest, Finished, ToolRequested
from duologue.server.settings import AuthSettings, ServerSettings, Settings
from duologue.server.settings_auth import ApiKey
from duologue.server.settings_tools import ClientToolSettings, ToolsSettings

pytestmark = pytest.mark.anyio

KEY = "a-key-of-a-backend"
SUPERVISOR = "a-key-of-a-supervisor"
READER = "a-key-of-somebody-who-reads"
SECRET = "the secret of both sides"


def key(name: str, value: str, *scopes: Any) -> ApiKey:
    return ApiKey(name=name, hash="sha256:" + hashlib.sha256(value.encode()).hexdigest(), scopes=scopes)


AUTH = AuthSettings(
    api_keys=(KEY, key("desk", SUPERVISOR, "supervise"), key("reader", READER, "sessions:read")), secret="s" * 40
)


class Bank:
    """Pays, and counts how often."""

    def __init__(self) -> None:
        self.paid: list[tuple[str, float, str]] = []

        @tool(policy="supervisor_approve", redact=("/iban",), confirm="Pay {euros} € to {iban}?")
        async def pay(order: str, euros: float, iban: str, context: ToolContext) -> str:
            """Pay."""
            self.paid.append((order, euros, context.subject))
            return f"paid {euros} for {order} to {iban}"

        @tool(policy="async_pending", idempotency=Idempotency(mode="input"))
        async def wire(order: str, euros: float, context: ToolContext) -> str:
            """Pay by wire."""
            self.paid.append((order, euros, context.subject))
            return f"wired {euros} for {order}"

        @tool(policy="user_confirm")
        async def small(order: str, context: ToolContext) -> str:
            """Pay little."""
            self.paid.append((order, 1.0, context.subject))
            return "paid 1"

        self.tools = (pay, wire, small)


async def asks(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
    """Call what the person names, once; and say what came of it."""
    if request.leg == 1 and not request.resumed:
        name, _, arguments = request.text.partition(" ")
        yield ToolRequested(call_id=f"call-{request.turn}", name=name, arguments=arguments)
    else:
        yield f"[{'; '.join(result.content for result in request.tool_results)}]"
    yield Finished()


def bearer(credential: str, subject: str | None = None) -> dict[str, str]:
    named = {} if subject is None else {"Duologue-Subject": subject}
    return {"Authorization": f"Bearer {credential}", "Accept": "application/json"} | named


async def say(live: Live, text: str, *, session: str = "s1", request: str = "r1", who: str = "ada") -> Json:
    body = {"sessionId": session, "requestId": request, "text": text}
    answer = await fetch(live.port, "POST", "/chat/stream", body=body, headers=bearer(KEY, who))
    assert answer.status == 200, answer.body
    return answer.body


PAY = 'pay {"order": "7", "euros": 900, "iban": "DE00 1234"}'
SETTINGS = Settings(server=ServerSettings(drain_ms=500), auth=AUTH)


async def waiting(live: Live, credential: str = SUPERVISOR) -> list[Json]:
    answer = await fetch(live.port, "GET", "/api/approvals", headers=bearer(credential))
    assert answer.status == 200, answer.body
    return answer.body["approvals"]


async def decide(
    live: Live, approval_id: str, body: Json, *, credential: str = SUPERVISOR, headers: Mapping[str, str] | None = None
) -> tuple[int, Json]:
    sent = {**bearer(credential), **(headers or {})}
    answer = await fetch(live.port, "POST", f"/api/approvals/{approval_id}", body=body, headers=sent)
    return answer.status, answer.body


async def events(live: Live, session: str = "s1") -> list[Json]:
    answer = await fetch(live.port, "GET", f"/api/sessions/{session}/journal", headers=bearer(KEY))
    lines = [json.loads(line) for line in answer.raw.splitlines() if line]
    return [event for record in lines for event in record["events"]]


async def test_a_supervisor_lets_a_call_run_once_and_the_person_is_told(tmp_path: Path) -> None:
    bank = Bank()
    async with serving(CountingAgent(asks), tmp_path, SETTINGS, tools=bank.tools) as live:
        answered = await say(live, PAY)
        assert "pending_supervisor" in answered["text"]
        assert bank.paid == []
        (asked,) = await waiting(live)
        assert asked["tool"] == "pay"
        assert asked["person"] == "ada"
        assert asked["arguments"] == {"order": "7", "euros": 900, "iban": "[hidden]"}
        assert "DE00" not in json.dumps(asked)
        assert asked["prompt"] == "Pay 900 € to [hidden]?"
        right = {"decision": "approve", "digest": asked["digest"], "reason": "fine"}

        assert (await decide(live, asked["approvalId"], {**right, "digest": "0" * 32}))[0] == 409
        assert (await decide(live, "0" * 24, right))[0] == 404
        assert (await decide(live, asked["approvalId"], {"decision": "approve"}))[0] == 400
        assert (await decide(live, asked["approvalId"], {**right, "arguments": {"euros": 1}}))[0] == 400
        assert (await decide(live, asked["approvalId"], {**right, "sessionId": "another"}))[0] == 404
        assert bank.paid == []

        status, told = await decide(live, asked["approvalId"], right)
        assert (status, told["decision"]) == (200, "approve")
        await until(lambda: bank.paid == [("7", 900.0, "ada")])
        status, told = await decide(live, asked["approvalId"], {**right, "decision": "deny"})
        assert status == 409
        assert "already" in told["message"] and "desk" in told["message"]
        assert await waiting(live) == []

        def resumed() -> bool:
            session = live.hub.sessions.live("s1")
            return session is not None and session.state.open is None and session.state.responses > 1

        await until(resumed)
        shown = (await fetch(live.port, "GET", "/metrics", headers=bearer(KEY))).raw.decode()
        assert 'duologue_tool_calls_total{status="completed",tool="pay"} 1.0' in shown
        assert "duologue_approvals_waiting 0.0" in shown
        told_events = await events(live)
        assert [one["cause"] for one in told_events if one["kind"] == "turn_resumed"] == ["tool"]
        said = "".join(one["text"] for one in told_events if one["kind"] == "text_delta")
        assert "paid 900.0 for 7 to DE00 1234" in said
    assert bank.paid == [("7", 900.0, "ada")]
    trail = (tmp_path / "audit.jsonl").read_text()
    assert '"action":"approval.decided"' in trail
    assert '"action":"tool.completed"' in trail
    assert "DE00" not in trail


@pytest.mark.parametrize("credential", [KEY + "x", READER])
async def test_others_neither_see_nor_decide(credential: str, tmp_path: Path) -> None:
    bank = Bank()
    async with serving(CountingAgent(asks), tmp_path, SETTINGS, tools=bank.tools) as live:
        await say(live, PAY)
        (asked,) = await waiting(live)
        seen = await fetch(live.port, "GET", "/api/approvals", headers=bearer(credential))
        assert seen.status in (401, 403)
        body = {"decision": "approve", "digest": asked["digest"]}
        assert (await decide(live, asked["approvalId"], body, credential=credential))[0] in (401, 403)
        token = await fetch(live.port, "POST", "/chat/token", body={"subject": "ada"}, headers=bearer(KEY))
        person = token.body["token"]
        assert (await decide(live, asked["approvalId"], body, credential=person))[0] == 403
        assert (await fetch(live.port, "GET", "/api/approvals", headers=bearer(person))).status == 403
    assert bank.paid == []


async def test_what_the_person_confirms_is_not_the_staff_s_to_decide(tmp_path: Path) -> None:
    bank = Bank()
    async with serving(CountingAgent(asks), tmp_path, SETTINGS, tools=bank.tools) as live:
        await say(live, 'small {"order": "7"}')
        (asked,) = await waiting(live)
        body = {"decision": "approve", "digest": asked["digest"]}
        assert (await decide(live, asked["approvalId"], body))[0] == 403
        assert bank.paid == []


async def test_an_approval_is_found_again_after_a_restart_and_decided_once(tmp_path: Path) -> None:
    bank = Bank()
    async with serving(CountingAgent(asks), tmp_path, SETTINGS, tools=bank.tools) as live:
        await say(live, PAY)
        (asked,) = await waiting(live)
    async with serving(CountingAgent(asks), tmp_path, SETTINGS, tools=bank.tools) as live:
        await with_asked(live)
        (again,) = await waiting(live)
        assert again == asked
        body = {"decision": "deny", "digest": asked["digest"]}
        assert (await decide(live, asked["approvalId"], body))[0] == 200
    async with serving(CountingAgent(asks), tmp_path, SETTINGS, tools=bank.tools) as live:
        status, told = await decide(live, asked["approvalId"], {**body, "decision": "approve", "sessionId": "s1"})
        assert (status, "already" in told["message"]) == (409, True)
    assert bank.paid == []


async def test_what_a_tool_hides_stays_hidden_where_the_tool_is_gone(tmp_path: Path) -> None:
    bank = Bank()
    async with serving(CountingAgent(asks), tmp_path, SETTINGS, tools=bank.tools) as live:
        await say(live, PAY)
        (asked,) = await waiting(live)
    async with serving(CountingAgent(asks), tmp_path, SETTINGS) as live:
        await with_asked(live)
        (again,) = await waiting(live)
        assert again == asked
        body = {"decision": "approve", "digest": asked["digest"]}
        assert (await decide(live, asked["approvalId"], body))[0] == 200
        await until(lambda: "tool.failed" in (tmp_path / "audit.jsonl").read_text())
    assert "DE00" not in (tmp_path / "audit.jsonl").read_text()
    assert bank.paid == []


async def with_asked(live: Live) -> None:
    await until(lambda: live.hub.approvals is not None and len(live.hub.approvals) == 1)


def signed(approval_id: str, body: bytes, *, secret: str = SECRET, at_s: int | None = None) -> dict[str, str]:
    second = int(time.time()) if at_s is None else at_s
    made = hmac.new(secret.encode(), f"{second}.{approval_id}.".encode() + body, hashlib.sha256).hexdigest()
    return {"Duologue-Signature": f"t={second},v1={made}"}


def with_approver(receiver: Receiver) -> Settings:
    tools = ToolsSettings(approver_url=receiver.url, approver_secret=SECRET, allow_networks=("127.0.0.1",))
    return msgspec.structs.replace(SETTINGS, tools=tools)


async def called_back(live: Live, approval_id: str, body: bytes, headers: Mapping[str, str]) -> int:
    path = f"/api/approvals/{approval_id}/callback"
    return (await fetch(live.port, "POST", path, body=body, headers=headers)).status


async def test_another_system_is_asked_with_a_signature_and_answers_with_one(tmp_path: Path) -> None:
    bank = Bank()
    async with (
        Receiver() as receiver,
        serving(CountingAgent(asks), tmp_path, with_approver(receiver), tools=bank.tools) as live,
    ):
        await say(live, 'wire {"order": "7", "euros": 5}')
        await until(lambda: len(receiver.took) == 1)
        got = receiver.took[0]
        asked = got.body
        second = int(got.headers["duologue-signature"].split(",")[0].removeprefix("t="))
        proof = signed(asked["approvalId"], got.raw, at_s=second)["Duologue-Signature"]
        assert got.headers["duologue-signature"] == proof
        assert asked["arguments"] == {"order": "7", "euros": 5}
        approval_id = asked["approvalId"]
        right = json.dumps({"decision": "approve", "digest": asked["digest"]}).encode()
        deny = json.dumps({"decision": "deny", "digest": asked["digest"]}).encode()

        assert await called_back(live, approval_id, right, {}) == 401, "no signature"
        assert await called_back(live, approval_id, right, signed(approval_id, right, secret="x" * 16)) == 401
        assert await called_back(live, approval_id, right, signed(approval_id, deny)) == 401, "another body"
        assert await called_back(live, "0" * 24, right, signed(approval_id, right)) == 401, "another approval"
        old = signed(approval_id, right, at_s=int(time.time()) - 400)
        assert await called_back(live, approval_id, right, old) == 401, "a copy of long ago"
        changed = json.dumps({"decision": "approve", "digest": "0" * 32}).encode()
        assert await called_back(live, approval_id, changed, signed(approval_id, changed)) == 409
        assert bank.paid == []

        proof_of_now = signed(approval_id, right)
        assert await called_back(live, approval_id, right, proof_of_now) == 200
        assert await called_back(live, approval_id, right, proof_of_now) == 409, "it counts once"
        await until(lambda: bank.paid == [("7", 5.0, "ada")])
    assert len(bank.paid) == 1


async def test_the_approver_is_asked_until_it_has_it(tmp_path: Path) -> None:
    bank = Bank()
    async with Receiver() as receiver:
        receiver.answer = lambda _: 503 if len(receiver.got) < 2 else 200
        async with serving(CountingAgent(asks), tmp_path, with_approver(receiver), tools=bank.tools) as live:
            await say(live, 'wire {"order": "7", "euros": 5}')
            await until(lambda: len(receiver.took) == 1)
        assert {got.body["approvalId"] for got in receiver.got} == {receiver.got[0].body["approvalId"]}


async def test_an_approver_of_an_inner_network_is_not_asked(tmp_path: Path) -> None:
    bank = Bank()
    async with Receiver() as receiver:
        tools = ToolsSettings(approver_url=receiver.url, approver_secret=SECRET)
        settings = msgspec.structs.replace(SETTINGS, tools=tools)
        async with serving(CountingAgent(asks), tmp_path, settings, tools=bank.tools) as live:
            await say(live, 'wire {"order": "7", "euros": 5}')
            assert len(await waiting(live)) == 1
        assert receiver.got == []


async def test_what_was_signed_about_a_removed_session_decides_nothing_in_the_next_of_its_name(tmp_path: Path) -> None:
    bank = Bank()
    async with (
        Receiver() as receiver,
        serving(CountingAgent(asks), tmp_path, with_approver(receiver), tools=bank.tools) as live,
    ):
        await say(live, 'wire {"order": "7", "euros": 5}')
        (first,) = await waiting(live)
        body = json.dumps({"decision": "approve", "digest": first["digest"]}).encode()
        recorded = signed(first["approvalId"], body)
        assert await called_back(live, first["approvalId"], body, recorded) == 200
        await until(lambda: len(bank.paid) == 1)
        await fetch(live.port, "DELETE", "/api/sessions/s1", headers=bearer(KEY))

        await say(live, 'wire {"order": "7", "euros": 5}')
        (second,) = await waiting(live)
        assert second["approvalId"] != first["approvalId"]
        assert await called_back(live, first["approvalId"], body, recorded) == 404
        assert await called_back(live, second["approvalId"], body, recorded) == 401
        assert len(bank.paid) == 1


async def told(live: Live, who: str = "ada", **body: Any) -> tuple[int, Json]:
    sent = {"sessionId": "s1", **body}
    answer = await fetch(live.port, "POST", "/chat/tool-call", body=sent, headers=bearer(KEY, who))
    return answer.status, answer.body


async def test_the_person_confirms_exactly_what_they_were_asked(tmp_path: Path) -> None:
    bank = Bank()
    async with serving(CountingAgent(asks), tmp_path, SETTINGS, tools=bank.tools) as live:
        await say(live, 'small {"order": "7"}')
        (asked,) = await waiting(live)
        exactly = {"toolCallId": "call-1", "decision": "approve"}
        assert (await told(live, who="eve", **exactly))[0] == 403, "another person"
        assert (await told(live, **exactly, arguments={"order": "8"}))[0] == 409
        assert (await told(live, approvalId="0" * 24, decision="approve"))[0] == 404
        assert (await told(live, toolCallId="call-1", output="forged"))[0] == 400, "a server's call is not a client's"
        assert (await told(live, toolCallId="call-1", decision="maybe"))[0] == 400
        assert bank.paid == []
        status, body = await told(live, approvalId=asked["approvalId"], decision="approve", arguments={"order": "7"})
        assert (status, body["accepted"]) == (200, True)
        await until(lambda: bank.paid == [("7", 1.0, "ada")])
        status, body = await told(live, **exactly)
        assert (status, body["reason"]) == (409, "approval_decided"), "it counts once"
        status, body = await told(live, toolCallId="call-9", decision="approve")
        assert (status, body["reason"], body["message"]) == (
            404,
            "approval_unknown",
            "no tool call 'call-9' waits for a decision",
        )
    assert len(bank.paid) == 1


CLIENT = Settings(
    server=ServerSettings(drain_ms=500),
    auth=AUTH,
    tools=ToolsSettings(
        client=(
            ClientToolSettings(
                name="open_page",
                description="Open a page.",
                input={"type": "object", "required": ["path"], "properties": {"path": {"type": "string"}}},
                output={"type": "object", "required": ["shown"]},
                timeout_ms=60_000,
            ),
        )
    ),
)


async def begin(live: Live, text: str, *, tools: list[Json], request: str = "r1") -> None:
    body = {"sessionId": "s1", "requestId": request, "text": text, "tools": tools}
    headers = bearer(KEY, "ada") | {"Accept": "text/event-stream"}
    exchange = await ask(live.port, "POST", "/chat/stream", body=body, headers=headers)
    assert exchange.status == 200
    exchange.drop()


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ({"output": {"shown": True}}, '{"shown":true}'),
        ({"output": "words"}, "what it gave is not what is declared"),
        ({"error": "the tab was closed"}, "the tab was closed"),
    ],
)
async def test_a_client_that_says_it_can_carries_out_a_declared_tool(answer: Json, result: str, tmp_path: Path) -> None:
    agent = CountingAgent(asks)
    async with serving(agent, tmp_path, CLIENT) as live:
        await begin(live, 'open_page {"path": "/hours"}', tools=[{"name": "open_page", "description": ""}])
        await until(lambda: executing(live) == ["call-1"])
        assert [tool.name for tool in agent.requests[0].offered] == ["open_page"]
        assert (await told(live, who="eve", toolCallId="call-1", **answer))[0] == 403
        assert (await told(live, toolCallId="call-2", **answer))[0] == 400
        assert (await told(live, toolCallId="call-1", **answer))[0] == 200
        await until(lambda: len(agent.requests) == 2)
        assert result in agent.requests[1].tool_results[0].content
        assert (await told(live, toolCallId="call-1", **answer))[0] == 409


def executing(live: Live) -> list[str]:
    session = live.hub.sessions.live("s1")
    return [] if session is None else [one.call_id for one in session.state.tools.calls if one.status == "executing"]


async def test_a_client_that_does_not_say_so_is_not_asked(tmp_path: Path) -> None:
    agent = CountingAgent(asks)
    async with serving(agent, tmp_path, CLIENT) as live:
        answered = await say(live, "hello {}")
        assert agent.requests[0].offered == ()
        assert "unknown tool" in answered["text"]


async def test_bad_arguments_never_reach_a_tool_and_the_agent_is_told(tmp_path: Path) -> None:
    bank = Bank()
    async with serving(CountingAgent(asks), tmp_path, SETTINGS, tools=bank.tools) as live:
        answered = await say(live, 'pay {"order": 7, "euros": "many"}')
        assert '$.order: 7 is not of type "string"' in answered["text"]
        assert await waiting(live) == []
    assert bank.paid == []
