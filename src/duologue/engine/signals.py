"""Signals: which estimates hold, and what follows from them.

One estimate of each kind holds about each message, each turn, and the session. It is replaced by one that has read more
(a turn that has grown, a session that went on), by a better source (rule, local, model, server), and by the same source
anew; but who is quite unsure does not replace who is sure. What does not replace is not told.
"""

from typing import Final

from duologue.engine import escalation
from duologue.engine.progress import Progress
from duologue.engine.signals_state import RANKS, Signals, Standing
from duologue.engine.state import SessionState, TurnMark
from duologue.model import limits
from duologue.model.errors import Code, Problem
from duologue.model.inputs import SignalsEstimated
from duologue.model.replies import Accepted, Ignored, Rejected, Reply
from duologue.model.signals import Signal, SignalUpdated

UNSURE: Final = 0.25
"""An estimate with less confidence replaces none that has more: of seven moods, the likeliest is never below 1/7."""


def take(step: Progress, happened: SignalsEstimated) -> Reply:
    """Keep what is better than what is known, tell it, and ask for a handoff where a rule says so."""
    state = step.state
    if state.ended:
        return Rejected(problem=Problem(code=Code.SESSION_ENDED, message="the session has ended; open a new one"))
    mark = _about(state, happened)
    if mark is None:
        name = happened.message_id[:128] or happened.of_turn
        problem = Problem(code=Code.BAD_MESSAGE, message=f"nothing is known of turn or message {name!r}", path="$.turn")
        return Rejected(problem=problem)
    kept = state.signals or Signals()
    first = state.seq + 1
    for signal in happened.signals:
        _keep(step, kept, _standing(happened, mark, signal), mark=mark, latency_ms=happened.latency_ms)
    if not step.events:
        return Ignored()
    del kept.standing[: -limits.SIGNALS_KEPT]
    state.signals = kept
    escalation.ask(step, kept, happened.rules)
    return Accepted(turn=mark.number, seq=first)


def replaces(new: Standing, old: Standing) -> bool:
    """Whether an estimate takes the place of one of the same kind about the same."""
    if new.of_turn != old.of_turn:
        return new.of_turn > old.of_turn
    if new.of_seq and old.of_seq and new.of_seq != old.of_seq:
        return new.of_seq > old.of_seq
    if new.signal == old.signal and new.source == old.source:
        return False
    if RANKS[new.source] == RANKS[old.source]:
        return True
    sure, was_sure = new.signal.confidence >= UNSURE, old.signal.confidence >= UNSURE
    return sure if sure != was_sure else RANKS[new.source] > RANKS[old.source]


def _about(state: SessionState, happened: SignalsEstimated) -> TurnMark | None:
    """The turn that an estimate is about, by its number or its message; of a session, the latest one."""
    turn, message_id = happened.of_turn, happened.message_id
    if happened.scope == "session" and not turn and not message_id:
        return state.marks[-1] if state.marks else None
    for mark in reversed(state.marks):
        if mark.number == turn or (not turn and message_id and mark.message_id == message_id):
            return mark if message_id in ("", mark.message_id) else None
    return None


def _standing(happened: SignalsEstimated, mark: TurnMark, signal: Signal) -> Standing:
    return Standing(
        of_turn=mark.number,
        scope=happened.scope,
        signal=signal,
        source=happened.source,
        adapter=happened.adapter,
        message_id=mark.message_id if happened.scope == "message" else "",
        of_seq=happened.of_seq,
    )


def _keep(step: Progress, kept: Signals, new: Standing, *, mark: TurnMark, latency_ms: float) -> None:
    place = _place(kept, new)
    if place is None:
        kept.standing.append(new)
    elif replaces(new, kept.standing[place]):
        kept.standing[place] = new
    else:
        return
    # Not by `emit`: it is told of the turn that it is about, whichever is open now.
    state = step.state
    state.seq += 1
    step.events.append(
        SignalUpdated(
            seq=state.seq,
            at_ms=step.now_ms,
            state=state.state,
            turn=mark.number,
            request_id=mark.request_id,
            response_id=mark.response_id,
            signal=new.signal,
            source=new.source,
            adapter=new.adapter,
            scope=new.scope,
            message_id=new.message_id,
            latency_ms=latency_ms,
            replaces=place is not None,
            of_turn=mark.number,
        )
    )


def _place(kept: Signals, new: Standing) -> int | None:
    """Where the estimate stands that is of the same kind and about the same; `None` where there is none."""
    for place in range(len(kept.standing) - 1, -1, -1):
        one = kept.standing[place]
        same = one.scope == new.scope and type(one.signal) is type(new.signal)
        if same and (new.scope == "session" or one.of_turn == new.of_turn):
            return place
    return None
