"""Calls: how one begins and ends. There is one at most; a newer one takes over."""

from typing import assert_never

from duologue.engine.progress import Progress
from duologue.engine.state import Call
from duologue.model.effects import HangUp
from duologue.model.events import CallBegan, CallFinished, ListeningBegan
from duologue.model.inputs import (
    AnswerReleased,
    CallEnded,
    CallInput,
    CallStarted,
    EndJudged,
    PlaybackEnded,
    Played,
    SpeechFailed,
    SpeechMade,
    SpeechStarted,
    SpeechStopped,
    TranscriptHeard,
)


def take(step: Progress, happened: CallInput) -> bool:
    """Take what a call tells; false where nothing was changed."""
    match happened:
        case CallStarted():
            return _begin(step, happened)
        case CallEnded():
            return _finish(step, happened)
        case SpeechStarted() | SpeechStopped() | TranscriptHeard() | EndJudged():
            return False
        case SpeechMade() | Played() | PlaybackEnded() | SpeechFailed() | AnswerReleased():
            return False
        case _:
            assert_never(happened)


def _begin(step: Progress, started: CallStarted) -> bool:
    state = step.state
    if state.call is not None and state.call.call_id == started.call_id:
        return False
    if state.call is not None:
        step.effects.append(HangUp(call_id=state.call.call_id, reason="taken_over"))
        over(step, reason="taken_over")
    state.call = Call(call_id=started.call_id, rules=started.rules)
    step.emit(CallBegan, call_id=started.call_id, mode=started.rules.mode)
    if state.state == "idle" and started.rules.mode == "open":
        step.move("user_activates_mic")
        step.emit(ListeningBegan, call_id=started.call_id)
    return True


def _finish(step: Progress, ended: CallEnded) -> bool:
    if step.state.call is None or step.state.call.call_id != ended.call_id:
        return False
    over(step, reason=ended.reason)
    return True


def over(step: Progress, *, reason: str) -> None:
    """Let go of the call that is on."""
    state = step.state
    assert state.call is not None, "no call is on"
    call_id, state.call = state.call.call_id, None
    if state.open is None and state.state != "idle":
        step.move("cancel")
    step.emit(CallFinished, call_id=call_id, reason=reason)
