"""Handoffs: how each walks from step to step, and how that is told."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from duologue.engine.handoff_state import Handoff
from duologue.engine.progress import Progress
from duologue.engine.state import SessionState
from duologue.engine.waits import wait_text
from duologue.model import limits
from duologue.model.effects import CloseHandoff, PlaceHandoff
from duologue.model.errors import Code, Problem
from duologue.model.events import HandoffMoved
from duologue.model.handoff import HandOff, HandoffCause, HandoffStatus, TransferType

WALK: Final[Mapping[HandoffStatus | None, frozenset[HandoffStatus]]] = MappingProxyType(
    {
        None: frozenset({"requested"}),
        "requested": frozenset({"queued", "connecting", "connected", "transferred", "cancelled", "failed"}),
        "queued": frozenset({"queued", "connecting", "connected", "cancelled", "failed"}),
        "connecting": frozenset({"queued", "connected", "cancelled", "failed"}),
        "connected": frozenset({"on_hold", "transferred", "resolved", "cancelled"}),
        "on_hold": frozenset({"connected", "transferred", "resolved", "cancelled"}),
        "transferred": frozenset(),
        "resolved": frozenset(),
        "cancelled": frozenset(),
        "failed": frozenset(),
    }
)
"""From each status, those that may follow. `queued` follows itself with another place; the last four are ends.

`requested` is `transferred` at once where another agent goes on; `connecting` is `queued` again where nobody came.
"""

WAITING: Final[frozenset[HandoffStatus]] = frozenset({"requested", "queued", "connecting"})
HELD: Final[frozenset[HandoffStatus]] = frozenset({"connected", "on_hold"})


def begin(
    step: Progress, asked: HandOff, *, cause: HandoffCause, by: str, transfer: TransferType | None = None
) -> Handoff:
    """Begin a handoff; the caller puts it where it belongs, before anything else is told."""
    state = step.state
    desk = state.handoff
    desk.number, desk.turn = desk.number + 1, state.last_turn
    return Handoff(
        handoff_id=f"{state.session_id}~{desk.number}",
        asked=asked if transfer is None else _as(asked, transfer),
        cause=cause,
        by=by,
        requested_ms=step.now_ms,
        turn=state.last_turn,
        skills=asked.skills,
        priority=asked.priority,
    )


def _as(asked: HandOff, transfer: TransferType) -> HandOff:
    return HandOff(
        reason=asked.reason,
        transfer=transfer,
        target=asked.target,
        skills=asked.skills,
        priority=asked.priority,
        summary=asked.summary,
    )


def ask(step: Progress, handoff: Handoff) -> None:
    """Tell that it was asked for, and have the desk place it."""
    tell(step, handoff, reason=handoff.asked.reason)
    step.effects.append(PlaceHandoff(handoff_id=handoff.handoff_id, asked=handoff.asked, agent=agent_of(step.state)))


# Any: the fields of `HandoffMoved`.
def move(step: Progress, handoff: Handoff, status: HandoffStatus, *, reason: str = "", **fields: Any) -> None:
    """Take a step, tell it, and where it is the last one let go of the handoff."""
    assert status in WALK[handoff.status], f"{handoff.status} is not followed by {status}"
    handoff.status = status
    if status != "queued":
        handoff.position, handoff.wait_ms = 0, None
    over = not WALK[status]
    if over:
        step.state.handoff.drop(handoff)
    tell(step, handoff, reason=reason, **fields)
    if over or status in ("connecting", "connected"):
        step.effects.append(CloseHandoff(handoff_id=handoff.handoff_id, status=status))


# Any: the fields of `HandoffMoved`.
def tell(step: Progress, handoff: Handoff, *, reason: str = "", **fields: Any) -> None:
    """Tell how a handoff stands."""
    state = step.state
    step.emit(
        HandoffMoved,
        response_id=response_of(state),
        handoff_id=handoff.handoff_id,
        status=handoff.status,
        transfer=handoff.asked.transfer,
        reason=reason or handoff.asked.reason,
        target=handoff.target or handoff.asked.target,
        position=handoff.position,
        wait_ms=handoff.wait_ms,
        wait_text=wait_text(handoff.wait_ms, state.language),
        operator=handoff.operator,
        bundle_id=handoff.bundle_id,
        route=handoff.route,
        path=path_of(state),
        voice=None if state.call is None else {"callId": state.call.call_id, "continues": True},
        cause=handoff.cause,
        skills=handoff.skills,
        priority=handoff.priority,
        only=handoff.only,
        **fields,
    )


def response_of(state: SessionState) -> str:
    """The response that is open, or the last one; empty where there was none."""
    if state.open is not None:
        return state.open.response.response_id
    return f"response-{state.responses}" if state.responses else ""


def agent_of(state: SessionState) -> str:
    """The name of the agent that has the conversation, or has it again once no person does."""
    return state.agent_name or state.agent


def path_of(state: SessionState) -> tuple[str, ...]:
    """The agents that had the conversation so far, in order."""
    return state.handoff.path or (state.agent,)


def wrong_state(message: str) -> Problem:
    """A refusal of what does not fit how the handoff stands."""
    return Problem(code=Code.HANDOFF_STATE, message=message)


def unknown(handoff_id: str) -> Problem:
    """A refusal of a handoff that is not there, or is over."""
    return Problem(code=Code.HANDOFF_UNKNOWN, message=f"no handoff {handoff_id[:300]!r} is open")


def unfit(asked: HandOff) -> Problem | None:
    """What is wrong with what is asked for; `None` where nothing is."""
    long = max(len(asked.reason), len(asked.summary), len(asked.target))
    if long > limits.HANDOFF_REASON_CHARS:
        return Problem(
            code=Code.TOO_LARGE,
            message=f"reason, summary and target have at most {limits.HANDOFF_REASON_CHARS} characters each",
            path="$.reason",
            limit=limits.HANDOFF_REASON_CHARS,
        )
    if len(asked.skills) > limits.HANDOFF_SKILLS:
        return Problem(
            code=Code.TOO_LARGE,
            message=f"at most {limits.HANDOFF_SKILLS} skills are asked for",
            path="$.skills",
            limit=limits.HANDOFF_SKILLS,
        )
    if abs(asked.priority) > limits.HANDOFF_PRIORITY:
        return Problem(
            code=Code.BAD_MESSAGE,
            message=f"priorities go from -{limits.HANDOFF_PRIORITY} to {limits.HANDOFF_PRIORITY}",
            path="$.priority",
            limit=limits.HANDOFF_PRIORITY,
        )
    return None
