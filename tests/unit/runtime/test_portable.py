"""A session that is exported and imported is the same session; a damaged file is refused with the line."""

import asyncio
import hashlib
from collections.abc import Callable, Sequence

import msgspec
import pytest

from duologue.engine import replay
from duologue.engine.state import SessionState
from duologue.engine.step import step
from duologue.model import limits
from duologue.model.content import Attachment
from duologue.model.errors import StoreConflict, StoreError
from duologue.model.events import HistoryTrimmed
from duologue.model.inputs import (
    AgentFinished,
    AgentSpoke,
    AnyInput,
    HistoryDropped,
    SessionOpened,
    UserTurn,
)
from duologue.model.records import Record, encode_record
from duologue.ports.store import Append, Blob
from duologue.runtime.portable import PortableError, export_session, mark_of, read_session, store_session
from duologue.testing.memory_store import MemoryStore

pytestmark = pytest.mark.anyio

PHOTO = b"a photo"
ATTACHMENT = Attachment(
    upload_id="upload-1",
    name="a.jpg",
    media_type="image/jpeg",
    size_bytes=len(PHOTO),
    sha256=hashlib.sha256(PHOTO).hexdigest(),
)
OPENED = SessionOpened(session_id="s", subject="ada", agent="a", silence_ms=1_000, response_ms=10_000)
FIRST_TURN: Sequence[AnyInput] = (
    UserTurn(text="look", attachments=(ATTACHMENT,)),
    AgentSpoke(response_id="response-1", text="I "),
    AgentSpoke(response_id="response-1", text="see."),
    AgentFinished(response_id="response-1"),
)
SECOND_TURN: Sequence[AnyInput] = (
    UserTurn(text="and now?", attachments=(ATTACHMENT,)),
    AgentSpoke(response_id="response-2", text="Nothing new."),
)


