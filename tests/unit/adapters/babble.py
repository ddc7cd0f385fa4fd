"""A voice without a model: vowels, made of the pulses of a throat and the resonances of a mouth.

It says nothing, and Silero VAD takes it for speech.
"""

import math
import random
from array import array
from collections.abc import Sequence
from typing import Final

RATE_HZ: Final = 16_000

VOWELS: Final = (
    (700, 1_220, 2_600),
    (450, 800, 2_600),
    (400, 2_000, 2_550),
    (310, 870, 2_250),
    (280, 2_250, 2_900),
)
"""The first three resonances of a, o, e, u and i, in Hz."""

WIDTHS: Final = (65, 85, 110)
"""How wide the resonances are, in Hz."""

SYLLABLE: Final = RATE_HZ * 120 // 1000
"""Samples of a syllable: eight a second, as in quick speech."""

GLIDE: Final = 0.02
"""How far the mouth moves to the next vowel in a millisecond, of what is left."""


def babble(ms: int, *, loudness: int = 14_000) -> bytes:
    """Say vowels, one after the other: PCM16, 16,000 Hz, mono, the same at each call."""
    sound = _mouth(_throat(ms * RATE_HZ // 1000))
    sound = [after - before for before, after in zip([0.0, *sound], sound, strict=False)]
    peak = max(map(abs, sound))
    return array("h", [round(one / peak * loudness) for one in sound]).tobytes()


def _throat(count: int) -> list[float]:
    """Give a pulse at each opening of the vocal cords, and a little breath; the pitch goes up and down."""
    breath, phase, found = random.Random(1), 0.0, list[float]()
    for at in range(count):
        seconds, before = at / RATE_HZ, phase
        phase += 120 * (1 + 0.15 * math.sin(8 * seconds) + 0.03 * math.sin(31 * seconds)) / RATE_HZ
        found.append(math.floor(phase) - math.floor(before) + 0.006 * breath.gauss(0, 1))
    return found


def _mouth(sound: Sequence[float]) -> list[float]:
    """Resonate, gliding from vowel to vowel, each of them rising and falling."""
    centres = [float(hz) for hz in VOWELS[0]]
    before, factors, found = [(0.0, 0.0)] * 3, [(0.0, 0.0)] * 3, list[float]()
    for at, sample in enumerate(sound):
        if at % 16 == 0:
            vowel = VOWELS[at // SYLLABLE % len(VOWELS)]
            centres = [hz + (target - hz) * GLIDE for hz, target in zip(centres, vowel, strict=True)]
            factors = [_resonance(*pair) for pair in zip(centres, WIDTHS, strict=True)]
        one = sample
        for place, (first, second) in enumerate(factors):
            one += first * before[place][0] + second * before[place][1]
            before[place] = (one, before[place][0])
        found.append(one * max(0.15, math.sin(math.pi * (at % SYLLABLE) / SYLLABLE)) ** 0.7)
    return found


def _resonance(centre_hz: float, width_hz: float) -> tuple[float, float]:
    radius = math.exp(-math.pi * width_hz / RATE_HZ)
    return 2 * radius * math.cos(2 * math.pi * centre_hz / RATE_HZ), -radius * radius
