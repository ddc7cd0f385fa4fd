"""The memory as the runtime sees it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from duologue.adapters.memory_sqlite.tables import Tables
from duologue.ports.memory import Extracted, Forget, Found, Page, Policy, Remembered, Told, Vector, Whose
from duologue.sqlite.on_thread import OnThread, Words

DATABASE_NAME: Final = "memory.db"

_WORDS: Final = Words(
    name="The memory",
    undone="nothing was remembered",
    lost="what was remembered of people is then forgotten",
)


class SqliteMemory:
    """A `ports.memory.Memory` in one SQLite database (WAL, FTS5) with one thread.

    The store's lock on the folder keeps a second process out, so the store is opened first.

    Args:
        folder: the data folder.
        synced: each change is on the disk before it is acknowledged; else it is in the hands of the system.
        model: the embedding model whose vectors are kept; empty: memories are found by their words alone.
        extension: path of the extension sqlite-vec, which compares vectors; given with `model`.
        floor: how alike two texts are, by that model, that have nothing to do with one another, -1 to 1.
    """

    def __init__(
        self, folder: Path, *, synced: bool = False, model: str = "", extension: str | None = None, floor: float = 0.3
    ) -> None:
        assert bool(model) == (extension is not None), "vectors are compared by the extension"

        def make(path: Path) -> Tables:
            return Tables(path, synced=synced, model=model, extension=extension, floor=floor)

        self._tables = OnThread(folder / DATABASE_NAME, make, words=_WORDS)

    async def open(self, *, create: bool) -> bool:
        """Open it; see the port. Cancellation: safe."""
        return await self._tables.open(create=create)

    async def close(self) -> None:
        """Let go of it. Cancellation: safe; the thread ends by itself."""
        await self._tables.close()

    async def began_ms(self, now_ms: int) -> int:
        """When this was first asked."""
        return await self._tables.do(lambda tables: tables.began_ms(now_ms))

    async def covered_ms(self) -> int | None:
        """Before when everything was noted."""
        return await self._tables.do(lambda tables: tables.covered_ms())

    async def cover(self, ms: int) -> None:
        """Remember that."""
        await self._tables.do(lambda tables: tables.cover(ms))

    async def note(self, session_id: str, *, subject: str, seq: int) -> None:
        """Note a session."""
        await self._tables.do(lambda tables: tables.note(session_id, subject, seq))

    async def place(self, session_id: str) -> int | None:
        """How far a session has been looked through."""
        return await self._tables.do(lambda tables: tables.place(session_id))

    async def keep(
        self,
        session_id: str,
        *,
        subject: str,
        turn: int,
        seq: int,
        extracted: Extracted,
        vectors: Sequence[Vector | None],
        policy: Policy,
        now_ms: int,
    ) -> Sequence[Told]:
        """Take what a turn says."""
        return await self._tables.do(
            lambda tables: tables.keep(
                session_id,
                subject,
                turn=turn,
                seq=seq,
                extracted=extracted,
                vectors=vectors,
                policy=policy,
                now_ms=now_ms,
            )
        )

    async def untold(self, session_id: str | None = None, *, limit: int = 100) -> Sequence[Told]:
        """What is still to be told."""
        return await self._tables.do(lambda tables: tables.finding.untold(session_id, limit))

    async def told(self, numbers: Sequence[int]) -> None:
        """Take it that these were told."""
        await self._tables.do(lambda tables: tables.finding.told(numbers))

    async def find(
        self,
        subject: str,
        *,
        text: str,
        vector: Vector | None,
        most: int,
        now_ms: int,
        without: Sequence[Forget] = (),
    ) -> Sequence[Found]:
        """Find what may matter."""

        def look(tables: Tables) -> Sequence[Found]:
            found = tables.finding.find(subject, text, vector, most, now_ms)
            unwanted = tables.items.meant(subject, without) if without and found else set[str]()
            return [one for one in found if one.memory.memory_id not in unwanted]

        return await self._tables.do(look)

    async def recalled(self, memory_ids: Sequence[str], *, now_ms: int) -> None:
        """Note that an agent was given these."""
        await self._tables.do(lambda tables: tables.recalled(memory_ids, now_ms))

    async def count(self, subject: str, session_id: str | None = None) -> int:
        """How many there are of a person."""
        return await self._tables.do(lambda tables: tables.count(subject, session_id))

    async def listed(self, subject: str, page: Page) -> Sequence[Remembered]:
        """List memories of a person."""
        return await self._tables.do(lambda tables: tables.items.listed(subject, page))

    async def get(self, subject: str, memory_id: str) -> Remembered | None:
        """Read one of a person's."""
        return await self._tables.do(lambda tables: tables.items.get(subject, memory_id))

    async def forget(self, subject: str, forget: Forget) -> int:
        """Remove memories of a person."""
        return await self._tables.do(lambda tables: tables.items.forget(subject, forget))

    async def forget_subject(self, subject: str) -> int:
        """Remove everything about a person."""
        return await self._tables.do(lambda tables: tables.items.forget_subject(subject))

    async def forget_sessions(self, session_ids: Sequence[str]) -> int:
        """Remove what was learnt in sessions and nowhere else."""
        return await self._tables.do(lambda tables: tables.items.forget_sessions(session_ids))

    async def set_off(self, whose: Whose, name: str, *, off: bool) -> None:
        """Note whether nothing is to be remembered."""
        await self._tables.do(lambda tables: tables.finding.set_off(whose, name, off=off))

    async def is_off(self, subject: str, session_id: str | None = None) -> bool:
        """Whether nothing is to be remembered."""
        return await self._tables.do(lambda tables: tables.finding.is_off(subject, session_id))

    async def tidy(self, *, policy: Policy, now_ms: int) -> int:
        """Remove what is not kept any more."""
        return await self._tables.do(lambda tables: tables.items.tidy(policy, now_ms))

    async def without_vector(self, *, limit: int) -> Sequence[tuple[str, str]]:
        """Memories whose meaning is not known."""
        return await self._tables.do(lambda tables: tables.finding.without_vector(limit))

    async def set_vectors(self, vectors: Sequence[tuple[str, Vector]]) -> None:
        """Note what memories mean."""
        await self._tables.do(lambda tables: tables.finding.set_vectors(vectors))

    async def total(self) -> int:
        """How many there are in all."""
        return await self._tables.do(lambda tables: tables.total())
