"""Handoffs: who has the conversation, and how that is told."""

import pytest
from tests.unit.engine.conversation import kinds, of, only, refusal
from tests.unit.engine.desk_talk import BOB, MIA, SUE, DeskTalk
from tests.unit.engine.tool_talk import WRITE, ToolTalk

from duologue.engine.handoff_steps import WALK
from duologue.model import limits
from duologue.model.content import Answer, ClientTool, Interrupt, ToolResult
from duologue.model.effects import CloseHandoff, RunAgent, StopAgent
from duologue.model.errors import Code
from duologue.model.events import (
    HandoffMoved,
    ResponseEnded,
    ResponseFailed,
    ResponseStarted,
    SupervisorNoted,
    TextCompleted,
    TurnAccepted,
    TurnEnded,
    TurnResumed,
)
from duologue.model.handoff import HandOff, TransferType
from duologue.model.inputs import (
    AgentAsked,
    AgentCalled,
    AgentHandedOff,
    AgentRequested,
    AgentReturned,
    CancelRequested,
    EndRequested,
    HandoffPlaced,
    HandoffRequested,
    ServerRestarted,
    ToolReported,
    UserTurn,
)
from duologue.model.replies import Accepted, Ignored, Repeated


class _Calling(ToolTalk, DeskTalk):
    """A conversation with a desk beside it, whose agent calls tools."""


@pytest.fixture
def talk() -> DeskTalk:
    """A conversation of one turn."""
    talk = DeskTalk()
    talk.exchange("hello", "hi")
    return talk


# Case 12


def test_a_person_takes_over_in_the_middle_of_a_reply_and_hands_back(talk: DeskTalk) -> None:
    """Case 12: the agent's output ends, no run while the person has it, then exactly one that knows what was said."""
    talk.say("where is my order")
    talk.speak("let ", "me ")
    talk.ask()
    talk.place()
    running = talk.response_id
    joined = talk.join()
    assert kinds(joined.events) == ["TextCompleted", "ResponseEnded", "TurnEnded", "HandoffMoved"]
    assert only(joined.events, ResponseEnded).outcome == "interrupted"
    assert only(joined.events, TextCompleted).text == "let me "
    assert talk.stopped[-1] == running
    runs = len(talk.requests)

    for text in ("hello?", "are you there?"):
        reply = talk.say(text)
        assert isinstance(reply, Accepted)
    assert [event.outcome for event in of(talk.events, TurnEnded)][-2:] == ["passed", "passed"]
    words = talk.write("Mia here. It was sent back.")
    assert kinds(words.events) == [
        "TurnResumed",
        "ResponseStarted",
        "TextStarted",
        "TextDelta",
        "TextCompleted",
        "ResponseEnded",
        "TurnEnded",
    ]
    assert only(words.events, ResponseStarted).author == "Mia"
    talk.hand_back(note="was sent back by mistake")
    assert len(talk.requests) == runs

    talk.say("and now?")
    assert len(talk.requests) == runs + 1
    asked = talk.requests[-1]
    assert [(one.role, one.text, one.author) for one in asked.history][-4:] == [
        ("assistant", "let me ", ""),
        ("user", "hello?", ""),
        ("user", "are you there?", ""),
        ("assistant", "Mia here. It was sent back.", "Mia"),
    ]
    assert [item.value for item in asked.context] == ["was sent back by mistake"]


# Asking


def test_who_asks_is_queued_and_the_agent_goes_on(talk: DeskTalk) -> None:
    asked = talk.ask()
    event = only(asked.events, HandoffMoved)
    assert (event.status, event.transfer, event.cause) == ("requested", "bot_to_human", "person")
    assert (event.response_id, event.path) == ("response-1", ("guide",))
    assert [(one.handoff_id, one.agent) for one in talk.placings] == [("s-1~1", "guide")]
    placed = only(talk.place(2, wait_ms=180_000).events, HandoffMoved)
    assert (placed.status, placed.position, placed.wait_ms, placed.wait_text) == (
        "queued",
        2,
        180_000,
        "about 3 minutes",
    )
    assert placed.bundle == {"summary": "s"}
    assert placed.route is not None
    assert placed.target == placed.route.target == "general"
    talk.exchange("meanwhile", "I answer")
    assert of(talk.events, TurnEnded)[-1].outcome == "completed"


