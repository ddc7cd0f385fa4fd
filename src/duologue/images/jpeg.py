"""JPEG without its metadata. Source: ITU-T T.81, annex B; JFIF 1.02; ICC.1, B.4."""

from collections.abc import Iterator
from typing import Final

from duologue.images import exif

_SOI: Final = b"\xff\xd8"
_EOI: Final = b"\xff\xd9"
_SOS: Final = 0xDA
_APP0: Final = 0xE0
_COMMENT: Final = 0xFE
_EXIF: Final = b"Exif\x00\x00"
_JFIF: Final = b"JFIF\x00"
_JFIF_BYTES: Final = 14
_KEPT: Final = {0xE2: b"ICC_PROFILE\x00", 0xEE: b"Adobe"}
"""Application segments that say how the colours are meant, by what they begin with."""

_OF_THE_DATA: Final = frozenset({0x00, 0xFF, *range(0xD0, 0xD8)})
"""What follows 0xFF within a scan's data: stuffing, fill, restart markers."""

_FILL_BYTES: Final = 4_096
"""Most fill bytes before a marker: real files have none."""

_SEGMENTS: Final = 16_384
"""Most segments and scans: real files have under 300; the walk is bounded."""


def stripped(data: bytes) -> bytes | None:
    """Leave out what is neither picture nor colours: EXIF, XMP, IPTC, comments, thumbnails, what follows the end.

    The orientation stays, in an EXIF block of its own. A file whose end is missing stays without one.

    Returns:
        The file, the same bytes where there is nothing to leave out; `None` where it cannot be read.
    """
    if not data.startswith(_SOI):
        return None
    parts, turned = [_SOI], 1
    for marker, part in _segments(data):
        if marker == 0:
            return None
        body = part[4:]
        if marker == 0xE1 and body.startswith(_EXIF):
            turned = turned if turned > 1 else exif.orientation(body[len(_EXIF) :])
        elif marker == _APP0 and body.startswith(_JFIF) and len(body) >= _JFIF_BYTES:
            # The thumbnail is a picture of its own, perhaps of what was cut away.
            parts.append(b"\xff\xe0\x00\x10" + body[: _JFIF_BYTES - 2] + b"\x00\x00")
        elif not (_APP0 <= marker <= 0xEF or marker == _COMMENT) or _is_kept(marker, body):
            parts.append(part)
    if turned > 1:
        block = _EXIF + exif.upright(turned)
        # After JFIF's own, which has to be the first.
        first = 2 if len(parts) > 1 and parts[1].startswith(b"\xff\xe0") else 1
        parts.insert(first, b"\xff\xe1" + (len(block) + 2).to_bytes(2, "big") + block)
    return b"".join(parts)


def _is_kept(marker: int, body: bytes) -> bool:
    known = _KEPT.get(marker)
    return known is not None and body.startswith(known)


def _segments(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The segments with their markers, each scan with its data; the marker 0 where the file cannot be read."""
    at = len(_SOI)
    for _ in range(_SEGMENTS):
        if at >= len(data):
            # The file was cut off in the middle of a scan.
            return
        at += _fill(data, at)
        if data[at : at + 2] == _EOI:
            yield 0xD9, _EOI
            return
        end = at + 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        if data[at] != 0xFF or end < at + 4 or end > len(data):
            break
        marker = data[at + 1]
        if marker == _SOS:
            end = _end_of_scan(data, end)
        yield marker, data[at:end]
        at = end
    yield 0, b""


def _fill(data: bytes, at: int) -> int:
    """How many bytes fill the place before a marker."""
    near = data[at : at + _FILL_BYTES]
    return max(0, len(near) - len(near.lstrip(b"\xff")) - 1)


def _end_of_scan(data: bytes, at: int) -> int:
    """Where the marker stands that ends a scan's data."""
    while 0 <= (at := data.find(b"\xff", at)) < len(data) - 1:
        if data[at + 1] not in _OF_THE_DATA:
            return at
        at += 1 if data[at + 1] == 0xFF else 2
    return len(data)
