"""An agent that calls the tool that the person names, and says what came of it."""

import json
from collections.abc import AsyncGenerator

from duologue import Turn
from duologue.ghost import Said


async def answer(turn: Turn) -> AsyncGenerator[Said, None]:
    """Call as the person says, such as `stock {"item": "tea"}`; name what may be called where they say nothing."""
    name, _, arguments = turn.text.partition(" ")
    if name == "tools":
        yield " ".join(sorted(tool.name for tool in turn.request.offered))
        return
    came = await turn.call(name, json.loads(arguments or "{}"))
    yield f"{came.status}: {came.content}"
