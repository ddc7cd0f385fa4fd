"""An agent that pays back what the person lets it, and writes down each time that it did."""

from collections.abc import AsyncGenerator
from pathlib import Path

from duologue import ToolRequested, Turn, tool
from duologue.model.agent import AgentItem

BOOK = Path("refunds")
"""Where each refund becomes a line."""


@tool(policy="user_confirm", confirm="Refund order {order}?")
def refund(order: str) -> str:
    """Pay back."""
    with BOOK.open("a", encoding="utf-8") as file:
        file.write(f"{order}\n")
    return f"refunded {order}"


async def answer(turn: Turn) -> AsyncGenerator[str | AgentItem, None]:
    """Pay back, once, and say what came of it."""
    if turn.tool_results:
        yield f"It is {turn.tool_results[0].status}."
    else:
        yield ToolRequested(call_id="call-1", name="refund", arguments='{"order": "7"}')
