"""Early generation: an answer that is prepared is used where the words turn out to be the same, and else never was."""

import pytest
from tests.unit.engine.conversation import kinds, of, only
from tests.unit.engine.voice_talk import CALL, VoiceTalk

from duologue.engine.replay import restore, snapshot
from duologue.model.agent import AgentRequest
from duologue.model.content import Interrupt
from duologue.model.effects import DropAnswer, PrepareAnswer, ReleaseAnswer
from duologue.model.events import AnswerRevealed, ResponseStarted
from duologue.model.inputs import AgentAsked, AgentSpoke, AnswerReleased, CallEnded, ServerRestarted
from duologue.model.voice import Latency, VoiceRules

RULES = VoiceRules(early=True)


def paused(partial: str, *, rules: VoiceRules = RULES) -> VoiceTalk:
    """Somebody has said something, and pauses."""
    talk = VoiceTalk(rules)
    talk.begin()
    talk.recognise(partial, final=False, after_ms=500)
    talk.stop(after_ms=500)
    return talk


def latency(talk: VoiceTalk) -> Latency:
    measured = talk.ended.latency
    assert measured is not None
    return measured


def release(talk: VoiceTalk, tokens: int) -> list[str]:
    told = AnswerReleased(call_id=CALL, response_id=talk.response_id, tokens=tokens)
    return kinds(talk.give(told).events)


def test_the_same_words_let_out_what_was_prepared() -> None:
    talk = paused("cancel my order")
    (early,) = of(talk.effects, PrepareAnswer)
    assert (early.request.text, early.request.turn) == ("cancel my order", 1)
    talk.recognise("Cancel my order.", after_ms=100)
    taken = talk.wait()
    assert kinds(taken.effects) == ["StartSpeaking", "ReleaseAnswer"]
    released = only(taken.effects, ReleaseAnswer).request
    assert released.response_id == early.request.response_id == talk.response_id
    assert released.text == "Cancel my order."
    assert not talk.requests
    assert release(talk, 3) == ["AnswerRevealed"]
    talk.answer("done")
    measured = latency(talk)
    assert (measured.preflight, measured.preflight_tokens, measured.model_ms) == ("hit", 3, None)
    assert measured.total_ms == sum(
        part or 0
        for part in (
            measured.transcriber_ms,
            measured.turn_detection_ms,
            measured.cutting_ms,
            measured.voice_ms,
        )
    )


def test_the_request_is_the_one_that_would_be_made_then() -> None:
    talk = VoiceTalk(RULES)
    talk.utter("first")
    talk.answer("one")
    talk.begin()
    talk.recognise("second", final=False, after_ms=500)
    early = only(talk.stop(after_ms=500).effects, PrepareAnswer).request
    talk.recognise("second", after_ms=100)
    released = only(talk.wait().effects, ReleaseAnswer).request
    assert early == released
    assert isinstance(early, AgentRequest)


def test_other_words_throw_it_away_and_it_was_never_there() -> None:
    talk = paused("cancel my order")
    early = only(talk.effects, PrepareAnswer).request.response_id
    final = talk.recognise("cancel my order, no, don't", after_ms=100)
    assert only(final.effects, DropAnswer).response_id == early
    assert kinds(final.events) == ["Transcribed"]
    assert not talk.give(AgentSpoke(response_id=early, text="cancelled")).events
    talk.wait()
    assert [request.text for request in talk.requests] == ["cancel my order, no, don't"]
    assert talk.response_id != early
    talk.answer("fine")
    assert (latency(talk).preflight, latency(talk).preflight_tokens) == ("miss", None)
    assert len(talk.prepared) == 1
    assert early not in {event.response_id for event in of(talk.events, ResponseStarted)}


def test_what_has_said_nothing_yet_is_pending_and_waited_for() -> None:
    talk = paused("hello")
    talk.recognise("hello", after_ms=100)
    talk.wait()
    release(talk, 0)
    assert only(talk.events, AnswerRevealed).tokens == 0
    assert release(talk, 3) == [], "it is let out once"
    talk.speak("hi ", after_ms=250)
    talk.finish()
    talk.voice("hi", after_ms=10)
    talk.heard_out()
    assert (latency(talk).preflight, latency(talk).model_ms) == ("pending", 250)


