"""Voice triggers of a client that listens, recognises or plays by itself."""

from typing import get_args

from duologue.engine import barge_in, endings, heard, listening, machine
from duologue.engine.progress import Progress
from duologue.model.errors import Code, Problem
from duologue.model.events import StateChanged
from duologue.model.inputs import Trigger, VoiceTriggered
from duologue.model.replies import Accepted, Ignored, Rejected, Reply

_OURS: frozenset[Trigger] = frozenset({"user_sends_text", "stt_complete", "first_token"})
"""Triggers that come with a turn or from the run; none of them can be pulled alone."""

_PLAYED: frozenset[Trigger] = frozenset({"tts_complete", "auto_resume"})
"""Triggers that say that all was played; none of them is true before the answer is whole."""


_HEARD: frozenset[Trigger] = frozenset(get_args(Trigger)) - {"barge_in", "cancel"}
"""Triggers that a call pulls itself, by what it hears and plays."""


def take(step: Progress, pulled: VoiceTriggered) -> Reply:
    """Move the machine where the table allows it; elsewhere change nothing and say what is allowed."""
    state, trigger = step.state, pulled.trigger
    previous = state.state
    running = state.open is not None
    refused = _OURS | _PLAYED if running else _OURS
    if state.call is not None:
        # In explicit turns, who wants to talk opens one.
        refused = _HEARD if state.call.rules.mode == "open" else _HEARD | {"barge_in"}
    allowed = [name for name in machine.legal(previous) if name not in refused]
    if trigger not in allowed:
        why = "while the answer is being made" if running else f"in state {previous}"
        why = why if state.call is None else f"in a call, in state {previous}"
        return Rejected(
            problem=Problem(
                code=Code.ILLEGAL_TRIGGER,
                message=f"{trigger} is not possible {why}; possible here: {', '.join(allowed)}",
            )
        )
    if trigger == "cancel":
        return cancel(step, None)
    if trigger == "barge_in" and state.call is not None and heard.audible(state.open) is not None:
        barge_in.accept(step, state.call)
        listening.announce(step)
        return Accepted(turn=0, seq=step.events[0].seq)
    if running:
        endings.end(step, "interrupted" if trigger == "barge_in" else "cancelled", trigger=trigger)
    else:
        step.move(trigger)
    step.emit(StateChanged, trigger=trigger, previous=previous)
    return Accepted(turn=0, seq=step.events[0].seq)


def cancel(step: Progress, response_id: str | None) -> Reply:
    """Stop what is going on: the answer, or else listening, playing and the error state."""
    state = step.state
    turn = state.open
    if turn is not None:
        if response_id not in (None, turn.response.response_id):
            return Ignored()
        listening.discard(step, "cancelled")
        endings.end(step, "cancelled")
        return Accepted(turn=turn.number, seq=step.events[0].seq)
    if response_id is not None or state.state == "idle":
        return Ignored()
    if state.call is not None and state.call.utterance is None and state.state == "listening":
        # It listens, and nobody says anything: there is nothing to stop.
        return Ignored()
    listening.discard(step, "cancelled")
    previous = state.state
    step.move("cancel")
    step.emit(StateChanged, trigger="cancel", previous=previous)
    return Accepted(turn=0, seq=step.events[0].seq)
