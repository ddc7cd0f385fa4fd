"""What must hold of approvals, judged from the outside: by what is stored, and by what is then carried out.

It knows nothing of the steps in between, and what a crash has lost it has never heard of.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Final, get_args

import msgspec

from duologue.engine.state import SessionState
from duologue.model import events as e
from duologue.model.content import Answer
from duologue.model.inputs import AgentSpoke, ApprovalDecided, HandoffInput, OperatorJoined, ServerRestarted
from duologue.model.records import Record
from duologue.model.tools import Approval, ApprovalPolicy, DecidedBy, Decision, ToolOrder

WAITING: Final = frozenset({"awaiting_approval", "pending_supervisor", "async_pending"})
DECIDES: Final[dict[ApprovalPolicy, DecidedBy]] = {
    "user_confirm": "user",
    "supervisor_approve": "supervisor",
    "async_pending": "callback",
}
GIVEN_UP: Final = frozenset({"interrupted", "cancelled", "replaced", "passed"})
"""Ends of answers of which nothing follows any more."""

APPROVING: Final = ({"approved": True}, {"approved": True, "by": "ada"})
"""What clients of these schedules say, and what becomes of a button."""

OTHERS: Final = (*get_args(HandoffInput), ServerRestarted)
"""What is nobody's decision: people who come and go beside the conversation, and a process that dies."""


class Asked(msgspec.Struct):
    """An approval that is open.

    Attributes:
        put: the person was asked: the answer that asks has ended so.
        met: what happened meanwhile.
    """

    approval: Approval
    response_id: str
    put: bool = False
    met: set[str] = set()


class ApprovalJudge:
    """Follows the approvals of a session.

    Args:
        said: what the program elsewhere has really decided, by approval.
        tally: is told what approvals have met before they were decided.

    Attributes:
        open: those that nobody has decided, by their ids.
        decided: those that are over.
    """

    def __init__(self, said: Mapping[str, Decision], tally: Counter[str]) -> None:
        self.open: dict[str, Asked] = {}
        self.decided: set[str] = set()
        self._said, self._tally = said, tally
        self._person = ""
        self._granted: dict[tuple[str, str], Approval] = {}
        self._attempts: dict[tuple[str, str], int] = {}
        self._given_up: set[str] = set()

    def stored(self, record: Record) -> None:
        """Judge a record that became durable."""
        if isinstance(record.input, AgentSpoke):
            return
        for event in record.events:
            match event:
                case e.SessionStarted():
                    self._person = getattr(record.input, "subject", "")
                case e.ToolMoved(approval=approval) if event.status in WAITING:
                    assert approval is not None, "who waits is told for what"
                    assert approval.approval_id not in self.decided | set(self.open), "an approval of its own"
                    self.open[approval.approval_id] = Asked(approval, event.response_id)
                case e.ToolMoved(status="approved", call_id=call_id):
                    self._approved(call_id, record)
                case e.ToolReturned(call_id=call_id, runs_on="server"):
                    self._closed(call_id, event, record)
                case e.ResponseEnded(outcome=outcome, interrupts=interrupts, response_id=response_id):
                    self._put({one.interrupt_id for one in interrupts})
                    self._given_up |= {response_id} if outcome in GIVEN_UP else set()
                case e.ResponseFailed(response_id=response_id):
                    self._given_up.add(response_id)
                case _:
                    pass
        if isinstance(record.input, OperatorJoined):
            self._meet("a takeover")

    def restarted(self) -> None:
        """Note that the process died, and that another one has taken up what it had stored."""
        self._meet("a restart")

    def carried_out(self, order: ToolOrder) -> None:
        """Judge an order that reaches the world."""
        mark, again = (order.response_id, order.call_id), order.attempt > 1
        # The one before may have been lost with the process that was to carry it out.
        assert order.attempt > self._attempts.get(mark, 0), "an order is carried out once"
        self._attempts[mark] = order.attempt
        if order.spec.policy in ("auto", "user_confirm"):
            assert again or order.response_id not in self._given_up, "nothing of an answer that was given up runs"
        if order.spec.policy != "auto":
            assert mark in self._granted, "nobody let it run"
            approval = self._granted[mark]
            assert (approval.tool, approval.arguments) == (order.spec.name, order.arguments), "another call was let run"

    def agrees(self, state: SessionState) -> None:
        """Judge that a session knows what is open: after a crash, a takeover, and whatever else."""
        if not (self.open or state.tools.calls):
            return
        known = {one.approval.approval_id for one in state.tools.calls if one.approval and one.status in WAITING}
        assert known == set(self.open), "a pending approval stays, until somebody decides or its time is over"

    def _approved(self, call_id: str, record: Record) -> None:
        asked = self._over(call_id)
        assert asked is not None, "an approval is decided once"
        approval, happened = asked.approval, record.input
        assert record.at_ms < approval.expires_ms, "nothing is let run after its time"
        if isinstance(happened, ApprovalDecided):
            self._meant(approval, happened, "approve")
        else:
            assert _approves(_answers(record).get(approval.approval_id)), "nobody approved"
            assert asked.put and approval.policy == "user_confirm", "only who was asked answers"
        self._granted[asked.response_id, call_id] = approval
        self._tally["approved after " + (" and ".join(sorted(asked.met)) or "nothing")] += 1

    def _closed(self, call_id: str, event: e.ToolReturned, record: Record) -> None:
        """Judge the end of a call that nobody let run."""
        asked = self._over(call_id)
        if asked is None:
            return
        approval, happened = asked.approval, record.input
        if event.error_code == "expired":
            assert record.at_ms >= approval.expires_ms, "not before its time"
        elif isinstance(happened, ApprovalDecided) and happened.approval_id == approval.approval_id:
            self._meant(approval, happened, "deny")
        elif approval.approval_id in _answers(record):
            assert approval.policy == "user_confirm", "only who was asked answers"
        elif not any(isinstance(one, e.SessionEnded) for one in record.events):
            assert approval.policy == "user_confirm", "what others decide about waits for them"
            assert not (asked.put and isinstance(happened, OTHERS)), "what was asked stays asked"

    def _meant(self, approval: Approval, made: ApprovalDecided, decision: Decision) -> None:
        assert (made.approval_id, made.decision) == (approval.approval_id, decision), "another decision"
        assert made.via == DECIDES[approval.policy], "who has no say"
        assert made.via != "user" or made.by == self._person, "another person's call"
        assert made.digest in (None, approval.digest), "another call's digest"
        if made.via == "callback":
            assert self._said.get(approval.approval_id) == decision, "who forges a callback decides nothing"

    def _over(self, call_id: str) -> Asked | None:
        found = next((one for one in self.open.values() if one.approval.call_id == call_id), None)
        if found is not None:
            del self.open[found.approval.approval_id]
            self.decided.add(found.approval.approval_id)
        return found

    def _put(self, names: set[str]) -> None:
        for name in names & set(self.open):
            self.open[name].put = True

    def _meet(self, what: str) -> None:
        """Note what has happened meanwhile, so that it can be told whether the schedules led there."""
        for asked in self.open.values():
            asked.met = asked.met | {what}


def _answers(record: Record) -> dict[str, Answer]:
    """What a record's turn answers to what was asked."""
    return {
        one.interrupt_id: one for event in record.events if isinstance(event, e.TurnAccepted) for one in event.answers
    }


def _approves(answer: Answer | None) -> bool:
    return answer is not None and answer.status == "resolved" and answer.payload in APPROVING
