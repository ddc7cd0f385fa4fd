"""The embedded store: one SQLite database in the data folder, one process, one writer thread."""

from duologue.adapters.store_sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
