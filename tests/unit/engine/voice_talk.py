"""A session with a call, at arm's length: somebody speaks, is recognised, is answered and hears it."""

from tests.unit.engine.conversation import Conversation, of

from duologue.engine.deadlines import next_deadline_ms
from duologue.engine.step import Stepped
from duologue.model.content import Message
from duologue.model.effects import FinishTranscript, PrepareAnswer
from duologue.model.events import TurnEnded
from duologue.model.inputs import (
    CallStarted,
    DeadlinePassed,
    EndJudged,
    PlaybackEnded,
    Played,
    SpeechMade,
    SpeechStarted,
    SpeechStopped,
    TranscriptHeard,
)
from duologue.model.speech import WordTime
from duologue.model.voice import VoiceRules

CALL = "call-1"
SILENCE_MS = 200
ENDPOINT_MS = 300
FINAL_MS = 4_000
MIN_SPEECH_MS = 500

RULES = VoiceRules(silence_ms=SILENCE_MS, endpoint_ms=ENDPOINT_MS, final_wait_ms=FINAL_MS, min_speech_ms=MIN_SPEECH_MS)

WORD_MS = 300
"""How long every word is in the tests' voice."""


class VoiceTalk(Conversation):
    """A conversation in a call."""

    def __init__(self, rules: VoiceRules = RULES) -> None:
        super().__init__()
        self.give(CallStarted(call_id=CALL, rules=rules))

    def begin(self, *, ago_ms: int = 0, after_ms: int = 0) -> Stepped:
        """Somebody begins to speak."""
        return self.give(SpeechStarted(call_id=CALL, ago_ms=ago_ms), after_ms=after_ms)

    def stop(self, *, ago_ms: int = SILENCE_MS, after_ms: int = 0) -> Stepped:
        """They have been silent for long enough that it shows."""
        return self.give(SpeechStopped(call_id=CALL, ago_ms=ago_ms), after_ms=after_ms)

    def recognise(
        self,
        text: str,
        *,
        segment: int | None = None,
        final: bool = True,
        after_ms: int = 0,
        language: str | None = None,
    ) -> Stepped:
        """The recogniser says something, of the latest segment that was ended unless told otherwise."""
        if segment is None:
            segment = self.segments if final else self.segments + 1
        heard = TranscriptHeard(
            call_id=CALL, segment=segment, text=text, final=final, stt_ms=7, confidence=0.5, language=language
        )
        return self.give(heard, after_ms=after_ms)

    def judge(self, probability: float, *, after_ms: int = 0) -> Stepped:
        """A model judges the latest pause."""
        verdict = EndJudged(call_id=CALL, segment=self.segments, probability=probability)
        return self.give(verdict, after_ms=after_ms)

    def utter(self, text: str, *, speech_ms: int = 1_000) -> Stepped:
        """Somebody says something and is understood; the turn is taken when the pause is long enough."""
        self.begin()
        self.stop(after_ms=speech_ms + SILENCE_MS)
        self.recognise(text, after_ms=100)
        return self.wait()

    def wait(self) -> Stepped:
        """Nothing happens until the deadline."""
        due_ms = next_deadline_ms(self.state)
        assert due_ms is not None
        return self.give(DeadlinePassed(), after_ms=max(0, due_ms - self.now_ms))

    def voice(self, *words: str, timed: bool = True, latency_ms: int = 40, after_ms: int = 0) -> Stepped:
        """What was said last becomes sound, each word in its time."""
        text = "".join(self.open_turn.response.pieces)
        voiced = self.open_turn.voice
        assert voiced is not None
        begin, times, at_ms = voiced.made, list[WordTime](), self._made_ms()
        at = begin
        for place, word in enumerate(words):
            found = text.index(word, at)
            begin_ms = at_ms + place * WORD_MS
            at = found + len(word)
            times.append(WordTime(begin_char=found, end_char=at, begin_ms=begin_ms, end_ms=begin_ms + WORD_MS))
        made = SpeechMade(
            call_id=CALL,
            response_id=self.response_id,
            begin=begin,
            end=at,
            begin_ms=at_ms,
            duration_ms=WORD_MS * len(words),
            words=tuple(times) if timed else (),
            latency_ms=latency_ms,
        )
        return self.give(made, after_ms=after_ms)

    def _made_ms(self) -> int:
        """How long the sound of the open response is."""
        made = [
            record.input
            for record in self.records
            if isinstance(record.input, SpeechMade) and record.input.response_id == self.response_id
        ]
        return sum(one.duration_ms for one in made)

    def played(self, played_ms: int, *, after_ms: int = 0) -> Stepped:
        """Playback has come so far."""
        told = Played(call_id=CALL, response_id=self.response_id, played_ms=played_ms)
        return self.give(told, after_ms=after_ms)

    def heard_out(self, *, after_ms: int = 0) -> Stepped:
        """All of the answer has been heard."""
        return self.give(PlaybackEnded(call_id=CALL, response_id=self.response_id), after_ms=after_ms)

    def answer(self, *words: str) -> Stepped:
        """The agent answers, and all of it is spoken and heard."""
        self.speak(*[f"{word} " for word in words])
        self.finish()
        self.voice(*words)
        return self.heard_out()

    @property
    def segments(self) -> int:
        """How many segments the recogniser was told to end."""
        finished = [effect.segment for effect in self.effects if isinstance(effect, FinishTranscript)]
        return max(finished, default=0)

    @property
    def prepared(self) -> list[str]:
        """What the agent was asked early."""
        return [effect.request.text for effect in self.effects if isinstance(effect, PrepareAnswer)]

    @property
    def history(self) -> list[tuple[str, str, bool]]:
        """What is remembered."""
        return [(one.role, one.text, one.interrupted) for one in self.state.history]

    @property
    def ended(self) -> TurnEnded:
        """The last turn's end."""
        return of(self.events, TurnEnded)[-1]


def said(message: Message) -> str:
    """A message's words."""
    return message.text
