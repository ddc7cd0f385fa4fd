"""Reading what the database and the spool hold of a session as one.

What the spool holds is looked at first, and the database afterwards: what is moved meanwhile is then seen twice, and
not missed.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from duologue.adapters.store_sqlite.heads import Marked
from duologue.adapters.store_sqlite.lines import Row, beginning_after, span, window
from duologue.model.base import Value
from duologue.ports.store import Loaded, SessionInfo


class Pending(Value, frozen=True, kw_only=True):
    """What is durable of a session and may not be in the database.

    Attributes:
        last: the last durable event.
        mark: the latest mark, where it may not be in the database.
        created_ms: when the session began, where it may not be in the database at all.
        rows: the records from a number on, in order.
    """

    session_id: str
    last: int
    mark: Marked | None
    created_ms: int
    rows: Sequence[Row]


def info_with(stored: SessionInfo | None, pending: Pending) -> SessionInfo | None:
    """The row of the list, with what is pending."""
    mark = pending.mark
    if stored is None:
        # What is in the spool alone begins there; otherwise it was moved, and then removed, while this was looked for.
        if mark is None or not pending.rows or pending.rows[0][0] != 1:
            return None
        return SessionInfo(
            session_id=pending.session_id,
            mark=mark.mark,
            first_seq=1,
            last_seq=pending.last,
            epoch=0,
            created_ms=pending.created_ms,
            updated_ms=mark.at_ms,
        )
    last = max(stored.last_seq, pending.last)
    if mark is None:
        return replace(stored, last_seq=last)
    return replace(stored, last_seq=last, mark=mark.mark, updated_ms=mark.at_ms)


def loaded_with(stored: Loaded | None, pending: Pending) -> Loaded | None:
    """What a session is rebuilt from, with what is pending."""
    info = info_with(None if stored is None else stored.info, pending)
    if info is None:
        return None
    if stored is None:
        return Loaded(info=info, snapshot=None, snapshot_seq=0, lines=_after(pending.rows, 0))
    lines = stored.lines + beginning_after(_after(pending.rows, stored.info.last_seq), stored.snapshot_seq)
    return Loaded(info=info, snapshot=stored.snapshot, snapshot_seq=stored.snapshot_seq, lines=lines)


def read_with(stored: bytes, pending: Pending, *, after: int, limit: int) -> bytes:
    """The records that hold the next `limit` events above `after`, with what is pending."""
    last = span(stored[stored.rfind(b"\n", 0, -1) + 1 :])[1] if stored else after
    first = span(stored[: stored.find(b"\n")])[0] if stored else after + 1
    lines = stored + _after(pending.rows, last if stored else 0)
    return window(lines, after=max(after, first - 1), limit=limit)


def _after(rows: Sequence[Row], seq: int) -> bytes:
    return b"".join(lines for first, _, lines in rows if first > seq)
