"""Interrupts: what a run asks for before it can go on, and which answers are taken.

The next turn answers every open interrupt, each once; or none of them, which gives them all up where its sender
allows that. One that has expired can only be given up. Source: AG-UI 1.0, interrupts and resume.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from duologue.engine import approvals
from duologue.engine.state import OpenTurn, SessionState
from duologue.model import limits
from duologue.model.content import Answer, Interrupt
from duologue.model.errors import Code, Problem
from duologue.model.inputs import UserTurn


def unfit(interrupts: tuple[Interrupt, ...]) -> str | None:
    """What is wrong with what a run asks for; `None` where it can be asked."""
    ids = {one.interrupt_id for one in interrupts}
    if not interrupts or len(interrupts) > limits.INTERRUPTS:
        return f"{len(interrupts)} interrupts where 1 to {limits.INTERRUPTS} can be asked"
    if len(ids) < len(interrupts):
        return "two interrupts with the same id"
    return None


def expired(interrupt: Interrupt, now_ms: int) -> bool:
    """Whether an interrupt cannot be answered any more; a time that is no ISO 8601 never comes."""
    if interrupt.expires_at is None:
        return False
    try:
        moment = datetime.fromisoformat(interrupt.expires_at)
    except ValueError:
        return False
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.timestamp() * 1000 <= now_ms


def objection(state: SessionState, said: UserTurn, now_ms: int) -> Problem | None:
    """What is wrong with the answers that a turn brings to the open interrupts, or with its bringing none."""
    if not said.resume and said.interaction_id is None:
        open_ones = [one.interrupt_id for one in state.interrupts if not expired(one, now_ms)]
        return _uncovered(open_ones) if open_ones and said.if_asked == "refuse" else None
    if not said.resume:
        return None
    known = {one.interrupt_id: one for one in state.interrupts}
    seen: set[str] = set()
    for answer in said.resume:
        name = answer.interrupt_id
        if name not in known:
            return _no_such(state, name)
        if name in seen:
            return Problem(
                code=Code.BAD_MESSAGE, message=f"interrupt {name[:128]!r} is answered twice", path="$.resume"
            )
        if (wrong := approvals.unfit_answer(state, answer)) is not None:
            return wrong
        if answer.status == "resolved" and expired(known[name], now_ms):
            return Problem(
                code=Code.INTERRUPT_EXPIRED,
                message=f"interrupt {name[:128]!r} expired at {known[name].expires_at}; it can only be cancelled",
                path="$.resume",
            )
        seen.add(name)
    missing = [name for name, one in known.items() if name not in seen and not expired(one, now_ms)]
    return _uncovered(missing) if missing else None


def _uncovered(names: list[str]) -> Problem:
    return Problem(
        code=Code.INTERRUPTS_OPEN,
        message=f"the last run waits for answers; resolve or cancel every one of: {', '.join(names)[:512]}",
        path="$.resume",
    )


def _no_such(state: SessionState, name: str) -> Problem:
    if name in state.closed_interrupts:
        message = f"interrupt {name[:128]!r} has already been decided"
        return Problem(code=Code.INTERRUPT_CLOSED, message=message, path="$.resume")
    return Problem(code=Code.INTERRUPT_UNKNOWN, message=f"nothing was asked as {name[:128]!r}", path="$.resume")


def close(state: SessionState, answers: tuple[Answer, ...]) -> tuple[tuple[Answer, ...], tuple[Interrupt, ...]]:
    """Close all open interrupts at the begin of a turn, which brings these answers.

    Returns:
        What became of each, in the order in which they were asked; and the interrupts.
    """
    given = {answer.interrupt_id: answer for answer in answers}
    asked = tuple(state.interrupts)
    became = tuple(
        given.get(one.interrupt_id) or Answer(interrupt_id=one.interrupt_id, status="cancelled") for one in asked
    )
    state.interrupts, state.observations.open = [], []
    _note_closed(state, asked)
    return became, asked


def forget_unasked(state: SessionState) -> None:
    """Close what was to be observed, and is asked no more, as its answer was stopped before it was heard."""
    asked = {one.interrupt_id for one in state.interrupts}
    gone = [one.interaction_id for one in state.observations.open if one.interaction_id not in asked]
    state.observations.open = [one for one in state.observations.open if one.interaction_id in asked]
    state.closed_interrupts.extend(gone)
    del state.closed_interrupts[: -limits.RECENT_DECISIONS]


def being_said(turn: OpenTurn, interrupt_id: str) -> bool:
    """Whether the open answer, which is whole and still being heard, asks for this."""
    whole = None if turn.voice is None else turn.voice.whole
    return whole is not None and any(one.interrupt_id == interrupt_id for one in whole.interrupts)


def take_out(state: SessionState, interrupt_id: str) -> Interrupt | None:
    """Close one open interrupt by itself; `None` where it is not open."""
    found = next((one for one in state.interrupts if one.interrupt_id == interrupt_id), None)
    if found is not None:
        state.interrupts = [one for one in state.interrupts if one is not found]
        _note_closed(state, [found])
    return found


def _note_closed(state: SessionState, closed: Sequence[Interrupt]) -> None:
    state.closed_interrupts.extend(one.interrupt_id for one in closed)
    del state.closed_interrupts[: -limits.RECENT_DECISIONS]
