"""What Piper speaks is understood by Whisper, nearly word for word, and its words are where Whisper hears them."""

import asyncio
import importlib
from collections.abc import Callable
from statistics import median
from typing import Any, Final

import pytest
from tests.spoken import piper, samples, understood, word_error_rate

from duologue.adapters.speech_whisper import packaged_model
from duologue.engine.speakable import Speakable
from duologue.model import audio
from duologue.model.speech import Spoken, WordTime
from duologue.testing.speech_to_text_suite import Sample
from duologue.testing.text_to_speech_suite import spoken

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.counterpart("piper-tts", "faster-whisper")]

SAID: Final = (
    "I would like to book a table for two people tomorrow evening.",
    "Can you tell me how to install the server on my machine?",
    "The quick brown fox jumps over the lazy dog.",
    "How long may an answer take, and how long may it be?",
    "Where does the knowledge agent take its answers from?",
    "Thanks, that is all I wanted to know.",
)

ANSWER: Final = (
    "**Duologue** is a server for conversations. A conversation is one journal, and everything else follows from it. "
    "See [the documentation](https://example.com/docs) for more; it has pages about agents, sessions and voice."
)

MOST_ERRORS: Final = 0.15
"""Word error rate at most, of a voice of medium quality in the smallest Whisper; measured 0.00 to 0.07, 2026-11-30."""

WORD_MS: Final = 150
"""How far Piper's word times may lie from Whisper's at the median; its own are steps of 20 ms."""


@pytest.fixture(scope="module")
def said() -> tuple[Sample, ...]:
    return samples(SAID)


async def test_what_a_person_says_is_understood(
    said: tuple[Sample, ...], record_property: Callable[[str, object], None]
) -> None:
    heard = await understood(*(sample.pcm for sample in said))
    pairs = [(sample.text, text) for sample, text in zip(said, heard, strict=True)]
    assert word_error_rate(pairs, record_property) <= MOST_ERRORS


async def test_an_answer_that_is_cut_and_spoken_is_understood(
    record_property: Callable[[str, object], None],
) -> None:
    speakable = Speakable()
    pieces = [piece for word in ANSWER.split(" ") for piece in speakable.feed(f"{word} ")] + speakable.finish()
    assert len(pieces) > 2
    voice = piper()
    sounds = [await spoken(voice, piece.text) for piece in pieces]
    await voice.aclose()
    heard = await understood(*(sound.pcm for sound in sounds))
    pairs = [(piece.text, text) for piece, text in zip(pieces, heard, strict=True)]
    assert word_error_rate(pairs, record_property) <= MOST_ERRORS
    words = [
        ANSWER[slice(*piece.place(word.begin_char, word.end_char))]
        for piece, sound in zip(pieces, sounds, strict=True)
        for word in sound.words
    ]
    assert words[:3] == ["Duologue", "is", "a"]
    assert "documentation" in words


async def test_words_are_where_whisper_hears_them() -> None:
    voice = piper()
    text = SAID[0]
    sound = await spoken(voice, text)
    await voice.aclose()
    ours = {text[word.begin_char : word.end_char].strip(".,").lower(): word for word in sound.words}
    theirs = await asyncio.to_thread(whispers_words, sound)
    known = [(ours[word], begin_ms) for word, begin_ms in theirs if word in ours]
    assert len(known) >= 8
    assert median(distance(word, begin_ms) for word, begin_ms in known) <= WORD_MS


def distance(word: WordTime, begin_ms: int) -> int:
    """How far two begins of a word lie apart."""
    return abs(word.begin_ms - begin_ms)


def whispers_words(sound: Spoken) -> list[tuple[str, int]]:
    """Where Whisper by itself hears words, by its attention to the sound."""
    numpy: Any = importlib.import_module("numpy")
    faster_whisper: Any = importlib.import_module("faster_whisper")
    model = faster_whisper.WhisperModel(str(packaged_model()), device="cpu", compute_type="int8", cpu_threads=1)
    samples_ = numpy.frombuffer(sound.pcm, dtype="<i2").astype(numpy.float32) / 32_768
    segments, _ = model.transcribe(samples_, language="en", word_timestamps=True)
    found = [(str(word.word).strip(" .,").lower(), int(word.start * 1000)) for part in segments for word in part.words]
    assert len(sound.pcm) // audio.BYTES_PER_MS > found[-1][1]
    return found
