"""Copying the WAL back into the database, beside the writing and not in its way."""

from pathlib import Path

import apsw

from duologue.adapters.store_sqlite import bounds
from duologue.adapters.store_sqlite.schema import run


class Checkpoints:
    """Knows when the WAL is long, and shortens it on a connection of its own.

    Safe beside a writing connection from SQLite 3.51.3 on (before, two connections could damage the file).

    Attributes:
        due: the WAL is long enough to be copied back.
    """

    def __init__(self, writer: apsw.Connection, path: Path, *, synchronous: str) -> None:
        self._connection = apsw.Connection(str(path))
        run(self._connection, f"PRAGMA synchronous = {synchronous}")
        run(self._connection, "PRAGMA wal_autocheckpoint = 0")
        self._pages = 0
        self._due_at = bounds.CHECKPOINT_PAGES
        writer.set_wal_hook(self._grown)

    @property
    def due(self) -> bool:
        """Whether it is time."""
        return self._pages >= self._due_at

    def copy(self) -> None:
        """Copy back what is in the WAL and sync it; others read and write meanwhile.

        Raises:
            apsw.Error: it could not be; nothing is lost, and it is tried again later.
        """
        run(self._connection, "PRAGMA wal_checkpoint(PASSIVE)")

    def finish(self) -> None:
        """Copy back the little that came meanwhile; while nobody writes, so that the WAL begins anew.

        Raises:
            apsw.Error: as `copy`.
        """
        self._due_at = self._pages + bounds.CHECKPOINT_PAGES
        self.copy()

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    def _grown(self, _: apsw.Connection, __: str, pages: int) -> int:
        if pages < self._pages:
            self._due_at = bounds.CHECKPOINT_PAGES
        self._pages = pages
        return apsw.SQLITE_OK
