"""Answers that are given up: what becomes of their tools. Nothing that nobody let run runs, and nothing runs twice."""

from duologue.engine import approvals, history, tool_walk
from duologue.engine.progress import Progress
from duologue.engine.state import OpenResponse
from duologue.model.content import Interrupt


def leave(step: Progress, response: OpenResponse, asked: tuple[Interrupt, ...] = ()) -> None:
    """Leave the tools of an answer that ends: what is carried out is still recorded, and nothing follows from it.

    Args:
        asked: what it asks for; of the rest that waits for the person nothing runs.
    """
    kept = {one.interrupt_id for one in asked}
    for call in list(step.state.tools.calls):
        waits = call.status == "awaiting_approval" and call.response_id == response.response_id
        if call.awaited:
            call.awaited, call.left = False, True
        elif waits and call.approval is not None and call.approval.approval_id not in kept:
            approvals.closed(step, call, "given_up")
            why = "the answer was over before anybody had decided"
            tool_walk.settle(step, call, "denied", why, is_error=True, code="given_up")


def lose(step: Progress) -> None:
    """Keep for the next run what the tools of a lost one have done; what nobody let run does not run."""
    turn = step.open_turn()
    turn.earlier += history.with_tools(turn)
    for call in list(step.state.tools.calls):
        if call.response_id == turn.response.response_id and call.status == "awaiting_approval":
            approvals.closed(step, call, "given_up")
            tool_walk.settle(step, call, "failed", "the run was lost", is_error=True, code="run_lost")
