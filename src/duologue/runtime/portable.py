"""A session as a file: JSON lines that hold all of it, and the check of such a file before it is stored.

The first line is a header (`Header`). Then come the records from `first_seq` to `last_seq`, as they are
stored. Then, in the order in which the records first name them, the uploads (`UploadLine`).
"""

import asyncio
import base64
import binascii
import hashlib
from collections.abc import AsyncGenerator, Iterable, Iterator
from typing import Final, Literal, NoReturn

import msgspec

from duologue.engine import replay
from duologue.engine.resuming import unfinished
from duologue.engine.state import SessionState
from duologue.model import limits
from duologue.model.base import Value
from duologue.model.content import Attachment, PhotoObservation
from duologue.model.errors import DuologueError, StoreConflict
from duologue.model.events import AnyEvent, HistoryTrimmed, TurnAccepted
from duologue.model.records import Record, decode_events, decode_records, last_seq
from duologue.ports.store import Blob, SessionInfo, SessionMark, Store

VERSION: Final = 1

LINES_AT_ONCE: Final = 64
"""Lines checked before others get a turn: about 2 ms."""

LONG_LINE_BYTES: Final = 256 * 1024
"""Lines beyond this are checked in a thread: an upload of 8 MiB takes some 20 ms."""


class PortableError(DuologueError):
    """The file is not a whole session; the message names the line. Nothing was stored."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line


class Header(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The first line.

    Attributes:
        info: the session's row in the list.
        snapshot_seq: the event as of which `snapshot` is; 0 where the records begin at the beginning.
        snapshot: the state that stands for the records that retention removed.
    """

    duologue: Literal["session"]
    version: int
    info: SessionInfo
    snapshot_seq: int = 0
    snapshot: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class UploadLine(msgspec.Struct, frozen=True, kw_only=True):
    """One upload. `attachment` and `data` (base64) are `None` where it had been removed before."""

    upload_id: str
    attachment: Attachment | None
    session_id: str = ""
    at_ms: int = 0
    data: str | None


class Imported(Value, kw_only=True):
    """A file that was found whole; `store_session` stores it."""

    info: SessionInfo
    lines: bytes
    state: bytes
    blobs: tuple[Blob, ...]


_headers = msgspec.json.Decoder(Header)
_uploads = msgspec.json.Decoder(UploadLine)
_encode: Final = msgspec.json.Encoder().encode


async def export_session(store: Store, session_id: str) -> AsyncGenerator[bytes, None]:
    """Write a session as JSON lines, up to its last event as of now.

    Returns:
        Pieces of whole lines, the header first; nothing at all where there is no such session.
    Raises:
        StoreConflict: retention trimmed it meanwhile; begin again.
        StoreError: the store cannot read now.
    Cancellation: safe.
    """
    loaded = await store.load(session_id)
    if loaded is None:
        return
    info = loaded.info
    trimmed = info.first_seq > 1
    yield _line(
        Header(
            duologue="session",
            version=VERSION,
            info=info,
            snapshot_seq=loaded.snapshot_seq if trimmed else 0,
            snapshot=msgspec.UNSET if loaded.snapshot is None or not trimmed else msgspec.Raw(loaded.snapshot),
        )
    )
    named: dict[str, None] = {}
    async for lines in _records(store, info):
        named |= dict.fromkeys(_named_uploads(lines))
        yield lines
    for upload_id in named:
        yield _line(_upload_line(upload_id, await store.get_blob(upload_id)))


async def read_session(lines: Iterable[bytes]) -> Imported:
    """Check a file's lines, all of them, and bring them into the form in which they are stored.

    Raises:
        PortableError: something is damaged, missing or does not follow from what is before it.
    Cancellation: safe.
    """
    check = Check()
    for count, line in enumerate(lines, start=1):
        if len(line) > LONG_LINE_BYTES:
            await asyncio.to_thread(check.take, line)
        else:
            check.take(line)
        if count % LINES_AT_ONCE == 0:
            await asyncio.sleep(0)
    return check.done()


