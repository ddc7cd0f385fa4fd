"""What must hold of the steps of a call, kept apart from the engine's own way of keeping it."""

from typing import Final

from duologue.engine.graphemes import may_cut
from duologue.model import events as e
from duologue.model.effects import (
    DropAnswer,
    Effect,
    FinishTranscript,
    FlushSpeech,
    PauseSpeech,
    PrepareAnswer,
    ReleaseAnswer,
    ResumeSpeech,
    StartSpeaking,
)
from duologue.model.inputs import AnyInput, CallStarted
from duologue.model.voice import Latency, VoiceRules

PARTS: Final = ("transcriber_ms", "turn_detection_ms", "model_ms", "cutting_ms", "voice_ms")


class VoiceJudge:
    """Follows the calls of a session.

    Attributes:
        call_id: of the call that is on, or empty.
        rules: its rules.
        spoken: the open turn is spoken.
        timed: a call was on when the open turn began.
        made: all of the open answer was made, and it is being heard.
        held: the open turn waits for what the person says more.
        heard: how much of the open answer was heard.
        extended: how often the open turn grew.
    """

    def __init__(self) -> None:
        self.call_id = ""
        self.rules = VoiceRules()
        self.spoken = self.timed = self.made = self.held = False
        self.heard = self.extended = 0
        self._finals: dict[int, str] = {}
        self._segments = 0
        self._known: set[int] = set()
        self._prepared: set[str] = set()
        self._started: set[str] = set()
        self._flushed: set[str] = set()
        self._paused = False
        self._waited: dict[str, int] = {}

    @property
    def cut_at(self) -> int | None:
        """Where the open answer would be cut short now; `None` where it is text."""
        return self.heard if self.spoken else None

    def turn_begins(self) -> None:
        """A turn was taken."""
        self.spoken = self.timed = bool(self.call_id)
        self.made = self.held = self._paused = False
        self.heard = self.extended = 0

    def take_text(self, text: str, *, before: str = "") -> None:
        """Judge a turn's text: finals that were recognised, each in one turn only."""
        texts = [self._finals[segment] for segment in sorted(self._finals)]
        endings = {" ".join([before, *filter(None, texts[place:])]).strip() for place in range(len(texts))}
        assert text in endings, f"nobody said {text!r}"
        self._finals.clear()

    def follow(self, event: e.AnyVoiceEvent, happened: AnyInput, *, response: str, pieces: list[str]) -> None:
        """Judge one event of a call."""
        if isinstance(event, e.CallBegan):
            assert isinstance(happened, CallStarted) and not self.call_id, "one call at a time"
            self.call_id, self.rules = event.call_id, happened.rules
            self._segments = 0
            self._finals.clear()
            self._known.clear()
            return
        assert event.call_id == self.call_id, "an event of another call"
        match event:
            case e.CallFinished():
                self.call_id, self.spoken = "", False
            case e.Transcribed(final=True):
                assert event.segment not in self._known, "a segment has one final"
                assert 1 <= event.segment <= self._segments, "nothing is final before it was asked for"
                self._known.add(event.segment)
                self._finals[event.segment] = event.text
            case e.NothingHeard():
                recognised = event.why in ("empty", "missing")
                assert event.state != "transcribing" or not recognised, "nothing is waited for any more"
                self._finals.clear()
            case e.WordSpoken():
                self._word(event, response, "".join(pieces))
            case e.SpeechPrepared():
                assert event.response_id == response and self.spoken, "sound of what is not spoken"
                assert event.end <= sum(map(len, pieces)), "sound of what was not said"
            case e.AnswerRevealed():
                assert event.response_id == response and response not in self._waited, "let out once"
                self._waited[response] = event.tokens
            case e.AnswerCompleted():
                assert self.spoken and not self.made, "an answer is made once"
                self.made = True
            case e.SpeakingFinished():
                assert self.made and event.heard == sum(map(len, pieces)), "what is not heard is not finished"
                self.heard = event.heard
            case e.BargedIn():
                assert self.spoken and event.heard == self.heard, "cut where it was heard"
            case e.VoiceFailed(part="tts"):
                self.spoken = self.spoken and self.held
            case e.SpeakingPaused():
                assert self.spoken and not self._paused, "silent already"
                self._paused = True
            case e.SpeakingResumed():
                assert self.spoken and self._paused, "it was not silent"
                self._paused = False
            case _:
                pass

    def _word(self, event: e.WordSpoken, response: str, answer: str) -> None:
        assert event.response_id == response and self.spoken, "a word of what is not spoken"
        assert event.response_id not in self._flushed, "a word after the flush"
        assert answer[event.begin : event.end] == event.word != "", "another word"
        assert event.begin >= self.heard, "a word is heard once"
        assert may_cut(answer, event.end), "a character was parted"
        self.heard = event.end

    def superseded(self) -> None:
        """The run of the open turn was given up for more words."""
        assert self.call_id and not self.held, "only in a call is more said"
        self.held = True

    def answered_anew(self) -> None:
        """Another response to the open turn begins."""
        if self.held:
            self.held = False
            self.extended += 1

    def latency(self, measured: Latency | None, response: str) -> None:
        """Judge what a turn waited for."""
        assert (measured is not None) == self.timed, "measured where a call was on"
        if measured is None:
            return
        parts = [getattr(measured, name) for name in PARTS]
        told = [part for part in parts if part is not None]
        assert all(part >= 0 for part in told), f"a part is no time: {measured}"
        assert sum(told) == measured.total_ms, "the parts are the whole"
        assert (measured.preflight == "hit") == (self._waited.get(response, 0) > 0), "a hit is what had waited"
        waited = self._waited[response] if measured.preflight == "hit" else None
        assert measured.preflight_tokens == waited, "how much had waited"
        assert not (measured.preflight == "hit" and measured.model_ms is not None), "a hit waits for no model"

    def orders(self, effects: tuple[Effect, ...], *, cut: list[str]) -> None:
        """Judge what is ordered of a call: nothing is spoken after a flush, and nothing that was prepared is lost."""
        flushed: list[str] = []
        for effect in effects:
            match effect:
                case StartSpeaking(response_id=response_id):
                    assert response_id not in self._started, "a response is spoken once"
                    self._started.add(response_id)
                case PauseSpeech(response_id=response_id) | ResumeSpeech(response_id=response_id):
                    assert response_id in self._started - self._flushed, "nothing of it is spoken"
                case FlushSpeech(response_id=response_id):
                    assert response_id in self._started - self._flushed, "nothing of it is spoken"
                    self._flushed.add(response_id)
                    flushed.append(response_id)
                case FinishTranscript(call_id=call_id, segment=segment):
                    assert call_id != self.call_id or segment == self._segments + 1, "segments are counted"
                    self._segments = segment
                case PrepareAnswer(request=request):
                    assert self.rules.early and not self._prepared, "one answer is prepared at a time"
                    self._prepared.add(request.response_id)
                case ReleaseAnswer(request=request):
                    assert request.response_id in self._prepared, "it was not prepared"
                    self._prepared.discard(request.response_id)
                case DropAnswer(response_id=response_id):
                    assert response_id in self._prepared, "it was not prepared"
                    self._prepared.discard(response_id)
                case _:
                    pass
        missing = [one for one in cut if one in self._started and one not in self._flushed]
        assert not missing, f"{missing} is still heard"
        if flushed:
            self._paused = False
