"""Barge-in: who speaks over the assistant for long enough interrupts it; shorter speech lets it go on."""

import pytest
from tests.unit.engine.conversation import kinds, of, only, refusal
from tests.unit.engine.voice_talk import CALL, MIN_SPEECH_MS, WORD_MS, VoiceTalk

from duologue.engine.deadlines import next_deadline_ms
from duologue.model.effects import DropTranscript, FinishTranscript, FlushSpeech
from duologue.model.errors import Code
from duologue.model.events import BargedIn, ResponseEnded, SpeechBegan, SpeechIgnored, TextCompleted, TurnEnded
from duologue.model.inputs import DeadlinePassed, Played, SpeechMade, VoiceTriggered
from duologue.model.voice import VoiceRules

WORDS = ("one", "two", "three", "four", "five")


def speaking(rules: VoiceRules | None = None, *, whole: bool = True, played_ms: int = 2 * WORD_MS) -> VoiceTalk:
    """The agent says `one two three four five`, of which so much was played."""
    talk = VoiceTalk() if rules is None else VoiceTalk(rules)
    talk.utter("count")
    talk.speak(*[f"{word} " for word in WORDS])
    if whole:
        talk.finish()
    talk.voice(*WORDS)
    talk.played(played_ms, after_ms=played_ms)
    return talk


def interrupt(talk: VoiceTalk) -> list[str]:
    talk.begin(after_ms=10)
    return kinds(talk.wait().events)


@pytest.mark.parametrize("whole", [True, False])
def test_speech_of_half_a_second_cuts_the_answer_to_what_was_heard(whole: bool) -> None:
    talk = speaking(whole=whole)
    assert only(talk.begin(after_ms=10).events, SpeechBegan).response_id == talk.response_id
    assert next_deadline_ms(talk.state) == talk.now_ms + MIN_SPEECH_MS
    stepped = talk.wait()
    assert only(stepped.events, BargedIn).heard == len("one two")
    assert [event.state for event in stepped.events] == ["listening"] * len(stepped.events)
    flush = ["FlushSpeech"] if whole else ["FlushSpeech", "StopAgent"]
    assert kinds(stepped.effects) == flush
    ended = only(stepped.events, TurnEnded)
    assert (ended.outcome, ended.answer, ended.heard) == ("interrupted", "one two", 7)
    assert only(stepped.events, ResponseEnded).heard == 7
    assert talk.history == [("user", "count", False), ("assistant", "one two", True)]
    if not whole:
        assert only(stepped.events, TextCompleted).text == "one two"


def test_the_next_run_is_told_only_what_was_heard() -> None:
    talk = speaking()
    interrupt(talk)
    talk.stop(after_ms=600)
    talk.recognise("stop", after_ms=100)
    talk.wait()
    assert [message.text for message in talk.requests[-1].history] == ["count", "one two"]
    assert talk.requests[-1].text == "stop"


def test_before_any_sound_nothing_that_was_spoken_is_remembered() -> None:
    talk = VoiceTalk()
    talk.utter("count")
    talk.speak("one ", "two ")
    interrupt(talk)
    assert talk.history == [("user", "count", False)]
    assert (talk.ended.answer, talk.ended.heard, talk.state.state) == ("", 0, "listening")


def test_nothing_is_spoken_after_it() -> None:
    talk = speaking(whole=False)
    response_id = talk.response_id
    interrupt(talk)
    made = SpeechMade(call_id=CALL, response_id=response_id, begin=0, end=3, begin_ms=0, duration_ms=300)
    assert not talk.give(made).events
    assert not talk.give(Played(call_id=CALL, response_id=response_id, played_ms=9_000)).events


def test_shorter_speech_lets_it_go_on_from_where_it_fell_silent() -> None:
    talk = speaking()
    begun = talk.begin(after_ms=10)
    assert kinds(begun.events) == ["SpeechBegan", "SpeakingPaused"]
    assert kinds(begun.effects) == ["PauseSpeech"]
    stopped = talk.stop(after_ms=MIN_SPEECH_MS + 199, ago_ms=200)
    assert kinds(stopped.events) == ["SpeechIgnored", "SpeakingResumed"]
    assert kinds(stopped.effects) == ["DropTranscript", "ResumeSpeech"]
    assert only(stopped.events, SpeechIgnored).why == "short"
    assert not talk.recognise("stop", segment=1, final=True).events
    talk.heard_out()
    assert talk.ended.answer == "one two three four five "
    assert talk.ended.heard is None


def test_or_without_having_paused() -> None:
    talk = speaking(VoiceRules(short_speech="go_on"))
    assert kinds(talk.begin().events) == ["SpeechBegan"]
    assert kinds(talk.stop(after_ms=300).events) == ["SpeechIgnored"]
    assert kinds(talk.begin(after_ms=300).events) == ["SpeechBegan"]
    assert "BargedIn" in kinds(talk.wait().events)