def test_a_place_that_is_the_same_is_no_news(talk: DeskTalk) -> None:
    talk.ask()
    talk.place(2)
    handoff_id = talk.latest
    assert isinstance(talk.give(HandoffPlaced(handoff_id=handoff_id, position=2)).reply, Ignored)
    assert only(talk.give(HandoffPlaced(handoff_id=handoff_id, position=1)).events, HandoffMoved).position == 1
    assert talk.state.handoff.current is not None
    assert talk.state.handoff.current.route is not None


def test_an_agent_that_hands_over_ends_its_run_with_what_it_said() -> None:
    talk = DeskTalk()
    talk.say("refund")
    talk.speak("a colleague ")
    asked = HandOff(reason="refund", skills=("billing",), priority=5)
    stepped = talk.give(AgentHandedOff(response_id=talk.response_id, asked=asked))
    assert kinds(stepped.events) == ["HandoffMoved", "TextCompleted", "ResponseEnded", "TurnEnded"]
    assert isinstance(stepped.reply, Accepted)
    moved = only(stepped.events, HandoffMoved)
    assert (moved.cause, moved.skills, moved.priority, moved.turn) == ("agent", ("billing",), 5, 1)
    assert only(stepped.events, TurnEnded).outcome == "completed"


def test_an_agent_that_hands_over_what_it_may_not_fails() -> None:
    for asked in (
        HandOff(reason="x" * (limits.HANDOFF_REASON_CHARS + 1)),
        HandOff(reason="x", transfer="human_to_human"),
        HandOff(reason="x", priority=limits.HANDOFF_PRIORITY + 1),
        HandOff(reason="x", skills=("s",) * (limits.HANDOFF_SKILLS + 1)),
    ):
        talk = DeskTalk()
        talk.say()
        stepped = talk.give(AgentHandedOff(response_id=talk.response_id, asked=asked))
        assert only(stepped.events, ResponseFailed).code is Code.AGENT_BAD_ITEM
        assert not of(stepped.events, HandoffMoved)


def test_an_agent_that_hands_over_while_its_tool_runs_fails() -> None:
    talk = DeskTalk()
    talk.say()
    talk.give(AgentCalled(response_id=talk.response_id, call_id="c", name="look", arguments="{}"))
    stepped = talk.give(AgentHandedOff(response_id=talk.response_id, asked=HandOff(reason="x")))
    assert "'look'" in only(stepped.events, ResponseFailed).message


def test_a_second_handoff_is_refused_and_a_rule_that_asks_again_is_no_news(talk: DeskTalk) -> None:
    talk.ask()
    problem = refusal(talk.ask().reply)
    assert problem.code is Code.HANDOFF_STATE
    assert "s-1~1 (requested)" in problem.message
    again = HandoffRequested(cause="rule", by="angry", asked=HandOff(reason="x"))
    assert isinstance(talk.give(again).reply, Ignored)
    talk.say("more")
    stepped = talk.give(AgentHandedOff(response_id=talk.response_id, asked=HandOff(reason="x")))
    assert kinds(stepped.events) == ["Noted", "ResponseEnded", "TurnEnded"]


@pytest.mark.parametrize("transfer", ["human_to_human", "supervisor_consult"])
def test_what_begins_with_an_operator_cannot_be_asked_for(talk: DeskTalk, transfer: TransferType) -> None:
    assert refusal(talk.ask(transfer=transfer).reply).path == "$.transfer"


def test_nobody_can_take_it_and_the_agent_is_told(talk: DeskTalk) -> None:
    talk.ask()
    failed = only(talk.fail("closed until Monday").events, HandoffMoved)
    assert (failed.status, failed.failure) == ("failed", "closed until Monday")
    talk.say("so?")
    assert "closed until Monday" in talk.requests[-1].context[0].value
    assert isinstance(talk.fail().reply, Ignored)


# Taking, holding, saying


