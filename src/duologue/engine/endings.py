"""Responses: how they end, and with them their turns.

An answer that is spoken in a call ends when it has been heard, and not when it has been made.
"""

from duologue.engine import (
    abandoning,
    figures,
    heard,
    history,
    interrupts,
    latency,
    listening,
    speaking,
    starting,
    tiers,
    tools,
)
from duologue.engine.call_state import Speaking, Whole
from duologue.engine.progress import Progress
from duologue.engine.state import LastTurn, OpenResponse, OpenTurn
from duologue.model.content import Figures, Interrupt, Usage
from duologue.model.effects import StopAgent
from duologue.model.errors import Code
from duologue.model.events import (
    AnswerCompleted,
    Ending,
    Outcome,
    ResponseEnded,
    ResponseFailed,
    SpeakingFinished,
    TextCompleted,
    TurnEnded,
    TurnEnding,
)
from duologue.model.inputs import Trigger


def end(
    step: Progress,
    outcome: TurnEnding,
    *,
    total_tokens: int | None = None,
    confident: bool = True,
    trigger: Trigger | None = "cancel",
    usage: tuple[Usage, ...] = (),
    asked: tuple[Interrupt, ...] = (),
) -> None:
    """End the open turn without a failure; the text so far stays, as far as it was heard where it was spoken.

    A whole answer that is being spoken goes on until it has been heard; `conclude` ends it then.

    Args:
        outcome: how it ended.
        total_tokens: as the agent counts them.
        confident: the agent did not say that it does not know.
        trigger: what moves the state machine where the answer was cut short; `None` where it was moved already.
        usage: what the run's models counted.
        asked: what it asks for; only with the outcome `asked`.
    """
    turn = step.open_turn()
    voice = turn.voice
    if voice is not None and (voice.held or voice.whole is not None):
        _cut_short(step, turn, voice, outcome=outcome, trigger=trigger)
        return
    response = turn.response
    whole = outcome in ("completed", "asked")
    measured = figures.measure(
        response,
        now_ms=step.now_ms,
        whole=outcome == "completed",
        confident=confident,
        total_tokens=total_tokens,
        language=step.state.language,
        usage=usage,
    )
    told = _complete_text(step, turn, whole=whole)
    if whole:
        ending = Whole(outcome=outcome, figures=measured, interrupts=asked, told=told)
        if heard.audible(turn) is not None and response.pieces:
            _go_on_speaking(step, turn, ending)
        else:
            _finish(step, turn, ending)
        return
    speaking.flush(step)
    step.effects.append(StopAgent(response_id=response.response_id))
    abandoning.leave(step, response)
    if trigger is not None:
        step.move(trigger)
    _end_response(step, turn, outcome=outcome, measured=measured, heard_chars=heard.so_far(turn))
    _close(step, turn, outcome=outcome, measured=measured, heard_chars=heard.so_far(turn))


def _measured_so_far(
    step: Progress, turn: OpenTurn, *, usage: tuple[Usage, ...] = (), total_tokens: int | None = None
) -> Figures:
    """Measure a run that does not come to its end."""
    return figures.measure(
        turn.response,
        now_ms=step.now_ms,
        whole=False,
        confident=True,
        total_tokens=total_tokens,
        language=step.state.language,
        usage=usage,
    )


def _complete_text(step: Progress, turn: OpenTurn, *, whole: bool) -> bool:
    """Tell the message that is being written, where one is; false where none is."""
    response = turn.response
    if not response.pieces or response.paused:
        return False
    text = "".join(response.pieces)
    step.emit(
        TextCompleted,
        response_id=response.response_id,
        message_id=tools.message_id(response),
        text=text if whole else text[: heard.so_far(turn)],
        whole=whole,
    )
    return True


def _go_on_speaking(step: Progress, turn: OpenTurn, ending: Whole) -> None:
    """The answer has been made, and is still to be heard."""
    assert turn.voice is not None, "only what is spoken is heard"
    turn.voice.whole, turn.voice.progress_ms = ending, step.now_ms
    # No more text is taken.
    turn.response.paused, turn.response.writing = True, ""
    step.emit(
        AnswerCompleted,
        call_id=turn.voice.call_id,
        response_id=turn.response.response_id,
        tier=tiers.tier_of(step.state, turn.response),
        figures=ending.figures,
        interrupts=ending.interrupts,
    )


def conclude(step: Progress) -> None:
    """End a whole answer that has been heard, or whose rest is left to be read."""
    turn = step.open_turn()
    voice = turn.voice
    assert voice is not None and voice.whole is not None, "an answer that is not whole has not been heard"
    if voice.audible:
        heard.all_played(step, voice)
        _come_to_rest(step, turn)
        step.emit(
            SpeakingFinished,
            call_id=voice.call_id,
            response_id=turn.response.response_id,
            heard=voice.heard,
        )
    _finish(step, turn, voice.whole)


