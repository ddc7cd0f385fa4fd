"""Heard, not generated: how much of a spoken answer counts."""

import pytest
from tests.unit.engine.conversation import Conversation, kinds, of, only
from tests.unit.engine.voice_talk import CALL, WORD_MS, VoiceTalk

from duologue.model.errors import Code
from duologue.model.events import ResponseFailed, SpeakingFinished, SpeechPrepared, WordSpoken
from duologue.model.inputs import (
    AgentCalled,
    AgentFailed,
    AgentReturned,
    AgentShowed,
    CallEnded,
    CallStarted,
    CancelRequested,
    EndRequested,
    ServerRestarted,
    SpeechFailed,
    SpeechMade,
)
from duologue.model.speech import WordTime


def telling(*words: str, whole: bool = True, timed: bool = True) -> VoiceTalk:
    talk = VoiceTalk()
    talk.utter("tell me")
    talk.speak(*[f"{word} " for word in words])
    if whole:
        talk.finish()
    talk.voice(*words, timed=timed)
    return talk


def test_each_word_is_told_as_it_begins_to_be_heard() -> None:
    talk = telling("one", "two,", "three")
    first = only(talk.played(1).events, WordSpoken)
    assert (first.word, first.begin, first.end, first.language, first.estimated) == ("one", 0, 3, "en", False)
    assert not talk.played(WORD_MS).events, "the end of one is not the begin of the next"
    assert not talk.played(0).events, "playback does not go back"
    later = talk.played(3 * WORD_MS)
    assert [word.word for word in of(later.events, WordSpoken)] == ["two,", "three"]


def test_without_word_times_they_are_estimated_and_marked() -> None:
    talk = telling("one", "two", "three", timed=False)
    assert only(talk.events, SpeechPrepared).estimated
    talk.played(WORD_MS)
    assert all(word.estimated for word in of(talk.events, WordSpoken))
    talk.give(CancelRequested())
    assert talk.ended.heard_estimated
    assert talk.ended.answer in ("one", "one two")


def test_the_sound_after_the_last_word_makes_the_words_no_estimates() -> None:
    talk = telling("one", "two", whole=False)
    rest = SpeechMade(call_id=CALL, response_id=talk.response_id, begin=7, end=8, begin_ms=2 * WORD_MS, duration_ms=50)
    assert not only(talk.give(rest).events, SpeechPrepared).estimated
    assert not only(talk.played(1).events, WordSpoken).estimated


def test_an_answer_is_over_once_all_of_it_was_heard() -> None:
    talk = telling("one", "two")
    done = talk.heard_out()
    assert kinds(done.events) == [
        *["WordSpoken", "WordSpoken", "SpeakingFinished", "ResponseEnded", "TurnEnded", "ListeningBegan"]
    ]
    assert only(done.events, SpeakingFinished).heard == len("one two ")
    assert [event.state for event in done.events][-2:] == ["listening", "listening"]
    assert (talk.ended.outcome, talk.ended.answer) == ("completed", "one two ")


def test_it_is_not_over_before_it_is_whole() -> None:
    talk = telling("one", "two", whole=False)
    assert not talk.heard_out().events
    assert kinds(talk.finish().events) == ["TextCompleted", "AnswerCompleted"]
    assert not talk.speak("more ")
    assert talk.heard_out().events


def test_figures_are_of_the_making_and_not_of_the_hearing() -> None:
    talk = telling("one", "two", whole=False)
    talk.finish(after_ms=100)
    talk.heard_out(after_ms=60_000)
    assert talk.ended.figures.duration_ms == 100


def test_an_answer_without_words_waits_for_nobody() -> None:
    talk = VoiceTalk()
    talk.utter("show me")
    talk.give(AgentShowed(response_id=talk.response_id, payload_type="card", data={}))
    assert kinds(talk.finish().events) == ["ResponseEnded", "TurnEnded", "ListeningBegan"]