async def store_session(store: Store, imported: Imported) -> None:
    """Store a checked session, its uploads first.

    Raises:
        StoreConflict: a session of that id exists; it is unchanged.
        StoreError: the store cannot do it now; uploads may have been stored, and the same call again is safe.
    Cancellation: safe; as after a `StoreError`.
    """
    if await store.info(imported.info.session_id) is not None:
        raise StoreConflict("A session of this id exists. Delete it first, then import again.")
    for blob in imported.blobs:
        await store.put_blob(blob)
    await store.import_session(imported.info, lines=imported.lines, state=imported.state)


class Check:
    """Takes a file line by line and replays it. Pure: it stores and reads nothing."""

    def __init__(self) -> None:
        self._number = 0
        self._header: Header | None = None
        self._state = SessionState()
        self._last = 0
        self._lines: list[bytes] = []
        self._named: dict[str, None] = {}
        self._blobs: list[Blob] = []
        self._uploads = 0

    def take(self, line: bytes) -> None:
        """Take the next line, with or without its end.

        Raises:
            PortableError: it is not what has to follow.
        """
        self._number += 1
        line = line.rstrip(b"\r\n")
        try:
            if self._header is None:
                self._take_header(line)
            elif self._last < self._header.info.last_seq:
                self._take_record(self._header, line)
            else:
                self._take_upload(line)
        except msgspec.MsgspecError as error:
            self._refuse(f"is damaged: {error}", error)

    def done(self) -> Imported:
        """Finish after the last line.

        Raises:
            PortableError: lines are missing, or they lead to another state than the header says.
        """
        header = self._header
        if header is None:
            raise PortableError(1, "the file is empty")
        info = header.info
        if self._last < info.last_seq:
            raise PortableError(
                self._number + 1,
                f"the file ends after event {self._last} of {info.last_seq}; export it again",
            )
        if self._uploads < len(self._named):
            raise PortableError(
                self._number + 1,
                f"the file ends after {self._uploads} of {len(self._named)} uploads; export it again",
            )
        if (self._state.session_id, self._state.seq) != (info.session_id, info.last_seq):
            raise PortableError(1, "the header names another session than the records hold")
        return Imported(
            info=msgspec.structs.replace(info, mark=mark_of(self._state)),
            lines=b"".join(self._lines),
            state=replay.snapshot(self._state),
            blobs=tuple(self._blobs),
        )

    def _take_header(self, line: bytes) -> None:
        header = _headers.decode(line)
        info = header.info
        if header.version != VERSION:
            self._refuse(f"is of version {header.version}; this Duologue reads version {VERSION}")
        if not 0 < len(info.session_id) <= limits.SESSION_ID_CHARS:
            self._refuse(f"the session's id has to have 1 to {limits.SESSION_ID_CHARS} characters")
        if not 1 <= info.first_seq <= info.last_seq or info.epoch < 0:
            self._refuse("the numbers of the first and the last event do not fit")
        if info.first_seq > 1:
            if header.snapshot is msgspec.UNSET or not info.first_seq <= header.snapshot_seq <= info.last_seq:
                self._refuse("a trimmed session needs the state that stands for what was removed")
            self._state = replay.restore(bytes(header.snapshot))
            if self._state.seq != header.snapshot_seq:
                self._refuse("the state is not as of the event that the header names")
        self._header = header
        self._last = info.first_seq - 1

    def _take_record(self, header: Header, line: bytes) -> None:
        record = next(decode_records(line), None)
        if record is None or not record.events:
            self._refuse(f"is empty; event {self._last + 1} has to follow")
        numbers = [event.seq for event in record.events]
        expected = list(range(self._last + 1, self._last + 1 + len(numbers)))
        if numbers != expected:
            self._refuse(f"holds event {numbers[0]}; event {self._last + 1} has to follow")
        if header.info.first_seq > 1 and self._last < header.info.first_seq:
            self._check_stand_in(record)
        if numbers[-1] > header.snapshot_seq or header.info.first_seq == 1:
            self._replay(record, numbers[0])
        self._last = numbers[-1]
        self._named |= dict.fromkeys(_uploads_of(record.events))
        self._lines.append(line + b"\n")

    def _check_stand_in(self, record: Record) -> None:
        if not isinstance(record.events[0], HistoryTrimmed) or len(record.events) > 1:
            self._refuse("a trimmed session has to begin with what stands for the removed events")

    def _replay(self, record: Record, first: int) -> None:
        if self._state.seq != first - 1:
            self._refuse("the state stands in the middle of this record")
        try:
            replay.fold(self._state, (record,))
        except (replay.ReplayError, AssertionError) as error:
            self._refuse(f"does not follow from the lines before it, at event {first}", error)

    def _take_upload(self, line: bytes) -> None:
        expected = next((name for place, name in enumerate(self._named) if place == self._uploads), None)
        if expected is None:
            self._refuse("nothing may follow here")
        upload = _uploads.decode(line)
        if upload.upload_id != expected:
            self._refuse(f"upload {expected[:64]!r} has to follow")
        self._uploads += 1
        if upload.attachment is None or upload.data is None:
            return
        try:
            data = base64.b64decode(upload.data, validate=True)
        except binascii.Error as error:
            self._refuse("the upload is no base64", error)
        kept = upload.attachment
        if (len(data), hashlib.sha256(data).hexdigest()) != (kept.size_bytes, kept.sha256):
            self._refuse("the upload's bytes are not the ones that were exported")
        if kept.upload_id != expected or len(data) > limits.UPLOAD_BYTES:
            self._refuse("the upload is not the one that it says it is, or too large")
        state = self._state
        session_id = state.session_id if upload.session_id else ""
        self._blobs.append(
            Blob(attachment=kept, subject=state.subject, session_id=session_id, at_ms=upload.at_ms, data=data)
        )

    def _refuse(self, message: str, cause: Exception | None = None) -> NoReturn:
        raise PortableError(self._number, message) from cause


