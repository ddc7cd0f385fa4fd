"""One person's speech, sent to a server after each segment."""

import asyncio
from array import array
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Final, TypeAlias

from duologue.model import audio, limits
from duologue.model.base import Value
from duologue.model.errors import SpeechError
from duologue.model.speech import Heard
from duologue.runtime.tasks import until_first

_LEAST_BYTES: Final = 100 * audio.BYTES_PER_MS
"""Less sound than this holds no word, and servers refuse it."""

_SILENT: Final = 200
"""Sound whose loudest sample is below this (-44 dB) holds no speech; Whisper would make some up."""


class Read(Value, kw_only=True):
    """What a server read in some sound."""

    text: str
    confidence: float | None = None
    language: str | None = None


Ask: TypeAlias = Callable[[bytes, str], Awaitable[Read]]
"""Sends sound to the server, with the code of a language or nothing. Raises SpeechError."""


class _Segment:
    def __init__(self, number: int) -> None:
        self.number = number
        self.pcm = bytearray()
        self.sent_bytes = 0
        self.finished_at: float | None = None


class OpenaiTranscription:
    """See `ports.speech_to_text.Transcription`. `heard` makes all requests, one at a time; a partial that is under
    way when its segment ends or is dropped is given up."""

    def __init__(self, ask: Ask, *, language: str, partial_ms: int) -> None:
        self._ask = ask
        self._language = language
        self._partial_bytes = partial_ms * audio.BYTES_PER_MS
        self._clock = asyncio.get_running_loop().time
        self._segments = deque([_Segment(1)])
        self._wakes = asyncio.Event()
        self._overtaken = asyncio.Event()
        self._closed = False

    def push(self, pcm: bytes) -> None:
        """Give some more sound."""
        segment = self._segments[-1]
        segment.pcm += pcm
        del segment.pcm[: -limits.SEGMENT_MS * audio.BYTES_PER_MS]
        if self._partial_bytes and len(segment.pcm) - segment.sent_bytes >= self._partial_bytes:
            self._wakes.set()

    def finish(self) -> int:
        """End the segment; of too many that wait, the oldest is said to be empty."""
        segment = self._segments[-1]
        segment.finished_at = self._clock()
        self._segments.append(_Segment(segment.number + 1))
        if len(self._segments) > limits.HEARD_WAITING:
            waiting = next(one for one in self._segments if one.pcm or one is segment)
            waiting.pcm.clear()
        self._wakes.set()
        self._overtaken.set()
        return segment.number

    def drop(self) -> None:
        """Forget the open segment's sound."""
        self._segments[-1].pcm.clear()
        self._segments[-1].sent_bytes = 0
        self._overtaken.set()

    async def heard(self) -> AsyncGenerator[Heard, None]:
        """Ask the server, and tell what it says."""
        told = ""
        while not self._closed:
            segment = self._segments[0]
            if segment.finished_at is not None:
                heard = await self._final(segment, segment.finished_at)
                self._segments.popleft()
                told = ""
                yield heard
            elif self._has_partial(segment):
                partial = await self._partial(segment)
                if partial is not None and partial.text != told:
                    told = partial.text
                    yield partial
            else:
                await self._wakes.wait()
                self._wakes.clear()

    async def aclose(self) -> None:
        """Stop; a request that is under way is given up."""
        self._closed = True
        self._wakes.set()
        self._overtaken.set()

    def _has_partial(self, segment: _Segment) -> bool:
        return bool(self._partial_bytes) and len(segment.pcm) - segment.sent_bytes >= self._partial_bytes

    async def _final(self, segment: _Segment, finished_at: float) -> Heard:
        """Ask until there is an answer, some times."""
        pcm = bytes(segment.pcm)
        read = Read(text="")
        for attempt in range(limits.VENDOR_ATTEMPTS if _has_speech(pcm) else 0):
            try:
                read = await self._ask(pcm, self._language)
                break
            except SpeechError as error:
                if attempt + 1 == limits.VENDOR_ATTEMPTS or not error.retryable:
                    raise
        return self._heard(segment, read, since=finished_at, final=True)

    async def _partial(self, segment: _Segment) -> Heard | None:
        """Ask about what there is of an open segment; nothing where that was overtaken, or failed."""
        pcm, begun = bytes(segment.pcm), self._clock()
        segment.sent_bytes = len(pcm)
        if not _has_speech(pcm):
            return None
        answers: list[Read] = []
        self._overtaken.clear()

        async def ask() -> None:
            try:
                answers.append(await self._ask(pcm, self._language))
            except SpeechError as error:
                if not error.retryable:
                    raise

        async def overtaken() -> None:
            await self._overtaken.wait()

        try:
            await until_first(ask(), overtaken())
        except ExceptionGroup as group:
            # There is one task that can fail, and with nothing else.
            raise group.exceptions[0] from None
        if not answers or self._overtaken.is_set():
            return None
        return self._heard(segment, answers[0], since=begun, final=False)

    def _heard(self, segment: _Segment, read: Read, *, since: float, final: bool) -> Heard:
        return Heard(
            segment=segment.number,
            text=read.text,
            final=final,
            confidence=read.confidence,
            language=read.language,
            stt_ms=round((self._clock() - since) * 1000),
        )


def _has_speech(pcm: bytes) -> bool:
    if len(pcm) < _LEAST_BYTES:
        return False
    samples = array("h", pcm)
    return max(max(samples), -min(samples)) >= _SILENT
