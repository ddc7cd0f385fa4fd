"""The store's own bounds, with unit and reason. What a user may change is an argument of `SqliteStore`."""

from typing import Final

SEQ_MAX: Final = 2**32 - 1
"""Highest event number: the lower half of a journal key."""

ROWS_PER_INSERT: Final = 64
"""Most rows of one INSERT: a group at 6,000 appends/s has about 25; each size is a statement of its own."""

GROUP_APPENDS: Final = 2_048
"""Most appends of one transaction: the first of them does not wait for more than about 20 ms of work."""

ROW_BYTES: Final = 64 * 1024
"""A row of the journal is not joined beyond this: a reader decodes at most so much to find one event."""

RECENT_BYTES: Final = 2**20
"""Records that gather before they are moved into the journal: a read looks through all, 1 ms at most."""

JOIN_EVENTS: Final = 64
"""Events of one row of the journal, about: reads are 256 events, and few rows are few calls."""

REST_S: Final = 1.0
"""Quiet after which the writer tidies up: not between two turns of one conversation."""

HEADS: Final = 20_000
"""Sessions whose last number the writer remembers: all live ones; one that is not there is looked up."""

BUSY_MS: Final = 2_000
"""How long to wait where another program holds the database: a backup's lock lasts ms."""

PROMPT_APPENDS: Final = 256
"""Most appends that the event loop's thread commits itself: half a ms; more are the writer thread's."""

PROMPT_WINDOW_S: Final = 0.002
"""Least time between two commits on the event loop's thread: a dozen tokens at 6,000 tokens/s."""

SLOW_COMMIT_S: Final = 0.005
"""A commit on the event loop's thread that takes longer found a busy disk; nothing blocks the loop for more."""

SLOW_S: Final = 1.0
"""How long the writer thread commits after that."""

CHECKPOINT_PAGES: Final = 16_000
"""Pages of WAL (64 MiB) before they are copied back, beside the writing."""

WAL_PAGES: Final = 64_000
"""Pages of WAL (256 MiB) before writing waits until all is copied: reading it after a crash takes 0.3 s."""

CACHE_KIB: Final = 16 * 1024
"""Page cache of each connection: all recent rows, and the ends of some thousand sessions."""
