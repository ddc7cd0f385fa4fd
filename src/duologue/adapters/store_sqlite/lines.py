"""Cutting JSON lines at record borders, by the numbers of their events; nothing else of them is looked at."""

from typing import TypeAlias

import msgspec

Row: TypeAlias = tuple[int, int, bytes]
"""Records of one session: their first and last event, and their lines."""


class _Numbered(msgspec.Struct, gc=False):
    seq: int


class _Events(msgspec.Struct, gc=False):
    events: list[_Numbered]


_decoder = msgspec.json.Decoder(_Events)


def span(line: bytes) -> tuple[int, int]:
    """Tell the numbers of the first and the last event of one record.

    Raises:
        msgspec.MsgspecError: the line is not a record.
    """
    events = _decoder.decode(line).events
    return events[0].seq, events[-1].seq


def beginning_after(lines: bytes, seq: int) -> bytes:
    """Keep the records that begin after event `seq`."""
    rest = lines
    for line in lines.splitlines(keepends=True):
        if span(line)[0] > seq:
            return rest
        rest = rest[len(line) :]
    return b""


def window(lines: bytes, *, after: int, limit: int) -> bytes:
    """Keep the records that hold events above `after`, up to the one that brings their count to `limit`."""
    kept: list[bytes] = []
    until = None
    for line in lines.splitlines(keepends=True):
        first, last = span(line)
        if last <= after:
            continue
        if until is None:
            until = max(first - 1, after) + limit
        kept.append(line)
        if last >= until:
            break
    return b"".join(kept)


def chunks(lines: bytes, size_bytes: int) -> list[Row]:
    """Cut records into pieces of about `size_bytes`: (first event, last event, lines) each."""
    pieces: list[Row] = []
    begin = end = held_bytes = 0
    held: list[bytes] = []
    for line in lines.splitlines(keepends=True):
        first, end = span(line)
        begin = begin or first
        held.append(line)
        held_bytes += len(line)
        if held_bytes >= size_bytes:
            pieces.append((begin, end, b"".join(held)))
            begin, held_bytes = 0, 0
            held = []
    if held:
        pieces.append((begin, end, b"".join(held)))
    return pieces
