"""What one call listens with: voice activity, recognition of speech, and the judge of pauses."""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import aclosing
from typing import Final

from duologue.engine.activity import ActivityRules, Began, Edge, Stopped
from duologue.model import limits
from duologue.model.audio import BYTES_PER_MS
from duologue.model.errors import SpeechError
from duologue.model.inputs import CallInput, EndJudged, SpeechFailed, SpeechStarted, SpeechStopped, TranscriptHeard
from duologue.model.voice import VoiceRules
from duologue.ports.end_of_turn import EndOfTurn
from duologue.ports.speech_to_text import SpeechToText, Transcription
from duologue.runtime.voice.hearing import Ear, Hearing

BEFORE_BYTES: Final = limits.BEFORE_SPEECH_MS * BYTES_PER_MS
JUDGED_BYTES: Final = limits.END_OF_TURN_AUDIO_MS * BYTES_PER_MS


class Ears:
    """Listens to one call, and tells what it hears as inputs.

    Silence is not recognised: only what is said goes to the recogniser, with `limits.BEFORE_SPEECH_MS` before it, in
    which voice activity was not sure yet. With explicit turns all goes there, and voice activity is not asked.

    Args:
        call_id: of the call.
        rules: how it takes turns.
        hearing: the ears of all calls.
        recogniser: recognises speech.
        judge: judges pauses; `None` where silence alone does.
        language: BCP 47 tag of what is expected.
        tell: takes the inputs.
    """

    def __init__(
        self,
        *,
        call_id: str,
        rules: VoiceRules,
        hearing: Hearing,
        recogniser: SpeechToText,
        judge: EndOfTurn | None,
        language: str,
        tell: Callable[[CallInput], None],
    ) -> None:
        self._call_id, self._recogniser, self._judge = call_id, recogniser, judge
        self._language, self._tell = language, tell
        self._explicit = rules.mode == "explicit"
        self._recognising = self._explicit
        self._before = _Recent(BEFORE_BYTES)
        self._judged = None if judge is None or self._explicit else _Recent(JUDGED_BYTES)
        self._ended = 0
        self._failures = 0
        self._transcription = recogniser.open(language)
        self._ear: Ear | None = None
        if not self._explicit:
            self._ear = hearing.open(ActivityRules(silence_ms=rules.silence_ms), self)

    def hear(self, pcm: bytes) -> None:
        """Take in the next sound: PCM16 at 16,000 Hz, whole samples; it is kept and not copied."""
        if self._ear is not None:
            self._ear.hear(pcm)
        if self._recognising:
            self._recognise(pcm)
        else:
            self._before.add(pcm)

    async def run(self) -> None:
        """Tell what is recognised, until closed.

        A recogniser that fails is told of and opened again, `limits.RECOGNISER_FAILURES` times in a row.

        Raises:
            SpeechError: it failed too often.
        """
        while True:
            try:
                await self._listen()
                return
            except SpeechError as error:
                self._failures += 1
                self._tell(SpeechFailed(call_id=self._call_id, part="stt", message=str(error)))
                if not error.retryable or self._failures >= limits.RECOGNISER_FAILURES:
                    raise
                await self._open_again()

    def finish(self, segment: int) -> None:
        """End the recogniser's segment, as the engine counts it."""
        ended = self._ended + self._transcription.finish()
        assert ended == segment, f"segment {segment} was ended, and the recogniser is at {ended}"
        self._rest()

    def drop(self) -> None:
        """Forget the open segment."""
        self._transcription.drop()
        if self._judged is not None:
            self._judged.clear()
        self._rest()

    async def judge(self, segment: int, text: str) -> None:
        """Tell how likely it is that the person has finished; nothing where that cannot be told."""
        if self._judge is None or self._judged is None:
            return
        try:
            async with asyncio.timeout(limits.END_OF_TURN_MS / 1000):
                probability = await self._judge.probability(self._judged.joined(), text)
        except (SpeechError, TimeoutError) as error:
            message = str(error) or "the model that judges pauses did not answer in time"
            self._tell(SpeechFailed(call_id=self._call_id, part="end_of_turn", message=message))
            return
        self._tell(EndJudged(call_id=self._call_id, segment=segment, probability=probability))

    def forget(self) -> None:
        """A turn was taken: what was said before it is no part of the next one."""
        if self._judged is not None:
            self._judged.clear()

    async def close(self) -> None:
        """Let go of all of it."""
        if self._ear is not None:
            self._ear.close()
        async with asyncio.timeout(limits.CANCEL_MS / 1000):
            await self._transcription.aclose()

    def speech(self, edge: Edge) -> None:
        """Tell that somebody began to speak, or stopped; see `hearing.Listener`."""
        match edge:
            case Began(ago_ms=ago_ms):
                self._begin()
                self._tell(SpeechStarted(call_id=self._call_id, ago_ms=ago_ms))
            case Stopped(ago_ms=ago_ms):
                self._tell(SpeechStopped(call_id=self._call_id, ago_ms=ago_ms))

    def deaf(self, error: SpeechError) -> None:
        """Tell that voice activity failed; all is recognised from now on, and nothing ends by silence."""
        self._ear = None
        self._begin()
        self._tell(SpeechFailed(call_id=self._call_id, part="vad", message=str(error)))

    def _begin(self) -> None:
        if not self._recognising:
            self._recognising = True
            for pcm in self._before.take():
                self._recognise(pcm)

    def _rest(self) -> None:
        """Recognise no more, unless somebody still speaks."""
        self._recognising = self._ear is None or self._ear.speaking

    def _recognise(self, pcm: bytes) -> None:
        self._transcription.push(pcm)
        if self._judged is not None:
            self._judged.add(pcm)

    async def _listen(self) -> None:
        async with aclosing(self._transcription.heard()) as all_heard:
            async for heard in all_heard:
                self._failures = 0
                self._tell(
                    TranscriptHeard(
                        call_id=self._call_id,
                        segment=self._ended + heard.segment,
                        text=heard.text,
                        final=heard.final,
                        confidence=heard.confidence,
                        language=heard.language,
                        stt_ms=heard.stt_ms,
                    )
                )

    async def _open_again(self) -> None:
        failed: Transcription = self._transcription
        # Its own count begins anew; what it was asked to end and did not is missing, and the engine waits no longer.
        self._ended += failed.finish() - 1
        self._transcription = self._recogniser.open(self._language)
        await failed.aclose()


class _Recent:
    """The latest sound, as it came. At least so many bytes are kept, and a frame more."""

    def __init__(self, most_bytes: int) -> None:
        self._most, self._bytes = most_bytes, 0
        self._parts: deque[bytes] = deque()

    def add(self, pcm: bytes) -> None:
        self._parts.append(pcm)
        self._bytes += len(pcm)
        while self._bytes - len(self._parts[0]) >= self._most:
            self._bytes -= len(self._parts.popleft())

    def take(self) -> deque[bytes]:
        parts = self._parts
        self.clear()
        return parts

    def joined(self) -> bytes:
        return b"".join(self._parts)

    def clear(self) -> None:
        self._parts, self._bytes = deque(), 0
