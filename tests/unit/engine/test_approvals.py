"""Approvals: who lets a tool run, once, and exactly what they were asked about."""

from typing import Any

import msgspec
import pytest
from tests.unit.engine.conversation import OPENED, kinds, of, only, refusal
from tests.unit.engine.tool_talk import CONFIRM, READ, SUPERVISED, ToolTalk, walk

from duologue.engine.deadlines import next_deadline_ms
from duologue.model.content import Answer, Interrupt, Source, ToolResult
from duologue.model.effects import RunAgent, RunTool, StopAgent
from duologue.model.errors import Code
from duologue.model.events import (
    ResponseEnded,
    TextDelta,
    ToolMoved,
    ToolReturned,
    TurnAccepted,
    TurnEnded,
    TurnResumed,
)
from duologue.model.inputs import (
    AgentAsked,
    CallStarted,
    CancelRequested,
    DeadlinePassed,
    EndRequested,
    PlaybackEnded,
    ServerRestarted,
    SpeechMade,
    SpeechStarted,
    SpeechStopped,
    TranscriptHeard,
    UserTurn,
)
from duologue.model.replies import Rejected
from duologue.model.tools import ApprovalDecided, ToolSpec
from duologue.model.voice import VoiceRules

ARGUMENTS = '{"amount":40,"order":"A-1"}'


def test_the_person_is_asked_with_the_exact_arguments() -> None:
    talk = ToolTalk()
    talk.asked()
    ended = only(talk.events, ResponseEnded)
    asked = only_interrupt(ended)
    approval = talk.approval
    assert (ended.outcome, asked.reason, asked.tool_call_id) == ("asked", "tool_approval", "call-1")
    assert asked.message == approval.prompt == "Refund 40 for A-1?"
    assert asked.metadata == {"tool": "refund", "arguments": {"amount": 40, "order": "A-1"}, "digest": approval.digest}
    assert (approval.person, approval.arguments) == ("ada", ARGUMENTS)
    assert walk(talk.events) == ["requested", "awaiting_approval"]
    assert not talk.orders and talk.state.open is None


def only_interrupt(ended: ResponseEnded) -> Interrupt:
    (asked,) = ended.interrupts
    return asked


def test_without_words_of_its_own_the_question_is_the_tool_with_its_arguments() -> None:
    talk = ToolTalk()
    talk.asked(ToolSpec(name="refund", kind="python", policy="user_confirm"), '{"amount":40,"lines":[1,2]}')
    assert talk.approval.prompt == "refund: amount 40, lines [1,2]"


def test_what_an_argument_says_is_no_wording() -> None:
    talk = ToolTalk()
    tool = ToolSpec(name="refund", kind="python", policy="user_confirm", confirm="Refund {amount} for {order}, {why}?")
    many = {f"a{place}": f"{{a{place + 1}}}" * 40 for place in range(9)}
    talk.asked(tool, msgspec.json.encode({"amount": "{order}", "order": "{a0}", **many}).decode())
    assert talk.approval.prompt == "Refund {order} for {a0}, {why}?"


def test_a_button_lets_it_run_in_the_turn_that_asked() -> None:
    talk = ToolTalk()
    talk.asked()
    stepped = talk.decide(digest=talk.approval.digest, arguments='{"order": "A-1", "amount": 40}')
    assert kinds(stepped.events) == ["TurnResumed", "ResponseStarted", "ToolMoved", "ToolMoved"]
    assert only(stepped.events, TurnResumed).cause == "approval"
    approved = of(stepped.events, ToolMoved)[0]
    assert (approved.status, approved.decided_by, approved.decided_via) == ("approved", "ada", "user")
    assert kinds(stepped.effects) == ["RunTool"], "the agent goes on once it has run"
    stepped = talk.report("refunded")
    request = only(stepped.effects, RunAgent).request
    assert (request.text, request.resumed, request.turn, request.leg) == ("give it back", "approval", 1, 1)
    assert request.resume == (
        Answer(interrupt_id=talk.approval.approval_id, status="resolved", payload={"approved": True, "by": "ada"}),
    )
    assert [(one.text, one.calls[0].result) for one in request.so_far] == [("Let me see.", "refunded")]
    assert [one.status for one in request.tool_results] == ["completed"]
    talk.speak("Done.")
    assert only(talk.finish().events, TurnEnded).turn == 1


