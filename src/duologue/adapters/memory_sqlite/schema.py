"""The memory's tables, and the connection to them."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeAlias, cast

import apsw

from duologue.model.errors import StoreError

APPLICATION_ID: Final = 0x44554F4D
"""`DUOM`, in the file's header: tells our files from other people's."""

VERSION: Final = 1

BUSY_MS: Final = 2_000
"""How long to wait where another program holds the database: a backup's lock lasts ms."""

Cell: TypeAlias = int | str | float | bytes | None
Row: TypeAlias = tuple[Cell, ...]

# `same` is what two memories have in common that say the same. What is in `terms` leads to `items` by its row.
_TABLES: Final = """
CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE people(no INTEGER PRIMARY KEY, subject TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE off(whose TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY(whose, name)) STRICT, WITHOUT ROWID;
CREATE TABLE items(
    no INTEGER PRIMARY KEY AUTOINCREMENT, memory_id TEXT NOT NULL UNIQUE, person INTEGER NOT NULL, kind TEXT NOT NULL,
    text TEXT NOT NULL, importance REAL NOT NULL, key TEXT NOT NULL, same TEXT NOT NULL, session_id TEXT NOT NULL,
    turn INTEGER NOT NULL, created_ms INTEGER NOT NULL, at_ms INTEGER NOT NULL, recalled_ms INTEGER NOT NULL,
    recalls INTEGER NOT NULL, expires_ms INTEGER) STRICT;
CREATE UNIQUE INDEX items_same ON items(person, same);
CREATE INDEX items_key ON items(person, key) WHERE key <> '';
CREATE INDEX items_latest ON items(person, at_ms, no);
CREATE INDEX items_important ON items(person, importance);
CREATE INDEX items_expire ON items(expires_ms) WHERE expires_ms IS NOT NULL;
CREATE TABLE sources(
    item INTEGER NOT NULL, session_id TEXT NOT NULL, turn INTEGER NOT NULL, PRIMARY KEY(item, session_id))
    STRICT, WITHOUT ROWID;
CREATE INDEX sources_session ON sources(session_id);
CREATE TABLE vectors(item INTEGER PRIMARY KEY, model TEXT NOT NULL, vector BLOB NOT NULL) STRICT;
CREATE TABLE places(
    session_id TEXT PRIMARY KEY, person INTEGER NOT NULL, seq INTEGER NOT NULL, turn INTEGER NOT NULL)
    STRICT, WITHOUT ROWID;
CREATE INDEX places_person ON places(person);
CREATE TABLE untold(
    number INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, turn INTEGER NOT NULL, memory_id TEXT NOT NULL,
    kind TEXT NOT NULL, importance REAL NOT NULL, superseded TEXT NOT NULL, count INTEGER NOT NULL) STRICT;
CREATE INDEX untold_session ON untold(session_id);
CREATE VIRTUAL TABLE terms USING fts5(words, tokenize = 'unicode61 remove_diacritics 0 tokenchars _');
INSERT INTO terms(terms, rank) VALUES('secure-delete', 1);
"""


class Database:
    """The open database, on the memory's thread."""

    def __init__(self, path: Path, *, synced: bool, extension: str | None) -> None:
        """Open it, making what is missing.

        Args:
            path: of the database; its folder exists.
            synced: each change is on the disk before it is acknowledged.
            extension: path of the extension that compares vectors; `None` where none are kept.
        Raises:
            StoreError: the file is another program's or of a later version.
            apsw.Error: it is damaged, locked or cannot be written; or the extension cannot be loaded.
        """
        self._db = apsw.Connection(str(path))
        try:
            self._db.set_busy_timeout(BUSY_MS)
            self._check_owner(path)
            for pragma in ("journal_mode = WAL", f"synchronous = {'FULL' if synced else 'NORMAL'}"):
                self.run(f"PRAGMA {pragma}")
            self.run("PRAGMA secure_delete = ON")
            if self.number("PRAGMA user_version") != VERSION:
                with self.transaction():
                    self.run(_TABLES)
                    self.run(f"PRAGMA application_id = {APPLICATION_ID}")
                    self.run(f"PRAGMA user_version = {VERSION}")
            if extension is not None:
                self._db.enable_load_extension(True)
                self._db.load_extension(extension)
                self._db.enable_load_extension(False)
        except BaseException:
            self._db.close()
            raise

    def close(self) -> None:
        """Close it."""
        self._db.close()

    def run(self, sql: str, *cells: Cell, **named: Cell) -> list[Row]:
        """Run a statement, with its values by place or by name; returns its rows."""
        # apsw's own types name collections.abc.Buffer, which Python 3.11 lacks: here they end.
        cursor = self._db.execute(sql, named or cells)  # pyright: ignore[reportUnknownMemberType]
        return cast(list[Row], cursor.fetchall())  # pyright: ignore[reportUnknownMemberType]

    def number(self, sql: str, *cells: Cell) -> int | None:
        """Run a statement that gives at most one number."""
        rows = self.run(sql, *cells)
        value = rows[0][0] if rows else None
        assert value is None or isinstance(value, int)
        return value

    @property
    def changes(self) -> int:
        """How many rows the last statement changed."""
        return self._db.changes()

    @property
    def last_row(self) -> int:
        """The row that was inserted last."""
        return self._db.last_insert_rowid()

    @contextmanager
    def transaction(self) -> Generator[None]:
        """Do all of a block, or nothing."""
        self.run("BEGIN IMMEDIATE")
        try:
            yield
            self.run("COMMIT")
        except BaseException:
            # Some errors (a full disk) have already undone it.
            if self._db.in_transaction:
                self.run("ROLLBACK")
            raise

    def overwrite(self) -> None:
        """Leave nothing of what was removed: what VACUUM writes holds nothing of it, and the WAL ends empty."""
        self.run("INSERT INTO terms(terms) VALUES('optimize')")
        self.run("VACUUM")
        self.run("PRAGMA wal_checkpoint(TRUNCATE)")

    def _check_owner(self, path: Path) -> None:
        owner = self.number("PRAGMA application_id")
        version = self.number("PRAGMA user_version") or 0
        if owner == APPLICATION_ID and version > VERSION:
            raise StoreError(
                f"{path} was written by a newer Duologue (data version {version}; this one knows {VERSION}). "
                "Start the newer Duologue, or choose another data folder."
            )
        if owner != APPLICATION_ID and self.number("SELECT count(*) FROM sqlite_schema"):
            raise StoreError(f"{path} is a database of another program. Choose another data folder.")
