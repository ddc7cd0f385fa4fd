"""An agent that is a function: it streams text, cites, shows a card and suggests what to say next.

    cd examples
    duologue serve --agent python_agent:answer

Then open http://127.0.0.1:8420, or talk here: `duologue chat --agent python_agent:answer`.
"""

import asyncio
from collections.abc import AsyncGenerator

from duologue import Chip, Chips, Citation, Finished, Rich, Turn
from duologue.ghost import Said

PRICES = {"oat milk": 2.49, "rice": 1.99, "tea": 3.20}
"""What this shop has, in euros."""


async def answer(turn: Turn) -> AsyncGenerator[Said, None]:
    """Answer one turn of one person. All sessions share this function, so it keeps nothing in itself."""
    asked = next((name for name in PRICES if name in turn.text.lower()), None)
    if asked is None:
        yield "I only know the shelves of one shop. "
        yield suggest("oat milk", "rice", "tea")
        # Not sure of the answer: it counts as an answer, and not as a good one.
        yield Finished(confident=False)
        return
    for word in f"{asked.capitalize()} is {PRICES[asked]:.2f} €, on shelf {len(asked)}.".split(" "):
        yield word + " "
        # Where a model would be awaited. Stopping the answer cancels the function here.
        await asyncio.sleep(0.01)
    yield Citation(title="Price list", url="https://shop.example/prices", snippet=f"{asked} {PRICES[asked]}")
    yield Rich(payload_type="shop.product", data={"name": asked, "price": PRICES[asked], "currency": "EUR"})
    yield suggest(*(name for name in PRICES if name != asked))


def suggest(*names: str) -> Chips:
    """Offer to ask for something else."""
    return Chips(chips=tuple(Chip(label=name, text=f"How much is {name}?") for name in names))
