"""Records as a tag holds them, and smart posters made of them."""

from typing import NamedTuple


class Record(NamedTuple):
    """One record, and in how many pieces it is written."""

    tnf: int
    kind: str
    payload: bytes
    record_id: str = ""
    pieces: int = 1


def write(*records: Record, short: bool = True) -> bytes:
    """Write a message. Source: NDEF 1.0, 3.2."""
    pieces: list[tuple[int, bytes, bytes, bytes]] = []
    for record in records:
        step = max(1, -(-len(record.payload) // record.pieces))
        parts = [record.payload[at : at + step] for at in range(0, len(record.payload), step)] or [b""]
        for index, part in enumerate(parts):
            more = 0x20 if index < len(parts) - 1 else 0
            if index:
                pieces.append((6 | more, b"", b"", part))
            else:
                pieces.append((record.tnf | more, record.kind.encode(), record.record_id.encode(), part))
    written = b""
    for index, (flags, kind, record_id, part) in enumerate(pieces):
        flags |= 0x80 * (index == 0) | 0x40 * (index == len(pieces) - 1)
        small = short and len(part) < 256
        flags |= 0x10 * small | 0x08 * bool(record_id)
        length = len(part).to_bytes(1 if small else 4, "big")
        ids = bytes([len(record_id)]) if record_id else b""
        written += bytes([flags, len(kind)]) + length + ids + kind + record_id + part
    return written


def text(words: str, language: str = "en", *, wide: bool = False) -> Record:
    """A text record. Source: RTD Text 1.0, 3.2."""
    status = len(language) | 0x80 * wide
    return Record(1, "T", bytes([status]) + language.encode() + words.encode("utf-16-be" if wide else "utf-8"))


def address(rest: str, prefix: int = 4) -> Record:
    """An address, `https://` by default. Source: RTD URI 1.0, 3.2.2."""
    return Record(1, "U", bytes([prefix]) + rest.encode())
