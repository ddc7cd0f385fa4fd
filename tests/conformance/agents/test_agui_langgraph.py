"""The AG-UI agent against a LangGraph graph behind LangGraph's own AG-UI adapter: a question across two runs."""

import asyncio
import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.harness import free_port

from duologue.adapters.agent_agui import AguiAgent, AguiOptions
from duologue.model.agent import AgentItem, AgentRequest, Asked, Finished, Note, Text
from duologue.model.content import Answer, Message

pytestmark = [pytest.mark.anyio, pytest.mark.counterpart("LangGraph")]

EXAMPLES = Path(__file__).parents[3] / "examples"


class NoFiles:
    """Has no uploads."""

    async def read(self, upload_id: str) -> bytes:
        """Give nothing."""
        raise LookupError(upload_id)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Run the example's graph; a process of its own, since its adapter calls what is deprecated."""
    port = free_port()
    command = [sys.executable, str(EXAMPLES / "agui_langgraph.py"), str(port)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            while True:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                    break
                assert process.poll() is None
                time.sleep(0.05)
            yield f"http://127.0.0.1:{port}/"
        finally:
            process.terminate()


@pytest.fixture
async def agent(address: str) -> AsyncGenerator[AguiAgent]:
    """Give the agent that asks the graph."""
    made = AguiAgent(AguiOptions(url=address, remembers=True))
    async with aclosing(made):
        yield made


async def answer(agent: AguiAgent, number: int, text: str, **more: Any) -> list[AgentItem]:
    request = AgentRequest(
        session_id=more.pop("session_id", "session-1"),
        subject="local",
        response_id=f"response-{number}",
        turn=number,
        text=text,
        request_id=f"request-{number}",
        **more,
    )
    async with asyncio.timeout(60), aclosing(agent.run(request, NoFiles())) as items:
        return [item async for item in items if not isinstance(item, Note)]


async def test_a_graph_answers_turn_after_turn(agent: AguiAgent) -> None:
    for number in (1, 2):
        said = await answer(agent, number, "How much is tea?")
        assert said == [Text(text="One pack of tea is 3.20 €."), Finished()]


@pytest.mark.parametrize(
    ("status", "payload", "end"),
    [
        ("resolved", {"approved": True}, "Ordered: rice."),
        ("resolved", {"approved": False}, "Nothing was ordered."),
        ("cancelled", None, "Nothing was ordered."),
    ],
)
async def test_a_graph_asks_and_goes_on_with_the_answer(agent: AguiAgent, status: Any, payload: Any, end: str) -> None:
    session_id = f"session-{status}-{payload}"
    (asked,) = await answer(agent, 1, "order rice", session_id=session_id)
    assert isinstance(asked, Asked)
    (interrupt,) = asked.interrupts
    assert (interrupt.reason, interrupt.message) == ("approval", "Order rice for 1.99 €?")
    said = await answer(
        agent,
        2,
        "",
        session_id=session_id,
        history=(
            Message(role="user", text="order rice", turn=1),
            Message(role="assistant", text="", turn=1, interrupts=asked.interrupts),
        ),
        interrupts=asked.interrupts,
        resume=(Answer(interrupt_id=interrupt.interrupt_id, status=status, payload=payload),),
    )
    assert said == [Text(text=end), Finished()]
