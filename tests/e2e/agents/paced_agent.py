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
