"""What the person does who has a conversation in the agent's place, or is about to."""

from typing import Final, Literal

from duologue.engine import endings, listening, resuming
from duologue.engine.handoff_state import Handoff, Saying
from duologue.engine.handoff_steps import HELD, WAITING, ask, begin, move, unfit, unknown, wrong_state
from duologue.engine.progress import Progress
from duologue.engine.state import SessionState
from duologue.model import limits
from duologue.model.errors import Code, Problem
from duologue.model.events import SupervisorNoted
from duologue.model.handoff import HandOff, Operator
from duologue.model.inputs import (
    HandedBack,
    HandoffConnecting,
    HandoffResolved,
    HandoffTransferred,
    OperatorHeld,
    OperatorJoined,
    OperatorReturned,
    OperatorSaid,
    SupervisorConsulted,
)
from duologue.model.replies import Accepted, Repeated

CONSULTED: Final = "a colleague is asked"
"""What everybody is told of a question to a supervisor."""


def unanswered(state: SessionState) -> bool:
    """Whether what the person said last has no whole answer yet."""
    last = state.history[-1] if state.history else None
    return last is not None and (last.role == "user" or last.interrupted)


def connecting(step: Progress, taken: HandoffConnecting) -> Problem | None:
    """Let an operator read; whoever has the conversation goes on."""
    handoff = step.state.handoff.find(taken.handoff_id)
    if (problem := _not_free(handoff, taken.handoff_id, taken.operator)) is not None:
        return problem
    if handoff is not None and handoff.status in ("requested", "queued"):
        handoff.operator, handoff.connecting_ms = taken.operator, step.now_ms
        move(step, handoff, "connecting")
    return None


def joined(step: Progress, taken: OperatorJoined) -> Problem | None:
    """Give the conversation to an operator; an answer that is running ends with what was said of it.

    What the person is saying goes on: it is said to the operator.
    """
    desk = step.state.handoff
    handoff = desk.find(taken.handoff_id)
    if (problem := _not_free(handoff, taken.handoff_id, taken.operator)) is not None:
        return problem
    if handoff is None or handoff.status not in WAITING:
        return None
    handoff.operator, handoff.connected_ms = taken.operator, step.now_ms
    if handoff is desk.consult:
        move(step, handoff, "connected")
        return None
    if handoff is desk.onward:
        _leave(step, "transferred", reason=f"passed on to {taken.operator.name}")
        desk.current, desk.onward = handoff, None
    elif step.state.open is not None:
        endings.end(step, "interrupted")
    if (call := step.state.call) is not None and call.utterance is not None:
        listening.drop_early(step, call, call.utterance)
    desk.with_person = True
    move(step, handoff, "connected")
    return None


def _not_free(handoff: Handoff | None, handoff_id: str, operator: Operator) -> Problem | None:
    """Why an operator cannot take it; `None` where they can, or have it."""
    if handoff is None:
        return unknown(handoff_id)
    if handoff.asked.transfer == "bot_to_bot":
        return wrong_state("it is for another agent")
    taker = handoff.operator
    if taker is None or taker.operator_id == operator.operator_id:
        return None
    what = "has it already" if handoff.status in HELD else "is taking it"
    return wrong_state(f"{taker.name} {what}")


def paused(step: Progress, happened: OperatorHeld | OperatorReturned) -> Problem | None:
    """Put the person on hold, or come back."""
    handoff = _held(step, happened.handoff_id, happened.operator_id)
    if isinstance(handoff, Problem):
        return handoff
    status = "on_hold" if isinstance(happened, OperatorHeld) else "connected"
    if handoff.status != status:
        move(step, handoff, status)
    return None


def said(step: Progress, words: OperatorSaid) -> Problem | Repeated | Accepted | None:
    """Say something in the agent's place: a whole response of the last turn, which is taken up again for it."""
    state = step.state
    handoff = _held(step, words.handoff_id, words.operator_id)
    if isinstance(handoff, Problem):
        return handoff
    for known in state.handoff.sayings:
        if words.message_id and known.key == words.message_id:
            return _again(known, words)
    problem = _unsayable(state, handoff, words)
    if problem is not None:
        return problem
    assert handoff.operator is not None, "who has it is known"
    seq, turn = state.seq + 1, state.last.number
    resuming.say(step, "operator", words.text, author=handoff.operator.name)
    if words.message_id:
        state.handoff.sayings.append(Saying(words.message_id, words.text, turn, seq))
        del state.handoff.sayings[: -limits.HANDOFF_SAYINGS]
    return Accepted(turn=turn, seq=seq)


