"""Endpointing: when what somebody says has become a turn."""

import pytest
from tests.unit.engine.conversation import kinds, of, only
from tests.unit.engine.voice_talk import CALL, ENDPOINT_MS, FINAL_MS, RULES, SILENCE_MS, VoiceTalk

from duologue.engine.deadlines import next_deadline_ms
from duologue.model.effects import DropTranscript, FinishTranscript, JudgeEnd, StartSpeaking
from duologue.model.events import NothingHeard, PauseJudged, SpeechPaused, Transcribed, TurnAccepted
from duologue.model.inputs import (
    CallStarted,
    DeadlinePassed,
    EndJudged,
    SpeechFailed,
    SpeechStarted,
    SpeechStopped,
    TranscriptHeard,
)
from duologue.model.voice import VoiceRules


def test_what_is_said_becomes_a_turn_once_the_pause_is_long_enough() -> None:
    talk = VoiceTalk()
    assert kinds(talk.begin(ago_ms=64).events) == ["SpeechBegan"]
    stopped = talk.stop(after_ms=1_200)
    assert only(stopped.events, SpeechPaused).state == "transcribing"
    assert only(stopped.events, SpeechPaused).duration_ms == 1_064
    assert only(stopped.effects, FinishTranscript).segment == 1
    assert kinds(talk.recognise("what is it", after_ms=100, language="de").events) == ["Transcribed"]
    assert next_deadline_ms(talk.state) == talk.now_ms - 100 - SILENCE_MS + SILENCE_MS + ENDPOINT_MS
    taken = talk.wait()
    assert kinds(taken.events) == ["TurnAccepted", "ResponseStarted"]
    accepted = only(taken.events, TurnAccepted)
    assert (accepted.text, accepted.source, accepted.language) == ("what is it", "voice", "de")
    assert accepted.state == "thinking"
    assert kinds(taken.effects) == ["StartSpeaking", "RunAgent"]
    assert only(taken.effects, StartSpeaking).response_id == talk.response_id


def test_a_pause_that_is_long_already_is_not_waited_for_again() -> None:
    talk = VoiceTalk(VoiceRules(silence_ms=SILENCE_MS, endpoint_ms=0))
    talk.begin()
    talk.stop(after_ms=1_000)
    assert kinds(talk.recognise("yes", after_ms=50).events) == ["Transcribed", "TurnAccepted", "ResponseStarted"]


def test_a_final_is_no_end_and_two_of_them_give_one_run() -> None:
    talk = VoiceTalk()
    talk.begin()
    talk.stop(after_ms=1_000)
    talk.recognise("I would like", after_ms=100)
    talk.begin(after_ms=100)
    assert not talk.give(DeadlinePassed(), after_ms=ENDPOINT_MS).events
    talk.stop(after_ms=1_000)
    talk.recognise("a pizza", after_ms=100)
    talk.wait()
    assert [request.text for request in talk.requests] == ["I would like a pizza"]
    assert len(of(talk.events, TurnAccepted)) == 1


def test_finals_that_come_in_the_wrong_order_stand_in_the_right_one() -> None:
    talk = VoiceTalk()
    talk.begin()
    talk.stop(after_ms=1_000)
    talk.begin(after_ms=100)
    talk.stop(after_ms=1_000)
    talk.recognise("second", segment=2, after_ms=300)
    assert not talk.requests
    talk.recognise("first", segment=1, after_ms=300)
    assert [request.text for request in talk.requests] == ["first second"]


def test_a_late_final_is_used_once_and_in_its_own_turn_only() -> None:
    talk = VoiceTalk()
    talk.begin()
    talk.stop(after_ms=1_000)
    late = talk.recognise("hello", after_ms=800)
    assert only(late.events, TurnAccepted).text == "hello"
    assert not talk.recognise("hello", segment=1, after_ms=10).events
    talk.answer("hi")
    talk.begin()
    assert not talk.recognise("hello", segment=1, after_ms=10).events
    talk.stop(after_ms=500)
    assert not talk.recognise("hello", segment=1, after_ms=10).events
    talk.recognise("bye", after_ms=10)
    talk.wait()
    assert [request.text for request in talk.requests] == ["hello", "bye"]


