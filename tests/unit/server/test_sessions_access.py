"""What is done to sessions in a folder is done to their webhooks too."""

from pathlib import Path

import pytest

from duologue.adapters.outbox_sqlite import SqliteOutbox
from duologue.adapters.store_sqlite import SqliteStore
from duologue.ports.outbox import Outbox
from duologue.server.sessions_access import in_folder
from duologue.testing.outbox_suite import HOOK, opened
from duologue.testing.store_suite import append, line

pytestmark = pytest.mark.anyio


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    store = SqliteStore(tmp_path)
    await store.open()
    assert await append(store, "s-1", line(1)) is None
    assert await append(store, "s-2", line(1)) is None
    await store.close()
    async with opened(lambda: SqliteOutbox(tmp_path)) as outbox:
        for session in ("s-1", "s-2"):
            await outbox.set_hook(session, HOOK, seq=1)
    return tmp_path


async def hooked(outbox: Outbox) -> list[str]:
    return [session for session in ("s-1", "s-2") if await outbox.hook(session) is not None]


async def test_a_removed_session_has_no_webhook(folder: Path) -> None:
    async with in_folder(folder) as sessions:
        await sessions.delete("s-1")
    async with opened(lambda: SqliteOutbox(folder)) as outbox:
        assert await hooked(outbox) == ["s-2"]


async def test_nor_has_any_of_a_forgotten_person(folder: Path) -> None:
    async with in_folder(folder) as sessions:
        await sessions.forget("ann")
    async with opened(lambda: SqliteOutbox(folder)) as outbox:
        assert await hooked(outbox) == []


async def test_a_folder_without_webhooks_gets_none(tmp_path: Path) -> None:
    async with in_folder(tmp_path):
        pass
    assert not (tmp_path / "webhooks.db").exists()
