"""An agent for the tests of handoffs, in a process that is killed."""

import asyncio
from collections.abc import AsyncGenerator

from duologue import HandOff, Turn
from duologue.ghost import Said


async def answer(turn: Turn) -> AsyncGenerator[Said, None]:
    """Hand over what is about money, hang in the middle of `hang`; else repeat it, and what people said before."""
    if "money" in turn.text:
        yield "A colleague will help. "
        yield HandOff(reason="about money", priority=int(turn.text.partition(" ")[2] or 0))
        return
    if turn.text == "hang":
        yield "Let me see "
        await asyncio.Event().wait()
    yield f"You said {turn.text}; before: " + " | ".join(
        f"{one.author}: {one.text}" for one in turn.history if one.author
    )