def test_a_button_that_denies_lets_the_agent_say_so() -> None:
    talk = ToolTalk()
    talk.asked()
    stepped = talk.decide("deny")
    assert kinds(stepped.events) == ["TurnResumed", "ResponseStarted", "ToolReturned"]
    returned = only(stepped.events, ToolReturned)
    assert (returned.status, returned.is_error, returned.policy) == ("denied", True, "user_confirm")
    assert only(stepped.effects, RunAgent).request.tool_results[0].is_error
    assert not of(stepped.effects, RunTool)


def test_the_first_decision_counts_and_every_other_is_told_so() -> None:
    talk = ToolTalk()
    talk.asked()
    approval = talk.approval
    talk.decide("deny")
    again = refusal(talk.decide(approval=approval).reply)
    assert again.code is Code.APPROVAL_DECIDED and "by ada at 2027-" in again.message
    assert not talk.orders
    invented = msgspec.structs.replace(approval, approval_id="0" * 24)
    assert refusal(talk.decide(approval=invented).reply).code is Code.APPROVAL_UNKNOWN


@pytest.mark.parametrize(
    ("by", "via", "digest", "arguments", "code"),
    [
        ("eve", "user", None, None, Code.FORBIDDEN),
        ("ada", "supervisor", None, None, Code.FORBIDDEN),
        ("ada", "callback", None, None, Code.FORBIDDEN),
        ("ada", "user", "0" * 32, None, Code.APPROVAL_CHANGED),
        ("ada", "user", None, '{"amount":4000,"order":"A-1"}', Code.APPROVAL_CHANGED),
        ("ada", "user", None, "no JSON", Code.APPROVAL_CHANGED),
    ],
)
def test_it_is_bound_to_the_person_and_to_what_was_asked(
    by: str, via: Any, digest: str | None, arguments: str | None, code: Code
) -> None:
    talk = ToolTalk()
    talk.asked()
    refused = talk.decide(by=by, via=via, digest=digest, arguments=arguments).reply
    assert refusal(refused).code is code
    assert not isinstance(talk.decide().reply, Rejected), "it is still open"


def test_nobody_but_a_supervisor_decides_what_a_supervisor_is_to() -> None:
    talk = ToolTalk()
    talk.say("close it")
    talk.call(SUPERVISED)
    talk.finish()
    assert refusal(talk.decide(by="ada", via="user").reply).code is Code.FORBIDDEN
    assert not isinstance(talk.decide(by="grace", via="supervisor").reply, Rejected)


def test_an_approval_of_another_session_is_none_here() -> None:
    talk, other = ToolTalk(), ToolTalk(msgspec.structs.replace(OPENED, session_id="s-2"))
    talk.asked()
    other.asked()
    assert talk.approval.approval_id != other.approval.approval_id
    assert refusal(talk.decide(approval=other.approval).reply).code is Code.APPROVAL_UNKNOWN


def test_when_nobody_decides_in_time_the_agent_is_told_and_it_is_too_late() -> None:
    talk = ToolTalk()
    talk.asked()
    approval = talk.approval
    late = talk.decide(after_ms=CONFIRM.approval_ttl_ms)
    assert refusal(late.reply).code is Code.APPROVAL_EXPIRED
    assert next_deadline_ms(talk.state) == talk.now_ms
    stepped = talk.give(DeadlinePassed())
    assert kinds(stepped.events) == ["TurnResumed", "ResponseStarted", "ToolReturned"]
    assert (only(stepped.events, TurnResumed).cause, walk(list(stepped.events))) == ("expired", ["timed_out"])
    request = only(stepped.effects, RunAgent).request
    assert [one.status for one in request.resume] == ["cancelled"] and request.tool_results[0].status == "timed_out"
    assert refusal(talk.decide(approval=approval).reply).code is Code.APPROVAL_EXPIRED
    talk.speak("Too late.")
    talk.finish()
    assert not talk.state.interrupts and not talk.state.tools.calls


def answered(talk: ToolTalk, payload: object, **more: Any) -> UserTurn:
    answer = Answer(interrupt_id=talk.approval.approval_id, status="resolved", payload=payload)
    return UserTurn(text="", resume=(answer,), if_asked="refuse", **more)


