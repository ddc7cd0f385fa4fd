"""Endpointing: when what somebody says has become a turn.

Voice activity says that they paused; that is when the recogniser is asked for its final, and perhaps a model whether it
sounded like the end. The turn ends once every final that was asked for is there and the pause is long enough. A final
is no end: who goes on before it says more of the same turn. Each wait is bounded; partials never become a turn.
"""

import msgspec

from duologue.engine import barge_in, early, endings, extending, listening, turns
from duologue.engine.call_state import Call, Piece, Utterance
from duologue.engine.progress import Progress
from duologue.model import limits
from duologue.model.effects import DropTranscript, FinishTranscript, JudgeEnd
from duologue.model.events import (
    NothingHeard,
    PauseJudged,
    SpeechBegan,
    SpeechIgnored,
    SpeechPaused,
    Transcribed,
    TurnExtended,
)
from duologue.model.inputs import EndJudged, SpeechStarted, SpeechStopped, TranscriptHeard, UserTurn


def started(step: Progress, call: Call, heard: SpeechStarted) -> bool:
    """Somebody begins to speak, or goes on."""
    utterance = call.utterance
    if call.rules.mode != "open" or call.deaf or (utterance is not None and utterance.speaking):
        return False
    began_ms = step.now_ms - max(0, heard.ago_ms)
    if utterance is None:
        utterance = call.utterance = Utterance(
            began_ms=began_ms, first_segment=call.segments + 1, last_segment=call.segments, spoke_ms=began_ms
        )
    else:
        utterance.speaking, utterance.spoke_ms = True, max(began_ms, utterance.stopped_ms)
    over = _over(step)
    step.emit(SpeechBegan, call_id=call.call_id, ago_ms=max(0, heard.ago_ms), response_id=over)
    if over:
        barge_in.begun(step)
    return True


def _over(step: Progress) -> str:
    """The answer that is being spoken, over which somebody speaks; empty where none is."""
    turn = step.state.open
    return turn.response.response_id if turn is not None and step.state.state == "speaking" else ""


def stopped(step: Progress, call: Call, heard: SpeechStopped) -> bool:
    """Somebody stops to speak, for now."""
    if call.rules.mode != "open":
        return False
    if call.deaf:
        call.deaf = False
        step.effects.append(DropTranscript(call_id=call.call_id))
        step.emit(SpeechPaused, call_id=call.call_id, ago_ms=max(0, heard.ago_ms), duration_ms=0)
        return True
    utterance = call.utterance
    if utterance is None or not utterance.speaking:
        return False
    pause(step, call, utterance, stopped_ms=step.now_ms - max(0, heard.ago_ms))
    return True


def pause(step: Progress, call: Call, utterance: Utterance, *, stopped_ms: int, forced: bool = False) -> None:
    """Note a pause, and ask what was said; or let it be, where it was too short to interrupt an answer."""
    utterance.speaking, utterance.forced = False, forced
    utterance.stopped_ms = max(utterance.spoke_ms, stopped_ms)
    utterance.longest_ms = max(utterance.longest_ms, utterance.stopped_ms - utterance.spoke_ms)
    if _over(step) and not barge_in.stopped(step, call, utterance):
        return
    call.segments += 1
    utterance.last_segment, utterance.asked_ms = call.segments, step.now_ms
    utterance.judged, utterance.unjudged = None, False
    if step.state.state == "listening":
        step.move("speech_end")
    step.emit(
        SpeechPaused,
        call_id=call.call_id,
        ago_ms=step.now_ms - utterance.stopped_ms,
        duration_ms=utterance.stopped_ms - utterance.spoke_ms,
        segment=call.segments,
        audio_turn=utterance.audio_turn,
        forced=forced,
        language=utterance.language,
    )
    step.effects.append(FinishTranscript(call_id=call.call_id, segment=call.segments))
    if call.rules.end_of_turn is not None and not utterance.audio_turn and not forced:
        step.effects.append(JudgeEnd(call_id=call.call_id, segment=call.segments, text=utterance.so_far))
    early.consider(step, call, utterance)


def transcribed(step: Progress, call: Call, heard: TranscriptHeard) -> bool:
    """Take what was recognised; what is late, was told before or belongs to nothing is left alone."""
    utterance = call.utterance
    if utterance is None or not call.settled < heard.segment <= call.segments + 1:
        return False
    if any(piece.segment == heard.segment for piece in utterance.finals):
        return False
    # Nothing is final before it was asked for.
    final = heard.final and heard.segment <= call.segments
    text = " ".join(heard.text.split())[: limits.TURN_TEXT_CHARS]
    if not final and (heard.segment < utterance.last_segment or text == utterance.partial):
        return False
    utterance.language = heard.language or utterance.language
    if final:
        utterance.finals = sorted([*utterance.finals, Piece(heard.segment, text)], key=_segment)
        utterance.final_ms = step.now_ms
        utterance.partial = "" if utterance.partial_segment <= heard.segment else utterance.partial
    else:
        utterance.partial, utterance.partial_segment = text, heard.segment
    step.emit(
        Transcribed,
        call_id=call.call_id,
        segment=heard.segment,
        text=text,
        final=final,
        so_far=utterance.so_far,
        confidence=heard.confidence,
        language=heard.language,
        stt_ms=heard.stt_ms,
    )
    if utterance.so_far:
        call.nudges = 0
    weigh(step, call, utterance)
    return True


