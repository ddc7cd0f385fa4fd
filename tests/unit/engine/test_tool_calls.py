"""Tools of the registry: how a call walks, and that what it does is done once."""

import pytest
from tests.unit.engine.conversation import kinds, of, only
from tests.unit.engine.tool_talk import (
    DENIED,
    KEYED,
    ONCE,
    PENDING,
    READ,
    SUPERVISED,
    WRITE,
    ToolTalk,
    walk,
)

from duologue.engine.deadlines import next_deadline_ms
from duologue.engine.replay import fold, restore, snapshot
from duologue.engine.state import SessionState
from duologue.model import limits
from duologue.model.content import ClientTool, Usage
from duologue.model.effects import RunAgent, StopTool
from duologue.model.errors import Code
from duologue.model.events import ResponseEnded, ResponseFailed, ToolCalled, ToolMoved, ToolReturned, TurnEnded
from duologue.model.inputs import (
    AgentFinished,
    AgentRequested,
    CancelRequested,
    DeadlinePassed,
    EndRequested,
    ServerRestarted,
    ToolReported,
    UserTurn,
)
from duologue.model.replies import Ignored
from duologue.model.tools import Idempotency, ToolSpec


def test_the_answer_goes_on_with_another_leg_once_its_tools_are_done() -> None:
    talk = ToolTalk()
    talk.say("look it up")
    talk.speak("One moment.")
    stepped = talk.call(READ, arguments='{"q":1}')
    assert kinds(stepped.events) == ["TextCompleted", "ToolCalled", "ToolMoved", "ToolMoved"]
    assert only(stepped.events, ToolCalled).runs_on == "server"
    assert [order.call_id for order in talk.orders] == ["call-1"]
    talk.give(AgentFinished(response_id="response-1", usage=(Usage(model="m", output_tokens=3),)))
    assert talk.open_turn.response.waiting and len(talk.requests) == 1
    stepped = talk.report('{"a":2}', after_ms=40)
    returned = only(stepped.events, ToolReturned)
    assert (returned.status, returned.result, returned.earlier, returned.duration_ms) == (
        "completed",
        '{"a":2}',
        False,
        40,
    )
    request = only(stepped.effects, RunAgent).request
    assert (request.response_id, request.leg, request.turn) == ("response-1", 2, 1)
    assert [(one.text, one.calls[0].result) for one in request.so_far] == [("One moment.", '{"a":2}')]
    assert [(one.call_id, one.content, one.status) for one in request.tool_results] == [
        ("call-1", '{"a":2}', "completed")
    ]
    talk.speak("It is 2.")
    stepped = talk.give(AgentFinished(response_id="response-1", usage=(Usage(model="m", output_tokens=4),)))
    ended = only(stepped.events, ResponseEnded)
    assert (ended.outcome, ended.figures.total_tokens) == ("completed", 7)
    assert [one.text for one in talk.state.history] == ["look it up", "One moment.", "It is 2."]
    assert walk(talk.events) == ["requested", "executing", "completed"]
    assert not talk.state.tools.calls


def test_a_run_that_waits_for_its_tool_goes_on_by_itself() -> None:
    talk = ToolTalk()
    talk.say("look it up")
    talk.call(READ, waits=True)
    talk.report()
    assert len(talk.requests) == 1
    talk.speak("Found.")
    stepped = talk.finish()
    assert kinds(stepped.events)[-1] == "TurnEnded" and len(talk.requests) == 1


def test_two_tools_run_side_by_side_and_one_leg_has_both_results() -> None:
    talk = ToolTalk()
    talk.say("both")
    talk.call(READ, "call-1")
    talk.call(WRITE, "call-2")
    talk.report(call_id="call-2")
    talk.finish()
    talk.report(call_id="call-1")
    assert [one.call_id for one in talk.requests[-1].tool_results] == ["call-2", "call-1"]
    assert talk.requests[-1].leg == 2


