"""Explicit audio turns: the client says when a turn begins and when it is complete. Source: AgentCall 0.1.

Starting one discards what was not committed, and interrupts an answer. Committing it ends it at once, without a wait
for more. Cancelling it leaves the conversation where it was. Voice activity means nothing.
"""

from duologue.engine import barge_in, endings, endpointing, heard, listening
from duologue.engine.call_state import Call, Utterance
from duologue.engine.progress import Progress
from duologue.engine.state import SessionState
from duologue.model import limits
from duologue.model.effects import DropTranscript
from duologue.model.errors import Code, Problem
from duologue.model.events import ListeningBegan
from duologue.model.inputs import AudioTurnCancelled, AudioTurnCommitted, AudioTurnInput, AudioTurnStarted
from duologue.model.replies import Accepted, Ignored, Rejected, Repeated, Reply


def take(step: Progress, told: AudioTurnInput) -> Reply:
    """Take what a client says of its audio turns; a turn that was answered already is not taken twice."""
    state, call = step.state, step.state.call
    known = next((mark for mark in reversed(state.marks) if mark.number == told.turn), None)
    if known is not None and not isinstance(told, AudioTurnCancelled):
        return Repeated(turn=known.number, seq=known.seq)
    if call is None or call.rules.mode != "explicit":
        return _refused(Code.NO_AUDIO, "no call is on whose turns a client starts and commits")
    match told:
        case AudioTurnStarted():
            return _start(step, call, told.turn)
        case AudioTurnCommitted() | AudioTurnCancelled():
            utterance = call.utterance
            if utterance is None or utterance.audio_turn != told.turn:
                message = (
                    f"audio turn {told.turn} was not started, or is over; start one (next turn: {state.last_turn + 1})"
                )
                return _refused(Code.TURN_CONFLICT, message, turn=told.turn)
            if isinstance(told, AudioTurnCommitted):
                return _commit(step, call, utterance)
            return _cancel(step)


def _refused(code: Code, message: str, *, turn: int | None = None) -> Rejected:
    return Rejected(problem=Problem(code=code, message=message, turn=turn))


def _start(step: Progress, call: Call, turn: int) -> Reply:
    if (refused := _objection(step.state, turn)) is not None:
        return refused
    listening.discard(step, "cancelled")
    _interrupt(step, call)
    if step.state.state != "listening":
        if step.state.state != "idle":
            step.move("cancel")
        step.move("user_activates_mic")
    call.utterance = Utterance(
        began_ms=step.now_ms,
        first_segment=call.segments + 1,
        last_segment=call.segments,
        spoke_ms=step.now_ms,
        audio_turn=turn,
    )
    step.effects.append(DropTranscript(call_id=call.call_id))
    step.emit(ListeningBegan, call_id=call.call_id, audio_turn=turn)
    return Accepted(turn=turn, seq=step.events[0].seq)


def _interrupt(step: Progress, call: Call) -> None:
    """Who opens an audio turn wants to talk, and not to listen."""
    if step.state.open is None:
        return
    if step.state.state == "speaking" and heard.audible(step.state.open) is not None:
        barge_in.accept(step, call)
    else:
        endings.end(step, "interrupted")


def _objection(state: SessionState, turn: int) -> Rejected | None:
    if not 1 <= turn <= limits.TURN_NUMBER_MAX:
        message = f"turn numbers go from 1 to {limits.TURN_NUMBER_MAX}"
        return _refused(Code.BAD_MESSAGE, message, turn=turn)
    if turn <= state.last_turn:
        next_turn = state.last_turn + 1
        message = f"turn {turn} is not above the last one, {state.last_turn}; the next is {next_turn}"
        return _refused(Code.TURN_STALE, message, turn=turn)
    return None


def _commit(step: Progress, call: Call, utterance: Utterance) -> Reply:
    if not utterance.speaking:
        return Ignored()
    endpointing.pause(step, call, utterance, stopped_ms=step.now_ms)
    return Accepted(turn=utterance.audio_turn, seq=step.events[0].seq)


def _cancel(step: Progress) -> Reply:
    utterance = listening.forget(step)
    assert utterance is not None, "the turn is open"
    step.move("cancel")
    listening.tell_nothing(step, "cancelled", utterance)
    return Accepted(turn=utterance.audio_turn, seq=step.events[0].seq)
