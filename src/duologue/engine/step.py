"""The engine: one input in, events and effects out.

`step` changes the state that it is given and nothing else. It reads no clock and makes no random choice: the
same inputs at the same times give the same events for ever. An input that gives no event has changed nothing.
"""

from typing import TypeAlias

from duologue.engine import (
    calls,
    condition,
    deadlines,
    explicit_turns,
    handoff,
    lifecycle,
    listening,
    memory,
    responses,
    resuming,
    routing,
    signals,
    tool_calls,
    triggers,
    turns,
)
from duologue.engine.progress import Progress
from duologue.engine.state import SessionState
from duologue.model.base import Value
from duologue.model.effects import Effect
from duologue.model.errors import Code, Problem
from duologue.model.events import AnyEvent
from duologue.model.inputs import (
    AgentAsked,
    AgentCalled,
    AgentCancelled,
    AgentCited,
    AgentFailed,
    AgentFinished,
    AgentHandedOff,
    AgentNoted,
    AgentRequested,
    AgentReturned,
    AgentShowed,
    AgentSpoke,
    AgentSuggested,
    AnswerReleased,
    AnyInput,
    ApprovalDecided,
    AudioTurnCancelled,
    AudioTurnCommitted,
    AudioTurnStarted,
    CallEnded,
    CallStarted,
    CancelRequested,
    CapabilitiesDeclared,
    ComplexityJudged,
    ConditionChanged,
    DeadlinePassed,
    EndJudged,
    EndRequested,
    HandoffInput,
    HistoryDropped,
    MemoriesRecalled,
    MemoryForgotten,
    MemoryInput,
    MemoryKept,
    ObservationAsked,
    PlaybackEnded,
    Played,
    ServerRestarted,
    SessionOpened,
    SignalsEstimated,
    SpeechFailed,
    SpeechMade,
    SpeechStarted,
    SpeechStopped,
    ToolInput,
    ToolReported,
    TranscriptHeard,
    UpgradeAsked,
    UserTurn,
    VoiceTriggered,
)
from duologue.model.replies import Accepted, Ignored, Rejected, Reply


class Stepped(Value, kw_only=True):
    """What one input led to.

    Attributes:
        events: to be stored, then shown, in order; empty where nothing changed.
        effects: to be carried out once the events are stored, in order.
        reply: for the one who gave the input.
    """

    events: tuple[AnyEvent, ...]
    effects: tuple[Effect, ...]
    reply: Reply


def step(state: SessionState, happened: AnyInput, *, now_ms: int) -> Stepped:
    """Take one input.

    Args:
        state: changed in place; a fresh `SessionState()` takes a `SessionOpened` first.
        happened: the input.
        now_ms: ms since 1970. A time before the session's last counts as the last.
    """
    now_ms = now_ms if now_ms > state.at_ms else state.at_ms
    if isinstance(happened, AgentSpoke):
        delta = responses.go_on(state, happened.response_id, happened.text, now_ms=now_ms)
        if delta is not None:
            return Stepped(events=(delta,), effects=(), reply=Accepted(turn=delta.turn, seq=delta.seq))
    progress = Progress(state, now_ms=now_ms)
    reply = _take(progress, happened)
    if progress.events:
        if state.due:
            resuming.take_up(progress)
        state.at_ms = progress.now_ms
        if state.call is not None:
            # Whoever is not answered is listened to.
            listening.resume(progress)
            listening.note_activity(progress)
    return Stepped(events=tuple(progress.events), effects=tuple(progress.effects), reply=reply)


def _take(progress: Progress, happened: AnyInput) -> Reply:
    match happened:
        case UserTurn():
            return turns.take(progress, happened)
        case AgentSpoke() | AgentCited() | AgentSuggested() | AgentShowed() | AgentNoted():
            changed = responses.take(progress, happened)
        case AgentCalled() | AgentReturned() | AgentRequested():
            changed = responses.take(progress, happened)
        case AgentFinished() | AgentFailed() | AgentAsked() | AgentCancelled():
            changed = responses.take(progress, happened)
        case ObservationAsked() | AgentHandedOff() | UpgradeAsked():
            changed = responses.take(progress, happened)
        case TranscriptHeard() | SpeechStarted() | SpeechStopped() | EndJudged():
            changed = calls.take(progress, happened)
        case SpeechMade() | Played() | PlaybackEnded() | SpeechFailed() | AnswerReleased():
            changed = calls.take(progress, happened)
        case DeadlinePassed():
            changed = deadlines.take(progress)
        case CancelRequested(response_id=response_id):
            return triggers.cancel(progress, response_id)
        case VoiceTriggered():
            return _alive(progress.state) or triggers.take(progress, happened)
        case CallStarted() | CallEnded():
            refused = _alive(progress.state)
            if refused is not None:
                return refused
            changed = calls.take(progress, happened)
        case AudioTurnStarted() | AudioTurnCommitted() | AudioTurnCancelled():
            return _alive(progress.state) or explicit_turns.take(progress, happened)
        case EndRequested(reason=reason):
            changed = lifecycle.end(progress, reason)
        case ServerRestarted():
            changed = lifecycle.restart(progress)
        case CapabilitiesDeclared():
            changed = lifecycle.declare(progress, happened)
        case SessionOpened():
            lifecycle.begin(progress, happened)
            changed = True
        case HistoryDropped():
            changed = False
        case _:
            return _act(progress, happened)
    return Accepted(turn=0, seq=progress.events[0].seq) if changed else Ignored()


_Acted: TypeAlias = ToolInput | HandoffInput | SignalsEstimated | MemoryInput | ComplexityJudged | ConditionChanged


def _act(progress: Progress, happened: _Acted) -> Reply:
    """Take what happens beside the answers."""
    match happened:
        case ToolReported() | ApprovalDecided():
            return tool_calls.take(progress, happened)
        case SignalsEstimated():
            return signals.take(progress, happened)
        case MemoriesRecalled() | MemoryKept() | MemoryForgotten():
            return memory.take(progress, happened)
        case ComplexityJudged():
            return routing.take(progress, happened)
        case ConditionChanged():
            return condition.take(progress, happened)
        case _:
            return handoff.take(progress, happened)


def _alive(state: SessionState) -> Rejected | None:
    if not state.ended:
        return None
    return Rejected(problem=Problem(code=Code.SESSION_ENDED, message="the session has ended; open a new one"))
