"""What a turn of a call waited for: each part measured once, from where the part before it ends."""

from duologue.engine.call_state import Speaking
from duologue.engine.state import OpenTurn
from duologue.model.voice import Latency


def measure(turn: OpenTurn) -> Latency | None:
    """Measure a turn that ends; `None` where no call was on when it began."""
    voice = turn.voice
    if voice is None:
        return None
    hit = voice.preflight == "hit"
    transcriber_ms, detection_ms = _listening(voice)
    first_ms = turn.response.first_text_ms if turn.first_text_ms is None else turn.first_text_ms
    began_ms = voice.accepted_ms if first_ms is None or hit else first_ms
    cutting_ms, voice_ms = _speaking(voice, began_ms)
    parts = {
        "transcriber_ms": transcriber_ms,
        "turn_detection_ms": detection_ms,
        "model_ms": None if first_ms is None or hit else first_ms - voice.accepted_ms,
        "cutting_ms": cutting_ms,
        "voice_ms": voice_ms,
    }
    return Latency(
        **parts,
        total_ms=sum(part for part in parts.values() if part is not None),
        preflight=voice.preflight,
        preflight_tokens=voice.preflight_tokens if hit else None,
    )


def _listening(voice: Speaking) -> tuple[int | None, int | None]:
    """From the end of speech to its final, and from there to the turn; an end that came with the final took nothing."""
    if voice.speech_end_ms is None or voice.final_ms is None:
        return None, None
    final_ms = max(voice.final_ms, voice.speech_end_ms)
    return final_ms - voice.speech_end_ms, (voice.accepted_ms - final_ms) or None


def _speaking(voice: Speaking, began_ms: int) -> tuple[int | None, int | None]:
    """From the first words to the first piece, and from there to its sound."""
    if voice.first_sound_ms is None:
        return None, None
    waited_ms = voice.first_sound_ms - began_ms
    voice_ms = min(voice.voice_ms, waited_ms)
    return (waited_ms - voice_ms) or None, voice_ms
