"""A recogniser that fails is followed by the next, which hears again what is not final."""

import asyncio

import pytest
from tests.unit.runtime.voice.scripted_vendors import BROKEN, REFUSED, Log, ScriptedRecogniser, on_virtual_time

from duologue.model import audio, limits
from duologue.model.errors import SpeechError
from duologue.model.speech import Heard
from duologue.ports.speech_to_text import Transcription
from duologue.runtime.voice.recogniser_chain import RecogniserChain


def chain(*recognisers: ScriptedRecogniser, log: Log | None = None) -> RecogniserChain:
    return RecogniserChain(recognisers, clock=asyncio.get_running_loop().time, log=log or Log())


async def finals(transcription: Transcription, within_s: float = 12) -> list[tuple[int, str]]:
    """What is heard within some seconds; fewer than a recogniser that failed rests."""
    found: list[Heard] = []
    stream = transcription.heard()
    try:
        async with asyncio.timeout(within_s):
            async for heard in stream:
                found.append(heard)
    except TimeoutError:
        await transcription.aclose()
    return [(heard.segment, heard.text) for heard in found if heard.final]


def say(transcription: Transcription, *texts: str) -> None:
    for text in texts:
        transcription.push(text[:1].encode())
        transcription.push(text[1:].encode())
        transcription.finish()


def test_the_next_recogniser_hears_what_is_not_final() -> None:
    async def scene() -> None:
        first, second, log = ScriptedRecogniser("first", 1), ScriptedRecogniser("second"), Log()
        transcription = chain(first, second, log=log).open("en")
        say(transcription, "one", "two", "three")
        assert await finals(transcription) == [(1, "one"), (2, "two"), (3, "three")]
        assert log.lines == [("speech_vendor_failed", "first")]
        assert second.opened == 1

    on_virtual_time(scene)


def test_an_open_segment_goes_on_with_the_next_one() -> None:
    async def scene() -> None:
        first, second = ScriptedRecogniser("first", 0), ScriptedRecogniser("second")
        transcription = chain(first, second).open("en")
        say(transcription, "one")
        transcription.push(b"noise")
        transcription.drop()
        transcription.push(b"t")
        listening = asyncio.ensure_future(finals(transcription))
        await asyncio.sleep(1)
        transcription.push(b"wo")
        assert transcription.finish() == 2
        assert await listening == [(1, "one"), (2, "two")]

    on_virtual_time(scene)


def test_a_final_that_does_not_come_is_asked_of_the_next_one() -> None:
    async def scene() -> None:
        first, second = ScriptedRecogniser("first", 0, error=None), ScriptedRecogniser("second")
        transcription = chain(first, second).open("en")
        listening = asyncio.ensure_future(finals(transcription, within_s=60))
        await asyncio.sleep(30)
        assert second.opened == 0
        say(transcription, "one")
        await asyncio.sleep(limits.VENDOR_MS / 1000 + 1)
        assert second.opened == 1
        assert await listening == [(1, "one")]

    on_virtual_time(scene)


def test_what_fails_everywhere_fails_in_the_end() -> None:
    async def scene() -> None:
        first, second = ScriptedRecogniser("first", *[0] * 9), ScriptedRecogniser("second", *[0] * 9, error=REFUSED)
        transcription = chain(first, second).open("en")
        say(transcription, "one")
        with pytest.raises(SpeechError):
            await finals(transcription)
        assert (first.opened, second.opened) == (2, 1)

    on_virtual_time(scene)


def test_who_failed_is_not_asked_by_the_next_call() -> None:
    async def scene() -> None:
        first, second = ScriptedRecogniser("first", 0), ScriptedRecogniser("second")
        chained = chain(first, second)
        for _ in range(2):
            transcription = chained.open("en")
            say(transcription, "one")
            assert await finals(transcription) == [(1, "one")]
            await transcription.aclose()
        assert (first.opened, second.opened) == (1, 2)

    on_virtual_time(scene)


def test_sound_is_kept_within_the_bound() -> None:
    async def scene() -> None:
        first, second = ScriptedRecogniser("first", 0), ScriptedRecogniser("second")
        transcription = chain(first, second).open("en")
        second_of_sound = b"." * 1_000 * audio.BYTES_PER_MS
        for _ in range(limits.SEGMENT_MS // 1_000 + 5):
            transcription.push(second_of_sound)
        transcription.finish()
        ((_, text),) = await finals(transcription)
        assert len(text) == limits.SEGMENT_MS * audio.BYTES_PER_MS

    on_virtual_time(scene)


def test_it_is_ready_and_closed_as_its_recognisers_are() -> None:
    async def scene() -> None:
        first, second = ScriptedRecogniser("first", 0), ScriptedRecogniser("second")
        chained = chain(first, second)
        await chained.warm()
        assert chained.name == "first+second"
        with pytest.raises(SpeechError) as raised:
            await chain(ScriptedRecogniser("broken", 0)).warm()
        assert raised.value is BROKEN
        await chained.aclose()
        assert first.closed
        assert second.closed

    on_virtual_time(scene)
