"""Running statements on a connection, and whose file it is."""

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias, cast

import apsw

from duologue.model.errors import StoreError

Cell: TypeAlias = int | float | str | bytes | None
Row: TypeAlias = tuple[Cell, ...]
Bindings: TypeAlias = Sequence[Cell] | Mapping[str, Cell]


def run(connection: apsw.Connection, sql: str, bindings: Bindings = ()) -> list[Row]:
    """Run one statement to its end, so that no read transaction stays open; its rows."""
    # apsw's own types name collections.abc.Buffer, which Python 3.11 lacks: here and in `run_many` they end.
    cursor = connection.execute(sql, bindings)  # pyright: ignore[reportUnknownMemberType]
    return cast(list[Row], cursor.fetchall())  # pyright: ignore[reportUnknownMemberType]


def run_many(connection: apsw.Connection, sql: str, bindings: Iterable[Sequence[Cell]]) -> None:
    """Run one statement that has no rows, once for each of the bindings."""
    connection.executemany(sql, bindings)  # pyright: ignore[reportUnknownMemberType]


def number(connection: apsw.Connection, sql: str, bindings: Bindings = ()) -> int | None:
    """Read one integer; `None` where there is no row or a NULL."""
    rows = run(connection, sql, bindings)
    value = rows[0][0] if rows else None
    assert value is None or isinstance(value, int)
    return value


@contextmanager
def transaction(connection: apsw.Connection) -> Generator[None]:
    """Store all that is done inside, or nothing."""
    run(connection, "BEGIN IMMEDIATE")
    try:
        yield
        run(connection, "COMMIT")
    except BaseException:
        # Some errors (a full disk) have already undone it.
        if connection.in_transaction:
            run(connection, "ROLLBACK")
        raise


def check_owner(connection: apsw.Connection, path: Path, *, application_id: int, version: int) -> None:
    """Check that a file is empty, or of ours and not of a later version.

    Args:
        application_id: of our files of this kind, in the file's header.
        version: the latest that is known here.
    Raises:
        StoreError: it is not.
    """
    owner = number(connection, "PRAGMA application_id")
    found = number(connection, "PRAGMA user_version") or 0
    if owner == application_id and found > version:
        raise StoreError(
            f"{path} was written by a newer Duologue (data version {found}; this one knows {version}). "
            "Start the newer Duologue, or choose another data folder."
        )
    if owner != application_id and number(connection, "SELECT count(*) FROM sqlite_schema"):
        raise StoreError(f"{path} is a database of another program. Choose another data folder.")
