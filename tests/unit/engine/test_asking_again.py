"""What is open while something is asked once more, or was decided beside a question; found by the simulation."""

import msgspec
from tests.unit.engine.conversation import kinds, of, only, refusal
from tests.unit.engine.tool_talk import CONFIRM, READ, WRITE, ToolTalk, walk

from duologue.engine.deadlines import next_deadline_ms
from duologue.model.content import Answer, Interrupt, ToolResult
from duologue.model.effects import DropAnswer, PrepareAnswer, ReleaseAnswer, RunAgent
from duologue.model.errors import Code
from duologue.model.events import AnyEvent, ResponseEnded, ToolReturned, TurnAccepted, TurnEnded
from duologue.model.handoff import HandOff, Operator, RouteDecision
from duologue.model.inputs import (
    AgentAsked,
    CallStarted,
    CancelRequested,
    DeadlinePassed,
    HandoffPlaced,
    HandoffRequested,
    OperatorJoined,
    PlaybackEnded,
    ServerRestarted,
    SpeechMade,
    SpeechStarted,
    SpeechStopped,
    TranscriptHeard,
    UserTurn,
)
from duologue.model.voice import VoiceRules

ARGUMENTS = '{"amount":40,"order":"A-1"}'


def hear(talk: ToolTalk, text: str, segment: int) -> list[AnyEvent]:
    """Let the person say something, and be understood."""
    talk.give(SpeechStarted(call_id="c"), after_ms=500)
    talk.give(SpeechStopped(call_id="c", ago_ms=200), after_ms=900)
    events = list(talk.give(TranscriptHeard(call_id="c", segment=segment, text=text, final=True), after_ms=50).events)
    while TurnAccepted not in {type(event) for event in events}:
        due_ms = next_deadline_ms(talk.state)
        assert due_ms is not None
        talk.now_ms = max(talk.now_ms, due_ms)
        events += talk.give(DeadlinePassed()).events
    return events


def in_call(*, early: bool = False) -> ToolTalk:
    talk = ToolTalk()
    talk.give(CallStarted(call_id="c", rules=VoiceRules(early=early)))
    return talk


def hear_out(talk: ToolTalk) -> None:
    """Let the open answer be heard to its end."""
    turn = talk.open_turn
    length, name = turn.response.length, turn.response.response_id
    talk.give(SpeechMade(call_id="c", response_id=name, begin=0, end=length, begin_ms=0, duration_ms=900, latency_ms=9))
    talk.give(PlaybackEnded(call_id="c", response_id=name), after_ms=900)


def asked_again() -> ToolTalk:
    """A call in which the question whether a tool may run is just being said once more."""
    talk = in_call()
    hear(talk, "give it back", 1)
    talk.call(CONFIRM, arguments=ARGUMENTS)
    talk.finish()
    hear_out(talk)
    hear(talk, "Yeah well what", 2)
    return talk


def test_while_it_is_asked_once_more_the_question_is_open() -> None:
    talk = asked_again()
    written = UserTurn(text="and then?", if_asked="refuse")
    assert refusal(talk.give(written).reply).code is Code.INTERRUPTS_OPEN
    answer = Answer(interrupt_id=talk.approval.approval_id, status="resolved", payload={"approved": True})
    assert walk(list(talk.give(UserTurn(text="", resume=(answer,), if_asked="refuse")).events)) == [
        "approved",
        "executing",
    ]
    assert not talk.state.interrupts


def test_a_question_that_was_asked_twice_is_open_once() -> None:
    talk = asked_again()
    hear_out(talk)
    assert of(talk.events, TurnEnded)[-1].outcome == "asked"
    assert [one.interrupt_id for one in talk.state.interrupts] == [talk.approval.approval_id]


def test_a_button_decides_while_it_is_asked_once_more() -> None:
    talk = asked_again()
    assert walk(list(talk.decide().events)) == ["approved", "executing"]
    assert not talk.state.interrupts and talk.open_turn.resumed == "approval"


def test_who_stops_the_second_question_has_let_nothing_run() -> None:
    talk = asked_again()
    stopped = list(talk.give(CancelRequested()).events)
    assert (walk(stopped), only(stopped, ResponseEnded).outcome) == (["denied"], "cancelled")
    assert not talk.state.interrupts and not talk.state.tools.calls
    assert refusal(talk.decide().reply).code is Code.APPROVAL_DECIDED


