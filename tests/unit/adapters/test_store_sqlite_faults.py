"""The embedded store where something comes in between: a death, a withdrawn call, a failure, a full disk."""

import asyncio
import errno
import threading
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from tests.unit.adapters.test_store_sqlite import holds, left_behind, opened, query, refusal

from duologue.adapters.store_sqlite import SqliteStore, bounds
from duologue.adapters.store_sqlite.checkpoint import Checkpoints
from duologue.adapters.store_sqlite.edits import Edits
from duologue.adapters.store_sqlite.heads import Marked
from duologue.adapters.store_sqlite.overlay import Pending, loaded_with
from duologue.adapters.store_sqlite.spool import SPOOL_NAME, Spool
from duologue.model.errors import StoreConflict, StoreError
from duologue.ports.store import SessionMark
from duologue.testing.store_content import append, fill, line, numbers

pytestmark = pytest.mark.anyio

ANN = SessionMark(subject="ann", agent="echo")


class Gate:
    """Stands before an edit: the writer thread waits there until it is let through."""

    def __init__(self, patch: pytest.MonkeyPatch, name: str, *, error: Exception | None = None) -> None:
        self.reached, self.open = threading.Event(), threading.Event()
        behind: Callable[..., object] = getattr(Edits, name)

        def gated(edits: Edits, *args: object) -> object:
            self.reached.set()
            assert self.open.wait(10)
            if error is not None:
                raise error
            return behind(edits, *args)

        patch.setattr(Edits, name, gated)


async def test_a_removal_whose_caller_goes_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once it has begun it is done; what comes for the session later is refused, not taken and lost."""
    gate = Gate(monkeypatch, "delete_session")
    async with opened(tmp_path) as store:
        await fill(store, "s", 3)
        call = asyncio.ensure_future(store.delete_session("s"))
        assert await asyncio.to_thread(gate.reached.wait, 10)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        gate.open.set()
        assert isinstance(await append(store, "s", line(4)), StoreConflict)
        assert await store.info("s") is None
    async with opened(tmp_path) as store:
        assert list(await store.list_sessions()) == []


async def test_a_removal_that_fails_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Meanwhile the spool is moved and zeroed under others' load."""
    monkeypatch.setattr(bounds, "SPOOL_BYTES", 8_000)
    gate = Gate(monkeypatch, "delete_session", error=apsw.BusyError())
    async with opened(tmp_path) as store:
        await fill(store, "s", 3)
        call = asyncio.ensure_future(store.delete_session("s"))
        assert await asyncio.to_thread(gate.reached.wait, 10)
        later = append(store, "s", line(4))
        others = [append(store, "t", line(seq)) for seq in range(1, 200)]
        gate.open.set()
        with pytest.raises(StoreError, match="Another program"):
            await call
        assert not any(await asyncio.gather(later, *others))
        assert await store.read("s", after=0, limit=9) == line(1) + line(2) + line(3) + line(4)
    async with opened(tmp_path) as store:
        assert await store.read("s", after=0, limit=9) == line(1) + line(2) + line(3) + line(4)


async def test_a_person_s_session_that_is_moved_meanwhile_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was in the spool alone when the database was asked for the sessions, and no longer when the answer came."""
    monkeypatch.setattr(bounds, "REST_S", 0)
    gate = Gate(monkeypatch, "sessions_of")
    done = threading.Semaphore(0)

    def due(_: Checkpoints) -> bool:
        done.release()
        return False

    async with opened(tmp_path) as store:
        monkeypatch.setattr(Checkpoints, "due", property(due))
        assert await append(store, "s", line(1, text="Salamander"), mark=ANN, fresh=True) is None
        call = asyncio.ensure_future(store.delete_subject("ann"))
        assert await asyncio.to_thread(gate.reached.wait, 10)
        # The order to move is given by now. Both are done before this loop hears of either.
        gate.open.set()
        assert done.acquire(timeout=10) and done.acquire(timeout=10)
        assert list(await call) == ["s"]
        assert holds(tmp_path, b"Salamander") == []


async def test_what_a_death_left_in_a_half_is_zeroed(tmp_path: Path) -> None:
    """It died while a half was zeroed, of which the first bytes were gone."""
    left_behind(tmp_path, {"s": 3, "t": 400})
    with (tmp_path / SPOOL_NAME).open("r+b") as file:
        file.seek(4_096)
        assert file.read(bounds.SPOOL_BYTES).strip(b"\0")
        file.seek(4_096)
        file.write(bytes(64))
    assert holds(tmp_path, line(2)) == [SPOOL_NAME]
    async with opened(tmp_path):
        assert not any(line(seq) in (tmp_path / SPOOL_NAME).read_bytes() for seq in (1, 2, 3, 400))


async def test_a_removal_is_forgotten_only_when_the_spool_is_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a power cut could leave there what the database no longer knows to be removed."""

    def broken(_: Spool) -> None:
        raise OSError(errno.EIO, "Input/output error")

    async with opened(tmp_path) as store:
        await fill(store, "s", 3)
        monkeypatch.setattr(Spool, "sync", broken)
        with pytest.raises(StoreError, match="The disk reported an error"):
            await store.delete_session("s")
    assert query(tmp_path, "SELECT count(*) FROM chores WHERE name = 'void:1'") == [(1,)]
    monkeypatch.undo()
    async with opened(tmp_path) as store:
        assert await store.info("s") is None
    assert query(tmp_path, "SELECT count(*) FROM chores") == [(0,)]


