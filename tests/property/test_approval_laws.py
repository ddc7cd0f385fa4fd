"""Laws of approvals, in whatever order somebody takes over, decides, writes, gives back, and the process dies."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal, get_args

from hypothesis import given
from hypothesis import strategies as st
from tests.simulation.judges.approvals import ApprovalJudge
from tests.simulation.judges.judge import Judge
from tests.unit.engine.conversation import OPENED, START_MS

from duologue.engine.deadlines import next_deadline_ms
from duologue.engine.replay import fold
from duologue.engine.state import SessionState
from duologue.engine.step import step
from duologue.model.effects import RunTool
from duologue.model.events import ToolMoved, ToolReturned
from duologue.model.handoff import HandOff, Operator
from duologue.model.inputs import (
    AgentFinished,
    AgentRequested,
    AgentSpoke,
    AnyInput,
    CallEnded,
    CallStarted,
    CancelRequested,
    DeadlinePassed,
    HandedBack,
    HandoffRequested,
    HandoffResolved,
    OperatorJoined,
    OperatorSaid,
    ServerRestarted,
    UserTurn,
)
from duologue.model.records import Record
from duologue.model.replies import Accepted
from duologue.model.tools import (
    Approval,
    ApprovalDecided,
    ApprovalPolicy,
    DecidedBy,
    Decision,
    ToolOrder,
    ToolReported,
    ToolSpec,
)

Happening = Literal[
    "ask for a person",
    "take over",
    "say something as the operator",
    "hand back",
    "resolve",
    "approve",
    "deny",
    "decide as somebody else",
    "write",
    "say yes",
    "stop",
    "call",
    "hang up",
    "report",
    "wait",
    "die",
    "die and lose the last step",
]
MIA = Operator(operator_id="mia", name="Mia")
DECIDES: dict[ApprovalPolicy, DecidedBy] = {
    "user_confirm": "user",
    "supervisor_approve": "supervisor",
    "async_pending": "callback",
}
policies = st.sampled_from(list(DECIDES))


class Waiting:
    """A session whose agent asks for a tool that somebody has to let run; what is stored is all that a crash leaves."""

    def __init__(self, policy: ApprovalPolicy) -> None:
        self.state, self.now_ms = SessionState(), START_MS
        self.records: list[Record] = []
        self.orders: list[ToolOrder] = []
        self.said: dict[str, Decision] = {}
        self.approvals = ApprovalJudge(self.said, Counter())
        self.judge = Judge()
        self._to_store: tuple[Record, list[ToolOrder]] | None = None
        self._policy: ApprovalPolicy = policy
        spec = ToolSpec(name="pay", kind="python", policy=policy, approval_ttl_ms=20_000)
        self.give(OPENED)
        self.give(UserTurn(text="pay it"))
        self.give(AgentRequested(response_id="response-1", call_id="pay", name="pay", arguments='{"n":1}', spec=spec))
        self.give(AgentSpoke(response_id="response-1", text="One moment."))
        self.give(AgentFinished(response_id="response-1"))
        self._store()

    @property
    def approval(self) -> Approval:
        """The first approval that was asked for."""
        moved = [event.approval for record in self.records for event in record.events if isinstance(event, ToolMoved)]
        return next(one for one in moved if one is not None)

    @property
    def ends(self) -> list[ToolReturned]:
        """The ends of the call; there is one at most."""
        events = [event for record in self.records for event in record.events]
        return [event for event in events if isinstance(event, ToolReturned) and event.call_id == "pay"]

    def give(self, happened: AnyInput, *, after_ms: int = 20) -> bool:
        """Step, once the step before is stored; true where it was accepted."""
        self._store()
        self.now_ms += after_ms
        stepped = step(self.state, happened, now_ms=self.now_ms)
        self.judge.take(happened, stepped, now_ms=self.now_ms)
        if stepped.events:
            record = Record(at_ms=self.state.at_ms, input=happened, events=stepped.events)
            self._to_store = record, [effect.order for effect in stepped.effects if isinstance(effect, RunTool)]
        return isinstance(stepped.reply, Accepted)

    def _store(self) -> None:
        if self._to_store is None:
            return
        record, orders = self._to_store
        self._to_store = None
        self.records.append(record)
        self.approvals.stored(record)
        for order in orders:
            self.approvals.carried_out(order)
            self.orders.append(order)

    def die(self, *, lose: bool) -> None:
        """Begin anew with what is stored."""
        if lose:
            self._to_store = None
        self._store()
        self.judge = Judge()
        again = SessionState()
        for record in self.records:
            self.judge.take(record.input, step(again, record.input, now_ms=record.at_ms))
        self.state = fold(SessionState(), self.records)
        self.approvals.agrees(self.state)
        self.give(ServerRestarted())

    def decide(self, decision: Decision) -> bool:
        """Let decide who has a say; the program elsewhere says the same each time."""
        via = DECIDES[self._policy]
        if via == "callback":
            decision = self.said.setdefault(self.approval.approval_id, decision)
        by = "ada" if via == "user" else "sue"
        return self.give(ApprovalDecided(approval_id=self.approval.approval_id, decision=decision, by=by, via=via))

    def happens(self, what: Happening) -> None:
        """Let something happen, whatever it means just now."""
        handoff = self.state.handoff.current
        name = "" if handoff is None else handoff.handoff_id
        match what:
            case "ask for a person":
                self.give(HandoffRequested(cause="person", by="ada", asked=HandOff(reason="wants a human")))
            case "take over":
                self.give(OperatorJoined(handoff_id=name, operator=MIA))
            case "say something as the operator":
                self.give(OperatorSaid(handoff_id=name, operator_id="mia", text="I am Mia."))
            case "hand back":
                self.give(HandedBack(handoff_id=name, operator_id="mia"))
            case "resolve":
                self.give(HandoffResolved(handoff_id=name, operator_id="mia"))
            case "approve":
                self.decide("approve")
            case "deny":
                self.decide("deny")
            case "decide as somebody else":
                made = ApprovalDecided(approval_id=self.approval.approval_id, decision="approve", by="eve", via="user")
                assert not self.give(made)
            case "write":
                self.give(UserTurn(text="are you there?"))
            case "say yes":
                self.give(UserTurn(text="yes"))
            case "stop":
                self.give(CancelRequested())
            case "call":
                self.give(CallStarted(call_id="c"))
            case "hang up":
                self.give(CallEnded(call_id="c", reason="hung up"))
            case "report":
                self.give(ToolReported(call_id="pay", status="completed", output="{}"))
            case "wait":
                self.give(DeadlinePassed(), after_ms=7_000)
            case "die":
                self.die(lose=False)
            case "die and lose the last step":
                self.die(lose=True)

    def settle(self) -> None:
        """Let the operator give the conversation back, and wait for everything."""
        self.happens("resolve")
        self.happens("hang up")
        for _ in range(40):
            if (due_ms := next_deadline_ms(self.state)) is not None:
                self.now_ms = max(self.now_ms, due_ms)
                self.give(DeadlinePassed())
        self._store()
        self.approvals.agrees(self.state)


@given(policies, st.lists(st.sampled_from(get_args(Happening)), max_size=25))
def test_it_is_decided_once_run_once_and_never_forgotten(policy: ApprovalPolicy, order: list[Happening]) -> None:
    session = Waiting(policy)
    for what in order:
        session.happens(what)
    session.settle()
    assert len(session.ends) == 1, "every call comes to its end"
    assert {one.call_id for one in session.orders} <= {"pay"}
    assert len(session.orders) <= 1, "what does harm is carried out once"
    assert len(session.orders) == (session.ends[0].error_code not in NOT_RUN), "it runs where somebody let it"


NOT_RUN = ("denied", "expired", "given_up")


@given(policies, st.permutations(["take over", "approve", "die", "say something as the operator", "ask for a person"]))
def test_who_lets_it_run_is_heard_whoever_takes_over_and_whenever_the_process_dies(
    policy: ApprovalPolicy, order: Sequence[Happening]
) -> None:
    session = Waiting(policy)
    for what in order:
        session.happens(what)
    session.settle()
    assert [one.call_id for one in session.orders] == ["pay"]


@given(policies, st.permutations(["ask for a person", "take over", "die", "wait", "write"]))
def test_what_nobody_decides_waits_through_all_of_it_and_expires(
    policy: ApprovalPolicy, order: Sequence[Happening]
) -> None:
    session = Waiting(policy)
    wrote_to_the_agent = False
    for what in order:
        wrote_to_the_agent = wrote_to_the_agent or (what == "write" and not session.state.handoff.with_person)
        session.happens(what)
    session.settle()
    given_up = wrote_to_the_agent and policy == "user_confirm"
    assert [one.error_code for one in session.ends] == ["given_up" if given_up else "expired"]
    assert not session.orders
    assert not session.decide("approve")
