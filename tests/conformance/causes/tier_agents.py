"""An agent of a smaller tier, for a run in which several tiers answer."""

from collections.abc import AsyncGenerator

from duologue.ghost import Said, Turn
from duologue.model.routing import Upgrade


async def reflex(turn: Turn) -> AsyncGenerator[Said, None]:
    """Answer quickly; hedge where it is not known, and leave to a larger tier what is too hard."""
    if "weather" in turn.text:
        yield "I am not sure, but I think it might rain. I do not really know."
    elif "need" in turn.text:
        yield Upgrade()
    else:
        yield "At ten."
