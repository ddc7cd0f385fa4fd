"""Copying the WAL back into the database, beside the writing and not in its way."""

from pathlib import Path

import apsw

from duologue.adapters.store_sqlite import bounds
from duologue.adapters.store_sqlite.schema import run


class Checkpoints:
    """Knows when the WAL is long, and shortens it on a connection of its own.

    Copying goes on beside the writing. For the WAL to begin anew, nobody may write while the last of it is copied and
    synced, and a sync can take a tenth of a second: that is left for a quiet moment, or for a WAL that is very long.

    Safe beside a writing connection from SQLite 3.51.3 on (before, two connections could damage the file).
    """

    def __init__(self, writer: apsw.Connection, path: Path, *, synchronous: str) -> None:
        self._connection = apsw.Connection(str(path))
        run(self._connection, f"PRAGMA synchronous = {synchronous}")
        run(self._connection, "PRAGMA wal_autocheckpoint = 0")
        self._pages = 0
        self._copied = 0
        writer.set_wal_hook(self._grown)

    @property
    def due(self) -> bool:
        """Whether there is much to copy."""
        return self._pages - self._copied >= bounds.CHECKPOINT_PAGES

    @property
    def overdue(self) -> bool:
        """Whether the WAL is so long that writing must wait for it to begin anew."""
        return self._pages >= bounds.WAL_PAGES

    @property
    def worthwhile(self) -> bool:
        """Whether a quiet moment should be used."""
        return self._pages >= bounds.CHECKPOINT_PAGES

    def copy(self) -> None:
        """Copy back what is in the WAL and sync it; others may read and write meanwhile.

        Raises:
            apsw.Error: it could not be; nothing is lost, and it is tried again later.
        """
        self._copied = self._pages
        run(self._connection, "PRAGMA wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    def _grown(self, _: apsw.Connection, __: str, pages: int) -> int:
        if pages < self._pages:
            self._copied = 0
        self._pages = pages
        return apsw.SQLITE_OK
