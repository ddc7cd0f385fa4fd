"""What is kept of people: adding, listing, removing. On the memory's thread."""

import secrets
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from duologue.adapters.memory_sqlite.terms import sameness, terms
from duologue.adapters.memory_sqlite.vectors import pack
from duologue.model.errors import StoreError
from duologue.ports.memory import Extracted, Forget, Learnt, Page, Policy, Remembered, Told, Vector
from duologue.sqlite.database import Database
from duologue.sqlite.statements import Cell, Row

COLUMNS: Final = (
    "memory_id, kind, text, importance, key, session_id, turn, created_ms, at_ms, recalled_ms, recalls, expires_ms"
)

ID_BYTES: Final = 12
"""Size of a memory's id: nobody guesses 96 bits."""

OF: Final = "person = (SELECT no FROM people WHERE subject = ?)"


def remembered(row: Row) -> Remembered:
    """A row as a value."""
    return msgspec.convert(dict(zip(COLUMNS.split(", "), row, strict=True)), Remembered)


def owner_word(person: int) -> str:
    """The word by which all of a person's memories are found, so that nobody else's are read; no text has it."""
    return f"_{person}"


class Items:
    """The tables of memories."""

    def __init__(self, db: Database, *, model: str) -> None:
        self._db, self._model = db, model

    def person(self, subject: str) -> int:
        """A person's number, made where they have none."""
        self._db.run("INSERT OR IGNORE INTO people(subject) VALUES(?)", subject)
        number = self._db.number("SELECT no FROM people WHERE subject = ?", subject)
        assert number is not None, "it was just made"
        return number

    def keep(
        self,
        person: int,
        session_id: str,
        turn: int,
        *,
        extracted: Extracted,
        vectors: Sequence[Vector | None],
        policy: Policy,
        now_ms: int,
    ) -> list[Told]:
        """Take what a turn says, within a transaction; what is to be told has no numbers yet."""
        told: list[Told] = []
        gone = {no for forget in extracted.forget for no in self._meant(person, forget)}
        if gone:
            self._remove(gone)
            told.append(Told(number=0, session_id=session_id, turn=turn, count=len(gone)))
        fresh: dict[int, Told] = {}
        for learnt, vector in zip(extracted.learnt, vectors, strict=True):
            if learnt.importance < policy.importance or not learnt.text.strip():
                continue
            if self._confirm(person, learnt, session_id, turn, now_ms):
                continue
            replaced = self._same_key(person, learnt.key)
            self._remove(replaced)
            no = self._insert(person, learnt, vector, session_id, turn, now_ms)
            for number in replaced:
                fresh.pop(number, None)
            (memory_id,) = self._ids([no])
            fresh[no] = Told(
                number=0,
                session_id=session_id,
                turn=turn,
                memory_id=memory_id,
                kind=learnt.kind,
                importance=learnt.importance,
                superseded=tuple(replaced.values()),
            )
        for no in self._make_room(person, policy.items, set(fresh)):
            fresh.pop(no, None)
        return [*told, *fresh.values()]

    def _confirm(self, person: int, learnt: Learnt, session_id: str, turn: int, now_ms: int) -> bool:
        """Where the same is known already, note that it was said again; false where it is not."""
        no = self._db.number("SELECT no FROM items WHERE person = ? AND same = ?", person, sameness(learnt.text))
        if no is None:
            return False
        self._db.run(
            "UPDATE items SET at_ms = max(at_ms, :now), importance = max(importance, :importance), "
            "session_id = :session, turn = :turn, "
            # The greatest of several is NULL where one of them is: what lasts for ever stays so.
            "expires_ms = max(expires_ms, :expires) "
            "WHERE no = :no",
            now=now_ms,
            importance=learnt.importance,
            session=session_id,
            turn=turn,
            expires=learnt.expires_ms,
            no=no,
        )
        self._db.run("INSERT OR REPLACE INTO sources VALUES(?, ?, ?)", no, session_id, turn)
        return True

    def _insert(
        self, person: int, learnt: Learnt, vector: Vector | None, session_id: str, turn: int, now_ms: int
    ) -> int:
        self._db.run(
            "INSERT INTO items(memory_id, person, kind, text, importance, key, same, session_id, turn, created_ms, "
            "at_ms, recalled_ms, recalls, expires_ms) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?)",
            f"memory-{secrets.token_urlsafe(ID_BYTES)}",
            person,
            learnt.kind,
            learnt.text,
            learnt.importance,
            learnt.key,
            sameness(learnt.text),
            session_id,
            turn,
            now_ms,
            now_ms,
            learnt.expires_ms,
        )
        no = self._db.last_row
        self._db.run("INSERT INTO sources VALUES(?, ?, ?)", no, session_id, turn)
        words = [owner_word(person), *terms(f"{learnt.text} {learnt.words}")]
        self._db.run("INSERT INTO terms(rowid, words) VALUES(?, ?)", no, " ".join(words))
        if vector is not None and self._model:
            self.set_vector(no, vector)
        return no

    def set_vector(self, no: int, vector: Vector) -> None:
        """Note what a memory means."""
        self._db.run("INSERT OR REPLACE INTO vectors VALUES(?, ?, ?)", no, self._model, pack(vector))

    def _same_key(self, person: int, key: str) -> dict[int, str]:
        """The memories that another one with this key takes the place of, with their ids."""
        if not key:
            return {}
        rows = self._db.run("SELECT no, memory_id FROM items WHERE person = ? AND key = ?", person, key)
        return {_int(no): str(memory_id) for no, memory_id in rows}

    def _make_room(self, person: int, most: int, fresh: set[int]) -> list[int]:
        """Remove what is least important and was not needed for longest, what is fresh last; returns what is gone."""
        over = (self._db.number("SELECT count(*) FROM items WHERE person = ?", person) or 0) - most
        if over <= 0:
            return []
        rows = self._db.run(
            "SELECT no FROM items WHERE person = ? ORDER BY importance, max(at_ms, recalled_ms) LIMIT ?",
            person,
            over + len(fresh),
        )
        least = [_int(row[0]) for row in rows]
        gone = sorted(least, key=lambda no: no in fresh)[:over]
        self._remove(gone)
        return gone

    def meant(self, subject: str, wishes: Sequence[Forget]) -> set[str]:
        """The ids of the memories of a person that somebody wants forgotten."""
        person = self._db.number("SELECT no FROM people WHERE subject = ?", subject)
        if person is None:
            return set()
        return set(self._ids([no for forget in wishes for no in self._meant(person, forget)]))

    def _meant(self, person: int, forget: Forget) -> set[int]:
        """The memories that somebody wants forgotten."""
        if forget.everything:
            return self._numbers("SELECT no FROM items WHERE person = ?", person)
        found: set[int] = set()
        for memory_id in forget.memory_ids:
            found |= self._numbers("SELECT no FROM items WHERE person = ? AND memory_id = ?", person, memory_id)
        keyed: set[int] = set()
        for key in forget.keys:
            if key.endswith(":"):
                keyed |= self._numbers(
                    "SELECT no FROM items WHERE person = ? AND substr(key, 1, ?) = ?", person, len(key), key
                )
            else:
                keyed |= self._numbers("SELECT no FROM items WHERE person = ? AND key = ?", person, key)
        if forget.words:
            holding = self.holding(person, forget.words)
            keyed = keyed & holding if forget.keys else holding
        return found | keyed

    def holding(self, person: int, text: str) -> set[int]:
        """The memories that hold all words of a text."""
        asked = terms(text)
        if not asked:
            return set()
        match = " AND ".join(f'"{word}"' for word in (owner_word(person), *asked))
        sql = "SELECT items.no FROM terms JOIN items ON items.no = terms.rowid WHERE terms MATCH ? AND items.person = ?"
        return self._numbers(sql, match, person)

    def overwrite(self) -> None:
        """Leave nothing of what was removed, nor of its words."""
        self._db.run("INSERT INTO terms(terms) VALUES('optimize')")
        self._db.overwrite()

    def forget(self, subject: str, forget: Forget) -> int:
        """Remove memories of a person."""
        with self._db.transaction():
            person = self._db.number("SELECT no FROM people WHERE subject = ?", subject)
            gone = set[int]() if person is None else self._meant(person, forget)
            self._remove(gone)
        if gone:
            self.overwrite()
        return len(gone)

    def forget_subject(self, subject: str) -> int:
        """Remove everything about a person."""
        with self._db.transaction():
            gone = self._numbers(f"SELECT no FROM items WHERE {OF}", subject)
            self._remove(gone)
            sessions = [str(row[0]) for row in self._db.run(f"SELECT session_id FROM places WHERE {OF}", subject)]
            self._drop_sessions(sessions)
            self._db.run("DELETE FROM off WHERE whose = 'person' AND name = ?", subject)
            self._db.run("DELETE FROM people WHERE subject = ?", subject)
            changed = bool(gone or sessions or self._db.changes)
        if changed:
            self.overwrite()
        return len(gone)

    def forget_sessions(self, session_ids: Sequence[str]) -> int:
        """Remove what was learnt in sessions and nowhere else."""
        with self._db.transaction():
            touched: set[int] = set()
            for session_id in session_ids:
                touched |= self._numbers("SELECT item FROM sources WHERE session_id = ?", session_id)
                self._db.run("DELETE FROM sources WHERE session_id = ?", session_id)
            gone = {no for no in touched if self._db.number("SELECT 1 FROM sources WHERE item = ? LIMIT 1", no) is None}
            self._remove(gone)
            for no in touched - gone:
                # It is known from another conversation now.
                self._db.run(
                    "UPDATE items SET (session_id, turn) = "
                    "(SELECT session_id, turn FROM sources WHERE item = ?1 LIMIT 1) WHERE no = ?1",
                    no,
                )
            known = self._drop_sessions(session_ids)
        if touched or known:
            self.overwrite()
        return len(gone)

    def _drop_sessions(self, session_ids: Iterable[str]) -> int:
        known = 0
        for session_id in session_ids:
            for sql in (
                "DELETE FROM places WHERE session_id = ?",
                "DELETE FROM untold WHERE session_id = ?",
                "DELETE FROM off WHERE whose = 'session' AND name = ?",
            ):
                self._db.run(sql, session_id)
                known += self._db.changes
        return known

    def tidy(self, policy: Policy, now_ms: int) -> int:
        """Remove what has expired or the policy does not keep any more."""
        with self._db.transaction():
            gone = self._numbers("SELECT no FROM items WHERE expires_ms <= ?", now_ms)
            if policy.age_ms:
                before = now_ms - policy.age_ms
                gone |= self._numbers("SELECT no FROM items WHERE max(at_ms, recalled_ms) < ?", before)
            self._remove(gone)
            full = self._numbers("SELECT person FROM items GROUP BY person HAVING count(*) > ?", policy.items)
            for person in full:
                gone.update(self._make_room(person, policy.items, set()))
        if gone:
            self.overwrite()
        return len(gone)

    def listed(self, subject: str, page: Page) -> list[Remembered]:
        """List memories of a person."""
        person = self._db.number("SELECT no FROM people WHERE subject = ?", subject)
        if person is None:
            return []
        where, cells = ["person = :person"], dict[str, Cell](person=person, limit=page.limit)
        if page.kind is not None:
            where.append("kind = :kind")
            cells["kind"] = page.kind
        if page.session_id is not None:
            where.append("no IN (SELECT item FROM sources WHERE session_id = :session)")
            cells["session"] = page.session_id
        if page.after is not None:
            where.append("(at_ms, no) < (SELECT at_ms, no FROM items WHERE memory_id = :after AND person = :person)")
            cells["after"] = page.after
        if page.text:
            holding = ", ".join(map(str, sorted(self.holding(person, page.text))))
            where.append(f"no IN ({holding})")
        sql = f"SELECT {COLUMNS} FROM items WHERE {' AND '.join(where)} ORDER BY at_ms DESC, no DESC LIMIT :limit"
        return [remembered(row) for row in self._db.run(sql, **cells)]

    def get(self, subject: str, memory_id: str) -> Remembered | None:
        """Read one of a person's."""
        rows = self._db.run(f"SELECT {COLUMNS} FROM items WHERE {OF} AND memory_id = ?", subject, memory_id)
        return remembered(rows[0]) if rows else None

    def _remove(self, numbers: Iterable[int]) -> None:
        for no in numbers:
            self._db.run("DELETE FROM items WHERE no = ?", no)
            self._db.run("DELETE FROM sources WHERE item = ?", no)
            self._db.run("DELETE FROM vectors WHERE item = ?", no)
            self._db.run("DELETE FROM terms WHERE rowid = ?", no)

    def _ids(self, numbers: Sequence[int]) -> list[str]:
        return [str(self._db.run("SELECT memory_id FROM items WHERE no = ?", no)[0][0]) for no in numbers]

    def _numbers(self, sql: str, *cells: Cell) -> set[int]:
        return {_int(row[0]) for row in self._db.run(sql, *cells)}


def _int(cell: Cell) -> int:
    if not isinstance(cell, int):
        raise StoreError("memory.db holds what this version does not know. Restore it from a backup, or move it away.")
    return cell