def _segment(piece: Piece) -> int:
    return piece.segment


def judged(step: Progress, call: Call, verdict: EndJudged) -> bool:
    """Take the model's verdict on the latest pause."""
    utterance, threshold = call.utterance, call.rules.end_of_turn
    if utterance is None or threshold is None or utterance.speaking or utterance.judged is not None:
        return False
    if verdict.segment != utterance.last_segment:
        return False
    utterance.judged = verdict.probability
    step.emit(
        PauseJudged,
        call_id=call.call_id,
        segment=verdict.segment,
        probability=verdict.probability,
        finished=verdict.probability >= threshold,
    )
    weigh(step, call, utterance)
    return True


def unjudged(step: Progress, call: Call) -> None:
    """Nobody judges the pause that is going on."""
    utterance = call.utterance
    if utterance is not None and not utterance.speaking and utterance.judged is None:
        utterance.unjudged = True
        weigh(step, call, utterance)


def waited(step: Progress, call: Call, utterance: Utterance) -> None:
    """The wait for the end, or for a final, is over."""
    known = {piece.segment for piece in utterance.finals}
    missing = [one for one in range(utterance.first_segment, utterance.last_segment + 1) if one not in known]
    if missing:
        utterance.lost = True
        utterance.finals = sorted([*utterance.finals, *(Piece(one, "") for one in missing)], key=_segment)
    weigh(step, call, utterance)


def weigh(step: Progress, call: Call, utterance: Utterance) -> None:
    """See what follows from what is known now."""
    if _over(step):
        if not barge_in.weigh(step, call, utterance):
            return
    else:
        extending.weigh(step, call, utterance)
    due_ms = end_due_ms(call, utterance)
    if due_ms is not None and step.now_ms >= due_ms:
        _finish(step, call, utterance)
    else:
        early.consider(step, call, utterance)


def end_due_ms(call: Call, utterance: Utterance) -> int | None:
    """When what was said becomes a turn, or turns out to be nothing; `None` while they speak."""
    rules = call.rules
    if utterance.speaking:
        return None
    if utterance.waits:
        return utterance.asked_ms + rules.final_wait_ms
    if utterance.audio_turn or utterance.forced or not utterance.said:
        return utterance.asked_ms
    if rules.end_of_turn is None or utterance.unjudged:
        return utterance.stopped_ms + rules.silence_ms + rules.endpoint_ms
    if utterance.judged is not None and utterance.judged >= rules.end_of_turn:
        return utterance.asked_ms
    return utterance.stopped_ms + max(rules.unfinished_ms, rules.silence_ms)


def _finish(step: Progress, call: Call, utterance: Utterance) -> None:
    """Make a turn of what was said; where it was nothing, tell so and listen again."""
    text = utterance.said[: limits.TURN_TEXT_CHARS]
    turn = step.state.open
    if not text or (turn is not None and extending.only_listens(call, text, step.state.language)):
        _nothing(step, call, utterance)
        return
    if turn is not None and turn.voice is not None and turn.voice.held:
        listening.drop_early(step, call, utterance)
        _extend(step, call, utterance, text)
        return
    said = UserTurn(
        text=text,
        turn=utterance.audio_turn or None,
        source="voice",
        language=utterance.language,
        granted=call.granted,
    )
    prepared, preflight = early.settle(step, call, utterance, text)
    listening.close(step)
    turns.take_spoken(step, said, prepared=prepared)
    _measure(step, utterance)
    turn = step.state.open
    if turn is not None and turn.voice is not None:
        let_out = prepared is None or turn.response.response_id == prepared.response_id
        turn.voice.preflight = preflight if let_out else "miss"


def _measure(step: Progress, utterance: Utterance) -> None:
    """Note when the turn that is open now had been said and understood; one that nobody answers yet is over by now."""
    turn = step.state.open
    voice = None if turn is None else turn.voice
    if voice is not None:
        voice.speech_end_ms, voice.accepted_ms = utterance.stopped_ms, step.now_ms
        voice.final_ms = utterance.final_ms


def _extend(step: Progress, call: Call, utterance: Utterance, text: str) -> None:
    turn = step.open_turn()
    text = f"{turn.said.text} {text}".strip()[: limits.TURN_TEXT_CHARS]
    step.state.language = utterance.language or step.state.language
    turn.said = msgspec.structs.replace(turn.said, text=text, language=utterance.language or turn.said.language)
    listening.close(step)
    step.emit(TurnExtended, call_id=call.call_id, text=text, language=step.state.language)
    endings.ask_anew(step)
    _measure(step, utterance)


def _nothing(step: Progress, call: Call, utterance: Utterance) -> None:
    """Nothing was recognised: the assistant goes on with what it does, or listens again."""
    listening.drop_early(step, call, utterance)
    listening.close(step)
    turn = step.state.open
    if turn is not None:
        response_id = turn.response.response_id
        why = "backchannel" if utterance.said else "empty"
        step.emit(SpeechIgnored, call_id=call.call_id, response_id=response_id, why=why, text=utterance.said)
        if turn.voice is not None and turn.voice.held:
            endings.ask_anew(step)
        return
    why_nothing = "missing" if utterance.lost else "empty"
    if step.state.state != "idle":
        step.move("cancel")
    step.emit(NothingHeard, call_id=call.call_id, why=why_nothing, audio_turn=utterance.audio_turn)
