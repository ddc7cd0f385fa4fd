"""Turns: which are taken, which are repeats, which are refused."""

import hashlib
from collections.abc import Sequence

import msgspec

from duologue.engine import (
    deciding,
    endings,
    interrupts,
    listening,
    observations,
    resuming,
    starting,
    tiers,
    tools,
)
from duologue.engine.call_state import Early, Speaking
from duologue.engine.progress import Progress
from duologue.engine.state import OpenCall, OpenTurn, SessionState, TurnMark
from duologue.engine.tools_state import ServerCall
from duologue.model import limits
from duologue.model.content import Answer
from duologue.model.effects import DropAnswer
from duologue.model.errors import Code, Problem
from duologue.model.events import Transcribed, TurnAccepted
from duologue.model.inputs import UserTurn
from duologue.model.replies import Accepted, Rejected, Repeated, Reply

TITLE_CHARS = 80
"""How much of the first turn names the session in a list."""


def take(step: Progress, said: UserTurn) -> Reply:
    """Accept a turn and begin its answer, recognise a repeat, or refuse it."""
    state = step.state
    fingerprint = _fingerprint(said)
    known = _known(state, said)
    if known is not None and known.print == fingerprint:
        return Repeated(turn=known.number, seq=known.seq)
    said = _news(state, said)
    problem = _objection(state, said, known, now_ms=step.now_ms)
    if problem is not None:
        return Rejected(problem=problem)
    said = tools.anew(state, said)
    listening.discard(step, "typed")
    if state.open is not None:
        endings.end(step, "interrupted")
    return _accept(step, said, fingerprint)


def take_spoken(step: Progress, said: UserTurn, *, prepared: Early | None = None) -> None:
    """Accept a turn that was spoken in a call, and begin its answer, or let out the one that was `prepared`."""
    state = step.state
    if state.open is not None:
        endings.end(step, "interrupted")
    if state.state in ("idle", "error"):
        if state.state == "error":
            step.move("cancel")
        step.move("user_activates_mic")
    if state.state == "listening":
        step.move("speech_end")
    _accept(step, said, _fingerprint(said), prepared=prepared)


def _news(state: SessionState, said: UserTurn) -> UserTurn:
    """What a turn says anew: a client that brings answers or results may send its last message with them again.

    What the open turn says is not told yet: whoever writes over it with its id says something else.
    """
    known = (one.message_id for one in state.history if one.role == "user")
    if said.message_id is None or not (said.resume or said.tool_results) or said.message_id not in known:
        return said
    return msgspec.structs.replace(said, text="", attachments=(), observation=None)


def _accept(step: Progress, said: UserTurn, fingerprint: str, *, prepared: Early | None = None) -> Accepted:
    state, call = step.state, step.state.call
    number = said.turn or state.last_turn + 1
    spoken_here = state.state == "transcribing" and said.source == "voice"
    _tell_transcript(step, said)
    if spoken_here:
        step.move("stt_complete")
    else:
        if state.state != "idle":
            step.move("cancel")
        step.move("user_sends_text")
    state.turns += 1
    state.last_turn = number
    state.language = said.language or state.language
    state.title = state.title or " ".join(said.text.split())[:TITLE_CHARS]
    passed = state.handoff.with_person
    given, unclear = _meant(step, said, passed=passed)
    # Who talks with a person leaves open what the agent asked for, and who is asked again as well.
    open_still = unclear is not None or (passed and not given)
    answers, asked = ((), ()) if open_still else interrupts.close(state, given)
    earlier = [] if open_still else resuming.take_out(state, lambda due: bool(due.interrupts))
    for due in reversed(earlier):
        answers, asked = (*due.answers, *answers), (*due.interrupts, *asked)
    answered, own = tools.settle(state, said, turn=number, keep=passed)
    decides = deciding.decides(state, answers)
    if prepared is not None and call is not None and (unclear is not None or passed or decides or earlier):
        # It was asked for less than the turn is now: that decides something, or is told what was decided.
        step.effects.append(DropAnswer(call_id=call.call_id, response_id=prepared.response_id))
        prepared = None
    early_id = None if prepared is None else prepared.response_id
    response = starting.opening(state, attempt=1, now_ms=step.now_ms, prepared=early_id)
    response.repeatable = tools.harmless(own, asked, answers)
    state.open = OpenTurn(
        number=number,
        request_id=said.request_id or f"turn-{number}",
        said=said,
        response=response,
        client_plays=spoken_here and call is None,
        answers=answers,
        interrupts=asked,
        calls=own,
        voice=None if call is None else Speaking(call_id=call.call_id, accepted_ms=step.now_ms),
        since=number,
        news=[result for due in earlier for result in due.results],
    )
    deciding.let_go_on(state, state.open, given)
    step.emit(
        TurnAccepted,
        text=said.text,
        source=said.source,
        language=state.language,
        attachments=said.attachments,
        observation=said.observation,
        speech=said.speech,
        answers=answers,
        protocol=said.protocol,
        message_id=said.message_id or "",
    )
    accepted = Accepted(turn=number, seq=state.seq)
    state.open.began_seq = state.seq
    state.marks.append(
        TurnMark(
            number=number,
            seq=state.seq,
            key=said.idempotency_key or said.request_id,
            print=fingerprint,
            request_id=state.open.request_id,
            message_id=said.message_id or state.open.request_id,
            response_id=response.response_id,
            after=state.ended_seq,
        )
    )
    del state.marks[: -limits.RECENT_TURNS]
    if unclear is not None:
        deciding.ask_again(step, unclear)
    elif passed:
        _pass_on(step, answered)
    elif decides:
        deciding.begin(step, answered)
    else:
        if prepared is not None and prepared.route is not None:
            # As it was prepared; the words are the same, and marks do not count.
            tiers.settle(step, prepared.route)
        starting.start(step, answered, prepared=prepared is not None)
    return accepted


