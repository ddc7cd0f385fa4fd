"""The port through which Duologue remembers who has been told what, and what could not be told."""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol
from urllib.parse import urlsplit

from duologue.model.base import Value

HookName = Literal["server", "session"]
"""Whose hook it is: the one in the settings, told of all sessions, or a session's own."""


class Hook(Value, kw_only=True):
    """Where notices of a session go.

    Attributes:
        url: http or https.
        secret: signs what is sent; never shown.
        kinds: which notices are sent; empty for all.
    """

    url: str
    secret: str
    kinds: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """The machine that it leads to: what shares a receiver's slowness."""
        return urlsplit(self.url).netloc

    def __repr__(self) -> str:
        return f"Hook({self.target})"


class Cursor(Value, kw_only=True):
    """How far one hook has come in one session.

    Attributes:
        target: the machine that it leads to; empty for the server's hook.
        seq: everything up to this event was sent, did not have to be, or is a dead letter.
        failures: how often the next notice has failed.
        due_ms: when to look again, ms since 1970; `None` where nothing is known to be waiting.
        error: why it last failed; empty where it has not.
    """

    session_id: str
    hook: HookName
    target: str = ""
    seq: int
    failures: int = 0
    due_ms: int | None = None
    error: str = ""


class DeadLetter(Value, kw_only=True):
    """A notice that was given up. The words stay in the journal alone.

    Attributes:
        number: its id in the outbox, from 1; 0 before it is kept.
        kind: what kind of notice.
        seq: the event that it tells of.
        at_ms: when that happened, ms since 1970.
        failures: how often sending it has failed.
        error: why it last failed.
        failed_ms: when, ms since 1970.
    """

    number: int = 0
    session_id: str
    hook: HookName
    kind: str
    seq: int
    at_ms: int
    failures: int
    error: str
    failed_ms: int


class Counts(Value, kw_only=True):
    """How many hooks of sessions have something waiting, and how many letters are dead."""

    waiting: int
    dead: int


class Outbox(Protocol):
    """Keeps cursors, sessions' own hooks and dead letters. One process uses one outbox, beside its store.

    It holds no words of a conversation. Every method may raise `StoreError`; nothing was then changed. Every method
    is safe to cancel; a write that had started is finished.
    """

    async def open(self, *, create: bool) -> bool:
        """Open it, making it only where `create` says so; whether it is open now. Harmless when it is open."""
        ...

    async def close(self) -> None:
        """Let go of everything. Harmless when called again."""
        ...

    async def began_ms(self, now_ms: int) -> int:
        """When this was first asked, as it said `now_ms` then: what is older is not sent to the server's hook."""
        ...

    async def end(self) -> None:
        """Forget the server's hook: its cursors, and when it began."""
        ...

    async def covered_ms(self) -> int | None:
        """Before when, ms since 1970, every change has been noted; `None` where `cover` was never called."""
        ...

    async def cover(self, ms: int) -> None:
        """Remember that every change before `ms` has been noted."""
        ...

    async def note(self, last: Mapping[str, int], *, now_ms: int, everyone: bool) -> None:
        """Note that sessions have events up to a number, so that their hooks are due, unless they have come so far.

        Args:
            last: the number, by session.
            now_ms: ms since 1970.
            everyone: the server's hook is told; its cursors are made where they are missing. Other cursors are not.
        """
        ...

    async def due(self, now_ms: int, *, limit: int, without: frozenset[str]) -> Sequence[Cursor]:
        """List the cursors that are due, longest first, but those of some targets."""
        ...

    async def next_due_ms(self, after_ms: int) -> int | None:
        """When the next cursor becomes due, of those that are not yet; `None` where there is none."""
        ...

    async def advance(self, cursor: Cursor, *, seq: int) -> None:
        """Move a cursor on to `seq`: the next notice has not failed yet. Nothing where it is gone."""
        ...

    async def settle(self, cursor: Cursor, *, seq: int) -> None:
        """Move a cursor on to `seq`, after which nothing was found: it is due no more, unless more was noted."""
        ...

    async def put_off(self, cursor: Cursor, *, seq: int, failures: int, due_ms: int, error: str) -> None:
        """Try again at `due_ms`. Nothing but that where the cursor is beyond `seq`, nothing where it is gone."""
        ...

    async def bury(self, letter: DeadLetter, *, keep: int) -> None:
        """Keep a dead letter, and move its cursor on past it, in one transaction; nothing where the cursor is gone.

        Of all letters the newest `keep` stay.
        """
        ...

    async def cursors(self, session_id: str) -> Sequence[Cursor]:
        """List a session's cursors."""
        ...

    async def skip(self, session_id: str, *, seq: int) -> None:
        """Let the server's hook begin after `seq`: what is before it was told elsewhere. Nothing where it has begun."""
        ...

    async def set_hook(self, session_id: str, hook: Hook, *, seq: int) -> None:
        """Give a session a hook of its own. A new one begins after `seq`; one that it had goes on where it is."""
        ...

    async def hook(self, session_id: str) -> Hook | None:
        """Read a session's own hook."""
        ...

    async def drop_hook(self, session_id: str) -> bool:
        """Remove a session's own hook and its cursor; false where there was none."""
        ...

    async def letters(self, *, before: int | None, limit: int) -> Sequence[DeadLetter]:
        """List dead letters, newest first; only those with a number below `before` where given."""
        ...

    async def letter(self, number: int) -> DeadLetter | None:
        """Read a dead letter."""
        ...

    async def failed_again(self, number: int, *, error: str, now_ms: int) -> None:
        """Count another failure of a dead letter."""
        ...

    async def discard(self, number: int) -> bool:
        """Remove a dead letter; false where there is none."""
        ...

    async def forget(self, session_ids: Sequence[str]) -> None:
        """Remove everything about sessions, beyond recovery from the outbox's own files."""
        ...

    async def counts(self) -> Counts:
        """Count."""
        ...
