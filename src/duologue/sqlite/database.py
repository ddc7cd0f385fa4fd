"""A database beside the journal, with its tables."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

import apsw

from duologue.model.base import Value
from duologue.sqlite import statements
from duologue.sqlite.statements import Cell, Row

BUSY_MS: Final = 2_000
"""How long to wait where another program holds the database: a backup's lock lasts ms."""

META: Final = "CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
"""A table that each of them has: numbers by their name."""


class Kind(Value, kw_only=True):
    """A kind of database.

    Attributes:
        application_id: in the file's header: tells our files from other people's.
        version: of its tables.
        tables: the SQL that makes them, `META` among them.
    """

    application_id: int
    version: int
    tables: str


class Database:
    """An open database (WAL), used by one thread at a time.

    Args:
        path: of the database; its folder exists.
        kind: what it is; missing tables are made.
        synced: each change is on the disk before it is acknowledged; else it is in the hands of the system.
    Raises:
        StoreError: the file is another program's or of a later version.
        apsw.Error: it is damaged, locked or cannot be written.
    """

    def __init__(self, path: Path, kind: Kind, *, synced: bool) -> None:
        self._connection = connection = apsw.Connection(str(path))
        try:
            connection.set_busy_timeout(BUSY_MS)
            statements.check_owner(connection, path, application_id=kind.application_id, version=kind.version)
            for pragma in ("journal_mode = WAL", f"synchronous = {'FULL' if synced else 'NORMAL'}"):
                self.run(f"PRAGMA {pragma}")
            self.run("PRAGMA secure_delete = ON")
            if self.number("PRAGMA user_version") != kind.version:
                with self.transaction():
                    self.run(kind.tables)
                    self.run(f"PRAGMA application_id = {kind.application_id}")
                    self.run(f"PRAGMA user_version = {kind.version}")
        except BaseException:
            connection.close()
            raise

    def load(self, extension: str) -> None:
        """Load an extension of SQLite from its path.

        Raises:
            apsw.ExtensionLoadingError: it cannot be loaded.
        """
        self._connection.enable_load_extension(True)
        self._connection.load_extension(extension)
        self._connection.enable_load_extension(False)

    def close(self) -> None:
        """Close it."""
        self._connection.close()

    def run(self, sql: str, *cells: Cell, **named: Cell) -> list[Row]:
        """Run a statement, with its values by place or by name; returns its rows."""
        return statements.run(self._connection, sql, named or cells)

    def number(self, sql: str, *cells: Cell) -> int | None:
        """Run a statement that gives at most one number."""
        return statements.number(self._connection, sql, cells)

    def transaction(self) -> AbstractContextManager[None]:
        """Do all of a block, or nothing."""
        return statements.transaction(self._connection)

    @property
    def changes(self) -> int:
        """How many rows the last statement changed."""
        return self._connection.changes()

    @property
    def all_changes(self) -> int:
        """How many rows all statements changed."""
        return self._connection.total_changes()

    @property
    def last_row(self) -> int:
        """The row that was inserted last."""
        return self._connection.last_insert_rowid()

    def overwrite(self) -> None:
        """Leave nothing of what was removed: what VACUUM writes holds nothing of it, and the WAL ends empty."""
        self.run("VACUUM")
        self.run("PRAGMA wal_checkpoint(TRUNCATE)")

    def began_ms(self, now_ms: int) -> int:
        """When this was first asked, in ms since 1970."""
        self.run("INSERT OR IGNORE INTO meta VALUES('began_ms', ?)", now_ms)
        return self.number("SELECT value FROM meta WHERE name = 'began_ms'") or 0

    def begin_anew(self) -> None:
        """Forget when that was."""
        self.run("DELETE FROM meta WHERE name = 'began_ms'")

    def covered_ms(self) -> int | None:
        """Before when everything was noted, in ms since 1970; `None` where nothing was."""
        return self.number("SELECT value FROM meta WHERE name = 'covered_ms'")

    def cover(self, ms: int) -> None:
        """Remember that."""
        self.run("INSERT OR REPLACE INTO meta VALUES('covered_ms', ?)", ms)
