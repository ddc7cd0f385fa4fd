"""The agent of the benchmark: as many tokens as it is asked for, each with the moment it was made."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator

from duologue import Turn


async def answer(turn: Turn) -> AsyncGenerator[str, None]:
    """Say `n` tokens at `rate` a second (0: flat out); the turn's text is the JSON of both."""
    asked = json.loads(turn.text)
    tokens, rate = asked["n"], asked["rate"]
    start = time.monotonic()
    for index in range(tokens):
        if rate:
            await asyncio.sleep(max(0.0, start + index / rate - time.monotonic()))
        yield f"{time.monotonic_ns()} tok"
