"""The voice of one call: an answer's text, as it comes, becomes sound to be played."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from duologue.engine.speakable import Piece, Speakable
from duologue.model import limits
from duologue.model.errors import SpeechError
from duologue.model.inputs import SpeechMade
from duologue.model.speech import Spoken
from duologue.ports.clock import Clock
from duologue.ports.text_to_speech import TextToSpeech
from duologue.runtime.voice.making import Made, Making
from duologue.runtime.voice.playout import Playout


class Speech:
    """One answer on its way to be sound.

    Its text comes through `more`, from the call that made it durable; `run` is its task.

    Args:
        call_id: whose.
        response_id: which answer.
        voice: makes the sound.
        language: BCP 47 tag of the answer.
        playout: plays it.
        clock: for how long the voice takes.
        tell: takes each `SpeechMade`.
    """

    def __init__(
        self,
        *,
        call_id: str,
        response_id: str,
        voice: TextToSpeech,
        language: str,
        playout: Playout,
        clock: Clock,
        tell: Callable[[SpeechMade], None],
    ) -> None:
        self.response_id = response_id
        self.sound = playout.begin(response_id)
        self._call_id, self._voice, self._language = call_id, voice, language
        self._playout, self._clock, self._tell = playout, clock, tell
        self._cutter = Speakable()
        self._pieces: deque[Piece] = deque()
        self._whole = False
        self._came = asyncio.Event()

    def more(self, text: str) -> None:
        """Take some more of the answer; an empty text says that it is whole."""
        if self._whole:
            return
        if text:
            pieces = self._cutter.feed(text)
        else:
            self._whole, pieces = True, self._cutter.finish()
        self._take(pieces)

    def rest(self) -> None:
        """Speak what there is: the agent does something else before it says more."""
        if not self._whole:
            self._take(self._cutter.hurry())

    def _take(self, pieces: list[Piece]) -> None:
        if pieces or self._whole:
            self._pieces.extend(pieces)
            self._came.set()

    async def run(self) -> None:
        """Speak the pieces as they come, until the answer is whole or plays no more.

        Raises:
            SpeechError: the voice failed; what was made of the answer is played.
        Cancellation: what is being made is thrown away.
        """
        while await self._playout.room(self.sound):
            while not self._pieces and not self._whole:
                self._came.clear()
                await self._came.wait()
            if not self._pieces:
                self._playout.finish(self.sound)
                return
            piece = self._pieces.popleft()
            if piece.text:
                await self._speak(piece)

    async def _speak(self, piece: Piece) -> None:
        sound, playout = self.sound, self._playout
        making = Making(piece, sound.made_ms)
        asked_ms = self._clock.now_ms()
        latency_ms: int | None = None
        async with aclosing(self._voice.speak(piece.text, self._language)) as spoken:
            while (part := await _next(spoken)) is not None:
                if latency_ms is None and part.pcm:
                    latency_ms = self._clock.now_ms() - asked_ms
                playout.add(sound, part.pcm)
                made = making.take(part, played_ms=playout.played_ms)
                if made is not None:
                    self._say(made, latency_ms or 0)
                if not await playout.room(sound):
                    return
        rest = making.rest()
        if rest is not None:
            self._say(rest, latency_ms or 0)

    def _say(self, made: Made, latency_ms: int) -> None:
        self._tell(
            SpeechMade(
                call_id=self._call_id,
                response_id=self.response_id,
                begin=made.begin,
                end=made.end,
                begin_ms=made.begin_ms,
                duration_ms=made.duration_ms,
                words=made.words,
                latency_ms=latency_ms,
            )
        )


async def _next(spoken: AsyncGenerator[Spoken, None]) -> Spoken | None:
    """Wait for the next part, `limits.SPEAK_SILENCE_MS` at most; `None` at the end."""
    try:
        async with asyncio.timeout(limits.SPEAK_SILENCE_MS / 1000):
            return await anext(spoken, None)
    except TimeoutError as error:
        raise SpeechError(f"the voice made nothing for {limits.SPEAK_SILENCE_MS / 1000:g} s") from error
