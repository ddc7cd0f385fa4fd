"""What is remembered of people."""

from typing import Final

MEMORY_RECALL_MS: Final = 200
"""How long a run may wait for what is remembered of the person; then it runs without: less than a pause."""

MEMORY_RECALLED: Final = 8
"""Most memories that a run is given: more of them distract a model, and cost on every turn."""

MEMORY_CANDIDATES: Final = 32
"""Most memories that are compared for a run by their words, by their meaning and by importance, each."""

MEMORY_ITEMS: Final = 1_000
"""Most memories of one person (policy: the least important and longest unused goes): years of talk leave hundreds."""

MEMORY_AGE_DAYS: Final = 0
"""How long a memory is kept that is neither confirmed nor recalled, in days; 0 keeps it."""

MEMORY_TEXT_CHARS: Final = 300
"""Longest text of a memory: one sentence."""

MEMORY_LEARNT: Final = 16
"""Most memories of one turn: who tells more at once is reciting something."""

MEMORY_READ_CHARS: Final = 4_000
"""How much of a turn is looked through for memories without a model: more is a pasted document."""

MEMORY_EXTRACT_MS: Final = 30_000
"""How long a model may take to tell what a turn leaves; then rules tell it: nobody waits for it."""

MEMORY_AT_ONCE: Final = 4
"""How many sessions are looked through at once; the others wait: a model's provider is not flooded."""

MEMORY_TURNS_WAITING: Final = 64
"""Most turns of one session that wait in memory to be looked through; further ones are read from the journal."""

MEMORY_EMBED_MS: Final = 5_000
"""How long an embedding model may take for what is kept; a run's question has a part of `MEMORY_RECALL_MS`."""

MEMORY_EMBED_TEXTS: Final = 32
"""Most texts that an embedding model is given at once."""

MEMORY_MARKS: Final = 64
"""How many stored memories a session's state knows by id, so that none is told twice after a crash."""

MEMORY_LISTED: Final = 200
"""Most memories on one page of the list."""

MEMORY_TIDY_MS: Final = 600_000
"""How often what has expired is removed: it is not recalled any more meanwhile."""
