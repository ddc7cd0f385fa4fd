"""An agent whose tools write down what they did, and then take long: for servers that are killed meanwhile."""

import asyncio
import os
from collections.abc import AsyncGenerator
from pathlib import Path

from duologue import Idempotency, ToolContext, Turn, tool
from duologue.ghost import Said


async def _pay(context: ToolContext) -> str:
    if _written(context.key) == 1:
        await asyncio.sleep(60)
    return "paid"


def _written(key: str) -> int:
    """Write a payment down; gives how many there are."""
    book = Path(os.environ["PAYING_BOOK"])
    with book.open("a") as file:
        file.write(f"{key}\n")
    return len(book.read_text().splitlines())


@tool(idempotency=Idempotency(mode="input"))
async def pay(order: str, context: ToolContext) -> str:
    """Pay, which must not be done twice."""
    del order
    return await _pay(context)


@tool(idempotency=Idempotency(mode="input", safe_to_repeat=True))
async def pay_by_key(order: str, context: ToolContext) -> str:
    """Pay at somebody's who takes the key."""
    del order
    return await _pay(context)


async def answer(turn: Turn) -> AsyncGenerator[Said, None]:
    """Pay as the person says."""
    name, _, order = turn.text.partition(" ")
    paid = await turn.call(name, {"order": order})
    yield f"{paid.status}: {paid.content}"
