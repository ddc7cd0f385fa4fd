"""The store's own bounds, with unit and reason. What a user may change is an argument of `SqliteStore`."""

from typing import Final

SEQ_MAX: Final = 2**32 - 1
"""Highest event number: the lower half of a journal key."""

SPOOL_BYTES: Final = 16 * 2**20
"""Size of the spool, both halves: each holds some 28,000 tokens, more than four seconds of 6,000 tokens/s."""

MOVE_SESSIONS: Final = 64
"""Most sessions of one transaction that moves records: some ms."""

ROW_BYTES: Final = 64 * 1024
"""A row of the journal is not joined beyond this: a reader decodes at most so much to find one event."""

JOIN_EVENTS: Final = 64
"""Events of one row of the journal, about: reads are 256 events, and few rows are few calls."""

REST_S: Final = 1.0
"""Quiet after which records are moved and the writer tidies up."""

HEADS: Final = 20_000
"""Sessions whose last number is remembered: all live ones; one that is not there is looked up."""

BUSY_MS: Final = 2_000
"""How long to wait where another program holds the database: a backup's lock lasts ms."""

CHECKPOINT_PAGES: Final = 16_000
"""Pages of WAL (64 MiB) before they are copied back: reading that much after a crash takes 0.1 s."""

CACHE_KIB: Final = 16 * 1024
"""Page cache of each connection: the ends of some thousand sessions."""

GLANCE_KIB: Final = 1024
"""Page cache of the connection that only looks into the index of session ids."""
