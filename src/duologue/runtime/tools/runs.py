"""The calls of tools in progress: one task for each."""

import asyncio
from typing import Final

from duologue.model import limits
from duologue.model.errors import StoreError
from duologue.model.tools import ToolOrder, ToolReported
from duologue.runtime.session import LiveSession
from duologue.runtime.tools.attempts import Attempts

STOPPED: Final = "it was stopped, as nobody waits for it any more"


class ToolRuns:
    """Carries out the calls that the engine orders, and tells it of each once.

    At most `limits.TOOL_CALLS_AT_ONCE` are carried out at a time; one more waits, and its time has not begun.

    Args:
        group: owns the tasks.
        attempts: carries out one call.
    """

    def __init__(self, group: asyncio.TaskGroup, attempts: Attempts) -> None:
        self._group, self._attempts = group, attempts
        self._room = asyncio.Semaphore(limits.TOOL_CALLS_AT_ONCE)
        self._running: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._closing = False

    def __len__(self) -> int:
        return len(self._running)

    def start(self, session: LiveSession, order: ToolOrder) -> None:
        """Begin to carry out a call; one that is being carried out is not begun again.

        What a client carries out is shown to it, and reported by it.
        """
        if order.spec.kind == "client":
            return
        key = (session.state.session_id, order.call_id)
        if key in self._running:
            return
        task = self._group.create_task(self._run(session, order), name=f"tool {order.spec.name}")
        self._running[key] = task
        task.add_done_callback(lambda done: self._forget(key, done))

    def stop(self, session_id: str, call_id: str) -> None:
        """Stop a call, which is then reported as failed."""
        if (task := self._running.get((session_id, call_id))) is not None:
            task.cancel()

    def stop_all(self) -> None:
        """Stop all calls, and report none: the next start decides what becomes of them."""
        self._closing = True
        for task in [*self._running.values()]:
            task.cancel()

    async def idle(self) -> None:
        """Wait until no call is left."""
        while self._running:
            await asyncio.wait([*self._running.values()])

    async def _run(self, session: LiveSession, order: ToolOrder) -> None:
        state = session.state
        try:
            async with self._room:
                report = await self._attempts.carry_out(order, session_id=state.session_id, subject=state.subject)
        except asyncio.CancelledError:
            if self._closing:
                raise
            report = ToolReported(call_id=order.call_id, status="failed", output=STOPPED, code="stopped")
        try:
            session.give(report)
        except StoreError:
            # The session is taken up again from what is stored, which does not have this report.
            return

    def _forget(self, key: tuple[str, str], done: asyncio.Task[None]) -> None:
        if self._running.get(key) is done:
            del self._running[key]
