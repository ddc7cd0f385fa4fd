"""SQLite's errors, said so that an operator knows what to do."""

import errno

import apsw

from duologue.model.errors import StoreConflict, StoreError

_RESTORE = "Stop the server, restore the data folder from a backup, or move it away to start with an empty one."


def store_error(error: Exception) -> StoreError:
    """Turn any exception of the store's threads into the one that callers know; ours stay as they are."""
    if isinstance(error, StoreError):
        return error
    return StoreError(_advice(error))


def _advice(error: Exception) -> str:
    match error:
        case apsw.FullError() | OSError(errno=errno.ENOSPC | errno.EDQUOT):
            return (
                "The disk is full, or the store has reached its size bound; nothing was stored. "
                "Free space: the store then goes on by itself. Deleting sessions makes room too, but needs some first."
            )
        case apsw.ReadOnlyError() | apsw.PermissionsError() | PermissionError():
            return "The data folder cannot be written. Give this user write permission on it and on its files."
        case apsw.CantOpenError():
            return "The database cannot be opened. Check that the data folder exists and can be written."
        case apsw.BusyError() | apsw.LockedError() | apsw.ProtocolError():
            return "Another program holds the database. Close it (a backup, a database browser) and try again."
        case apsw.NotADBError():
            return "The file duologue.db is not a database of Duologue, or is damaged. " + _RESTORE
        case apsw.CorruptError():
            return "The database is damaged. " + _RESTORE
        case apsw.IOError() | OSError():
            return "The disk reported an error; nothing was stored. Check the disk and the system's log."
        case apsw.TooBigError():
            return "The records are too large to be stored. Send less at once."
        case apsw.NoMemError() | MemoryError():
            return "The machine has no memory left for this; nothing was stored. Free memory and try again."
        case _:
            return f"The store failed unexpectedly ({type(error).__name__}); nothing was stored. Try again."


def gone() -> StoreConflict:
    """There is no such session, though its caller knew it."""
    return StoreConflict("There is no such session any more. Open a new one.")
