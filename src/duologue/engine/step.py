"""The engine: one input in, events and effects out.

`step` changes the state that it is given and nothing else. It reads no clock and makes no random choice: the
same inputs at the same times give the same events for ever. An input that gives no event has changed nothing.
"""

from typing import TypeAlias

from duologue.engine import (
    calls,
    condition,
    deadlines,
    endings,
    explicit_turns,
    handoff,
    legs,
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
from duologue.model import limits
from duologue.model.base import Value
from duologue.model.effects import Effect, HangUp
from duologue.model.errors import Code, Problem
from duologue.model.events import AnyEvent, CapabilitiesChanged, SessionEnded, SessionStarted
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
            changed = _end(progress, reason)
        case ServerRestarted():
            changed = _restart(progress)
        case CapabilitiesDeclared():
            changed = _declare(progress, happened)
        case SessionOpened():
            changed = _open(progress, happened)
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


def _open(progress: Progress, opened: SessionOpened) -> bool:
    state = progress.state
    assert state.seq == 0, "a session is opened once"
    state.session_id = opened.session_id
    state.subject = opened.subject
    state.agent = opened.agent
    state.tier = opened.tier
    state.routing.rules = opened.routing
    state.condition.state = opened.condition
    state.condition.loaded = opened.loaded or None
    state.language = opened.language
    state.silence_ms = opened.silence_ms
    state.response_ms = opened.response_ms
    state.opened_ms = opened.opened_ms
    progress.emit(
        SessionStarted,
        session_id=opened.session_id,
        agent=opened.agent,
        tier=opened.tier,
        language=opened.language,
        tiers=opened.loaded or (opened.tier,),
        memory_items=opened.memory_items,
        condition=opened.condition,
    )
    return True


def _declare(progress: Progress, declared: CapabilitiesDeclared) -> bool:
    state = progress.state
    if state.ended or set(declared.modalities) == set(state.modalities):
        return False
    state.modalities = declared.modalities
    progress.emit(CapabilitiesChanged, modalities=declared.modalities)
    return True


def _end(progress: Progress, reason: str) -> bool:
    state = progress.state
    if state.ended:
        return False
    answering = state.open is not None
    if answering:
        endings.end(progress, "cancelled")
    tool_calls.close_all(progress)
    if not answering and state.state != "idle":
        progress.move("cancel")
    if state.call is not None:
        progress.effects.append(HangUp(call_id=state.call.call_id, reason="session_ended"))
        calls.over(progress, reason="session_ended")
    handoff.end(progress)
    state.ended = True
    state.interrupts, state.calls, state.due = [], [], []
    state.observations.open = []
    progress.emit(SessionEnded, reason=reason)
    return True


def _restart(progress: Progress) -> bool:
    turn = progress.state.open
    waited = turn is None or turn.response.waiting
    held = turn is not None and turn.voice is not None and turn.voice.held
    if held:
        # What it is asked anew is to have what became of its tools.
        tool_calls.restarted(progress)
    if progress.state.call is not None:
        calls.over(progress, reason="server_restarted")
    if not held:
        tool_calls.restarted(progress)
    turn = progress.state.open
    # A turn that waited for more to be said is asked anew by now, and nothing of it is lost.
    if turn is None or held or waited:
        return bool(progress.events)
    if not turn.response.repeatable:
        endings.fail(
            progress,
            code=Code.RUN_LOST,
            message="the server stopped when the agent may have run a tool that must not run twice",
            retryable=False,
        )
    elif turn.losses + 1 < limits.RUN_ATTEMPTS:
        endings.run_again(
            progress,
            code=Code.RUN_LOST,
            message="the server stopped while the answer was being made; it is being made again",
        )
        legs.go_on(progress)
    else:
        endings.fail(
            progress,
            code=Code.RUN_LOST,
            message=f"the server stopped {limits.RUN_ATTEMPTS} times while the answer was being made",
            retryable=True,
        )
    return True