def test_an_operator_may_read_first_and_the_agent_answers_meanwhile(talk: DeskTalk) -> None:
    talk.ask()
    talk.place()
    moved = only(talk.connect().events, HandoffMoved)
    assert (moved.status, moved.operator, moved.position) == ("connecting", MIA, 0)
    assert not talk.state.handoff.with_person
    talk.exchange("still", "here")
    assert refusal(talk.connect(BOB).reply).message == "Mia is taking it"
    assert refusal(talk.join(BOB).reply).code is Code.HANDOFF_STATE
    assert isinstance(talk.connect().reply, Ignored)
    assert only(talk.place().events, HandoffMoved).status == "queued"
    assert only(talk.join(BOB).events, HandoffMoved).operator == BOB


def test_one_has_it_and_nobody_else_can_take_it(talk: DeskTalk) -> None:
    talk.taken()
    assert isinstance(talk.join().reply, Ignored)
    assert refusal(talk.join(BOB).reply).message == "Mia has it already"
    assert refusal(talk.write("hi", by=BOB).reply).code is Code.FORBIDDEN
    assert refusal(talk.hold(BOB).reply).message == "Mia has the conversation, not you"
    assert refusal(talk.hand_back(BOB).reply).code is Code.FORBIDDEN
    assert refusal(talk.ask().reply).message.endswith("(Mia has it)")
    assert refusal(talk.cancel().reply).code is Code.HANDOFF_STATE


def test_what_is_not_taken_is_nobodys(talk: DeskTalk) -> None:
    talk.ask()
    assert refusal(talk.write("hi").reply).message == "nobody has taken it yet: it is requested"
    assert refusal(talk.write("hi", handoff_id="s-1~9").reply).code is Code.HANDOFF_UNKNOWN


def test_on_hold_nothing_is_said(talk: DeskTalk) -> None:
    talk.taken()
    assert only(talk.hold().events, HandoffMoved).status == "on_hold"
    assert isinstance(talk.hold().reply, Ignored)
    assert refusal(talk.write("hi").reply).code is Code.HANDOFF_STATE
    talk.say("anybody?")
    assert of(talk.events, TurnEnded)[-1].outcome == "passed"
    assert only(talk.back().events, HandoffMoved).status == "connected"
    assert isinstance(talk.write("hi").reply, Accepted)


def test_what_is_sent_twice_is_said_once(talk: DeskTalk) -> None:
    talk.taken()
    first = talk.write("hi", message_id="m-1").reply
    assert isinstance(first, Accepted)
    assert talk.write("hi", message_id="m-1").reply == Repeated(turn=first.turn, seq=first.seq)
    assert refusal(talk.write("ho", message_id="m-1").reply).code is Code.TURN_CONFLICT
    assert [event.cause for event in of(talk.events, TurnResumed)] == ["operator"]


@pytest.mark.parametrize(
    ("text", "code"), [("  ", Code.BAD_MESSAGE), ("x" * (limits.TURN_TEXT_CHARS + 1), Code.TOO_LARGE)]
)
def test_what_cannot_be_said_is_refused(talk: DeskTalk, text: str, code: Code) -> None:
    talk.taken()
    assert refusal(talk.write(text).reply).code is code


def test_before_anything_was_said_there_is_nothing_to_answer() -> None:
    talk = DeskTalk()
    talk.taken()
    assert "said nothing yet" in refusal(talk.write("hi").reply).message


# Ending


def test_handed_back_the_agent_answers_what_nobody_has(talk: DeskTalk) -> None:
    talk.taken()
    talk.say("anybody?")
    runs = len(talk.requests)
    stepped = talk.hand_back()
    assert kinds(stepped.events) == ["HandoffMoved", "TurnResumed", "ResponseStarted"]
    assert only(stepped.events, TurnResumed).cause == "handed_back"
    assert len(talk.requests) == runs + 1
    assert talk.requests[-1].text == "anybody?"


