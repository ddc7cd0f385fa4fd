"""What a person may have done is in their token: a tool that asks for more is neither offered nor carried out."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, TypeAlias

import pytest
from tests.e2e.agents import calling_agent
from tests.e2e.agui import Stream, agui_input, user
from tests.e2e.harness import Live, serving
from tests.e2e.wire import ask, fetch

from duologue import ToolContext, tool
from duologue.adapters.agent_python import PythonAgent
from duologue.server.settings import AuthSettings, ServerSettings, Settings

pytestmark = pytest.mark.anyio

KEY: Final = "a-key-of-a-backend"
SETTINGS: Final = Settings(server=ServerSettings(drain_ms=500), auth=AuthSettings(api_keys=(KEY,), secret="s" * 40))
PAY: Final = 'pay {"order": "7"}'


class Till:
    """Pays, and knows for whom."""

    def __init__(self) -> None:
        self.paid: list[tuple[str, str]] = []

        @tool(scopes=("payments", "shop"), policy="auto")
        async def pay(order: str, context: ToolContext) -> str:
            """Pay."""
            self.paid.append((order, context.subject))
            return f"paid {order}"

        @tool(side_effect="read")
        async def look(order: str) -> str:
            """Look an order up."""
            return f"{order} is on its way"

        self.tools = (pay, look)


async def token(live: Live, *scopes: str, who: str = "ada") -> str:
    body = {"subject": who, "toolScopes": list(scopes)}
    answer = await fetch(live.port, "POST", "/chat/token", body=body, headers={"Authorization": f"Bearer {KEY}"})
    assert answer.status == 200, answer.body
    return answer.body["token"]


async def by_chat(live: Live, credential: str, text: str, *, request: str = "r1") -> str:
    headers = {"Authorization": f"Bearer {credential}", "Accept": "application/json"}
    body = {"sessionId": f"chat-{text[:4].strip()}", "requestId": request, "text": text}
    answer = await fetch(live.port, "POST", "/chat/stream", body=body, headers=headers)
    assert answer.status == 200, answer.body
    return answer.body["text"]


async def by_agui(live: Live, credential: str, text: str, *, request: str = "r1") -> str:
    headers = {"Authorization": f"Bearer {credential}", "Accept": "text/event-stream"}
    body = agui_input(f"agui-{text[:4].strip()}", request, user(text, f"u-{request}"))
    exchange = await ask(live.port, "POST", "/agui", body=body, headers=headers)
    assert exchange.status == 200
    return (await Stream(exchange).over()).text


Say: TypeAlias = Callable[[Live, str, str], Awaitable[str]]


@pytest.mark.parametrize("say", [by_chat, by_agui])
@pytest.mark.parametrize("scopes", [(), ("payments",), ("payment", "shop"), ("PAYMENTS", "shop")])
async def test_a_token_without_all_scopes_is_denied(say: Say, scopes: tuple[str, ...], tmp_path: Path) -> None:
    till = Till()
    async with serving(PythonAgent(calling_agent.answer), tmp_path, SETTINGS, tools=till.tools) as live:
        credential = await token(live, *scopes)
        assert await say(live, credential, "tools") == "look"
        missing = ", ".join(sorted({"payments", "shop"} - set(scopes)))
        assert await say(live, credential, PAY) == f"denied: the person is not granted {missing}"
        assert await say(live, credential, 'look {"order": "7"}') == "completed: 7 is on its way"
    assert till.paid == []
    assert '"outcome":"missing_scope"' in (tmp_path / "audit.jsonl").read_text()


@pytest.mark.parametrize("say", [by_chat, by_agui])
async def test_a_token_with_the_scopes_may(say: Say, tmp_path: Path) -> None:
    till = Till()
    async with serving(PythonAgent(calling_agent.answer), tmp_path, SETTINGS, tools=till.tools) as live:
        credential = await token(live, "payments", "shop", "more")
        assert await say(live, credential, "tools") == "look pay"
        assert await say(live, credential, PAY) == "completed: paid 7"
    assert till.paid == [("7", "ada")]


async def test_scopes_are_those_of_who_speaks_now_and_not_of_who_spoke_before(tmp_path: Path) -> None:
    till = Till()
    async with serving(PythonAgent(calling_agent.answer), tmp_path, SETTINGS, tools=till.tools) as live:
        may, may_not = await token(live, "payments", "shop"), await token(live)
        assert await by_chat(live, may, PAY) == "completed: paid 7"
        assert (await by_chat(live, may_not, PAY, request="r2")).startswith("denied: ")
    assert till.paid == [("7", "ada")]


async def test_only_a_backend_grants_scopes(tmp_path: Path) -> None:
    async with serving(PythonAgent(calling_agent.answer), tmp_path, SETTINGS, tools=Till().tools) as live:
        person = await token(live)
        body = {"subject": "ada", "toolScopes": ["payments", "shop"]}
        headers = {"Authorization": f"Bearer {person}"}
        assert (await fetch(live.port, "POST", "/chat/token", body=body, headers=headers)).status == 403
