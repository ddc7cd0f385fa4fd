"""The tables, and opening connections to them."""

from pathlib import Path
from typing import Final, Literal

import apsw

from duologue.adapters.store_sqlite import bounds
from duologue.sqlite.statements import check_owner, number, run, transaction

Durability = Literal["process", "power"]

APPLICATION_ID: Final = 0x44554F4C
"""`DUOL`, in the file's header: tells our files from other people's."""

VERSION: Final = 2

# A journal key is (session number << 32) | first event: one session's rows lie side by side, in order, and no
# index is needed. `events` saves decoding a row to know where it ends.
# `chores` says what a crash must not forget: that removed bytes are still to be scrubbed, and of which sessions the
# spool may still hold records. `own` holds the name that the spool knows the database by.
# The mark is kept as JSON, so that it can gain fields; what is searched for stands beside it.
_TABLES = """
CREATE TABLE sessions(
    no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, subject TEXT NOT NULL, open_turn INTEGER NOT NULL,
    mark TEXT NOT NULL, created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL,
    first_seq INTEGER NOT NULL, epoch INTEGER NOT NULL) STRICT;
CREATE INDEX sessions_subject ON sessions(subject, updated_ms);
CREATE INDEX sessions_updated ON sessions(updated_ms);
CREATE INDEX sessions_open ON sessions(no) WHERE open_turn = 1;
CREATE TABLE journal(key INTEGER PRIMARY KEY, events INTEGER NOT NULL, lines BLOB NOT NULL) STRICT;
CREATE TABLE snapshots(no INTEGER PRIMARY KEY, seq INTEGER NOT NULL, state BLOB NOT NULL) STRICT;
CREATE TABLE blobs(
    no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, subject TEXT NOT NULL, session_id TEXT NOT NULL,
    at_ms INTEGER NOT NULL, attachment TEXT NOT NULL, data BLOB NOT NULL) STRICT;
CREATE TABLE chores(name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE own(token BLOB NOT NULL) STRICT;
CREATE INDEX blobs_subject ON blobs(subject);
CREATE INDEX blobs_session ON blobs(session_id);
"""

# Version 1 had no spool; what it calls recent is what lies in the spool now.
_FROM_1 = f"""
INSERT INTO journal(key, events, lines)
    SELECT min(key), sum(events), CAST(group_concat(lines, '') AS BLOB)
    FROM (SELECT key, events, lines FROM recent ORDER BY key) GROUP BY key / {bounds.JOIN_EVENTS};
DROP TABLE recent;
CREATE TABLE own(token BLOB NOT NULL) STRICT;
"""

LAST_SEQ: Final = """(SELECT (key & 4294967295) + events - 1 FROM journal
    WHERE key BETWEEN (sessions.no << 32) AND (sessions.no << 32) + 4294967295 ORDER BY key DESC LIMIT 1)"""
"""SQL: the last stored event of a row of `sessions`, from where it lies: no append updates that row."""

# One cheap look at the root of every tree; a damaged header, schema or first page shows here.
_PROBES = (
    "SELECT max(no) FROM sessions",
    "SELECT max(key) FROM journal",
    "SELECT max(no) FROM snapshots",
    "SELECT max(no) FROM blobs",
    "SELECT max(id) FROM sessions",
    "SELECT max(updated_ms) FROM sessions",
    "SELECT max(subject) FROM sessions",
)


def open_writer(path: Path, *, durability: Durability, max_pages: int | None, busy_ms: int) -> apsw.Connection:
    """Open the one connection that writes, making or checking the tables.

    Raises:
        StoreError: the file is another program's or of a later version.
        apsw.Error: it is damaged, locked or cannot be written.
    """
    connection = apsw.Connection(str(path))
    try:
        connection.set_busy_timeout(busy_ms)
        check_owner(connection, path, application_id=APPLICATION_ID, version=VERSION)
        # NORMAL: a commit is in the system's hands when acknowledged, so kill -9 loses nothing; after a power
        # cut the file is whole but the last commits may be missing. FULL: each commit is on the disk.
        run(connection, f"PRAGMA synchronous = {'FULL' if durability == 'power' else 'NORMAL'}")
        run(connection, "PRAGMA journal_mode = WAL")
        run(connection, "PRAGMA wal_autocheckpoint = 0")
        run(connection, f"PRAGMA cache_size = -{bounds.CACHE_KIB}")
        run(connection, "PRAGMA secure_delete = ON")
        run(connection, "PRAGMA temp_store = MEMORY")
        run(connection, "PRAGMA cell_size_check = ON")
        if max_pages is not None:
            run(connection, f"PRAGMA max_page_count = {max_pages}")
        _migrate(connection)
        for probe in _PROBES:
            run(connection, probe)
    except BaseException:
        connection.close()
        raise
    return connection


def open_reader(path: Path, *, busy_ms: int, cache_kib: int = bounds.CACHE_KIB) -> apsw.Connection:
    """Open a connection that only reads: it can neither write nor checkpoint."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    connection.set_busy_timeout(busy_ms)
    run(connection, f"PRAGMA cache_size = -{cache_kib}")
    return connection


def _migrate(connection: apsw.Connection) -> None:
    version = number(connection, "PRAGMA user_version")
    if version == VERSION:
        return
    with transaction(connection):
        run(connection, _FROM_1 if version == 1 else _TABLES)
        run(connection, "INSERT INTO own(token) VALUES (randomblob(16))")
        run(connection, f"PRAGMA application_id = {APPLICATION_ID}")
        run(connection, f"PRAGMA user_version = {VERSION}")
