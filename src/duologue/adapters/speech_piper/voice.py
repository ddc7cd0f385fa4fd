"""Piper for all calls: one process, a sentence of each text in turn."""

import asyncio
import sys
from collections import deque
from collections.abc import AsyncGenerator
from typing import Final

import msgspec

from duologue.adapters.speech_piper.options import PiperOptions
from duologue.model import audio, limits
from duologue.model.errors import SpeechError
from duologue.model.speech import Spoken, WordTime
from duologue.runtime.pipe import Head
from duologue.runtime.worker import Worker, WorkerGone

_WORKER: Final = "duologue.adapters.speech_piper.worker"


class _Said(msgspec.Struct):
    """What the worker answers."""

    id: int
    words: list[tuple[int, int, int, int]] = []
    end: bool = False
    failed: str | None = None


class _Speech:
    """What has come of a text, and is not taken yet."""

    def __init__(self) -> None:
        self.sentences: deque[Spoken] = deque()
        self.bytes = 0
        self.over = False
        self.error: SpeechError | None = None
        self.changed = asyncio.Event()


class PiperTextToSpeech:
    """See `ports.text_to_speech.TextToSpeech`. A sentence is spoken as a whole, so the first sound of a piece takes as
    long as its first sentence; word times are Piper's own, where the voice's model has them."""

    name = "piper"

    def __init__(self, options: PiperOptions) -> None:
        told = {name: getattr(options, name) for name in options.__struct_fields__}
        command = (sys.executable, "-m", _WORKER, msgspec.json.encode(told).decode())
        self._worker = Worker("piper", command, self)
        self._speeches: dict[int, _Speech] = {}
        self._number = 0

    @property
    def pid(self) -> int | None:
        """The worker's process id, for figures; `None` while there is none."""
        return self._worker.pid

    async def speak(self, text: str, language: str | None) -> AsyncGenerator[Spoken, None]:  # noqa: ARG002 - a voice speaks one language
        """Speak a text."""
        if not any(map(str.isalnum, text)):
            return
        if len(text) > limits.PIECE_CHARS:
            raise SpeechError("the text is longer than a piece", retryable=False)
        if len(self._speeches) >= limits.SPEAKS:
            raise SpeechError("piper has too much to speak")
        self._number += 1
        number, speech = self._number, _Speech()
        self._speeches[number] = speech
        try:
            await self._worker.ready()
            self._worker.write({"id": number, "text": text})
            async for spoken in _sentences(speech):
                yield spoken
        finally:
            del self._speeches[number]
            if not speech.over:
                self._cancel(number)

    async def warm(self) -> None:
        """Load the voice."""
        await self._worker.ready()

    async def aclose(self) -> None:
        """End the process."""
        await self._worker.aclose()

    def _cancel(self, number: int) -> None:
        try:
            self._worker.write({"id": number, "cancel": True})
        except WorkerGone:
            return

    # --- For the worker

    def frame(self, head: Head, body: bytes) -> None:
        """A sentence was spoken, or a text is over."""
        said = msgspec.convert(head, _Said)
        speech = self._speeches.get(said.id)
        if speech is None:
            return
        if said.failed is not None:
            speech.error = SpeechError(f"piper failed: {said.failed}")
        speech.over = said.end or speech.error is not None
        speech.bytes += len(body)
        if speech.bytes > limits.PIECE_AUDIO_MS * audio.BYTES_PER_MS:
            speech.error = SpeechError("piper speaks for too long", retryable=False)
        elif body:
            speech.sentences.append(Spoken(pcm=body, words=_words(said)))
        speech.changed.set()

    def gone(self) -> None:
        """The worker has ended; the next text starts it again."""
        for speech in self._speeches.values():
            speech.over = True
            speech.error = SpeechError("piper's process ended")
            speech.changed.set()


async def _sentences(speech: _Speech) -> AsyncGenerator[Spoken, None]:
    """Give sentences as they come.

    Raises:
        SpeechError: it failed, or nothing came for `limits.SPEAK_SILENCE_MS`.
    """
    while True:
        while speech.sentences:
            yield speech.sentences.popleft()
        if speech.error is not None:
            raise speech.error
        if speech.over:
            return
        speech.changed.clear()
        try:
            async with asyncio.timeout(limits.SPEAK_SILENCE_MS / 1000):
                await speech.changed.wait()
        except TimeoutError:
            raise SpeechError("piper said nothing for too long") from None


def _words(said: _Said) -> tuple[WordTime, ...]:
    return tuple(
        WordTime(begin_char=begin, end_char=end, begin_ms=begin_ms, end_ms=end_ms)
        for begin, end, begin_ms, end_ms in said.words
    )