def _meant(step: Progress, said: UserTurn, *, passed: bool) -> tuple[tuple[Answer, ...], ServerCall | None]:
    """What a turn answers to what is open, by its answers, what it shows or its words; and what it leaves unclear."""
    given = said.resume or observations.answer(said)
    return (given, None) if given or passed else deciding.by_words(step.state, said, now_ms=step.now_ms)


def _pass_on(step: Progress, answered: Sequence[OpenCall]) -> None:
    """Leave the turn that is open to the person who has the conversation: no agent is run for it."""
    turn = step.open_turn()
    starting.announce(step)
    returned = tools.show_results(step, answered) if answered else ()
    deciding.decide(step)
    if turn.answers:
        results = (*returned, *turn.news)
        resuming.owe(step, "approval", results=results, answers=turn.answers, interrupts=turn.interrupts)
    elif returned:
        resuming.owe(step, "tool", results=returned)
    endings.pass_on(step)


def _tell_transcript(step: Progress, said: UserTurn) -> None:
    """Tell what a client's own recogniser made of the person's speech, where it says how long it took.

    It comes before the turn and moves nothing: the turn does.
    """
    speech = said.speech
    if speech is not None and speech.stt_ms is not None:
        step.emit(
            Transcribed,
            call_id="",
            segment=0,
            text=said.text,
            final=True,
            so_far=said.text,
            confidence=speech.confidence,
            language=said.language,
            stt_ms=speech.stt_ms,
        )


def _known(state: SessionState, said: UserTurn) -> TurnMark | None:
    """The accepted turn that has this one's number or client id, newest first."""
    key = said.idempotency_key or said.request_id
    for mark in reversed(state.marks):
        if said.turn is not None and mark.number == said.turn:
            return mark
        if key is not None and mark.key == key:
            return mark
    return None


def _objection(state: SessionState, said: UserTurn, known: TurnMark | None, *, now_ms: int) -> Problem | None:
    next_turn = state.last_turn + 1
    if known is not None:
        name = f"turn {known.number}" if said.turn == known.number else f"message id {known.key!r}"
        return Problem(
            code=Code.TURN_CONFLICT,
            message=f"{name} was already used for another message; use a new one (next turn: {next_turn})",
            turn=known.number,
        )
    if state.ended:
        return Problem(code=Code.SESSION_ENDED, message="the session has ended; open a new one")
    if said.turn is not None and said.turn <= state.last_turn:
        return Problem(
            code=Code.TURN_STALE,
            message=f"turn {said.turn} is not above the last one, {state.last_turn}; the next is {next_turn}",
            turn=said.turn,
        )
    return (
        _out_of_bounds(said, next_turn)
        or interrupts.objection(state, said, now_ms)
        or tools.objection(state, said)
        or observations.objection(state, said, now_ms)
        or _untimely(state, said)
    )


def _out_of_bounds(said: UserTurn, next_turn: int) -> Problem | None:
    if (said.turn or next_turn) > limits.TURN_NUMBER_MAX:
        return Problem(
            code=Code.BAD_MESSAGE,
            message=f"turn numbers go up to {limits.TURN_NUMBER_MAX}",
            path="$.turn",
            limit=limits.TURN_NUMBER_MAX,
        )
    if len(said.text) > limits.TURN_TEXT_CHARS:
        return Problem(
            code=Code.TOO_LARGE,
            message=f"the text has {len(said.text)} characters; at most {limits.TURN_TEXT_CHARS} are taken",
            path="$.text",
            limit=limits.TURN_TEXT_CHARS,
        )
    if not (said.text or said.observation or said.attachments or said.resume or said.tool_results):
        return Problem(code=Code.BAD_MESSAGE, message="the message is empty", path="$.text")
    return None


def _untimely(state: SessionState, said: UserTurn) -> Problem | None:
    if state.open is not None and said.if_busy == "refuse":
        return Problem(
            code=Code.BUSY,
            message=f"turn {state.open.number} is still being answered; wait for its end or cancel it",
            turn=state.open.number,
        )
    return None


def _fingerprint(said: UserTurn) -> str:
    """What makes two turns the same message: the words, what was shown and answered, not the circumstances."""
    what: tuple[object, ...] = (said.text, said.attachments, said.observation)
    if said.resume or said.tool_results:
        what = (*what, said.resume, said.tool_results)
    shown = msgspec.json.encode(what)
    return hashlib.blake2b(shown, digest_size=16).hexdigest()