def _again(known: Saying, words: OperatorSaid) -> Problem | Repeated:
    if known.text == words.text:
        return Repeated(turn=known.turn, seq=known.seq)
    return Problem(
        code=Code.TURN_CONFLICT,
        message=f"message id {words.message_id[:128]!r} was already used for other words",
        path="$.messageId",
    )


def _unsayable(state: SessionState, handoff: Handoff, words: OperatorSaid) -> Problem | None:
    if not words.text.strip():
        return Problem(code=Code.BAD_MESSAGE, message="the message is empty", path="$.text")
    if len(words.text) > limits.TURN_TEXT_CHARS:
        return Problem(
            code=Code.TOO_LARGE,
            message=f"the text has {len(words.text)} characters; at most {limits.TURN_TEXT_CHARS} are taken",
            path="$.text",
            limit=limits.TURN_TEXT_CHARS,
        )
    if handoff.status == "on_hold":
        return wrong_state("the person is on hold; come back to them first")
    if not state.last.number:
        return wrong_state("the person has said nothing yet, so there is nothing to answer")
    if not resuming.may_begin(state, "operator"):
        return Problem(code=Code.BUSY, message="somebody is being heard just now; send it again in a moment")
    return None


def done(step: Progress, happened: HandedBack | HandoffResolved) -> Problem | None:
    """Give the conversation back to the agent; handed back, it answers what nobody has, or asks again what it asked."""
    state, desk = step.state, step.state.handoff
    consult = desk.consult
    if isinstance(happened, HandoffResolved) and consult is not None and consult.handoff_id == happened.handoff_id:
        return _consult_over(step, consult, happened.operator_id)
    handoff = _held(step, happened.handoff_id, happened.operator_id)
    if isinstance(handoff, Problem):
        return handoff
    if len(happened.note) > limits.HANDOFF_REASON_CHARS:
        return Problem(
            code=Code.TOO_LARGE,
            message=f"a note has at most {limits.HANDOFF_REASON_CHARS} characters",
            path="$.note",
            limit=limits.HANDOFF_REASON_CHARS,
        )
    back = isinstance(happened, HandedBack)
    desk.note = happened.note
    _leave(step, "resolved", reason="handed back to the agent" if back else "resolved")
    if back and (unanswered(state) or resuming.asks_again(state)):
        resuming.run(step, "handed_back")
    return None


def _consult_over(step: Progress, consult: Handoff, operator_id: str) -> Problem | None:
    current = step.state.handoff.current
    asker = current.operator if current is not None else None
    if operator_id not in [one.operator_id for one in (asker, consult.operator) if one is not None]:
        return Problem(code=Code.FORBIDDEN, message="the question is not yours")
    move(step, consult, "resolved" if consult.status in HELD else "cancelled")
    return None


def _leave(step: Progress, status: Literal["resolved", "transferred"], *, reason: str) -> None:
    """End the handoff of whoever has the conversation, and what they had under way."""
    desk = step.state.handoff
    if desk.consult is not None:
        move(step, desk.consult, "resolved" if desk.consult.status in HELD else "cancelled")
    if desk.onward is not None and status == "resolved":
        move(step, desk.onward, "cancelled", reason="not needed any more")
    assert desk.current is not None, "somebody has it"
    desk.with_person = False
    move(step, desk.current, status, reason=reason)


def transferred(step: Progress, passed: HandoffTransferred) -> Problem | None:
    """Pass the conversation on: blind or to an agent at once, else once another operator has joined."""
    desk, asked = step.state.handoff, passed.asked
    handoff = _held(step, passed.handoff_id, passed.operator_id)
    if isinstance(handoff, Problem):
        return handoff
    if (problem := unfit(asked) or _unpassable(asked)) is not None:
        return problem
    if passed.gone:
        return _let_go(step, passed)
    if desk.onward is not None:
        return wrong_state(f"it is being passed on already: {desk.onward.handoff_id}; cancel that first")
    onward = begin(step, asked, cause="operator", by=passed.operator_id)
    if asked.transfer in ("warm", "human_to_human"):
        desk.onward = onward
    else:
        _leave(step, "transferred", reason=asked.reason)
        desk.current = onward
    ask(step, onward)
    return None


