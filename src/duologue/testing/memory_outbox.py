"""An outbox in memory."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from duologue.ports.outbox import Counts, Cursor, DeadLetter, Hook, HookName

_Key: TypeAlias = tuple[str, HookName]


class MemoryOutbox:
    """A `ports.outbox.Outbox` that keeps everything in this object: closing and opening it again loses nothing."""

    def __init__(self) -> None:
        self._made = self._opened = False
        self._began_ms: int | None = None
        self._covered_ms: int | None = None
        self._hooks: dict[str, Hook] = {}
        self._cursors: dict[_Key, Cursor] = {}
        self._last: dict[_Key, int] = {}
        self._letters: dict[int, DeadLetter] = {}
        self._numbers = 0

    async def open(self, *, create: bool) -> bool:
        """Open it."""
        self._made = self._made or create
        self._opened = self._made
        return self._opened

    async def close(self) -> None:
        """Close it."""
        self._opened = False

    async def began_ms(self, now_ms: int) -> int:
        """When this was first asked."""
        self._began_ms = now_ms if self._began_ms is None else self._began_ms
        return self._began_ms

    async def end(self) -> None:
        """Forget the server's hook."""
        self._began_ms = None
        for key in [key for key in self._cursors if key[1] == "server"]:
            self._drop(key)

    async def covered_ms(self) -> int | None:
        """Before when everything was noted."""
        return self._covered_ms

    async def cover(self, ms: int) -> None:
        """Remember that."""
        self._covered_ms = ms

    async def note(self, last: Mapping[str, int], *, now_ms: int, everyone: bool) -> None:
        """Make cursors due."""
        for session_id, seq in last.items():
            if everyone and (session_id, "server") not in self._cursors:
                self._cursors[session_id, "server"] = Cursor(session_id=session_id, hook="server", seq=0)
            names: tuple[HookName, ...] = ("server", "session") if everyone else ("session",)
            for name in names:
                key: _Key = (session_id, name)
                cursor = self._cursors.get(key)
                if cursor is None:
                    continue
                self._last[key] = max(self._last.get(key, 0), seq)
                if seq > cursor.seq and cursor.due_ms is None:
                    self._cursors[key] = msgspec.structs.replace(cursor, due_ms=now_ms)

    async def due(self, now_ms: int, *, limit: int, without: frozenset[str]) -> Sequence[Cursor]:
        """List due cursors."""
        found = [one for one in self._cursors.values() if _due(one) <= now_ms and one.target not in without]
        return sorted(found, key=_due)[:limit]

    async def next_due_ms(self, after_ms: int) -> int | None:
        """When the next one becomes due."""
        times = [one.due_ms for one in self._cursors.values() if one.due_ms is not None and one.due_ms > after_ms]
        return min(times, default=None)

    async def advance(self, cursor: Cursor, *, seq: int) -> None:
        """Move a cursor on."""
        self._change(cursor, seq=seq, failures=0, error="")

    async def settle(self, cursor: Cursor, *, seq: int) -> None:
        """Move a cursor on to where nothing follows."""
        key = (cursor.session_id, cursor.hook)
        self._change(cursor, seq=seq, failures=0, error="")
        if self._last.get(key, 0) <= seq:
            self._change(cursor, due_ms=None)

    async def put_off(self, cursor: Cursor, *, seq: int, failures: int, due_ms: int, error: str) -> None:
        """Try again later."""
        here = self._cursors.get((cursor.session_id, cursor.hook))
        if here is not None and here.seq <= seq:
            self._change(cursor, seq=seq, failures=failures, error=error)
        self._change(cursor, due_ms=due_ms)

    async def bury(self, letter: DeadLetter, *, keep: int) -> None:
        """Keep a dead letter and go past it."""
        cursor = self._cursors.get((letter.session_id, letter.hook))
        if cursor is None:
            return
        await self.advance(cursor, seq=letter.seq)
        self._numbers += 1
        self._letters[self._numbers] = msgspec.structs.replace(letter, number=self._numbers)
        for number in sorted(self._letters)[:-keep]:
            del self._letters[number]

    async def cursors(self, session_id: str) -> Sequence[Cursor]:
        """List a session's cursors."""
        return [one for one in self._cursors.values() if one.session_id == session_id]

    async def skip(self, session_id: str, *, seq: int) -> None:
        """Begin the server's hook after an event."""
        self._cursors.setdefault((session_id, "server"), Cursor(session_id=session_id, hook="server", seq=seq))

    async def set_hook(self, session_id: str, hook: Hook, *, seq: int) -> None:
        """Give a session its hook."""
        self._hooks[session_id] = hook
        new = Cursor(session_id=session_id, hook="session", seq=seq)
        cursor = self._cursors.setdefault((session_id, "session"), new)
        self._change(cursor, target=hook.target)

    async def hook(self, session_id: str) -> Hook | None:
        """Read a session's hook."""
        return self._hooks.get(session_id)

    async def drop_hook(self, session_id: str) -> bool:
        """Remove a session's hook."""
        self._drop((session_id, "session"))
        return self._hooks.pop(session_id, None) is not None

    async def letters(self, *, before: int | None, limit: int) -> Sequence[DeadLetter]:
        """List dead letters."""
        found = [one for number, one in sorted(self._letters.items(), reverse=True) if not before or number < before]
        return found[:limit]

    async def letter(self, number: int) -> DeadLetter | None:
        """Read a dead letter."""
        return self._letters.get(number)

    async def failed_again(self, number: int, *, error: str, now_ms: int) -> None:
        """Count a failure."""
        if (letter := self._letters.get(number)) is not None:
            self._letters[number] = msgspec.structs.replace(
                letter, failures=letter.failures + 1, error=error, failed_ms=now_ms
            )

    async def discard(self, number: int) -> bool:
        """Remove a dead letter."""
        return self._letters.pop(number, None) is not None

    async def forget(self, session_ids: Sequence[str]) -> None:
        """Remove sessions."""
        for session_id in session_ids:
            self._hooks.pop(session_id, None)
            for name in _NAMES:
                self._drop((session_id, name))
        self._letters = {at: one for at, one in self._letters.items() if one.session_id not in session_ids}

    async def counts(self) -> Counts:
        """Count."""
        waiting = sum(one.due_ms is not None for one in self._cursors.values())
        return Counts(waiting=waiting, dead=len(self._letters))

    def _change(self, cursor: Cursor, **fields: int | str | None) -> None:
        key = (cursor.session_id, cursor.hook)
        if (here := self._cursors.get(key)) is not None:
            self._cursors[key] = msgspec.structs.replace(here, **fields)

    def _drop(self, key: _Key) -> None:
        self._cursors.pop(key, None)
        self._last.pop(key, None)


_NAMES: tuple[Literal["server"], Literal["session"]] = ("server", "session")


def _due(cursor: Cursor) -> float:
    return float("inf") if cursor.due_ms is None else cursor.due_ms
