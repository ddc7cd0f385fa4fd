"""Deadlines: when the engine must be asked again, and what follows then."""

from duologue.engine import responses
from duologue.engine.progress import Progress
from duologue.engine.state import SessionState
from duologue.model.effects import StopAgent
from duologue.model.errors import RETRYABLE, Code


def next_deadline_ms(state: SessionState) -> int | None:
    """When `DeadlinePassed` is due, ms since 1970; `None` where nothing is waited for."""
    if state.open is None:
        return None
    response = state.open.response
    return min(response.last_item_ms + state.silence_ms, response.started_ms + state.response_ms)


def take(step: Progress) -> bool:
    """Fail a run that is silent or endless; false where no deadline has passed."""
    due_ms = next_deadline_ms(step.state)
    if due_ms is None or step.now_ms < due_ms:
        return False
    response = step.open_turn().response
    step.effects.append(StopAgent(response_id=response.response_id))
    if step.now_ms >= response.started_ms + step.state.response_ms:
        code, limit_ms, what = Code.AGENT_TOO_LONG, step.state.response_ms, "did not finish its answer within"
    else:
        code, limit_ms, what = Code.AGENT_SILENT, step.state.silence_ms, "said nothing for"
    message = f"the agent {what} {limit_ms / 1000:g} s"
    responses.fail(step, code=code, message=message, retryable=code in RETRYABLE)
    return True