def _come_to_rest(step: Progress, turn: OpenTurn) -> None:
    """Leave the state of speaking, as nothing more of the answer is to be heard here."""
    call = step.state.call
    if step.state.state == "speaking" and not turn.client_plays:
        step.move("auto_resume" if call is not None and call.rules.mode == "open" else "tts_complete")
    elif step.state.state == "thinking":
        # It has said nothing: it passes the conversation on, or waits for somebody.
        step.move("cancel")


def _finish(step: Progress, turn: OpenTurn, ending: Whole) -> None:
    """End a whole answer."""
    abandoning.leave(step, turn.response, ending.interrupts)
    _come_to_rest(step, turn)
    _end_response(step, turn, outcome=ending.outcome, measured=ending.figures, whole=ending)
    _close(step, turn, outcome=ending.outcome, measured=ending.figures, asked=ending.interrupts)
    listening.announce(step)


def pass_on(step: Progress) -> None:
    """End the open turn, which has just begun, unanswered: a person has the conversation, and answers when they do."""
    turn = step.open_turn()
    measured = _measured_so_far(step, turn)
    step.move("cancel")
    _end_response(step, turn, outcome="passed", measured=measured)
    _close(step, turn, outcome="passed", measured=measured)


def _cut_short(
    step: Progress, turn: OpenTurn, voice: Speaking, *, outcome: TurnEnding, trigger: Trigger | None
) -> None:
    """End a turn whose run is over: its answer is still being heard, or it waits for what the person says more."""
    speaking.flush(step)
    measured = voice.figures if voice.whole is None else voice.whole.figures
    assert measured is not None, "a run that was given up was measured"
    if voice.held:
        # The turn has an end to tell, and the run that was given up has told its own.
        turn.response = starting.opening(step.state, attempt=turn.response.attempt + 1, now_ms=step.now_ms)
        starting.announce(step)
    heard_chars, whole = heard.so_far(turn), voice.whole
    asks = whole is not None and whole.outcome == "asked" and outcome == "interrupted"
    questions = () if whole is None else whole.interrupts
    abandoning.leave(step, turn.response, questions if asks else (), void=() if asks else questions)
    if trigger is not None:
        step.move(trigger)
    if asks and whole is not None:
        # Who speaks before the question is over may well answer it: it stays open.
        _end_response(step, turn, outcome="asked", measured=measured, whole=whole, heard_chars=heard_chars)
        _close(step, turn, outcome="asked", measured=measured, asked=whole.interrupts, heard_chars=heard_chars)
        return
    _end_response(step, turn, outcome=outcome, measured=measured, heard_chars=heard_chars)
    _close(step, turn, outcome=outcome, measured=measured, heard_chars=heard_chars)


def _end_response(
    step: Progress,
    turn: OpenTurn,
    *,
    outcome: Ending,
    measured: Figures,
    whole: Whole | None = None,
    heard_chars: int | None = None,
    superseded: bool = False,
) -> None:
    response = turn.response
    step.emit(
        ResponseEnded,
        session_id=step.state.session_id,
        response_id=response.response_id,
        outcome=outcome,
        tier=tiers.tier_of(step.state, response),
        figures=measured,
        interrupts=() if whole is None else whole.interrupts,
        pending_calls=() if whole is None else tools.pending(response),
        text="".join(response.pieces) if whole is not None and not whole.told else "",
        heard=heard_chars,
        superseded=superseded,
        made=turn.voice is not None and turn.voice.whole is not None,
        resumed=turn.resumed is not None,
        # The turn goes on after one that is taken back or replaced.
        latency=None if superseded or outcome == "replaced" else latency.measure(turn),
    )


def replace(step: Progress, *, usage: tuple[Usage, ...] = (), total_tokens: int | None = None) -> None:
    """End the open response alone, as a better one takes its place; its turn goes on.

    Args:
        usage: what the run's models counted.
        total_tokens: as the agent counts them.
    """
    turn = step.open_turn()
    measured = _measured_so_far(step, turn, usage=usage, total_tokens=total_tokens)
    _complete_text(step, turn, whole=False)
    tools.lose(step)
    abandoning.leave(step, turn.response)
    _end_response(step, turn, outcome="replaced", measured=measured, heard_chars=heard.so_far(turn))
    if turn.voice is not None:
        heard.anew(step, turn.voice)


