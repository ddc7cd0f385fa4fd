"""An agent for the terminal's tests: what it says is decided by what it is asked."""

import asyncio
import os
from collections.abc import AsyncGenerator
from pathlib import Path

from duologue import Chip, Chips, Citation, Failure, Rich, Turn
from duologue.ghost import Said

LONG_WORDS = 30


async def answer(turn: Turn) -> AsyncGenerator[Said, None]:
    match turn.text:
        case "wait":
            # Half an answer, and the rest once the test says so.
            yield "one moment "
            await _until(Path(os.environ["TERMINAL_AGENT_GATE"]))
            yield "and here it is"
        case "fail":
            yield Failure(message="the shop is closed", retryable=True)
        case "break":
            raise LookupError("nobody reads this")
        case "long":
            for number in range(LONG_WORDS):
                yield f"word{number} "
        case "card":
            yield Rich(payload_type="shop.product", data={"name": "tea"})
        case "escape":
            yield "\x1b]0;owned\x07red\x1b[31m \u202eturned"
        case text:
            yield f"you said {text}"
            yield Citation(title="Shelves", url="/docs/shelves#tea")
            yield Chips(chips=(Chip(label="Tea", text="tell me about tea"), Chip(label="Rice", text="and rice?")))


async def _until(gate: Path) -> None:
    while not gate.exists():  # noqa: ASYNC240 - a file is what another process can open.
        await asyncio.sleep(0.01)
