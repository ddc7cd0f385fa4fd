"""Several voices as one: where one fails in a sentence, the next goes on with the words that were not spoken."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Final

from duologue.engine.word_times import word_ranges
from duologue.model import audio, limits
from duologue.model.errors import SpeechError
from duologue.model.speech import Spoken, WordTime
from duologue.ports.text_to_speech import TextToSpeech
from duologue.runtime.events_log import EventLog
from duologue.runtime.voice.vendors import Vendors

_LETTER_MS: Final = 75
"""How long a letter takes to say where a voice gives no word times: Piper's American speaker says 13 in a second."""

_HEARD_SHARE: Final = 0.8
"""From this share on, a word whose sound was cut off counts as said."""


class VoiceChain:
    """See `ports.text_to_speech.TextToSpeech`. A voice that fails, or that gives no sound for `limits.VENDOR_MS` while
    there is another, is followed by the next one, or asked again where it is the only one; `Vendors` remembers it.

    Word times and the sound's place go on through the change, as if one voice had spoken.
    """

    def __init__(self, voices: Sequence[TextToSpeech], *, clock: Callable[[], float], log: EventLog) -> None:
        self._voices = Vendors(voices, clock=clock, log=log)

    @property
    def name(self) -> str:
        """All names."""
        return self._voices.name

    async def speak(self, text: str, language: str | None) -> AsyncGenerator[Spoken, None]:
        """Speak a text, with whoever can."""
        said = _Said(text)
        refused: set[TextToSpeech] = set()
        last = SpeechError("no voice can speak this", retryable=False)
        for voice in self._voices.attempts():
            if voice in refused:
                continue
            begin = said.next_char()
            if begin is None:
                return
            try:
                async with aclosing(voice.speak(text[begin:], language)) as stream:
                    said.begin(begin)
                    while (spoken := await self._next(stream)) is not None:
                        yield said.take(spoken)
            except SpeechError as error:
                last = error
                self._voices.failed(voice, error)
                refused |= set() if error.retryable else {voice}
            else:
                self._voices.did_well(voice)
                return
        raise last

    async def warm(self) -> None:
        """Get all voices ready.

        Raises:
            SpeechError: none of them can work.
        """
        errors: list[SpeechError] = []
        for voice in self._voices.all:
            try:
                await voice.warm()
            except SpeechError as error:
                self._voices.failed(voice, error)
                errors.append(error)
        if len(errors) == len(self._voices.all):
            raise errors[0]

    async def aclose(self) -> None:
        """Close all voices, side by side."""
        async with asyncio.TaskGroup() as group:
            for voice in self._voices.all:
                group.create_task(voice.aclose())

    async def _next(self, stream: AsyncGenerator[Spoken, None]) -> Spoken | None:
        patience_s = limits.VENDOR_MS / 1000 if len(self._voices.all) > 1 else None
        try:
            async with asyncio.timeout(patience_s):
                return await anext(stream, None)
        except TimeoutError:
            raise SpeechError("no sound came for too long") from None


class _Said:
    """How far a text has been spoken, over all voices."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words = word_ranges(text)
        self._times: list[WordTime] = []
        self._bytes = 0
        self._begin_char = 0
        self._begin_ms = 0

    def begin(self, char: int) -> None:
        """A voice speaks the text from here on."""
        self._begin_char = char
        self._begin_ms = self._heard_ms
        self._times = [word for word in self._times if word.end_char <= char]

    def take(self, spoken: Spoken) -> Spoken:
        """Note what was spoken, and put it in its place in the whole."""
        self._bytes += len(spoken.pcm)
        words = tuple(self._placed(word) for word in spoken.words)
        self._times += words
        return Spoken(pcm=spoken.pcm, words=words)

    def next_char(self) -> int | None:
        """Where the words begin that were not spoken; 0 before any sound, and `None` where all were."""
        if not self._bytes:
            return 0
        known = {word.begin_char: word for word in self._times}
        for begin, end in self._words:
            if end <= self._begin_char:
                continue
            word = known.get(begin)
            missing = not self._was_heard(word) if word is not None else not self._is_past(end)
            if missing:
                return begin
        return None

    @property
    def _heard_ms(self) -> int:
        return self._bytes // audio.BYTES_PER_MS

    def _placed(self, word: WordTime) -> WordTime:
        return WordTime(
            begin_char=word.begin_char + self._begin_char,
            end_char=word.end_char + self._begin_char,
            begin_ms=word.begin_ms + self._begin_ms,
            end_ms=word.end_ms + self._begin_ms,
        )

    def _was_heard(self, word: WordTime) -> bool:
        return word.begin_ms + (word.end_ms - word.begin_ms) * _HEARD_SHARE <= self._heard_ms

    def _is_past(self, end: int) -> bool:
        """Whether a word without times was spoken, by the time that its letters take: rather said twice than not."""
        if self._times:
            return False
        letters = sum(map(str.isalnum, self._text[self._begin_char : end]))
        return letters * _LETTER_MS <= self._heard_ms - self._begin_ms
