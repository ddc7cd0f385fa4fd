"""Work that the event loop orders of the writer, and goes on after, without a task that waits."""

import asyncio
from collections.abc import Callable
from typing import TypeAlias

from duologue.adapters.store_sqlite.errors import store_error
from duologue.adapters.store_sqlite.writer import Desk
from duologue.model.errors import StoreError

Then: TypeAlias = Callable[[StoreError | None], None]
"""What follows, with why the work failed."""


class Order:
    """Work for the writer, and what the event loop does once it is done."""

    def __init__(self, work: Callable[[Desk], None], then: Then, loop: asyncio.AbstractEventLoop) -> None:
        self._work, self._then, self._loop = work, then, loop

    def run(self, on: Desk) -> None:
        """Do it; called by the writer."""
        error: StoreError | None = None
        try:
            self._work(on)
        # The thread's boundary: whatever goes wrong is told, and the thread goes on.
        except Exception as caught:  # noqa: BLE001
            error = store_error(caught)
            error.__cause__ = caught
        # A closed loop has nobody left to tell.
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._then, error)

    def refuse(self, error: StoreError) -> None:
        """Never asked of it: the writer is open when it is made."""
        self._then(error)
