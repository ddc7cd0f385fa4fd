"""Waiting for the disk itself: one sync of the spool for many appends."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeAlias

from duologue.adapters.store_sqlite.orders import Then
from duologue.adapters.store_sqlite.writer import Desk
from duologue.model import limits
from duologue.model.errors import StoreError
from duologue.ports.store import Append

GiveOrder: TypeAlias = Callable[[Callable[[Desk], None], Then], None]
"""Has the writer thread do something, and what follows on the event loop's."""


class Syncs:
    """Has the writer thread sync the spool for all appends of `COMMIT_WINDOW_MS` at once; one sync at a time.

    Args:
        order: hands work to the writer thread.
        synced: told of the appends that the disk has, or why it has not.
        over: told after each sync.
    Attributes:
        busy: an append waits for the disk.
    """

    def __init__(
        self,
        order: GiveOrder,
        *,
        synced: Callable[[Sequence[Append], StoreError | None], None],
        over: Callable[[], None],
    ) -> None:
        self._order, self._synced, self._over = order, synced, over
        self._loop = asyncio.get_running_loop()
        self._waiting: list[Append] = []
        self._due_s = 0.0
        self.busy = False

    def later(self, append: Append) -> bool:
        """Have `synced` told once the disk has an append; false, as it has not yet."""
        self._waiting.append(append)
        if not self.busy:
            self.busy = True
            self._loop.call_at(max(self._due_s, self._loop.time()), self._sync)
        return False

    def _sync(self) -> None:
        self._due_s = self._loop.time() + limits.COMMIT_WINDOW_MS / 1000
        batch, self._waiting = self._waiting, []
        self._order(lambda desk: desk.spool.sync(), lambda error: self._told(batch, error))

    def _told(self, batch: Sequence[Append], error: StoreError | None) -> None:
        self._synced(batch, error)
        self.busy = bool(self._waiting)
        if self.busy:
            self._loop.call_at(self._due_s, self._sync)
        self._over()
