"""Explicit audio turns. Source: AgentCall 0.1, `audioTurnStart`, `audioTurnCommit`, `audioTurnCancel`."""

import pytest
from tests.unit.engine.conversation import kinds, of, only, refusal
from tests.unit.engine.voice_talk import CALL, FINAL_MS, VoiceTalk

from duologue.engine.deadlines import next_deadline_ms
from duologue.engine.step import Stepped
from duologue.model.effects import DropTranscript, FinishTranscript, JudgeEnd
from duologue.model.errors import Code
from duologue.model.events import ListeningBegan, NothingHeard, SpeechPaused, TurnAccepted, TurnEnded
from duologue.model.inputs import (
    AnyInput,
    AudioTurnCancelled,
    AudioTurnCommitted,
    AudioTurnStarted,
    CancelRequested,
    EndRequested,
    VoiceTriggered,
)
from duologue.model.replies import Accepted, Ignored, Repeated
from duologue.model.voice import VoiceRules

RULES = VoiceRules(mode="explicit", end_of_turn=0.5, max_turn_ms=10_000)


class ExplicitTalk(VoiceTalk):
    def __init__(self) -> None:
        super().__init__(RULES)

    def start(self, turn: int = 1) -> Stepped:
        return self.give(AudioTurnStarted(turn=turn))

    def commit(self, turn: int = 1, *, after_ms: int = 0) -> Stepped:
        return self.give(AudioTurnCommitted(turn=turn), after_ms=after_ms)

    def cancel(self, turn: int = 1) -> Stepped:
        return self.give(AudioTurnCancelled(turn=turn))


def test_a_committed_turn_is_answered_at_once() -> None:
    talk = ExplicitTalk()
    started = talk.start(4)
    assert only(started.events, ListeningBegan).audio_turn == 4
    assert only(started.effects, DropTranscript), "what was said before is discarded"
    committed = talk.commit(4, after_ms=3_000)
    paused = only(committed.events, SpeechPaused)
    assert (paused.audio_turn, paused.duration_ms, paused.state) == (4, 3_000, "transcribing")
    assert only(committed.effects, FinishTranscript)
    assert not of(committed.effects, JudgeEnd)
    taken = talk.recognise("hello", after_ms=100)
    assert kinds(taken.events) == ["Transcribed", "TurnAccepted", "ResponseStarted"]
    assert only(taken.events, TurnAccepted).turn == 4
    talk.answer("hi")
    assert talk.state.state == "idle"
    measured = talk.ended.latency
    assert measured is not None
    assert (measured.transcriber_ms, measured.turn_detection_ms) == (100, None)


def test_voice_activity_means_nothing() -> None:
    talk = ExplicitTalk()
    assert not talk.begin().events
    talk.start()
    assert not talk.begin().events
    assert not talk.stop(after_ms=5_000).events
    talk.commit()
    talk.recognise("hello", after_ms=10)
    talk.speak("one ")
    assert not talk.begin().events
    assert not talk.stop(after_ms=5_000).events


def test_a_cancelled_turn_does_not_advance_the_conversation() -> None:
    talk = ExplicitTalk()
    talk.start()
    cancelled = talk.cancel()
    nothing = only(cancelled.events, NothingHeard)
    assert (nothing.why, nothing.audio_turn, nothing.state) == ("cancelled", 1, "idle")
    assert only(cancelled.effects, DropTranscript)
    assert talk.state.last_turn == 0
    talk.start()
    talk.commit()
    talk.cancel()
    assert not talk.recognise("late", segment=1).events
    assert isinstance(talk.start().reply, Accepted)


def test_starting_anew_discards_what_was_not_committed() -> None:
    talk = ExplicitTalk()
    talk.start()
    talk.recognise("old", final=False, after_ms=500)
    anew = talk.start()
    assert kinds(anew.events) == ["NothingHeard", "ListeningBegan"]
    assert talk.state.call is not None
    assert talk.state.call.utterance is not None
    assert talk.state.call.utterance.so_far == ""


@pytest.mark.parametrize("text", ["", None])
def test_where_nothing_is_recognised_the_client_is_told(text: str | None) -> None:
    talk = ExplicitTalk()
    talk.start()
    talk.commit()
    if text is None:
        assert next_deadline_ms(talk.state) == talk.now_ms + FINAL_MS
        nothing = talk.wait()
    else:
        nothing = talk.recognise(text)
    assert only(nothing.events, NothingHeard).audio_turn == 1
    assert (talk.state.state, talk.state.last_turn, talk.requests) == ("idle", 0, [])


