"""The embedded memory: a SQLite database of its own beside the store's."""

from duologue.adapters.memory_sqlite.memory import SqliteMemory

__all__ = ["SqliteMemory"]
