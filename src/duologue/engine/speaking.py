"""The assistant's own voice: begin, fall silent, go on, and be cut off."""

from duologue.engine.heard import audible
from duologue.engine.progress import Progress
from duologue.model.effects import FlushSpeech, PauseSpeech, ResumeSpeech, StartSpeaking
from duologue.model.events import SpeakingPaused, SpeakingResumed


def start(step: Progress) -> None:
    """Let the open response be spoken as it comes, where a call is on."""
    turn = step.open_turn()
    if (voice := audible(turn)) is not None:
        step.effects.append(StartSpeaking(call_id=voice.call_id, response_id=turn.response.response_id))


def flush(step: Progress) -> None:
    """Let nothing more of the open response be heard."""
    turn = step.open_turn()
    voice = audible(turn)
    if voice is None or voice.held:
        return
    step.effects.append(FlushSpeech(call_id=voice.call_id, response_id=turn.response.response_id))
    if step.state.call is not None:
        step.state.call.paused = False


def give_way(step: Progress) -> None:
    """Fall silent where somebody speaks over the open response, until it is known for how long; or go on."""
    call = step.state.call
    if call is None or call.utterance is None or not call.utterance.speaking:
        return
    if call.rules.barge_in and call.rules.short_speech == "pause":
        pause(step)


def pause(step: Progress) -> None:
    """Fall silent within the open response, where it is not silent already."""
    turn, call = step.open_turn(), step.state.call
    voice = audible(turn)
    if voice is None or call is None or call.paused:
        return
    call.paused = True
    response_id = turn.response.response_id
    step.emit(SpeakingPaused, call_id=voice.call_id, response_id=response_id)
    step.effects.append(PauseSpeech(call_id=voice.call_id, response_id=response_id))


def resume(step: Progress) -> None:
    """Go on within the open response, where it has fallen silent."""
    turn, call = step.open_turn(), step.state.call
    voice = audible(turn)
    if voice is None or call is None or not call.paused:
        return
    call.paused = False
    # Standing still was no stall.
    voice.progress_ms = step.now_ms
    response_id = turn.response.response_id
    step.emit(SpeakingResumed, call_id=voice.call_id, response_id=response_id)
    step.effects.append(ResumeSpeech(call_id=voice.call_id, response_id=response_id))