def test_words_around_a_tool_call_are_cut_in_their_parts() -> None:
    talk = VoiceTalk()
    talk.utter("look")
    talk.speak("let me see ")
    talk.give(AgentCalled(response_id=talk.response_id, call_id="c", name="see", arguments="{}", repeatable=True))
    talk.give(AgentReturned(response_id=talk.response_id, call_id="c", result="{}"))
    talk.speak("it is blue ")
    talk.finish()
    talk.voice("let", "me", "see", "it", "is", "blue")
    talk.played(5 * WORD_MS)
    talk.give(CancelRequested())
    assert talk.history[1:] == [("assistant", "let me see ", False), ("assistant", "it is", True)]
    assert [len(one.calls) for one in talk.state.history] == [0, 1, 0]


def test_a_call_that_was_made_is_remembered_though_its_words_were_not_heard() -> None:
    talk = VoiceTalk()
    talk.utter("look")
    talk.speak("let me see ")
    talk.give(AgentCalled(response_id=talk.response_id, call_id="c", name="see", arguments="{}", repeatable=True))
    talk.give(CancelRequested())
    assert talk.history[1:] == [("assistant", "", True)]
    assert len(talk.state.history[1].calls) == 1


@pytest.mark.parametrize(
    ("text", "cut"), [("e\u0301a", "e\u0301"), ("👩‍👩‍👧x", "👩‍👩‍👧"), ("🇩🇪🇫🇷", "🇩🇪"), ("한국", "한")]
)
def test_a_character_is_never_parted(text: str, cut: str) -> None:
    """A voice that times parts of a character is believed as far as whole ones go."""
    talk = VoiceTalk()
    talk.utter("tell me")
    talk.speak(text)
    word = WordTime(begin_char=0, end_char=1, begin_ms=0, end_ms=100)
    made = SpeechMade(
        call_id=CALL,
        response_id=talk.response_id,
        begin=0,
        end=len(text),
        begin_ms=0,
        duration_ms=200,
        words=(word,),
    )
    talk.give(made)
    talk.played(50)
    talk.give(CancelRequested())
    assert talk.ended.answer == cut


@pytest.mark.parametrize(("begin", "end", "begin_ms"), [(0, 99, 0), (2, 1, 0), (-1, 2, 0), (0, 2, -1)])
def test_sound_of_what_is_not_there_is_left_alone(begin: int, end: int, begin_ms: int) -> None:
    talk = VoiceTalk()
    talk.utter("tell me")
    talk.speak("one ")
    made = SpeechMade(
        call_id=CALL, response_id=talk.response_id, begin=begin, end=end, begin_ms=begin_ms, duration_ms=9
    )
    assert not talk.give(made).events


def test_word_times_that_contradict_themselves_are_put_in_order() -> None:
    talk = VoiceTalk()
    talk.utter("tell me")
    talk.speak("one two ")
    words = (
        WordTime(begin_char=4, end_char=7, begin_ms=300, end_ms=400),
        WordTime(begin_char=0, end_char=3, begin_ms=100, end_ms=200),
        WordTime(begin_char=5, end_char=99, begin_ms=100, end_ms=200),
    )
    made = SpeechMade(
        call_id=CALL, response_id=talk.response_id, begin=0, end=8, begin_ms=0, duration_ms=400, words=words
    )
    talk.give(made)
    spoken = of(talk.played(10_000).events, WordSpoken)
    assert [(word.begin, word.end) for word in spoken] == [(4, 7), (7, 8)]


def test_a_failing_agent_leaves_what_was_heard() -> None:
    talk = telling("one", "two", whole=False)
    talk.played(1)
    failed = talk.give(AgentFailed(response_id=talk.response_id, code=Code.AGENT_FAILED, message="no", retryable=True))
    assert kinds(failed.events) == ["ResponseFailed", "TurnEnded", "ListeningBegan"]
    assert kinds(failed.effects) == ["FlushSpeech"]
    assert only(failed.events, ResponseFailed).state == "error"
    assert (talk.ended.answer, talk.ended.heard, talk.state.state) == ("one", 3, "listening")


