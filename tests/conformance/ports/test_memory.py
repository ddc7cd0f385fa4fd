"""Every memory keeps the port's contract."""

import sqlite3
from contextlib import closing
from math import cos, sin
from pathlib import Path

import pytest
import sqlite_vec

from duologue.adapters.memory_sqlite import SqliteMemory
from duologue.model.errors import StoreError
from duologue.ports.memory import Extracted, Forget, Learnt, Memory
from duologue.testing.memory_suite import (
    ALL,
    MEMORY_CHECKS,
    POLICY,
    MemoryCheck,
    MemoryFactory,
    keep,
    learnt,
    opened,
    texts,
)

pytestmark = pytest.mark.anyio


def _name(check: MemoryCheck) -> str:
    return getattr(check, "__name__", "check")


def with_vectors(folder: Path, model: str = "m", floor: float = 0.0) -> SqliteMemory:
    return SqliteMemory(folder, model=model, extension=sqlite_vec.loadable_path(), floor=floor)


@pytest.fixture(params=["sqlite", "sqlite-synced", "sqlite-vec"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> MemoryFactory:
    match request.param:
        case "sqlite":
            return lambda: SqliteMemory(tmp_path)
        case "sqlite-synced":
            return lambda: SqliteMemory(tmp_path, synced=True)
        case _:
            return lambda: with_vectors(tmp_path)


@pytest.mark.parametrize("check", MEMORY_CHECKS, ids=_name)
async def test_memory(check: MemoryCheck, make: MemoryFactory) -> None:
    await check(make)


def files_with(word: bytes, folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if word in path.read_bytes()]


async def fill(memory: Memory, people: int = 20) -> None:
    for number in range(people):
        what = [learnt(f"Salamander{item} owned by them", words="newt") for item in range(20)]
        await keep(memory, *what, subject=f"Gorgonzola-{number}", session_id=f"s{number}")


@pytest.mark.parametrize("way", ["subject", "sessions", "forget", "words", "turn"])
async def test_what_was_removed_is_in_no_file(tmp_path: Path, way: str) -> None:
    async with opened(lambda: SqliteMemory(tmp_path)) as memory:
        await fill(memory)
        assert files_with(b"Salamander", tmp_path) or files_with(b"salamander", tmp_path)
        for number in range(20):
            subject = f"Gorgonzola-{number}"
            match way:
                case "subject":
                    assert await memory.forget_subject(subject) == 20
                case "sessions":
                    assert await memory.forget_sessions([f"s{number}"]) == 20
                case "forget":
                    assert await memory.forget(subject, Forget(everything=True)) == 20
                case "words":
                    assert await memory.forget(subject, Forget(words="newt")) == 20
                case _:
                    await keep(
                        memory, subject=subject, session_id=f"s{number}", turn=2, forget=[Forget(everything=True)]
                    )
        assert await memory.total() == 0
        assert files_with(b"alamander", tmp_path) == []
        if way == "subject":
            assert files_with(b"Gorgonzola", tmp_path) == []
    assert files_with(b"alamander", tmp_path) == []


async def test_nobody_is_found_who_shares_a_word_with_another(tmp_path: Path) -> None:
    """Also where the words are those by which the tables tell people apart."""
    async with opened(lambda: SqliteMemory(tmp_path)) as memory:
        await keep(memory, learnt("Loves person2"))
        await keep(memory, learnt("Loves person1"), subject="bob", session_id="b")
        for asked in ("person1", "person2", "loves"):
            hits = await memory.find("ada", text=asked, vector=None, most=10, now_ms=1)
            assert [one.memory.text for one in hits] == ["Loves person2"]
            assert await memory.forget("ada", Forget(words=f"{asked} person1")) == 0


async def test_meaning_finds_what_shares_no_word(tmp_path: Path) -> None:
    def around(angle: float) -> tuple[float, ...]:
        return (cos(angle), sin(angle), 0.0)

    async with opened(lambda: with_vectors(tmp_path, floor=0.5)) as memory:
        what = tuple(Learnt(kind="fact", text=text, importance=0.3) for text in ("Owns a spaniel", "Plays chess"))
        await memory.keep(
            "s",
            subject="ada",
            turn=1,
            seq=1,
            extracted=Extracted(learnt=what),
            vectors=[around(0.1), around(1.5)],
            policy=POLICY,
            now_ms=1,
        )
        hits = await memory.find("ada", text="my dog", vector=around(0.0), most=10, now_ms=1)
        assert {one.memory.text: round(one.relevance, 2) for one in hits} == {
            "Owns a spaniel": 0.99,
            "Plays chess": 0.0,
        }
        # A vector of another length is of another model.
        hits = await memory.find("ada", text="my dog", vector=(1.0, 0.0), most=10, now_ms=1)
        assert {one.relevance for one in hits} == {0.0}


async def test_another_embedding_model_begins_anew(tmp_path: Path) -> None:
    async with opened(lambda: SqliteMemory(tmp_path)) as memory:
        await keep(memory, learnt("Has a dog"), learnt("Has a cat"))
    async with opened(lambda: with_vectors(tmp_path)) as memory:
        missing = await memory.without_vector(limit=10)
        assert sorted(text for _, text in missing) == ["Has a cat", "Has a dog"]
        await memory.set_vectors([(missing[0][0], (1.0, 0.0)), ("gone", (1.0, 0.0))])
        assert await memory.without_vector(limit=10) == missing[1:]
    async with opened(lambda: with_vectors(tmp_path, "other")) as memory:
        assert len(await memory.without_vector(limit=10)) == 2
        hits = await memory.find("ada", text="", vector=(1.0, 0.0), most=10, now_ms=1)
        assert {one.relevance for one in hits} == {0.0}


async def test_a_file_of_another_program_is_left_alone(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "memory.db")) as other:
        other.execute("CREATE TABLE theirs(x)")
    with pytest.raises(StoreError, match="database of another program"):
        await SqliteMemory(tmp_path).open(create=True)


async def test_a_file_of_a_later_version_is_left_alone(tmp_path: Path) -> None:
    async with opened(lambda: SqliteMemory(tmp_path)) as memory:
        await keep(memory, learnt("Has a dog"))
    with closing(sqlite3.connect(tmp_path / "memory.db")) as later:
        later.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="newer Duologue"):
        await SqliteMemory(tmp_path).open(create=True)


async def test_a_damaged_file_is_told_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_bytes(b"SQLite format 3\x00" + b"\xff" * 5_000)
    with pytest.raises(StoreError, match="restore it from a backup"):
        await SqliteMemory(tmp_path).open(create=True)


async def test_a_closed_memory_says_so(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="closed"):
        await texts(SqliteMemory(tmp_path), page=ALL)
