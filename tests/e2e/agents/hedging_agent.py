"""Answers at once, and is not sure of it: of the weather from the first word on, of the forecast in the end."""

import asyncio
from collections.abc import AsyncGenerator

from duologue.ghost import Said, Turn

HEARD_S = 1.5
"""Long enough that a first sentence has been heard before the second one is there."""


async def answer(turn: Turn) -> AsyncGenerator[Said, None]:
    """Hedge."""
    if "forecast" in turn.text:
        yield "There are clouds. "
        await asyncio.sleep(HEARD_S)
    yield "I am not sure, though. "
    yield "I do not really know."
