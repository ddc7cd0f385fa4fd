"""The outbox's tables, and what is done to them, on the outbox's thread."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from duologue.ports.outbox import Counts, Cursor, DeadLetter, Hook
from duologue.sqlite.database import META, Database, Kind
from duologue.sqlite.statements import Row

# `last` is the highest event that was noted: a cursor that is settled before it is due again at once.
KIND: Final = Kind(
    application_id=0x44554F57,  # DUOW
    version=1,
    tables=f"""
{META}
CREATE TABLE hooks(
    session_id TEXT PRIMARY KEY, url TEXT NOT NULL, secret TEXT NOT NULL, kinds TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE cursors(
    session_id TEXT NOT NULL, hook TEXT NOT NULL, target TEXT NOT NULL, seq INTEGER NOT NULL,
    failures INTEGER NOT NULL, due_ms INTEGER, error TEXT NOT NULL, last INTEGER NOT NULL,
    PRIMARY KEY(session_id, hook)) STRICT, WITHOUT ROWID;
CREATE INDEX cursors_due ON cursors(due_ms) WHERE due_ms IS NOT NULL;
CREATE TABLE letters(
    number INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, hook TEXT NOT NULL, kind TEXT NOT NULL,
    seq INTEGER NOT NULL, at_ms INTEGER NOT NULL, failures INTEGER NOT NULL, error TEXT NOT NULL,
    failed_ms INTEGER NOT NULL) STRICT;
CREATE INDEX letters_session ON letters(session_id);
""",
)

_CURSOR: Final = "session_id, hook, target, seq, failures, due_ms, error"
_LETTER: Final = "number, session_id, hook, kind, seq, at_ms, failures, error, failed_ms"
_NOTED: Final = """
    last = max(last, :last), due_ms = CASE WHEN :last > seq AND due_ms IS NULL THEN :now ELSE due_ms END
"""


class Tables:
    """The open database. Its methods are those of the port, with the same meaning."""

    def __init__(self, path: Path, *, synced: bool) -> None:
        """Open it, making what is missing; raises as `Database`."""
        self._db = Database(path, KIND, synced=synced)

    def close(self) -> None:
        """Close it."""
        self._db.close()

    def began_ms(self, now_ms: int) -> int:
        """When this was first asked."""
        return self._db.began_ms(now_ms)

    def end(self) -> None:
        """Forget the server's hook."""
        with self._db.transaction():
            self._db.run("DELETE FROM cursors WHERE hook = 'server'")
            self._db.begin_anew()

    def covered_ms(self) -> int | None:
        """Before when everything was noted."""
        return self._db.covered_ms()

    def cover(self, ms: int) -> None:
        """Remember that."""
        self._db.cover(ms)

    def note(self, last: Mapping[str, int], now_ms: int, *, everyone: bool) -> None:
        """Make cursors due."""
        with self._db.transaction():
            for session_id, seq in last.items():
                given = {"id": session_id, "last": seq, "now": now_ms}
                if everyone:
                    self._db.run(
                        "INSERT INTO cursors VALUES(:id, 'server', '', 0, 0, :now, '', :last) "
                        f"ON CONFLICT DO UPDATE SET {_NOTED}",
                        **given,
                    )
                self._db.run(f"UPDATE cursors SET {_NOTED} WHERE session_id = :id AND hook = 'session'", **given)

    def due(self, now_ms: int, limit: int, without: frozenset[str]) -> list[Cursor]:
        """List due cursors."""
        marks = ", ".join("?" * len(without))
        sql = f"SELECT {_CURSOR} FROM cursors WHERE due_ms <= ? AND target NOT IN ({marks}) ORDER BY due_ms LIMIT ?"
        return [_cursor(row) for row in self._db.run(sql, now_ms, *without, limit)]

    def next_due_ms(self, after_ms: int) -> int | None:
        """When the next one becomes due."""
        return self._db.number("SELECT min(due_ms) FROM cursors WHERE due_ms > ?", after_ms)

    def advance(self, cursor: Cursor, seq: int) -> None:
        """Move a cursor on."""
        self._db.run(
            "UPDATE cursors SET seq = ?, failures = 0, error = '' WHERE session_id = ? AND hook = ?",
            seq,
            cursor.session_id,
            cursor.hook,
        )

    def settle(self, cursor: Cursor, seq: int) -> None:
        """Move a cursor on to where nothing follows."""
        self._db.run(
            "UPDATE cursors SET seq = :seq, failures = 0, error = '', "
            "due_ms = CASE WHEN last > :seq THEN due_ms ELSE NULL END WHERE session_id = :id AND hook = :hook",
            seq=seq,
            id=cursor.session_id,
            hook=cursor.hook,
        )

    def put_off(self, cursor: Cursor, seq: int, *, failures: int, due_ms: int, error: str) -> None:
        """Try again later."""
        self._db.run(
            "UPDATE cursors SET due_ms = :due, seq = max(seq, :seq), "
            "failures = CASE WHEN seq > :seq THEN failures ELSE :failures END, "
            "error = CASE WHEN seq > :seq THEN error ELSE :error END WHERE session_id = :id AND hook = :hook",
            due=due_ms,
            seq=seq,
            failures=failures,
            error=error,
            id=cursor.session_id,
            hook=cursor.hook,
        )

    def bury(self, letter: DeadLetter, keep: int) -> None:
        """Keep a dead letter and go past it."""
        with self._db.transaction():
            self._db.run(
                "UPDATE cursors SET seq = ?, failures = 0, error = '' WHERE session_id = ? AND hook = ?",
                letter.seq,
                letter.session_id,
                letter.hook,
            )
            if not self._db.changes:
                return
            self._db.run(
                "INSERT INTO letters(session_id, hook, kind, seq, at_ms, failures, error, failed_ms) "
                "VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
                letter.session_id,
                letter.hook,
                letter.kind,
                letter.seq,
                letter.at_ms,
                letter.failures,
                letter.error,
                letter.failed_ms,
            )
            oldest = "SELECT number FROM letters ORDER BY number DESC LIMIT 1 OFFSET ?"
            self._db.run(f"DELETE FROM letters WHERE number <= ({oldest})", keep)

    def cursors(self, session_id: str) -> list[Cursor]:
        """List a session's cursors."""
        return [_cursor(row) for row in self._db.run(f"SELECT {_CURSOR} FROM cursors WHERE session_id = ?", session_id)]

    def skip(self, session_id: str, seq: int) -> None:
        """Begin the server's hook after an event."""
        self._db.run(
            "INSERT OR IGNORE INTO cursors VALUES(:id, 'server', '', :seq, 0, NULL, '', :seq)", id=session_id, seq=seq
        )

    def set_hook(self, session_id: str, hook: Hook, seq: int) -> None:
        """Give a session its hook."""
        kinds = msgspec.json.encode(hook.kinds).decode()
        with self._db.transaction():
            self._db.run("INSERT OR REPLACE INTO hooks VALUES(?, ?, ?, ?)", session_id, hook.url, hook.secret, kinds)
            self._db.run(
                "INSERT INTO cursors VALUES(:id, 'session', :target, :seq, 0, NULL, '', :seq) "
                "ON CONFLICT DO UPDATE SET target = :target",
                id=session_id,
                target=hook.target,
                seq=seq,
            )

    def hook(self, session_id: str) -> Hook | None:
        """Read a session's hook."""
        rows = self._db.run("SELECT url, secret, kinds FROM hooks WHERE session_id = ?", session_id)
        if not rows:
            return None
        url, secret, kinds = rows[0]
        return Hook(url=str(url), secret=str(secret), kinds=msgspec.json.decode(str(kinds), type=tuple[str, ...]))

    def drop_hook(self, session_id: str) -> bool:
        """Remove a session's hook."""
        with self._db.transaction():
            self._db.run("DELETE FROM cursors WHERE session_id = ? AND hook = 'session'", session_id)
            gone = self._db.changes > 0
            self._db.run("DELETE FROM hooks WHERE session_id = ?", session_id)
            return gone or self._db.changes > 0

    def letters(self, before: int | None, limit: int) -> list[DeadLetter]:
        """List dead letters."""
        sql = f"SELECT {_LETTER} FROM letters WHERE ?1 IS NULL OR number < ?1 ORDER BY number DESC LIMIT ?2"
        return [_letter(row) for row in self._db.run(sql, before, limit)]

    def letter(self, number: int) -> DeadLetter | None:
        """Read a dead letter."""
        rows = self._db.run(f"SELECT {_LETTER} FROM letters WHERE number = ?", number)
        return _letter(rows[0]) if rows else None

    def failed_again(self, number: int, *, error: str, now_ms: int) -> None:
        """Count a failure."""
        self._db.run(
            "UPDATE letters SET failures = failures + 1, error = ?, failed_ms = ? WHERE number = ?",
            error,
            now_ms,
            number,
        )

    def discard(self, number: int) -> bool:
        """Remove a dead letter."""
        self._db.run("DELETE FROM letters WHERE number = ?", number)
        return self._db.changes > 0

    def forget(self, session_ids: Sequence[str]) -> None:
        """Remove sessions; nothing of them stays in the file."""
        before = self._db.all_changes
        with self._db.transaction():
            for session_id in session_ids:
                for table in ("hooks", "cursors", "letters"):
                    self._db.run(f"DELETE FROM {table} WHERE session_id = ?", session_id)
        if self._db.all_changes > before:
            self._db.overwrite()

    def counts(self) -> Counts:
        """Count."""
        waiting = self._db.number("SELECT count(*) FROM cursors WHERE due_ms IS NOT NULL")
        return Counts(waiting=waiting or 0, dead=self._db.number("SELECT count(*) FROM letters") or 0)


def _cursor(row: Row) -> Cursor:
    return msgspec.convert(dict(zip(_CURSOR.split(", "), row, strict=True)), Cursor)


def _letter(row: Row) -> DeadLetter:
    return msgspec.convert(dict(zip(_LETTER.split(", "), row, strict=True)), DeadLetter)
