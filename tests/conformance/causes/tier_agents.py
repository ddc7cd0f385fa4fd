"""Agents of three tiers, for a run in which they are asked one after the other."""

from collections.abc import AsyncGenerator

from duologue.ghost import Said, Turn


async def gate(turn: Turn) -> str:
    """Answer what is easiest."""
    return f"Hello to you: {turn.text}"


async def reflex(turn: Turn) -> AsyncGenerator[Said, None]:
    """Answer quickly, and hedge where it is not known."""
    if "weather" in turn.text:
        yield "I am not sure, but I think it might rain. I do not really know."
    else:
        yield "At ten."
