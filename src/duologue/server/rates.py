"""Token buckets: how often each key may do something, with bounded memory and without a clock of their own."""

from collections import OrderedDict
from typing import Final

MINUTE_MS: Final = 60_000


class Buckets:
    """Buckets of many keys. A full one holds a minute's worth and fills evenly; a new key's is full.

    Args:
        keys_max: how many keys are remembered; the one that was quiet longest is forgotten first, so that its bucket
            is full again.
    """

    def __init__(self, keys_max: int) -> None:
        self._keys_max = keys_max
        # What a key has left, and as of when.
        self._left: OrderedDict[tuple[str, str], tuple[float, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._left)

    def wait_ms(self, kind: str, key: str, *, per_minute: int, now_ms: int) -> int:
        """How long until the key may do it once more; 0 for now. Takes nothing."""
        left = self._now(kind, key, per_minute=per_minute, now_ms=now_ms)
        return 0 if left >= 1 else int((1 - left) * MINUTE_MS / per_minute) + 1

    def take(self, kind: str, key: str, *, per_minute: int, now_ms: int) -> None:
        """Count that the key did it once, if it has any left."""
        left = self._now(kind, key, per_minute=per_minute, now_ms=now_ms)
        self._left[kind, key] = (max(0.0, left - 1), now_ms)
        self._left.move_to_end((kind, key))
        if len(self._left) > self._keys_max:
            self._left.popitem(last=False)

    def _now(self, kind: str, key: str, *, per_minute: int, now_ms: int) -> float:
        left, at_ms = self._left.get((kind, key), (float(per_minute), now_ms))
        # A clock that was set back gives nothing and takes nothing.
        return min(float(per_minute), left + max(0, now_ms - at_ms) * per_minute / MINUTE_MS)
