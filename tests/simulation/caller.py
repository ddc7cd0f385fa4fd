"""What a call's runtime does in a simulated world: it speaks, recognises, plays and fails as one seed says."""

from typing import Final

from tests.simulation.stage import Stage

from duologue.engine.state import SessionState
from duologue.model.effects import (
    DropAnswer,
    FinishTranscript,
    FlushSpeech,
    HangUp,
    JudgeEnd,
    PrepareAnswer,
    ReleaseAnswer,
    StartSpeaking,
    VoiceEffect,
)
from duologue.model.inputs import (
    AnswerReleased,
    AudioTurnCancelled,
    AudioTurnCommitted,
    AudioTurnStarted,
    CallEnded,
    CallStarted,
    EndJudged,
    PlaybackEnded,
    Played,
    SpeechFailed,
    SpeechMade,
    SpeechStarted,
    SpeechStopped,
    TranscriptHeard,
)
from duologue.model.speech import WordTime
from duologue.model.voice import SpeechPart, VoiceRules

HEARD: Final = ("hello", "Hello.", "stop", "yeah", "mm-hm", "", "one two", "né 🙂", "wait, wait")
QUIET: Final = 0.5
"""How often a person lets the assistant speak."""

AGO_MS: Final = (0, 64, 200, 900)
PARTS: Final[tuple[SpeechPart, ...]] = ("stt", "tts", "vad", "end_of_turn")
RULES: Final = (
    VoiceRules(endpoint_ms=100, unfinished_ms=300, final_wait_ms=400, min_speech_ms=100, idle_ms=30_000),
    VoiceRules(endpoint_ms=0, early=True, min_speech_ms=60, sticky=False, no_response_ms=900, nudge="(silence)"),
    VoiceRules(early=True, end_of_turn=0.5, short_speech="go_on", max_turn_ms=900, stall_ms=800),
    VoiceRules(mode="explicit", max_turn_ms=2_000, final_wait_ms=400),
    VoiceRules(barge_in=False, backchannels=(), no_response_ms=500, idle_ms=None),
)


