"""What is SQLite's own in the embedded store: its files, locks, damages, sizes, groups."""

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from duologue.adapters.store_sqlite import SqliteStore, bounds
from duologue.adapters.store_sqlite.errors import store_error
from duologue.adapters.store_sqlite.lines import beginning_after, chunks, window
from duologue.adapters.store_sqlite.recover import label_line
from duologue.adapters.store_sqlite.schema import open_writer
from duologue.adapters.store_sqlite.scrub import zero_gaps
from duologue.adapters.store_sqlite.spool import SPOOL_NAME, Place, Spool
from duologue.model.errors import StoreConflict, StoreError
from duologue.ports.store import Append, SessionInfo, SessionMark
from duologue.sqlite.statements import Cell, run
from duologue.testing.store_content import MARK, append, fill, line, numbers, upload

pytestmark = pytest.mark.anyio

BOB = SessionMark(subject="bob", agent="echo")


# Any: the arguments are those of SqliteStore, checked there.
@asynccontextmanager
async def opened(folder: Path, **settings: Any) -> AsyncGenerator[SqliteStore]:
    store = SqliteStore(folder, **settings)
    await store.open()
    try:
        yield store
    finally:
        await store.close()


def query(folder: Path, sql: str) -> list[tuple[Cell, ...]]:
    """Look into a closed store's database."""
    connection = apsw.Connection(str(folder / "duologue.db"))
    try:
        return run(connection, sql)
    finally:
        connection.close()


def holds(folder: Path, text: bytes) -> list[str]:
    return [path.name for path in folder.iterdir() if text in path.read_bytes()]


async def refusal(store: SqliteStore) -> str:
    with pytest.raises(StoreError) as caught:
        await store.open()
    await store.close()
    return str(caught.value)


# ---- opening


async def test_makes_its_folder_for_this_user_only(tmp_path: Path) -> None:
    async with opened(tmp_path / "a" / "b"):
        assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700