def test_a_duplicate_final_counts_once() -> None:
    talk = VoiceTalk()
    talk.begin()
    talk.stop(after_ms=1_000)
    talk.recognise("hello", after_ms=10)
    assert not talk.recognise("hello", segment=1, after_ms=10).events
    assert not talk.recognise("hello again", segment=1, after_ms=10).events
    talk.wait()
    assert [request.text for request in talk.requests] == ["hello"]


def test_an_empty_final_is_no_run_and_the_client_is_told() -> None:
    talk = VoiceTalk()
    talk.begin()
    talk.stop(after_ms=1_000)
    nothing = talk.recognise("  ", after_ms=100)
    assert kinds(nothing.events) == ["Transcribed", "NothingHeard", "ListeningBegan"]
    assert [event.state for event in nothing.events] == ["transcribing", "idle", "listening"]
    assert only(nothing.events, NothingHeard).why == "empty"
    assert not talk.requests


def test_a_missing_final_is_waited_for_so_long_and_no_longer() -> None:
    talk = VoiceTalk()
    talk.begin()
    talk.recognise("hel", final=False, after_ms=500)
    talk.stop(after_ms=500)
    assert next_deadline_ms(talk.state) == talk.now_ms + FINAL_MS
    nothing = talk.wait()
    assert only(nothing.events, NothingHeard).why == "missing"
    assert talk.state.state == "listening"
    assert not talk.recognise("hello", segment=1, after_ms=10).events
    assert not talk.requests


def test_what_is_there_has_to_do_where_one_of_two_finals_is_missing() -> None:
    talk = VoiceTalk()
    talk.begin()
    talk.stop(after_ms=1_000)
    talk.begin(after_ms=100)
    talk.stop(after_ms=1_000)
    talk.recognise("second", after_ms=100)
    talk.wait()
    assert [request.text for request in talk.requests] == ["second"]


def test_partials_are_told_as_they_change_and_never_become_a_turn() -> None:
    talk = VoiceTalk()
    talk.begin()
    assert only(talk.recognise("he", final=False).events, Transcribed).so_far == "he"
    assert not talk.recognise("he", final=False).events
    assert only(talk.recognise("hello", final=False).events, Transcribed).final is False
    assert not talk.requests


def test_what_is_final_before_it_was_asked_for_is_not() -> None:
    talk = VoiceTalk()
    talk.begin()
    early = talk.recognise("hello", segment=1, final=True)
    assert only(early.events, Transcribed).final is False


def test_words_without_speech_mean_nothing() -> None:
    talk = VoiceTalk()
    assert not talk.recognise("ghost", final=False).events
    assert not talk.stop().events
    talk.begin()
    assert not talk.recognise("from the future", segment=3, final=False).events
    assert not talk.begin().events


def test_another_call_changes_nothing() -> None:
    talk = VoiceTalk()
    assert not talk.give(SpeechStarted(call_id="other")).events
    talk.begin()
    assert not talk.give(SpeechStopped(call_id="other")).events
    assert not talk.give(TranscriptHeard(call_id="other", segment=1, text="x", final=False)).events


