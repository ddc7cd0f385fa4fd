"""The judges that see only what is stored and what is carried out: whatever a broken engine could do is noticed."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from tests.simulation.judges.approvals import ApprovalJudge
from tests.simulation.outside import Outside
from tests.simulation.stage import Stage
from tests.unit.engine.desk_talk import MIA
from tests.unit.engine.tool_talk import CONFIRM, ONCE, PENDING, READ, SUPERVISED, WRITE, ToolTalk

from duologue.engine.state import SessionState
from duologue.engine.step import Stepped
from duologue.model import events as e
from duologue.model.effects import RunTool
from duologue.model.handoff import HandOff
from duologue.model.inputs import (
    AnyInput,
    ApprovalDecided,
    HandoffRequested,
    HandoffResolved,
    OperatorJoined,
    ServerRestarted,
)
from duologue.model.records import Record
from duologue.model.replies import Ignored, Reply
from duologue.model.tools import Approval, Decision, ToolOrder, ToolSpec

TAKEN = "s-1~1"

History = list[Record | ToolOrder]
Tampering = Callable[[History], History]


EARLY = msgspec.structs.replace(SUPERVISED, name="early")


class Talk(ToolTalk):
    """A conversation whose records and orders are kept in their order."""

    def __init__(self) -> None:
        self.history: History = []
        super().__init__()

    def give(self, happened: AnyInput, *, after_ms: int = 0) -> Stepped:
        stepped = super().give(happened, after_ms=after_ms)
        if stepped.events:
            self.history.append(self.records[-1])
        self.history += [effect.order for effect in stepped.effects if isinstance(effect, RunTool)]
        return stepped

    def approval_of(self, tool: str) -> Approval:
        """The approval that a tool's call waits for, or has waited for."""
        moved = [event.approval for event in self.events if isinstance(event, e.ToolMoved)]
        return next(one for one in moved if one is not None and one.tool == tool)


def played() -> Talk:
    """One call runs at once, one when a person has joined; three wait through a restart as well, and are let run."""
    talk = Talk()
    talk.say("do it all")
    for spec in (WRITE, EARLY, SUPERVISED, PENDING, CONFIRM):
        talk.call(spec, spec.name)
    talk.finish()
    talk.report(call_id=WRITE.name)
    talk.give(HandoffRequested(cause="person", by="ada", asked=HandOff(reason="wants a human")))
    talk.give(OperatorJoined(handoff_id=TAKEN, operator=MIA))
    talk.decide(approval=talk.approval_of("early"), by="sue", via="supervisor")
    talk.give(ServerRestarted())
    talk.decide(approval=talk.approval_of("audit"), by="callback", via="callback")
    talk.decide(approval=talk.approval_of("close"), by="sue", via="supervisor")
    talk.decide(approval=talk.approval_of("refund"))
    talk.give(HandoffResolved(handoff_id=TAKEN, operator_id=MIA.operator_id))
    return talk


def judge(history: History, *, said: Decision | None = "approve") -> Counter[str]:
    """Judge a history, of which the program elsewhere has said that."""
    tally: Counter[str] = Counter()
    asked = played().approval_of("audit").approval_id
    verdict = ApprovalJudge({} if said is None else {asked: said}, tally)
    for one in history:
        if isinstance(one, ToolOrder):
            verdict.carried_out(one)
        else:
            verdict.stored(one)
            if isinstance(one.input, ServerRestarted):
                verdict.restarted()
    return tally


def place_of(history: History, tool: str) -> int:
    """Where the decision about a tool's call stands."""
    name = played().approval_of(tool).approval_id
    return next(
        place
        for place, one in enumerate(history)
        if isinstance(one, Record) and isinstance(one.input, ApprovalDecided) and one.input.approval_id == name
    )


# Any: the fields are those of a decision.
def decided(tool: str, *, late: bool = False, **fields: Any) -> Tampering:
    """Change a decision; what followed from it stays."""

    def alter(history: History) -> History:
        place = place_of(history, tool)
        record = history[place]
        assert isinstance(record, Record)
        at_ms = played().approval_of(tool).expires_ms if late else record.at_ms
        changed = msgspec.structs.replace(record, at_ms=at_ms, input=msgspec.structs.replace(record.input, **fields))
        return [*history[:place], changed, *history[place + 1 :]]

    return alter


def undecided(tool: str) -> Tampering:
    """Lose a decision; what followed from it stays."""

    def alter(history: History) -> History:
        place = place_of(history, tool)
        return [*history[:place], *history[place + 1 :]]

    return alter


def twice(tool: str) -> Tampering:
    """Take a decision twice."""

    def alter(history: History) -> History:
        place = place_of(history, tool)
        return [*history[: place + 1], history[place], *history[place + 1 :]]

    return alter


# Any: the fields are those of an order.
def ordered(tool: str, **fields: Any) -> Tampering:
    """Change an order; with no field, carry it out twice."""

    def alter(history: History) -> History:
        found = next(p for p, one in enumerate(history) if isinstance(one, ToolOrder) and one.call_id == tool)
        order = history[found]
        instead: History = [msgspec.structs.replace(order, **fields)] if fields else [order, order]
        return [*history[:found], *instead, *history[found + 1 :]]

    return alter


