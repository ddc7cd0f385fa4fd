"""Voices and recognisers that fail when they are told to."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Final

from duologue.engine.word_times import word_ranges
from duologue.model import audio
from duologue.model.errors import SpeechError
from duologue.model.speech import Heard, Spoken, WordTime
from duologue.ports.speech_to_text import SpeechToText, Transcription
from duologue.testing.virtual_time import VirtualLoop

WORD_MS: Final = 400
"""How long each word takes, and how long it takes to make."""

BROKEN: Final = SpeechError("it broke")
REFUSED: Final = SpeechError("it cannot do this", retryable=False)


def on_virtual_time(scene: Callable[[], Coroutine[None, None, None]]) -> None:
    """Run a scene in which waiting costs nothing."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(scene())


class Log:
    """Keeps what is logged."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, object]] = []

    def __call__(self, event: str, **fields: object) -> None:
        self.lines.append((event, fields["vendor"]))


class ScriptedVoice:
    """Says each word in 400 ms of sound.

    Args:
        fails_after: of each text, how many words it says before it fails; one entry is used for each text, then none.
        says_words: whether it gives word times.
        error: with what it fails; `None` lets it fall silent for an hour.
    """

    def __init__(
        self, name: str, *fails_after: int, says_words: bool = True, error: SpeechError | None = BROKEN
    ) -> None:
        self.name = name
        self.texts: list[str] = []
        self.closed = False
        self._fails_after = list(fails_after)
        self._says_words = says_words
        self._error = error

    async def speak(self, text: str, language: str | None) -> AsyncGenerator[Spoken, None]:
        assert language == "en"
        self.texts.append(text)
        fails = self._fails_after.pop(0) if self._fails_after else None
        for number, (begin, end) in enumerate(word_ranges(text)):
            if number == fails:
                await self._fail()
            at_ms = number * WORD_MS
            word = WordTime(begin_char=begin, end_char=end, begin_ms=at_ms, end_ms=at_ms + WORD_MS)
            yield Spoken(pcm=bytes(WORD_MS * audio.BYTES_PER_MS), words=(word,) if self._says_words else ())
            await asyncio.sleep(0.01)

    async def _fail(self) -> None:
        if self._error is not None:
            raise self._error
        await asyncio.sleep(3_600)

    async def warm(self) -> None:
        if self._fails_after and self._fails_after[0] == 0 and self._error is not None:
            raise self._error

    async def aclose(self) -> None:
        self.closed = True


class ScriptedRecogniser:
    """Hears of each segment the letters that its sound is made of.

    Args:
        finals: how many finals it gives in each of its transcriptions, before it fails; then any number.
        error: as for a voice.
    """

    def __init__(self, name: str, *finals: int, error: SpeechError | None = BROKEN) -> None:
        self.name = name
        self.opened = 0
        self.closed = False
        self.error = error
        self._finals = list(finals)

    def open(self, language: str | None) -> Transcription:
        assert language == "en"
        self.opened += 1
        return _ScriptedTranscription(self._finals.pop(0) if self._finals else None, self.error)

    async def warm(self) -> None:
        if self._finals and self._finals[0] == 0 and self.error is not None:
            raise self.error

    async def aclose(self) -> None:
        self.closed = True


class _ScriptedTranscription:
    def __init__(self, finals: int | None, error: SpeechError | None) -> None:
        self._left = finals
        self._error = error
        self._sound = b""
        self._segment = 1
        self._ready: asyncio.Queue[Heard | None] = asyncio.Queue()

    def push(self, pcm: bytes) -> None:
        self._sound += pcm

    def finish(self) -> int:
        text = self._sound.decode()
        self._ready.put_nowait(Heard(segment=self._segment, text=text[:1], final=False))
        self._ready.put_nowait(Heard(segment=self._segment, text=text, final=True))
        self._sound = b""
        self._segment += 1
        return self._segment - 1

    def drop(self) -> None:
        self._sound = b""

    async def heard(self) -> AsyncGenerator[Heard, None]:
        while (heard := await self._ready.get()) is not None:
            if heard.final and self._left is not None:
                if self._left == 0:
                    if self._error is not None:
                        raise self._error
                    await asyncio.sleep(3_600)
                self._left -= 1
            yield heard

    async def aclose(self) -> None:
        self._ready.put_nowait(None)


def is_recogniser(made: ScriptedRecogniser) -> SpeechToText:
    """A scripted recogniser is one; types are checked here."""
    return made
