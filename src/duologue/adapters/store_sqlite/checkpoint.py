"""Copying the WAL back into the database."""

import apsw

from duologue.adapters.store_sqlite import bounds
from duologue.sqlite.statements import run


class Checkpoints:
    """Knows when the WAL is long, and shortens it; owned by the writer thread, for which no token waits."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._pages = 0
        self._copied = 0
        connection.set_wal_hook(self._grown)

    @property
    def due(self) -> bool:
        """Whether there is much to copy."""
        return self._pages - self._copied >= bounds.CHECKPOINT_PAGES

    @property
    def worthwhile(self) -> bool:
        """Whether a quiet moment should be used."""
        return self._pages - self._copied >= bounds.CHECKPOINT_PAGES // 16

    def copy(self) -> None:
        """Copy back what is in the WAL and sync it; with all of it copied, the WAL begins anew.

        Raises:
            apsw.Error: it could not be; nothing is lost, and it is tried again later.
        """
        self._copied = self._pages
        run(self._connection, "PRAGMA wal_checkpoint(PASSIVE)")

    def _grown(self, _: apsw.Connection, __: str, pages: int) -> int:
        if pages < self._pages:
            self._copied = 0
        self._pages = pages
        return apsw.SQLITE_OK
