"""The memory's tables together, on the memory's thread. The methods are those of the port, with the same meaning."""

from collections.abc import Sequence
from pathlib import Path

import apsw

from duologue.adapters.memory_sqlite.finding import Finding
from duologue.adapters.memory_sqlite.items import OF, Items
from duologue.adapters.memory_sqlite.schema import KIND
from duologue.model.errors import StoreError
from duologue.ports.memory import Extracted, Policy, Told, Vector
from duologue.sqlite.database import Database


class Tables:
    """The open memory.

    Attributes:
        items: adds, lists and removes.
        finding: looks.
    """

    def __init__(self, path: Path, *, synced: bool, model: str, extension: str | None, floor: float) -> None:
        """Open it, making what is missing.

        Raises:
            StoreError: as `Database`, or the extension cannot be loaded.
            apsw.Error: as `Database`.
        """
        self._db = Database(path, KIND, synced=synced)
        if extension is not None:
            self._load(extension)
        self.items = Items(self._db, model=model)
        self.finding = Finding(self._db, self.items, model=model, floor=floor)

    def close(self) -> None:
        """Close it."""
        self._db.close()

    def began_ms(self, now_ms: int) -> int:
        """When this was first asked."""
        return self._db.began_ms(now_ms)

    def covered_ms(self) -> int | None:
        """Before when everything was noted."""
        return self._db.covered_ms()

    def cover(self, ms: int) -> None:
        """Remember that."""
        self._db.cover(ms)

    def note(self, session_id: str, subject: str, seq: int) -> None:
        """Note a session."""
        with self._db.transaction():
            person = self.items.person(subject)
            self._db.run("INSERT OR IGNORE INTO places VALUES(?, ?, ?, 0)", session_id, person, seq)

    def place(self, session_id: str) -> int | None:
        """How far a session has been looked through."""
        return self._db.number("SELECT seq FROM places WHERE session_id = ?", session_id)

    def keep(
        self,
        session_id: str,
        subject: str,
        *,
        turn: int,
        seq: int,
        extracted: Extracted,
        vectors: Sequence[Vector | None],
        policy: Policy,
        now_ms: int,
    ) -> list[Told]:
        """Take what a turn says."""
        told: list[Told] = []
        with self._db.transaction():
            person = self.items.person(subject)
            self._db.run("INSERT OR IGNORE INTO places VALUES(?, ?, 0, 0)", session_id, person)
            last = self._db.number("SELECT turn FROM places WHERE session_id = ?", session_id) or 0
            if turn > last:
                fresh = self.items.keep(
                    person,
                    session_id,
                    turn,
                    extracted=extracted,
                    vectors=vectors,
                    policy=policy,
                    now_ms=now_ms,
                )
                told = self.finding.add_untold(fresh)
            self._db.run(
                "UPDATE places SET seq = max(seq, ?), turn = max(turn, ?) WHERE session_id = ?", seq, turn, session_id
            )
        if any(one.count for one in told):
            self.items.overwrite()
        return told

    def recalled(self, memory_ids: Sequence[str], now_ms: int) -> None:
        """Note that an agent was given these."""
        with self._db.transaction():
            for memory_id in memory_ids:
                self._db.run(
                    "UPDATE items SET recalled_ms = max(recalled_ms, ?), recalls = recalls + 1 WHERE memory_id = ?",
                    now_ms,
                    memory_id,
                )

    def count(self, subject: str, session_id: str | None = None) -> int:
        """How many there are of a person, or of those what came from one session."""
        sql = f"SELECT count(*) FROM items WHERE {OF}"
        if session_id is None:
            return self._db.number(sql, subject) or 0
        sql += " AND no IN (SELECT item FROM sources WHERE session_id = ?)"
        return self._db.number(sql, subject, session_id) or 0

    def total(self) -> int:
        """How many there are in all."""
        return self._db.number("SELECT count(*) FROM items") or 0

    def _load(self, extension: str) -> None:
        try:
            self._db.load(extension)
        except apsw.ExtensionLoadingError as error:
            self._db.close()
            message = "The extension sqlite-vec cannot be loaded. Install the extra `memory` again."
            raise StoreError(message) from error
