"""The registry's calls after the request: decisions, reports, time that runs out, and answers that are given up."""

from typing import Final, assert_never

from duologue.engine import approvals, endings, interrupts, legs, resuming, tool_walk, tools
from duologue.engine.progress import Progress
from duologue.engine.state import OpenTurn, SessionState
from duologue.engine.tools_state import Fate, ServerCall
from duologue.model.content import Answer, Interrupt, ToolResult
from duologue.model.effects import StopTool
from duologue.model.errors import Code, Problem
from duologue.model.inputs import ToolInput
from duologue.model.replies import Accepted, Ignored, Rejected, Reply
from duologue.model.resuming import ResumeCause
from duologue.model.tools import ApprovalDecided, ToolReported, ToolSpec

_EXPIRED: Final = "nobody decided about it in time"


def take(step: Progress, happened: ToolInput) -> Reply:
    """Take a report, or a decision."""
    match happened:
        case ToolReported():
            call = next((one for one in step.state.tools.calls if one.call_id == happened.call_id), None)
            if call is not None and call.status == "executing":
                _reported(step, call, happened)
            elif not tools.take_one(step, happened):
                return Ignored()
        case ApprovalDecided():
            if step.state.ended:
                return Rejected(problem=Problem(code=Code.SESSION_ENDED, message="the session has ended"))
            if (problem := approvals.objection(step.state, happened, step.now_ms)) is not None:
                return Rejected(problem=problem)
            _decided(step, happened)
        case _:
            assert_never(happened)
    return Accepted(turn=0, seq=step.events[0].seq)


def _reported(step: Progress, call: ServerCall, told: ToolReported) -> None:
    _come_to_end(
        step,
        call,
        told.status,
        told.output,
        code=told.code,
        cause="tool",
        perhaps_done=told.perhaps_done,
    )


def _come_to_end(
    step: Progress,
    call: ServerCall,
    status: str,
    result: str,
    *,
    code: str = "",
    cause: ResumeCause,
    perhaps_done: bool = False,
) -> None:
    """Bring a call to its end, and let go on what has waited for it, or what is to be told of it."""
    assert status in ("completed", "failed", "timed_out", "denied")
    is_error = status != "completed"
    awaited, left = call.awaited, call.left
    opened = None if awaited or left else resuming.open_for(step, cause)
    result_told = tool_walk.settle(step, call, status, result, is_error=is_error, code=code, perhaps_done=perhaps_done)
    if left:
        return
    if opened is not None or (awaited and step.state.open is not None):
        tool_walk.give(step, call, result_told)
        legs.go_on(step)
    else:
        resuming.owe(step, cause, results=(result_told,))


def _decided(step: Progress, decision: ApprovalDecided) -> None:
    call = approvals.find(step.state, decision.approval_id)
    assert call is not None, "what is not open is refused"
    approved = decision.decision == "approve"
    approvals.closed(step, call, "approved" if approved else "denied", by=decision.by)
    if call.spec.policy != "user_confirm":
        _decided_elsewhere(step, call, decision)
        return
    answer = Answer(
        interrupt_id=decision.approval_id, status="resolved", payload={"approved": approved, "by": decision.by}
    )
    asked = _taken_back(step, decision.approval_id)
    opened = None
    if asked is not None:
        opened = resuming.open_for(step, "approval")
        _answered(step, opened, "approval", asked, answer)
    if approved:
        tool_walk.moved(step, call, "approved", decided_by=decision.by, via=decision.via, reason=decision.reason)
        if opened is not None:
            legs.go_on(step)
        elif asked is None:
            # The answer that asks is still being made.
            tool_walk.execute(step, call, awaited=True)
        return
    _refuse(step, call, opened, decision.reason or f"{decision.by} did not let it run", asked=asked)


def _taken_back(step: Progress, approval_id: str) -> Interrupt | None:
    """Close the question; one that is just being said need not be said any more. `None` where it is not out yet."""
    turn = step.state.open
    if turn is not None and interrupts.being_said(turn, approval_id):
        endings.end(step, "interrupted")
    return interrupts.take_out(step.state, approval_id)


def _decided_elsewhere(step: Progress, call: ServerCall, decision: ApprovalDecided) -> None:
    """A supervisor, or a program, has decided: the agent went on meanwhile, and is told the result in the end."""
    if decision.decision == "approve":
        tool_walk.moved(step, call, "approved", decided_by=decision.by, via=decision.via, reason=decision.reason)
        tool_walk.execute(step, call, awaited=False)
    else:
        why = decision.reason or f"{decision.by} did not let it run"
        _come_to_end(step, call, "denied", why, code="denied", cause="tool")


def _refuse(step: Progress, call: ServerCall, opened: OpenTurn | None, why: str, *, asked: Interrupt | None) -> None:
    """Deny a call that the person was asked about, and tell the agent."""
    result = tool_walk.settle(step, call, "denied", why, is_error=True, code="denied")
    _tell(step, call, result, "approval", opened, asked=asked)