def test_nothing_of_it_is_stored_or_shown() -> None:
    talk = paused("cancel my order")
    early = only(talk.effects, PrepareAnswer).request.response_id
    assert early not in "".join(map(str, talk.records))


def test_each_pause_prepares_one_and_three_at_most() -> None:
    talk = VoiceTalk(RULES)
    talk.begin()
    words = ""
    for number, word in enumerate(("one", "two", "three", "four"), 1):
        talk.recognise(word, final=False, segment=number, after_ms=300)
        talk.stop(after_ms=300)
        talk.recognise(word, segment=number, after_ms=10)
        talk.begin(after_ms=10)
        words = f"{words} {word}".strip()
    assert talk.prepared == ["one", "one two", "one two three"]
    talk.stop(after_ms=300)
    talk.recognise("", after_ms=10)
    talk.wait()
    assert talk.requests[-1].text == words


def test_who_goes_on_and_adds_nothing_finds_it_still_prepared() -> None:
    talk = paused("hello")
    talk.recognise("hello", after_ms=50)
    talk.begin(after_ms=50)
    talk.stop(after_ms=300)
    talk.recognise("", after_ms=50)
    assert kinds(talk.wait().effects) == ["StartSpeaking", "ReleaseAnswer"]
    assert talk.prepared == ["hello"]


@pytest.mark.parametrize("rules", [VoiceRules(), VoiceRules(early=False)])
def test_it_has_to_be_wanted(rules: VoiceRules) -> None:
    talk = paused("hello", rules=rules)
    talk.recognise("hello", after_ms=50)
    talk.wait()
    talk.answer("hi")
    assert not talk.prepared
    assert latency(talk).preflight is None


def test_while_a_question_is_open_nothing_is_prepared() -> None:
    talk = VoiceTalk(RULES)
    talk.utter("pay")
    talk.give(AgentAsked(response_id=talk.response_id, interrupts=(Interrupt(interrupt_id="i", reason="r"),)))
    talk.begin()
    talk.recognise("yes", final=False, after_ms=500)
    assert not of(talk.stop(after_ms=500).effects, PrepareAnswer)


def test_what_was_said_for_nothing_drops_it() -> None:
    talk = paused("hel")
    assert only(talk.recognise("", after_ms=50).effects, DropAnswer)
    typed = paused("hel")
    typed.say("typed")
    assert only(typed.effects, DropAnswer)
    gone = paused("hel")
    assert only(gone.give(CallEnded(call_id=CALL, reason="lost")).effects, DropAnswer)


def test_a_crash_forgets_it() -> None:
    talk = paused("hello")
    talk.state = restore(snapshot(talk.state))
    talk.give(ServerRestarted())
    assert talk.state.call is None
    talk.say("hello")
    assert len(talk.requests) == 1


@pytest.mark.parametrize("tokens", [0, 3])
def test_what_was_let_out_and_given_up_for_more_words_was_missed(tokens: int) -> None:
    talk = paused("cancel my order")
    talk.recognise("Cancel my order.", after_ms=100)
    talk.wait()
    release(talk, tokens)
    talk.begin(after_ms=10)
    talk.recognise("no", final=False, after_ms=100)
    talk.stop(after_ms=500)
    talk.recognise("No, wait.", after_ms=100)
    talk.wait()
    talk.speak("Of course.", after_ms=70)
    talk.finish()
    talk.voice("Of course.")
    talk.heard_out()
    measured = latency(talk)
    assert (measured.preflight, measured.preflight_tokens, measured.model_ms) == ("miss", None, 70)


def test_what_was_let_out_and_lost_with_its_server_was_missed() -> None:
    talk = paused("cancel my order")
    talk.recognise("Cancel my order.", after_ms=100)
    talk.wait()
    release(talk, 3)
    talk.give(ServerRestarted())
    talk.speak("Done.", after_ms=70)
    talk.finish()
    assert latency(talk).preflight == "miss"
