"""Deadlines: when the engine must be asked again, and what follows then."""

from typing import Final, Literal, TypeAlias, assert_never

from duologue.engine import barge_in, calls, endings, endpointing, observations, playback, tool_calls
from duologue.engine.call_state import Call
from duologue.engine.progress import Progress
from duologue.engine.state import OpenTurn, SessionState
from duologue.model.effects import StopAgent
from duologue.model.errors import RETRYABLE, Code

_Why: TypeAlias = Literal["run", "tool", "observation", "stall", "spoke", "endless", "end", "quiet", "idle"]

_NONE: Final = 2**63


def next_deadline_ms(state: SessionState) -> int | None:
    """When `DeadlinePassed` is due, ms since 1970; `None` where nothing is waited for."""
    if state.call is None and not (state.tools.calls or state.observations.open):
        return _run_due_ms(state)
    due_ms = min((due_ms for due_ms, _ in _dues(state)), default=_NONE)
    return None if due_ms == _NONE else due_ms


def _run_due_ms(state: SessionState) -> int | None:
    """When the run is taken to be stuck; `None` where none is waited for."""
    turn = state.open
    if turn is None or (turn.voice is not None and (turn.voice.held or turn.voice.whole is not None)):
        return None
    response = turn.response
    if response.waiting or any(one.within and one.awaited for one in state.tools.calls):
        # It says nothing because something else is being done.
        return response.started_ms + state.response_ms
    return min(response.last_item_ms + state.silence_ms, response.started_ms + state.response_ms)


def _dues(state: SessionState) -> list[tuple[int, _Why]]:
    """All that is waited for, and until when."""
    waits: list[tuple[int | None, _Why]] = [
        (_run_due_ms(state), "run"),
        (tool_calls.due_ms(state), "tool"),
        (observations.due_ms(state), "observation"),
        (playback.stall_due_ms(state), "stall"),
        (calls.quiet_due_ms(state), "quiet"),
        (calls.idle_due_ms(state), "idle"),
    ]
    call = state.call
    if call is not None and (utterance := call.utterance) is not None:
        waits.append((barge_in.due_ms(state, call, utterance), "spoke"))
        waits.append((utterance.began_ms + call.rules.max_turn_ms if utterance.speaking else None, "endless"))
        waits.append((endpointing.end_due_ms(call, utterance), "end"))
    return [(due_ms, why) for due_ms, why in waits if due_ms is not None]


def take(step: Progress) -> bool:
    """Do what is due, the earliest first and one thing at a time; false where nothing is."""
    due = min(_dues(step.state), default=None)
    if due is None or step.now_ms < due[0]:
        return False
    call = step.state.call
    match due[1]:
        case "run":
            _stuck(step, step.open_turn())
        case "tool":
            tool_calls.overdue(step)
        case "observation":
            observations.overdue(step)
        case why:
            assert call is not None, "only a call waits for that"
            _do(step, call, why)
    return True


def _do(step: Progress, call: Call, why: Literal["stall", "spoke", "endless", "end", "quiet", "idle"]) -> None:
    utterance = call.utterance
    match why:
        case "stall":
            playback.stalled(step)
        case "quiet":
            calls.quiet(step, call)
        case "idle":
            calls.idle(step, call)
        case "spoke" | "endless" | "end":
            assert utterance is not None, "somebody speaks"
            if why == "spoke":
                barge_in.lasted(step, call, utterance)
            elif why == "end":
                endpointing.waited(step, call, utterance)
            else:
                endpointing.pause(step, call, utterance, stopped_ms=step.now_ms, forced=True)
        case _:
            assert_never(why)


def _stuck(step: Progress, turn: OpenTurn) -> None:
    """Fail a run that is silent or endless."""
    response = turn.response
    step.effects.append(StopAgent(response_id=response.response_id))
    if step.now_ms >= response.started_ms + step.state.response_ms:
        code, limit_ms, what = Code.AGENT_TOO_LONG, step.state.response_ms, "did not finish its answer within"
    else:
        code, limit_ms, what = Code.AGENT_SILENT, step.state.silence_ms, "said nothing for"
    message = f"the agent {what} {limit_ms / 1000:g} s"
    endings.fail(step, code=code, message=message, retryable=code in RETRYABLE)
