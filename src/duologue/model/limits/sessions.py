"""What is kept of one session in memory, and how much of it is done at a time."""

from typing import Final

RECENT_TURNS: Final = 256
"""How many turns back a repeat is recognised: retries come within seconds, memory is per session."""

RECENT_DECISIONS: Final = 256
"""How many answered interrupts and tool calls are remembered, so that a second answer is told so."""

HISTORY_MESSAGES: Final = 200
"""How many messages the agent is given: the state of a long session stays small; the journal has the rest."""

HISTORY_CHARS: Final = 400_000
"""How much text the agent is given, in code points; about what a large model reads at once, and a state stays small."""

SNAPSHOT_EVERY_EVENTS: Final = 2_000
"""Events between snapshots: a reload folds at most this many, about 20 ms."""

TAIL_EVENTS: Final = 512
"""Committed events that a live session keeps ready for its subscribers; who is further behind reads the store."""

READ_EVENTS: Final = 256
"""Events taken from the store or tail at once: the loop is never blocked for more than a few ms."""

BETWEEN_EVENTS: Final = 1_024
"""Events before a run of AG-UI that are looked through for what happened since the last; older ones are not told."""

BACKLOG_RECORDS: Final = 16
"""Records of one session that may wait for the store; then its agent waits (policy: wait)."""

RUN_ITEMS: Final = 16
"""Items that an agent may say before the others have their turn, under 1 ms, and the store too if it is behind."""