def test_resolved_it_waits_for_what_is_said_next(talk: DeskTalk) -> None:
    talk.taken()
    talk.say("anybody?")
    stepped = talk.resolve()
    assert [event.status for event in of(stepped.events, HandoffMoved)] == ["resolved"]
    assert not of(stepped.effects, RunAgent)
    assert only(stepped.effects, CloseHandoff).status == "resolved"
    talk.say("more")
    assert talk.requests[-1].text == "more"


# What the agent waits for meanwhile


def test_what_the_agent_asked_about_is_its_own_again_afterwards() -> None:
    """A call that the agent asks about is known when it is let run, whatever was said to a person meanwhile."""
    talk = DeskTalk()
    talk.say("pay it")
    talk.give(AgentCalled(response_id=talk.response_id, call_id="c", name="pay", arguments="{}"))
    asked = Interrupt(interrupt_id="may-i", reason="confirm", tool_call_id="c")
    talk.give(AgentAsked(response_id=talk.response_id, interrupts=(asked,)))
    talk.taken()
    talk.say("are you there?")
    talk.resolve()
    talk.give(UserTurn(text="", resume=(Answer(interrupt_id="may-i", status="resolved", payload=True),)))
    lost = talk.give(ServerRestarted())
    assert not only(lost.events, ResponseFailed).will_retry, "it may have paid"


def test_an_answer_that_comes_while_a_person_has_it_is_the_agents_afterwards() -> None:
    talk = DeskTalk()
    talk.say("pay it")
    talk.give(AgentCalled(response_id=talk.response_id, call_id="c", name="pay", arguments="{}"))
    asked = Interrupt(interrupt_id="may-i", reason="confirm", tool_call_id="c")
    talk.give(AgentAsked(response_id=talk.response_id, interrupts=(asked,)))
    talk.taken()
    talk.give(UserTurn(text="", resume=(Answer(interrupt_id="may-i", status="resolved", payload=True),)))
    talk.resolve()
    returned = talk.give(AgentReturned(response_id=talk.response_id, call_id="c", result="paid"))
    assert kinds(returned.events) == ["ToolReturned"]


def test_what_a_clients_tool_gives_while_a_person_has_it_is_told_to_the_agent_afterwards() -> None:
    talk = DeskTalk()
    where = (ClientTool(name="where", description="where somebody is"),)
    talk.give(UserTurn(text="near me", tools=where))
    talk.give(AgentRequested(response_id=talk.response_id, call_id="c", name="where", arguments="{}"))
    talk.finish()
    talk.taken()
    talk.say("are you there?")
    given = talk.give(UserTurn(text="", tool_results=(ToolResult(call_id="c", content="Bern"),)))
    assert kinds(given.events) == ["TurnAccepted", "ResponseStarted", "ToolReturned", "ResponseEnded", "TurnEnded"]
    runs = len(talk.requests)
    talk.resolve()
    assert len(talk.requests) == runs + 1
    assert [(one.call_id, one.content) for one in talk.requests[-1].tool_results] == [("c", "Bern")]


@pytest.mark.parametrize("waits", [False, True])
def test_what_still_runs_when_it_is_handed_back_is_waited_for_and_not_called_again(waits: bool) -> None:
    talk = _Calling()
    talk.say("book it")
    talk.call(WRITE, waits=waits)
    talk.taken()
    assert kinds(talk.hand_back().effects) == ["CloseHandoff"]
    runs = len(talk.requests)
    talk.report("booked")
    assert len(talk.requests) == runs + 1
    assert [(one.call_id, one.content) for one in talk.requests[-1].tool_results] == [("call-1", "booked")]
    assert [call.result for message in talk.requests[-1].so_far for call in message.calls] == ["booked"]
    talk.speak("It is booked.")
    talk.finish()
    assert talk.state.open is None


def test_what_has_run_before_it_is_handed_back_stands_in_what_was_done() -> None:
    talk = _Calling()
    talk.say("book it")
    talk.call(WRITE)
    talk.taken()
    talk.report("booked")
    assert "RunAgent" in kinds(talk.hand_back().effects)
    assert [call.result for message in talk.requests[-1].so_far for call in message.calls] == ["booked"]


