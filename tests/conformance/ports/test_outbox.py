"""Every outbox keeps the port's contract."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from duologue.adapters.outbox_sqlite import SqliteOutbox
from duologue.model.errors import StoreError
from duologue.ports.outbox import Outbox
from duologue.testing.memory_outbox import MemoryOutbox
from duologue.testing.outbox_suite import HOOK, OUTBOX_CHECKS, OutboxCheck, OutboxFactory, letter, opened

pytestmark = pytest.mark.anyio


def _name(check: OutboxCheck) -> str:
    return getattr(check, "__name__", "check")


@pytest.fixture(params=["sqlite", "sqlite-synced", "memory"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> OutboxFactory:
    match request.param:
        case "sqlite":
            return lambda: SqliteOutbox(tmp_path)
        case "sqlite-synced":
            return lambda: SqliteOutbox(tmp_path, synced=True)
        case _:
            outbox = MemoryOutbox()
            return lambda: outbox


@pytest.mark.parametrize("check", OUTBOX_CHECKS, ids=_name)
async def test_outbox(check: OutboxCheck, make: OutboxFactory) -> None:
    await check(make)


def files_with(word: bytes, folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if word in path.read_bytes()]


async def test_removed_bytes_are_in_no_file(tmp_path: Path) -> None:
    async with opened(lambda: SqliteOutbox(tmp_path)) as outbox:
        names = [f"secret-name-{number}" for number in range(400)]
        await outbox.note(dict.fromkeys(names, 9), now_ms=1, everyone=True)
        for name in names:
            await outbox.set_hook(name, HOOK, seq=0)
            await outbox.bury(letter(name), keep=1_000)
        assert "webhooks.db" in " ".join(files_with(b"secret-name", tmp_path))
        await outbox.forget(names)
        assert files_with(b"secret-name", tmp_path) == []


async def test_a_file_of_another_program_is_left_alone(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "webhooks.db")) as other:
        other.execute("CREATE TABLE theirs(x)")
    with pytest.raises(StoreError, match="database of another program"):
        await SqliteOutbox(tmp_path).open(create=True)


async def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "other.db").write_bytes(b"no database at all" * 100)
    outbox: Outbox = SqliteOutbox(tmp_path, name="other.db")
    with pytest.raises(StoreError, match=r"other\.db is damaged"):
        await outbox.open(create=False)
    await outbox.close()


async def test_a_closed_outbox_says_so(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="closed"):
        await SqliteOutbox(tmp_path).counts()
