"""GIF without its metadata. Source: GIF89a, 15 to 26."""

from typing import Final

_HEADS: Final = (b"GIF87a", b"GIF89a")
_SCREEN_BYTES: Final = 13
_TABLE: Final = 0x80
_EXTENSION: Final = 0x21
_IMAGE: Final = 0x2C
_TRAILER: Final = 0x3B
_CONTROL: Final = 0xF9
_APPLICATION: Final = 0xFF
_LOOPS: Final = (b"\x0bNETSCAPE2.0", b"\x0bANIMEXTS1.0")
"""The application extensions that say how often an animation runs; XMP and others are left out."""


def stripped(data: bytes) -> bytes | None:
    """Leave out comments, texts, other programs' blocks and what follows the end.

    Returns:
        The file, the same bytes where there is nothing to leave out; `None` where it cannot be read.
    """
    if not data.startswith(_HEADS) or len(data) < _SCREEN_BYTES:
        return None
    at = _SCREEN_BYTES + _table_bytes(data[10])
    parts = [data[:at]]
    while at < len(data):
        kind = data[at]
        if kind == _TRAILER:
            return b"".join([*parts, b"\x3b"])
        if kind == _EXTENSION:
            end = _blocks_end(data, at + 2)
            kept = data[at + 1 : at + 2] == bytes([_CONTROL]) or (
                data[at + 1 : at + 2] == bytes([_APPLICATION]) and data[at + 2 :].startswith(_LOOPS)
            )
        elif kind == _IMAGE and at + 10 < len(data):
            end, kept = _blocks_end(data, at + 11 + _table_bytes(data[at + 9])), True
        else:
            return None
        if end is None:
            return None
        if kept:
            parts.append(data[at:end])
        at = end
    return None


def _table_bytes(flags: int) -> int:
    """The length of a colour table."""
    return 3 << (flags & 7) + 1 if flags & _TABLE else 0


def _blocks_end(data: bytes, at: int) -> int | None:
    """Where a row of blocks ends; `None` where the file does first."""
    while at < len(data):
        length = data[at]
        at += 1 + length
        if not length:
            return at
    return None
