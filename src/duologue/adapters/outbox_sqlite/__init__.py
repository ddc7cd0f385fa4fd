"""The embedded outbox: a SQLite database of its own beside the store's."""

from duologue.adapters.outbox_sqlite.outbox import SqliteOutbox

__all__ = ["SqliteOutbox"]
