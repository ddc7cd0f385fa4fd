"""Retention: long journals lose their beginning; a snapshot and an epoch stand in its place."""

from duologue.engine import replay
from duologue.model.events import HistoryTrimmed
from duologue.model.inputs import HistoryDropped
from duologue.model.records import Record, encode_record
from duologue.ports.store import Store
from duologue.runtime.session import LiveSession


def note_point(session: LiveSession, *, retain_events: int) -> None:
    """Remember a quiet moment up to which the journal can be trimmed later, once enough has followed it."""
    if retain_events and session.trim_point is None and session.quiet:
        session.trim_point = (session.stored_seq, replay.snapshot(session.state))


async def trim(session: LiveSession, *, store: Store, retain_events: int, now_ms: int) -> bool:
    """Trim a session up to its remembered moment, if at least `retain_events` events have followed it.

    Raises:
        StoreError: the store cannot do it now; nothing was removed.
    """
    if not retain_events or session.trim_point is None:
        return False
    seq, state = session.trim_point
    if session.stored_seq - seq < retain_events or seq <= session.first_seq:
        return False
    then = replay.restore(state)
    stands_in = HistoryTrimmed(
        seq=seq,
        at_ms=then.at_ms,
        state=then.state,
        epoch=session.epoch + 1,
        messages=tuple(then.history),
        interrupts=tuple(then.interrupts),
    )
    line = encode_record(Record(at_ms=now_ms, input=HistoryDropped(), events=(stands_in,)))
    await store.trim(then.session_id, line=line, seq=seq, state=state)
    session.first_seq, session.epoch, session.trim_point = seq, session.epoch + 1, None
    session.tail.clear()
    return True
