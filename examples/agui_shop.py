"""An agent for a front end over AG-UI: it reads the page's state, asks the page to run a tool, and asks a person.

    cd examples
    duologue serve --agent agui_shop:answer

`agui_client.mjs` is such a front end.
"""

from collections.abc import AsyncGenerator
from typing import TypedDict, cast

from duologue import Asked, Interrupt, Said, ToolRequested, Turn


class Page(TypedDict, total=False):
    """The state of the page, as it sends it with each run."""

    cart: list[str]


async def answer(turn: Turn) -> AsyncGenerator[Said]:
    """Answer one turn of one person."""
    # What a client sends is of any shape; a real agent checks it.
    cart = ", ".join(cast(Page, turn.state or {}).get("cart", []))
    if turn.answers:
        yield f"Ordered: {cart}." if turn.answers[0].status == "resolved" else "Nothing was ordered."
    elif turn.tool_results:
        yield f"You stand at {turn.tool_results[0].content}."
    elif "where" in turn.text.lower():
        yield ToolRequested(call_id=f"{turn.response_id}-where", name="where_am_i")
    elif "order" in turn.text.lower():
        yield "That needs a yes."
        yield Asked(interrupts=(Interrupt(interrupt_id="order", reason="approval", message=f"Order {cart}?"),))
    else:
        yield f"Your cart holds {cart or 'nothing'}."