def test_a_turn_that_was_answered_is_not_taken_twice() -> None:
    talk = ExplicitTalk()
    talk.start()
    talk.commit()
    assert isinstance(talk.commit().reply, Ignored), "it is on its way"
    taken = talk.recognise("hello")
    seq = only(taken.events, TurnAccepted).seq
    assert talk.start().reply == Repeated(turn=1, seq=seq)
    assert talk.commit().reply == Repeated(turn=1, seq=seq)
    assert refusal(talk.cancel().reply).code is Code.TURN_CONFLICT
    assert len(talk.requests) == 1


@pytest.mark.parametrize("turn", [AudioTurnCommitted(turn=2), AudioTurnCancelled(turn=2)])
def test_only_the_turn_that_was_started_can_be_ended(turn: AnyInput) -> None:
    talk = ExplicitTalk()
    assert refusal(talk.give(turn).reply).code is Code.TURN_CONFLICT
    talk.start(1)
    assert refusal(talk.give(turn).reply).code is Code.TURN_CONFLICT


def test_turns_rise() -> None:
    talk = ExplicitTalk()
    talk.say("typed", turn=5)
    assert refusal(talk.start(4).reply).code is Code.TURN_STALE
    assert refusal(talk.start(0).reply).code is Code.BAD_MESSAGE
    assert refusal(talk.start(2**31).reply).code is Code.BAD_MESSAGE


def test_starting_interrupts_the_answer() -> None:
    talk = ExplicitTalk()
    talk.say("typed")
    talk.speak("one ", "two ")
    talk.voice("one", "two")
    talk.played(1)
    started = talk.start(2)
    assert kinds(started.events) == ["BargedIn", "TextCompleted", "ResponseEnded", "TurnEnded", "ListeningBegan"]
    assert talk.ended.answer == "one"
    assert kinds(started.effects) == ["FlushSpeech", "StopAgent", "DropTranscript"]


def test_also_one_that_has_not_begun() -> None:
    talk = ExplicitTalk()
    talk.say("typed")
    started = talk.start(2)
    assert kinds(started.events) == ["ResponseEnded", "TurnEnded", "ListeningBegan"]
    assert only(started.events, TurnEnded).outcome == "interrupted"


def test_a_typed_turn_discards_what_was_being_said() -> None:
    talk = ExplicitTalk()
    talk.start()
    talk.say("typed", turn=1)
    assert only(talk.events, NothingHeard).audio_turn == 1
    assert isinstance(talk.commit().reply, Repeated)


def test_a_turn_that_is_too_long_is_committed() -> None:
    talk = ExplicitTalk()
    talk.start()
    forced = only(talk.wait().events, SpeechPaused)
    assert (forced.forced, forced.audio_turn) == (True, 1)
    talk.recognise("on and on")
    assert talk.requests[0].text == "on and on"


def test_stop_discards_what_was_being_said() -> None:
    talk = ExplicitTalk()
    talk.start()
    stopped = talk.give(CancelRequested())
    assert only(stopped.events, NothingHeard).why == "cancelled"
    assert talk.state.state == "idle"


def test_it_needs_a_call_of_that_kind() -> None:
    talk = VoiceTalk()
    assert refusal(talk.give(AudioTurnStarted(turn=1)).reply).code is Code.NO_AUDIO
    talk.give(EndRequested())
    assert refusal(talk.give(AudioTurnStarted(turn=1)).reply).code is Code.SESSION_ENDED


def test_a_button_does_not_interrupt_there() -> None:
    talk = ExplicitTalk()
    talk.say("typed")
    talk.speak("one ")
    assert refusal(talk.give(VoiceTriggered(trigger="barge_in")).reply).code is Code.ILLEGAL_TRIGGER


def test_an_error_is_left_by_starting() -> None:
    talk = ExplicitTalk()
    talk.say("typed")
    talk.wait()
    assert talk.state.state == "error"
    assert talk.start(2).events[-1].state == "listening"
    assert talk.state.call is not None
    assert talk.state.call.call_id == CALL