@pytest.mark.parametrize(
    ("spec", "wrong", "granted", "status", "code"),
    [
        (None, "", None, "failed", "unknown_tool"),
        (READ, "$.q: is no number", None, "failed", "bad_arguments"),
        (ToolSpec(name="look", kind="python", scopes=("orders", "bills")), "", ("orders",), "denied", "missing_scope"),
        (DENIED, "", None, "denied", "policy"),
    ],
    ids=["unknown", "bad arguments", "missing scope", "denied"],
)
def test_what_is_not_known_or_allowed_fails_closed_and_the_agent_is_told(
    spec: ToolSpec | None, wrong: str, granted: tuple[str, ...] | None, status: str, code: str
) -> None:
    talk = ToolTalk()
    talk.give(UserTurn(text="do it", granted=granted))
    stepped = talk.call(spec, wrong=wrong)
    returned = only(stepped.events, ToolReturned)
    assert (returned.status, returned.error_code, returned.is_error) == (status, code, True)
    assert not talk.orders
    talk.finish()
    assert talk.requests[-1].leg == 2 and talk.requests[-1].tool_results[0].is_error
    talk.speak("I cannot.")
    assert only(talk.finish().events, TurnEnded).outcome == "completed"


def test_a_call_that_was_written_wrongly_is_not_asked_of_a_client_and_the_agent_is_told() -> None:
    talk = ToolTalk()
    talk.give(UserTurn(text="show it", tools=(ClientTool(name="open", description="Open."),)))
    stepped = talk.call(None, name="open", wrong="the arguments are no JSON object")
    returned = only(stepped.events, ToolReturned)
    assert (returned.error_code, returned.result) == ("bad_arguments", "the arguments are no JSON object")
    talk.finish()
    assert talk.requests[-1].leg == 2 and talk.requests[-1].tool_results[0].is_error


def test_an_agent_that_asks_for_tools_without_end_fails_at_the_bound() -> None:
    talk = ToolTalk()
    talk.say("look it up")
    for leg in range(1, limits.RUN_LEGS + 1):
        assert talk.requests[-1].leg == leg
        talk.call(READ, f"call-{leg}")
        usage = (Usage(model="m", output_tokens=2),)
        talk.give(AgentFinished(response_id=talk.response_id, usage=usage))
        talk.report(call_id=f"call-{leg}")
    failed = only(talk.events, ResponseFailed)
    assert (failed.code, failed.retryable) == (Code.AGENT_TOO_LONG, False)
    assert failed.message == f"the agent asked for tools {limits.RUN_LEGS} times, and came to no end"
    assert failed.figures is not None and failed.figures.total_tokens == 2 * limits.RUN_LEGS
    assert len(talk.requests) == limits.RUN_LEGS
    talk.say("again")
    assert talk.requests[-1].leg == 1


def test_who_is_granted_all_that_a_tool_asks_for_may_use_it() -> None:
    talk = ToolTalk()
    talk.give(UserTurn(text="do it", granted=("orders", "bills", "more")))
    talk.call(ToolSpec(name="look", kind="python", scopes=("orders", "bills")))
    assert len(talk.orders) == 1


@pytest.mark.parametrize("status", ["failed", "timed_out"])
def test_a_failure_is_told_to_the_agent_and_is_no_failure_of_the_answer(status: str) -> None:
    talk = ToolTalk()
    talk.say("do it")
    talk.call(WRITE)
    talk.finish()
    stepped = talk.report("no", status="failed" if status == "failed" else "timed_out", code="http_status")
    returned = only(stepped.events, ToolReturned)
    assert (returned.status, returned.is_error, returned.error_code) == (status, True, "http_status")
    assert only(stepped.effects, RunAgent).request.tool_results[0].status == status


def test_a_second_report_changes_nothing() -> None:
    talk = ToolTalk()
    talk.say("do it")
    talk.call(WRITE)
    talk.report()
    assert talk.report("again").reply == Ignored()
    assert talk.report(call_id="call-9").reply == Ignored()


