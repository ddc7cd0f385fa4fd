"""Turns that are taken up again: what begins by itself, and what has to wait."""

from tests.unit.engine.conversation import Conversation, kinds, of, only

from duologue.engine import resuming
from duologue.engine.progress import Progress
from duologue.engine.step import Stepped
from duologue.model.effects import RunAgent
from duologue.model.events import ResponseStarted, TurnAccepted, TurnEnded, TurnResumed
from duologue.model.inputs import CallStarted, EndRequested, SpeechStarted, TranscriptHeard
from duologue.model.replies import Ignored


def resumed(talk: Conversation, *, after_ms: int = 0) -> Progress:
    """Let something be due for the agent, as a step that leads to it does."""
    talk.now_ms += after_ms
    step = Progress(talk.state, now_ms=talk.now_ms)
    resuming.run(step, "tool")
    talk.effects.extend(step.effects)
    return step


def said(talk: Conversation, text: str = "Hold on.") -> Progress:
    step = Progress(talk.state, now_ms=talk.now_ms)
    resuming.say(step, "operator", text, author="Grace")
    return step


def test_the_last_turn_goes_on_under_its_own_number_and_ends_again() -> None:
    talk = Conversation()
    talk.say("one", request_id="q-1")
    talk.speak("first")
    talk.finish()
    step = resumed(talk)
    assert kinds(step.events) == ["TurnResumed", "ResponseStarted"]
    assert [(event.turn, event.request_id, event.state) for event in step.events] == [(1, "q-1", "thinking")] * 2
    assert only(step.events, TurnResumed).cause == "tool"
    talk.speak("and then")
    talk.finish()
    assert [one.turn for one in of(talk.events, TurnEnded)] == [1, 1]
    assert len(of(talk.events, TurnAccepted)) == 1
    assert talk.state.state == "idle"
    talk.say("two")
    assert talk.open_turn.number == 2


def test_the_agent_is_asked_what_it_was_asked_with_all_that_it_has_said_since() -> None:
    talk = Conversation()
    talk.exchange("before", "yes")
    talk.exchange("refund it", "wait")
    resumed(talk)
    request = talk.requests[-1]
    assert (request.text, request.turn, request.resumed, request.leg) == ("refund it", 2, "tool", 1)
    assert [one.text for one in request.history] == ["before", "yes"]
    assert [(one.role, one.text) for one in request.so_far] == [("assistant", "wait")]
    talk.speak("done")
    talk.finish()
    assert [one.text for one in talk.state.history] == ["before", "yes", "refund it", "wait", "done"]
    talk.say("thanks")
    assert [one.text for one in talk.requests[-1].history][-3:] == ["refund it", "wait", "done"]
    assert talk.requests[-1].so_far == () and talk.requests[-1].resumed == ""


def test_what_is_due_waits_for_the_open_turn_and_one_run_is_for_all_of_it() -> None:
    talk = Conversation()
    talk.exchange("one", "first")
    talk.say("two")
    assert not resumed(talk).events and not resumed(talk).events
    stepped = talk.speak("second") and talk.finish()
    assert isinstance(stepped, Stepped)
    assert kinds(stepped.events)[-3:] == ["TurnEnded", "TurnResumed", "ResponseStarted"]
    assert only(stepped.effects, RunAgent).request.turn == 2
    talk.speak("third")
    assert kinds(talk.finish().events)[-1] == "TurnEnded"


def test_a_turn_of_the_persons_comes_first() -> None:
    talk = Conversation()
    talk.exchange("one", "first")
    talk.say("two")
    resumed(talk)
    talk.say("three")
    assert talk.open_turn.number == 3 and talk.open_turn.resumed is None
    talk.speak("x")
    talk.finish()
    assert talk.open_turn.number == 3 and talk.open_turn.resumed == "tool"


def test_somebody_says_something_whole_in_the_agents_place() -> None:
    talk = Conversation()
    talk.exchange("one", "first")
    step = said(talk)
    assert kinds(step.events) == [
        "TurnResumed",
        "ResponseStarted",
        "TextStarted",
        "TextDelta",
        "TextCompleted",
        "ResponseEnded",
        "TurnEnded",
    ]
    assert only(step.events, ResponseStarted).author == "Grace"
    assert not step.effects and talk.state.open is None and talk.state.state == "idle"
    assert [(one.text, one.author) for one in talk.state.history][-1] == ("Hold on.", "Grace")


def test_before_the_first_turn_there_is_something_to_say_as_well() -> None:
    talk = Conversation()
    step = said(talk)
    assert {event.turn for event in step.events} == {0}
    talk.exchange("one", "first")
    assert [one.text for one in talk.state.history] == ["Hold on.", "one", "first"]


def test_while_a_person_has_the_conversation_no_agent_is_run() -> None:
    talk = Conversation()
    talk.exchange("one", "first")
    talk.state.handoff.with_person = True
    talk.say("two")
    assert kinds(talk.records[-1].events) == ["TurnAccepted", "ResponseStarted", "ResponseEnded", "TurnEnded"]
    assert only(talk.records[-1].events, TurnEnded).outcome == "passed"
    assert not resumed(talk).events
    assert len(talk.requests) == 1 and talk.state.state == "idle"
    assert said(talk).events
    assert [one.text for one in talk.state.history] == ["one", "first", "two", "Hold on."]
    talk.state.handoff.with_person = False
    assert kinds(talk.give(EndRequested()).events) == ["SessionEnded"]


def test_nobody_who_is_speaking_is_talked_over() -> None:
    talk = Conversation()
    talk.exchange("one", "first")
    talk.give(CallStarted(call_id="c"))
    talk.give(SpeechStarted(call_id="c"))
    assert not resumed(talk).events
    assert talk.give(TranscriptHeard(call_id="c", segment=9, text="x", final=True)).reply == Ignored()
    assert talk.state.due


def test_nothing_goes_on_in_a_session_that_has_ended() -> None:
    talk = Conversation()
    talk.exchange("one", "first")
    talk.give(EndRequested())
    assert not resumed(talk).events
