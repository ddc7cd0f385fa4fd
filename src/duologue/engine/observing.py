"""Observing: the agent asks the person to show something, a tag or a photo. Source: AgentCall 0.1."""

from datetime import UTC, datetime

from duologue.engine.observations_state import Asked
from duologue.engine.progress import Progress
from duologue.engine.state import SessionState
from duologue.model import limits
from duologue.model.content import Interrupt
from duologue.model.inputs import ObservationAsked
from duologue.model.observations import REASON


def unfit(state: SessionState, item: ObservationAsked) -> str | None:
    """What is wrong with what a run asks for; `None` where it can be asked."""
    if item.modality not in state.modalities:
        return f"a request to observe by {item.modality}, which the client did not say that it can"
    if not 0 < item.wait_ms <= limits.OBSERVATION_WAIT_MS:
        return (
            f"a request to observe that waits {item.wait_ms} ms; at most {limits.OBSERVATION_WAIT_MS}, and at least 1"
        )
    return None


def ask(step: Progress, item: ObservationAsked) -> Interrupt:
    """Ask the person for something, by what the answer waits for from now on."""
    observations = step.state.observations
    observations.count += 1
    due_ms = step.now_ms + item.wait_ms
    name = f"interaction-{observations.count}"
    observations.open.append(Asked(interaction_id=name, modality=item.modality, due_ms=due_ms))
    return Interrupt(
        interrupt_id=name,
        reason=REASON,
        message=item.prompt,
        expires_at=datetime.fromtimestamp(due_ms / 1000, UTC).isoformat(timespec="milliseconds"),
        metadata={"modality": item.modality, "interactionId": name},
    )
