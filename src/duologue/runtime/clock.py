"""The clock of a running server."""

import time


class SystemClock:
    """Wall time that runs on the monotonic clock, so that a corrected system clock never turns it back."""

    def __init__(self) -> None:
        self._base_ms = time.time() * 1000 - time.monotonic() * 1000

    def now_ms(self) -> int:
        """Return ms since 1970."""
        return int(self._base_ms + time.monotonic() * 1000)