def _tell(
    step: Progress,
    call: ServerCall,
    result: ToolResult,
    cause: ResumeCause,
    opened: OpenTurn | None,
    *,
    asked: Interrupt | None,
) -> None:
    if opened is not None or asked is None:
        tool_walk.give(step, call, result)
        legs.go_on(step)
    else:
        resuming.owe(step, cause, results=(result,))


def _answered(step: Progress, opened: OpenTurn | None, cause: ResumeCause, asked: Interrupt, answer: Answer) -> None:
    """Note what became of one of the questions: for the run that begins, or for when the others are answered."""
    if opened is not None:
        opened.answers, opened.interrupts = (*opened.answers, answer), (*opened.interrupts, asked)
    else:
        resuming.owe(step, cause, answers=(answer,), interrupts=(asked,))


def by_answers(step: Progress, answers: tuple[Answer, ...], *, by: str) -> None:
    """Take what a turn of the person's has decided, for the answer that begins: by answers, words, or silence.

    Args:
        by: who said it.
    """
    for answer in answers:
        call = approvals.find(step.state, answer.interrupt_id)
        if call is None:
            continue
        approved = approvals.approves(answer)
        fate: Fate = "approved" if approved else "denied" if answer.status == "resolved" else "given_up"
        if fate == "given_up" and step.now_ms >= call.due_ms:
            # It is noticed now, and nobody has given it up.
            approvals.closed(step, call, "expired")
            tool_walk.give(step, call, _expire(step, call))
            continue
        approvals.closed(step, call, fate, by=by)
        if approved:
            tool_walk.moved(step, call, "approved", decided_by=by, via="user")
        else:
            why = "the person did not let it run" if fate == "denied" else "the person went on without deciding"
            result = tool_walk.settle(step, call, "denied", why, is_error=True, code=fate)
            tool_walk.give(step, call, result)


def due_ms(state: SessionState) -> int | None:
    """When the first of the calls comes to an end by itself; `None` where none does."""
    dues = [one.due_ms for one in state.tools.calls if _runs_out(one)]
    return min(dues, default=None)


def _runs_out(call: ServerCall) -> bool:
    return call.status in ("executing", "awaiting_approval", "pending_supervisor", "async_pending")


def overdue(step: Progress) -> None:
    """Bring the call to its end whose time has run out first."""
    call = min(filter(_runs_out, step.state.tools.calls), key=_due)
    if call.status == "executing":
        step.effects.append(StopTool(call_id=call.call_id))
        why = "no report of it came in time; it may have been done or not"
        _come_to_end(step, call, "timed_out", why, code="no_report", cause="tool")
        return
    approvals.closed(step, call, "expired")
    asked = None if call.approval is None else _taken_back(step, call.approval.approval_id)
    if call.spec.policy != "user_confirm":
        _come_to_end(step, call, "timed_out", _EXPIRED, code="expired", cause="expired")
        return
    opened = None
    if asked is not None:
        opened = resuming.open_for(step, "expired")
        _answered(step, opened, "expired", asked, Answer(interrupt_id=asked.interrupt_id, status="cancelled"))
    _tell(step, call, _expire(step, call), "expired", opened, asked=asked)


def _expire(step: Progress, call: ServerCall) -> ToolResult:
    return tool_walk.settle(step, call, "timed_out", _EXPIRED, is_error=True, code="expired")


def _due(call: ServerCall) -> int:
    return call.due_ms


def restarted(step: Progress) -> None:
    """The process that carried calls out is gone: what may be done twice is, of the rest the outcome is unknown."""
    for call in list(step.state.tools.calls):
        if call.status != "executing":
            continue
        if _harmless(call.spec):
            tool_walk.moved(step, call, "executing", reason="the server stopped; it is carried out again")
            tool_walk.order(step, call)
        else:
            why = "the server stopped while it was carried out: it may have been done or not, and is not done again"
            awaited, left = call.awaited, call.left
            result = tool_walk.settle(step, call, "failed", why, is_error=True, code=tool_walk.UNKNOWN_OUTCOME)
            if awaited:
                tool_walk.give(step, call, result)
            elif not left:
                # One run is told of all of them, once all have come to their end.
                resuming.owe(step, "tool", results=(result,))
    legs.go_on(step)


def _harmless(spec: ToolSpec) -> bool:
    """Whether a call may be carried out again where nobody knows whether it was."""
    return (
        spec.side_effect in ("none", "read")
        or spec.repeatable
        or (spec.idempotency.mode != "none" and spec.idempotency.safe_to_repeat)
    )


def close_all(step: Progress) -> None:
    """The session ends: nothing is decided any more, and what is being carried out is not waited for."""
    for call in list(step.state.tools.calls):
        if call.status == "executing":
            why = "the session ended while it was carried out: it may have been done or not"
            tool_walk.settle(step, call, "failed", why, is_error=True, code=tool_walk.UNKNOWN_OUTCOME)
        else:
            if call.approval is not None and call.status != "approved":
                approvals.closed(step, call, "given_up")
            tool_walk.settle(step, call, "denied", "the session ended", is_error=True, code="session_ended")
