"""An agent with tools of the server's: one runs by itself, one if the person says yes, one if a supervisor does.

    cd examples
    duologue serve --agent tools_agent:answer

Then ask: "Where is order 1001?", "Refund 12.50 for order 1001", "Refund 900 for order 1002". Whoever supervises
decides about the last one at http://127.0.0.1:8420/operator, or with POST /api/approvals/{id}.
"""

import json
import re
from collections.abc import AsyncGenerator
from typing import Annotated

from msgspec import Meta, Struct

from duologue import Idempotency, ToolContext, ToolFailed, Turn, tool
from duologue.ghost import Said


class Order(Struct):
    """What is known of an order."""

    order_id: str
    item: str
    euros: float
    status: str
    refunded: float = 0.0


ORDERS = {
    "1001": Order(order_id="1001", item="tea", euros=25.0, status="on its way, arrives on Friday"),
    "1002": Order(order_id="1002", item="a writing desk", euros=1200.0, status="delivered on Monday"),
}
"""What would be a database."""

PAID: dict[str, float] = {}
"""What was paid back under each idempotency key, so that a repeated call pays once."""

SMALL = 100
"""Up to so many euros the person alone decides."""

OrderId = Annotated[str, Meta(pattern=r"^\d{4}$")]
Euros = Annotated[float, Meta(gt=0)]


@tool(side_effect="read")
async def order_status(order_id: OrderId) -> Order:
    """Look up an order.

    Args:
        order_id: its four digits.
    """
    return find(order_id)


@tool(
    policy="user_confirm",
    confirm="Pay back {euros} € for order {order_id}?",
    idempotency=Idempotency(mode="input", safe_to_repeat=True),
)
async def refund(order_id: OrderId, euros: Annotated[float, Meta(gt=0, le=SMALL)], context: ToolContext) -> Order:
    """Pay money back for an order.

    Args:
        order_id: its four digits.
        euros: how much.
    """
    return pay_back(order_id, euros, context.key)


@tool(
    policy="supervisor_approve",
    side_effect="destructive",
    confirm="Pay back {euros} € for order {order_id}? Reason: {reason}",
    idempotency=Idempotency(mode="key", key_arguments=("order_id",), safe_to_repeat=True),
    redact=("/iban",),
)
async def refund_large(order_id: OrderId, euros: Euros, reason: str, context: ToolContext, iban: str = "") -> Order:
    """Pay a large sum back for an order; a supervisor has to allow it.

    Args:
        order_id: its four digits.
        euros: how much.
        reason: in the person's words.
        iban: the account, where it is another than the order's.
    """
    del reason, iban
    return pay_back(order_id, euros, context.key)


async def answer(turn: Turn) -> AsyncGenerator[Said, None]:
    """Answer by plain rules; where a model would choose the tool, it is given `turn.offered`.

    The function runs again once somebody has decided, and a call that was made before gives what came of it.
    """
    order = re.search(r"\b(\d{4})\b", turn.text)
    if order is None:
        yield 'Which order is it about? Try "Where is order 1001?"'
        return
    if "refund" not in turn.text.lower():
        found = await turn.call("order_status", {"order_id": order[1]})
        yield (
            found.content if found.is_error else "Order {order_id} ({item}) is {status}.".format(**read(found.content))
        )
        return
    sum_of = re.search(r"(\d+(?:\.\d\d?)?)", turn.text.replace(order[1], "", 1))
    euros = float(sum_of[1]) if sum_of else ORDERS.get(order[1], ORDERS["1001"]).euros
    if euros <= SMALL:
        paid = await turn.call("refund", {"order_id": order[1], "euros": euros})
    else:
        paid = await turn.call("refund_large", {"order_id": order[1], "euros": euros, "reason": turn.text[:200]})
    if paid.status == "pending_supervisor":
        yield "A supervisor has to allow that. I will come back to you."
    elif paid.is_error:
        yield f"Nothing was paid back: {paid.content}"
    else:
        yield "{refunded:.2f} € are on their way to you for order {order_id}.".format(**read(paid.content))


def find(order_id: str) -> Order:
    """Find an order, or say why not in words for the agent."""
    if order_id not in ORDERS:
        raise ToolFailed(f"there is no order {order_id}", code="no_order")
    return ORDERS[order_id]


def pay_back(order_id: str, euros: float, key: str) -> Order:
    """Pay once for each key, however often it is asked."""
    order = find(order_id)
    if key not in PAID:
        if order.refunded + euros > order.euros:
            raise ToolFailed(f"order {order_id} was {order.euros:.2f} €, no more can be paid back", code="too_much")
        order.refunded += euros
        PAID[key] = euros
    return order


def read(content: str) -> dict[str, object]:
    """Read a result that is an object."""
    return dict(json.loads(content))
