"""What a spoken conversation needs: models that listen, understand and speak, and the codecs that carry sound."""

import asyncio
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from duologue.adapters.speech_piper import packaged_voice
from duologue.adapters.speech_silero import find_model as find_activity
from duologue.adapters.speech_silero import load_silero
from duologue.adapters.speech_smart_turn import find_model as find_turns
from duologue.adapters.speech_smart_turn import load_smart_turn
from duologue.adapters.speech_whisper import packaged_model
from duologue.model.audio import RATE_HZ, SAMPLE_BYTES
from duologue.model.errors import SpeechError
from duologue.server.doctor.findings import Finding, fail, note, ok, warn
from duologue.server.settings_voice import VoiceSettings
from duologue.server.voice_parts import BETTER, missing, uses_test_models

WINDOWS: Final = 20
"""How often a window of sound is judged to see how long it takes."""

SLOW_SHARE: Final = 0.1
"""Share of real time that the voice activity of one call may take; above it a server carries only few calls."""

SILENCE: Final = bytes(RATE_HZ * SAMPLE_BYTES)
"""A second in which nobody speaks."""

OPUS: Final = "libopus"
"""The codec of WebRTC, as FFmpeg names the library."""

SOUND_CARDS: Final = Path("/proc/asound/cards")
"""Where Linux lists what can record and play. Source: Linux, sound/proc.rst."""

_CARD: Final = re.compile(r"^ *\d+ \[.*?\]: (.+)$", re.MULTILINE)


def look(settings: VoiceSettings) -> Iterator[Finding]:
    """Look whether calls can be offered; load what listens, and try it on silence. Nothing is downloaded."""
    if settings.enabled == "off":
        yield note("voice.offered", "calls are switched off", 'only if they are wanted: voice.enabled = "auto"')
        return
    yield offered(settings)
    yield activity(settings.vad_model)
    yield turns(settings.end_of_turn_model, wanted=settings.end_of_turn == "smart_turn")
    if "whisper" in settings.stt:
        yield whisper(settings.whisper_model)
    if "piper" in settings.tts:
        yield piper(settings.piper_voice)
    yield codecs()
    yield devices()


def offered(settings: VoiceSettings) -> Finding:
    """Say whether the server takes calls, and if not, what is missing."""
    lacking = "\n".join(missing(settings))
    if not lacking:
        tried = "; the models are for trying" if uses_test_models(settings) else ""
        shown = f"calls are offered; {', '.join(settings.stt)} understands, {', '.join(settings.tts)} speaks{tried}"
        return note("voice.offered", shown, BETTER) if tried else ok("voice.offered", shown)
    if settings.enabled == "on":
        return fail("voice.offered", 'voice.enabled is "on", and something is missing; it will not start', lacking)
    return note("voice.offered", "calls are not offered", lacking)


def whisper(model: str) -> Finding:
    """Look where Whisper's model is; it is not loaded, which takes seconds."""
    check = "voice.recognition"
    place = Path(model).expanduser() if model else packaged_model()
    if place is None:
        return note(check, "no model of Whisper", "set voice.whisper_model to a folder, or to one downloaded before")
    if place.is_dir() and not (place / "model.bin").is_file():
        return fail(check, f"{place} holds no model.bin", "name a folder with a model in CTranslate2's format")
    if not place.is_dir() and model.startswith(("/", "~", ".")):
        return fail(check, f"there is no folder {place}", "name a folder with a model in CTranslate2's format")
    return ok(check, f"Whisper: {place}")


def piper(voice: str) -> Finding:
    """Look where Piper's voice is; it is not loaded: that is for its own process."""
    check = "voice.speech"
    place = Path(voice).expanduser() if voice else packaged_voice()
    if place is None:
        return note(check, "no voice of Piper", "set voice.piper_voice to an .onnx file, with its .onnx.json beside it")
    for wanted in (place, place.with_name(place.name + ".json")):
        if not wanted.is_file():
            return fail(check, f"there is no file {wanted}", "a voice of Piper is two files, .onnx and .onnx.json")
    return ok(check, f"Piper: {place}")


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


def turns(path: str = "", *, wanted: bool = False) -> Finding:
    """Look at the model that hears whether a person has finished; empty for the one of a package."""
    check = "voice.end_of_turn"
    if not path and not wanted and find_turns() is None:
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


def devices(listed: Path = SOUND_CARDS) -> Finding:
    """Say what this machine can record and play with: a server needs none, who talks in a browser on it does."""
    check, whose = "voice.devices", "calls use the microphone and loudspeaker of who calls"
    try:
        cards = _CARD.findall(listed.read_text(errors="replace"))
    except OSError:
        return note(check, "this system does not list its audio devices", f"nothing to do: {whose}")
    if not cards:
        return note(check, "this machine has no audio device", f"nothing to do on a server: {whose}")
    return ok(check, f"audio devices here: {', '.join(cards)}; {whose}")


def _timed(work: Callable[[], float]) -> tuple[float, float]:
    """Do something; give what came of it, and how many ms it took."""
    began_s = time.perf_counter()
    return work(), (time.perf_counter() - began_s) * 1000
