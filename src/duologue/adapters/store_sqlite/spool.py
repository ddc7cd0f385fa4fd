"""The spool: where records are safe from the death of the process at once, before they come into the database.

A file of a fixed size, mapped into memory: what is written there is in the system's hands without a call to it, as
with a commit under `synchronous = NORMAL`, and 1 µs instead of 15. Two halves take turns: one takes records in while
what the other held is moved into the journal; then that half is zeroed, so that no record lies in two places for long.

A record is a head and a payload. The head is written last, so a record that the death of the process cut off has none.
"""

import mmap
import os
import time
from bisect import bisect_left
from collections.abc import Generator, Sequence, Set
from itertools import accumulate
from pathlib import Path
from struct import Struct
from typing import Final, TypeAlias
from zlib import crc32

from duologue.adapters.store_sqlite import bounds
from duologue.adapters.store_sqlite.lines import Row
from duologue.model.base import Value
from duologue.model.errors import StoreError

SPOOL_NAME: Final = "duologue.spool"

TOKEN_BYTES: Final = 16
"""Length of the name that ties a spool to its database."""

_MAGIC: Final = b"DUOLOGUE SPOOL 1"
_HEAD_BYTES: Final = 4_096

_file_head = Struct(f"<{len(_MAGIC)}s{TOKEN_BYTES}sI")
"""What the file begins with: what it is, whose, and the size of a half."""

_head = Struct("<8I")
"""Mixed sum of the others; half's number, payload's size and check sum, session number, first and last event, bytes of
the mark before its lines."""

_HEAD_SIZE: Final = _head.size
_pack_head: Final = _head.pack_into

_MIX: Final = 0x9E3779B1
"""An odd number near 2^32 / 1.618: multiples of it share few bits with small sums."""

_HALF_MAX: Final = 2**30
"""Bytes of a half beyond which a file's head is damaged: what it says is allocated."""

_ZEROS: Final = bytes(64 * 1024)
"""Written at once where a half is zeroed; between two the GIL is offered. Made anew each time, it would cost more."""


Place: TypeAlias = tuple[int, slice]
"""A record's last event, and where its lines are."""


class Spooled(Value, frozen=True, kw_only=True):
    """One record as it was found; see `Spool.write`. `label` is its mark's line, empty where it has none."""

    place: slice
    no: int
    first: int
    last: int
    label: bytes


