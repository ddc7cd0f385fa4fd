"""Condition: how much of the machine there is, as a session is told it; `policies` says what is off in each state."""

from duologue.engine.policies import POLICIES, Policy
from duologue.engine.progress import Progress
from duologue.engine.state import SessionState
from duologue.model.content import Tier
from duologue.model.events import AgentDegraded
from duologue.model.inputs import ConditionChanged
from duologue.model.replies import Accepted, Ignored, Reply


def policy(state: SessionState) -> Policy:
    """What may be done in a session now."""
    return POLICIES[state.condition.state]


def loaded(state: SessionState) -> tuple[Tier, ...]:
    """The tiers whose models are loaded, as far as it was told; else all that have an agent."""
    told = state.condition.loaded
    return (state.routing.rules.tiers or (state.tier,)) if told is None else told


def take(step: Progress, happened: ConditionChanged) -> Reply:
    """Take a change; what was told before, or in a session that has ended, changes nothing."""
    state = step.state
    known = state.condition
    if state.ended or (known.state, loaded(state)) == (happened.condition, happened.tiers):
        return Ignored()
    previous = known.state
    known.state, known.loaded = happened.condition, happened.tiers
    step.emit(
        AgentDegraded,
        condition=happened.condition,
        reason=happened.reason,
        previous=previous,
        readings=happened.readings,
        tiers=happened.tiers,
    )
    return Accepted(turn=0, seq=state.seq)