async def test_with_power_a_large_record_is_told_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "SPOOL_BYTES", 8_000)
    told: list[int] = []
    async with opened(tmp_path, durability="power") as store:
        await fill(store, "s", 1)
        waiting = [
            append(store, "s", line(seq, text="x" * size), told=lambda _, seq=seq: told.append(seq))
            for seq, size in ((2, 10), (3, 9_000), (4, 10))
        ]
        assert not any(await asyncio.gather(*waiting))
        assert numbers(await store.read("s", after=0, limit=9)) == [1, 2, 3, 4]
    assert told == [2, 3, 4]


async def test_a_disk_that_is_full_at_the_start_is_said_to_be_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.posix_fallocate", full, raising=False)
    assert "The disk is full" in await refusal(SqliteStore(tmp_path))
    monkeypatch.undo()
    async with opened(tmp_path) as store:
        await fill(store, "s", 1)


@pytest.mark.parametrize("half", [0, 2**32 - 1])
async def test_a_damaged_size_is_refused_and_not_allocated(tmp_path: Path, half: int) -> None:
    left_behind(tmp_path, {"s": 3})
    with (tmp_path / SPOOL_NAME).open("r+b") as file:
        file.seek(32)
        file.write(half.to_bytes(4, "little"))
    before = (tmp_path / SPOOL_NAME).stat().st_size
    assert "is damaged. Move it away" in await refusal(SqliteStore(tmp_path))
    assert (tmp_path / SPOOL_NAME).stat().st_size == before


async def test_whatever_goes_wrong_at_the_start_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> set[int]:
        raise ValueError

    monkeypatch.setattr("duologue.adapters.store_sqlite.recover.removed_nos", broken)
    assert "failed unexpectedly (ValueError)" in await refusal(SqliteStore(tmp_path))


async def test_what_was_looked_up_before_a_removal_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An append of a session that is not known by heart comes while a person's sessions are looked for."""
    async with opened(tmp_path) as store:
        await fill(store, "s", 3)
    gate = Gate(monkeypatch, "find")
    async with opened(tmp_path) as store:
        call = asyncio.ensure_future(store.delete_subject("ann"))
        await asyncio.sleep(0)
        late = append(store, "s", line(4))
        assert await asyncio.to_thread(gate.reached.wait, 10)
        gate.open.set()
        assert list(await call) == ["s"]
        assert isinstance(await late, StoreConflict)
    assert query(tmp_path, "SELECT count(*) FROM journal") == [(0,)]


async def test_an_import_waits_for_a_session_that_is_begun_meanwhile(tmp_path: Path) -> None:
    """Two of one id would keep everything else from being moved."""
    async with opened(tmp_path) as store:
        await fill(store, "s", 1)
        found = await store.info("s")
        assert found is not None
        imported = asyncio.ensure_future(store.import_session(found, lines=line(1), state=b"state"))
        gone = asyncio.ensure_future(store.delete_session("s"))
        await asyncio.sleep(0)
        late = append(store, "s", line(1))
        results = await asyncio.gather(imported, gone, late, return_exceptions=True)
        assert isinstance(results[0], StoreConflict) and results[1:] == [True, None]
        assert await append(store, "other", line(1)) is None
        assert {info.session_id for info in await store.list_sessions()} == {"s", "other"}


def test_a_session_that_is_removed_while_it_is_loaded_is_not_there() -> None:
    """Its records were moved, and zeroed in the spool, before it was removed."""
    mark = Marked(mark=ANN, at_ms=1)
    assert loaded_with(None, Pending(session_id="s", last=5, mark=mark, created_ms=1, rows=())) is None
    rows = [(4, 5, line(4, 5))]
    assert loaded_with(None, Pending(session_id="s", last=5, mark=mark, created_ms=1, rows=rows)) is None