def test_of_several_results_that_come_one_by_one_meanwhile_the_agent_is_told_all_at_once() -> None:
    talk = DeskTalk()
    offered = (ClientTool(name="where", description="where"), ClientTool(name="ring", description="ring"))
    talk.give(UserTurn(text="near me", tools=offered))
    for call_id, name in (("a", "where"), ("b", "ring")):
        talk.give(AgentRequested(response_id=talk.response_id, call_id=call_id, name=name, arguments="{}"))
    talk.finish()
    talk.taken()
    talk.give(ToolReported(call_id="a", status="completed", output="Bern"))
    talk.say("are you there?")
    talk.give(UserTurn(text="", tool_results=(ToolResult(call_id="b", content="rang"),)))
    talk.resolve()
    assert [(one.call_id, one.content) for one in talk.requests[-1].tool_results] == [("a", "Bern"), ("b", "rang")]
    talk.speak("There.")
    talk.finish()
    talk.say("and now?")
    assert not talk.requests[-1].tool_results


def test_a_customer_who_leaves_first_cancels(talk: DeskTalk) -> None:
    talk.ask()
    talk.place()
    cancelled = only(talk.cancel(reason="not needed").events, HandoffMoved)
    assert (cancelled.status, cancelled.reason) == ("cancelled", "not needed")
    talk.taken()
    talk.consult("may I?")
    talk.transfer("warm", handoff_id="s-1~2")
    ended = talk.give(EndRequested())
    assert [event.status for event in of(ended.events, HandoffMoved)] == ["cancelled"] * 3
    assert kinds(ended.events)[-1] == "SessionEnded"
    assert refusal(talk.ask().reply).code is Code.SESSION_ENDED


# Passing on


def test_blind_the_operator_lets_go_at_once(talk: DeskTalk) -> None:
    first = talk.taken()
    stepped = talk.transfer("blind", target="billing")
    moved = of(stepped.events, HandoffMoved)
    assert [(one.handoff_id, one.status, one.transfer) for one in moved] == [
        (first, "transferred", "bot_to_human"),
        ("s-1~2", "requested", "blind"),
    ]
    assert not talk.state.handoff.with_person
    talk.exchange("and now", "the agent answers")
    talk.place()
    talk.join(BOB)
    assert talk.state.handoff.with_person


@pytest.mark.parametrize("transfer", ["warm", "human_to_human"])
def test_warm_the_operator_stays_until_it_is_taken(talk: DeskTalk, transfer: TransferType) -> None:
    first = talk.taken()
    talk.transfer(transfer, target="operator:bob")
    assert talk.state.handoff.with_person
    assert isinstance(talk.write("one moment", handoff_id=first).reply, Accepted)
    assert refusal(talk.transfer("warm", handoff_id=first).reply).code is Code.HANDOFF_STATE
    talk.place(only="bob")
    stepped = talk.join(BOB)
    assert [(one.handoff_id, one.status) for one in of(stepped.events, HandoffMoved)] == [
        (first, "transferred"),
        ("s-1~2", "connected"),
    ]
    assert refusal(talk.write("hi", handoff_id=first).reply).code is Code.HANDOFF_UNKNOWN
    assert refusal(talk.write("hi").reply).code is Code.FORBIDDEN
    assert isinstance(talk.write("Bob here", by=BOB).reply, Accepted)


def test_a_transfer_that_nobody_takes_leaves_the_operator_where_they_are(talk: DeskTalk) -> None:
    first = talk.taken()
    talk.transfer("warm")
    talk.fail("nobody is there")
    assert talk.state.handoff.with_person
    assert isinstance(talk.write("it is still me", handoff_id=first).reply, Accepted)
    talk.transfer("warm", handoff_id=first)
    talk.cancel()
    talk.transfer("warm", handoff_id=first)
    stepped = talk.resolve(handoff_id=first)
    assert [event.status for event in of(stepped.events, HandoffMoved)] == ["cancelled", "resolved"]