class Spool:
    """Owned by the event loop's thread, except for `void`, `zero_frozen`, `clear` and `sync`, which are the writer's.

    Args:
        path: the file; made where missing, whole, so that a full disk shows now and not later.
        token: the database's name, `TOKEN_BYTES` long.
    Raises:
        StoreError: it is not a spool, or holds records of another database.
        OSError: it cannot be made or mapped.
    Attributes:
        frozen: the other half, or at first all of it, holds records that are still to be moved.
    """

    def __init__(self, path: Path, *, token: bytes) -> None:
        self._fd = _opened(path)
        try:
            self._size(bounds.SPOOL_BYTES // 2 if self._fits(path, token) else None)
            self._map[:_HEAD_BYTES] = _file_head.pack(_MAGIC, token, self._half).ljust(_HEAD_BYTES, b"\0")
            self._sweep()
        except BaseException:
            self.close()
            raise
        self._active, self._frozen_end = 0, 0
        self._at, self._end = self._begins[0], self._begins[0] + self._half
        self._number = 1 + max(self._number_of(begin) for begin in self._begins)
        self.frozen = self._old = self._number > 1
        if self._old:
            self._at = self._end

    @property
    def position(self) -> int:
        """A number that rises with each record."""
        return (self._number << 32) + self._at

    @property
    def largest(self) -> int:
        """Bytes of the largest payload that fits into an empty half."""
        return self._half - _HEAD_SIZE

    def write(self, no: int, first: int, last: int, payload: bytes, marked: int = 0) -> slice | None:
        """Keep a record.

        Args:
            no: the session's number.
            first: the record's first event; `last` its last.
            payload: what to keep: the record's lines, and before them the line of its mark, where it has one.
            marked: bytes of that line.
        Returns:
            The place of its lines, for `rows`; `None` where there is no room, and nothing was done.
        """
        size = len(payload)
        at = self._at
        begin = at + _HEAD_SIZE
        end = begin + size
        if end > self._end:
            return None
        check, number, mapped = crc32(payload), self._number, self._map
        place = slice(begin, end)
        mapped[place] = payload
        mixed = ((number + size + check + no + first + last + marked) * _MIX) & 0xFFFFFFFF
        _pack_head(mapped, at, mixed, number, size, check, no, first, last, marked)
        self._at = end
        return slice(begin + marked, end) if marked else place

    def turn(self) -> None:
        """Go on in the other half; what is in this one is frozen until it is moved. Not while one is frozen."""
        assert not self.frozen, "the other half is not free"
        self.frozen, self._frozen_end = True, self._at
        self._active = 1 - self._active
        self._number += 1
        self._at = self._begins[self._active]
        self._end = self._at + self._half

    def zero_frozen(self) -> None:
        """Remove what is frozen. Its owner then says `free`."""
        if self._old:
            self.clear()
        else:
            self._zero(self._begins[1 - self._active], self._frozen_end)

    def free(self) -> None:
        """What was frozen is removed."""
        if self._old:
            self._old, self._at = False, self._begins[self._active]
        self.frozen = False

    def clear(self) -> None:
        """Remove everything; nobody writes meanwhile, nor afterwards."""
        for begin in self._begins:
            self._zero(begin, self._last_end(begin))

    def rows(self, places: Sequence[Place], *, begin: int, above: int) -> list[Row]:
        """Read the records of one session that hold events above a number.

        Args:
            places: each record's last event, and where it is.
            begin: the first record's first event; each other one follows the one before it.
        """
        firsts = [begin, *(last + 1 for last, _ in places)]
        mapped = self._map
        return [
            (first, last, mapped[place]) for first, (last, place) in zip(firsts, places, strict=False) if last > above
        ]

    def joined(self, places: Sequence[Place], *, above: int) -> list[Row]:
        """Read the records of one session that follow a number, some tens of events in a row.

        What moves everything into the database: a slice for each record, and nothing else.

        Args:
            places: as for `rows`.
            above: the last event of a record, or of none.
        """
        mapped, rows = self._map, list[Row]()
        at = index_of(places, above + 1)
        while at < len(places):
            begin = above + 1
            end = max(index_of(places, begin + bounds.JOIN_EVENTS), at + 1)
            # What is done per record is this alone: a look at each one's size would cost as much as writing it.
            held = [mapped[place] for _, place in places[at:end]]
            lines = b"".join(held)
            if len(lines) > bounds.ROW_BYTES:
                held = held[: _fitting(held, bounds.ROW_BYTES)]
                lines, end = b"".join(held), at + len(held)
            above = places[end - 1][0]
            rows.append((begin, above, lines))
            at = end
        return rows

    def found(self) -> Generator[Spooled]:
        """Read what a process left, oldest first; a payload that was voided or damaged is passed over."""
        for begin in sorted(self._begins, key=self._number_of):
            for at, head in self._heads(begin):
                _, size, check, no, first, last, marked = head
                payload = self._map[at + _HEAD_SIZE : at + _HEAD_SIZE + size]
                if crc32(payload) == check:
                    label = payload[: payload.index(b"\n") + 1] if marked else b""
                    begin_lines = at + _HEAD_SIZE + len(label)
                    place = slice(begin_lines, begin_lines + size - len(label))
                    yield Spooled(place=place, no=no, first=first, last=last, label=label)

    def void(self, nos: Set[int]) -> None:
        """Zero what there is of some sessions, to which nobody adds any more; others may write meanwhile."""
        for begin in self._begins:
            for at, (_, size, _, no, *_) in self._heads(begin):
                if no in nos:
                    self._map[at + _HEAD_SIZE : at + _HEAD_SIZE + size] = bytes(size)

    def sync(self) -> None:
        """Wait until all is on the disk.

        Raises:
            OSError: it may not be, and asking again would not tell the truth.
        """
        sync_data(self._fd)

    def close(self) -> None:
        """Let go of the file."""
        if hasattr(self, "_map"):
            self._map.close()
        os.close(self._fd)

    def _fits(self, path: Path, token: bytes) -> bool:
        """Map what is there, if it holds records; true where it does not, and it may have any size."""
        magic, owner, half = _file_head.unpack(os.pread(self._fd, _file_head.size, 0).ljust(_file_head.size, b"\0"))
        if magic != _MAGIC:
            return True
        if not _HEAD_SIZE <= half <= _HALF_MAX:
            raise StoreError(
                f"{path} is damaged. Move it away, and start again: that gives up what came in during the last moments."
            )
        self._size(half)
        if not any(self._number_of(begin) for begin in self._begins):
            self._map.close()
            return True
        if owner == token:
            return False
        raise StoreError(
            f"{path} holds records of another database than the one beside it. Put back the database that "
            "belongs to it, or move the spool away to give up the last moments before that server died."
        )

    def _size(self, half: int | None) -> None:
        """Map the file, made of two halves of a size; `None` leaves the mapping as it is."""
        if half is None:
            return
        size = _HEAD_BYTES + 2 * half
        _allocate(self._fd, size)
        os.ftruncate(self._fd, size)
        os.fsync(self._fd)
        self._map = mmap.mmap(self._fd, size)
        self._half = half
        self._begins = (_HEAD_BYTES, _HEAD_BYTES + half)

    def _heads(self, begin: int) -> Generator[tuple[int, tuple[int, ...]]]:
        """The places and heads of a half's records."""
        end = begin + self._half
        number, at = self._number_of(begin), begin
        while number and at + _HEAD_SIZE <= end:
            mixed, *fields = _head.unpack_from(self._map, at)
            after = at + _HEAD_SIZE + fields[1]
            if mixed != _mixed(fields) or fields[0] != number or after > end:
                return
            yield at, tuple(fields)
            at = after

    def _number_of(self, begin: int) -> int:
        mixed, *fields = _head.unpack_from(self._map, begin)
        return fields[0] if mixed == _mixed(fields) else 0

    def _last_end(self, begin: int) -> int:
        end = begin
        for at, head in self._heads(begin):
            end = at + _HEAD_SIZE + head[1]
        return end

    def _sweep(self) -> None:
        """Zero what lies behind the records: a death while a half was zeroed left it, and no head leads to it."""
        for begin in self._begins:
            end = begin + self._half
            for at in range(self._last_end(begin), end, len(_ZEROS)):
                zeros = _ZEROS[: end - at]
                if os.pread(self._fd, len(zeros), at) != zeros:
                    self._map[at : at + len(zeros)] = zeros

    def _zero(self, begin: int, end: int) -> None:
        # The first head goes first: without it there are no others.
        for at in range(begin, end, len(_ZEROS)):
            size = min(len(_ZEROS), end - at)
            self._map[at : at + size] = _ZEROS[:size]
            time.sleep(0)


def sync_data(fd: int) -> None:
    """Wait until a file's bytes are on the disk; some systems only know how to sync all about a file."""
    (os.fdatasync if hasattr(os, "fdatasync") else os.fsync)(fd)


def _allocate(fd: int, size: int) -> None:
    """Give a file all its blocks up to a size; where the system has no call for it, by writing what is missing."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(fd, 0, size)
        return
    for at in range(os.fstat(fd).st_size, size, len(_ZEROS)):
        os.pwrite(fd, _ZEROS[: size - at], at)


def _mixed(fields: Sequence[int]) -> int:
    return (sum(fields) * _MIX) & 0xFFFFFFFF


def _opened(path: Path) -> int:
    """Open the file, if it is a spool or still empty."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    begin = os.pread(fd, len(_MAGIC), 0)
    if begin in (_MAGIC, b"", bytes(len(_MAGIC))):
        return fd
    os.close(fd)
    raise StoreError(f"{path} is not a spool of this version of Duologue. Move it away, and start again.")


def _fitting(pieces: Sequence[bytes], size: int) -> int:
    """How many of the first pieces have at most so many bytes together; one where the first alone has more."""
    for count, total in enumerate(accumulate(map(len, pieces))):
        if total > size:
            return max(count, 1)
    return len(pieces)


def index_of(places: Sequence[Place], seq: int) -> int:
    """Which of a session's records, in order, holds an event or is the first behind it."""
    return bisect_left(places, seq, key=_last)


def _last(place: Place) -> int:
    return place[0]
