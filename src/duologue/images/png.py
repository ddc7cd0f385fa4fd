"""PNG without its metadata. Source: PNG (third edition), 5 and 11."""

import zlib
from typing import Final

from duologue.images import exif

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_KEPT: Final = frozenset(
    {
        b"IHDR",
        b"PLTE",
        b"IDAT",
        b"IEND",
        b"tRNS",
        b"cHRM",
        b"gAMA",
        b"iCCP",
        b"sBIT",
        b"sRGB",
        b"cICP",
        b"mDCV",
        b"cLLI",
        b"bKGD",
        b"pHYs",
        b"acTL",
        b"fcTL",
        b"fdAT",
    }
)
"""Chunks that make the picture; text, times, EXIF and private ones are left out."""


def stripped(data: bytes) -> bytes | None:
    """Leave out what does not make the picture, and what follows its end; the orientation stays.

    Returns:
        The file, the same bytes where there is nothing to leave out; `None` where it cannot be read.
    """
    if not data.startswith(_SIGNATURE):
        return None
    parts, turned, at, kind = [_SIGNATURE], 1, len(_SIGNATURE), b""
    while kind != b"IEND":
        kind = data[at + 4 : at + 8]
        body_end = at + 8 + int.from_bytes(data[at : at + 4], "big")
        if body_end + 4 > len(data) or (kind == b"IHDR") != (at == len(_SIGNATURE)):
            return None
        if kind == b"eXIf":
            turned = exif.orientation(data[at + 8 : body_end])
        elif kind in _KEPT:
            parts.append(data[at : body_end + 4])
        at = body_end + 4
    if turned > 1:
        # It has to stand before the picture's data; right after the header is always right.
        parts.insert(2, _chunk(b"eXIf", exif.upright(turned)))
    return b"".join(parts)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + kind + body + zlib.crc32(kind + body).to_bytes(4, "big")
