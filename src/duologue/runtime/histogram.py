"""Counting durations into buckets, for a page of figures."""

from bisect import bisect_left
from typing import Final

BOUNDS_S: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0)
"""Upper ends of the buckets in s: what a person notices, up to the longest that a run may last."""


class Histogram:
    """How often a duration fell into each bucket; the last one takes what is longer.

    Attributes:
        counts: of each bucket, in order.
        sum_s: of all durations.
    """

    __slots__ = ("counts", "sum_s")

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS_S) + 1)
        self.sum_s = 0.0

    def add(self, duration_ms: int) -> None:
        """Count one duration."""
        self.counts[bisect_left(BOUNDS_S, duration_ms / 1000)] += 1
        self.sum_s += duration_ms / 1000

    def buckets(self) -> list[tuple[str, float]]:
        """The buckets as Prometheus has them: by their upper end, each with all below it."""
        found: list[tuple[str, float]] = []
        total = 0
        for bound, count in zip((*map(str, BOUNDS_S), "+Inf"), self.counts, strict=True):
            total += count
            found.append((bound, float(total)))
        return found
