"""The one thing that EXIF says of the picture itself: which way up it is. Source: CIPA DC-008 (Exif 2.32), 4.6."""

from typing import Final, Literal

_ORIENTATION: Final = 0x0112
_SHORT: Final = 3
_ENTRY_BYTES: Final = 12
_ENTRIES: Final = 512
"""Most entries that are looked through: cameras write under 20 beside the orientation."""

_Order = Literal["little", "big"]


def orientation(tiff: bytes) -> int:
    """Read how the picture is turned.

    Args:
        tiff: an EXIF block, from its byte order mark on.
    Returns:
        2 to 8; 1, which is upright, where it says nothing or cannot be read.
    """
    order: _Order
    match tiff[:4]:
        case b"II*\x00":
            order = "little"
        case b"MM\x00*":
            order = "big"
        case _:
            return 1
    at = int.from_bytes(tiff[4:8], order)
    count = min(int.from_bytes(tiff[at : at + 2], order), _ENTRIES)
    for index in range(count):
        begin = at + 2 + index * _ENTRY_BYTES
        entry = tiff[begin : begin + _ENTRY_BYTES]
        if len(entry) < _ENTRY_BYTES:
            break
        if int.from_bytes(entry[:2], order) == _ORIENTATION and int.from_bytes(entry[2:4], order) == _SHORT:
            turned = int.from_bytes(entry[8:10], order)
            return turned if 1 <= turned <= 8 else 1
    return 1


def upright(turned: int) -> bytes:
    """Write an EXIF block that says how the picture is turned, and nothing else."""
    entry = _ORIENTATION.to_bytes(2, "big") + _SHORT.to_bytes(2, "big") + b"\x00\x00\x00\x01"
    return b"MM\x00*\x00\x00\x00\x08\x00\x01" + entry + turned.to_bytes(2, "big") + b"\x00\x00" + b"\x00\x00\x00\x00"
