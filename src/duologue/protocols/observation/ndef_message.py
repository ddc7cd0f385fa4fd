"""Records as they lie on a tag, one after the other. Source: NFC Forum, NDEF 1.0, 2.3 and 3.2."""

from typing import Final, NamedTuple

from duologue.model import limits

_BEGIN: Final = 0x80
_END: Final = 0x40
_CHUNKED: Final = 0x20
_SHORT: Final = 0x10
_HAS_ID: Final = 0x08
_FORMAT: Final = 0x07
_UNCHANGED: Final = 6
_RESERVED: Final = 7


class Raw(NamedTuple):
    """One record: its type name format, its type and id as text, and its payload."""

    tnf: int
    kind: str
    record_id: str
    payload: bytes


class _Piece(NamedTuple):
    flags: int
    kind: bytes
    record_id: bytes
    payload: bytes
    end: int


def read(message: bytes) -> tuple[Raw, ...] | None:
    """Read the records of a message; chunks of one record are put together.

    Args:
        message: whole, as it lies on a tag or in a smart poster.
    Returns:
        `None` where it breaks the standard: it does not begin or end as it has to, a length leads beyond it, a type is
        no ASCII, a chunk follows nothing, or there are more than `limits.NFC_RECORDS` records.
    """
    records: list[Raw] = []
    open_chunks: list[_Piece] = []
    at = 0
    while at < len(message):
        piece = _piece(message, at)
        if piece is None or len(records) + len(open_chunks) >= limits.NFC_RECORDS:
            return None
        if bool(piece.flags & _BEGIN) != (at == 0) or bool(piece.flags & _END) != (piece.end == len(message)):
            return None
        at = piece.end
        if (piece.flags & _FORMAT == _UNCHANGED) != bool(open_chunks):
            return None
        open_chunks.append(piece)
        if not piece.flags & _CHUNKED:
            record = _joined(open_chunks)
            if record is None:
                return None
            records.append(record)
            open_chunks = []
    return tuple(records) if records and not open_chunks else None


def _joined(pieces: list[_Piece]) -> Raw | None:
    first = pieces[0]
    if any(piece.kind or piece.record_id for piece in pieces[1:]):
        return None
    try:
        kind, record_id = first.kind.decode("ascii"), first.record_id.decode("ascii")
    except UnicodeDecodeError:
        return None
    return Raw(first.flags & _FORMAT, kind, record_id, b"".join([piece.payload for piece in pieces]))


def _piece(message: bytes, at: int) -> _Piece | None:
    """Read one record, or one chunk of it; `None` where it leads beyond the message."""
    flags = message[at]
    if flags & _FORMAT == _RESERVED:
        return None
    length_bytes, id_bytes = 1 if flags & _SHORT else 4, 1 if flags & _HAS_ID else 0
    body = at + 2 + length_bytes + id_bytes
    if body > len(message):
        return None
    kind_end = body + message[at + 1]
    id_end = kind_end + (message[body - 1] if id_bytes else 0)
    end = id_end + int.from_bytes(message[at + 2 : at + 2 + length_bytes], "big")
    if end > len(message):
        return None
    return _Piece(flags, message[body:kind_end], message[kind_end:id_end], message[id_end:end], end)