def supersede(step: Progress) -> None:
    """Give up a run of which nothing was shown: the person says more, and the turn waits for it."""
    turn = step.open_turn()
    voice = turn.voice
    assert voice is not None and not turn.response.pieces, "an answer that has begun is not taken back"
    measured = _measured_so_far(step, turn)
    speaking.flush(step)
    step.effects.append(StopAgent(response_id=turn.response.response_id))
    _end_response(step, turn, outcome="interrupted", measured=measured, superseded=True)
    voice.held, voice.figures = True, measured
    _miss(voice)


def _miss(voice: Speaking) -> None:
    """The answer that had been prepared is not the one that is given."""
    voice.preflight = None if voice.preflight is None else "miss"
    voice.preflight_tokens = None


def ask_anew(step: Progress) -> None:
    """Run the agent again for a turn that waited for what the person says more."""
    turn = step.open_turn()
    assert turn.voice is not None and turn.voice.held, "the turn does not wait"
    turn.voice.held, turn.voice.figures = False, None
    # What is asked now is more than what was routed.
    turn.route = None
    turn.voice.extended += 1
    turn.response = starting.opening(step.state, attempt=turn.response.attempt + 1, now_ms=step.now_ms)
    starting.start(step)


def fail(step: Progress, *, code: Code, message: str, retryable: bool, usage: tuple[Usage, ...] = ()) -> None:
    """End the open turn with a failure; what was said so far is remembered as interrupted."""
    turn = step.open_turn()
    abandoning.leave(step, turn.response)
    step.move("error")
    measured = _measured_so_far(step, turn, usage=usage)
    speaking.flush(step)
    step.emit(
        ResponseFailed,
        response_id=turn.response.response_id,
        code=code,
        message=message,
        retryable=retryable,
        open_message=_open_message(turn.response),
        tier=turn.response.tier,
        figures=measured,
        heard=heard.so_far(turn),
        latency=latency.measure(turn),
    )
    _close(step, turn, outcome="failed", measured=measured, heard_chars=heard.so_far(turn))


def _open_message(response: OpenResponse) -> str:
    return tools.message_id(response) if response.pieces and not response.paused else ""


def run_again(step: Progress, *, code: Code, message: str) -> None:
    """Give up a lost run with a visible error, and run the turn again under a new response id."""
    turn = step.open_turn()
    turn.losses += 1
    if turn.voice is not None:
        # What was measured of the lost run is lost with it.
        turn.voice.first_sound_ms = None
        _miss(turn.voice)
    tools.lose(step)
    abandoning.lose(step)
    step.move("error")
    step.emit(
        ResponseFailed,
        response_id=turn.response.response_id,
        code=code,
        message=message,
        retryable=True,
        will_retry=True,
        open_message=_open_message(turn.response),
        tier=turn.response.tier,
    )
    step.move("cancel")
    step.move("user_sends_text")
    turn.response = starting.opening(step.state, attempt=turn.response.attempt + 1, now_ms=step.now_ms)
    starting.start(step, waits=any(one.awaited for one in step.state.tools.calls))


def _close(
    step: Progress,
    turn: OpenTurn,
    *,
    outcome: Outcome,
    measured: Figures,
    asked: tuple[Interrupt, ...] = (),
    heard_chars: int | None = None,
) -> None:
    state = step.state
    step.emit(
        TurnEnded,
        outcome=outcome,
        response_id=turn.response.response_id,
        figures=measured,
        text=turn.said.text,
        answer=turn.heard_before + "".join(turn.response.pieces)[:heard_chars],
        heard=None if heard_chars is None else len(turn.heard_before) + heard_chars,
        heard_estimated=heard_chars is not None and turn.voice is not None and turn.voice.estimated,
        latency=latency.measure(turn),
        resumed=turn.resumed is not None,
    )
    if turn.resumed is None:
        state.ended_seq = state.seq
    whole = outcome in ("completed", "asked")
    history.remember(state, turn, interrupted=not whole, interrupts=asked, heard_chars=heard_chars)
    if whole:
        tools.carry_over(state, turn, stopped_to_ask=outcome == "asked")
    else:
        tools.give_up(state, turn)
    # What was open before stays so: a turn closes that when it begins, and an operator's words close nothing.
    state.interrupts += [one for one in asked if one not in state.interrupts]
    if state.observations.open:
        interrupts.forget_unasked(state)
    state.last = LastTurn(
        number=turn.number, request_id=turn.request_id, said=turn.said, since=turn.since, asks=turn.asks
    )
    if (turn.response.pieces or turn.response.shown) and not turn.author:
        state.routing.last_id, state.routing.last_tier = turn.response.response_id, turn.response.tier
    state.open = None
    if state.call is not None:
        state.call.paused = False
