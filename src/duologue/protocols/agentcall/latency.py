"""What a turn waited for, as AgentCall tells it. `schemas/agentcall-server.schema.json` has it too."""

import msgspec

from duologue.model import voice
from duologue.model.voice import Preflight


class Latency(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """What a turn waited for; see `model.voice.Latency`."""

    transcriber_ms: int | None = None
    turn_detection_ms: int | None = None
    model_ms: int | None = None
    cutting_ms: int | None = None
    voice_ms: int | None = None
    # Not left out at 0: all turns have it.
    total_ms: int
    preflight: Preflight | None = None
    preflight_tokens: int | None = None


def latency(waited: voice.Latency) -> Latency:
    """Write what a turn waited for."""
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
