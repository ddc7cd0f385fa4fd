"""Every store keeps the port's contract."""

from pathlib import Path

import pytest

from duologue.adapters.store_sqlite import SqliteStore
from duologue.testing.memory_store import MemoryStore
from duologue.testing.store_suite import STORE_CHECKS, StoreCheck, StoreFactory

pytestmark = pytest.mark.anyio


def _name(check: StoreCheck) -> str:
    return getattr(check, "__name__", "check")


@pytest.fixture(params=["sqlite-process", "sqlite-power", "memory"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> StoreFactory:
    match request.param:
        case "sqlite-process":
            return lambda: SqliteStore(tmp_path)
        case "sqlite-power":
            return lambda: SqliteStore(tmp_path, durability="power")
        case _:
            store = MemoryStore()
            return lambda: store


@pytest.mark.parametrize("check", STORE_CHECKS, ids=_name)
async def test_store(check: StoreCheck, make: StoreFactory) -> None:
    await check(make)