def duplicated(talk: ToolTalk, spec: ToolSpec, first: str, second: str, *, after_ms: int = 0) -> ToolReturned | None:
    """Call a tool twice in two turns; what became of the second call."""
    talk.say("one")
    talk.call(spec, "call-1", first)
    talk.finish()
    talk.report("done", call_id="call-1")
    talk.speak("ok")
    talk.finish()
    talk.say("two")
    returned = of(talk.call(spec, "call-2", second, after_ms=after_ms).events, ToolReturned)
    return returned[0] if returned else None


def test_the_same_call_again_gives_the_recorded_result() -> None:
    talk = ToolTalk()
    returned = duplicated(talk, ONCE, '{"a":1,"b":2}', '{ "b": 2, "a": 1 }')
    assert returned is not None
    assert (returned.status, returned.disposition, returned.result, returned.is_error) == (
        "duplicate",
        "replayed",
        "done",
        False,
    )
    assert len(talk.orders) == 1 and returned.key == talk.orders[0].key


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ('{"a":1}', '{"a":1.0}', True),
        ('{"a":[{"b":-0.0}]}', '{"a":[{"b":0}]}', True),
        ('{"a":"x\\u00e9"}', '{"a":"xé"}', True),
        ('{"a":1e2}', '{ "a" : 100 }', True),
        ('{"a":1,"a":2}', '{"a":2}', True),
        ('{"a":1}', '{"a":"1"}', False),
        ('{"a":1}', '{"a":true}', False),
        ('{"a":9007199254740993}', '{"a":9007199254740992}', False),
        ('{"a":12345678901234567890123}', '{"a":12345678901234567890124}', False),
    ],
)
def test_the_same_call_is_known_however_it_is_spelled(first: str, second: str, *, same: bool) -> None:
    talk = ToolTalk()
    assert (duplicated(talk, ONCE, first, second) is not None) is same
    assert len(talk.orders) == 2 - same


def test_where_the_tool_says_so_it_is_rejected() -> None:
    talk = ToolTalk()
    spec = ToolSpec(name="pay", kind="http", idempotency=Idempotency(mode="input", on_duplicate="reject"))
    returned = duplicated(talk, spec, "{}", "{}")
    assert returned is not None
    assert (returned.disposition, returned.is_error, len(talk.orders)) == ("rejected", True, 1)


def test_the_same_key_with_another_input_is_a_conflict() -> None:
    talk = ToolTalk()
    returned = duplicated(talk, KEYED, '{"order":1,"to":"x"}', '{"order":1,"to":"y"}')
    assert returned is not None
    assert (returned.disposition, returned.is_error, len(talk.orders)) == ("conflict", True, 1)


def test_another_key_and_another_time_are_other_calls() -> None:
    talk = ToolTalk()
    assert duplicated(talk, KEYED, '{"order":1}', '{"order":2}') is None
    talk = ToolTalk()
    assert duplicated(talk, ONCE, "{}", "{}", after_ms=60_000) is None
    talk = ToolTalk()
    assert duplicated(talk, WRITE, "{}", "{}") is None
    assert len({order.key for order in talk.orders}) == 2


def test_the_same_call_while_the_first_is_on_its_way_is_rejected() -> None:
    talk = ToolTalk()
    talk.say("twice")
    talk.call(ONCE, "call-1")
    returned = only(talk.call(ONCE, "call-2").events, ToolReturned)
    assert (returned.status, returned.disposition) == ("duplicate", "rejected")


def test_what_failed_may_be_tried_again_and_what_may_have_been_done_may_not() -> None:
    talk = ToolTalk()
    talk.say("one")
    talk.call(ONCE, "call-1")
    talk.report("no", status="failed")
    talk.call(ONCE, "call-2")
    assert len(talk.orders) == 2
    talk.report("late", call_id="call-2", status="timed_out")
    returned = only(talk.call(ONCE, "call-3").events, ToolReturned)
    assert (returned.disposition, returned.is_error, len(talk.orders)) == ("replayed", True, 2)


