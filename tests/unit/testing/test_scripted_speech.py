"""Scripted ears and voices keep the ports' contracts, on virtual time."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from duologue.model.audio import BYTES_PER_MS
from duologue.model.errors import SpeechError
from duologue.model.speech import Heard, Spoken
from duologue.ports.end_of_turn import EndOfTurn
from duologue.ports.speech_to_text import SpeechToText, Transcription
from duologue.ports.text_to_speech import TextToSpeech
from duologue.ports.voice_activity import VoiceActivity
from duologue.testing.scripted_speech import (
    LOUD,
    STILL,
    Partial,
    ScriptedEndOfTurn,
    ScriptedSpeechToText,
    ScriptedTextToSpeech,
    ScriptedVoiceActivity,
    Segment,
    Windows,
    silence,
    speech,
)
from duologue.testing.virtual_time import VirtualLoop


# Any: what a coroutine yields to the loop is the loop's own business.
def on_virtual_time(work: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(work)


def test_they_are_what_the_ports_ask_for() -> None:
    activity: VoiceActivity[Windows] = ScriptedVoiceActivity()
    ear: SpeechToText = ScriptedSpeechToText()
    voice: TextToSpeech = ScriptedTextToSpeech()
    judge: EndOfTurn = ScriptedEndOfTurn()
    assert (activity.window_samples, ear.name, voice.name) == (512, "scripted", "scripted")
    assert judge


def test_a_tone_is_speech_and_nothing_is_silence() -> None:
    activity = ScriptedVoiceActivity()
    states = [activity.new_state(), activity.new_state()]
    assert activity.probabilities(states, [speech(32), silence(32)]) == [LOUD, STILL]
    assert [state.count for state in states] == [1, 1]
    assert activity.batches == [2]
    assert len(speech(37)) == len(silence(37)) == 37 * BYTES_PER_MS


async def first(transcription: Transcription) -> Heard:
    async for heard in transcription.heard():
        return heard
    raise AssertionError("nothing was heard")


def test_a_segment_is_understood_step_by_step() -> None:
    async def work() -> None:
        script = [Segment(text="cancel my order, no", partials=(Partial(text="cancel my order", at_ms=60),))]
        ear = ScriptedSpeechToText(script).open("en")
        for _ in range(2):
            ear.push(speech(20))
        assert ear.pushed_bytes == 40 * BYTES_PER_MS
        heard = ear.heard()
        ear.push(speech(20))
        assert await anext(heard) == Heard(segment=1, text="cancel my order", final=False)
        began = asyncio.get_running_loop().time()
        assert ear.finish() == 1
        final = await anext(heard)
        assert (final.segment, final.text, final.final, final.stt_ms) == (1, "cancel my order, no", True, 50)
        assert asyncio.get_running_loop().time() - began == pytest.approx(0.05)
        assert ear.finish() == 2
        assert (await anext(heard)).text == ""
        await ear.aclose()
        assert [late async for late in heard] == []

    on_virtual_time(work())


def test_what_was_dropped_is_understood_when_it_is_said_again() -> None:
    async def work() -> None:
        ear = ScriptedSpeechToText([Segment(text="hello", partials=(Partial(text="hel", at_ms=40),))]).open(None)
        ear.push(speech(20))
        ear.drop()
        ear.push(speech(20))
        ear.push(speech(20))
        assert (await first(ear)).text == "hel"
        assert ear.dropped == 1

    on_virtual_time(work())


def test_a_final_may_fail() -> None:
    async def work() -> None:
        ear = ScriptedSpeechToText([Segment(text="", fails=True)]).open(None)
        ear.finish()
        with pytest.raises(SpeechError):
            await first(ear)

    on_virtual_time(work())


def test_each_word_is_a_tone_with_its_time() -> None:
    async def work() -> None:
        voice = ScriptedTextToSpeech(word_ms=200)
        spoken = [part async for part in voice.speak("one  two", None)]
        assert [len(part.pcm) // BYTES_PER_MS for part in spoken] == [200, 200]
        times = [(word.begin_char, word.end_char, word.begin_ms, word.end_ms) for part in spoken for word in part.words]
        assert times == [(0, 3, 0, 200), (5, 8, 200, 400)]
        assert (voice.texts, voice.words, voice.closed) == (["one  two"], 2, 0)

    on_virtual_time(work())


def test_a_voice_may_fail_and_may_be_left() -> None:
    async def work() -> None:
        voice = ScriptedTextToSpeech(fails_at=1, times=False)
        said = voice.speak("one two", None)
        assert (await anext(said)) == Spoken(pcm=speech(300))
        with pytest.raises(SpeechError):
            await anext(said)
        left = voice.speak("three four", None)
        await anext(left)
        await left.aclose()
        assert voice.closed == 2

    on_virtual_time(work())


def test_the_judge_is_asked_and_answers() -> None:
    async def work() -> None:
        judge = ScriptedEndOfTurn(lambda text: 0.9 if text.endswith(".") else 0.1, delay_ms=10)
        assert await judge.probability(b"", "So, and then") == 0.1
        assert await judge.probability(b"", "Done.") == 0.9
        assert judge.asked == ["So, and then", "Done."]

    on_virtual_time(work())
