"""The size that an image's header states. Only headers are read: nothing is decompressed."""

import zlib
from typing import Final

_PNG: Final = b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR"
_PNG_HEADER_BYTES: Final = 33

_SOI: Final = b"\xff\xd8"
_ALONE: Final = frozenset({0x01, *range(0xD0, 0xD8)})
_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_SCAN_OR_END: Final = frozenset({0xDA, 0xD9})
_SEGMENTS: Final = 4_096
"""Most segments and fill bytes before the frame header: real files have under 200; the walk is bounded."""

_WEBP_HEADER_BYTES: Final = 30
_LOSSY_START: Final = b"\x9d\x01\x2a"
_LOSSLESS_SIGNATURE: Final = 0x2F

Size = tuple[int, int]


def size_of(data: bytes, media_type: str) -> Size | None:
    """Read width and height, in pixels as stored (before any rotation that metadata asks for).

    Args:
        data: the whole image.
        media_type: `image/png`, `image/jpeg`, `image/webp` or `image/gif`.
    Returns:
        Width and height, or `None` where the bytes are not such an image.
    """
    match media_type:
        case "image/png":
            return _png(data)
        case "image/jpeg":
            return _jpeg(data)
        case "image/webp":
            return _webp(data)
        case "image/gif":
            return _gif(data)
        case _:
            return None


def _png(data: bytes) -> Size | None:
    """Source: PNG (third edition), 5.2 and 11.2.1."""
    header = data[:_PNG_HEADER_BYTES]
    if len(header) < _PNG_HEADER_BYTES or not header.startswith(_PNG):
        return None
    if zlib.crc32(header[12:29]) != _big(header[29:33]):
        return None
    return _positive(_big(header[16:20]), _big(header[20:24]))


def _jpeg(data: bytes) -> Size | None:
    """Walk the segments to the frame header. Source: ITU-T T.81, B.1.1 and B.2.2."""
    if not data.startswith(_SOI):
        return None
    at = len(_SOI)
    for _ in range(_SEGMENTS):
        if at + 4 > len(data) or data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF or marker in _ALONE:
            at += 1 if marker == 0xFF else 2
            continue
        length = _big(data[at + 2 : at + 4])
        if marker in _SCAN_OR_END or length < 2:
            return None
        if marker in _FRAMES:
            frame = data[at + 4 : at + 2 + length]
            return _positive(_big(frame[3:5]), _big(frame[1:3])) if len(frame) >= 6 else None
        at += 2 + length
    return None


def _webp(data: bytes) -> Size | None:
    """Source: RFC 9649, 2 (container, VP8X) and 3 (lossless); RFC 6386, 9.1 (lossy)."""
    head = data[:_WEBP_HEADER_BYTES]
    if len(head) < 25 or head[:4] != b"RIFF" or head[8:12] != b"WEBP" or _little(head[4:8]) + 8 > len(data):
        return None
    body = head[20:]
    match head[12:16]:
        case b"VP8 " if len(body) == 10 and body[3:6] == _LOSSY_START:
            return _positive(_little(body[6:8]) & 0x3FFF, _little(body[8:10]) & 0x3FFF)
        case b"VP8L" if body[0] == _LOSSLESS_SIGNATURE:
            bits = _little(body[1:5])
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8X" if len(body) == 10:
            return _little(body[4:7]) + 1, _little(body[7:10]) + 1
        case _:
            return None


def _gif(data: bytes) -> Size | None:
    """Source: GIF89a, 18."""
    if not data.startswith((b"GIF87a", b"GIF89a")) or len(data) < 13:
        return None
    return _positive(_little(data[6:8]), _little(data[8:10]))


def _positive(width: int, height: int) -> Size | None:
    return (width, height) if width and height else None


def _big(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _little(data: bytes) -> int:
    return int.from_bytes(data, "little")
