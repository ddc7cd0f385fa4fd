"""Speech for tests: Piper's, of the packaged voice, made once in each process."""

import asyncio
import importlib.util
from collections.abc import Callable
from functools import cache
from typing import Final

import pytest

from duologue.adapters.speech_piper import PiperOptions, PiperTextToSpeech, packaged_voice
from duologue.adapters.speech_whisper import WhisperOptions, WhisperSpeechToText, packaged_model
from duologue.adapters.speech_whisper.options import PARTIAL_MS
from duologue.testing.speech_to_text_suite import Sample, finals, push
from duologue.testing.text_to_speech_suite import spoken
from duologue.testing.word_errors import word_errors

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


async def understood(*sounds: bytes) -> list[str]:
    """Have sounds recognised, one segment each."""
    recogniser = whisper()
    transcription = recogniser.open("en")
    try:
        async with asyncio.timeout(100):
            for pcm in sounds:
                push(transcription, pcm)
                transcription.finish()
            return [heard.text for heard in await finals(transcription, len(sounds))]
    finally:
        await transcription.aclose()
        await recogniser.aclose()


def word_error_rate(pairs: list[tuple[str, str]], report: Callable[[str, object], None]) -> float:
    """The word error rate over several texts, put into the test's report."""
    counted = [word_errors(expected, heard) for expected, heard in pairs]
    found = sum(errors for errors, _ in counted) / sum(words for _, words in counted)
    report("word_error_rate", round(found, 3))
    print(f"word error rate {found:.3f}:", *(f"\n  {expected!r} -> {heard!r}" for expected, heard in pairs))
    return found
