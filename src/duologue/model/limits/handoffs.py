"""Handoffs, and the desk."""

from typing import Final

HANDOFF_REASON_CHARS: Final = 1_000
"""Longest reason, note or summary of a handoff: people read it before they say anything."""

HANDOFF_SKILLS: Final = 16
"""Most skills that a handoff asks for: nobody can do more things at once."""

HANDOFF_PRIORITY: Final = 100
"""Highest priority of a handoff, and as a negative the lowest: rules add to it."""

HANDOFF_HOPS: Final = 8
"""Most agents that may have one turn in a row: beyond it they pass it round."""

HANDOFF_PATH: Final = 32
"""How many of the agents that had a conversation are told: the latest."""

HANDOFF_SAYINGS: Final = 64
"""How many of an operator's latest messages are recognised when they come again, and how many may wait to be spoken."""

HANDOFF_NOTES: Final = 200
"""Most words between an operator and a supervisor in one consultation: beyond it they should talk."""

HANDOFF_MESSAGES: Final = 50
"""Latest messages in a context bundle: an operator reads the last few, and the summary."""

HANDOFF_TRANSCRIPT_CHARS: Final = 20_000
"""How much text of them, in code points: it is in an event, which every client of the session gets."""

HANDOFF_SUMMARY_CHARS: Final = 600
"""Longest summary without a model: read in half a minute."""

HANDOFF_SUMMARY_MS: Final = 15_000
"""How long a model may take for a summary; the one without a model is there meanwhile."""

HANDOFF_WAIT_MS: Final = 1_800_000
"""How long one waits in a queue before it is given up: half an hour, after which nobody is there any more."""

HANDOFF_CONNECT_MS: Final = 60_000
"""How long an operator may read before they take a conversation: then others may."""

HANDOFF_AWAY_MS: Final = 600_000
"""How long somebody who waits may have no connection: ten minutes outlast any tunnel."""

HANDOFF_OPERATOR_AWAY_MS: Final = 300_000
"""How long an operator who has a conversation may be gone: longer than a browser takes to start anew, and the person
waits meanwhile."""

HANDOFF_PLACES_MS: Final = 1_000
"""How often those who wait are told of another place at most: each is an event in their journals."""

HANDOFFS_WAITING: Final = 1_000
"""Most handoffs in all queues together (policy: one more fails): at three minutes each, ten people work five hours."""

HANDOFFS_PER_OPERATOR: Final = 3
"""Conversations that an operator has at once at most, where nothing else is set: more is slower for all of them."""

HANDOFFS_ENDED: Final = 500
"""How many handoffs that are over are still listed (policy: the oldest is forgotten; the journals have all)."""

DESK_QUEUES: Final = 64
"""Most queues of the desk."""

DESK_RULES: Final = 256
"""Most rules of the desk: each is looked at for each handoff."""

DESK_OPERATORS: Final = 1_000
"""Most operators of whom something is known."""

DESK_FEED: Final = 256
"""News that wait for one page of an operator's (policy: all are dropped, and it gets everything anew)."""

DESK_PRESENT_MS: Final = 60_000
"""How long an operator counts as being there after their latest request, where no page of theirs is open."""

DESK_MEASURED_SESSIONS: Final = 500
"""Sessions, the latest changed first, whose journals are looked through for how long people took, after a start."""

DESK_MEASURED_READS: Final = 2_000
"""Reads of journals for that in all: beyond it what was found is enough, and long journals delay nobody."""

DESK_CALL_MS: Final = 300_000
"""How far a signed call of another desk may be from our clock: five minutes, as is usual for signatures."""

DESK_CALLS: Final = 10_000
"""Signed calls that are remembered, so that none is taken twice (policy: further ones are refused): 33 a second."""
