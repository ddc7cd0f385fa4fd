"""A voice that fails in the middle of a sentence is followed by the next, which goes on where it stopped."""

import asyncio

import pytest
from tests.unit.runtime.voice.scripted_vendors import BROKEN, REFUSED, WORD_MS, Log, ScriptedVoice, on_virtual_time

from duologue.model import audio, limits
from duologue.model.errors import SpeechError
from duologue.model.speech import Spoken
from duologue.runtime.voice.voice_chain import VoiceChain

TEXT = "One two three four five."


def chain(*voices: ScriptedVoice, log: Log | None = None) -> VoiceChain:
    return VoiceChain(voices, clock=asyncio.get_running_loop().time, log=log or Log())


async def spoken(chained: VoiceChain, text: str = TEXT) -> list[Spoken]:
    return [part async for part in chained.speak(text, "en")]


def said(parts: list[Spoken], text: str = TEXT) -> list[tuple[str, int]]:
    return [(text[word.begin_char : word.end_char], word.begin_ms) for part in parts for word in part.words]


def test_the_next_voice_goes_on_with_the_words_that_were_not_spoken() -> None:
    async def scene() -> None:
        first, second, log = ScriptedVoice("first", 2), ScriptedVoice("second"), Log()
        parts = await spoken(chain(first, second, log=log))
        assert second.texts == ["three four five."]
        assert said(parts) == [(word, place * WORD_MS) for place, word in enumerate(TEXT.split())]
        assert sum(len(part.pcm) for part in parts) == 5 * WORD_MS * audio.BYTES_PER_MS
        assert log.lines == [("speech_vendor_failed", "first")]

    on_virtual_time(scene)


def test_where_there_are_no_word_times_no_word_is_left_out() -> None:
    async def scene() -> None:
        first, second = ScriptedVoice("first", 2, says_words=False), ScriptedVoice("second")
        await spoken(chain(first, second))
        # 800 ms are ten letters: `three` would end with the eleventh.
        assert second.texts == ["three four five."]

    on_virtual_time(scene)


def test_a_voice_that_falls_silent_is_not_waited_for() -> None:
    async def scene() -> None:
        first, second = ScriptedVoice("first", 1, error=None), ScriptedVoice("second")
        begun = asyncio.get_running_loop().time()
        await spoken(chain(first, second))
        assert second.texts == ["two three four five."]
        assert asyncio.get_running_loop().time() - begun < limits.VENDOR_MS / 1000 + 1

    on_virtual_time(scene)


def test_who_failed_is_asked_last_for_a_while_and_longer_each_time() -> None:
    async def scene() -> None:
        loop = asyncio.get_running_loop()
        first, second = ScriptedVoice("first", 0, 0), ScriptedVoice("second")
        chained = chain(first, second)
        rest_s = limits.VENDOR_REST_MS / 1000
        asked: list[int] = []
        for pause_s in (0, rest_s / 2, rest_s, rest_s, rest_s * 2):
            await asyncio.sleep(pause_s)
            await spoken(chained)
            asked.append(len(first.texts))
        assert asked == [1, 1, 2, 2, 3]
        assert loop.time() > 0

    on_virtual_time(scene)


def test_a_single_voice_is_asked_again_with_the_rest() -> None:
    async def scene() -> None:
        only = ScriptedVoice("only", 1, 1)
        parts = await spoken(chain(only))
        assert only.texts == [TEXT, "two three four five.", "three four five."]
        assert [word for word, _ in said(parts)] == TEXT.split()

    on_virtual_time(scene)


def test_what_fails_everywhere_fails_in_the_end() -> None:
    async def scene() -> None:
        first, second = ScriptedVoice("first", *[0] * 9), ScriptedVoice("second", *[0] * 9, error=REFUSED)
        with pytest.raises(SpeechError):
            await spoken(chain(first, second))
        assert (len(first.texts), len(second.texts)) == (2, 1)

    on_virtual_time(scene)


def test_nothing_is_asked_where_all_was_spoken() -> None:
    async def scene() -> None:
        first, second = ScriptedVoice("first", 5), ScriptedVoice("second")
        await spoken(chain(first, second))
        assert second.texts == []

    on_virtual_time(scene)


def test_it_is_ready_and_closed_as_its_voices_are() -> None:
    async def scene() -> None:
        first, second = ScriptedVoice("first", 0), ScriptedVoice("second")
        chained = chain(first, second)
        await chained.warm()
        assert chained.name == "first+second"
        with pytest.raises(SpeechError) as raised:
            await chain(ScriptedVoice("broken", 0)).warm()
        assert raised.value is BROKEN
        await chained.aclose()
        assert first.closed
        assert second.closed

    on_virtual_time(scene)
