"""Stopping in order: running answers finish, those of calls are heard, and readers have what is there."""

import asyncio
import contextlib
from typing import Final

from duologue.runtime.registry import Registry
from duologue.runtime.runs import Runs
from duologue.runtime.session import LiveSession
from duologue.runtime.tools.runs import ToolRuns

BYE_MS: Final = 1_000
"""How long readers have at the end to take what is there: those that are slower come back and resume."""


async def answered(sessions: Registry, runs: Runs, tools: ToolRuns) -> None:
    """Wait until nothing is running, everything is stored, and what is spoken in calls has been heard."""
    while True:
        await runs.idle()
        await tools.idle()
        for session in sessions:
            await session.settled()
            await _heard(session)
        # A turn that was on its way to the store begins its run only now.
        if not (len(runs) or len(tools)):
            return


async def _heard(session: LiveSession) -> None:
    """Wait until the call of a session answers nothing any more."""
    while session.state.call is not None and session.state.open is not None and session.failure is None:
        await session.changed()


async def readers_gone(sessions: Registry) -> None:
    """Wait until the readers have what is there and were told why they are sent away, `BYE_MS` at most."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(BYE_MS / 1000):
            for session in sessions:
                while session.readers:
                    await session.changed()