class Caller:
    """The runtime's side of a call: it knows what the effects told it, and makes something of it."""

    def __init__(self, stage: Stage) -> None:
        self._stage, self._rng, self._give, self._tally = stage, stage.rng, stage.give, stage.tally
        self._calls = 0
        self.hang_up()

    def hang_up(self) -> None:
        """Forget everything: the link is gone."""
        self.call_id = ""
        self._finals: list[int] = []
        self._judged: list[int] = []
        self._segment = 1
        self._speaking = ""
        self._made = self._made_ms = self._played_ms = 0
        self._released = ""
        self._talks, self._partial = False, ""

    def carry_out(self, effect: VoiceEffect) -> str | None:
        """Do what was ordered; gives the id of a run that is let out."""
        self._tally[type(effect).__name__] += 1
        if effect.call_id != self.call_id:
            return None
        match effect:
            case FinishTranscript(segment=segment):
                self._finals.append(segment)
                self._segment = segment + 1
            case JudgeEnd(segment=segment):
                self._judged.append(segment)
            case StartSpeaking(response_id=response_id):
                self._speaking, self._made, self._made_ms, self._played_ms = response_id, 0, 0, 0
            case FlushSpeech():
                self._speaking = ""
            case ReleaseAnswer(request=request):
                self._released = request.response_id
                return request.response_id
            case HangUp():
                self.hang_up()
            case PrepareAnswer() | DropAnswer():
                pass
            case _:
                pass
        return None

    def _pick_ms(self) -> int:
        return AGO_MS[int(self._rng.random() * len(AGO_MS))]

    def links(self) -> None:
        """A call is made, taken over, or breaks off."""
        chance = self._rng.random()
        if not self.call_id or chance < 0.1:
            self._calls += 1
            self.hang_up()
            self.call_id = f"call-{self._calls}"
            rules = RULES[int(self._rng.random() * len(RULES))]
            self._give(CallStarted(call_id=self.call_id, rules=rules))
        elif chance < 0.15:
            gone, reason = self.call_id, "lost"
            self.hang_up()
            self._give(CallEnded(call_id=gone, reason=reason))
        elif chance < 0.2:
            self._give(CallStarted(call_id=self.call_id))

    def listens(self) -> None:
        """Somebody makes a sound, or stops, or is understood."""
        state = self._stage.state
        if not self.call_id or (state.state == "speaking" and self._rng.random() < QUIET):
            return
        chance = self._rng.random()
        explicit = state.call is not None and state.call.rules.mode == "explicit"
        if explicit and chance < 0.35:
            self._audio_turn(state)
        elif chance < 0.3:
            # Mostly one after the other; now and then twice the same.
            self._talks = not self._talks if self._rng.random() < 0.95 else self._talks
            kind = SpeechStarted if self._talks else SpeechStopped
            self._give(kind(call_id=self.call_id, ago_ms=self._pick_ms()))
        elif chance < 0.55:
            self._transcript(self._segment, final=False)
        elif chance < 0.85:
            self._final()
        elif self._judged:
            segment = self._judged.pop()
            self._give(EndJudged(call_id=self.call_id, segment=segment, probability=self._rng.random()))

    def _final(self) -> None:
        """A final comes, in any order, twice, or for what nobody asked."""
        chance = self._rng.random()
        if self._finals and chance < 0.9:
            place = int(self._rng.random() * len(self._finals))
            segment = self._finals[place] if chance < 0.08 else self._finals.pop(place)
        elif chance > 0.97:
            segment = int(self._rng.random() * (self._segment + 2))
        else:
            return
        self._transcript(segment, final=True)

    def _transcript(self, segment: int, *, final: bool) -> None:
        # A final mostly says what the partial said.
        if not (final and self._partial and self._rng.random() < 0.6):
            self._partial = HEARD[int(self._rng.random() * len(HEARD))]
        text = self._partial
        heard = TranscriptHeard(call_id=self.call_id, segment=segment, text=text, final=final, stt_ms=5)
        self._give(heard)

    def _audio_turn(self, state: SessionState) -> None:
        chance = self._rng.random()
        utterance = None if state.call is None else state.call.utterance
        turn = utterance.audio_turn if utterance is not None and chance < 0.9 else state.last_turn + int(chance * 3)
        if utterance is None or chance < 0.1:
            self._give(AudioTurnStarted(turn=turn))
        elif chance < 0.8:
            self._give(AudioTurnCommitted(turn=turn))
        else:
            self._give(AudioTurnCancelled(turn=turn))

    def plays(self) -> None:
        """Something becomes sound, or is heard."""
        if self._released and self._rng.random() < 0.5:
            released, self._released = self._released, ""
            tokens = int(self._rng.random() * 3)
            self._give(AnswerReleased(call_id=self.call_id, response_id=released, tokens=tokens))
        turn = self._stage.state.open
        if not (self._speaking and self.call_id) or turn is None:
            return
        chance, length = self._rng.random(), turn.response.length
        if chance < 0.4 and self._made < length:
            self._make("".join(turn.response.pieces), min(length, self._made + 1 + int(chance * 60)))
        elif chance < 0.85:
            self._played_ms = min(self._made_ms, self._played_ms + 1 + int(chance * 700))
            told = Played(call_id=self.call_id, response_id=self._speaking, played_ms=self._played_ms)
            self._give(told)
        elif self._made == length or chance > 0.98:
            self._give(PlaybackEnded(call_id=self.call_id, response_id=self._speaking))

    def _make(self, answer: str, end: int) -> None:
        begin, begin_ms, duration_ms = self._made, self._made_ms, (end - self._made) * 20
        timed = self._rng.random() < 0.6
        word = WordTime(begin_char=begin, end_char=end, begin_ms=begin_ms, end_ms=begin_ms + duration_ms)
        if answer[begin:end].strip() or self._rng.random() < 0.5:
            self._give(
                SpeechMade(
                    call_id=self.call_id,
                    response_id=self._speaking,
                    begin=begin,
                    end=end,
                    begin_ms=begin_ms,
                    duration_ms=duration_ms,
                    words=(word,) if timed else (),
                    latency_ms=int(self._rng.random() * 90),
                )
            )
        self._made, self._made_ms = end, begin_ms + duration_ms

    def fails(self) -> None:
        """Something of it fails."""
        if self.call_id:
            part = PARTS[int(self._rng.random() * len(PARTS))]
            self._give(SpeechFailed(call_id=self.call_id, part=part, message="no"))
