"""Several recognisers as one: where one fails, the next hears again what is not final yet."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

import msgspec

from duologue.model import audio, limits
from duologue.model.errors import SpeechError
from duologue.model.speech import Heard
from duologue.ports.speech_to_text import SpeechToText, Transcription
from duologue.runtime.events_log import EventLog
from duologue.runtime.voice.vendors import Vendors


class RecogniserChain:
    """See `ports.speech_to_text.SpeechToText`. A recogniser that fails, or that owes a final for `limits.VENDOR_MS`, is
    followed by the next one; `Vendors` remembers it."""

    def __init__(self, recognisers: Sequence[SpeechToText], *, clock: Callable[[], float], log: EventLog) -> None:
        self._recognisers = Vendors(recognisers, clock=clock, log=log)

    @property
    def name(self) -> str:
        """All names."""
        return self._recognisers.name

    def open(self, language: str | None) -> Transcription:
        """Begin to listen to somebody."""
        return _ChainedTranscription(self._recognisers, language)

    async def warm(self) -> None:
        """Get all recognisers ready.

        Raises:
            SpeechError: none of them can work.
        """
        errors: list[SpeechError] = []
        for recogniser in self._recognisers.all:
            try:
                await recogniser.warm()
            except SpeechError as error:
                self._recognisers.failed(recogniser, error)
                errors.append(error)
        if len(errors) == len(self._recognisers.all):
            raise errors[0]

    async def aclose(self) -> None:
        """Close all recognisers, side by side."""
        async with asyncio.TaskGroup() as group:
            for recogniser in self._recognisers.all:
                group.create_task(recogniser.aclose())


class _Kept:
    """A segment whose final is not known, and its sound."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.pcm: deque[bytes] = deque()
        self.finished = False


class _ChainedTranscription:
    """One person's speech, with the sound of what is not final."""

    def __init__(self, recognisers: Vendors[SpeechToText], language: str | None) -> None:
        self._recognisers = recognisers
        self._language = language
        self._attempts = deque(recognisers.attempts())
        self._failures = 0
        self._kept = deque([_Kept(1)])
        self._bytes = 0
        self._before = 0
        self._current = self._attempts[0].open(language)
        self._patience: asyncio.Timeout | None = None
        self._closed = False

    def push(self, pcm: bytes) -> None:
        """Give some more sound."""
        self._kept[-1].pcm.append(pcm)
        self._bytes += len(pcm)
        self._forget()
        self._current.push(pcm)

    def finish(self) -> int:
        """End the segment."""
        segment = self._kept[-1]
        segment.finished = True
        self._kept.append(_Kept(segment.number + 1))
        self._current.finish()
        self._wait_on()
        return segment.number

    def drop(self) -> None:
        """Forget the open segment's sound."""
        self._bytes -= sum(map(len, self._kept[-1].pcm))
        self._kept[-1].pcm.clear()
        self._current.drop()

    async def heard(self) -> AsyncGenerator[Heard, None]:
        """Tell what is recognised, by whoever can."""
        while True:
            try:
                async with aclosing(self._current.heard()) as stream:
                    while (heard := await self._next(stream)) is not None:
                        yield self._take(heard)
                return
            except SpeechError as error:
                await self._change(error)

    async def aclose(self) -> None:
        """Stop."""
        self._closed = True
        await self._current.aclose()

    async def _next(self, stream: AsyncGenerator[Heard, None]) -> Heard | None:
        """Wait for the next that is heard, as long as no final is owed for too long."""
        try:
            async with asyncio.timeout(None) as self._patience:
                self._wait_on()
                return await anext(stream, None)
        except TimeoutError:
            raise SpeechError("a final transcript did not come in time") from None
        finally:
            self._patience = None

    def _wait_on(self) -> None:
        """Set how long is waited: for ever where no final is owed, or nobody else could give it."""
        if self._patience is None or self._patience.expired():
            return
        owed = self._kept[0].finished and len(self._recognisers.all) > 1
        if owed and self._patience.when() is None:
            self._patience.reschedule(asyncio.get_running_loop().time() + limits.VENDOR_MS / 1000)

    def _take(self, heard: Heard) -> Heard:
        """Give it our own segment's number; what is final needs its sound no more."""
        number = heard.segment + self._before
        if heard.final:
            self._recognisers.did_well(self._attempts[0])
            self._failures = 0
            while self._kept[0].number <= number:
                self._bytes -= sum(map(len, self._kept.popleft().pcm))
        return msgspec.structs.replace(heard, segment=number)

    async def _change(self, error: SpeechError) -> None:
        """Go on with the next recogniser: it hears again what is not final.

        Raises:
            SpeechError: there is none left to ask.
        """
        failed = self._attempts.popleft()
        self._recognisers.failed(failed, error)
        await self._current.aclose()
        self._failures += 1
        if not error.retryable:
            self._attempts = deque(one for one in self._attempts if one is not failed)
        if not self._attempts and self._failures < limits.VENDOR_ATTEMPTS and error.retryable:
            self._attempts = deque(self._recognisers.attempts())
        if self._closed or not self._attempts:
            raise error
        self._before = self._kept[0].number - 1
        self._current = self._attempts[0].open(self._language)
        for segment in self._kept:
            for pcm in segment.pcm:
                self._current.push(pcm)
            if segment.finished:
                self._current.finish()

    def _forget(self) -> None:
        """Keep to `limits.SEGMENT_MS` of sound: the oldest goes."""
        while self._bytes > limits.SEGMENT_MS * audio.BYTES_PER_MS:
            oldest = next(segment for segment in self._kept if segment.pcm)
            self._bytes -= len(oldest.pcm.popleft())