def test_a_client_that_answers_interrupts_lets_the_turn_go_on_under_a_new_number() -> None:
    talk = ToolTalk()
    talk.asked()
    stepped = talk.give(answered(talk, {"approved": True}))
    assert kinds(stepped.events) == ["TurnAccepted", "ResponseStarted", "ToolMoved", "ToolMoved"]
    assert kinds(stepped.effects) == ["RunTool"]
    stepped = talk.report("refunded")
    returned = only(stepped.events, ToolReturned)
    assert (returned.turn, returned.earlier) == (2, True)
    request = only(stepped.effects, RunAgent).request
    assert (request.text, request.turn, request.resumed) == ("give it back", 2, "approval")
    assert request.history == () and request.so_far[-1].calls[0].result == "refunded"
    assert talk.state.history[-1].calls[0].result_turn == 2


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (None, Code.BAD_MESSAGE),
        ({"approved": "yes"}, Code.BAD_MESSAGE),
        ({"approved": True, "arguments": {"amount": 4000, "order": "A-1"}}, Code.APPROVAL_CHANGED),
        ({"approved": True, "digest": "0"}, Code.APPROVAL_CHANGED),
    ],
)
def test_an_answer_that_decides_nothing_or_something_else_is_refused(payload: object, code: Code) -> None:
    talk = ToolTalk()
    talk.asked()
    assert refusal(talk.give(answered(talk, payload)).reply).code is code
    good = {"approved": True, "arguments": {"order": "A-1", "amount": 40}, "digest": talk.approval.digest}
    assert talk.give(answered(talk, good)).events


def test_a_plain_yes_lets_it_run_and_the_agent_goes_on_with_what_it_was_asked() -> None:
    talk = ToolTalk()
    talk.exchange("hello", "hi")
    talk.asked()
    stepped = talk.give(UserTurn(text="Yes, please!"))
    accepted = only(stepped.events, TurnAccepted)
    assert [(one.status, one.payload) for one in accepted.answers] == [("resolved", {"approved": True})]
    talk.report("refunded")
    request = talk.requests[-1]
    assert (request.text, request.resumed) == ("give it back", "approval")
    assert [one.text for one in request.history] == ["hello", "hi"]
    talk.speak("Done.")
    talk.finish()
    assert [one.text for one in talk.state.history] == [
        "hello",
        "hi",
        "give it back",
        "Let me see.",
        "Yes, please!",
        "Done.",
    ]
    talk.say("thanks")
    assert [one.text for one in talk.requests[-1].history][-2:] == ["Yes, please!", "Done."]


@pytest.mark.parametrize(
    ("text", "why"),
    [("No, thanks.", "the person did not let it run"), ("what?", "the person went on without deciding")],
)
def test_a_no_and_any_other_words_let_nothing_run(text: str, why: str) -> None:
    talk = ToolTalk()
    talk.asked()
    stepped = talk.give(UserTurn(text=text))
    returned = only(stepped.events, ToolReturned)
    assert (returned.status, returned.result) == ("denied", why)
    request = only(stepped.effects, RunAgent).request
    assert request.tool_results[0].status == "denied"
    assert request.text == ("give it back" if text == "No, thanks." else "what?")
    assert refusal(talk.decide().reply).code is Code.APPROVAL_DECIDED


@pytest.mark.parametrize(("text", "source"), [("yes", "typed"), ("yes", "voice"), ("no", "typed"), ("what?", "voice")])
def test_words_that_come_too_late_decide_nothing(text: str, source: Source) -> None:
    """A server that was away at the time hears them before it has noticed."""
    talk = ToolTalk()
    talk.asked()
    stepped = talk.give(UserTurn(text=text, source=source), after_ms=CONFIRM.approval_ttl_ms)
    assert walk(list(stepped.events)) == ["timed_out"] and not talk.orders
    assert only(stepped.effects, RunAgent).request.text == text
    assert refusal(talk.decide().reply).code is Code.APPROVAL_EXPIRED


def test_words_decide_nothing_where_two_calls_wait() -> None:
    talk = ToolTalk()
    talk.say("both")
    talk.call(CONFIRM, "call-1")
    talk.call(CONFIRM, "call-2", '{"order":"B"}')
    talk.finish()
    stepped = talk.give(UserTurn(text="yes"))
    assert [one.status for one in of(stepped.events, ToolReturned)] == ["denied", "denied"]
    assert only(stepped.effects, RunAgent).request.text == "yes"