def test_a_voice_that_fails_leaves_the_answer_to_be_read() -> None:
    talk = telling("one", "two", whole=False)
    failed = talk.give(SpeechFailed(call_id=CALL, part="tts", message="no"))
    assert (kinds(failed.events), kinds(failed.effects)) == (["VoiceFailed"], ["FlushSpeech"])
    assert kinds(talk.finish().events)[-2:] == ["TurnEnded", "ListeningBegan"]
    assert (talk.ended.answer, talk.ended.outcome) == ("one two ", "completed")


def test_so_does_one_that_fails_when_all_was_made() -> None:
    talk = telling("one", "two")
    failed = talk.give(SpeechFailed(call_id=CALL, part="tts", message="no"))
    assert kinds(failed.events) == ["VoiceFailed", "ResponseEnded", "TurnEnded", "ListeningBegan"]
    assert talk.ended.answer == "one two "


class TestTheEndOfTheCall:
    def test_an_answer_that_was_only_played_ends_with_what_was_heard(self) -> None:
        talk = telling("one", "two")
        talk.played(1)
        over = talk.give(CallEnded(call_id=CALL, reason="lost"))
        assert kinds(over.events) == ["ResponseEnded", "TurnEnded", "CallFinished"]
        assert (talk.ended.outcome, talk.ended.answer, talk.state.state) == ("interrupted", "one", "idle")

    def test_one_that_is_still_being_made_goes_on_as_text(self) -> None:
        talk = telling("one", "two", whole=False)
        talk.played(1)
        talk.give(CallEnded(call_id=CALL, reason="lost"))
        talk.speak("three")
        assert kinds(talk.finish().events) == ["TextCompleted", "ResponseEnded", "TurnEnded"]
        assert (talk.ended.answer, talk.state.state) == ("one two three", "idle")

    def test_with_the_server_it_is_the_same_but_for_the_run(self) -> None:
        whole = telling("one", "two")
        whole.played(1)
        assert kinds(whole.give(ServerRestarted()).events) == ["ResponseEnded", "TurnEnded", "CallFinished"]
        assert whole.history[-1] == ("assistant", "one", True)
        cut = telling("one", "two", whole=False)
        assert kinds(cut.give(ServerRestarted()).events) == ["CallFinished", "ResponseFailed", "ResponseStarted"]
        cut.speak("three")
        cut.finish()
        assert cut.ended.answer == "three"

    def test_with_the_session_too(self) -> None:
        talk = telling("one", "two")
        talk.played(1)
        talk.give(EndRequested())
        assert (talk.ended.outcome, talk.ended.answer) == ("cancelled", "one")


def test_playback_that_makes_no_progress_is_given_up() -> None:
    talk = telling("one", "two")
    talk.played(1)
    stalled = talk.wait()
    assert kinds(stalled.events) == ["ResponseEnded", "TurnEnded", "ListeningBegan"]
    assert kinds(stalled.effects) == ["FlushSpeech"]
    assert (talk.ended.outcome, talk.ended.answer) == ("interrupted", "one")


def test_a_typed_turn_in_a_call_is_spoken_too() -> None:
    talk = VoiceTalk()
    talk.say("typed")
    assert kinds(talk.effects)[-2:] == ["StartSpeaking", "RunAgent"]
    talk.answer("one")
    assert talk.ended.answer == "one "
    assert talk.state.state == "listening"


def test_a_new_turn_cuts_the_answer_to_what_was_heard() -> None:
    talk = telling("one", "two")
    talk.played(1)
    talk.say("next")
    assert talk.history[-1] == ("assistant", "one", True)
    assert [message.text for message in talk.requests[-1].history] == ["tell me", "one"]


def test_an_answer_that_began_before_the_call_is_not_spoken() -> None:
    talk = Conversation()
    talk.say("hello")
    talk.give(CallStarted(call_id=CALL))
    talk.speak("one")
    done = talk.finish()
    assert kinds(done.events) == ["TextCompleted", "ResponseEnded", "TurnEnded", "ListeningBegan"]
    assert not [effect for effect in talk.effects if "Speech" in type(effect).__name__]
