"""Calls: how one begins and ends, and what is done with what it tells. There is one at most; a newer one takes over."""

from typing import assert_never

from duologue.engine import endings, endpointing, heard, listening, playback, speaking
from duologue.engine.call_state import Call
from duologue.engine.progress import Progress
from duologue.engine.state import SessionState
from duologue.engine.turns import take_spoken
from duologue.model import limits
from duologue.model.effects import HangUp
from duologue.model.events import CallBegan, CallFinished, ListeningBegan, NobodySpoke, VoiceFailed
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
    UserTurn,
)


def take(step: Progress, happened: CallInput) -> bool:
    """Take what a call tells; false where nothing was changed, such as for what another call tells."""
    call = step.state.call
    if isinstance(happened, CallStarted):
        return _begin(step, happened)
    if call is None or call.call_id != happened.call_id:
        return False
    match happened:
        case CallEnded(reason=reason):
            over(step, reason=reason)
            return True
        case SpeechStarted():
            return endpointing.started(step, call, happened)
        case SpeechStopped():
            return endpointing.stopped(step, call, happened)
        case TranscriptHeard():
            return endpointing.transcribed(step, call, happened)
        case EndJudged():
            return endpointing.judged(step, call, happened)
        case SpeechMade():
            return heard.made(step, happened)
        case Played():
            return heard.played(step, happened)
        case PlaybackEnded():
            return playback.ended(step, happened)
        case AnswerReleased():
            return playback.released(step, happened)
        case SpeechFailed():
            _failed(step, call, happened)
            return True
        case _:
            assert_never(happened)


def _begin(step: Progress, started: CallStarted) -> bool:
    state, rules = step.state, started.rules
    if state.call is not None and state.call.call_id == started.call_id:
        return False
    if state.call is not None:
        step.effects.append(HangUp(call_id=state.call.call_id, reason="taken_over"))
        over(step, reason="taken_over")
    state.call = Call(call_id=started.call_id, rules=rules, active_ms=step.now_ms, granted=started.granted)
    if state.open is not None:
        # Nobody's own player is waited for any more.
        state.open.client_plays = False
    elif state.state != "idle":
        step.move("cancel")
    step.emit(CallBegan, call_id=started.call_id, mode=rules.mode)
    if state.open is None and rules.mode == "open":
        step.move("user_activates_mic")
        step.emit(ListeningBegan, call_id=started.call_id)
    return True


def over(step: Progress, *, reason: str) -> None:
    """Let go of the call that is on. An answer that is still being made goes on as text."""
    state = step.state
    assert state.call is not None, "no call is on"
    call_id = state.call.call_id
    listening.forget(step)
    playback.hush(step)
    state.call = None
    if state.open is None and state.state != "idle":
        step.move("cancel")
    step.emit(CallFinished, call_id=call_id, reason=reason)


def _failed(step: Progress, call: Call, failed: SpeechFailed) -> None:
    step.emit(VoiceFailed, call_id=call.call_id, part=failed.part, message=failed.message)
    match failed.part:
        case "tts":
            _mute(step)
        case "stt":
            _lose(step)
        case "end_of_turn":
            endpointing.unjudged(step, call)
        case "vad":
            pass
        case _:
            assert_never(failed.part)


def _mute(step: Progress) -> None:
    """The open answer cannot be spoken any more; its text is there to be read."""
    voice = heard.audible(step.state.open)
    if voice is None or voice.held:
        return
    playback.silence(step, voice)
    if voice.whole is not None:
        endings.conclude(step)


def _lose(step: Progress) -> None:
    """What is being said will not be recognised any more: go on without it."""
    utterance, turn = listening.forget(step), step.state.open
    if utterance is None:
        return
    if turn is None and step.state.state in ("listening", "transcribing"):
        step.move("cancel")
    listening.tell_nothing(step, "missing", utterance)
    if turn is not None and turn.voice is not None and turn.voice.held:
        endings.ask_anew(step)
    elif turn is not None:
        speaking.resume(step)


def quiet_due_ms(state: SessionState) -> int | None:
    """When it is noted that nobody speaks; `None` where nobody is expected to, or a person listens."""
    call = state.call
    if call is None or call.rules.no_response_ms is None or call.utterance is not None:
        return None
    if state.state != "listening" or call.deaf or state.handoff.with_person:
        return None
    return call.active_ms + (call.quiet_times + 1) * call.rules.no_response_ms


def quiet(step: Progress, call: Call) -> None:
    """Nobody speaks: tell it, and the agent too where it is to know."""
    call.quiet_times += 1
    step.emit(NobodySpoke, call_id=call.call_id, waited_ms=step.now_ms - call.active_ms, times=call.quiet_times)
    # Silence is no answer to what the person is asked.
    if call.rules.nudge and call.nudges < limits.VOICE_NUDGES and not step.state.interrupts:
        call.nudges += 1
        take_spoken(step, UserTurn(text=call.rules.nudge, source="voice", granted=call.granted))


def idle_due_ms(state: SessionState) -> int | None:
    """When the call is hung up because nothing happens; `None` while something does, or a person has the conversation.

    Who is on hold waits for as long as they like.
    """
    call = state.call
    if call is None or call.rules.idle_ms is None or call.utterance is not None or state.open is not None:
        return None
    if state.handoff.with_person:
        return None
    return call.active_ms + call.rules.idle_ms


def idle(step: Progress, call: Call) -> None:
    """Nothing happens: hang up."""
    step.effects.append(HangUp(call_id=call.call_id, reason="idle"))
    over(step, reason="idle")