def test_what_failed_after_it_was_perhaps_done_is_not_made_again() -> None:
    talk = ToolTalk()
    talk.say("one")
    talk.call(ONCE, "call-1")
    talk.give(ToolReported(call_id="call-1", status="failed", output="it broke", code="tool_failed", perhaps_done=True))
    returned = only(talk.call(ONCE, "call-2").events, ToolReturned)
    assert (returned.disposition, returned.is_error, returned.result) == ("replayed", True, "it broke")
    assert len(talk.orders) == 1


def test_of_old_calls_no_result_is_kept_and_they_are_not_made_again() -> None:
    talk = ToolTalk()
    talk.say("many")
    for number in range(limits.TOOL_KEY_RESULTS + 1):
        talk.call(ONCE, f"call-{number}", f'{{"n":{number}}}')
        talk.report("x", call_id=f"call-{number}")
    returned = only(talk.call(ONCE, "again", '{"n":0}').events, ToolReturned)
    assert (returned.disposition, returned.is_error) == ("rejected", True)
    returned = only(talk.call(ONCE, "again-2", '{"n":1}').events, ToolReturned)
    assert (returned.disposition, returned.result) == ("replayed", "x")


@pytest.mark.parametrize("spec", [SUPERVISED, PENDING], ids=["supervisor", "callback"])
def test_the_agent_goes_on_while_somebody_else_decides_and_is_told_in_the_end(spec: ToolSpec) -> None:
    talk = ToolTalk()
    via = "supervisor" if spec is SUPERVISED else "callback"
    waiting = "pending_supervisor" if spec is SUPERVISED else "async_pending"
    talk.say("close it")
    talk.call(spec)
    talk.finish()
    assert talk.requests[-1].leg == 2
    assert talk.requests[-1].tool_results[0].content == f'{{"status":"{waiting}"}}'
    assert talk.requests[-1].tool_results[0].status == waiting
    talk.speak("I have asked.")
    talk.finish()
    assert talk.state.open is None
    stepped = talk.decide(by="grace", via=via)
    assert [event.turn for event in stepped.events] == [1, 1]
    assert walk(list(stepped.events)) == ["approved", "executing"]
    assert only(of(stepped.events, ToolMoved)[:1], ToolMoved).decided_by == "grace"
    stepped = talk.report("closed")
    assert kinds(stepped.events) == ["TurnResumed", "ResponseStarted", "ToolReturned"]
    returned = only(stepped.events, ToolReturned)
    assert (returned.earlier, returned.response_id, returned.status) == (True, "response-2", "completed")
    request = only(stepped.effects, RunAgent).request
    assert (request.text, request.resumed, request.tool_results[0].content) == ("close it", "tool", "closed")
    assert request.so_far[0].calls[0].result == "closed"
    talk.speak("It is closed.")
    talk.finish()
    assert [one.calls[0].result for one in talk.state.history if one.calls] == ["closed"]


def test_what_a_supervisor_denies_or_nobody_decides_is_told_as_well() -> None:
    talk = ToolTalk()
    talk.say("close it")
    talk.call(SUPERVISED)
    talk.finish()
    talk.speak("I have asked.")
    talk.finish()
    stepped = talk.decide("deny", by="grace", via="supervisor")
    assert walk(list(stepped.events)) == ["denied"]
    assert only(stepped.effects, RunAgent).request.tool_results[0].is_error
    talk.speak("No.")
    talk.call(SUPERVISED, "call-2")
    talk.finish()
    talk.speak("I have asked again.")
    talk.finish()
    due_ms = next_deadline_ms(talk.state)
    assert due_ms == talk.approval.expires_ms
    stepped = talk.give(DeadlinePassed(), after_ms=SUPERVISED.approval_ttl_ms)
    assert walk(list(stepped.events), "call-2") == ["timed_out"]
    assert only(stepped.effects, RunAgent).request.resumed == "expired"