def test_what_was_prepared_is_dropped_where_the_turn_is_told_what_was_decided() -> None:
    """The first of two tools was let run by a button, and the time for the other one was over."""
    talk = in_call(early=True)
    soon = msgspec.structs.replace(CONFIRM, approval_ttl_ms=2_000)
    talk.say("both")
    talk.call(soon, "call-1")
    first = talk.approval
    talk.call(soon, "call-2", '{"order":"B"}')
    talk.finish()
    hear_out(talk)
    talk.decide(approval=first)
    talk.give(SpeechStarted(call_id="c"), after_ms=1_000)
    assert walk(list(talk.give(DeadlinePassed(), after_ms=200).events), "call-2") == ["timed_out"]
    talk.give(TranscriptHeard(call_id="c", segment=1, text="go on", final=False), after_ms=100)
    talk.give(SpeechStopped(call_id="c", ago_ms=200), after_ms=500)
    (early,) = of(talk.effects, PrepareAnswer)
    talk.give(TranscriptHeard(call_id="c", segment=1, text="Go on.", final=True), after_ms=100)
    due_ms = next_deadline_ms(talk.state)
    assert due_ms is not None
    taken = talk.give(DeadlinePassed(), after_ms=due_ms - talk.now_ms)
    assert only(taken.effects, DropAnswer).response_id == early.request.response_id != talk.response_id
    assert not of(talk.effects, ReleaseAnswer)
    assert [order.call_id for order in talk.orders] == ["call-1"]
    assert len(only(taken.events, TurnAccepted).answers) == 2
    talk.report(call_id="call-1")
    talk.speak("Done.")
    talk.finish()
    hear_out(talk)
    latency = of(talk.events, TurnEnded)[-1].latency
    assert latency is not None and latency.preflight == "miss"


def test_what_is_asked_anew_after_a_crash_has_what_became_of_the_tools() -> None:
    talk = in_call()
    talk.say("book it")
    talk.call(WRITE)
    talk.give(CancelRequested())
    hear(talk, "I would like", 1)
    talk.give(SpeechStarted(call_id="c"), after_ms=50)
    held = talk.give(TranscriptHeard(call_id="c", segment=2, text="a pizza", final=False), after_ms=200)
    assert only(held.events, ResponseEnded).superseded
    stepped = talk.give(ServerRestarted())
    assert kinds(stepped.events)[0] == "ToolReturned"
    request = only(stepped.effects, RunAgent).request
    assert [call.status for message in request.history for call in message.calls] == ["failed"]


def test_a_client_that_sends_its_whole_list_sends_what_the_servers_tools_gave_with_it() -> None:
    talk = ToolTalk()
    talk.say("look it up, and give it back")
    talk.call(READ)
    talk.report('"seven"')
    talk.call(CONFIRM, "call-2", ARGUMENTS)
    talk.finish()
    known = ToolResult(call_id="call-1", content='"seven"')
    assert refusal(talk.give(UserTurn(text="", tool_results=(known,))).reply).code is Code.TOOL_CALL_CLOSED
    answer = Answer(interrupt_id=talk.approval.approval_id, status="resolved", payload={"approved": True})
    said = UserTurn(text="", resume=(answer,), tool_results=(known,), if_asked="refuse")
    assert walk(list(talk.give(said).events), "call-2") == ["approved", "executing"]
    returned = only(talk.report("refunded", call_id="call-2").events, ToolReturned)
    assert returned.status == "completed"
    request = talk.requests[-1]
    assert (request.text, request.resumed) == ("look it up, and give it back", "approval")
    assert [one.call_id for one in request.tool_results] == ["call-2"]


def test_of_a_tool_that_still_waits_nobody_brings_the_result() -> None:
    talk = ToolTalk()
    talk.asked()
    forged = UserTurn(text="and?", tool_results=(ToolResult(call_id="call-1", content="mine"),))
    assert refusal(talk.give(forged).reply).code is Code.TOOL_CALL_UNKNOWN


def test_who_speaks_while_a_person_has_the_conversation_is_passed_on_in_a_call_too() -> None:
    talk = in_call()
    hear(talk, "I want a person", 1)
    talk.speak("One moment.")
    talk.finish()
    hear_out(talk)
    talk.give(HandoffRequested(cause="api", by="ada", asked=HandOff(reason="r")))
    talk.give(HandoffPlaced(handoff_id="s-1~1", position=1, route=RouteDecision(target="general")))
    talk.give(OperatorJoined(handoff_id="s-1~1", operator=Operator(operator_id="mia", name="Mia")))
    runs = len(talk.requests)
    events = hear(talk, "Are you there?", 2)
    assert kinds(events)[-5:] == ["TurnAccepted", "ResponseStarted", "ResponseEnded", "TurnEnded", "ListeningBegan"]
    assert (only(events, TurnEnded).outcome, len(talk.requests)) == ("passed", runs)


def test_a_question_of_the_agents_own_is_not_said_again() -> None:
    talk = in_call()
    hear(talk, "hello", 1)
    talk.give(AgentAsked(response_id=talk.response_id, interrupts=(Interrupt(interrupt_id="i", reason="r"),)))
    assert only(hear(talk, "what", 2), TurnAccepted).answers == (Answer(interrupt_id="i", status="cancelled"),)