async def test_second_server_is_told_who_has_the_folder(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        assert f"in use by process {os.getpid()}" in await refusal(SqliteStore(tmp_path))
        await fill(store, "s", 1)
    async with opened(tmp_path) as store:
        assert await store.info("s") is not None


async def test_refused_open_lets_go_of_the_lock(tmp_path: Path) -> None:
    (tmp_path / "duologue.db").write_bytes(b"no database at all, but long enough to be looked at" * 99)
    for _ in range(2):
        assert "not a database of Duologue" in await refusal(SqliteStore(tmp_path))
    (tmp_path / "duologue.db").unlink()
    async with opened(tmp_path):
        pass


async def test_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert "cannot be used" in await refusal(SqliteStore(tmp_path / "file"))


async def test_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    query(tmp_path, "CREATE TABLE notes(text)")
    before = (tmp_path / "duologue.db").read_bytes()
    assert "another program" in await refusal(SqliteStore(tmp_path))
    assert (tmp_path / "duologue.db").read_bytes() == before


async def test_newer_version_is_refused(tmp_path: Path) -> None:
    async with opened(tmp_path):
        pass
    query(tmp_path, "PRAGMA user_version = 99")
    assert "newer Duologue" in await refusal(SqliteStore(tmp_path))


async def test_truncated_database_is_refused(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await fill(store, "s", 100)
    data = (tmp_path / "duologue.db").read_bytes()
    (tmp_path / "duologue.db").write_bytes(data[: len(data) // 2 // 4096 * 4096])
    assert "damaged" in await refusal(SqliteStore(tmp_path))


async def test_damaged_first_pages_are_refused(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await fill(store, "s", 5)
    data = bytearray((tmp_path / "duologue.db").read_bytes())
    data[4096 : 3 * 4096] = b"\xaa" * 2 * 4096
    (tmp_path / "duologue.db").write_bytes(data)
    assert "damaged" in await refusal(SqliteStore(tmp_path))


async def test_damage_found_later_is_an_error_and_not_a_crash(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        for name in ("s", "t", "u"):
            await fill(store, name, 400)
    [(page,)] = query(tmp_path, "SELECT pageno FROM dbstat WHERE name = 'journal' AND pagetype = 'leaf' LIMIT 1")
    assert isinstance(page, int)
    data = bytearray((tmp_path / "duologue.db").read_bytes())
    data[(page - 1) * 4096 : page * 4096] = b"\xaa" * 4096
    (tmp_path / "duologue.db").write_bytes(data)
    async with opened(tmp_path) as store:
        with pytest.raises(StoreError, match="damaged"):
            await store.load("s")
        loaded = await store.load("u")
        assert loaded is not None
        assert len(numbers(loaded.lines)) == 400


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
async def test_folder_that_cannot_be_written(tmp_path: Path) -> None:
    async with opened(tmp_path):
        pass
    (tmp_path / "duologue.db").chmod(0o400)
    assert "cannot be written" in await refusal(SqliteStore(tmp_path))


async def test_calls_when_closed(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    await store.close()
    assert isinstance(await append(store, "s", line(1)), StoreError)
    with pytest.raises(StoreError, match="closed"):
        await store.load("s")
    with pytest.raises(StoreError, match="closed"):
        await store.delete_session("s")


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (apsw.FullError("x"), "Free space"),
        (apsw.ReadOnlyError("x"), "write permission"),
        (apsw.CantOpenError("x"), "data folder exists"),
        (apsw.BusyError("x"), "Another program holds"),
        (apsw.NotADBError("x"), "backup"),
        (apsw.CorruptError("x"), "backup"),
        (apsw.IOError("x"), "Check the disk"),
        (apsw.TooBigError("x"), "Send less"),
        (apsw.NoMemError("x"), "Free memory"),
        (ValueError("secret"), "ValueError"),
    ],
)
def test_errors_say_what_to_do(error: Exception, advice: str) -> None:
    said = str(store_error(error))
    assert advice in said
    assert "secret" not in said


# ---- the spool


async def test_a_session_s_records_come_into_the_journal_together(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await fill(store, "s", 100)
        await fill(store, "t", 2)
        assert query(tmp_path, "SELECT count(*) FROM journal") == [(0,)]
    assert query(tmp_path, "SELECT key & 4294967295, events FROM journal ORDER BY key") == [(1, 64), (65, 36), (1, 2)]
    assert holds(tmp_path, b"hello ") == ["duologue.db"]


async def test_what_is_spooled_is_moved_at_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "REST_S", 0.01)
    async with opened(tmp_path) as store:
        await fill(store, "s", 3)
        async with asyncio.timeout(10):
            # The writer thread's work shows in the files alone.
            while holds(tmp_path, b"hello ") != ["duologue.db-wal"]:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert query(tmp_path, "SELECT events FROM journal") == [(3,)]
        assert await append(store, "s", line(4)) is None
        assert numbers(await store.read("s", after=0, limit=9)) == [1, 2, 3, 4]


async def test_the_halves_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixty times what the spool holds comes through it; reads in between see all that is acknowledged."""
    monkeypatch.setattr(bounds, "SPOOL_BYTES", 4_096)
    async with opened(tmp_path) as store:
        for seq in range(1, 101):
            for name in ("a", "b", "c", "d"):
                assert await append(store, name, line(seq, text=name * 100)) is None
            if seq % 10 == 0:
                assert numbers(await store.read("b", after=seq - 7, limit=5)) == list(range(seq - 6, seq - 1))
                loaded = await store.load("c")
                assert loaded is not None
                assert loaded.lines == b"".join(line(number, text="c" * 100) for number in range(1, seq + 1))


async def test_a_burst_beyond_the_spool_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "SPOOL_BYTES", 4_096)
    async with opened(tmp_path) as store:
        waiting = [append(store, f"s{n % 5}", line(n // 5 + 1, text="x" * 200)) for n in range(500)]
        assert not any(await asyncio.gather(*waiting))
        assert [info.last_seq for info in await store.list_sessions()] == [100] * 5


async def test_a_session_that_waits_may_be_put_out_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its head is looked up again: the session has not gone."""
    monkeypatch.setattr(bounds, "SPOOL_BYTES", 2_048)
    monkeypatch.setattr(bounds, "HEADS", 1)
    async with opened(tmp_path) as store:
        waiting = [append(store, f"s{n % 9}", line(n // 9 + 1, text="x" * (n % 7) * 300)) for n in range(360)]
        assert not any(await asyncio.gather(*waiting))
        assert sorted(info.last_seq for info in await store.list_sessions()) == [40] * 9
    assert query(tmp_path, "SELECT count(*) FROM journal WHERE key >> 32 NOT IN (SELECT no FROM sessions)") == [(0,)]


async def test_a_record_larger_than_the_spool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "SPOOL_BYTES", 4_096)
    async with opened(tmp_path) as store:
        records = [line(1), line(2), line(3, text="x" * 9_000), line(4), line(5, text="y" * 9_000)]
        waiting = [append(store, "s", record) for record in records]
        assert not any(await asyncio.gather(*waiting))
        assert await store.read("s", after=0, limit=9) == b"".join(records)
        assert isinstance(await append(store, "s", line(3, text="x" * 9_000)), StoreConflict)
    async with opened(tmp_path) as store:
        assert await store.read("s", after=0, limit=9) == b"".join(records)


async def test_a_fresh_session_that_is_imported_meanwhile_is_refused(tmp_path: Path) -> None:
    """Whoever made it asked the store first, and the import came between the answer and the append."""
    async with opened(tmp_path) as store:
        info = SessionInfo(session_id="s", mark=MARK, first_seq=1, last_seq=1, epoch=0, created_ms=1, updated_ms=1)
        importing = asyncio.ensure_future(store.import_session(info, lines=line(1), state=b"state"))
        await asyncio.sleep(0)
        assert isinstance(await append(store, "s", line(1), fresh=True), StoreConflict)
        await importing
        assert isinstance(await append(store, "s", line(1), fresh=True), StoreConflict)
        assert await append(store, "s", line(2)) is None
        assert await append(store, "t", line(1), fresh=True) is None
        assert await store.read("s", after=0, limit=9) == line(1) + line(2)


def left_behind(folder: Path, sessions: dict[str, int]) -> None:
    """What a killed server leaves: records in the spool that no database knows."""
    connection = open_writer(folder / "duologue.db", durability="process", max_pages=None, busy_ms=1)
    try:
        token = run(connection, "SELECT token FROM own")[0][0]
    finally:
        connection.close()
    assert isinstance(token, bytes)
    spool = Spool(folder / SPOOL_NAME, token=token)
    for no, (name, events) in enumerate(sessions.items(), start=1):
        for seq in range(1, events + 1):
            mark = MARK if seq == 1 else None
            made = Append(
                session_id=name, lines=line(seq), first_seq=seq, last_seq=seq, at_ms=7, mark=mark, done=lambda _: None
            )
            label = b"" if mark is None else label_line(made, mark)
            assert spool.write(no, seq, seq, label + made.lines, len(label))
        if no == 1:
            spool.turn()
    spool.close()


async def test_the_next_start_takes_up_what_is_spooled(tmp_path: Path) -> None:
    left_behind(tmp_path, {"s": 3, "t": 2})
    async with opened(tmp_path) as store:
        assert sorted((info.session_id, info.last_seq) for info in await store.list_sessions()) == [("s", 3), ("t", 2)]
        assert await append(store, "s", line(4)) is None
        assert await append(store, "new", line(1)) is None
        assert numbers(await store.read("s", after=0, limit=9)) == [1, 2, 3, 4]
    async with opened(tmp_path) as store:
        assert await store.read("s", after=0, limit=9) == line(1) + line(2) + line(3) + line(4)


async def test_a_start_with_a_full_disk_shows_all_and_takes_nothing(tmp_path: Path) -> None:
    left_behind(tmp_path, {"s": 3, "t": 400})
    async with opened(tmp_path, max_pages=16) as store:
        loaded = await store.load("t")
        assert loaded is not None
        assert numbers(loaded.lines) == list(range(1, 401))
        assert "Free space" in str(await append(store, "t", line(401)))
        assert await store.delete_session("t") is True
        assert await append(store, "s", line(4)) is None
        assert await store.load("t") is None
    async with opened(tmp_path) as store:
        assert [(info.session_id, info.last_seq) for info in await store.list_sessions()] == [("s", 4)]


async def test_a_spool_of_another_size_is_taken_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A later version may want a larger one; what lies in this one is read as it was written."""
    left_behind(tmp_path, {"s": 3, "t": 2})
    for size in (2 * bounds.SPOOL_BYTES, 10_000):
        monkeypatch.setattr(bounds, "SPOOL_BYTES", size)
        async with opened(tmp_path) as store:
            assert sorted(info.last_seq for info in await store.list_sessions()) == [2, 3]
    assert (tmp_path / SPOOL_NAME).stat().st_size < 2 * 10_000


async def test_a_deleted_session_does_not_come_back_from_the_spool(tmp_path: Path) -> None:
    """The server was killed after the removal was stored and before the spool was voided."""
    left_behind(tmp_path, {"s": 3, "t": 2})
    query(tmp_path, "INSERT INTO chores VALUES ('void:1')")
    async with opened(tmp_path) as store:
        assert [info.session_id for info in await store.list_sessions()] == ["t"]
        # Nor is its number given to another, whose records would be taken for its own.
        await fill(store, "u", 1)
        await store.delete_session("t")
    assert query(tmp_path, "SELECT no, id FROM sessions") == [(3, "u")]


async def test_a_spool_of_another_database_is_refused(tmp_path: Path) -> None:
    left_behind(tmp_path, {"s": 3})
    (tmp_path / "duologue.db").unlink()
    (tmp_path / "duologue.db-wal").unlink(missing_ok=True)
    assert "another database" in await refusal(SqliteStore(tmp_path))
    (tmp_path / SPOOL_NAME).unlink()
    async with opened(tmp_path) as store:
        assert list(await store.list_sessions()) == []


async def test_a_system_that_cannot_allocate_or_sync_data_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """macOS has neither call."""
    monkeypatch.delattr(os, "posix_fallocate")
    monkeypatch.delattr(os, "fdatasync")
    async with opened(tmp_path, durability="power") as store:
        await fill(store, "s", 3)
        assert (tmp_path / SPOOL_NAME).stat().st_blocks * 512 >= bounds.SPOOL_BYTES
        assert await store.delete_session("s") is True


async def test_an_empty_spool_goes_with_any_database(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await fill(store, "s", 3)
    (tmp_path / "duologue.db").unlink()
    async with opened(tmp_path) as store:
        assert await store.info("s") is None


async def test_a_file_that_is_no_spool_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / SPOOL_NAME).write_bytes(b"mine " * 2_000)
    assert "not a spool" in await refusal(SqliteStore(tmp_path))
    assert (tmp_path / SPOOL_NAME).read_bytes() == b"mine " * 2_000


@pytest.mark.parametrize("seed", range(20))
def test_a_cut_or_damaged_spool_gives_what_was_whole(tmp_path: Path, seed: int) -> None:
    """Whatever byte is wrong, what comes before it is found and what is found is right."""
    chance = random.Random(seed)
    spool = Spool(tmp_path / SPOOL_NAME, token=b"t" * 16)
    written: list[tuple[int, bytes]] = []
    places: list[slice] = []
    for seq in range(1, 40):
        payload = chance.randbytes(chance.randint(1, 300))
        place = spool.write(7, seq, seq, payload)
        assert place is not None
        places.append(place)
        written.append((seq, payload))
    spool.close()
    data = bytearray((tmp_path / SPOOL_NAME).read_bytes())
    ends = [place.stop for place in places]
    hit = chance.randrange(places[0].start, ends[-1])
    data[hit] ^= 1 << chance.randrange(8)
    (tmp_path / SPOOL_NAME).write_bytes(data)
    spool = Spool(tmp_path / SPOOL_NAME, token=b"t" * 16)
    found = [
        (record.first, spool.rows([(record.first, record.place)], begin=record.first, above=0)[0][2])
        for record in spool.found()
    ]
    spool.close()
    whole = [pair for pair, end in zip(written, ends, strict=True) if end <= hit]
    assert found[: len(whole)] == whole
    assert all(pair in written for pair in found)


async def test_a_database_of_version_1(tmp_path: Path) -> None:
    """It had a table for what lies in the spool now."""
    async with opened(tmp_path) as store:
        await fill(store, "s", 3)
    query(
        tmp_path,
        "DROP TABLE own; PRAGMA user_version = 1; CREATE TABLE recent(pos INTEGER PRIMARY KEY, key INTEGER NOT NULL,"
        " events INTEGER NOT NULL, lines BLOB NOT NULL) STRICT;",
    )
    connection = apsw.Connection(str(tmp_path / "duologue.db"))
    for seq in (4, 5):
        run(connection, "INSERT INTO recent(key, events, lines) VALUES (?, 1, ?)", ((1 << 32) + seq, line(seq)))
    connection.close()
    (tmp_path / SPOOL_NAME).unlink()
    async with opened(tmp_path) as store:
        assert numbers(await store.read("s", after=0, limit=9)) == [1, 2, 3, 4, 5]
        assert await append(store, "s", line(6)) is None


async def test_a_disk_that_cannot_be_synced_is_not_trusted_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path, durability="power") as store:
        await fill(store, "s", 1)

        def broken(_: Spool) -> None:
            raise OSError(5, "Input/output error")

        monkeypatch.setattr(Spool, "sync", broken)
        assert "disk reported an error" in str(await append(store, "s", line(2)))
        monkeypatch.undo()
        assert "disk reported an error" in str(await append(store, "s", line(3)))
        assert "disk reported an error" in str(await append(store, "t", line(1)))


async def test_with_power_nothing_is_read_before_it_is_on_the_disk(tmp_path: Path) -> None:
    async with opened(tmp_path, durability="power") as store:
        await fill(store, "s", 2)
        waiting = append(store, "s", line(3))
        assert not waiting.done()
        assert numbers(await store.read("s", after=0, limit=9))[:2] == [1, 2]
        assert await waiting is None
        assert numbers(await store.read("s", after=0, limit=9)) == [1, 2, 3]


async def test_heads_beyond_the_bound_are_looked_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "HEADS", 2)
    async with opened(tmp_path) as store:
        names = ("a", "b", "c", "d")
        for seq in range(1, 5):
            # One by one and all at once: a head may be put out within a group.
            for name in names:
                assert await append(store, name, line(2 * seq - 1)) is None
            waiting = [append(store, name, line(2 * seq)) for name in names]
            assert not any(await asyncio.gather(*waiting))
        assert isinstance(await append(store, "a", line(8)), StoreConflict)
        for name in names:
            loaded = await store.load(name)
            assert loaded is not None
            assert numbers(loaded.lines) == list(range(1, 9))


async def test_a_new_session_put_out_within_its_first_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "HEADS", 1)
    async with opened(tmp_path) as store:
        waiting = [append(store, name, line(seq)) for seq in (1, 2) for name in ("a", "b")]
        assert not any(await asyncio.gather(*waiting))
        assert [info.last_seq for info in await store.list_sessions()] == [2, 2]


async def test_a_broken_done_does_not_keep_others_waiting(tmp_path: Path) -> None:
    seen: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: seen.append(context))

    def broken(_: StoreError | None) -> None:
        raise ValueError

    async with opened(tmp_path) as store:
        waiting = [append(store, "s", line(1), told=broken), append(store, "t", line(1))]
        assert not any(await asyncio.gather(*waiting))
    assert [type(context["exception"]) for context in seen] == [ValueError]


async def test_a_withdrawn_call_is_not_made(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await fill(store, "s", 1)
        appended = append(store, "s", line(2))
        call = asyncio.ensure_future(store.delete_session("s"))
        await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await appended
        info = await store.info("s")
        # Whether it had begun is open; half of it is not.
        assert info is None or info.last_seq == 2


# ---- a full disk


async def test_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was acknowledged stays readable, nothing more is taken, and it goes on when there is room."""
    monkeypatch.setattr(bounds, "SPOOL_BYTES", 40_000)
    async with opened(tmp_path, max_pages=60) as store:
        big = "x" * 3_000
        await fill(store, "other", 1)
        stored = 1
        assert await append(store, "s", line(1, text=big)) is None
        while True:
            error = await append(store, "s", line(stored + 1, text=big))
            if error is not None:
                break
            stored += 1
        assert "Free space" in str(error)
        assert stored > 10
        # Small ones are refused too, and the session of none is harmed.
        group = [
            append(store, "other", line(2)),
            append(store, "s", line(stored + 1, text=big * 20)),
            append(store, "s", line(stored + 2)),
        ]
        assert all(isinstance(told, StoreError) for told in await asyncio.gather(*group))
        for name, last in (("s", stored), ("other", 1)):
            loaded = await store.load(name)
            assert loaded is not None
            assert numbers(loaded.lines) == list(range(1, last + 1))
            info = await store.info(name)
            assert info == loaded.info
        with pytest.raises(StoreError, match="Free space"):
            await store.put_blob(upload("u", data=b"x" * 100_000))
        assert await store.delete_session("s") is True
        assert await append(store, "other", line(2, text=big)) is None
        await fill(store, "s", 5)
    async with opened(tmp_path) as store:
        assert [info.last_seq for info in await store.list_sessions()] == [5, 2]


async def test_records_that_cannot_be_moved_stay_readable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When moving fails, appends fail rather than pile up; nothing that was acknowledged is lost."""
    monkeypatch.setattr(bounds, "SPOOL_BYTES", 8_000)
    async with opened(tmp_path) as store:
        await fill(store, "s", 2)
    query(tmp_path, "CREATE TRIGGER stuck BEFORE INSERT ON journal BEGIN SELECT raise(ABORT, 'no'); END")
    async with opened(tmp_path) as store:
        stored = 2
        while (error := await append(store, "s", line(stored + 1))) is None:
            stored += 1
        assert isinstance(error, StoreError)
        assert stored > 10
        assert numbers(await store.read("s", after=0, limit=99)) == list(range(1, stored + 1))
    query(tmp_path, "DROP TRIGGER stuck")
    async with opened(tmp_path) as store:
        assert await append(store, "s", line(stored + 1)) is None
        loaded = await store.load("s")
        assert loaded is not None
        assert numbers(loaded.lines) == list(range(1, stored + 2))


async def test_database_held_by_another_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Appends go on as long as the spool has room; what needs the database says who is in the way."""
    monkeypatch.setattr(bounds, "SPOOL_BYTES", 8_000)
    async with opened(tmp_path, busy_ms=1) as store:
        await fill(store, "s", 1)
        await store.list_sessions()
        other = apsw.Connection(str(tmp_path / "duologue.db"))
        run(other, "BEGIN IMMEDIATE")
        assert await append(store, "s", line(2)) is None
        with pytest.raises(StoreError, match="Another program"):
            await store.save_snapshot("s", seq=1, state=b"state")
        stored = 2
        while (error := await append(store, "s", line(stored + 1))) is None:
            stored += 1
        assert "Another program" in str(error)
        assert stored > 10
        run(other, "ROLLBACK")
        other.close()
        assert await append(store, "s", line(stored + 1)) is None
        assert numbers(await store.read("s", after=0, limit=99)) == list(range(1, stored + 2))


# ---- removal


# Without `zero_gaps` seed 7 fails.
@pytest.mark.parametrize("seed", [7, 8, 9])
async def test_removed_bytes_are_in_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Pages were split and joined in between; no copy of a removed text may lie in their gaps."""
    monkeypatch.setattr(bounds, "SPOOL_BYTES", 40_000)
    chance = random.Random(seed)
    names = [f"s{number}" for number in range(12)]
    lasts = dict.fromkeys(names, 0)
    async with opened(tmp_path) as store:
        for _ in range(60):
            waiting: list[asyncio.Future[StoreError | None]] = []
            for name in chance.choices(names, k=20):
                lasts[name] += 1
                mine = "Salamander-" if name in names[:6] else "harmless-"
                text = f"{mine}{name} " * chance.choice((1, 3, 20, 300))
                mark = SessionMark(subject="ann" if name in names[:6] else "bob", agent="echo", title=text[:80])
                waiting.append(append(store, name, line(lasts[name], text=text), mark=mark))
            assert not any(await asyncio.gather(*waiting))
            name = chance.choice(names[:6])
            if lasts[name]:
                await store.save_snapshot(name, seq=lasts[name], state=b"Salamander-state" * chance.randint(1, 900))
        await store.put_blob(upload("u1", session_id="s1", data=b"Salamander-upload" * 5_000))
        await store.put_blob(upload("u2", data=b"Salamander-own"))
        assert holds(tmp_path, b"Salamander-s0") != []
        assert await store.delete_session("s0") is True
        assert holds(tmp_path, b"Salamander-s0 ") == []
        assert sorted(await store.delete_subject("ann")) == sorted(names[1:6])
        assert holds(tmp_path, b"Salamander") == []
        # Nor may a page that is still cached bring one back.
        for name in names[6:]:
            for _ in range(20):
                lasts[name] += 1
                assert await append(store, name, line(lasts[name], text="harmless-later")) is None
        assert holds(tmp_path, b"Salamander") == []
        assert holds(tmp_path, b"harmless-s7") != []
        for name in names[6:]:
            assert numbers(await store.read(name, after=0, limit=10_000)) == list(range(1, lasts[name] + 1))


async def test_a_scrub_that_a_crash_cut_off_is_made_up_for(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await fill(store, "s", 3)
    query(tmp_path, "INSERT INTO chores VALUES ('scrub')")
    async with opened(tmp_path) as store:
        assert await store.info("s") is not None
    # Done at the writer's next rest, or at the latest when it ends.
    assert query(tmp_path, "SELECT count(*) FROM chores") == [(0,)]


async def test_whole_after_zeroing_gaps(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        for number in range(30):
            await fill(store, f"s{number}", number + 1)
        for number in range(0, 30, 3):
            await store.delete_session(f"s{number}")
    assert query(tmp_path, "PRAGMA integrity_check") == [("ok",)]
    fd = os.open(tmp_path / "duologue.db", os.O_RDWR)
    assert zero_gaps(fd, page_bytes=4_096) == 0
    os.close(fd)


async def test_trimmed_bytes_are_gone_after_a_clean_end(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        waiting = [append(store, "s", line(seq, text=f"Salamander {seq} " * 40)) for seq in range(1, 50)]
        assert not any(await asyncio.gather(*waiting))
        await store.trim("s", line=line(40, text="short"), seq=40, state=b"state")
    assert holds(tmp_path, b"Salamander 7 ") == []
    assert holds(tmp_path, b"Salamander 41 ") != []


async def test_removal_says_when_bytes_stay(tmp_path: Path) -> None:
    """Another program that reads keeps the WAL alive: that is an error, and asking again finishes it."""
    async with opened(tmp_path, busy_ms=1) as store:
        assert await append(store, "s", line(1, text="Salamander")) is None
        await store.save_snapshot("s", seq=1, state=b"state")
        other = apsw.Connection(str(tmp_path / "duologue.db"))
        run(other, "BEGIN")
        run(other, "SELECT count(*) FROM sessions")
        with pytest.raises(StoreError, match="delete again"):
            await store.delete_session("s")
        assert await store.info("s") is None
        assert holds(tmp_path, b"Salamander") != []
        run(other, "ROLLBACK")
        other.close()
        assert await store.delete_session("s") is False
        assert holds(tmp_path, b"Salamander") == []


# ---- kill -9

_CHILD = """
import asyncio, sys
from pathlib import Path
from duologue.adapters.store_sqlite import SqliteStore, bounds
from duologue.testing.store_content import append, line

async def main(folder, durability):
    bounds.SPOOL_BYTES = 30_000
    store = SqliteStore(Path(folder), durability=durability)
    await store.open()
    seq = 0
    while True:
        seq += 1
        def told(error, name):
            assert error is None
            print(name, seq, flush=True)
        names = [f"s{n}" for n in range(8)]
        await asyncio.gather(*[
            append(store, n, line(seq), told=lambda error, n=n: told(error, n)) for n in names
        ])

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize("durability", ["process", "power"])
async def test_all_that_was_acknowledged_survives_kill_9(tmp_path: Path, durability: str) -> None:
    # Its answers are read one by one as they come; nothing else runs in this loop.
    child = subprocess.Popen(  # noqa: ASYNC220
        [sys.executable, "-c", _CHILD, str(tmp_path), durability], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    acknowledged: dict[str, int] = {}
    for count, said in enumerate(child.stdout):
        if not said.endswith("\n"):
            break
        name, seq = said.split()
        acknowledged[name] = int(seq)
        if count == 800:
            child.send_signal(signal.SIGKILL)
    child.stdout.close()
    assert child.wait() == -signal.SIGKILL
    assert min(acknowledged.values()) >= 99
    async with opened(tmp_path) as store:
        for name, seq in acknowledged.items():
            loaded = await store.load(name)
            assert loaded is not None
            assert loaded.info.last_seq >= seq
            assert numbers(loaded.lines) == list(range(1, loaded.info.last_seq + 1))
            assert await append(store, name, line(loaded.info.last_seq + 1)) is None


# ---- cutting lines


def test_cutting_lines() -> None:
    records = [line(4), line(5, 7), line(8)]
    whole = b"".join(records)
    assert beginning_after(whole, 3) == whole
    assert beginning_after(whole, 4) == records[1] + records[2]
    assert beginning_after(whole, 6) == records[2]
    assert beginning_after(whole, 8) == b""
    assert window(whole, after=5, limit=2) == records[1]
    assert window(whole, after=5, limit=3) == records[1] + records[2]
    assert window(whole, after=0, limit=1) == records[0]
    assert chunks(whole, 1) == [(4, 4, records[0]), (5, 7, records[1]), (8, 8, records[2])]
    assert chunks(whole, 10_000) == [(4, 8, whole)]
    assert chunks(b"", 1) == []


@pytest.mark.parametrize("seed", range(20))
def test_joined_rows_hold_every_record_once(tmp_path: Path, seed: int) -> None:
    """In order, each row some tens of events, and none larger than a row may be unless one record alone is."""
    chance = random.Random(seed)
    spool = Spool(tmp_path / SPOOL_NAME, token=b"t" * 16)
    places: list[Place] = []
    records: list[tuple[int, int, bytes]] = []
    last = 0
    for _ in range(chance.randint(1, 150)):
        first, last = last + 1, last + chance.choice((1, 1, 1, 2, 70))
        payload = chance.randbytes(chance.choice((200, 200, 200, 3_000, 70_000)))
        place = spool.write(7, first, last, payload)
        assert place is not None
        places.append((last, place))
        records.append((first, last, payload))
    begin = chance.randrange(len(records))
    rows = spool.joined(places, above=records[begin][0] - 1)
    spool.close()
    assert b"".join(lines for _, _, lines in rows) == b"".join(lines for _, _, lines in records[begin:])
    assert [first for first, _, _ in rows] == [records[begin][0], *(last + 1 for _, last, _ in rows[:-1])]
    assert rows[-1][1] == last
    assert all(len(row[2]) <= bounds.ROW_BYTES or row in records for row in rows)