def test_of_two_questions_each_is_decided_and_then_both_run() -> None:
    talk = ToolTalk()
    talk.say("both")
    talk.call(CONFIRM, "call-1")
    first = talk.approval
    talk.call(CONFIRM, "call-2", '{"order":"B"}')
    second = talk.approval
    talk.finish()
    stepped = talk.decide(approval=first)
    assert kinds(stepped.events) == ["ToolMoved"] and not stepped.effects
    assert stepped.events[0].turn == 1
    stepped = talk.decide("deny", approval=second)
    assert kinds(stepped.events) == ["TurnResumed", "ResponseStarted", "ToolReturned", "ToolMoved"]
    assert [order.call_id for order in talk.orders] == ["call-1"]
    talk.report(call_id="call-1")
    request = talk.requests[-1]
    assert {one.interrupt_id for one in request.resume} == {first.approval_id, second.approval_id}
    assert len(request.interrupts) == 2
    assert {(one.call_id, one.status) for one in request.tool_results} == {
        ("call-1", "completed"),
        ("call-2", "denied"),
    }


def test_what_was_let_run_runs_though_the_person_goes_on_before_the_rest_is_decided() -> None:
    talk = ToolTalk()
    talk.say("both")
    talk.call(CONFIRM, "call-1")
    first = talk.approval
    talk.call(CONFIRM, "call-2", '{"order":"B"}')
    talk.finish()
    talk.decide(approval=first)
    stepped = talk.give(UserTurn(text="never mind the second"))
    assert [order.call_id for order in talk.orders] == ["call-1"]
    assert len(only(stepped.events, TurnAccepted).answers) == 2
    talk.report(call_id="call-1")
    assert {one.status for one in talk.requests[-1].tool_results} == {"completed", "denied"}


def test_a_decision_that_comes_before_the_question_is_out_is_taken_at_once() -> None:
    talk = ToolTalk()
    talk.say("give it back")
    talk.call(CONFIRM)
    stepped = talk.decide()
    assert walk(list(stepped.events)) == ["approved", "executing"]
    talk.finish()
    stepped = talk.report("refunded")
    assert only(stepped.effects, RunAgent).request.leg == 2
    assert not talk.state.interrupts


def test_a_run_that_waits_for_an_approval_is_over_and_another_one_follows() -> None:
    talk = ToolTalk()
    talk.say("give it back")
    talk.call(READ, "call-1", waits=True)
    talk.report(call_id="call-1")
    stepped = talk.call(CONFIRM, "call-2", waits=True)
    assert only(stepped.effects, StopAgent).response_id == "response-1"
    assert only(stepped.events, ResponseEnded).outcome == "asked"
    talk.decide()
    talk.report("refunded", call_id="call-2")
    request = talk.requests[-1]
    assert (request.response_id, request.text) == ("response-2", "give it back")
    assert [(one.name, one.result) for message in request.so_far for one in message.calls] == [
        ("look", '{"ok":true}'),
        ("refund", "refunded"),
    ]


def test_who_stops_an_answer_that_asks_has_let_nothing_run() -> None:
    talk = ToolTalk()
    talk.say("give it back")
    talk.call(CONFIRM)
    stepped = talk.give(CancelRequested())
    assert walk(list(stepped.events)) == ["denied"]
    assert kinds(stepped.events) == ["ToolReturned", "ResponseEnded", "TurnEnded"]
    assert refusal(talk.decide().reply).code is Code.APPROVAL_DECIDED


def test_a_crash_keeps_the_question_open_and_a_lost_run_asks_anew() -> None:
    talk = ToolTalk()
    talk.asked()
    assert not talk.give(ServerRestarted()).events
    talk.decide()
    talk.report()
    talk.call(CONFIRM, "call-2", '{"order":"B"}')
    stepped = talk.give(ServerRestarted())
    assert walk(list(stepped.events), "call-2") == ["failed"]
    assert only(stepped.effects, RunAgent).request.leg == 1
    talk.call(CONFIRM, "call-2", '{"order":"B"}')
    talk.finish()
    assert talk.state.interrupts


def test_what_was_let_run_when_the_server_stopped_is_not_run_twice() -> None:
    talk = ToolTalk()
    talk.asked()
    talk.decide()
    stepped = talk.give(ServerRestarted())
    returned = only(stepped.events, ToolReturned)
    assert (returned.status, returned.error_code) == ("failed", "outcome_unknown")
    assert only(stepped.effects, RunAgent).request.tool_results[0].is_error
    assert len(talk.orders) == 1


def test_a_question_of_the_agents_own_is_asked_with_the_others() -> None:
    talk = ToolTalk()
    talk.say("give it back")
    talk.call(CONFIRM)
    own = Interrupt(interrupt_id="own", reason="why")
    talk.give(AgentAsked(response_id="response-1", interrupts=(own,)))
    ended = only(talk.events, ResponseEnded)
    assert [one.reason for one in ended.interrupts] == ["why", "tool_approval"]
    stepped = talk.give(UserTurn(text="yes"))
    assert [one.status for one in only(stepped.events, TurnAccepted).answers] == ["cancelled", "cancelled"]


