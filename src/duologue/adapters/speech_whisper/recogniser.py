"""Whisper for all calls: one process, one window at a time."""

import asyncio
import sys
from collections import deque
from typing import Final

import msgspec

from duologue.adapters.speech_whisper.options import WhisperOptions
from duologue.adapters.speech_whisper.transcription import WhisperTranscription, Window
from duologue.model import limits
from duologue.model.errors import SpeechError
from duologue.runtime.pipe import Head
from duologue.runtime.worker import Worker, WorkerGone

_WORKER: Final = "duologue.adapters.speech_whisper.worker"


class _Said(msgspec.Struct):
    """What the worker answers."""

    id: int
    text: str = ""
    confidence: float | None = None
    language: str | None = None
    failed: str | None = None


class WhisperSpeechToText:
    """See `ports.speech_to_text.SpeechToText`. Whisper runs in a process of its own: reading a window takes all its
    cores for some 0.1 s, and a thread of this process that prepares one holds the interpreter's lock for 6 ms.

    One window is read at a time. Finals come first, in the order in which they were asked for; then the open segments
    of all transcriptions take turns. So there is never more than one window read in vain.
    """

    name = "whisper"

    def __init__(self, options: WhisperOptions) -> None:
        self._options = options
        told = {
            "model": options.model,
            "device": options.device,
            "compute_type": options.compute_type,
            "threads": options.threads,
        }
        command = (sys.executable, "-m", _WORKER, msgspec.json.encode(told).decode())
        self._worker = Worker("whisper", command, self)
        self._open: deque[WhisperTranscription] = deque()
        self._reading: Window | None = None
        self._number = 0
        self._deadline: asyncio.TimerHandle | None = None

    @property
    def pid(self) -> int | None:
        """The worker's process id, for figures; `None` while there is none."""
        return self._worker.pid

    def open(self, language: str | None) -> WhisperTranscription:
        """Begin to listen to somebody."""
        code = (language or "").split("-")[0].lower()
        clock = asyncio.get_running_loop().time
        transcription = WhisperTranscription(self, language=code, partial_ms=self._options.partial_ms, clock=clock)
        self._open.append(transcription)
        return transcription

    async def warm(self) -> None:
        """Load the model."""
        await self._worker.ready()

    async def aclose(self) -> None:
        """End the process."""
        self._stop_waiting()
        await self._worker.aclose()

    # --- For the transcriptions

    async def ready(self) -> None:
        """Wait until the worker runs."""
        await self._worker.ready()

    def leave(self, transcription: WhisperTranscription) -> None:
        """Forget a transcription. What is read of it already is thrown away when it comes."""
        if transcription in self._open:
            self._open.remove(transcription)

    def look(self) -> None:
        """Read the next window, if the worker is free."""
        if self._reading is not None or self._worker.pid is None:
            return
        window = self._next()
        if window is None:
            return
        self._number += 1
        final = window.part.closed
        head: Head = {
            "id": self._number,
            "language": window.owner.language,
            "beam": self._options.beam if final else 1,
        }
        try:
            self._worker.write(head, window.pcm)
        except WorkerGone:
            return
        self._reading = window
        self._deadline = asyncio.get_running_loop().call_later(limits.DECODE_MS / 1000, self._worker.kill)

    def _next(self) -> Window | None:
        """The final that waits longest; else the partial of whoever's turn it is."""
        waiting = [(one.closed_since(), window) for one in self._open if (window := one.final_window()) is not None]
        if waiting:
            return min(waiting, key=lambda pair: pair[0])[1]
        for _ in range(len(self._open)):
            self._open.rotate(-1)
            if self._open[-1].has_partial():
                return self._open[-1].partial_window()
        return None

    # --- For the worker

    def frame(self, head: Head, body: bytes) -> None:
        """A window has been read."""
        assert not body, "the worker answers with a head alone"
        said = msgspec.convert(head, _Said)
        window, self._reading = self._reading, None
        self._stop_waiting()
        if window is not None and said.id == self._number:
            if said.failed is not None:
                window.owner.failed(window, SpeechError(f"whisper failed: {said.failed}"), final=False)
            else:
                window.owner.read(window, text=said.text, confidence=said.confidence, language=said.language)
        self.look()

    def gone(self) -> None:
        """The worker has ended; who waits for something starts it again."""
        window, self._reading = self._reading, None
        self._stop_waiting()
        error = SpeechError("whisper's process ended")
        for transcription in tuple(self._open):
            own = window if window is not None and window.owner is transcription else None
            transcription.failed(own, error, final=False)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
