"""Sessions: how they begin, what is declared of them, how they end, and how they go on after a restart."""

from duologue.engine import calls, endings, handoff, legs, tool_calls
from duologue.engine.progress import Progress
from duologue.model import limits
from duologue.model.effects import HangUp
from duologue.model.errors import Code
from duologue.model.events import CapabilitiesChanged, SessionEnded, SessionStarted
from duologue.model.inputs import CapabilitiesDeclared, SessionOpened


def begin(progress: Progress, opened: SessionOpened) -> None:
    """Begin a session."""
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


def declare(progress: Progress, declared: CapabilitiesDeclared) -> bool:
    """Take what the person can be asked to show. False where nothing was changed."""
    state = progress.state
    if state.ended or set(declared.modalities) == set(state.modalities):
        return False
    state.modalities = declared.modalities
    progress.emit(CapabilitiesChanged, modalities=declared.modalities)
    return True


def end(progress: Progress, reason: str) -> bool:
    """End the session, with all that is going on in it. False where nothing was changed."""
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


def restart(progress: Progress) -> bool:
    """Go on after the process is gone that held the session. False where nothing was changed."""
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