class TestModel:
    RULES = VoiceRules(silence_ms=SILENCE_MS, endpoint_ms=ENDPOINT_MS, end_of_turn=0.6, unfinished_ms=2_000)

    def paused(self) -> VoiceTalk:
        talk = VoiceTalk(self.RULES)
        talk.begin()
        judge = only(talk.stop(after_ms=1_000).effects, JudgeEnd)
        assert judge.segment == 1
        return talk

    def judge(self, talk: VoiceTalk, probability: float, *, segment: int = 1) -> list[str]:
        judged = EndJudged(call_id=CALL, segment=segment, probability=probability)
        return kinds(talk.give(judged, after_ms=30).events)

    def test_its_yes_ends_the_turn_with_the_final(self) -> None:
        talk = self.paused()
        assert self.judge(talk, 0.6) == ["PauseJudged"]
        assert talk.recognise("go", after_ms=10).events[-1].state == "thinking"

    def test_its_yes_ends_a_turn_that_is_understood_at_once(self) -> None:
        talk = self.paused()
        talk.recognise("go", after_ms=10)
        assert self.judge(talk, 0.9) == ["PauseJudged", "TurnAccepted", "ResponseStarted"]

    @pytest.mark.parametrize("probability", [0.59, None])
    def test_without_its_yes_the_pause_has_to_be_long(self, probability: float | None) -> None:
        talk = self.paused()
        stopped_ms = talk.now_ms - SILENCE_MS
        talk.recognise("so", after_ms=10)
        if probability is not None:
            self.judge(talk, probability)
            assert only(talk.events, PauseJudged).finished is False
        assert next_deadline_ms(talk.state) == stopped_ms + 2_000
        talk.wait()
        assert [request.text for request in talk.requests] == ["so"]

    def test_its_verdict_on_another_pause_is_void(self) -> None:
        talk = self.paused()
        assert self.judge(talk, 0.9, segment=0) == []
        talk.begin()
        assert self.judge(talk, 0.9) == []

    def test_where_it_fails_silence_decides(self) -> None:
        talk = self.paused()
        talk.recognise("so", after_ms=10)
        talk.give(SpeechFailed(call_id=CALL, part="end_of_turn", message="no"), after_ms=ENDPOINT_MS)
        assert [request.text for request in talk.requests] == ["so"]


class TestLongTurns:
    RULES = VoiceRules(max_turn_ms=10_000)

    def test_a_turn_ends_in_the_middle_of_speech(self) -> None:
        talk = VoiceTalk(self.RULES)
        talk.begin()
        forced = only(talk.wait().events, SpeechPaused)
        assert (forced.forced, forced.duration_ms) == (True, 10_000)
        taken = talk.recognise("on and on", after_ms=100)
        assert only(taken.events, TurnAccepted).text == "on and on"

    def test_what_is_said_beyond_it_counts_for_nothing_until_they_stop(self) -> None:
        talk = VoiceTalk(self.RULES)
        talk.begin()
        talk.wait()
        talk.recognise("on and on", after_ms=100)
        assert not talk.recognise("and on", final=False).events
        stopped = talk.stop(after_ms=1_000)
        assert only(stopped.effects, DropTranscript)
        assert only(stopped.events, SpeechPaused).segment == 0
        talk.answer("enough")
        assert kinds(talk.begin().events) == ["SpeechBegan"]


def test_what_is_typed_puts_an_end_to_what_is_being_said() -> None:
    talk = VoiceTalk()
    talk.begin()
    talk.recognise("hel", final=False, after_ms=300)
    talk.say("typed")
    assert only(talk.events, NothingHeard).why == "typed"
    assert [request.text for request in talk.requests] == ["typed"]
    assert not talk.recognise("hello", final=False).events
    talk.stop(after_ms=300)
    talk.answer("yes")
    talk.utter("spoken")
    assert [request.text for request in talk.requests] == ["typed", "spoken"]


def test_a_recogniser_that_fails_leaves_nobody_waiting() -> None:
    talk = VoiceTalk()
    talk.begin()
    talk.stop(after_ms=500)
    failed = talk.give(SpeechFailed(call_id=CALL, part="stt", message="gone"))
    assert kinds(failed.events) == ["VoiceFailed", "NothingHeard", "ListeningBegan"]
    assert next_deadline_ms(talk.state) == talk.now_ms + (RULES.idle_ms or 0)


def test_the_rules_of_a_call_are_its_own() -> None:
    talk = VoiceTalk()
    talk.give(CallStarted(call_id="call-2", rules=VoiceRules(endpoint_ms=5_000)))
    assert talk.state.call is not None
    assert talk.state.call.rules.endpoint_ms == 5_000
