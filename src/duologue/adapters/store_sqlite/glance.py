"""A glance into the database from the event loop's thread: whether a session is in it at all.

A client's new session begins with that question. It is one look into an index that is nearly always in memory, 15 µs;
by way of the reader thread and back it is 0.3 ms.
"""

from pathlib import Path
from typing import Final

import apsw

from duologue.adapters.store_sqlite import bounds
from duologue.adapters.store_sqlite.errors import store_error
from duologue.adapters.store_sqlite.schema import open_reader
from duologue.sqlite.statements import run

_FIND: Final = "SELECT 1 FROM sessions WHERE id = ?"


class Glance:
    """Owned by the event loop's thread; it waits for nobody.

    Args:
        path: the database, which is there.
    Raises:
        StoreError: it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._connection = open_reader(path, busy_ms=0, cache_kib=bounds.GLANCE_KIB)
        except apsw.Error as error:
            raise store_error(error) from error

    def lacks(self, session_id: str) -> bool:
        """Tell that there is no such session; false where there may be one, and where it cannot be told now."""
        try:
            return not run(self._connection, _FIND, (session_id,))
        except apsw.Error:
            return False

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()
