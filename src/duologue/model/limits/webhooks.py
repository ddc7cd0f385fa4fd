"""Webhooks and their deliveries."""

from typing import Final

WEBHOOK_MS: Final = 10_000
"""How long one attempt to deliver a webhook may take: a receiver should only write it down."""

WEBHOOK_RETRIES: Final = 14
"""How often a webhook is tried again: with the pauses between, for an hour, as long as a bad deploy takes to mend."""

WEBHOOK_BACKOFF_MS: Final = 1_000
"""Longest pause before the first retry of a webhook; each later one is twice as long: a restart is soon over."""

WEBHOOK_BACKOFF_MAX_MS: Final = 600_000
"""Longest pause between two attempts of a webhook: ten minutes after it is well, a receiver hears of it."""

WEBHOOK_SENDS: Final = 64
"""Most webhooks on their way at once: each takes a socket and some 50 KiB."""

WEBHOOK_SENDS_PER_TARGET: Final = 16
"""Most webhooks on their way to one machine at once: a dead one leaves room for others, a small one is not flooded."""

WEBHOOK_RUN: Final = 64
"""Webhooks of one session sent in a row before others get a turn: a long backlog holds nobody up."""

WEBHOOK_KINDS: Final = 16
"""Most kinds that a webhook asks for: there are four."""

WEBHOOK_URL_CHARS: Final = 2_048
"""Longest address of a webhook: what every proxy and server takes."""

WEBHOOK_SECRET_CHARS: Final = 256
"""Longest secret that signs webhooks: far more than the 64 hex digits that make sense."""

WEBHOOK_LETTERS: Final = 100_000
"""Most webhooks kept that could not be delivered (policy: drop the oldest): 20 MB, a day's at one a second."""

WEBHOOK_STOP_MS: Final = 2_000
"""How long webhooks on their way may take when the server stops; then they are sent again after the next start."""
