"""What an agent raises that would end the process: its own turn fails, and the server goes on."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.e2e.harness import CountingAgent, serving
from tests.e2e.wire import fetch

from duologue.model.agent import AgentItem, AgentRequest, Finished

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("raised", [SystemExit(3), asyncio.CancelledError(), BaseExceptionGroup("", [SystemExit(1)])])
async def test_an_agent_that_would_end_the_process_has_only_failed(raised: BaseException, tmp_path: Path) -> None:
    async def breaks(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
        if request.turn == 1:
            raise raised
        yield "here"
        yield Finished()

    async with serving(CountingAgent(breaks), tmp_path) as server:
        asked = {"sessionId": "s-1", "requestId": "m-1", "text": "hello"}
        first = await fetch(server.port, "POST", "/chat/stream", body=asked, headers={"Accept": "application/json"})
        assert b"agent_failed" in first.raw
        again = await fetch(server.port, "POST", "/chat/stream", body={**asked, "requestId": "m-2"})
        assert again.status == 200
