"""Every store keeps the port's contract."""

import asyncio
from pathlib import Path

import pytest

from duologue.adapters.store_sqlite import SqliteStore, bounds
from duologue.model.errors import StoreError
from duologue.testing.memory_store import MemoryStore
from duologue.testing.store_content import append, line
from duologue.testing.store_suite import STORE_CHECKS, StoreCheck, StoreFactory

pytestmark = pytest.mark.anyio


def _name(check: StoreCheck) -> str:
    return getattr(check, "__name__", "check")


@pytest.fixture(params=["sqlite-process", "sqlite-power", "sqlite-crowded", "sqlite-large", "memory"])
def make(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StoreFactory:
    match request.param:
        case "sqlite-process":
            return lambda: SqliteStore(tmp_path)
        case "sqlite-crowded":
            # The spool takes two or three records at a time.
            monkeypatch.setattr(bounds, "SPOOL_BYTES", 2_048)
            return lambda: SqliteStore(tmp_path)
        case "sqlite-large":
            # No record fits into the spool.
            monkeypatch.setattr(bounds, "SPOOL_BYTES", 128)
            return lambda: SqliteStore(tmp_path)
        case "sqlite-power":
            return lambda: SqliteStore(tmp_path, durability="power")
        case _:
            store = MemoryStore()
            return lambda: store


@pytest.mark.parametrize("check", STORE_CHECKS, ids=_name)
async def test_store(check: StoreCheck, make: StoreFactory) -> None:
    await check(make)


async def test_memory_store_holds_and_releases() -> None:
    store = MemoryStore()
    await store.open()
    store.hold()
    waiting = append(store, "s", line(1))
    trim = asyncio.ensure_future(store.save_snapshot("s", seq=1, state=b"state"))
    for _ in range(5):
        await asyncio.sleep(0)
    assert not waiting.done()
    assert not trim.done()
    assert await store.info("s") is None
    store.release()
    assert await waiting is None
    await trim
    assert await store.info("s") is not None


async def test_memory_store_fails_when_told() -> None:
    store = MemoryStore()
    await store.open()
    store.fail_next_append()
    first, second = append(store, "s", line(1)), append(store, "s", line(2))
    other = append(store, "t", line(1))
    assert isinstance(await first, StoreError)
    assert isinstance(await second, StoreError)
    assert await other is None
    assert await append(store, "s", line(1)) is None