def test_what_an_operator_who_has_gone_has_not_answered_the_agent_does(talk: DeskTalk) -> None:
    talk.taken()
    talk.hold()
    talk.say("hello?")
    runs = len(talk.requests)
    gone = talk.gone()
    assert [(one.status, one.reason) for one in of(gone.events, HandoffMoved)] == [
        ("transferred", "Mia has gone"),
        ("requested", "Mia has gone"),
    ]
    assert talk.placings[-1].handoff_id == talk.latest
    assert len(talk.requests) == runs + 1
    assert only(gone.events, TurnResumed).cause == "transferred"
    assert not talk.state.handoff.with_person
    talk.place()
    talk.join()
    assert talk.state.handoff.with_person, "who comes back may take it again"


def test_an_operator_who_has_gone_and_has_answered_leaves_nothing_to_do(talk: DeskTalk) -> None:
    talk.taken()
    talk.say("hello?")
    talk.write("I am here")
    runs = len(talk.requests)
    assert refusal(talk.gone(BOB).reply).code is Code.FORBIDDEN
    talk.gone()
    assert len(talk.requests) == runs
    assert talk.state.handoff.current is not None


def test_whoever_was_to_have_it_next_still_is_when_the_operator_has_gone(talk: DeskTalk) -> None:
    first = talk.taken()
    talk.transfer("warm", target="billing")
    onward = talk.latest
    talk.place()
    gone = talk.gone(handoff_id=first)
    assert kinds(gone.events) == ["HandoffMoved"]
    current = talk.state.handoff.current
    assert current is not None
    assert (current.handoff_id, current.status, talk.state.handoff.onward) == (onward, "queued", None)
    assert not talk.state.handoff.with_person
    talk.join(BOB)
    assert talk.state.handoff.with_person


def test_an_operator_cannot_pass_it_on_as_an_agent_does(talk: DeskTalk) -> None:
    talk.taken()
    assert refusal(talk.transfer("bot_to_human").reply).path == "$.transfer"


# Supervisors


def test_a_supervisor_is_asked_beside_the_conversation(talk: DeskTalk) -> None:
    first = talk.taken()
    stepped = talk.consult("may I refund 900?")
    moved = only(stepped.events, HandoffMoved)
    assert (moved.handoff_id, moved.status, moved.transfer) == ("s-1~2", "requested", "supervisor_consult")
    assert "900" not in str(moved)
    noted = only(stepped.events, SupervisorNoted)
    assert (noted.by, noted.text, noted.answer) == (MIA, "may I refund 900?", False)
    talk.place()
    answered = talk.consult("yes", by=SUE, answer=True)
    assert only(answered.events, HandoffMoved).status == "connected"
    assert only(answered.events, SupervisorNoted).by == SUE
    assert talk.state.handoff.current is not None
    assert talk.state.handoff.current.operator == MIA
    assert kinds(talk.consult("thanks", handoff_id=first).events) == ["SupervisorNoted"]
    assert refusal(talk.resolve(BOB).reply).code is Code.FORBIDDEN
    assert only(talk.resolve(SUE).events, HandoffMoved).status == "resolved"
    assert refusal(talk.consult("more", by=SUE, answer=True).reply).code is Code.HANDOFF_UNKNOWN
    talk.consult("again", handoff_id=first)
    stepped = talk.hand_back(handoff_id=first)
    assert [event.status for event in of(stepped.events, HandoffMoved)] == ["cancelled", "resolved"]


def test_only_who_has_the_conversation_asks_a_supervisor(talk: DeskTalk) -> None:
    talk.ask()
    assert refusal(talk.consult("may I?").reply).code is Code.HANDOFF_STATE
    talk.join()
    assert refusal(talk.consult("may I?", by=BOB).reply).code is Code.FORBIDDEN
    assert refusal(talk.consult(" ").reply).code is Code.BAD_MESSAGE
    assert refusal(talk.consult("yes", by=SUE, answer=True).reply).code is Code.HANDOFF_UNKNOWN


def test_a_consultation_is_bounded(talk: DeskTalk) -> None:
    first = talk.taken()
    for _ in range(limits.HANDOFF_NOTES):
        talk.consult("?", handoff_id=first)
    assert refusal(talk.consult("?", handoff_id=first).reply).code is Code.HANDOFF_STATE
    assert refusal(talk.consult("!", by=SUE, answer=True, handoff_id=first).reply).code is Code.HANDOFF_STATE


