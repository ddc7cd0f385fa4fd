"""The port through which Duologue keeps journals."""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol, TypeAlias

from duologue.model.base import Value
from duologue.model.content import Attachment
from duologue.model.errors import StoreError


class SessionMark(Value, kw_only=True):
    """What the list of sessions says of one, as of its latest change.

    Attributes:
        title: the first words of the conversation.
        turns: accepted turns so far.
        open_turn: a turn is accepted and not ended, or something else is open: a tool, an approval, something to
            observe, a handoff; on start such a session is taken up again.
        ended: the session is over.
    """

    subject: str
    agent: str
    title: str = ""
    turns: int = 0
    open_turn: bool = False
    ended: bool = False


class SessionInfo(Value, kw_only=True):
    """One row of the list of sessions.

    Attributes:
        first_seq: the first event that is still stored.
        last_seq: the last stored event.
        epoch: how often it was trimmed.
        created_ms: ms since 1970.
        updated_ms: ms since 1970 of the last change of `mark`.
    """

    session_id: str
    mark: SessionMark
    first_seq: int
    last_seq: int
    epoch: int
    created_ms: int
    updated_ms: int


Standing: TypeAlias = Literal["open", "answering", "ended"]
"""How a session stands: `answering` while a turn is open, `open` between turns."""


def standing_of(mark: SessionMark) -> Standing:
    """How a session stands."""
    return "ended" if mark.ended else "answering" if mark.open_turn else "open"


class Place(Value, kw_only=True):
    """A session's place in the list. No two have the same: pages that go on after one lose nothing.

    A session that changes meanwhile moves to the beginning of the list.
    """

    updated_ms: int
    session_id: str


class Append(Value, kw_only=True):
    """Records of one session, to be stored whole and in order.

    Attributes:
        lines: JSON lines (`model.records`), each with its line end.
        first_seq: number of the first event in `lines`; must be the stored last one plus 1.
        last_seq: number of the last event in `lines`.
        at_ms: when, ms since 1970.
        mark: the new mark where it changed; always given with `first_seq` 1.
        fresh: the caller knows that the store had no session of this id when it last asked, so it need not look.
        done: called once on the event loop's thread, unless `append` said that the records are durable; in the
            order of the appends of a session, with `None` when the records are durable, or with the error when
            nothing of this append was stored; after a failed append every later one of that session that was
            already handed in fails too.
    """

    session_id: str
    lines: bytes
    first_seq: int
    last_seq: int
    at_ms: int
    mark: SessionMark | None = None
    fresh: bool = False
    done: Callable[[StoreError | None], None]


class Loaded(Value, kw_only=True):
    """What a session is rebuilt from: a snapshot, and the records after it.

    Attributes:
        snapshot: encoded state as of `snapshot_seq`; `None` to fold from the start.
        lines: JSON lines of all records that begin after `snapshot_seq`.
    """

    info: SessionInfo
    snapshot: bytes | None
    snapshot_seq: int
    lines: bytes


class Blob(Value, kw_only=True):
    """An upload: what it is, whose it is, and its bytes. `session_id` is empty where it belongs to none yet."""

    attachment: Attachment
    subject: str
    session_id: str
    at_ms: int
    data: bytes


class Store(Protocol):
    """Keeps the journals of all sessions. One process writes to one store.

    Every method but `append` may raise `StoreError`, whose message says what to do; nothing was then changed.
    Every awaited method is safe to cancel; a write that had started is finished.
    """

    async def open(self) -> None:
        """Open it, making what is missing.

        Raises:
            StoreError: it is locked by another process, damaged, not ours, newer than this version, or not writable.
        """
        ...

    async def close(self) -> None:
        """Store what was handed in, then let go of everything. Harmless when called again."""
        ...

    def append(self, append: Append) -> bool:
        """Hand in records without waiting. Never raises.

        Returns:
            True where they are durable already, and all that was handed in of that session before; then
            `append.done` is not called. False: `append.done` tells how it went, later.
        """
        ...

    def append_at_once(self, session_id: str, seq: int, line: bytes, /) -> bool:
        """Keep a record of one event, if nothing has to be waited for: the way of every token. Never raises.

        Args:
            seq: the event's number, the stored last one plus 1.
            line: the record, with its line end; nothing that changes the session's mark.
        Returns:
            True where it is durable. False: nothing was done, and `append` is to be asked; always so while something
            of the session is not durable that was handed in before.
        """
        ...

    async def load(self, session_id: str) -> Loaded | None:
        """Read what a session is rebuilt from; `None` where there is none."""
        ...

    async def info(self, session_id: str) -> SessionInfo | None:
        """Read one row of the list of sessions; `None` where there is none."""
        ...

    async def read(self, session_id: str, *, after: int, limit: int) -> bytes:
        """Read records that hold events numbered above `after`, in order.

        Returns:
            JSON lines; the first record may begin with events up to `after`. Stops after the record that reaches
            `limit` events; empty where there are none.
        """
        ...

    async def save_snapshot(self, session_id: str, *, seq: int, state: bytes) -> None:
        """Keep the state as of event `seq` in place of the earlier snapshot."""
        ...

    async def trim(self, session_id: str, *, line: bytes, seq: int, state: bytes) -> None:
        """Remove everything up to event `seq`, and leave `line` (a record with one event, `seq`) in its place.

        The epoch rises by 1 and `state` becomes the snapshot as of `seq`, in one transaction.
        """
        ...

    async def list_sessions(
        self,
        *,
        subject: str | None = None,
        before_ms: int | None = None,
        after: Place | None = None,
        standing: Standing | None = None,
        limit: int = 100,
    ) -> Sequence[SessionInfo]:
        """List sessions, latest change first, those of one ms by falling id.

        Args:
            subject: only this person's.
            before_ms: only those changed before.
            after: only those that follow this place in the list; nobody has to stand there any more.
            standing: only those that stand so.
            limit: most of them.
        """
        ...

    async def interrupted(self) -> Sequence[str]:
        """List the sessions that have an open turn."""
        ...

    async def delete_session(self, session_id: str) -> bool:
        """Remove a session with its uploads, beyond recovery from the store's own files; false where there is none."""
        ...

    async def delete_subject(self, subject: str) -> Sequence[str]:
        """Remove everything about a person, beyond recovery; returns the ids of the removed sessions."""
        ...

    async def import_session(self, info: SessionInfo, *, lines: bytes, state: bytes) -> None:
        """Store a whole session at once: its records, and its state as of the last one.

        Raises:
            StoreConflict: a session of that id exists; it is unchanged.
        """
        ...

    async def put_blob(self, blob: Blob) -> None:
        """Keep an upload. The same id again replaces nothing and is no error."""
        ...

    async def get_blob(self, upload_id: str) -> Blob | None:
        """Read an upload; `None` where there is none."""
        ...