def mark_of(state: SessionState) -> SessionMark:
    """What the list of sessions says of a state."""
    return SessionMark(
        subject=state.subject,
        agent=state.agent,
        title=state.title,
        turns=state.turns,
        open_turn=unfinished(state),
        ended=state.ended,
    )


async def _records(store: Store, info: SessionInfo) -> AsyncGenerator[bytes, None]:
    """Read all records up to the last event that `info` names."""
    after = info.first_seq - 1
    while after < info.last_seq:
        limit = min(limits.READ_EVENTS, info.last_seq - after)
        lines = await store.read(info.session_id, after=after, limit=limit)
        numbers = _span(lines)
        if numbers is None or numbers[0] != after + 1:
            raise StoreConflict("The session was trimmed or deleted while it was exported. Export it again.")
        after = numbers[1]
        yield lines


def _span(lines: bytes) -> tuple[int, int] | None:
    """The numbers of the first and the last event of JSON lines."""
    if not lines:
        return None
    first = next(decode_events(lines[: lines.index(b"\n")]))
    return first.seq, last_seq(lines)


def _named_uploads(lines: bytes) -> Iterator[str]:
    """The uploads that JSON lines name; lines that name none are not decoded."""
    for line in lines.splitlines():
        if b'"upload_id"' in line:
            yield from _uploads_of(decode_events(line))


def _uploads_of(events: Iterable[AnyEvent]) -> Iterator[str]:
    for event in events:
        if isinstance(event, TurnAccepted):
            yield from (item.upload_id for item in event.attachments)
            if isinstance(event.observation, PhotoObservation):
                yield event.observation.photo.upload_id


def _upload_line(upload_id: str, blob: Blob | None) -> UploadLine:
    if blob is None:
        return UploadLine(upload_id=upload_id, attachment=None, data=None)
    return UploadLine(
        upload_id=upload_id,
        attachment=blob.attachment,
        session_id=blob.session_id,
        at_ms=blob.at_ms,
        data=base64.b64encode(blob.data).decode(),
    )


def _line(value: Header | UploadLine) -> bytes:
    return _encode(value) + b"\n"
