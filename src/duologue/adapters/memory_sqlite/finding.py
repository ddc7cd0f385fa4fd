"""Finding what may matter, and how far sessions have been looked through. On the memory's thread."""

from collections.abc import Sequence
from typing import Final

import msgspec

from duologue.adapters.memory_sqlite.items import COLUMNS, Items, owner_word, remembered
from duologue.adapters.memory_sqlite.terms import relevance, telling
from duologue.adapters.memory_sqlite.vectors import pack
from duologue.ports.memory import Found, Remembered, Told, Vector, Whose
from duologue.sqlite.database import Database
from duologue.sqlite.statements import Cell, Row

ASKED: Final = 24
"""Most words of a text that are looked for."""

_QUALIFIED: Final = ", ".join(f"items.{name}" for name in COLUMNS.split(", "))
_LIVE: Final = "items.person = :person AND (items.expires_ms IS NULL OR items.expires_ms > :now)"
_UNTOLD: Final = "number, session_id, turn, memory_id, kind, importance, superseded, count"


class Finding:
    """Looks into the tables of memories.

    Args:
        model: which embedding model the vectors are of; empty where there is none.
        floor: how alike two texts are, by that model, that have nothing to do with one another, -1 to 1.
    """

    def __init__(self, db: Database, items: Items, *, model: str, floor: float) -> None:
        self._db, self._items, self._model, self._floor = db, items, model, floor

    def find(self, subject: str, text: str, vector: Vector | None, most: int, now_ms: int) -> list[Found]:
        """Find what may matter to a text."""
        person = self._db.number("SELECT no FROM people WHERE subject = ?", subject)
        if person is None:
            return []
        cells: dict[str, Cell] = {"person": person, "now": now_ms, "most": most}
        found: dict[str, Found] = {}
        for memory, value in (
            *self._by_words(person, text, cells),
            *self._by_meaning(vector, cells),
            *self._by_importance(cells),
        ):
            known = found.get(memory.memory_id)
            if known is None or known.relevance < value:
                found[memory.memory_id] = Found(memory=memory, relevance=value)
        return list(found.values())

    def _by_words(self, person: int, text: str, cells: dict[str, Cell]) -> list[tuple[Remembered, float]]:
        asked = telling(text)[:ASKED]
        if not asked:
            return []
        words = " OR ".join(f'"{word}"' for word in asked)
        rows = self._db.run(
            f"SELECT {_QUALIFIED}, terms.words FROM terms JOIN items ON items.no = terms.rowid "
            f"WHERE terms MATCH :match AND {_LIVE} ORDER BY terms.rank LIMIT :most",
            **cells,
            match=f'"{owner_word(person)}" AND ({words})',
        )
        return [(remembered(row[:-1]), relevance(asked, str(row[-1]).split())) for row in rows]

    def _by_meaning(self, vector: Vector | None, cells: dict[str, Cell]) -> list[tuple[Remembered, float]]:
        if vector is None or not self._model:
            return []
        rows = self._db.run(
            f"SELECT {_QUALIFIED}, vec_distance_cosine(vectors.vector, :vector) AS distance "
            f"FROM vectors JOIN items ON items.no = vectors.item "
            f"WHERE vectors.model = :model AND length(vectors.vector) = :bytes AND {_LIVE} "
            "ORDER BY distance LIMIT :most",
            **cells,
            vector=pack(vector),
            model=self._model,
            bytes=4 * len(vector),
        )
        return [(remembered(row[:-1]), self._alike(row)) for row in rows]

    def _alike(self, row: Row) -> float:
        distance = row[-1]
        assert isinstance(distance, float), "a distance is a number"
        return min(1.0, max(0.0, (1.0 - distance - self._floor) / (1.0 - self._floor)))

    def _by_importance(self, cells: dict[str, Cell]) -> list[tuple[Remembered, float]]:
        rows = self._db.run(
            f"SELECT {COLUMNS} FROM items WHERE {_LIVE} ORDER BY importance DESC, at_ms DESC LIMIT :most", **cells
        )
        return [(remembered(row), 0.0) for row in rows]

    def without_vector(self, limit: int) -> list[tuple[str, str]]:
        """Memories whose meaning the present model has not told."""
        rows = self._db.run(
            "SELECT memory_id, text FROM items LEFT JOIN vectors ON vectors.item = items.no AND vectors.model = ? "
            "WHERE vectors.item IS NULL LIMIT ?",
            self._model,
            limit,
        )
        return [(str(memory_id), str(text)) for memory_id, text in rows]

    def set_vectors(self, vectors: Sequence[tuple[str, Vector]]) -> None:
        """Note what memories mean."""
        with self._db.transaction():
            for memory_id, vector in vectors:
                no = self._db.number("SELECT no FROM items WHERE memory_id = ?", memory_id)
                if no is not None:
                    self._items.set_vector(no, vector)

    def is_off(self, subject: str, session_id: str | None) -> bool:
        """Whether nothing is to be remembered."""
        sql = "SELECT 1 FROM off WHERE (whose = 'person' AND name = ?) OR (whose = 'session' AND name = ?) LIMIT 1"
        return self._db.number(sql, subject, session_id or "") is not None

    def set_off(self, whose: Whose, name: str, *, off: bool) -> None:
        """Note whether nothing is to be remembered."""
        if off:
            self._db.run("INSERT OR IGNORE INTO off VALUES(?, ?)", whose, name)
        else:
            self._db.run("DELETE FROM off WHERE whose = ? AND name = ?", whose, name)

    def add_untold(self, told: Sequence[Told]) -> list[Told]:
        """Note what is still to be told, within a transaction; with the numbers that it got."""
        numbered: list[Told] = []
        for one in told:
            self._db.run(
                "INSERT INTO untold(session_id, turn, memory_id, kind, importance, superseded, count) "
                "VALUES(?, ?, ?, ?, ?, ?, ?)",
                one.session_id,
                one.turn,
                one.memory_id,
                one.kind,
                one.importance,
                " ".join(one.superseded),
                one.count,
            )
            numbered.append(msgspec.structs.replace(one, number=self._db.last_row))
        return numbered

    def untold(self, session_id: str | None, limit: int) -> list[Told]:
        """What is still to be told."""
        rows = self._db.run(
            f"SELECT {_UNTOLD} FROM untold WHERE ?1 IS NULL OR session_id = ?1 ORDER BY number LIMIT ?2",
            session_id,
            limit,
        )
        return [_told(row) for row in rows]

    def told(self, numbers: Sequence[int]) -> None:
        """Take it that these were told."""
        with self._db.transaction():
            for number in numbers:
                self._db.run("DELETE FROM untold WHERE number = ?", number)


def _told(row: Row) -> Told:
    cells = dict(zip(_UNTOLD.split(", "), row, strict=True))
    return msgspec.convert({**cells, "superseded": str(cells["superseded"]).split()}, Told)
