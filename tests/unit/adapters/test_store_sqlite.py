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
from duologue.adapters.store_sqlite.schema import Cell, run
from duologue.adapters.store_sqlite.scrub import zero_gaps
from duologue.model import limits
from duologue.model.errors import StoreConflict, StoreError
from duologue.ports.store import SessionMark
from duologue.testing.store_suite import append, fill, line, numbers, upload

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


# ---- groups


async def test_appends_of_a_session_in_one_group_become_one_row(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await fill(store, "s", 1)
        waiting = [append(store, name, line(seq)) for seq in (2, 3, 4) for name in ("s",)]
        waiting += [append(store, "t", line(seq)) for seq in (1, 2)]
        assert not any(await asyncio.gather(*waiting))
        copy = apsw.Connection(str(tmp_path / "duologue.db"), flags=apsw.SQLITE_OPEN_READONLY)
        rows = run(copy, "SELECT key & 4294967295, events FROM recent ORDER BY pos")
        copy.close()
        assert rows == [(1, 1), (2, 3), (1, 2)]
    # A clean end leaves all of it in the journal, a session's events together.
    assert query(tmp_path, "SELECT count(*) FROM recent") == [(0,)]
    assert query(tmp_path, "SELECT key & 4294967295, events FROM journal ORDER BY key") == [(1, 4), (1, 2)]


async def test_a_group_larger_than_one_insert(tmp_path: Path) -> None:
    count = 3 * bounds.ROWS_PER_INSERT + 5
    async with opened(tmp_path) as store:
        for seq in (1, 2):
            waiting = [append(store, f"s{number}", line(seq)) for number in range(count)]
            assert not any(await asyncio.gather(*waiting))
        infos = await store.list_sessions(limit=1_000)
        assert [info.last_seq for info in infos] == [2] * count


async def test_more_than_one_group_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "GROUP_APPENDS", 7)
    monkeypatch.setattr(limits, "COMMIT_WINDOW_MS", 0)
    async with opened(tmp_path) as store:
        await fill(store, "s", 60)
        loaded = await store.load("s")
        assert loaded is not None
        assert numbers(loaded.lines) == list(range(1, 61))


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


async def test_full_disk(tmp_path: Path) -> None:
    """SQLite itself reports it; nothing of the group is stored, and it goes on when there is room."""
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
        # A whole group goes, small ones in it too, and the session of none is harmed.
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
        with pytest.raises(StoreError, match="Free space"):
            await store.put_blob(upload("u", data=b"x" * 100_000))
        assert await store.delete_session("s") is True
        assert await append(store, "other", line(2, text=big)) is None
        await fill(store, "s", 5)
    async with opened(tmp_path) as store:
        assert [info.last_seq for info in await store.list_sessions()] == [5, 2]


async def test_rows_that_cannot_be_moved_stay_readable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When moving fails for long, appends fail rather than pile up; nothing that was acknowledged is lost."""
    monkeypatch.setattr(bounds, "RECENT_BYTES", 2_000)
    async with opened(tmp_path) as store:
        await fill(store, "s", 2)
    query(tmp_path, "CREATE TRIGGER stuck BEFORE INSERT ON journal BEGIN SELECT raise(ABORT, 'no'); END")
    async with opened(tmp_path) as store:
        stored = 2
        while (error := await append(store, "s", line(stored + 1))) is None:
            stored += 1
        assert isinstance(error, StoreError)
        assert stored >= 2 + 4 * bounds.RECENT_BYTES // len(line(stored))
    query(tmp_path, "DROP TRIGGER stuck")
    async with opened(tmp_path) as store:
        assert await append(store, "s", line(stored + 1)) is None
        loaded = await store.load("s")
        assert loaded is not None
        assert numbers(loaded.lines) == list(range(1, stored + 2))


async def test_database_held_by_another_program(tmp_path: Path) -> None:
    async with opened(tmp_path, busy_ms=1) as store:
        await fill(store, "s", 1)
        other = apsw.Connection(str(tmp_path / "duologue.db"))
        run(other, "BEGIN IMMEDIATE")
        error = await append(store, "s", line(2))
        assert "Another program" in str(error)
        with pytest.raises(StoreError, match="Another program"):
            await store.save_snapshot("s", seq=1, state=b"state")
        run(other, "ROLLBACK")
        other.close()
        assert await append(store, "s", line(2)) is None


# ---- removal


# Without `zero_gaps` seed 7 fails.
@pytest.mark.parametrize("seed", [7, 8, 9])
async def test_removed_bytes_are_in_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Pages were split and joined in between; no copy of a removed text may lie in their gaps."""
    monkeypatch.setattr(bounds, "RECENT_BYTES", 20_000)
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
from duologue.testing.store_suite import append, line

async def main(folder, durability):
    bounds.RECENT_BYTES = 30_000
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