def test_with_the_session_the_question_is_closed() -> None:
    talk = ToolTalk()
    talk.asked()
    approval = talk.approval
    assert walk(list(talk.give(EndRequested()).events)) == ["denied"]
    assert refusal(talk.decide(approval=approval).reply).code is Code.SESSION_ENDED


def test_while_a_person_has_the_conversation_the_question_stays_and_nothing_runs() -> None:
    talk = ToolTalk()
    talk.asked()
    talk.state.handoff.with_person = True
    talk.say("yes")
    assert walk(talk.events) == ["requested", "awaiting_approval"]
    stepped = talk.decide()
    assert kinds(stepped.events) == ["ToolMoved"] and not stepped.effects
    talk.state.handoff.with_person = False
    talk.say("and now?")
    assert [order.call_id for order in talk.orders] == ["call-1"]


def heard_in_call(talk: ToolTalk, text: str, segment: int) -> list[Any]:
    """The person says something in the call; the events of the turn that it becomes."""
    talk.give(SpeechStarted(call_id="c"))
    talk.give(SpeechStopped(call_id="c"), after_ms=600)
    talk.give(TranscriptHeard(call_id="c", segment=segment, text=text, final=True), after_ms=50)
    return list(talk.give(DeadlinePassed(), after_ms=1_000).events)


def spoken(talk: ToolTalk) -> None:
    """Let the open answer be heard to its end."""
    turn = talk.open_turn
    length, name = turn.response.length, turn.response.response_id
    talk.give(SpeechMade(call_id="c", response_id=name, begin=0, end=length, begin_ms=0, duration_ms=900, latency_ms=9))
    talk.give(PlaybackEnded(call_id="c", response_id=name), after_ms=900)


def asked_in_call() -> ToolTalk:
    talk = ToolTalk()
    talk.give(CallStarted(call_id="c", rules=VoiceRules()))
    heard_in_call(talk, "give it back", 1)
    talk.call(CONFIRM, arguments=ARGUMENTS)
    talk.finish()
    return talk


def test_by_voice_the_question_is_said_and_a_yes_is_understood() -> None:
    talk = asked_in_call()
    assert only(talk.events, TextDelta).text == "Refund 40 for A-1? "
    spoken(talk)
    assert talk.state.interrupts and talk.state.state == "listening"
    events = heard_in_call(talk, "Yes.", 2)
    assert walk(events) == ["approved", "executing"]


def test_by_voice_what_was_not_understood_is_asked_once_more() -> None:
    talk = asked_in_call()
    spoken(talk)
    events = heard_in_call(talk, "Yeah well what", 2)
    assert kinds(events)[:2] == ["TurnAccepted", "ResponseStarted"]
    assert only(events, TextDelta).text == "Please say yes or no: Refund 40 for A-1?"
    assert only(events, TurnAccepted).answers == () and len(talk.requests) == 1
    spoken(talk)
    assert talk.state.interrupts and of(talk.events, TurnEnded)[-1].outcome == "asked"
    assert walk(heard_in_call(talk, "hm what", 3)) == ["denied"]


def test_who_says_yes_while_the_question_is_still_being_said_has_answered_it() -> None:
    talk = asked_in_call()
    name = talk.response_id
    talk.give(SpeechMade(call_id="c", response_id=name, begin=0, end=19, begin_ms=0, duration_ms=900, latency_ms=9))
    assert walk(heard_in_call(talk, "Yes.", 2)) == ["approved", "executing"]
    ended = of(talk.events, TurnEnded)[0]
    assert ended.outcome == "asked"


def test_a_client_that_has_no_interrupts_in_its_protocol_may_still_bring_results_of_its_own() -> None:
    talk = ToolTalk()
    talk.asked()
    wrong = ToolResult(call_id="call-1", content="mine")
    assert refusal(talk.give(UserTurn(text="", tool_results=(wrong,))).reply).code is Code.TOOL_CALL_UNKNOWN


def test_what_is_decided_late_by_many_is_decided_once() -> None:
    talk = ToolTalk()
    talk.asked()
    made = ApprovalDecided(approval_id=talk.approval.approval_id, decision="approve", by="ada", via="user")
    replies = [talk.give(made).reply for _ in range(5)]
    assert sum(isinstance(reply, Rejected) for reply in replies) == 4 and len(talk.orders) == 1