# Any: the fields are those of the end of a call.
def ended(tool: str, kind: type[AnyInput], **fields: Any) -> Tampering:
    """Let a waiting call end with an input of a kind, which is nobody's decision."""

    def alter(history: History) -> History:
        found = next(p for p, one in enumerate(history) if isinstance(one, Record) and isinstance(one.input, kind))
        record = history[found]
        assert isinstance(record, Record)
        gone = e.ToolReturned(
            seq=0,
            at_ms=record.at_ms,
            state="idle",
            turn=1,
            request_id="turn-1",
            response_id="response-1",
            call_id=tool,
            name=tool,
            arguments="{}",
            runs_on="server",
            result="gone",
            is_error=True,
            status="denied",
            **fields,
        )
        return [*history[:found], msgspec.structs.replace(record, events=(*record.events, gone)), *history[found + 1 :]]

    return alter


def cut_short(history: History) -> History:
    """The answer was interrupted before its tool was ordered."""
    found = next(place for place, one in enumerate(history) if isinstance(one, ToolOrder))
    record = next(one for one in history if isinstance(one, Record) and _ending(one) is not None)
    end = _ending(record)
    assert end is not None
    cut = msgspec.structs.replace(end, outcome="interrupted", interrupts=())
    return [*history[:found], msgspec.structs.replace(record, events=(cut,)), *history[found:]]


def _ending(record: Record) -> e.ResponseEnded | None:
    return next((event for event in record.events if isinstance(event, e.ResponseEnded)), None)


def test_what_the_engine_does_with_approvals_is_right() -> None:
    tally = judge(played().history)
    assert tally["approved after a restart and a takeover"] == 3
    assert len([one for one in played().history if isinstance(one, ToolOrder)]) == 5


@pytest.mark.parametrize(
    ("alter", "found"),
    [
        pytest.param(decided("refund", late=True), "after its time", id="decided too late"),
        pytest.param(decided("refund", by="eve"), "another person's call", id="by somebody else"),
        pytest.param(decided("refund", via="supervisor"), "who has no say", id="by who has no say"),
        pytest.param(decided("close", via="user", by="ada"), "who has no say", id="by the person who asks"),
        pytest.param(decided("refund", digest="0"), "another call's digest", id="about other arguments"),
        pytest.param(decided("close", decision="deny"), "another decision", id="a no that lets it run"),
        pytest.param(twice("close"), "an approval is decided once", id="decided twice"),
        pytest.param(undecided("close"), "nobody let it run", id="run without a decision"),
        pytest.param(ordered("close", arguments='{"more":1}'), "another call was let run", id="run otherwise"),
        pytest.param(ordered("refund"), "an order is carried out once", id="run twice"),
        pytest.param(ordered("book"), "an order is carried out once", id="run twice without being asked about"),
        pytest.param(cut_short, "nothing of an answer that was given up runs", id="of an answer that was given up"),
        pytest.param(ended("refund", OperatorJoined), "what was asked stays asked", id="gone with a takeover"),
        pytest.param(ended("refund", ServerRestarted), "what was asked stays asked", id="gone with a restart"),
        pytest.param(ended("close", OperatorJoined), "waits for them", id="a supervisor's, gone with a takeover"),
        pytest.param(ended("audit", ServerRestarted), "waits for them", id="a callback's, gone with a restart"),
        pytest.param(ended("refund", ServerRestarted, error_code="expired"), "not before its time", id="too early"),
    ],
)
def test_a_promise_about_approvals_that_is_broken_is_noticed(alter: Tampering, found: str) -> None:
    with pytest.raises(AssertionError, match=found):
        judge(alter(played().history))


@pytest.mark.parametrize("said", [None, "deny"])
def test_a_callback_that_was_forged_is_noticed(said: Decision | None) -> None:
    with pytest.raises(AssertionError, match="who forges a callback decides nothing"):
        judge(played().history, said=said)


def test_a_session_that_forgets_what_waits_is_noticed() -> None:
    talk = Talk()
    talk.asked()
    verdict = ApprovalJudge({}, Counter())
    for record in talk.records:
        verdict.stored(record)
    verdict.agrees(talk.state)
    with pytest.raises(AssertionError, match="a pending approval stays"):
        verdict.agrees(SessionState())


# What tools do outside


def quiet(_: AnyInput) -> Reply:
    return Ignored()


def order_of(spec: ToolSpec, call_id: str = "call-1", *, key: str = "k", attempt: int = 1) -> ToolOrder:
    return ToolOrder(
        response_id="response-1", turn=1, call_id=call_id, arguments="{}", key=key, spec=spec, attempt=attempt
    )


def done(stage: Stage, outside: Outside, order: ToolOrder) -> None:
    """Carry an order out, until it was certainly done."""
    before = stage.tally["side effects"]
    while stage.tally["side effects"] == before:
        outside.carry_out(order)
        outside.die()


def test_what_is_done_twice_outside_is_noticed() -> None:
    stage = Stage(1, quiet)
    outside = Outside(stage)
    done(stage, outside, order_of(WRITE))
    with pytest.raises(AssertionError, match="nothing is done twice"):
        done(stage, outside, order_of(WRITE, attempt=2))


def test_the_same_under_one_key_is_noticed_while_it_is_remembered() -> None:
    stage = Stage(2, quiet)
    outside = Outside(stage)
    done(stage, outside, order_of(ONCE))
    stage.state.at_ms = ONCE.idempotency.ttl_ms - 1
    with pytest.raises(AssertionError, match="the same is done once"):
        done(stage, outside, order_of(ONCE, "call-2"))
    stage.state.at_ms += 1
    done(stage, outside, order_of(ONCE, "call-3"))


def test_a_call_that_is_ordered_again_under_another_key_is_noticed() -> None:
    outside = Outside(Stage(3, quiet))
    outside.carry_out(order_of(READ))
    with pytest.raises(AssertionError, match="under its own key"):
        outside.carry_out(order_of(READ, key="other", attempt=2))
