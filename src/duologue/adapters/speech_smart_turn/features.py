"""What Smart Turn hears of sound: 8 s as 800 steps of 80 bands, as Whisper sees it.

Source: "Robust Speech Recognition via Large-Scale Weak Supervision", 2.2 (80 bands of mel, windows of 25 ms every
10 ms, logarithms), with the scale of mel and the width of bands of Slaney's Auditory Toolbox, as Whisper was trained.
"""

import math
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from duologue.model import limits
from duologue.model.audio import RATE_HZ

Floats = npt.NDArray[np.float32]

SAMPLES: Final = limits.END_OF_TURN_AUDIO_MS * RATE_HZ // 1000
"""Samples that are looked at."""

WINDOW: Final = RATE_HZ * 25 // 1000
"""Samples of a window."""

HOP: Final = RATE_HZ * 10 // 1000
"""Samples from one window to the next."""

BANDS: Final = 80

STEPS: Final = SAMPLES // HOP

FLOOR: Final = 1e-10
"""Least energy of a band, before its logarithm."""

RANGE: Final = 8.0
"""How far below the loudest anything is still told apart, in powers of ten."""

VARIANCE_FLOOR: Final = 1e-7
"""Keeps silence from being made loud."""

LINEAR_HZ: Final = 1_000
"""Up to here mel is linear, 3 for 200 Hz; above it, each factor of 6.4 is 27. Source: Auditory Toolbox, 1998."""

LINEAR_MEL: Final = 15
LOG_STEP: Final = math.log(6.4) / 27


def features(pcm: bytes) -> Floats:
    """Look at the end of sound.

    Args:
        pcm: PCM16, 16,000 Hz, mono. Of more than 8 s the end is taken; of less, silence is put before it.
    Returns:
        Shape (80, 800), about -1 to 1.
    """
    heard = np.frombuffer(pcm[-2 * SAMPLES :], "<i2")
    sound = np.zeros(SAMPLES, np.float32)
    sound[SAMPLES - len(heard) :] = heard
    sound /= 32_768
    sound = (sound - sound.mean()) / np.sqrt(sound.var() + np.float32(VARIANCE_FLOOR))
    # The window of a step stands around it, so the edges are mirrored; the last step would be all mirror.
    around = np.pad(sound, WINDOW // 2, mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(around, WINDOW)[::HOP][:STEPS]
    spectrum = np.fft.rfft(windows * _hann(), axis=1)
    energy = spectrum.real**2 + spectrum.imag**2
    bands = np.log10(np.maximum(_bands() @ energy.T, np.float32(FLOOR)))
    return ((np.maximum(bands, bands.max() - RANGE) + 4) / 4).astype(np.float32)


@cache
def _hann() -> Floats:
    return (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)).astype(np.float32)


@cache
def _bands() -> Floats:
    """Weigh the spectrum's lines for each band: triangles that overlap by half, of equal area."""
    lines_hz = np.arange(WINDOW // 2 + 1) * RATE_HZ / WINDOW
    highest = LINEAR_MEL + math.log(RATE_HZ / 2 / LINEAR_HZ) / LOG_STEP
    corners_hz = _hz(np.arange(BANDS + 2, dtype=np.float64) * (highest / (BANDS + 1)))
    low, peak, high = corners_hz[:-2, None], corners_hz[1:-1, None], corners_hz[2:, None]
    rising, falling = (lines_hz - low) / (peak - low), (high - lines_hz) / (high - peak)
    return (np.maximum(np.minimum(rising, falling), 0) * 2 / (high - low)).astype(np.float32)


def _hz(mel: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    linear = mel * 200 / 3
    return np.where(mel < LINEAR_MEL, linear, LINEAR_HZ * np.exp((mel - LINEAR_MEL) * LOG_STEP))
