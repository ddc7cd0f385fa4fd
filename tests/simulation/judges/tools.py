"""What must hold of the registry's tools and of approvals, kept apart from the engine's own way of keeping it."""

from collections.abc import Sequence
from typing import Final

import msgspec

from duologue.engine.step import Stepped
from duologue.model import events as e
from duologue.model import limits
from duologue.model.content import Answer, ToolCall
from duologue.model.effects import RunTool, StopTool
from duologue.model.errors import Code
from duologue.model.inputs import AgentRequested, AnyInput, ApprovalDecided, ServerRestarted, ToolReported, UserTurn
from duologue.model.replies import Accepted, Ignored, Rejected
from duologue.model.tools import Approval, ToolSpec, ToolStatus

WALKS: Final[dict[str, frozenset[str]]] = {
    "": frozenset({"requested"}),
    "requested": frozenset(
        {"executing", "awaiting_approval", "pending_supervisor", "async_pending", "denied", "failed", "duplicate"}
    ),
    "awaiting_approval": frozenset({"approved", "denied", "timed_out", "failed"}),
    "pending_supervisor": frozenset({"approved", "denied", "timed_out"}),
    "async_pending": frozenset({"approved", "denied", "timed_out"}),
    "approved": frozenset({"executing", "denied"}),
    "executing": frozenset({"executing", "completed", "failed", "timed_out"}),
}
"""Which step may follow which; a call whose last step is not here is at its end."""

WAITING: Final = {"awaiting_approval": "user", "pending_supervisor": "supervisor", "async_pending": "callback"}
POLICIES: Final = {
    "awaiting_approval": "user_confirm",
    "pending_supervisor": "supervisor_approve",
    "async_pending": "async_pending",
    "executing": "auto",
}
YES, NO = ("yes", "ok", "yeah"), ("no", "stop", "stop that")
"""The plain words of the schedules."""


class Walk(msgspec.Struct):
    """A call of the registry's, as its events tell it."""

    spec: ToolSpec
    response: str
    turn: int
    called_ms: int
    within: bool
    status: ToolStatus | str = ""
    approval: Approval | None = None
    ordered: int = 0
    due_ms: int = 0
    awaited: bool = False
    left: bool = False
    answers: bool = False