# Other agents


def hand_to(talk: DeskTalk, agent: str) -> None:
    """Let the open run hand over to an agent."""
    asked = HandOff(reason="a flight", transfer="bot_to_bot", target=agent)
    talk.give(AgentHandedOff(response_id=talk.response_id, asked=asked))


def test_another_agent_goes_on_with_the_same_turn() -> None:
    talk = DeskTalk()
    talk.say("a flight")
    talk.speak("moment. ")
    hand_to(talk, "travel")
    stepped = talk.to_agent("travel")
    assert kinds(stepped.events) == ["HandoffMoved", "TurnResumed", "ResponseStarted"]
    moved = only(stepped.events, HandoffMoved)
    assert (moved.status, moved.target, moved.path) == ("transferred", "travel", ("guide", "travel"))
    assert moved.route is not None
    assert moved.route.rule == "r"
    assert only(stepped.events, TurnResumed).turn == 1
    request = talk.requests[-1]
    assert (request.agent, request.text, request.resumed) == ("travel", "a flight", "transferred")
    assert [one.text for one in request.so_far] == ["moment. "]
    talk.finish()
    talk.say("and back")
    assert talk.requests[-1].agent == "travel"
    assert only(talk.records[-1].events, ResponseStarted).agent == "travel"


def test_agents_do_not_pass_a_turn_round() -> None:
    talk = DeskTalk()
    talk.say("a flight")
    hand_to(talk, "travel")
    talk.to_agent("travel")
    hand_to(talk, "guide")
    failed = only(talk.to_agent("guide").events, HandoffMoved)
    assert (failed.status, failed.failure) == ("failed", "the agents would pass it round: guide > travel > guide")
    talk.say("but now")
    assert talk.requests[-1].agent == "travel"
    hand_to(talk, "guide")
    talk.to_agent("guide")
    assert talk.requests[-1].agent == ""
    assert talk.state.handoff.path == ("guide", "travel", "guide")


def test_who_has_gone_on_meanwhile_is_answered_by_the_other_agent_next_time() -> None:
    talk = DeskTalk()
    talk.say("a flight")
    hand_to(talk, "travel")
    talk.say("hello?")
    assert talk.requests[-1].agent == ""
    assert not of(talk.to_agent("travel").events, TurnResumed)
    talk.finish()
    talk.say("hello??")
    assert talk.requests[-1].agent == "travel"


def test_an_operator_passes_it_to_an_agent(talk: DeskTalk) -> None:
    first = talk.taken()
    talk.say("a flight then")
    stepped = talk.transfer("bot_to_bot", target="travel")
    assert [(one.handoff_id, one.status) for one in of(stepped.events, HandoffMoved)] == [
        (first, "transferred"),
        ("s-1~2", "requested"),
    ]
    talk.to_agent("travel")
    assert (talk.requests[-1].agent, talk.requests[-1].text) == ("travel", "a flight then")
    assert refusal(talk.join().reply).code is Code.HANDOFF_UNKNOWN


def test_a_person_cannot_take_what_is_for_an_agent(talk: DeskTalk) -> None:
    talk.ask(transfer="bot_to_bot", target="travel")
    assert refusal(talk.join().reply).message == "it is for another agent"
    assert isinstance(talk.place().reply, Ignored)


# Laws


def test_a_run_is_stopped_once_and_a_cancel_of_nothing_is_nothing(talk: DeskTalk) -> None:
    talk.say("x")
    talk.taken()
    assert len(of(talk.effects, StopAgent)) == 1
    assert isinstance(talk.give(CancelRequested()).reply, Ignored)
    assert not [event for event in talk.events if isinstance(event, TurnAccepted) and event.turn > 2]


def test_the_walk_ends_and_every_status_is_reached() -> None:
    ends = {status for status, following in WALK.items() if not following}
    assert ends == {"transferred", "resolved", "cancelled", "failed"}
    reached = {status for following in WALK.values() for status in following}
    assert reached == {status for status in WALK if status is not None}
