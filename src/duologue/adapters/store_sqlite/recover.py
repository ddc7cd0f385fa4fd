"""After a start: what the spool holds that the database does not."""

from collections.abc import Sequence

import apsw
import msgspec

from duologue.adapters.store_sqlite.edits import removed_nos
from duologue.adapters.store_sqlite.heads import Head, Marked
from duologue.adapters.store_sqlite.schema import LAST_SEQ
from duologue.adapters.store_sqlite.spool import Spool, Spooled
from duologue.model.base import Value
from duologue.ports.store import Append, SessionMark
from duologue.sqlite.statements import number, run


class _Label(Value, frozen=True, kw_only=True):
    """What a marked record says before its lines."""

    session_id: str
    mark: SessionMark
    at_ms: int


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Label).decode


def label_line(append: Append, mark: SessionMark) -> bytes:
    """The line that stands before the lines of a record that comes with a mark, with its line end."""
    return _encode(_Label(session_id=append.session_id, mark=mark, at_ms=append.at_ms)) + b"\n"


def recovered(connection: apsw.Connection, spool: Spool) -> Sequence[Head]:
    """Make the heads of the sessions of which the spool holds more than the journal.

    A record that does not follow is left out: it is in the journal already, or a power cut took what came before it.
    """
    removed = removed_nos(connection)
    heads: dict[int, Head | None] = {}
    for record in spool.found():
        if record.no in removed:
            continue
        label = _decode(record.label) if record.label else None
        if record.no not in heads:
            heads[record.no] = _head(connection, record, label)
        head = heads[record.no]
        if head is None or record.first != head.last + 1:
            continue
        if label is not None:
            head.mark = Marked(mark=label.mark, at_ms=label.at_ms)
        if not head.spooled:
            head.begin = record.first
        head.spooled.append((record.last, record.place))
        head.last = record.last
    return [head for head in heads.values() if head is not None and head.spooled]


def next_no(connection: apsw.Connection) -> int:
    """The first session number that nothing in the folder knows."""
    highest = number(connection, "SELECT max(no) FROM sessions") or 0
    return max(highest, *removed_nos(connection), 0) + 1


def _head(connection: apsw.Connection, record: Spooled, label: _Label | None) -> Head | None:
    rows = run(connection, f"SELECT id, {LAST_SEQ} FROM sessions WHERE no = ?", (record.no,))
    if rows:
        session_id, last = rows[0]
        assert isinstance(session_id, str) and isinstance(last, int)
        return Head(session_id, record.no, last)
    if (
        label is None
        or record.first != 1
        or run(connection, "SELECT 1 FROM sessions WHERE id = ?", (label.session_id,))
    ):
        return None
    return Head(label.session_id, record.no, 0, created_ms=label.at_ms)