def test_a_late_result_waits_for_the_answer_that_is_being_made() -> None:
    talk = ToolTalk()
    talk.say("close it")
    talk.call(SUPERVISED)
    talk.finish()
    talk.speak("I have asked.")
    talk.finish()
    talk.decide(by="grace", via="supervisor")
    talk.say("what is the weather?")
    stepped = talk.report("closed")
    returned = only(stepped.events, ToolReturned)
    assert (kinds(stepped.events), returned.turn, returned.earlier) == (["ToolReturned"], 2, True)
    talk.speak("Sunny.")
    stepped = talk.finish()
    assert only(stepped.effects, RunAgent).request.tool_results[0].content == "closed"
    assert talk.open_turn.resumed == "tool"


def test_what_a_stopped_answer_has_left_running_is_waited_for_when_its_turn_goes_on() -> None:
    talk = ToolTalk()
    talk.say("close it, and book")
    talk.call(SUPERVISED, "call-1")
    asked = talk.approval
    talk.call(WRITE, "call-2")
    talk.finish()
    talk.give(CancelRequested())
    talk.decide(approval=asked, by="sue", via="supervisor")
    runs = len(talk.requests)
    # Another run would book once more: what it is told of waits until the booking is known.
    talk.report("closed", call_id="call-1")
    assert len(talk.requests) == runs
    talk.report("booked", call_id="call-2")
    assert len(talk.requests) == runs + 1
    assert sorted(one.content for one in talk.requests[-1].tool_results) == ["booked", "closed"]


def test_an_answer_that_is_stopped_leaves_its_tool_to_be_recorded_and_nothing_follows() -> None:
    talk = ToolTalk()
    talk.say("do it")
    talk.call(WRITE)
    talk.finish()
    talk.give(CancelRequested())
    assert only(talk.events, TurnEnded).outcome == "cancelled"
    stepped = talk.report("done")
    returned = only(stepped.events, ToolReturned)
    assert (returned.status, returned.turn, returned.response_id) == ("completed", 1, "response-1")
    assert not stepped.effects and len(talk.requests) == 1 and not talk.state.tools.calls
    assert talk.state.history[-1].calls[0].result == "done"


def test_what_is_asked_of_a_run_that_was_given_up_runs_not_at_all() -> None:
    talk = ToolTalk()
    talk.say("do it")
    talk.give(CancelRequested())
    talk.say("something else")
    stepped = talk.give(requested("response-1"))
    assert stepped.reply == Ignored() and not talk.orders


def requested(response_id: str) -> AgentRequested:
    return AgentRequested(response_id=response_id, call_id="late", name="book", arguments="{}", spec=WRITE)


def test_a_crash_repeats_what_does_no_harm_and_nothing_else() -> None:
    talk = ToolTalk()
    talk.say("both")
    talk.call(READ, "call-1")
    talk.call(WRITE, "call-2")
    talk.finish()
    stepped = talk.give(ServerRestarted())
    assert [(order.call_id, order.attempt) for order in talk.orders] == [("call-1", 1), ("call-2", 1), ("call-1", 2)]
    assert talk.orders[2].key == talk.orders[0].key
    returned = only(stepped.events, ToolReturned)
    assert (returned.call_id, returned.status, returned.error_code) == ("call-2", "failed", "outcome_unknown")
    assert not of(stepped.events, ResponseFailed), "no run was on, so none was lost"
    stepped = talk.report(call_id="call-1")
    assert only(stepped.effects, RunAgent).request.leg == 2
    assert {one.call_id for one in talk.requests[-1].tool_results} == {"call-1", "call-2"}


