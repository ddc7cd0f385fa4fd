"""A person has the conversation in a call: what is said, and what is said over it."""

from tests.unit.engine.conversation import of, only
from tests.unit.engine.desk_talk import DeskTalk
from tests.unit.engine.voice_talk import MIN_SPEECH_MS, SILENCE_MS, VoiceTalk

from duologue.engine.deadlines import next_deadline_ms
from duologue.model.effects import DropAnswer, DropTranscript, PrepareAnswer
from duologue.model.events import BargedIn, NobodySpoke, NothingHeard, TurnAccepted
from duologue.model.voice import VoiceRules


class Talk(VoiceTalk, DeskTalk):
    """A call with a desk beside it."""


def test_who_speaks_as_somebody_takes_over_is_heard_to_the_end() -> None:
    talk = Talk()
    talk.utter("where is my order")
    talk.speak("Let me look. ")
    talk.voice("Let")
    talk.played(1)
    talk.begin()
    talk.taken()
    assert (talk.ended.outcome, talk.ended.answer) == ("interrupted", "Let")
    assert not of(talk.events, NothingHeard)
    assert not of(talk.effects, DropTranscript)
    talk.stop(after_ms=1_000)
    talk.recognise("I said it twice")
    talk.wait()
    assert (talk.ended.outcome, talk.ended.text) == ("passed", "I said it twice")
    assert len(talk.requests) == 1


def test_who_adds_to_a_turn_as_somebody_takes_over_says_both() -> None:
    talk = Talk()
    talk.utter("where is")
    talk.begin()
    talk.recognise("my", final=False)
    talk.taken()
    assert talk.state.open is None
    talk.stop(after_ms=1_000)
    talk.recognise("my order")
    talk.wait()
    assert [event.text for event in of(talk.events, TurnAccepted)] == ["where is", "my order"]
    assert len(talk.requests) == 1


def test_what_was_prepared_is_thrown_away_as_somebody_takes_over() -> None:
    talk = Talk(VoiceRules(early=True, endpoint_ms=2_000))
    talk.begin()
    talk.stop(after_ms=1_000)
    talk.recognise("and then")
    prepared = only(talk.effects, PrepareAnswer).request.response_id
    talk.taken()
    assert only(talk.effects, DropAnswer).response_id == prepared
    talk.wait()
    assert (talk.ended.outcome, talk.ended.text) == ("passed", "and then")
    assert len(of(talk.effects, PrepareAnswer)) == 1


def test_of_an_operators_words_what_was_heard_is_remembered() -> None:
    talk = Talk()
    talk.utter("where is my order")
    talk.taken()
    talk.write("Mia here, it was sent back.")
    talk.voice("Mia", "here,", "it")
    talk.played(301)
    talk.begin()
    talk.stop(after_ms=MIN_SPEECH_MS + SILENCE_MS)
    assert only(talk.events, BargedIn).heard == len("Mia here,")
    last = talk.state.history[-1]
    assert (last.role, last.text, last.author, last.interrupted) == ("assistant", "Mia here,", "Mia", True)


def test_silence_and_a_hold_are_the_operators_affair() -> None:
    rules = VoiceRules(no_response_ms=5_000, nudge="Say something.", idle_ms=60_000)
    talk = Talk(rules)
    talk.utter("where is my order")
    talk.taken()
    assert next_deadline_ms(talk.state) is None
    talk.hold()
    assert next_deadline_ms(talk.state) is None
    talk.back()
    talk.resolve()
    talk.wait()
    assert len(of(talk.events, NobodySpoke)) == 1
    assert talk.open_turn.said.text == "Say something."
