"""Observations that were asked for: which answers are taken, and when they are given up. Source: AgentCall 0.1."""

from duologue.engine import interrupts, resuming
from duologue.engine.progress import Progress
from duologue.engine.state import SessionState
from duologue.model import limits
from duologue.model.content import Answer, NfcObservation
from duologue.model.errors import Code, Problem
from duologue.model.inputs import UserTurn


def objection(state: SessionState, said: UserTurn, now_ms: int) -> Problem | None:
    """What is wrong with a turn that answers something which the agent asked to observe."""
    name = said.interaction_id
    if name is None:
        return None
    asked = next((one for one in state.observations.open if one.interaction_id == name), None)
    if asked is None or (state.open is not None and not interrupts.being_said(state.open, name)):
        return _gone(state, name)
    if now_ms >= asked.due_ms:
        return _late(name)
    if said.observation is None:
        message = f"{name!r} asks for an observation by {asked.modality}; send one, or leave the interaction id out"
        return Problem(code=Code.BAD_MESSAGE, message=message, path="$.observation")
    if kind(said) != asked.modality:
        message = f"{name!r} asks for an observation of the kind {asked.modality}"
        return Problem(code=Code.BAD_MESSAGE, message=message, path="$.observation.kind")
    return None


def _gone(state: SessionState, name: str) -> Problem:
    if name in state.observations.expired:
        return _late(name)
    message = "nothing was asked for under this interaction id; leave it out to start a new turn"
    if name in state.closed_interrupts:
        message = f"{name[:128]!r} has already been answered or given up; leave it out to start a new turn"
    return Problem(code=Code.UNKNOWN_INTERACTION, message=message, path="$.interactionId")


def _late(name: str) -> Problem:
    message = f"the time for {name[:128]!r} is over; leave the interaction id out to start a new turn"
    return Problem(code=Code.INTERRUPT_EXPIRED, message=message, path="$.interactionId")


def kind(said: UserTurn) -> str:
    """The modality of what a turn shows."""
    return "nfc" if isinstance(said.observation, NfcObservation) else "photo"


def answer(said: UserTurn) -> tuple[Answer, ...]:
    """What a turn answers by what it shows."""
    if said.interaction_id is None:
        return ()
    return (Answer(interrupt_id=said.interaction_id, status="resolved", payload={"kind": kind(said)}),)


def due_ms(state: SessionState) -> int | None:
    """When what is asked for is given up; `None` where nothing is, or the agent cannot be told so now."""
    if not state.observations.open or len(state.interrupts) > 1 or not resuming.idle(state):
        return None
    return state.observations.open[0].due_ms


def overdue(step: Progress) -> None:
    """Give up what was waited for, and let the agent know."""
    state = step.state
    late = state.observations.open.pop()
    state.observations.expired.append(late.interaction_id)
    del state.observations.expired[: -limits.RECENT_DECISIONS]
    asked = interrupts.take_out(state, late.interaction_id)
    assert asked is not None, "what is open is asked"
    given_up = Answer(interrupt_id=late.interaction_id, status="cancelled")
    resuming.owe(step, "expired", answers=(given_up,), interrupts=(asked,))
    resuming.take_up(step)
