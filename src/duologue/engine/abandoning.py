"""Answers that are given up: what becomes of their tools. Nothing that nobody let run runs, and nothing runs twice."""

from duologue.engine import approvals, history, interrupts, tool_walk
from duologue.engine.progress import Progress
from duologue.engine.state import OpenResponse
from duologue.model.content import Interrupt


def leave(
    step: Progress, response: OpenResponse, asked: tuple[Interrupt, ...] = (), void: tuple[Interrupt, ...] = ()
) -> None:
    """Leave the tools of an answer that ends: what is carried out is still recorded, and nothing follows from it.

    Args:
        asked: what it asks for; of the rest that waits for the person nothing runs.
        void: what it was asking and asks no more, also of an answer before it that it asked about once more.
    """
    kept, gone = {one.interrupt_id for one in asked}, {one.interrupt_id for one in void}
    for call in list(step.state.tools.calls):
        name = "" if call.approval is None else call.approval.approval_id
        own = call.response_id == response.response_id or name in gone
        if call.awaited:
            call.awaited, call.left = False, True
        elif call.status == "awaiting_approval" and own and name not in kept:
            interrupts.take_out(step.state, name)
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
