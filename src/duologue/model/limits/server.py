"""The server: how many sessions, how long it waits, what it looks for."""

from typing import Final

SESSIONS_LIVE: Final = 20_000
"""Most sessions in memory at once; one more is refused with `server_full`."""

IDLE_UNLOAD_MS: Final = 60_000
"""How long a session without connection or run stays in memory: a reload costs milliseconds."""

DRAIN_MS: Final = 20_000
"""How long running answers may go on after SIGTERM: orchestrators kill after 30 s."""

HEARTBEAT_MS: Final = 10_000
"""Silence after which a heartbeat is sent: proxies cut after 60 s, some after 15."""

HELLO_MS: Final = 10_000
"""How long a socket may stay open without opening a session."""

STORE_MS: Final = 30_000
"""How long a store call may take before it counts as failed."""

COMMIT_WINDOW_MS: Final = 4
"""How long the store gathers under load before it writes: about thirty tokens at 6,000 tokens/s."""

RECOVERY_AT_ONCE: Final = 16
"""Interrupted sessions taken up at once on start: agents are not flooded."""

SESSIONS_LISTED: Final = 100
"""Most sessions on one page of the list: a screen shows a dozen."""

SEARCH_CHARS: Final = 256
"""Longest text to search for: some sentences."""

SEARCH_SESSIONS: Final = 1_000
"""Most sessions looked through for one page of a search: about 0.3 s; the next page goes on from there."""

SEARCH_BYTES: Final = 64 * 2**20
"""Most read for one page of a search: long sessions count by what they hold."""
