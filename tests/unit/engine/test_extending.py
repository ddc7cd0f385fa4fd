"""Words before the answer has begun extend the turn."""

import pytest
from tests.unit.engine.conversation import kinds, of, only
from tests.unit.engine.voice_talk import CALL, SILENCE_MS, VoiceTalk

from duologue.model.content import NfcObservation
from duologue.model.events import ResponseEnded, ResponseStarted, SpeechIgnored, TurnAccepted, TurnEnded, TurnExtended
from duologue.model.inputs import (
    AgentCalled,
    AgentReturned,
    AnyInput,
    CallEnded,
    CallStarted,
    CancelRequested,
    ServerRestarted,
    SpeechFailed,
    UserTurn,
)


def type_name(happened: AnyInput) -> str:
    return type(happened).__name__


def asked(text: str = "I would like") -> VoiceTalk:
    talk = VoiceTalk()
    talk.utter(text)
    return talk


def test_more_words_give_the_run_up_and_ask_anew_with_all_of_them() -> None:
    talk = asked()
    talk.begin(after_ms=50)
    words = talk.recognise("a", final=False, after_ms=200)
    assert kinds(words.events) == ["Transcribed", "ResponseEnded"]
    assert only(words.events, ResponseEnded).superseded
    assert kinds(words.effects) == ["FlushSpeech", "StopAgent"]
    talk.stop(after_ms=600)
    talk.recognise("a pizza", after_ms=100)
    extended = talk.wait()
    assert kinds(extended.events) == ["TurnExtended", "ResponseStarted"]
    assert only(extended.events, TurnExtended).text == "I would like a pizza"
    assert only(extended.events, ResponseStarted).attempt == 2
    talk.answer("sure")
    assert [request.text for request in talk.requests] == ["I would like", "I would like a pizza"]
    assert (talk.ended.text, talk.ended.outcome) == ("I would like a pizza", "completed")
    assert len(of(talk.events, TurnAccepted)) == len(of(talk.events, TurnEnded)) == 1
    assert talk.history == [("user", "I would like a pizza", False), ("assistant", "sure ", False)]


def test_what_the_run_that_was_given_up_still_says_is_not_heard() -> None:
    talk = asked()
    talk.begin(after_ms=50)
    talk.recognise("a", final=False, after_ms=200)
    assert not talk.speak("well ")
    assert not talk.finish().events


def test_a_noise_leaves_the_run_alone() -> None:
    talk = asked()
    talk.begin(after_ms=50)
    talk.stop(after_ms=300)
    assert only(talk.recognise("", after_ms=100).events, SpeechIgnored).why == "empty"
    talk.answer("sure")
    assert len(talk.requests) == 1


def test_so_does_a_sign_of_listening() -> None:
    talk = asked()
    talk.begin(after_ms=50)
    talk.recognise("Mm-hm.", final=False, after_ms=100)
    talk.stop(after_ms=300)
    ignored = talk.recognise("Mm-hm.", after_ms=100)
    assert not ignored.effects
    talk.wait()
    assert only(talk.events, SpeechIgnored).why == "backchannel"
    talk.answer("sure")
    assert len(talk.requests) == 1


def test_words_that_vanish_let_the_turn_be_asked_as_it_was() -> None:
    talk = asked()
    talk.begin(after_ms=50)
    talk.recognise("a", final=False, after_ms=200)
    talk.stop(after_ms=300)
    nothing = talk.recognise("", after_ms=100)
    assert kinds(nothing.events) == ["Transcribed", "SpeechIgnored", "ResponseStarted"]
    assert talk.requests[-1].text == "I would like"


def test_a_run_that_called_a_tool_is_not_taken_back_and_the_words_are_the_next_turn() -> None:
    talk = asked("pay it")
    talk.give(AgentCalled(response_id=talk.response_id, call_id="c", name="pay", arguments="{}"))
    talk.begin(after_ms=50)
    talk.recognise("twice", final=False, after_ms=200)
    talk.give(AgentReturned(response_id=talk.response_id, call_id="c", result="{}"))
    talk.stop(after_ms=600)
    talk.recognise("twice", after_ms=100)
    talk.wait()
    assert [request.text for request in talk.requests] == ["pay it", "twice"]
    assert only(talk.events, TurnEnded).outcome == "interrupted"


def test_what_was_typed_is_not_extended() -> None:
    talk = VoiceTalk()
    talk.say("typed")
    talk.utter("spoken")
    assert [request.text for request in talk.requests] == ["typed", "spoken"]


def test_a_turn_that_waits_can_be_cancelled() -> None:
    talk = asked()
    talk.begin(after_ms=50)
    talk.recognise("a", final=False, after_ms=200)
    cancelled = talk.give(CancelRequested())
    assert only(cancelled.events, TurnEnded).outcome == "cancelled"
    # The run that was given up has told its end, so the turn's end is told of one that never ran.
    assert only(cancelled.events, ResponseStarted).state == "thinking"
    assert only(cancelled.events, ResponseEnded).outcome == "cancelled"
    assert len(talk.requests) == 1
    assert talk.state.state == "listening"
    assert talk.history == [("user", "I would like", False)]


def test_a_turn_that_waits_goes_on_without_its_call() -> None:
    talk = asked()
    talk.begin(after_ms=50)
    talk.recognise("a", final=False, after_ms=200)
    talk.give(CallEnded(call_id=CALL, reason="lost"))
    talk.speak("fine")
    assert talk.finish().events[-1].state == "idle"
    assert talk.requests[-1].text == "I would like"


@pytest.mark.parametrize(
    "end", [CallEnded(call_id=CALL, reason="lost"), CallStarted(call_id="call-2"), ServerRestarted()], ids=type_name
)
def test_a_turn_that_waits_goes_on_without_its_call_also_where_the_voice_was_gone(end: AnyInput) -> None:
    talk = asked()
    talk.give(SpeechFailed(call_id=CALL, part="tts", message="gone"))
    talk.begin(after_ms=50)
    talk.recognise("a", final=False, after_ms=200)
    went_on = talk.give(end, after_ms=10)
    assert only(went_on.events, ResponseStarted).attempt == 2
    talk.speak("sure")
    talk.finish()
    assert (talk.ended.outcome, talk.ended.answer) == ("completed", "sure")


def test_a_turn_that_waits_outlives_its_server() -> None:
    talk = asked()
    talk.begin(after_ms=50)
    talk.recognise("a", final=False, after_ms=200)
    restarted = talk.give(ServerRestarted())
    assert kinds(restarted.events) == ["ResponseStarted", "CallFinished"]
    talk.speak("fine")
    talk.finish()
    assert talk.ended.answer == "fine"


def test_more_and_more_words_extend_it_more_and_more() -> None:
    talk = asked("one")
    for word in ("two", "three", "four", "five"):
        talk.begin(after_ms=10)
        talk.stop(after_ms=SILENCE_MS + 300)
        talk.recognise(word, after_ms=10)
        talk.wait()
    assert talk.requests[-1].text == "one two three four five"
    restarted = talk.give(ServerRestarted())
    assert "ResponseStarted" in kinds(restarted.events), "what was extended was not lost so often"


def test_what_was_shown_and_not_said_is_extended_by_words_alone() -> None:
    talk = VoiceTalk()
    tag = NfcObservation(tag_id="04a1", observed_at="2026-01-02T03:04:05Z")
    talk.give(UserTurn(text="", source="voice", observation=tag))
    talk.utter("what is it")
    assert talk.requests[-1].text == "what is it"
    assert talk.requests[-1].observation == tag
