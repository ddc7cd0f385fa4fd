"""The agent behind the browser tests: what it says depends on the first word that it is told."""

import asyncio
from collections.abc import AsyncGenerator

from duologue.adapters.agent_python import Turn
from duologue.model.agent import AgentItem, Asked, Chips, Failure, Rich, ToolCalled, ToolReturned
from duologue.model.content import Chip, Interrupt

PACE_S = 0.02
"""Between two words: slow enough to be caught in the middle, also on a busy machine."""

WORDS = 100

HOSTILE = (
    '<img src=x onerror="document.title=1"> <script>document.title = 1</script>\n\n'
    "[run](javascript:document.title=1) [data](data:text/html,x) [other](//evil.example) "
    "[docs](/docs) [site](https://example.com/a_(b))"
)


async def answer(turn: Turn) -> AsyncGenerator[str | AgentItem, None]:
    """Answer as told: count, endless, choose, show, hostile, markdown; fail fails the first time only."""
    match turn.text.partition(" ")[0]:
        case "count":
            for number in range(1, WORDS + 1):
                yield f"word-{number} "
                await asyncio.sleep(PACE_S)
        case "endless":
            while True:
                yield "and on "
                await asyncio.sleep(PACE_S)
        case "many":
            for number in range(int(turn.text.split()[1])):
                yield f"w{number} "
        case "use":
            yield "Let me look. "
            yield ToolCalled(call_id="t-1", name="find_order", arguments='{"number": 42}', repeatable=True)
            yield ToolReturned(call_id="t-1", result='{"state": "sent"}')
            yield "It was sent."
            yield ToolCalled(call_id="t-2", name="refund", repeatable=True)
            yield ToolReturned(call_id="t-2", result="No money.", is_error=True)
        case "ask":
            yield "One moment."
            yield Asked(interrupts=(Interrupt(interrupt_id="i-1", reason="approval", message="May I book it?"),))
        case "think":
            await asyncio.Event().wait()
        case "choose":
            yield "Choose one."
            yield Chips(chips=(Chip(label="The first", text="chosen first"), Chip(label="Second", text="no")))
        case "show":
            yield "Before. "
            yield Rich(payload_type="card", data={"title": "A card", "text": "Its text", "url": "/docs"})
            yield Rich(payload_type="table", data={"columns": ["Name", "Count"], "rows": [["a", 1], ["b", 20]]})
            yield Rich(payload_type="acme.thing", data={"colour": "red", "sizes": [1, {"deep": True}]})
            yield "After."
        case "hostile":
            yield HOSTILE
        case "fail":
            said_before = any(message.text == turn.text for message in turn.history)
            if said_before:
                yield "This time it worked."
            else:
                yield Failure(message="The quota is used up.", retryable=True)
        case _:
            files = ", ".join(item.name for item in turn.attachments)
            yield f"You said: {turn.text}{' with ' + files if files else ''}"
