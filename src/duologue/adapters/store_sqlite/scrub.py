"""Zeroing what SQLite leaves in the gaps of its pages.

`secure_delete` overwrites removed rows, but where SQLite builds a page anew to balance a tree, the page's gap
keeps copies of rows that once lay there (found by `test_removed_bytes_are_in_no_file`). VACUUM would remove
them too, but writes the whole database twice while nobody can append.

Source: SQLite, "Database File Format", 1.6 B-tree Pages.
"""

import os
import time
from struct import Struct
from typing import Final

from duologue.adapters.store_sqlite.spool import sync_data
from duologue.model.errors import StoreError

_CHUNK_BYTES: Final = 2**20
"""Read at once; between two the GIL is offered, since looking through one takes some 100 µs."""

_PAGES_MAX: Final = 2**25
"""Below it (128 GiB) overflow pages begin with a byte below 2, so that none looks like a tree's."""

_HEAD_BYTES: Final = {0x02: 12, 0x05: 12, 0x0A: 8, 0x0D: 8}
"""Page header of each kind of tree page: inner and leaf, of an index and of a table."""

_FILE_HEAD_BYTES: Final = 100

_cells_and_start = Struct(">HH").unpack_from


def zero_gaps(fd: int, *, page_bytes: int) -> int:
    """Zero the unused middle of every tree page of a database file.

    SQLite never reads these bytes, so that a crash at any point leaves a whole database.

    Args:
        fd: the database; its WAL must be empty, and no connection may keep pages cached afterwards.
        page_bytes: the database's page size.
    Returns:
        How many pages held something.
    """
    size = os.fstat(fd).st_size
    if size >= _PAGES_MAX * page_bytes:
        raise StoreError("It is removed, but the database is too large to be searched for remains of it.")
    dirty = 0
    for offset in range(0, size, _CHUNK_BYTES):
        chunk = os.pread(fd, _CHUNK_BYTES, offset)
        for page in range(0, len(chunk), page_bytes):
            begin, end = _gap(chunk, page, head=_FILE_HEAD_BYTES if offset + page == 0 else 0)
            # A damaged page is left as it is.
            if page < begin < end <= page + page_bytes and end - begin > chunk.count(0, begin, end):
                os.pwrite(fd, bytes(end - begin), offset + begin)
                dirty += 1
        time.sleep(0)
    sync_data(fd)
    return dirty


def _gap(chunk: bytes, page: int, *, head: int) -> tuple[int, int]:
    """Tell where a page's gap lies in the chunk; an empty one where the page is not a tree's."""
    at = page + head
    head_bytes = _HEAD_BYTES.get(chunk[at])
    if head_bytes is None:
        return page, page
    cells, start = _cells_and_start(chunk, at + 3)
    return at + head_bytes + 2 * cells, page + (start or 65_536)