class ToolJudge:
    """Follows the registry's calls of a session.

    Attributes:
        calls: those that have not come to an end, by their ids.
        decided: approvals that are not open any more.
        executed: of each call that was ordered, how often.
    """

    def __init__(self) -> None:
        self.calls: dict[str, Walk] = {}
        self.decided: dict[str, str] = {}
        self.executed: dict[tuple[str, str], int] = {}
        self._to_order: list[str] = []
        self._keys: dict[tuple[str, str], tuple[str, int]] = {}

    def before(self, happened: AnyInput, stepped: Stepped, *, ended: bool, subject: str, now_ms: int) -> None:
        """Judge the reply, by what was known before the step."""
        match happened:
            case ToolReported(call_id=call_id):
                call = self.calls.get(call_id)
                meant = call is not None and call.status == "executing"
                assert isinstance(stepped.reply, Accepted if meant else Ignored), "a report is taken once"
            case ApprovalDecided():
                code = self._refusal(happened, ended=ended, subject=subject, now_ms=now_ms)
                got = stepped.reply.problem.code if isinstance(stepped.reply, Rejected) else None
                assert got is code, f"a decision: {got}, not {code}"
            case _:
                pass
        self._to_order = []

    def _refusal(self, made: ApprovalDecided, *, ended: bool, subject: str, now_ms: int) -> Code | None:
        if ended:
            return Code.SESSION_ENDED
        open_ones = [one for one in self.calls.values() if one.status in WAITING and one.approval is not None]
        call = next((one for one in open_ones if one.approval and one.approval.approval_id == made.approval_id), None)
        if call is None or call.approval is None:
            how = self.decided.get(made.approval_id)
            if how is None:
                return Code.APPROVAL_UNKNOWN
            return Code.APPROVAL_EXPIRED if how == "expired" else Code.APPROVAL_DECIDED
        if now_ms >= call.approval.expires_ms:
            return Code.APPROVAL_EXPIRED
        if WAITING[call.status] != made.via or (made.via == "user" and made.by != subject):
            return Code.FORBIDDEN
        return Code.APPROVAL_CHANGED if made.digest not in (None, call.approval.digest) else None

    def called(self, event: e.ToolCalled, happened: AnyInput, *, turn: int) -> None:
        """A call begins."""
        assert isinstance(happened, AgentRequested) and happened.response_id == event.response_id
        assert event.call_id not in self.calls, "a call twice"
        spec = happened.spec or ToolSpec(name=event.name, kind="python", policy="denied")
        self.calls[event.call_id] = Walk(
            spec=spec,
            response=event.response_id,
            turn=turn,
            called_ms=event.at_ms,
            within=happened.waits,
        )

    def moved(self, event: e.ToolMoved, happened: AnyInput, *, response: str) -> None:
        """A call takes a step."""
        call = self._step(event.call_id, event.status)
        assert (event.name, event.policy, event.response_id) == (call.spec.name, call.spec.policy, call.response)
        if event.status in WAITING:
            assert event.approval is not None and POLICIES[event.status] == call.spec.policy
            assert event.approval.approval_id not in self.decided, "an approval of its own"
            call.approval, call.due_ms = event.approval, event.at_ms + call.spec.approval_ttl_ms
            assert call.due_ms == event.approval.expires_ms
        if event.status == "approved":
            self._decide(call, "approved", happened)
        if event.status == "executing":
            if call.ordered:
                assert isinstance(happened, ServerRestarted) and _harmless(call.spec), "nothing is done twice"
            else:
                policy = call.spec.policy
                assert policy == "auto" or call.answers, "nobody let it run"
                # What the person lets run is for the answer that is open; else it is told of later.
                call.awaited = policy in ("auto", "user_confirm")
                assert not call.awaited or response, "an answer waits for it"
            call.ordered += 1
            attempts_ms = (call.spec.timeout_ms + limits.TOOL_BETWEEN_MS) * (call.spec.retries + 1)
            call.due_ms = event.at_ms + attempts_ms + limits.TOOL_REPORT_MS
            self._to_order.append(event.call_id)

    def returned(self, event: e.ToolReturned, happened: AnyInput) -> Walk:
        """A call comes to its end."""
        assert event.status is not None, "a call of the registry's has a status"
        before = self.calls[event.call_id].status
        call = self._step(event.call_id, event.status)
        del self.calls[event.call_id]
        assert event.is_error == (event.status != "completed") or event.status == "duplicate"
        assert (event.policy, event.duration_ms) == (call.spec.policy, event.at_ms - call.called_ms)
        if before == "executing":
            told = isinstance(happened, ToolReported) and happened.call_id == event.call_id
            assert event.status != "completed" or told, "only a report says that it is done"
        elif before in WAITING:
            fate = "expired" if event.error_code == "expired" else "denied"
            self._decide(call, fate, happened)
        perhaps_done = isinstance(happened, ToolReported) and happened.perhaps_done
        self._judge_duplicate(event, call, before, done=perhaps_done or event.error_code == "outcome_unknown")
        return call

    def _judge_duplicate(self, event: e.ToolReturned, call: Walk, before: str, *, done: bool) -> None:
        """Judge it; `done`: it has failed, and was done or may have been."""
        mark = (call.spec.name, event.key)
        assert (event.disposition is not None) == (event.status == "duplicate")
        if before == "executing" and event.key:
            assert mark not in self._keys or event.at_ms >= self._keys[mark][1], "the same is done once"
            if event.status != "failed" or done:
                self._keys[mark] = (event.result, event.at_ms + call.spec.idempotency.ttl_ms)
        if event.disposition == "replayed":
            assert self._keys[mark][0] == event.result, "the recorded result"

    def _step(self, call_id: str, status: ToolStatus) -> Walk:
        call = self.calls[call_id]
        assert status in WALKS.get(call.status, ()), f"{status} after {call.status}"
        call.status = status
        return call

    def _decide(self, call: Walk, how: str, happened: AnyInput) -> None:
        assert call.approval is not None, "nobody was asked"
        name = call.approval.approval_id
        assert name not in self.decided, "an approval is decided once"
        self.decided[name] = how
        if how == "approved":
            call.answers = True
            meant = isinstance(happened, ApprovalDecided) and happened.decision == "approve"
            spoke = not isinstance(happened, ApprovalDecided)
            assert meant or spoke, "nobody approved"

    def orders(self, stepped: Stepped) -> None:
        """One order for each call that is carried out, and each call that does harm is ordered once."""
        ordered = [effect.order for effect in stepped.effects if isinstance(effect, RunTool)]
        assert [one.call_id for one in ordered] == self._to_order, "one order for each call that is carried out"
        for order in ordered:
            mark = (order.response_id, order.call_id)
            self.executed[mark] = self.executed.get(mark, 0) + 1
            assert order.attempt == self.executed[mark]
            assert self.executed[mark] == 1 or _harmless(order.spec), "nothing is done twice"
        for effect in stepped.effects:
            assert not isinstance(effect, StopTool) or effect.call_id not in self.calls

    def left(self) -> None:
        """The open answer ends: nothing is awaited any more."""
        for call in self.calls.values():
            call.left, call.awaited = call.left or call.awaited, False

    def taken_up(self, turn: int) -> None:
        """The agent has a turn back: it waits for what it had ordered before."""
        for call in self.calls.values():
            if call.left and call.turn == turn:
                call.left, call.awaited = False, True

    @property
    def waits(self) -> bool:
        """Whether the open answer waits for something that is carried out."""
        return any(one.awaited for one in self.calls.values())

    @property
    def within(self) -> bool:
        """Whether its run does."""
        return any(one.awaited and one.within for one in self.calls.values())

    @property
    def due_ms(self) -> int | None:
        """When the first call comes to an end by itself."""
        dues = [one.due_ms for one in self.calls.values() if one.status in (*WAITING, "executing")]
        return min(dues, default=None)

    def approval_of(self, interrupt_id: str) -> Walk | None:
        """The open call that an interrupt asks about."""
        for call in self.calls.values():
            if call.approval is not None and call.approval.approval_id == interrupt_id:
                return call
        return None


def by_words(said: UserTurn) -> bool | None:
    """What the plain words of a turn say."""
    text = said.text.rstrip("!")
    return True if text in YES else False if text in NO else None


def meant(answers: Sequence[Answer], name: str) -> Answer | None:
    """The answer to an interrupt."""
    return next((one for one in answers if one.interrupt_id == name), None)


def after(call: ToolCall, status: str) -> ToolCall:
    """A call as it is remembered once it has taken a step; who waits for others is told so meanwhile."""
    if status in ("pending_supervisor", "async_pending"):
        return msgspec.structs.replace(call, status=status, result=f'{{"status":"{status}"}}')
    return msgspec.structs.replace(call, status=status)


def _harmless(spec: ToolSpec) -> bool:
    safe = spec.idempotency.mode != "none" and spec.idempotency.safe_to_repeat
    return spec.side_effect in ("none", "read") or spec.repeatable or safe
