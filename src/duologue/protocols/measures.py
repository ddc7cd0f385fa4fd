"""What was measured of an answer and its turn, as AG-UI and AgentCall say it: once, in the engine, for both.

The schema `agentcall-server` has it too.
"""

import msgspec

from duologue.model import content, voice
from duologue.model.voice import Preflight


class _Part(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """The base of all; what was not measured is left out."""


class Figures(_Part, frozen=True, kw_only=True):
    """What an answer cost; `ttft_ms` is absent where there was no text."""

    ttft_ms: int | None = None
    duration_ms: int
    total_tokens: int
    tps: float
    quality_pass: bool
    language: str


class Latency(_Part, frozen=True, kw_only=True):
    """What a turn of a call waited for; see `model.voice.Latency`."""

    transcriber_ms: int | None = None
    turn_detection_ms: int | None = None
    model_ms: int | None = None
    cutting_ms: int | None = None
    voice_ms: int | None = None
    # Not left out at 0: all turns have it.
    total_ms: int
    preflight: Preflight | None = None
    preflight_tokens: int | None = None


def figures(measured: content.Figures) -> Figures:
    """Write what an answer cost."""
    return Figures(
        ttft_ms=measured.ttft_ms,
        duration_ms=measured.duration_ms,
        total_tokens=measured.total_tokens,
        tps=measured.tps,
        quality_pass=measured.quality_pass,
        language=measured.language,
    )


def latency(waited: voice.Latency | None) -> Latency | None:
    """Write what a turn waited for; `None` where no call was on when it began."""
    if waited is None:
        return None
    return Latency(
        transcriber_ms=waited.transcriber_ms,
        turn_detection_ms=waited.turn_detection_ms,
        model_ms=waited.model_ms,
        cutting_ms=waited.cutting_ms,
        voice_ms=waited.voice_ms,
        total_ms=waited.total_ms,
        preflight=waited.preflight,
        preflight_tokens=waited.preflight_tokens,
    )
