"""Piper for calls: whose turn it is, when words are spoken, and that its licence stays in its own process."""

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import aclosing

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.spoken import piper

from duologue.adapters.speech_piper import PiperOptions, PiperTextToSpeech
from duologue.adapters.speech_piper.words import WordStarts
from duologue.model.errors import SpeechError
from duologue.testing.text_to_speech_suite import TEXT, spoken

pytestmark = pytest.mark.anyio

SOUNDS = {"the": "ðə", "evening": "ˈiːvnɪŋ", "in": "ɪn", "42": "fˈɔːɹɾi tˈuː", "pizzas": "pˈiːtsəz", "yes": "jˈɛs"}
"""What espeak says to some words by themselves."""


def alone(word: str) -> list[list[str]]:
    return [list(SOUNDS.get(word.strip(".,").lower(), word))]


def test_words_begin_where_their_sounds_do() -> None:
    text = "42 pizzas in the evening. Yes."
    sentences = [list("fˈɔːɹɾi tˈuː pˈiːtsəz ɪnðɪ ˈiːvnɪŋ."), list("jˈɛs.")]
    starts = WordStarts(text, sentences, alone)
    first = ["".join(sentences[0][begin:end]) for _, begin, end in starts.in_sentence(0)]
    assert first == ["fˈɔːɹɾi tˈu", "pˈiːtsəz", "ɪn", "ðɪ", "iːvnɪŋ"]
    assert [(word, begin) for word, begin, _ in starts.in_sentence(1)] == [(5, 0)]


@given(st.text("abc .,42", max_size=40), st.text("abcdeˈ .", max_size=40))
def test_words_begin_in_order_whatever_is_spoken(text: str, sounds: str) -> None:
    sentences = [list(part) for part in sounds.split(".")]
    starts = WordStarts(text, sentences, alone)
    found = [entry for number in range(len(sentences)) for entry in starts.in_sentence(number)]
    assert [word for word, _, _ in found] == sorted({word for word, _, _ in found})
    assert all(begin < end for _, begin, end in found)


def test_duologue_does_not_import_piper() -> None:
    script = (
        "import sys, duologue.adapters.speech_piper as made; made.PiperTextToSpeech(made.PiperOptions(voice='x'));"
        "print([name for name in sys.modules if name.split('.')[0] in ('piper', 'onnx', 'onnxruntime', 'numpy')])"
    )
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert shown.stdout.strip() == "[]"


async def test_a_voice_that_is_not_there_is_said_to_be_so() -> None:
    piper()
    voice = PiperTextToSpeech(PiperOptions(voice="nowhere.onnx"))
    with pytest.raises(SpeechError, match=r"nowhere\.onnx and nowhere\.onnx\.json have to be there") as raised:
        await voice.warm()
    assert not raised.value.retryable
    await voice.aclose()


@pytest.mark.counterpart("piper-tts")
async def test_a_dead_process_fails_its_texts_and_speaks_the_next() -> None:
    voice = piper()
    async with asyncio.timeout(100), aclosing(voice.speak(TEXT, "en")) as stream:
        await anext(stream)
        assert voice.pid is not None
        os.kill(voice.pid, signal.SIGKILL)
        with pytest.raises(SpeechError, match="process ended"):
            async for _ in stream:
                pass
        said = await spoken(voice, TEXT)
    assert [TEXT[word.begin_char : word.end_char] for word in said.words] == TEXT.split()
    await voice.aclose()


@pytest.mark.counterpart("piper-tts")
async def test_a_short_text_does_not_wait_for_a_long_one() -> None:
    voice = piper()
    await voice.warm()
    done: list[str] = []

    async def speak(name: str, text: str) -> None:
        await spoken(voice, text)
        done.append(name)

    async with asyncio.TaskGroup() as group:
        group.create_task(speak("long", "This is one sentence. " * 6))
        group.create_task(speak("short", "Yes."))
    assert done == ["short", "long"]
    await voice.aclose()
