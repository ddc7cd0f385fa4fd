"""Listening: what an open call does while nothing is answered, and how what is being said is given up."""

from duologue.engine.call_state import Call, Utterance
from duologue.engine.progress import Progress
from duologue.model.effects import DropAnswer, DropTranscript
from duologue.model.events import ListeningBegan, NobodySpoke, NothingHeard
from duologue.model.voice_events import WhyNothing


def resume(step: Progress) -> None:
    """Let an open call listen, where nothing is being answered."""
    state, call = step.state, step.state.call
    if (
        call is None
        or call.rules.mode != "open"
        or state.open is not None
        or state.state in ("listening", "transcribing")
    ):
        return
    if state.state != "idle":
        step.move("cancel")
    step.move("user_activates_mic")
    step.emit(ListeningBegan, call_id=call.call_id)


def announce(step: Progress) -> None:
    """Tell that the person may speak, where they may and do not already."""
    state, call = step.state, step.state.call
    if call is not None and call.utterance is None and state.state == "listening":
        step.emit(ListeningBegan, call_id=call.call_id)


def note_activity(step: Progress) -> None:
    """Note when something last happened in the call; that nobody speaks is not something."""
    call = step.state.call
    if call is None or not step.events or isinstance(step.events[0], NobodySpoke):
        return
    call.active_ms, call.quiet_times = step.now_ms, 0


def drop_early(step: Progress, call: Call, utterance: Utterance) -> None:
    """Throw away what was prepared."""
    if utterance.early is not None:
        step.effects.append(DropAnswer(call_id=call.call_id, response_id=utterance.early.response_id))
        utterance.early, utterance.missed = None, True


def forget(step: Progress) -> Utterance | None:
    """Forget what is being said; what is still said or recognised of it means nothing."""
    call = step.state.call
    if call is None or call.utterance is None:
        return None
    utterance, call.utterance = call.utterance, None
    call.settled = call.segments
    call.deaf = utterance.speaking and not utterance.audio_turn
    drop_early(step, call, utterance)
    step.effects.append(DropTranscript(call_id=call.call_id))
    return utterance


def discard(step: Progress, why: WhyNothing) -> bool:
    """Forget what is being said, and tell of it; false where nothing is."""
    utterance = forget(step)
    if utterance is None:
        return False
    tell_nothing(step, why, utterance)
    return True


def tell_nothing(step: Progress, why: WhyNothing, utterance: Utterance) -> None:
    """Tell that what was said became no turn."""
    call = step.state.call
    assert call is not None, "somebody spoke in a call"
    step.emit(NothingHeard, call_id=call.call_id, why=why, audio_turn=utterance.audio_turn)


def close(step: Progress) -> None:
    """What was said has become a turn, or part of one."""
    call = step.state.call
    if call is not None and call.utterance is not None:
        call.deaf = call.utterance.forced and not call.utterance.audio_turn
        call.utterance, call.settled = None, call.segments