def _let_go(step: Progress, passed: HandoffTransferred) -> None:
    """Take the conversation from an operator who has gone: the agent has it, and who is to have it next still is."""
    state, desk = step.state, step.state.handoff
    onward = desk.onward or begin(step, passed.asked, cause="operator", by=passed.operator_id)
    begins = desk.onward is None
    _leave(step, "transferred", reason=passed.asked.reason)
    desk.current, desk.onward = onward, None
    if begins:
        ask(step, onward)
    if unanswered(state):
        resuming.run(step, "transferred")


def _unpassable(asked: HandOff) -> Problem | None:
    if asked.transfer in ("blind", "warm", "human_to_human", "bot_to_bot"):
        return None
    return Problem(
        code=Code.BAD_MESSAGE,
        message=f"an operator passes on blind, warm, human_to_human or bot_to_bot, not {asked.transfer}",
        path="$.transfer",
    )


def consulted(step: Progress, words: SupervisorConsulted) -> Problem | None:
    """Take a word between operator and supervisor; the first question asks for a supervisor."""
    desk = step.state.handoff
    if not words.text.strip() or len(words.text) > limits.TURN_TEXT_CHARS:
        return Problem(
            code=Code.BAD_MESSAGE,
            message=f"a word to a colleague has 1 to {limits.TURN_TEXT_CHARS} characters",
            path="$.text",
            limit=limits.TURN_TEXT_CHARS,
        )
    if (problem := _answer(step, words) if words.answer else _question(step, words)) is not None:
        return problem
    consult = desk.consult
    assert consult is not None, "it was begun"
    consult.notes += 1
    step.emit(SupervisorNoted, handoff_id=consult.handoff_id, by=words.by, text=words.text, answer=words.answer)
    return None


def _question(step: Progress, words: SupervisorConsulted) -> Problem | None:
    desk = step.state.handoff
    of = desk.current.handoff_id if desk.current is not None else ""
    named = of if desk.consult is not None and words.handoff_id == desk.consult.handoff_id else words.handoff_id
    handoff = _held(step, named, words.by.operator_id)
    if isinstance(handoff, Problem):
        return handoff
    if desk.consult is None:
        # The reason is told to everybody; the question is not.
        asked = HandOff(reason=CONSULTED, transfer="supervisor_consult")
        desk.consult = begin(step, asked, cause="operator", by=words.by.operator_id)
        ask(step, desk.consult)
    return _talked_enough(desk.consult)


def _answer(step: Progress, words: SupervisorConsulted) -> Problem | None:
    desk = step.state.handoff
    consult = desk.consult
    of = desk.current.handoff_id if desk.current is not None else ""
    if consult is None or words.handoff_id not in (consult.handoff_id, of):
        return unknown(words.handoff_id)
    if (problem := _talked_enough(consult)) is not None:
        return problem
    if consult.status in WAITING:
        consult.operator, consult.connected_ms = words.by, step.now_ms
        move(step, consult, "connected")
    return None


def _talked_enough(consult: Handoff) -> Problem | None:
    if consult.notes < limits.HANDOFF_NOTES:
        return None
    return wrong_state(f"{limits.HANDOFF_NOTES} words were said in this consultation; end it first")


def _held(step: Progress, handoff_id: str, operator_id: str) -> Handoff | Problem:
    """The handoff of whoever has the conversation, if that is this operator."""
    handoff = step.state.handoff.find(handoff_id)
    if handoff is None:
        return unknown(handoff_id)
    if handoff.status not in HELD or handoff is not step.state.handoff.current:
        return wrong_state(f"nobody has taken it yet: it is {handoff.status}")
    if handoff.operator is None or handoff.operator.operator_id != operator_id:
        who = handoff.operator.name if handoff.operator is not None else "somebody else"
        return Problem(code=Code.FORBIDDEN, message=f"{who} has the conversation, not you")
    return handoff
