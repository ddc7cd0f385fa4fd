"""WebP without its metadata. Source: RFC 9649, 2."""

from collections.abc import Iterator
from typing import Final

from duologue.images import exif

_FRAME_HEADER_BYTES: Final = 16
_HAS_EXIF: Final = 0x08
_HAS_XMP: Final = 0x04
_PICTURE: Final = frozenset({b"VP8 ", b"VP8L", b"ALPH"})
_KEPT: Final = frozenset({b"VP8X", b"ICCP", b"ANIM", b"ANMF", *_PICTURE})
_EXIF_HEAD: Final = b"Exif\x00\x00"
"""Some programs write JPEG's head before the block, which WebP does not ask for."""


def stripped(data: bytes) -> bytes | None:
    """Leave out EXIF, XMP, unknown chunks and what follows the end; the orientation stays.

    Returns:
        The file, the same bytes where there is nothing to leave out; `None` where it cannot be read.
    """
    riff_end = 8 + int.from_bytes(data[4:8], "little")
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP" or riff_end > len(data):
        return None
    parts: list[tuple[bytes, bytes]] = []
    turned = 1
    for kind, body in _chunks(data[12:riff_end]):
        if kind == b"EXIF":
            turned = exif.orientation(body.removeprefix(_EXIF_HEAD))
        elif kind == b"ANMF":
            parts.append((kind, _frame(body)))
        elif kind in _KEPT:
            parts.append((kind, body))
        elif not kind:
            return None
    extended = bool(parts) and parts[0][0] == b"VP8X" and bool(parts[0][1])
    turned = turned if extended else 1
    if extended:
        flags = parts[0][1][0] & ~(_HAS_EXIF | _HAS_XMP) | (_HAS_EXIF if turned > 1 else 0)
        parts[0] = (b"VP8X", bytes([flags]) + parts[0][1][1:])
    if turned > 1:
        parts.append((b"EXIF", exif.upright(turned)))
    inside = b"WEBP" + b"".join(_chunk(kind, body) for kind, body in parts)
    return b"RIFF" + len(inside).to_bytes(4, "little") + inside


def _frame(body: bytes) -> bytes:
    """A frame of an animation, with its picture alone."""
    kept = [(kind, part) for kind, part in _chunks(body[_FRAME_HEADER_BYTES:]) if kind in _PICTURE]
    return body[:_FRAME_HEADER_BYTES] + b"".join(_chunk(kind, part) for kind, part in kept)


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The chunks in order; one without a kind where the rest cannot be read."""
    at = 0
    while at < len(data):
        end = at + 8 + int.from_bytes(data[at + 4 : at + 8], "little")
        if at + 8 > len(data) or end > len(data):
            yield b"", b""
            return
        yield data[at : at + 4], data[at + 8 : end]
        # Chunks begin at even places.
        at = end + (end - at) % 2


def _chunk(kind: bytes, body: bytes) -> bytes:
    return kind + len(body).to_bytes(4, "little") + body + b"\x00" * (len(body) % 2)
