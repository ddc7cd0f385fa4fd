"""Speech for tests: Piper's, of the packaged voice, made once in each process."""

import asyncio
import importlib.util
from functools import cache
from typing import Final

import pytest

from duologue.adapters.speech_piper import PiperOptions, PiperTextToSpeech, packaged_voice
from duologue.adapters.speech_whisper import WhisperOptions, WhisperSpeechToText, packaged_model
from duologue.adapters.speech_whisper.options import PARTIAL_MS
from duologue.testing.speech_to_text_suite import Sample
from duologue.testing.text_to_speech_suite import spoken

SENTENCES: Final = (
    "I would like to book a table for two people tomorrow evening.",
    "How do you install the server on my machine?",
)


def piper() -> PiperTextToSpeech:
    """Make the voice, or skip the test where it is not installed."""
    voice = packaged_voice()
    if voice is None or importlib.util.find_spec("piper") is None:
        pytest.skip("Piper and its packaged voice are not installed: the extra piper, and the group voices")
    return PiperTextToSpeech(PiperOptions(voice=str(voice)))


def whisper(*, partial_ms: int = PARTIAL_MS) -> WhisperSpeechToText:
    """Make the recogniser, or skip the test where it is not installed."""
    model = packaged_model()
    if model is None or importlib.util.find_spec("faster_whisper") is None:
        pytest.skip("faster-whisper and its packaged model are not installed: the extra speech, and the group voices")
    return WhisperSpeechToText(WhisperOptions(model=str(model), partial_ms=partial_ms))


@cache
def samples(texts: tuple[str, ...] = SENTENCES) -> tuple[Sample, ...]:
    """Have some texts spoken. Call it outside of a running event loop."""
    return asyncio.run(_samples(texts))


async def _samples(texts: tuple[str, ...]) -> tuple[Sample, ...]:
    voice = piper()
    try:
        return tuple([Sample(text=text, pcm=(await spoken(voice, text)).pcm) for text in texts])
    finally:
        await voice.aclose()
