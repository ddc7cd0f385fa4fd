"""One person's speech, as a plugin of LiveKit Agents hears it."""

import asyncio
import importlib
from collections import deque
from collections.abc import AsyncGenerator
from typing import Any, Final

from duologue.adapters.speech_livekit.plugins import agents, failure, once
from duologue.model import audio, limits
from duologue.model.errors import SpeechError
from duologue.model.speech import Heard

_PENDING_MS: Final = 2_000
"""How long a final is waited for after a flush where words are pending, or none came of the sound; vendors take 0.2 to
1 s. Then what is there has to do."""

_SETTLED_MS: Final = 700
"""How long where all that came is final: the last words may not even have come as partials yet."""


class _Segment:
    """What was heard between two `finish`es: pieces that the vendor calls final, and what is pending after them."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.finals: list[str] = []
        self.confidences: list[float] = []
        self.pending = ""
        self.language: str | None = None
        self.begun_at = 0.0
        self.finished_at = 0.0
        self.due_at = 0.0

    def text(self) -> str:
        """All of it."""
        return " ".join(part for part in (*self.finals, self.pending) if part)

    # An event of LiveKit's, which has no types that hold.
    def take(self, event: Any, *, final: bool) -> None:
        """Note what the vendor says."""
        best = event.alternatives[0]
        self.language = str(best.language) or self.language
        if final:
            self.finals.append(str(best.text).strip())
            self.confidences += [float(best.confidence)] if best.confidence else []
            self.pending = ""
        else:
            self.pending = str(best.text).strip()


class LivekitTranscription:
    """See `ports.speech_to_text.Transcription`. LiveKit has no word for "this is final for the flush": the next final
    after a `finish` ends the segment; where none comes in time, what was heard until then does.

    What is dropped would still come from the vendor's stream; so another one is opened.
    """

    # The plugin is somebody else's class.
    def __init__(self, plugin: Any, *, name: str, language: str | None) -> None:
        self._plugin = plugin
        self._name = name
        self._language = language
        self._clock = asyncio.get_running_loop().time
        self._kinds: Any = agents().stt.SpeechEventType
        self._frame: Any = importlib.import_module("livekit.rtc").AudioFrame
        self._stream = self._open()
        self._left: list[Any] = []
        self._segment = _Segment(1)
        self._due: deque[_Segment] = deque()
        self._ready: deque[Heard] = deque()
        self._wakes = asyncio.Event()
        self._unheard_bytes = 0
        self._closed = False

    def push(self, pcm: bytes) -> None:
        """Give some more sound; none while the vendor has not answered to `limits.SEGMENT_MS` of it."""
        self._unheard_bytes += len(pcm)
        if self._closed or not pcm or self._unheard_bytes > limits.SEGMENT_MS * audio.BYTES_PER_MS:
            return
        self._segment.begun_at = self._segment.begun_at or self._clock()
        samples = len(pcm) // audio.SAMPLE_BYTES
        frame = self._frame(data=pcm, sample_rate=audio.RATE_HZ, num_channels=1, samples_per_channel=samples)
        try:
            self._stream.push_frame(frame)
        except RuntimeError:
            # The stream has ended; `heard` says why.
            return

    def finish(self) -> int:
        """End the segment."""
        segment, self._segment = self._segment, _Segment(self._segment.number + 1)
        segment.finished_at = self._clock()
        settled = bool(segment.finals) and not segment.pending
        wait_ms = (_SETTLED_MS if settled else _PENDING_MS) if segment.begun_at else 0
        segment.due_at = segment.finished_at + wait_ms / 1000
        self._due.append(segment)
        self._wakes.set()
        try:
            self._stream.flush()
        except RuntimeError:
            # As above.
            return segment.number
        return segment.number

    def drop(self) -> None:
        """Forget the open segment."""
        if self._segment.begun_at and not self._closed:
            self._left.append(self._stream)
            self._stream = self._open()
        self._segment = _Segment(self._segment.number)
        self._wakes.set()

    async def heard(self) -> AsyncGenerator[Heard, None]:
        """Tell what the vendor says."""
        listening: asyncio.Future[Any] | None = None
        listened = self._stream
        try:
            while not self._closed:
                await self._leave()
                self._settle()
                while self._ready:
                    yield self._ready.popleft()
                if listening is None or listened is not self._stream:
                    listened = self._stream
                    # Kept over many waits, as LiveKit's streams do not bear a wait that is cancelled; ended below.
                    listening = asyncio.ensure_future(anext(listened, None))
                await self._something(listening)
                if listening.done() and listened is self._stream:
                    self._take(listening)
                    listening = None
        finally:
            if listening is not None:
                listening.cancel()
                await asyncio.wait([listening])

    async def aclose(self) -> None:
        """Close the stream."""
        if not self._closed:
            self._closed = True
            self._left.append(self._stream)
            self._wakes.set()
            await self._leave()

    # LiveKit's stream.
    def _open(self) -> Any:
        if self._language is None:
            return self._plugin.stream(conn_options=once())
        return self._plugin.stream(language=self._language, conn_options=once())

    async def _leave(self) -> None:
        """Close streams that are not listened to any more."""
        while self._left:
            await self._left.pop().aclose()

    async def _something(self, listening: "asyncio.Future[Any]") -> None:
        """Wait until the vendor says something, until we are asked something, or until a final is due."""
        waking = asyncio.ensure_future(self._wakes.wait())
        timeout = max(0.0, self._due[0].due_at - self._clock()) if self._due else None
        try:
            await asyncio.wait([listening, waking], timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waking.cancel()
            self._wakes.clear()

    def _take(self, listening: "asyncio.Future[Any]") -> None:
        """Take what the vendor said.

        Raises:
            SpeechError: it failed, or its stream is at an end.
        """
        if (error := listening.exception()) is not None:
            raise failure(self._name, error) if isinstance(error, Exception) else error
        event = listening.result()
        if event is None:
            if self._closed:
                return
            raise SpeechError(f"{self._name} ended its stream")
        self._unheard_bytes = 0
        final = event.type == self._kinds.FINAL_TRANSCRIPT
        if not event.alternatives or not (final or event.type == self._kinds.INTERIM_TRANSCRIPT):
            return
        segment = self._due[0] if self._due else self._segment
        if not segment.begun_at:
            # Words with no sound before them: of a segment that could wait no longer.
            return
        told = segment.text()
        segment.take(event, final=final)
        if segment in self._due:
            segment.due_at = 0.0 if final else segment.due_at
        elif segment.text() != told:
            self._tell(segment, final=False, since=segment.begun_at)

    def _settle(self) -> None:
        """Tell finals that are due."""
        while self._due and self._due[0].due_at <= self._clock():
            segment = self._due.popleft()
            self._tell(segment, final=True, since=segment.finished_at)

    def _tell(self, segment: _Segment, *, final: bool, since: float) -> None:
        if not final or len(self._ready) >= limits.HEARD_WAITING:
            self._ready = deque(waiting for waiting in self._ready if waiting.final)
        while len(self._ready) >= limits.HEARD_WAITING:
            self._ready.popleft()
        known = segment.confidences
        confidence = min(1.0, max(0.0, sum(known) / len(known))) if known else None
        heard = Heard(
            segment=segment.number,
            text=segment.text(),
            final=final,
            confidence=confidence,
            language=segment.language,
            stt_ms=round((self._clock() - since) * 1000),
        )
        self._ready.append(heard)
