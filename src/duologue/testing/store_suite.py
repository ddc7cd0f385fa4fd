"""The suite of the port `Store`: what every store must do, as async checks.

@pytest.mark.parametrize("check", STORE_CHECKS, ids=lambda check: check.__name__)
async def test_store(check, tmp_path):
    await check(lambda: MyStore(tmp_path))
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeAlias

from duologue.model.errors import StoreConflict, StoreError
from duologue.ports.store import Place, SessionInfo, SessionMark, Store
from duologue.testing.store_content import MARK, append, fill, line, numbers, upload

StoreFactory: TypeAlias = Callable[[], Store]
"""Makes a store that is not open; each one it makes stands for the same place, which was empty at first."""

StoreCheck: TypeAlias = Callable[[StoreFactory], Awaitable[None]]


async def check_stores_and_loads(make: StoreFactory) -> None:
    """What was handed in comes back byte for byte, from this store and from the next one."""
    store = make()
    await store.open()
    lines = line(1) + line(2, 4) + line(5)
    assert await append(store, "s", lines, at_ms=7) is None
    assert await append(store, "s", line(6), at_ms=9) is None
    for again in (False, True):
        if again:
            await store.close()
            store = make()
            await store.open()
        loaded = await store.load("s")
        assert loaded is not None
        assert loaded.lines == lines + line(6)
        assert (loaded.snapshot, loaded.snapshot_seq) == (None, 0)
        assert loaded.info == SessionInfo(
            session_id="s", mark=MARK, first_seq=1, last_seq=6, epoch=0, created_ms=7, updated_ms=7
        )
        assert await store.info("s") == loaded.info
    assert await store.load("t") is None
    assert await store.info("t") is None
    assert await store.read("t", after=0, limit=9) == b""
    await store.close()


async def check_done_in_order(make: StoreFactory) -> None:
    """Each append is told of once, in a session's order."""
    store = make()
    await store.open()
    told: list[tuple[str, int]] = []
    waiting: list[asyncio.Future[StoreError | None]] = []
    for seq in range(1, 21):
        for name in ("a", "b", "c"):
            # What was durable at once is told by `append` of this suite; a store that called `done` as well would
            # set the future twice.
            waiting.append(append(store, name, line(seq), told=lambda _, name=name, seq=seq: told.append((name, seq))))
    assert not any(await asyncio.gather(*waiting))
    for name in ("a", "b", "c"):
        assert [seq for other, seq in told if other == name] == list(range(1, 21))
    await store.close()


async def check_close_stores(make: StoreFactory) -> None:
    """`close` stores what was handed in, and tells; closing again does no harm, and appends then fail."""
    store = make()
    await store.open()
    first = append(store, "s", line(1))
    await store.close()
    await store.close()
    assert first.done()
    assert first.result() is None
    assert isinstance(await append(store, "s", line(2)), StoreError)
    await _raises(store.info("s"), StoreError)
    store = make()
    await store.open()
    info = await store.info("s")
    assert info is not None
    assert info.last_seq == 1
    await store.close()


async def check_fence(make: StoreFactory) -> None:
    """An append that does not follow is refused and disturbs no other session; a new try then works."""
    store = make()
    await store.open()
    await fill(store, "s", 5)
    stale = append(store, "s", line(5))
    # It would fit, but it was handed in behind one that failed.
    behind = append(store, "s", line(6))
    gap = append(store, "t", line(2), mark=MARK)
    other = append(store, "u", line(1))
    assert isinstance(await stale, StoreConflict)
    assert isinstance(await behind, StoreError)
    assert isinstance(await gap, StoreConflict)
    assert await other is None
    assert isinstance(await append(store, "s", line(7)), StoreConflict)
    assert await append(store, "s", line(6)) is None
    assert await append(store, "t", line(1)) is None
    assert isinstance(await append(store, "t", line(1)), StoreConflict)
    loaded = await store.load("s")
    assert loaded is not None
    assert numbers(loaded.lines) == [1, 2, 3, 4, 5, 6]
    await store.close()


