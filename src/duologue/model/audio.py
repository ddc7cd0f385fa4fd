"""Sound as it is inside: one format.

Everywhere behind a transport sound is mono, signed 16-bit little-endian (PCM16), 16,000 samples a second: what speech
recognition and voice activity want. A transport resamples what it gets and what it sends.
"""

from typing import Final

RATE_HZ: Final = 16_000
"""Samples a second. Source: what Whisper, Silero VAD and Smart Turn are trained on."""

SAMPLE_BYTES: Final = 2
"""Bytes of a sample: signed, 16 bits, little-endian, one channel."""

FRAME_MS: Final = 20
"""Length of a frame: what WebRTC and telephony send."""

FRAME_SAMPLES: Final = RATE_HZ * FRAME_MS // 1000
"""Samples of a frame."""

FRAME_BYTES: Final = FRAME_SAMPLES * SAMPLE_BYTES
"""Bytes of a frame."""

BYTES_PER_MS: Final = RATE_HZ * SAMPLE_BYTES // 1000
"""Bytes of one millisecond."""

SILENT_FRAME: Final = bytes(FRAME_BYTES)
"""A frame in which nothing is heard."""
