"""One person's speech, as Whisper reads it."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from typing import Final, Protocol

from duologue.adapters.speech_whisper.segments import Part, Segment
from duologue.model import audio, limits
from duologue.model.errors import SpeechError
from duologue.model.speech import Heard

_SOON_BYTES: Final = 100 * audio.BYTES_PER_MS
"""Silence after which what was said is read at once: the final is then there when voice activity says it stopped."""


class Reader(Protocol):
    """What reads the windows of all transcriptions, one after the other."""

    async def ready(self) -> None:
        """Wait until it can read."""
        ...

    def look(self) -> None:
        """Begin with the next window, if it is free and there is one."""
        ...

    def leave(self, transcription: "WhisperTranscription") -> None:
        """Read nothing more of this one."""
        ...


class Window:
    """What is to be read next: a part's sound up to some byte."""

    def __init__(self, owner: "WhisperTranscription", part: Part, *, begun: float) -> None:
        self.owner = owner
        self.part = part
        self.pcm = bytes(part.pcm)
        self.begun = begun


class WhisperTranscription:
    """See `ports.speech_to_text.Transcription`. Partials are read as often as there is time."""

    def __init__(self, reader: Reader, *, language: str, partial_ms: int, clock: Callable[[], float]) -> None:
        self.language = language
        self._reader = reader
        self._partial_bytes = partial_ms * audio.BYTES_PER_MS
        self._clock = clock
        self._segments = deque([Segment(1)])
        self._told = ""
        self._rests_until = 0.0
        self._ready: deque[Heard] = deque()
        self._wakes = asyncio.Event()
        self._error: SpeechError | None = None
        self._closed = False

    def push(self, pcm: bytes) -> None:
        """Take some more sound in."""
        if self._closed or self._error is not None:
            return
        self._segments[-1].push(pcm)
        self._forget()
        if self.has_partial():
            self._reader.look()

    def finish(self) -> int:
        """End the segment."""
        segment = self._segments[-1]
        segment.finish(self._clock())
        self._segments.append(Segment(segment.number + 1))
        self._told = ""
        self._publish()
        self._reader.look()
        return segment.number

    def drop(self) -> None:
        """Forget the open segment."""
        self._segments[-1].drop()
        self._told = ""
        self._ready = deque(heard for heard in self._ready if heard.final)

    async def heard(self) -> AsyncGenerator[Heard, None]:
        """Tell what is read; it also keeps the reader going."""
        while not self._closed:
            if self._error is not None:
                raise self._error
            await self._reader.ready()
            self._reader.look()
            while self._ready:
                yield self._ready.popleft()
            await self._wakes.wait()
            self._wakes.clear()

    async def aclose(self) -> None:
        """Stop."""
        self._closed = True
        self._reader.leave(self)
        self._wakes.set()

    # --- What the reader asks and tells

    def final_window(self) -> Window | None:
        """The oldest part that is closed and not read to its end."""
        for segment in self._segments:
            for part in segment.parts:
                if part.closed and not part.settled:
                    return Window(self, part, begun=self._clock())
        return None

    def closed_since(self) -> float:
        """Since when a part of this one waits for its final reading; the longest wait comes first."""
        times = (segment.finished_at for segment in self._segments if segment.finished_at is not None)
        return min(times, default=self._clock())

    def has_partial(self) -> bool:
        """Whether there is enough new speech in the open segment to read it again."""
        segment = self._segments[-1]
        new = segment.new_bytes()
        if not (new and self._partial_bytes) or self._clock() < self._rests_until:
            return False
        return new >= self._partial_bytes or segment.loudness.quiet_bytes >= _SOON_BYTES

    def partial_window(self) -> Window:
        """The open segment's sound."""
        return Window(self, self._segments[-1].open, begun=self._clock())

    def read(self, window: Window, *, text: str, confidence: float | None, language: str | None) -> None:
        """Note what was read in a window."""
        part = window.part
        if part.dropped or self._closed:
            return
        now = self._clock()
        self._rests_until = now + (now - window.begun)
        part.read(len(window.pcm), text=text, confidence=confidence, language=language)
        for segment in self._segments:
            if segment.number == part.segment:
                segment.settle_if_read(part)
        self._publish(window)

    def failed(self, window: Window | None, error: SpeechError, *, final: bool) -> None:
        """A window could not be read: it is tried once more, then this transcription has failed."""
        if window is not None:
            window.part.attempts += 1
            final = final or window.part.attempts > 1
        if final:
            self._error = error
        self._wakes.set()

    def _publish(self, window: Window | None = None) -> None:
        """Tell finals whose segments are settled, in order, and a partial where its text is new."""
        while self._segments[0].settled:
            self._tell(self._final(self._segments.popleft()))
        segment = self._segments[0]
        if window is None or len(self._segments) > 1 or segment.number != window.part.segment:
            return
        text = segment.text()
        if text != self._told:
            self._told = text
            stt_ms = round((self._clock() - window.begun) * 1000)
            self._tell(self._heard(segment, final=False, stt_ms=stt_ms))

    def _final(self, segment: Segment) -> Heard:
        assert segment.finished_at is not None
        return self._heard(segment, final=True, stt_ms=round((self._clock() - segment.finished_at) * 1000))

    def _heard(self, segment: Segment, *, final: bool, stt_ms: int) -> Heard:
        return Heard(
            segment=segment.number,
            text=segment.text(),
            final=final,
            confidence=segment.confidence(),
            language=segment.language(),
            stt_ms=stt_ms,
        )

    def _tell(self, heard: Heard) -> None:
        """Hand it to the one who listens; of too much, partials go first, then the oldest finals."""
        if not heard.final or len(self._ready) >= limits.HEARD_WAITING:
            self._ready = deque(waiting for waiting in self._ready if waiting.final)
        while len(self._ready) >= limits.HEARD_WAITING:
            self._ready.popleft()
        self._ready.append(heard)
        self._wakes.set()

    def _forget(self) -> None:
        """Keep to `limits.SEGMENT_MS` of sound that waits: in the oldest part, nothing was said then."""
        waiting = sum(segment.unsettled_bytes() for segment in self._segments)
        if waiting <= limits.SEGMENT_MS * audio.BYTES_PER_MS:
            return
        window = self.final_window()
        if window is not None:
            window.part.dropped = True
            window.part.settle()
            self._publish()
