"""Agents of the tests that start a server as a process: how much they say is in the text."""

import asyncio
import os
from collections.abc import AsyncGenerator

from duologue.adapters.agent_python import Turn

PACE_S = float(os.environ.get("PACE_S", "0"))
"""Between two pieces."""


async def count(turn: Turn) -> AsyncGenerator[str, None]:
    """Say as many pieces as the text says."""
    for number in range(int(turn.text)):
        yield f"{number} "
        await asyncio.sleep(PACE_S)


async def gated(turn: Turn) -> AsyncGenerator[str, None]:
    """Say something, wait until there is a file `go` in the working directory, and say the rest."""
    yield "before "
    # One look at a folder: a test's server may.
    while turn.text == "wait" and not os.path.exists("go"):  # noqa: ASYNC240
        await asyncio.sleep(0.005)
    yield "after"


async def bulk(turn: Turn) -> AsyncGenerator[str, None]:
    """Say as many pieces of 2 KiB as the text says, as fast as they are taken."""
    for _ in range(int(turn.text)):
        yield "x" * 2_048
