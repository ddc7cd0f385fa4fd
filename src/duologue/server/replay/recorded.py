"""A recorded session: an export, read without judging it yet."""

import base64
import binascii
from collections.abc import Iterator

import msgspec

from duologue.engine import replay
from duologue.engine.state import SessionState
from duologue.model.base import Value
from duologue.model.errors import DuologueError
from duologue.model.records import Record, decode_records
from duologue.ports.store import Blob
from duologue.runtime.portable import VERSION, Header, UploadLine


class UnreadableError(DuologueError):
    """It is no recorded session; the message says why."""


class Recorded(Value, kw_only=True):
    """A session as it was stored.

    Attributes:
        name: for people: its id, or its file.
        lines: the records, each a line of JSON as it was stored.
        blobs: its uploads.
        snapshot_seq: the event as of which `snapshot` is; what is before it cannot be stepped again.
    """

    name: str
    header: Header
    lines: tuple[bytes, ...]
    blobs: tuple[Blob, ...] = ()

    @property
    def session_id(self) -> str:
        """The session's id."""
        return self.header.info.session_id

    @property
    def begins_after(self) -> int:
        """The event after which records can be stepped again; 0 for all of them."""
        return self.header.snapshot_seq if self.header.info.first_seq > 1 else 0

    def beginning(self) -> SessionState:
        """The state that the records are stepped from."""
        if not self.begins_after or self.header.snapshot is msgspec.UNSET:
            return SessionState()
        return replay.restore(bytes(self.header.snapshot))

    def steps(self) -> Iterator[tuple[bytes, Record]]:
        """The records that can be stepped again, each with its line."""
        for line, record in zip(self.lines, decode_records(b"".join(self.lines)), strict=True):
            if record.events[0].seq > self.begins_after:
                yield line, record


_headers = msgspec.json.Decoder(Header)
_uploads = msgspec.json.Decoder(UploadLine)


def read(name: str, data: bytes) -> Recorded:
    """Read what `duologue sessions export` wrote.

    Raises:
        UnreadableError: it is something else, or damaged.
    """
    lines = data.splitlines()
    try:
        header = _headers.decode(lines[0])
        count = _records(header, lines)
        records = tuple(line + b"\n" for line in lines[1 : 1 + count])
        blobs = tuple(_blobs(header, lines[1 + count :]))
        restored = Recorded(name=name, header=header, lines=records, blobs=blobs)
        restored.beginning()
    except IndexError as error:
        raise UnreadableError(f"{name}: the file ends too early; export the session again") from error
    except (msgspec.MsgspecError, binascii.Error) as error:
        raise UnreadableError(f"{name}: not an exported session: {error}") from error
    if header.version != VERSION:
        raise UnreadableError(f"{name}: of version {header.version}; this Duologue reads version {VERSION}")
    return restored


def _records(header: Header, lines: list[bytes]) -> int:
    """Count the records: up to the one that holds the last event."""
    for count, line in enumerate(lines[1:], 1):
        record = next(decode_records(line))
        if record.events and record.events[-1].seq >= header.info.last_seq:
            return count
    raise IndexError


def _blobs(header: Header, lines: list[bytes]) -> Iterator[Blob]:
    for line in lines:
        upload = _uploads.decode(line)
        if upload.attachment is not None and upload.data is not None:
            yield Blob(
                attachment=upload.attachment,
                subject=header.info.mark.subject,
                session_id=upload.session_id,
                at_ms=upload.at_ms,
                data=base64.b64decode(upload.data, validate=True),
            )
