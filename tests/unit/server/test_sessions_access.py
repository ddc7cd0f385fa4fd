"""What is done to sessions in a folder is done to their webhooks and to what was learnt in them too."""

from pathlib import Path

import pytest

from duologue.adapters.memory_sqlite import SqliteMemory
from duologue.adapters.outbox_sqlite import SqliteOutbox
from duologue.adapters.store_sqlite import SqliteStore
from duologue.ports.outbox import Outbox
from duologue.server.sessions_access import in_folder
from duologue.testing.memory_suite import keep, learnt, texts
from duologue.testing.memory_suite import opened as memory_opened
from duologue.testing.outbox_suite import HOOK, opened
from duologue.testing.store_content import append, line

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


async def remember(folder: Path) -> None:
    async with memory_opened(lambda: SqliteMemory(folder)) as memory:
        await keep(memory, learnt("Has a dog"), subject="ann", session_id="s-1")
        await keep(memory, learnt("Has a cat"), subject="ann", session_id="s-2")


async def test_what_was_learnt_in_a_removed_session_is_forgotten(folder: Path) -> None:
    await remember(folder)
    async with in_folder(folder) as sessions:
        await sessions.delete("s-1")
    async with memory_opened(lambda: SqliteMemory(folder)) as memory:
        assert await texts(memory, "ann") == ["Has a cat"]


async def test_so_is_all_that_was_known_of_a_forgotten_person(folder: Path) -> None:
    await remember(folder)
    async with in_folder(folder) as sessions:
        await sessions.forget("ann")
    async with memory_opened(lambda: SqliteMemory(folder)) as memory:
        assert await texts(memory, "ann") == []
        assert await memory.place("s-1") is None


async def test_a_folder_without_memory_gets_none(tmp_path: Path) -> None:
    async with in_folder(tmp_path):
        pass
    assert not (tmp_path / "memory.db").exists()
