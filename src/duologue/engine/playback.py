"""Playback: what becomes sound, what of it is heard, and when an answer has been heard to its end."""

from duologue.engine import endings, heard, speaking
from duologue.engine.call_state import Speaking
from duologue.engine.heard import audible
from duologue.engine.progress import Progress
from duologue.engine.state import SessionState
from duologue.model.events import AnswerRevealed
from duologue.model.inputs import AnswerReleased, PlaybackEnded


def released(step: Progress, told: AnswerReleased) -> bool:
    """Take that an answer which was prepared is let out, and how much of it had waited."""
    turn = step.state.open
    voice = None if turn is None else turn.voice
    if turn is None or voice is None or turn.response.response_id != told.response_id:
        return False
    if voice.preflight != "pending" or voice.preflight_tokens is not None or voice.call_id != told.call_id:
        return False
    voice.preflight_tokens = max(0, told.tokens)
    voice.preflight = "hit" if told.tokens > 0 else "pending"
    step.emit(AnswerRevealed, call_id=told.call_id, response_id=told.response_id, tokens=voice.preflight_tokens)
    return True


def ended(step: Progress, told: PlaybackEnded) -> bool:
    """Take that all has been heard; false where more of the answer may come."""
    voice = heard.spoken_as(step, told.call_id, told.response_id)
    if voice is None or voice.whole is None:
        return False
    endings.conclude(step)
    return True


def stall_due_ms(state: SessionState) -> int | None:
    """When playback that makes no progress is given up; `None` where none is waited for."""
    voice, call = audible(state.open), state.call
    if voice is None or voice.whole is None or call is None or call.paused:
        return None
    return voice.progress_ms + call.rules.stall_ms


def stalled(step: Progress) -> None:
    """Playback makes no progress: what was heard is what was heard."""
    endings.end(step, "interrupted")


def hush(step: Progress) -> None:
    """The voice, or the call, is gone. What is still being made goes on as text; what was only played is cut short."""
    turn = step.state.open
    voice = None if turn is None else turn.voice
    if voice is None:
        return
    if voice.audible and voice.whole is not None:
        endings.end(step, "interrupted")
        return
    if voice.audible:
        silence(step, voice)
    # Also where the voice was gone before: nobody is left to say more.
    if voice.held:
        endings.ask_anew(step)


def silence(step: Progress, voice: Speaking) -> None:
    """Let the open answer be text from here on."""
    speaking.flush(step)
    voice.audible = False