async def check_retry_from_done(make: StoreFactory) -> None:
    """Whoever was told of a failure may hand in anew at once; what was handed in before still fails."""
    store = make()
    await store.open()
    await fill(store, "s", 1)
    results: list[asyncio.Future[StoreError | None]] = []

    def retry(error: StoreError | None) -> None:
        assert error is not None
        results.append(append(store, "s", line(2)))

    first = append(store, "s", line(3), told=retry)
    later = append(store, "s", line(4))
    assert isinstance(await first, StoreConflict)
    assert isinstance(await later, StoreError)
    assert await results[0] is None
    await store.close()


async def check_read(make: StoreFactory) -> None:
    """`read` gives whole records, from the one with the next event to the one that reaches the limit."""
    store = make()
    await store.open()
    records = [line(1), line(2, 4), line(5), line(6, 9), line(10)]
    waiting = [append(store, "s", b"".join(records[:3])), append(store, "s", records[3] + records[4])]
    assert not any(await asyncio.gather(*waiting))
    for after in range(12):
        for limit in range(1, 12):
            read = await store.read("s", after=after, limit=limit)
            assert read == _expected(records, after, limit), (after, limit)
    await store.close()


async def check_marks(make: StoreFactory) -> None:
    """The latest mark counts; only a change of it changes `updated_ms`."""
    store = make()
    await store.open()
    await fill(store, "s", 1, at_ms=10)
    await fill(store, "t", 1, at_ms=11)
    opened = SessionMark(subject="ann", agent="echo", title="Hello 👋", turns=1, open_turn=True)
    waiting = [
        append(store, "s", line(2), at_ms=20, mark=opened),
        append(store, "s", line(3), at_ms=30),
    ]
    assert not any(await asyncio.gather(*waiting))
    info = await store.info("s")
    assert info is not None
    assert (info.mark, info.created_ms, info.updated_ms, info.last_seq) == (opened, 10, 20, 3)
    assert list(await store.interrupted()) == ["s"]
    assert await append(store, "s", line(4), at_ms=40, mark=MARK) is None
    assert list(await store.interrupted()) == []
    await store.close()


async def check_list(make: StoreFactory) -> None:
    """The list is sorted by change, and can be narrowed to a person, a time and a length."""
    store = make()
    await store.open()
    for at, (name, subject) in enumerate([("a", "ann"), ("b", "bob"), ("c", "ann"), ("d", "ann")], start=1):
        await fill(store, name, at, mark=SessionMark(subject=subject, agent="echo"), at_ms=at * 10)
    assert [(info.session_id, info.last_seq) for info in await store.list_sessions()] == [
        ("d", 4),
        ("c", 3),
        ("b", 2),
        ("a", 1),
    ]
    assert _ids(await store.list_sessions(subject="ann")) == ["d", "c", "a"]
    assert _ids(await store.list_sessions(subject="ann", before_ms=40)) == ["c", "a"]
    assert _ids(await store.list_sessions(before_ms=30, limit=1)) == ["b"]
    assert _ids(await store.list_sessions(subject="zoe")) == []
    await store.close()


