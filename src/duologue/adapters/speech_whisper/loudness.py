"""How loud sound is: enough to know that nothing was said since a moment."""

import math
from typing import Final

import numpy as np

_QUIET: Final = 0.05
"""Quiet is what has less than this share of the loudest frame's amplitude (-26 dB): the end of a word is louder."""

_SILENT: Final = 60.0
"""Quiet in any case, as root mean square of 16-bit samples (-55 dB): the noise of a good microphone."""


class Loudness:
    """Follows how loud a segment has been, and for how long it has been quiet."""

    def __init__(self) -> None:
        self._loudest = 0.0
        self.quiet_bytes = 0
        """How much of the end is quiet."""

    def hear(self, pcm: bytes) -> None:
        """Take the next sound in: some ms of it."""
        level = _level(pcm)
        self._loudest = max(self._loudest, level)
        quiet = level < max(_SILENT, self._loudest * _QUIET)
        self.quiet_bytes = self.quiet_bytes + len(pcm) if quiet else 0

    @property
    def spoken(self) -> bool:
        """Whether there was anything but silence."""
        return self._loudest >= _SILENT


def quietest(pcm: bytes, begin: int, step: int) -> int:
    """Where, from a byte on, a stretch of `step` bytes is the quietest: the middle of it, as whole samples."""
    places = range(begin, max(begin + 1, len(pcm) - step), step)
    best = min(places, key=lambda place: _level(pcm[place : place + step]))
    return (best + step // 2) // 2 * 2


def _level(pcm: bytes) -> float:
    """Root mean square of samples."""
    samples = np.frombuffer(pcm, dtype="<i2").astype(np.float32)
    return math.sqrt(float(np.dot(samples, samples)) / max(1, len(samples)))
