"""`duologue check`: what it reads and tells."""

from typing import Final

CHECK_BYTES: Final = 256 * 2**20
"""Largest recording that is checked: a day of a busy session's frames; it is held in memory."""

CHECK_FRAME_BYTES: Final = 16 * 2**20
"""Largest frame of a live address that is checked: the largest photo in base64, with room."""

CHECK_FINDINGS: Final = 1_000
"""Most findings that a check keeps: what breaks every frame shows in the first; the rest is counted."""
