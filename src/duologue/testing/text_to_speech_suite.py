"""The suite of the port `TextToSpeech`: what every voice must do, as async checks.

@pytest.mark.parametrize("check", TEXT_TO_SPEECH_CHECKS, ids=lambda check: check.__name__)
async def test_my_voice(check):
    await check(lambda: MyVoice())
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from itertools import pairwise
from typing import Final, TypeAlias

from duologue.model import audio, limits
from duologue.model.errors import SpeechError
from duologue.model.speech import Spoken, WordTime
from duologue.ports.text_to_speech import TextToSpeech

VoiceFactory: TypeAlias = Callable[[], TextToSpeech]
"""Makes a voice; it is closed after each check."""

VoiceCheck: TypeAlias = Callable[[VoiceFactory], Awaitable[None]]

TEXT: Final = "Hello there, this is a short sentence. And here is another one."

_SLACK_MS: Final = 100
"""How far a word may seem to end after the sound: times are rounded, and resampling cuts the end."""


@asynccontextmanager
async def opened(make: VoiceFactory) -> AsyncGenerator[TextToSpeech]:
    """Make a voice for a block."""
    voice = make()
    try:
        yield voice
    finally:
        await voice.aclose()


async def spoken(voice: TextToSpeech, text: str) -> Spoken:
    """Speak all of a text."""
    parts = [part async for part in voice.speak(text, "en")]
    words = tuple(word for part in parts for word in part.words)
    return Spoken(pcm=b"".join(part.pcm for part in parts), words=words)


async def check_a_text_becomes_sound(make: VoiceFactory) -> None:
    """Whole samples, of a length that such a text may have, and not silence."""
    async with opened(make) as voice:
        await voice.warm()
        await voice.warm()
        assert voice.name
        pcm = (await spoken(voice, TEXT)).pcm
        assert len(pcm) % audio.SAMPLE_BYTES == 0
        assert 1_000 <= len(pcm) / audio.BYTES_PER_MS <= 20_000
        assert max(pcm[1::2]) > 0


async def check_words_come_in_order_and_lie_in_text_and_sound(make: VoiceFactory) -> None:
    """Where the voice gives word times at all."""
    async with opened(make) as voice:
        said = await spoken(voice, TEXT)
        assert all(word.begin_char < word.end_char <= len(TEXT) for word in said.words)
        assert all(word.begin_ms <= word.end_ms for word in said.words)
        assert all(_follows(first, second) for first, second in pairwise(said.words))
        end_ms = len(said.pcm) / audio.BYTES_PER_MS + _SLACK_MS
        assert all(word.end_ms <= end_ms for word in said.words)


def _follows(first: WordTime, second: WordTime) -> bool:
    return first.end_char <= second.begin_char and first.begin_ms <= second.begin_ms


async def check_nothing_to_say_is_no_sound(make: VoiceFactory) -> None:
    """And no error: an answer may be a row of dots."""
    async with opened(make) as voice:
        assert (await spoken(voice, "")).pcm == b""
        assert (await spoken(voice, " ... ")).pcm == b""


async def check_several_speak_at_once(make: VoiceFactory) -> None:
    """Each text gets its own sound, whole."""
    async with opened(make) as voice:
        texts = ("One.", TEXT, TEXT)
        short, *long = await asyncio.gather(*(spoken(voice, text) for text in texts))
        assert all(len(one.pcm) > len(short.pcm) > 0 for one in long)


async def check_who_is_interrupted_lets_go(make: VoiceFactory) -> None:
    """After a generator was closed in the middle, or before anything came, the voice speaks on."""
    async with opened(make) as voice:
        for taken in range(2):
            async with asyncio.timeout(limits.WORKER_START_MS / 1000), aclosing(voice.speak(TEXT, "en")) as stream:
                for _ in range(taken):
                    await anext(stream)
        waiting = asyncio.ensure_future(spoken(voice, TEXT))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
        assert waiting.cancelled()
        assert (await spoken(voice, TEXT)).pcm


async def check_a_text_that_is_too_long_is_refused(make: VoiceFactory) -> None:
    """With an error that says so, before anything is spoken."""
    async with opened(make) as voice:
        refused: list[SpeechError] = []
        try:
            await spoken(voice, "a" * (limits.PIECE_CHARS + 1))
        except SpeechError as error:
            refused.append(error)
        assert [error.retryable for error in refused] == [False]


TEXT_TO_SPEECH_CHECKS: Final[tuple[VoiceCheck, ...]] = (
    check_a_text_becomes_sound,
    check_words_come_in_order_and_lie_in_text_and_sound,
    check_nothing_to_say_is_no_sound,
    check_several_speak_at_once,
    check_who_is_interrupted_lets_go,
    check_a_text_that_is_too_long_is_refused,
)
"""Every check of the suite."""
