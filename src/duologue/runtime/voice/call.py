"""One call: a live link of sound and its session, joined.

What is heard goes to voice activity and recognition at once, in the call that brought it: no task, no thread and no
queue stands between. Only facts reach the engine, as inputs; what it orders comes back as effects.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NamedTuple

from duologue.model import limits
from duologue.model.audio import BYTES_PER_MS
from duologue.model.effects import (
    DropTranscript,
    FinishTranscript,
    FlushSpeech,
    HangUp,
    JudgeEnd,
    PauseSpeech,
    ResumeSpeech,
    StartSpeaking,
)
from duologue.model.errors import SpeechError, StoreError
from duologue.model.events import TextDelta
from duologue.model.inputs import CallEnded, CallInput, CallStarted, PlaybackEnded, Played, SpeechFailed, SpeechMade
from duologue.model.voice import VoiceRules
from duologue.ports.clock import Clock
from duologue.ports.end_of_turn import EndOfTurn
from duologue.ports.speech_to_text import SpeechToText
from duologue.ports.text_to_speech import TextToSpeech
from duologue.runtime.session import LiveSession
from duologue.runtime.voice.answer_text import AnswerText
from duologue.runtime.voice.ears import Ears
from duologue.runtime.voice.hearing import Hearing
from duologue.runtime.voice.link import Link
from duologue.runtime.voice.playout import Playout
from duologue.runtime.voice.progress import Progress
from duologue.runtime.voice.speech import Speech

BURST_BYTES: Final = limits.AUDIO_BURST_MS * BYTES_PER_MS


class Speaking(NamedTuple):
    """What every call of a process speaks and listens with; `let_go` is called at the end, for what has no other."""

    hearing: Hearing
    recogniser: SpeechToText
    voice: TextToSpeech
    judge: EndOfTurn | None = None
    let_go: Callable[[], None] | None = None

    async def aclose(self) -> None:
        """Let go of all of it, once no call is left."""
        await self.recogniser.aclose()
        await self.voice.aclose()
        if self.let_go is not None:
            self.let_go()


class Ending(NamedTuple):
    """Why a call ends: a reason for programs, and words for people."""

    reason: str
    message: str = ""


Order = StartSpeaking | FlushSpeech | PauseSpeech | ResumeSpeech | FinishTranscript | DropTranscript | JudgeEnd | HangUp
"""What the engine orders of a call itself."""


class Call:
    """A live call; made by `Calls.open`, and its transport's to `run`.

    Attributes:
        call_id: unique in the process's life.
        session: whose call.
        playout: what is to be sent.
    """

    def __init__(
        self,
        session: LiveSession,
        link: Link,
        *,
        call_id: str,
        rules: VoiceRules,
        speaking: Speaking,
        clock: Clock,
        draining: Callable[[], bool],
    ) -> None:
        self.call_id, self.session, self.rules = call_id, session, rules
        self._link, self._speaking, self._clock, self._draining = link, speaking, clock, draining
        self._loop = asyncio.get_running_loop()
        self.playout = Playout(lead_ms=link.lead_ms, time_s=self._loop.time, wake=self._woken)
        self._progress = Progress(self.playout, tells=link.tells, told=self._played)
        self._group = asyncio.TaskGroup()
        self._ending: asyncio.Future[Ending] = self._loop.create_future()
        self._speech: tuple[Speech, asyncio.Task[None]] | None = None
        self._judging: asyncio.Task[None] | None = None
        self._credit_bytes, self._credit_s = float(BURST_BYTES), self._loop.time()
        self._ears = Ears(
            call_id=call_id,
            rules=rules,
            hearing=speaking.hearing,
            recogniser=speaking.recogniser,
            judge=speaking.judge,
            language=session.state.language,
            tell=self.tell,
        )
        self._text = AnswerText(session, more=self._more, rests=self._rests)

    async def run(self) -> Ending:
        """Hold the call until either side hangs up; returns why it ended.

        Cancellation: the call ends as `lost`.
        """
        session = self.session
        session.readers += 1
        session.watchers.append(self._look)
        ending = Ending("lost")
        try:
            async with self._group:
                listening = self._group.create_task(self._listen(), name=f"listen {self.call_id}")
                self.tell(CallStarted(call_id=self.call_id, rules=self.rules, granted=self.session.granted))
                self._look(None)
                ending = await self._ending
                listening.cancel()
                self._let_go()
        finally:
            self.hang_up("failed")
            self._let_go()
            self._text.close()
            session.watchers.remove(self._look)
            session.readers -= 1
            with suppress(StoreError):
                session.give(CallEnded(call_id=self.call_id, reason=ending.reason))
            if session.leaving:
                session.wake()
            self._link.hung_up(*ending)
            await self._ears.close()
        return ending

    def hear(self, pcm: bytes) -> None:
        """Take in what the person says: PCM16 at 16,000 Hz, whole samples; it is kept and not copied.

        What comes faster than it is spoken, by more than `limits.AUDIO_BURST_MS`, is dropped.
        """
        if not pcm:
            # Kept pieces are bounded by their sound, and this has none.
            return
        now_s = self._loop.time()
        earned = (now_s - self._credit_s) * 1000 * BYTES_PER_MS
        self._credit_bytes = min(BURST_BYTES, self._credit_bytes + earned) - len(pcm)
        self._credit_s = now_s
        if self._credit_bytes < 0:
            # It came faster than anybody speaks: it is dropped.
            self._credit_bytes += len(pcm)
        elif not self._ending.done():
            self._ears.hear(pcm)

    def played(self, response_id: str, played_ms: int) -> bool:
        """Take the client's word for how much it has played; false where that cannot be.

        Of an answer that plays no more nothing is taken, and that is no fault: it was on its way.
        """
        sound = self.playout.sound
        if sound is None or sound.response_id != response_id:
            return True
        if not self.playout.tell(played_ms):
            return False
        self._progress.look()
        return True

    def hang_up(self, reason: str, message: str = "") -> None:
        """End the call; the first reason counts."""
        if not self._ending.done():
            self._ending.set_result(Ending(reason, message))

    def obey(self, order: Order) -> None:
        """Carry out what the engine orders of this call; gives it nothing before it has returned."""
        if self._ending.done():
            return
        match order:
            case StartSpeaking(response_id=response_id):
                self._speak(response_id)
            case FlushSpeech(response_id=response_id):
                self._flush(response_id)
            case PauseSpeech(response_id=response_id):
                if self._plays(response_id):
                    self.playout.pause()
                    self._link.paused(response_id)
            case ResumeSpeech(response_id=response_id):
                if self._plays(response_id):
                    self.playout.resume()
                    self._link.resumed(response_id)
            case FinishTranscript(segment=segment):
                self._ears.finish(segment)
            case DropTranscript():
                self._ears.drop()
            case JudgeEnd(segment=segment, text=text):
                self._ask(segment, text)
            case HangUp(reason=reason):
                self.hang_up(reason)

    def tell(self, happened: CallInput) -> None:
        """Give the engine a fact; a store that fails ends the call."""
        if self._ending.done():
            return
        try:
            self.session.give(happened)
        except StoreError:
            self.hang_up("store_failed", "the store failed; call again")

    async def _listen(self) -> None:
        try:
            await self._ears.run()
        except SpeechError:
            self.hang_up("recogniser_failed", "speech is not recognised at the moment")

    def _look(self, event: TextDelta | None) -> None:
        """End with the session; called at each durable change. A server that stops lets an answer be heard first."""
        if event is not None:
            # Some more text ends nothing.
            return
        session = self.session
        if session.failure is not None:
            self.hang_up("store_failed", "the store failed; call again")
        elif session.deleted:
            self.hang_up("deleted", "the session was deleted")
        elif session.leaving or (session.state.open is None and self._draining()):
            self.hang_up("draining", "the server is restarting; call again")
        elif session.state.ended:
            self.hang_up("session_ended", "the session has ended")

    def _speak(self, response_id: str) -> None:
        self._silence()
        speech = Speech(
            call_id=self.call_id,
            response_id=response_id,
            voice=self._speaking.voice,
            language=self.session.state.language,
            playout=self.playout,
            clock=self._clock,
            tell=self._made,
        )
        self._link.begun(response_id)
        if self._text.response_id == response_id:
            for text in self._text.pieces:
                speech.more(text)
            if self._text.whole:
                speech.more("")
            elif self._text.resting:
                speech.rest()
        task = self._group.create_task(self._sound(speech), name=f"speak {self.call_id} {response_id}")
        self._speech = speech, task
        self._ears.forget()

    async def _sound(self, speech: Speech) -> None:
        try:
            await speech.run()
        except SpeechError as error:
            self.tell(SpeechFailed(call_id=self.call_id, part="tts", message=str(error)))
            self.playout.finish(speech.sound)
        self._progress.look()

    def _more(self, response_id: str, text: str) -> None:
        if self._speech is not None and self._speech[0].response_id == response_id:
            self._speech[0].more(text)

    def _rests(self, response_id: str) -> None:
        if self._speech is not None and self._speech[0].response_id == response_id:
            self._speech[0].rest()

    def _made(self, made: SpeechMade) -> None:
        self._progress.words(word.begin_ms for word in made.words)
        self.tell(made)

    def _played(self, response_id: str, played_ms: int, over: bool) -> None:
        self.tell(Played(call_id=self.call_id, response_id=response_id, played_ms=played_ms))
        if over and self._plays(response_id):
            self._silence()
            self.tell(PlaybackEnded(call_id=self.call_id, response_id=response_id))

    def _flush(self, response_id: str) -> None:
        speaks = self._speech is not None and self._speech[0].response_id == response_id
        if speaks or self._plays(response_id):
            self._silence()
            self._link.cleared(response_id)

    def _silence(self) -> None:
        """Make and play nothing more of what was begun."""
        speech, self._speech = self._speech, None
        if speech is not None:
            speech[1].cancel()
        self._progress.stop()
        self.playout.drop()
        self._link.wake()

    def _plays(self, response_id: str) -> bool:
        sound = self.playout.sound
        return sound is not None and sound.response_id == response_id

    def _woken(self) -> None:
        self._link.wake()
        self._progress.arm()

    def _ask(self, segment: int, text: str) -> None:
        if self._judging is not None:
            self._judging.cancel()
        work = self._ears.judge(segment, text)
        self._judging = self._group.create_task(work, name=f"judge {self.call_id}")

    def _let_go(self) -> None:
        self._silence()
        if self._judging is not None:
            self._judging.cancel()
