"""What a turn has to be answered with: taken, recognised as a repeat, or refused, and with which code."""

from typing import assert_never

from tests.simulation.judges.known import Known
from tests.simulation.judges.questions import is_stale

from duologue.model import limits
from duologue.model.content import (
    NfcObservation,
)
from duologue.model.errors import Code
from duologue.model.inputs import (
    UserTurn,
)
from duologue.model.replies import Accepted, Ignored, Rejected, Repeated, Reply


def judge_reply(known: Known, said: UserTurn, reply: Reply, now_ms: int) -> None:
    """Judge what a turn was answered with."""
    before = taken_before(known, said)
    if before is not None:
        turn, seq, first = before
        if is_same(first, said):
            assert reply == Repeated(turn=turn, seq=seq), f"a repeat of turn {turn}: {reply}"
        else:
            assert code_of(reply) is Code.TURN_CONFLICT, f"a conflict with turn {turn}: {reply}"
    elif known.ended:
        assert code_of(reply) is Code.SESSION_ENDED
    elif said.turn is not None and said.turn <= known.last_turn:
        assert code_of(reply) is Code.TURN_STALE
    elif not (said.text or said.observation or said.attachments or said.resume or said.tool_results):
        assert code_of(reply) is Code.BAD_MESSAGE
    elif (code := fault_of_answers(known, said, now_ms) or fault_of_shown(known, said, now_ms)) is not None:
        assert code_of(reply) is code, f"answers and results that do not fit: {reply}, not {code}"
    elif known.turn and said.if_busy == "refuse":
        assert code_of(reply) is Code.BUSY
    else:
        assert isinstance(reply, Accepted), f"a good turn was not taken: {reply}"
        assert reply.turn == (said.turn or known.last_turn + 1), "the turn's number"


def without_known_words(known: Known, said: UserTurn) -> UserTurn:
    """A turn without the words that the conversation has already."""
    told = said.message_id in {
        one.message_id for one in known.history[-limits.HISTORY_MESSAGES :] if one.role == "user"
    }
    if not told or not (said.resume or said.tool_results):
        return said
    return UserTurn(text="", message_id=said.message_id, tool_results=said.tool_results, tools=said.tools)


def fault_of_shown(known: Known, said: UserTurn, now_ms: int) -> Code | None:
    """What a turn is refused with that shows something which the agent asked for."""
    name = said.interaction_id
    if name is None:
        return None
    if name in known.expired:
        return Code.INTERRUPT_EXPIRED
    asked = name in known.being_said if known.turn else name in known.interrupts
    if not asked or name not in known.observed:
        return Code.UNKNOWN_INTERACTION
    modality, due_ms = known.observed[name]
    if now_ms >= due_ms:
        return Code.INTERRUPT_EXPIRED
    fits = isinstance(said.observation, NfcObservation) and modality == "nfc"
    return None if fits else Code.BAD_MESSAGE


def fault_of_answers(known: Known, said: UserTurn, now_ms: int) -> Code | None:
    """What the turn's answers and results are refused with; only the first of several is told."""
    open_ones = {name for name, one in known.interrupts.items() if not is_stale(known, one, now_ms)}
    if not said.resume and said.interaction_id is None and open_ones and said.if_asked == "refuse":
        return Code.INTERRUPTS_OPEN
    answered: set[str] = set()
    for answer in said.resume:
        name = answer.interrupt_id
        if name not in known.interrupts:
            return Code.INTERRUPT_CLOSED if name in known.decided else Code.INTERRUPT_UNKNOWN
        if name in answered:
            return Code.BAD_MESSAGE
        decides = answer.status == "resolved" and known.tools.approval_of(name) is not None
        if decides and answer.payload not in ({"approved": True}, {"approved": False}):
            return Code.BAD_MESSAGE
        if answer.status == "resolved" and is_stale(known, known.interrupts[name], now_ms):
            return Code.INTERRUPT_EXPIRED
        answered.add(name)
    if said.resume and open_ones - answered:
        return Code.INTERRUPTS_OPEN
    results = {result.call_id for result in said.tool_results}
    # What a run asks for is only to be run once it has ended.
    waiting = known.kept_waiting if known.turn else known.waiting
    if results - waiting - known.done_calls:
        return Code.TOOL_CALL_UNKNOWN
    anew = without_known_words(known, said)
    other = anew.text or anew.observation or anew.attachments or said.resume
    return Code.TOOL_CALL_CLOSED if results and not results & waiting and not other else None


def taken_before(known: Known, said: UserTurn) -> tuple[int, int, UserTurn] | None:
    key = said.idempotency_key or said.request_id
    by_number = -1 if said.turn is None else known.by_number.get(said.turn, -1)
    by_key = -1 if key is None else known.by_key.get(key, -1)
    place = max(by_number, by_key)
    return known.taken[place] if place >= max(0, len(known.taken) - limits.RECENT_TURNS) else None


def is_same(first: UserTurn, said: UserTurn) -> bool:
    return (first.text, first.attachments, first.observation, first.resume, first.tool_results) == (
        said.text,
        said.attachments,
        said.observation,
        said.resume,
        said.tool_results,
    )


def code_of(reply: Reply) -> Code | None:
    match reply:
        case Rejected(problem=problem):
            return problem.code
        case Accepted() | Repeated() | Ignored():
            return None
        case _:
            assert_never(reply)
