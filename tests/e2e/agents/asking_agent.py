"""An agent that uses tools, asks its client to run some, asks for approval, and fails: its text says which."""

import asyncio
import os
from collections.abc import AsyncGenerator
from pathlib import Path

from duologue import (
    Asked,
    Citation,
    Failure,
    Finished,
    Interrupt,
    Note,
    Text,
    ToolCalled,
    ToolRequested,
    ToolReturned,
    Usage,
)
from duologue.adapters.agent_python import Turn
from duologue.model.agent import AgentItem

USAGE = (Usage(provider="home", model="script-1", input_tokens=7, output_tokens=3),)


async def answer(turn: Turn) -> AsyncGenerator[str | AgentItem, None]:
    """Answer in the way that the text asks for; each run leaves a line in the file `runs`."""
    _count(f"run {turn.text}")
    if turn.answers:
        async for item in _decided(turn):
            yield item
    elif turn.tool_results:
        yield "It says " + ", ".join(one.content for one in turn.tool_results)
    else:
        async for item in _asked(turn):
            yield item


async def _asked(turn: Turn) -> AsyncGenerator[str | AgentItem, None]:
    match turn.text:
        case "tool":
            yield "Let me look. "
            yield ToolCalled(call_id=f"{turn.response_id}-look", name="look", arguments='{"at": "it"}', repeatable=True)
            yield ToolReturned(call_id=f"{turn.response_id}-look", result='{"seen": true}')
            yield "There it is."
            yield Finished(usage=USAGE)
        case "where":
            for number, tool in enumerate(turn.tools):
                yield ToolRequested(call_id=f"{turn.response_id}-{number}", name=tool.name, arguments='{"fine": true}')
        case "refund" | "slow refund":
            yield "That needs a yes."
            yield ToolCalled(call_id="refund-1", name="refund", arguments='{"euro": 20}')
            yield Asked(
                interrupts=(
                    Interrupt(
                        interrupt_id="may-refund",
                        reason="approval",
                        message="Refund 20 euro?",
                        tool_call_id="refund-1",
                        response_schema={"type": "object"},
                        metadata={"slow": True} if turn.text == "slow refund" else None,
                    ),
                )
            )
        case "silent question":
            yield Asked(interrupts=(Interrupt(interrupt_id="q", reason="choice", message="Which?"),))
        case "fail":
            yield "Half of "
            yield Failure(message="it broke")
        case "wait":
            yield "before "
            # One look at a folder: a test's server may.
            while not os.path.exists("go"):  # noqa: ASYNC240
                await asyncio.sleep(0.005)
            yield "after"
        case _:
            yield Text(text=f"You said {turn.text}.")
            yield Citation(title="Page", url="/docs/agui")
            yield Note(category="test", message="a note")


async def _decided(turn: Turn) -> AsyncGenerator[str | AgentItem, None]:
    decided = turn.answers[0]
    if decided.status == "cancelled":
        yield f"Not then. {turn.text}"
    elif turn.interrupts[0].tool_call_id is None:
        yield f"So it is {decided.payload}."
    elif turn.interrupts[0].metadata:
        yield "On its way "
        await asyncio.sleep(60)
    else:
        _count("refund")
        yield ToolReturned(call_id=turn.interrupts[0].tool_call_id, result="done")
        yield "It is refunded."


def _count(what: str) -> None:
    with Path("runs").open("a", encoding="utf-8") as file:
        file.write(f"{what}\n")
