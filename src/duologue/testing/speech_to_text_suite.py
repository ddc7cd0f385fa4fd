"""The suite of the port `SpeechToText`: what every recogniser must do, as async checks.

@pytest.mark.parametrize("check", SPEECH_TO_TEXT_CHECKS, ids=lambda check: check.__name__)
async def test_my_recogniser(check):
    await check(lambda: MyRecogniser(), (Sample(text="what is said", pcm=its_sound), Sample(...)))
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Final, TypeAlias

from duologue.model import audio
from duologue.model.base import Value
from duologue.model.speech import Heard
from duologue.ports.speech_to_text import SpeechToText, Transcription
from duologue.testing.word_errors import word_errors


class Sample(Value, kw_only=True):
    """Some speech, and what is said in it. PCM16 at 16 kHz; no two of a check's samples share a word."""

    text: str
    pcm: bytes


RecogniserFactory: TypeAlias = Callable[[], SpeechToText]
"""Makes a recogniser; it is closed after each check."""

RecogniserCheck: TypeAlias = Callable[[RecogniserFactory, Sequence[Sample]], Awaitable[None]]

WAIT_S: Final = 60
"""How long a check waits for a final: a model may still be loading."""


@asynccontextmanager
async def opened(make: RecogniserFactory, count: int = 1) -> AsyncGenerator[list[Transcription]]:
    """Make a recogniser with some transcriptions for a block."""
    recogniser = make()
    transcriptions = [recogniser.open("en") for _ in range(count)]
    try:
        async with asyncio.timeout(WAIT_S):
            yield transcriptions
    finally:
        for transcription in transcriptions:
            await transcription.aclose()
            await transcription.aclose()
        await recogniser.aclose()


def push(transcription: Transcription, pcm: bytes) -> None:
    """Push sound frame by frame, as a call does."""
    for begin in range(0, len(pcm), audio.FRAME_BYTES):
        transcription.push(pcm[begin : begin + audio.FRAME_BYTES])


async def finals(transcription: Transcription, count: int) -> list[Heard]:
    """Wait for some finals."""
    found: list[Heard] = []
    async with aclosing(transcription.heard()) as stream:
        async for heard in stream:
            found += [heard] if heard.final else []
            if len(found) == count:
                break
    return found


def is_about(heard: Heard, sample: Sample) -> bool:
    """Whether at least half of the words were understood: a small model errs."""
    errors, words = word_errors(sample.text, heard.text)
    return 2 * errors <= words


async def check_each_finish_gives_one_final(make: RecogniserFactory, samples: Sequence[Sample]) -> None:
    """In order, and of its own segment; also where nothing was said."""
    first, second = samples[:2]
    async with opened(make) as (transcription,):
        push(transcription, first.pcm)
        numbers = [transcription.finish(), transcription.finish()]
        push(transcription, second.pcm)
        numbers.append(transcription.finish())
        found = await finals(transcription, 3)
        assert [heard.segment for heard in found] == numbers == [1, 2, 3]
        assert is_about(found[0], first)
        assert found[1].text == ""
        assert is_about(found[2], second)
        assert all(heard.confidence is None or 0 <= heard.confidence <= 1 for heard in found)
        assert all(heard.stt_ms >= 0 for heard in found)


async def check_silence_says_nothing(make: RecogniserFactory, samples: Sequence[Sample]) -> None:
    """A second of it."""
    del samples
    async with opened(make) as (transcription,):
        push(transcription, bytes(1_000 * audio.BYTES_PER_MS))
        transcription.finish()
        (heard,) = await finals(transcription, 1)
        assert heard.text == ""


async def check_what_is_dropped_is_not_heard(make: RecogniserFactory, samples: Sequence[Sample]) -> None:
    """Neither in a final; and its number stays."""
    first, second = samples[:2]
    async with opened(make) as (transcription,):
        push(transcription, first.pcm)
        transcription.drop()
        push(transcription, second.pcm)
        assert transcription.finish() == 1
        (heard,) = await finals(transcription, 1)
        assert is_about(heard, second)
        assert not is_about(heard, first)


async def check_calls_do_not_mix(make: RecogniserFactory, samples: Sequence[Sample]) -> None:
    """Several at once, each with speech of its own."""
    async with opened(make, len(samples)) as transcriptions:
        for transcription, sample in zip(transcriptions, samples, strict=True):
            push(transcription, sample.pcm)
            transcription.finish()
        found = await asyncio.gather(*(finals(transcription, 1) for transcription in transcriptions))
        assert all(is_about(heard, sample) for (heard,), sample in zip(found, samples, strict=True))


async def check_closing_ends_it(make: RecogniserFactory, samples: Sequence[Sample]) -> None:
    """Whoever listens is told; speech that is pushed later harms nothing."""
    async with opened(make) as (transcription,):
        listening = asyncio.ensure_future(finals(transcription, 1))
        await asyncio.sleep(0)
        await transcription.aclose()
        assert await listening == []
        push(transcription, samples[0].pcm)


SPEECH_TO_TEXT_CHECKS: Final[tuple[RecogniserCheck, ...]] = (
    check_each_finish_gives_one_final,
    check_silence_says_nothing,
    check_what_is_dropped_is_not_heard,
    check_calls_do_not_mix,
    check_closing_ends_it,
)
"""Every check of the suite."""
