"""What a tool declares to be hidden: the person sees it, and nobody else does, wherever they look."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Final

import pytest
from tests.e2e.harness import CountingAgent, Live, serving, until
from tests.e2e.wire import Json, fetch

from duologue import tool
from duologue.model.agent import AgentItem, AgentRequest, Finished, ToolRequested
from duologue.server.settings import AuthSettings, ServerSettings, Settings

pytestmark = pytest.mark.anyio

KEY: Final = "a-key-of-a-backend"
SETTINGS: Final = Settings(server=ServerSettings(drain_ms=500), auth=AuthSettings(api_keys=(KEY,), secret="s" * 40))
IBAN: Final = "DE00 1234"
PROTOCOLS: Final = "chat,agui,ghost,agentcall,jambonz"


@tool(policy="user_confirm", redact=("/iban",), confirm="Pay {euros} € to {iban}?")
async def pay(euros: float, iban: str) -> Json:
    """Pay."""
    return {"paid": euros, "iban": iban}


async def pays(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
    """Pay, and say so."""
    if request.leg == 1 and not request.tool_results:
        yield ToolRequested(call_id="call-1", name="pay", arguments=json.dumps({"euros": 5, "iban": IBAN}))
    else:
        yield "It is done."
    yield Finished()


def bearer(who: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {KEY}"} | ({} if who is None else {"Duologue-Subject": who})


async def paid(live: Live) -> None:
    """Ada has something paid, and lets it run with the exact arguments."""
    headers = bearer("ada") | {"Accept": "application/json"}
    body = {"sessionId": "s1", "requestId": "r1", "text": "pay"}
    assert (await fetch(live.port, "POST", "/chat/stream", body=body, headers=headers)).status == 200
    exactly = {"euros": 5, "iban": IBAN}
    told = {"sessionId": "s1", "toolCallId": "call-1", "decision": "approve", "arguments": exactly}
    assert (await fetch(live.port, "POST", "/chat/tool-call", body=told, headers=headers)).status == 200

    def over() -> bool:
        session = live.hub.sessions.live("s1")
        return session is not None and session.state.open is None and not session.state.tools.calls

    await until(over)


async def seen(live: Live, path: str, who: str | None) -> str:
    answer = await fetch(live.port, "GET", path, headers=bearer(who))
    assert answer.status == 200, answer.body
    return answer.raw.decode()


@pytest.mark.parametrize("path", ["/api/sessions/s1/journal", f"/api/sessions/s1/events?protocols={PROTOCOLS}"])
async def test_in_sessions_only_the_person_sees_it(path: str, tmp_path: Path) -> None:
    async with serving(CountingAgent(pays), tmp_path, SETTINGS, tools=(pay,)) as live:
        await paid(live)
        assert IBAN in await seen(live, path, "ada")
        shown = await seen(live, path, None)
        assert IBAN not in shown
        assert "[hidden]" in shown and '"call-1"' in shown
        lines = [json.loads(line) for line in shown.splitlines()]
        assert len(lines) == len((await seen(live, path, "ada")).splitlines()), "nothing is left out"
    assert IBAN not in (tmp_path / "audit.jsonl").read_text()


async def test_an_operator_who_has_the_conversation_does_not_see_it(tmp_path: Path) -> None:
    async with serving(CountingAgent(pays), tmp_path, SETTINGS, tools=(pay,)) as live:
        await paid(live)
        body = {"sessionId": "s1", "reason": "a question"}
        asked = await fetch(live.port, "POST", "/api/handoffs", body=body, headers=bearer("ada"))
        assert asked.status in (200, 201), asked.body
        listed = json.loads(await seen(live, "/api/handoffs", None))
        handoff_id = listed["handoffs"][0]["id"]
        for part in ("", f"/conversation?protocols={PROTOCOLS}"):
            shown = await seen(live, f"/api/handoffs/{handoff_id}{part}", None)
            assert IBAN not in shown
        assert '"tool_returned"' in shown


async def test_an_export_is_whole_so_that_it_can_be_imported(tmp_path: Path) -> None:
    async with serving(CountingAgent(pays), tmp_path, SETTINGS, tools=(pay,)) as live:
        await paid(live)
        assert IBAN in await seen(live, "/api/sessions/s1/export", None)