class Teller:
    """Steps the engine into a store."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.state = SessionState()
        self.now_ms = 1_000

    async def tell(self, *inputs: AnyInput) -> None:
        for given in inputs:
            self.now_ms += 10
            stored: asyncio.Future[StoreError | None] = asyncio.get_running_loop().create_future()
            events = step(self.state, given, now_ms=self.now_ms).events
            self.store.append(
                Append(
                    session_id="s",
                    lines=encode_record(Record(at_ms=self.now_ms, input=given, events=events)),
                    first_seq=events[0].seq,
                    last_seq=events[-1].seq,
                    at_ms=self.now_ms,
                    mark=mark_of(self.state),
                    done=stored.set_result,
                )
            )
            assert await stored is None

    async def trim(self) -> None:
        seq, state = self.state.seq, replay.snapshot(self.state)
        stands_in = HistoryTrimmed(
            seq=seq, at_ms=self.now_ms, state="idle", epoch=1, messages=tuple(self.state.history)
        )
        line = encode_record(Record(at_ms=self.now_ms, input=HistoryDropped(), events=(stands_in,)))
        await self.store.trim("s", line=line, seq=seq, state=state)


async def told(*, trimmed: bool = False) -> Teller:
    """Give a session of two turns, the second one not yet answered."""
    teller = Teller()
    await teller.store.open()
    await teller.store.put_blob(Blob(attachment=ATTACHMENT, subject="ada", session_id="", at_ms=5, data=PHOTO))
    await teller.tell(OPENED, *FIRST_TURN)
    if trimmed:
        await teller.trim()
    await teller.tell(*SECOND_TURN)
    return teller


async def exported(teller: Teller) -> bytes:
    return b"".join([lines async for lines in export_session(teller.store, "s")])


@pytest.mark.parametrize("trimmed", [False, True])
async def test_what_is_imported_is_what_was_exported(trimmed: bool) -> None:
    teller = await told(trimmed=trimmed)
    file = await exported(teller)
    store = MemoryStore()
    await store.open()
    await store_session(store, await read_session(file.splitlines(keepends=True)))
    assert await store.info("s") == await teller.store.info("s")
    assert await store.read("s", after=0, limit=10_000) == await teller.store.read("s", after=0, limit=10_000)
    assert await store.interrupted() == ["s"]
    assert await store.get_blob("upload-1") == await teller.store.get_blob("upload-1")
    loaded = await store.load("s")
    assert loaded is not None and loaded.snapshot == replay.snapshot(teller.state)
    assert b"".join([lines async for lines in export_session(store, "s")]).splitlines()[1:] == (file.splitlines()[1:])


async def test_a_later_snapshot_of_a_trimmed_session_is_carried_over() -> None:
    teller = await told(trimmed=True)
    await teller.store.save_snapshot("s", seq=teller.state.seq, state=replay.snapshot(teller.state))
    await teller.tell(AgentFinished(response_id="response-2"))
    imported = await read_session((await exported(teller)).splitlines())
    assert imported.state == replay.snapshot(teller.state)
    assert imported.info.first_seq > 1


async def test_windows_line_ends_do_no_harm() -> None:
    teller = await told()
    file = await exported(teller)
    imported = await read_session(file.replace(b"\n", b"\r\n").split(b"\n")[:-1])
    assert imported.lines == await teller.store.read("s", after=0, limit=10_000)


async def test_a_session_that_is_not_there_gives_nothing() -> None:
    store = MemoryStore()
    await store.open()
    assert [lines async for lines in export_session(store, "nobody")] == []


async def test_an_upload_that_was_removed_is_told_as_missing() -> None:
    teller = Teller()
    await teller.store.open()
    await teller.tell(OPENED, *FIRST_TURN)
    file = await exported(teller)
    assert msgspec.json.decode(file.splitlines()[-1])["data"] is None
    assert (await read_session(file.splitlines())).blobs == ()


async def test_a_trim_during_the_export_is_noticed() -> None:
    teller = await told()
    lines = export_session(teller.store, "s")
    await anext(lines)
    await teller.tell(AgentFinished(response_id="response-2"))
    await teller.trim()
    with pytest.raises(StoreConflict, match="Export it again"):
        await anext(lines)


async def test_what_comes_during_the_export_is_left_out() -> None:
    teller = await told()
    before = await exported(teller)
    lines = export_session(teller.store, "s")
    head = await anext(lines)
    await teller.tell(AgentFinished(response_id="response-2"))
    assert head + b"".join([line async for line in lines]) == before


async def test_a_session_that_exists_is_not_replaced() -> None:
    teller = await told()
    imported = await read_session((await exported(teller)).splitlines())
    with pytest.raises(StoreConflict, match="Delete it first"):
        await store_session(teller.store, imported)


async def test_a_store_that_fails_says_so() -> None:
    teller = await told()
    imported = await read_session((await exported(teller)).splitlines())
    with pytest.raises(StoreError):
        await store_session(MemoryStore(), imported)


Lines = list[bytes]
Damage = Callable[[Lines], Lines]
Case = tuple[Damage, int, str]


def without(number: int) -> Damage:
    return lambda lines: lines[: number - 1] + lines[number:]


def up_to(number: int) -> Damage:
    return lambda lines: lines[:number]


def twice(number: int) -> Damage:
    return lambda lines: [*lines[:number], lines[number - 1], *lines[number:]]


def empty_before(number: int) -> Damage:
    return lambda lines: [*lines[: number - 1], b"", *lines[number - 1 :]]


def changed(number: int, old: bytes, new: bytes) -> Damage:
    def change(lines: Lines) -> Lines:
        assert old in lines[number - 1], lines[number - 1]
        return [*lines[: number - 1], lines[number - 1].replace(old, new), *lines[number:]]

    return change


# An untrimmed file: 1 header, 2 opened, 3 turn, 4 and 5 text, 6 finished, 7 turn, 8 text, 9 upload.
WHOLE: list[Case] = [
    (up_to(0), 1, "empty"),
    (without(1), 1, "damaged"),
    (changed(1, b'"version":1', b'"version":2'), 1, "version 2"),
    (changed(1, b'"duologue":"session"', b'"duologue":"people"'), 1, "damaged"),
    (changed(1, b'"session_id":"s"', b'"session_id":""'), 1, "1 to 128"),
    (changed(1, b'"session_id":"s"', b'"session_id":"t"'), 1, "another session"),
    (changed(1, b'"first_seq":1', b'"first_seq":2'), 1, "trimmed session needs"),
    (changed(1, b'"first_seq":1', b'"first_seq":0'), 1, "do not fit"),
    (without(2), 2, "event 1 has to follow"),
    (without(4), 4, "has to follow"),
    (twice(4), 5, "has to follow"),
    (changed(5, b"{", b""), 5, "damaged"),
    (changed(5, b"see.", b"\xff"), 5, "damaged"),
    (changed(5, b'"text_delta"', b'"text_sung"'), 5, "damaged"),
    (changed(5, b'"text_delta"', b'"text_started","tier":"reflex"'), 5, "damaged"),
    (changed(4, b'"agent_spoke"', b'"agent_sang"'), 4, "damaged"),
    (
        changed(4, b'"input":{"kind":"agent_spoke"', b'"input":{"kind":"deadline_passed"'),
        4,
        "does not follow",
    ),
    (empty_before(5), 5, "is empty"),
    (up_to(5), 6, "the file ends after event"),
    (up_to(8), 9, "0 of 1 uploads"),
    (twice(9), 10, "nothing may follow"),
    (changed(9, b'"upload_id":"upload-1"', b'"upload_id":"upload-2"'), 9, "has to follow"),
    (changed(9, b'"data":"YS', b'"data":"YT'), 9, "not the ones"),
    (changed(9, b'"data":"YS', b'"data":"?S'), 9, "no base64"),
]


@pytest.mark.parametrize(("damage", "line", "words"), WHOLE)
async def test_a_damaged_file_is_refused_with_the_line(damage: Damage, line: int, words: str) -> None:
    lines = (await exported(await told())).splitlines()
    assert len(lines) == 9
    with pytest.raises(PortableError, match=words) as caught:
        await read_session(damage(lines))
    assert caught.value.line == line
    assert str(caught.value).startswith(f"line {line}: ")


# A trimmed file: 1 header, 2 what stands for the rest, 3 turn, 4 text, 5 upload.
TRIMMED: list[Case] = [
    (changed(1, b'"snapshot_seq":', b'"snapshot_sea":'), 1, "trimmed session needs"),
    (changed(1, b'"last_turn":1', b'"last_turn":"1"'), 1, "damaged"),
    (changed(2, b'"kind":"history_trimmed"', b'"kind":"session_ended","reason":"x"'), 2, "has to begin with"),
    (without(2), 2, "has to follow"),
    (without(3), 3, "has to follow"),
]


@pytest.mark.parametrize(("damage", "line", "words"), TRIMMED)
async def test_a_damaged_file_of_a_trimmed_session_is_refused(damage: Damage, line: int, words: str) -> None:
    lines = (await exported(await told(trimmed=True))).splitlines()
    assert len(lines) == 5
    with pytest.raises(PortableError, match=words) as caught:
        await read_session(damage(lines))
    assert caught.value.line == line


async def test_a_large_upload_is_checked_like_a_small_one() -> None:
    data = bytes(range(256)) * (limits.UPLOAD_BYTES // 256)
    large = msgspec.structs.replace(ATTACHMENT, size_bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
    teller = Teller()
    await teller.store.open()
    await teller.store.put_blob(Blob(attachment=large, subject="ada", session_id="s", at_ms=5, data=data))
    await teller.tell(OPENED, UserTurn(text="look", attachments=(large,)))
    imported = await read_session((await exported(teller)).splitlines())
    assert imported.blobs[0].data == data