def test_a_run_that_is_lost_is_made_again_with_what_its_tools_have_done() -> None:
    talk = ToolTalk()
    talk.say("do it")
    talk.speak("First.")
    talk.call(WRITE, "call-1", waits=True)
    talk.report("done", call_id="call-1")
    talk.call(READ, "call-2", waits=True)
    stepped = talk.give(ServerRestarted())
    assert kinds(stepped.events) == ["ToolMoved", "ResponseFailed", "ResponseStarted"]
    assert not of(stepped.effects, RunAgent), "the tool that is carried out again comes first"
    stepped = talk.report("seen", call_id="call-2")
    request = only(stepped.effects, RunAgent).request
    assert (request.response_id, request.leg) == ("response-2", 1)
    assert [(one.name, one.result) for message in request.so_far for one in message.calls] == [
        ("book", "done"),
        ("look", "seen"),
    ]
    talk.speak("Second.")
    talk.finish()
    assert [(one.text, len(one.calls)) for one in talk.state.history] == [
        ("do it", 0),
        ("First.", 1),
        ("", 1),
        ("Second.", 0),
    ]


def test_what_a_supervisor_let_run_is_told_after_a_crash_as_well() -> None:
    talk = ToolTalk()
    talk.say("close it")
    talk.call(SUPERVISED)
    talk.finish()
    talk.speak("I have asked.")
    talk.finish()
    assert talk.give(ServerRestarted()).reply == Ignored()
    talk.decide(by="grace", via="supervisor")
    stepped = talk.give(ServerRestarted())
    assert walk(list(stepped.events)) == ["failed"]
    assert only(stepped.effects, RunAgent).request.tool_results[0].is_error


def test_a_tool_of_which_nothing_is_heard_is_given_up() -> None:
    talk = ToolTalk()
    talk.say("do it")
    talk.call(WRITE)
    talk.finish()
    due_ms = next_deadline_ms(talk.state)
    assert due_ms is not None and due_ms > talk.now_ms + WRITE.timeout_ms
    stepped = talk.give(DeadlinePassed(), after_ms=due_ms - talk.now_ms)
    assert walk(list(stepped.events)) == ["timed_out"]
    assert [type(effect) for effect in stepped.effects] == [StopTool, RunAgent]
    assert talk.report().reply == Ignored()


def test_while_a_tool_runs_the_agent_is_not_taken_to_be_silent() -> None:
    talk = ToolTalk()
    talk.say("do it")
    talk.call(ToolSpec(name="slow", kind="python", timeout_ms=80_000), waits=True)
    assert not talk.give(DeadlinePassed(), after_ms=50_000).events
    talk.report()
    assert next_deadline_ms(talk.state) == talk.now_ms + 30_000


def test_with_the_session_nothing_is_left_in_progress() -> None:
    talk = ToolTalk()
    talk.say("all")
    talk.call(SUPERVISED, "call-1")
    talk.call(WRITE, "call-2")
    talk.finish()
    stepped = talk.give(EndRequested())
    assert walk(talk.events, "call-1")[-1] == "denied" and walk(talk.events, "call-2")[-1] == "failed"
    assert kinds(stepped.events)[-1] == "SessionEnded"
    assert not talk.state.tools.calls and next_deadline_ms(talk.state) is None
    assert talk.report(call_id="call-2").reply == Ignored()


def test_an_agent_that_calls_for_ever_is_stopped() -> None:
    talk = ToolTalk()
    talk.say("go")
    for number in range(limits.TOOL_CALLS):
        talk.call(None, f"call-{number}")
    talk.call(None, "one-more")
    assert only(talk.events, ResponseFailed).code is Code.AGENT_BAD_ITEM


def test_the_state_between_two_legs_survives() -> None:
    talk = ToolTalk()
    talk.say("close it")
    talk.call(SUPERVISED, "call-1")
    talk.call(ONCE, "call-2")
    talk.finish()
    assert snapshot(restore(snapshot(talk.state))) == snapshot(talk.state)
    assert snapshot(fold(SessionState(), talk.records)) == snapshot(talk.state)
