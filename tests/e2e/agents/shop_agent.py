"""The agent of a shop for coffee, behind the pictures of the pages: what it says is always the same."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Final

from duologue import Citation, HandOff, ToolRequested, Turn, tool
from duologue.ghost import Said
from duologue.model.agent import AgentItem

PACE_S = 0.02
"""Between two words, so that the figures below an answer are of one that was written and not of one that was copied."""


@tool(side_effect="read")
def find_order(order: int) -> dict[str, str]:
    """Look an order up."""
    return {"order": str(order), "sent": "Monday", "scanned": "Leeds, Wednesday", "expected": "Friday"}


@tool(policy="user_confirm", confirm="Refund {euros} € for the grinder of order {order}?", side_effect="destructive")
def refund(order: int, euros: int) -> dict[str, int]:
    """Pay money back."""
    return {"order": order, "refunded": euros}


@tool(policy="supervisor_approve", confirm="Refund {euros} € for order {order}?", redact=("/iban",))
def refund_order(order: int, euros: int, iban: str) -> dict[str, int]:
    """Pay back a whole order, which a supervisor lets pass."""
    return {"order": order, "refunded": euros, "letters": len(iban)}


ASKED: Final[dict[str, tuple[str | AgentItem, ...]]] = {
    "Where is my order": (ToolRequested(call_id="call-order", name="find_order", arguments='{"order": 4711}'),),
    "The grinder arrived broken": (
        "I am sorry about that. You need not send it back: I can refund it right away.",
        ToolRequested(call_id="call-refund", name="refund", arguments='{"order": 4711, "euros": 89}'),
    ),
    "I send everything back": (
        "That is more than I may decide, so I am asking.",
        ToolRequested(
            call_id="call-all", name="refund_order", arguments='{"order": 4688, "euros": 240, "iban": "DE02 1203"}'
        ),
    ),
    "That is what you said": (
        "I understand that it is urgent. A replacement can leave by express today, for 12 €, which I may not waive.",
    ),
    "This is ridiculous": (
        "Of course. I am getting a colleague who can decide that.",
        HandOff(
            reason="A birthday present is late, and the express fee is to be waived",
            skills=("shipping",),
            priority=2,
            summary=(
                "Order 4711 left on Monday and was last scanned in Leeds.\nIt is a present for tomorrow, and had been "
                "promised for Friday.\nA replacement by express was offered; the fee of 12 € is to be waived."
            ),
        ),
    ),
    "Can somebody ring me": (
        "I am passing that on.",
        HandOff(reason="Wants to be rung about a bulk order", skills=("sales",), summary="30 kg of espresso a month."),
    ),
}
"""What is said and done, by how the person begins."""

CAME: Final = {
    "find_order": "It left on **Monday** and was in Leeds on Wednesday. It should be with you on **Friday**.",
    "refund": "Done: the money will be on your card within three days.",
    "refund_order": "I have asked a colleague, and will tell you here what came of it.",
}
"""What is said once a tool has returned, or waits for somebody."""

DELIVERY: Final = Citation(
    title="Delivery › How long does it take?", url="/docs", snippet="Parcels take two to four days."
)


async def answer(turn: Turn) -> AsyncGenerator[Said, None]:
    """Answer as the tables say, word by word."""
    came = [CAME[result.name] for result in turn.tool_results if result.name in CAME]
    asked = (items for begins, items in ASKED.items() if turn.text.startswith(begins))
    said: tuple[str | AgentItem, ...] = (came[-1],) if came else next(asked, ("You are welcome.",))
    for item in said:
        if not isinstance(item, str):
            yield item
            continue
        for number, word in enumerate(item.split(" ")):
            yield word if number == 0 else f" {word}"
            await asyncio.sleep(PACE_S)
    if came and came[-1] == CAME["find_order"]:
        yield DELIVERY