async def check_pages(make: StoreFactory) -> None:
    """Pages that go on after a place lose nobody, also among sessions of one ms and after one that is gone."""
    store = make()
    await store.open()
    for at, name in enumerate(["b", "a", "é", "d", "Z", "c"]):
        await fill(store, name, 1, at_ms=10 + at // 4)
    whole = _ids(await store.list_sessions())
    assert whole == ["c", "Z", "é", "d", "b", "a"]
    for size in (1, 2, 4):
        seen: list[str] = []
        after = None
        while page := await store.list_sessions(after=after, limit=size):
            assert len(page) <= size
            seen += _ids(page)
            after = Place(updated_ms=page[-1].updated_ms, session_id=page[-1].session_id)
        assert seen == whole
    await store.delete_session("d")
    assert _ids(await store.list_sessions(after=Place(updated_ms=10, session_id="d"))) == ["b", "a"]
    await store.close()


async def check_standing(make: StoreFactory) -> None:
    """The list can be narrowed to how sessions stand."""
    store = make()
    await store.open()
    marks = {
        "a": SessionMark(subject="ann", agent="echo"),
        "b": SessionMark(subject="ann", agent="echo", open_turn=True),
        "c": SessionMark(subject="ann", agent="echo", ended=True),
        "d": SessionMark(subject="bob", agent="echo"),
    }
    for name, mark in marks.items():
        await fill(store, name, 1, mark=mark)
    assert _ids(await store.list_sessions(standing="open")) == ["d", "a"]
    assert _ids(await store.list_sessions(standing="answering")) == ["b"]
    assert _ids(await store.list_sessions(standing="ended")) == ["c"]
    after = Place(updated_ms=1_000, session_id="d")
    assert _ids(await store.list_sessions(standing="open", subject="ann", after=after)) == ["a"]
    await store.close()


async def check_snapshot(make: StoreFactory) -> None:
    """A load gives the newest snapshot and only the records after it."""
    store = make()
    await store.open()
    assert await append(store, "s", line(1) + line(2, 3) + line(4)) is None
    assert await append(store, "s", line(5)) is None
    await store.save_snapshot("s", seq=3, state=b"three")
    loaded = await store.load("s")
    assert loaded is not None
    assert (loaded.snapshot, loaded.snapshot_seq, loaded.lines) == (b"three", 3, line(4) + line(5))
    await store.save_snapshot("s", seq=5, state=b"five")
    await store.save_snapshot("s", seq=4, state=b"late")
    loaded = await store.load("s")
    assert loaded is not None
    assert (loaded.snapshot, loaded.snapshot_seq, loaded.lines) == (b"five", 5, b"")
    await _raises(store.save_snapshot("s", seq=6, state=b"ahead"), StoreConflict)
    await _raises(store.save_snapshot("t", seq=1, state=b"nobody"), StoreConflict)
    # Behind an append it comes after it.
    waiting = append(store, "s", line(6))
    await store.save_snapshot("s", seq=6, state=b"six")
    assert await waiting is None
    await store.close()


async def check_trim(make: StoreFactory) -> None:
    """A trim leaves one record in the place of all up to its number, wherever that lies."""
    store = make()
    await store.open()
    assert await append(store, "s", line(1) + line(2, 3) + line(4) + line(5)) is None
    assert await append(store, "s", line(6)) is None
    await _raises(store.trim("s", line=line(2), seq=2, state=b"no"), StoreError)
    await _raises(store.trim("s", line=line(7), seq=7, state=b"no"), StoreConflict)
    await _raises(store.trim("t", line=line(1), seq=1, state=b"no"), StoreConflict)
    untouched = await store.load("s")
    assert untouched is not None
    assert (numbers(untouched.lines), untouched.info.epoch) == ([1, 2, 3, 4, 5, 6], 0)
    for epoch, seq in enumerate((3, 4, 6), start=1):
        short = line(seq, text="trimmed")
        await store.trim("s", line=short, seq=seq, state=b"state %d" % seq)
        loaded = await store.load("s")
        assert loaded is not None
        assert (loaded.snapshot, loaded.snapshot_seq) == (b"state %d" % seq, seq)
        assert numbers(loaded.lines) == list(range(seq + 1, 7))
        assert (loaded.info.first_seq, loaded.info.last_seq, loaded.info.epoch) == (seq, 6, epoch)
        read = await store.read("s", after=0, limit=99)
        assert read.startswith(short)
        assert numbers(read) == list(range(seq, 7))
        assert numbers(await store.read("s", after=0, limit=2)) == list(range(seq, 7))[:2]
    await _raises(store.trim("s", line=line(2), seq=2, state=b"no"), StoreError)
    assert await append(store, "s", line(7)) is None
    assert numbers(await store.read("s", after=6, limit=9)) == [7]
    await store.close()


async def check_delete_session(make: StoreFactory) -> None:
    """A deleted session is gone with its uploads, others stay, and its id is free again."""
    store = make()
    await store.open()
    await fill(store, "s", 3)
    await fill(store, "t", 2)
    await store.save_snapshot("s", seq=2, state=b"state")
    await store.put_blob(upload("u1", session_id="s"))
    await store.put_blob(upload("u2", session_id="t"))
    waiting = append(store, "s", line(4))
    assert await store.delete_session("s") is True
    assert await waiting is None
    assert await store.delete_session("s") is False
    assert await store.load("s") is None
    assert await store.get_blob("u1") is None
    assert await store.get_blob("u2") is not None
    assert isinstance(await append(store, "s", line(5)), StoreConflict)
    await fill(store, "s", 1)
    loaded = await store.load("s")
    assert loaded is not None
    assert (loaded.lines, loaded.snapshot) == (line(1), None)
    assert numbers(await store.read("t", after=0, limit=9)) == [1, 2]
    await store.close()


async def check_delete_subject(make: StoreFactory) -> None:
    """All of a person goes, also uploads that belong to no session; nothing of others does."""
    store = make()
    await store.open()
    await fill(store, "s", 2)
    await fill(store, "t", 2)
    await fill(store, "u", 2, mark=SessionMark(subject="bob", agent="echo"))
    await store.put_blob(upload("u1"))
    await store.put_blob(upload("u2", subject="bob"))
    assert sorted(await store.delete_subject("ann")) == ["s", "t"]
    assert list(await store.delete_subject("ann")) == []
    assert _ids(await store.list_sessions()) == ["u"]
    assert await store.get_blob("u1") is None
    assert await store.get_blob("u2") is not None
    await store.close()


async def check_import(make: StoreFactory) -> None:
    """An imported session is as it was, can go on, and never replaces one."""
    store = make()
    await store.open()
    mark = SessionMark(subject="ann", agent="echo", turns=2, open_turn=True)
    info = SessionInfo(session_id="s", mark=mark, first_seq=4, last_seq=9, epoch=2, created_ms=10, updated_ms=20)
    lines = line(4) + line(5, 7) + line(8, 9)
    await _raises(store.import_session(info, lines=line(4), state=b"state"), StoreError)
    await _raises(store.import_session(info, lines=b"{}\n", state=b"state"), StoreError)
    assert await store.info("s") is None
    await store.import_session(info, lines=lines, state=b"state")
    loaded = await store.load("s")
    assert loaded is not None
    assert (loaded.info, loaded.snapshot, loaded.snapshot_seq, loaded.lines) == (info, b"state", 9, b"")
    assert await store.read("s", after=0, limit=99) == lines
    await _raises(store.import_session(info, lines=lines, state=b"other"), StoreConflict)
    assert await append(store, "s", line(10)) is None
    loaded = await store.load("s")
    assert loaded is not None
    assert (loaded.snapshot, loaded.lines) == (b"state", line(10))
    await store.close()


async def check_blobs(make: StoreFactory) -> None:
    """An upload comes back as it was; the first of an id stays."""
    store = make()
    await store.open()
    blob = upload("u1", session_id="s", data=bytes(range(256)))
    await store.put_blob(blob)
    await store.put_blob(upload("u1", data=b"other"))
    assert await store.get_blob("u1") == blob
    assert await store.get_blob("u2") is None
    await store.close()


async def check_many(make: StoreFactory) -> None:
    """Many sessions at once, with reads and snapshots between, stay whole and apart."""
    store = make()
    await store.open()
    names = [f"s{number}" for number in range(40)]
    for begin in range(1, 201, 50):
        waiting = [append(store, name, line(seq, text=name)) for seq in range(begin, begin + 50) for name in names]
        assert not any(await asyncio.gather(*waiting))
        await store.save_snapshot(names[begin % 40], seq=begin, state=b"%d" % begin)
    for name in names:
        loaded = await store.load(name)
        assert loaded is not None
        assert numbers(loaded.lines) == list(range(loaded.snapshot_seq + 1, 201))
        whole = b"".join(line(seq, text=name) for seq in range(1, 201))
        assert await store.read(name, after=0, limit=1_000) == whole
        assert numbers(await store.read(name, after=77, limit=30)) == list(range(78, 108))
    await store.close()


STORE_CHECKS: Final[tuple[StoreCheck, ...]] = (
    check_stores_and_loads,
    check_done_in_order,
    check_close_stores,
    check_fence,
    check_retry_from_done,
    check_read,
    check_marks,
    check_list,
    check_pages,
    check_standing,
    check_snapshot,
    check_trim,
    check_delete_session,
    check_delete_subject,
    check_import,
    check_blobs,
    check_many,
)
"""All checks; each wants an empty place of its own."""


def _expected(records: Sequence[bytes], after: int, limit: int) -> bytes:
    held = b""
    for record in records:
        if numbers(record)[-1] > after:
            held += record
        if len([seq for seq in numbers(held) if seq > after]) >= limit:
            break
    return held


def _ids(infos: Sequence[SessionInfo]) -> list[str]:
    return [info.session_id for info in infos]


async def _raises(call: Awaitable[object], kind: type[StoreError]) -> None:
    try:
        await call
    except kind:
        return
    raise AssertionError(f"it should have raised {kind.__name__}")