def test_speech_that_stopped_before_its_deadline_was_called_counts_by_its_length() -> None:
    talk = speaking()
    talk.begin()
    stopped = talk.stop(after_ms=800, ago_ms=200)
    assert kinds(stopped.events) == ["BargedIn", "ResponseEnded", "TurnEnded", "SpeechPaused"]
    assert only(stopped.effects, FinishTranscript)
    assert talk.state.state == "transcribing"


class TestBackchannels:
    def test_who_only_shows_that_they_listen_does_not_interrupt(self) -> None:
        talk = speaking()
        talk.begin()
        talk.recognise("Yeah, right...", final=False, after_ms=300)
        lasted = talk.wait()
        assert kinds(lasted.events) == ["SpeechIgnored", "SpeakingResumed"]
        assert only(lasted.events, SpeechIgnored).why == "backchannel"
        assert kinds(talk.stop(after_ms=300).events) == ["SpeechPaused"]
        ignored = talk.recognise("Yeah. Right.", after_ms=50)
        assert kinds(ignored.events) == ["Transcribed", "SpeechIgnored"]
        assert talk.state.call is not None
        assert talk.state.call.utterance is None
        talk.heard_out()
        assert talk.ended.outcome == "completed"

    def test_who_says_more_than_that_does(self) -> None:
        talk = speaking()
        talk.begin()
        talk.recognise("okay", final=False, after_ms=300)
        talk.wait()
        more = talk.recognise("okay but wait", final=False, after_ms=300)
        assert kinds(more.events) == ["Transcribed", "BargedIn", "ResponseEnded", "TurnEnded"]

    def test_the_list_can_be_empty(self) -> None:
        talk = speaking(VoiceRules(backchannels=()))
        talk.begin()
        talk.recognise("okay", final=False, after_ms=300)
        assert "BargedIn" in kinds(talk.wait().events)


class TestNotSticky:
    RULES = VoiceRules(sticky=False)

    def test_until_words_come_it_is_only_silent(self) -> None:
        talk = speaking(self.RULES)
        talk.begin()
        assert not talk.give(DeadlinePassed(), after_ms=600).events
        assert "BargedIn" in kinds(talk.recognise("wait", final=False, after_ms=100).events)

    def test_where_none_come_it_goes_on(self) -> None:
        talk = speaking(self.RULES)
        talk.begin()
        talk.stop(after_ms=1_500)
        empty = talk.recognise("", after_ms=100)
        assert kinds(empty.events) == ["Transcribed", "SpeechIgnored", "SpeakingResumed"]
        assert talk.state.state == "speaking"

    def test_where_no_final_comes_it_goes_on_as_well(self) -> None:
        talk = speaking(self.RULES)
        talk.begin()
        talk.stop(after_ms=1_500)
        assert kinds(talk.wait().events) == ["SpeechIgnored", "SpeakingResumed"]

    def test_who_went_on_speaking_is_silenced_after_half_a_second(self) -> None:
        talk = speaking(VoiceRules(sticky=False, short_speech="go_on"))
        talk.begin()
        assert kinds(talk.wait().events) == ["SpeakingPaused"]

    def test_words_that_are_known_count_when_they_last_long_enough(self) -> None:
        talk = speaking(self.RULES)
        talk.begin()
        assert kinds(talk.recognise("wait", final=False, after_ms=100).events) == ["Transcribed"]
        assert "BargedIn" in kinds(talk.wait().events)


def test_where_it_is_not_allowed_nothing_interrupts() -> None:
    talk = speaking(VoiceRules(barge_in=False))
    assert kinds(talk.begin().events) == ["SpeechBegan"]
    talk.recognise("wait", final=False, after_ms=600)
    ignored = talk.stop(after_ms=1_000)
    assert only(ignored.events, SpeechIgnored).why == "not_allowed"
    assert only(ignored.effects, DropTranscript)


def test_a_button_interrupts_at_once() -> None:
    talk = speaking()
    stepped = talk.give(VoiceTriggered(trigger="barge_in"))
    assert kinds(stepped.events) == ["BargedIn", "ResponseEnded", "TurnEnded", "ListeningBegan"]
    assert only(stepped.effects, FlushSpeech)
    problem = refusal(talk.give(VoiceTriggered(trigger="speech_end")).reply)
    assert problem.code is Code.ILLEGAL_TRIGGER


def test_speech_that_goes_on_when_the_first_word_is_there_silences_it() -> None:
    talk = VoiceTalk()
    talk.utter("count")
    talk.begin(after_ms=10)
    spoke = [*talk.speak("one ", after_ms=50)]
    assert kinds(spoke) == ["SpeakingPaused", "TextStarted", "TextDelta"]
    assert "BargedIn" in kinds(talk.wait().events)


def test_the_same_words_are_the_next_turn() -> None:
    talk = speaking()
    talk.begin()
    talk.recognise("no", final=False, after_ms=200)
    talk.wait()
    talk.stop(after_ms=500)
    talk.recognise("no stop", after_ms=100)
    talk.wait()
    assert talk.requests[-1].text == "no stop"
    assert len(of(talk.events, TurnEnded)) == 1
