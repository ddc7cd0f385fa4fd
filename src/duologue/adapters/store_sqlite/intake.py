"""The intake: takes appends on the event loop's thread, and has them moved into the database behind its back."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

import apsw

from duologue.adapters.store_sqlite import bounds
from duologue.adapters.store_sqlite.errors import gone
from duologue.adapters.store_sqlite.heads import Head, Heads, Marked
from duologue.adapters.store_sqlite.jobs import Job
from duologue.adapters.store_sqlite.orders import Order, Then
from duologue.adapters.store_sqlite.overlay import Pending
from duologue.adapters.store_sqlite.recover import label_line
from duologue.adapters.store_sqlite.schema import Durability
from duologue.adapters.store_sqlite.spool import index_of
from duologue.adapters.store_sqlite.syncs import Syncs
from duologue.adapters.store_sqlite.writer import Desk, Writer
from duologue.model.errors import StoreError
from duologue.ports.store import Append


class Intake:
    """Writes each append into the spool, where it is durable at once, and knows what of it is still to be moved.

    An append that cannot be taken at once is parked, and so is everything of that session behind it: because the
    session has to be looked up, because the spool is full, or because the database takes nothing more. Parked appends
    are bounded by those who hand them in (`BACKLOG_RECORDS` per session).
    With `power`, the disk is waited for (`Syncs`).

    Attributes:
        heads: of the sessions that it knows.
        importing: sessions that may come to be behind its back; they are looked up, whatever the caller knows.
        removing: sessions that are about to be removed; what was found of them by then is not believed.
    """

    def __init__(self, desk: Desk, writer: Writer, *, durability: Durability) -> None:
        self._writer, self._spool = writer, desk.spool
        self.heads = Heads(desk.found, next_no=desk.next_no)
        # Of those, what `append_at_once` may add to: none while anything has to wait, which is looked at when that
        # changes and not for every token.
        self._known: dict[str, Head] = {}
        self._loop = asyncio.get_running_loop()
        self._at_once = durability == "process"
        self._parked: dict[str, deque[Append]] = {}
        self._without_room: set[str] = set()
        self._failed: dict[str, StoreError] = {}
        # Why the database takes nothing more; a disk that failed is not trusted again.
        self._stuck = desk.stuck
        self._broken: StoreError | None = None
        # Whether the short way is barred for everybody.
        self._barred = desk.stuck is not None
        self._moving = self._closing = False
        self._syncs = Syncs(self._order, synced=self._synced, over=self._look_idle)
        self.importing: set[str] = set()
        self.removing: list[frozenset[str]] = []
        self._rest: asyncio.TimerHandle | None = None
        self._idle = asyncio.Event()
        self._look_who_waits()
        if self.heads.dirty:
            self._rest_later()

    def append_at_once(self, session_id: str, seq: int, line: bytes, /) -> bool:
        """Take a record of one event in; see the port. The way of every token, and kept short."""
        head = self._known.get(session_id)
        if head is None or head.last + 1 != seq:
            return False
        place = self._spool.write(head.no, seq, seq, line)
        if place is None:
            return False
        if not head.spooled:
            self._soil(head)
        head.spooled.append((seq, place))
        head.last = seq
        return True

    def append(self, append: Append) -> bool:
        """Take an append in; see the port."""
        head = self.heads.known.get(append.session_id)
        if head is None or self._barred or self._parked or self._failed:
            return self._take_slowly(append, head)
        first = append.first_seq
        if first != head.last + 1 or append.mark is not None:
            return self._take_slowly(append, head)
        last = append.last_seq
        place = self._spool.write(head.no, first, last, append.lines)
        if place is None:
            return self._take_slowly(append, head)
        spooled = head.spooled
        if not spooled:
            self._soil(head)
        spooled.append((last, place))
        head.last = last
        return self._at_once or self._syncs.later(append)

    async def settle(self, session_id: str | None = None) -> None:
        """Have what the spool holds of a session, or of all, moved into the database.

        What was handed in of it before is taken in first.

        Raises:
            StoreError: the database takes nothing more.
        """
        await self.taken(session_id)
        dirty = self.heads.dirty
        known = self.heads.known.get(session_id) if session_id is not None else None
        heads = tuple(dirty.values()) if session_id is None else (known,) if known is not None and known.spooled else ()
        if heads:
            await self._writer.ask(Job(lambda desk: desk.move(heads, empty=False)))
            self.heads.cut(heads)

    def holds(self, session_id: str) -> bool:
        """Tell whether there is more of a session than the database has."""
        head = self.heads.known.get(session_id)
        return session_id in self._parked or (head is not None and bool(head.spooled))

    def pending(self, session_id: str, *, after: int = 0, limit: int = bounds.SEQ_MAX) -> Pending | None:
        """Tell what is durable of a session and may not be in the database; `None` where nothing is.

        Args:
            after: wanted are events above it.
            limit: at most how many of them.
        """
        head = self.heads.known.get(session_id)
        if head is None or not head.spooled:
            return None
        durable = head.last if self._at_once else head.synced
        index = index_of(head.spooled, after + 1)
        # One record holds at least one event.
        places = [place for place in head.spooled[index : index + limit] if place[0] <= durable]
        begin = head.spooled[index - 1][0] + 1 if index else head.begin
        rows = self._spool.rows(places, begin=begin, above=after)
        mark, created_ms = head.mark, head.created_ms
        return Pending(session_id=session_id, last=durable, mark=mark, created_ms=created_ms, rows=rows)

    def interrupted(self, stored: Sequence[str]) -> Sequence[str]:
        """Tell the sessions with an open turn, from those that the database knows and what the spool adds."""
        marks = {head.session_id: head.mark for head in self.heads.dirty.values() if head.mark is not None}
        still = [name for name in stored if name not in marks]
        return [*still, *(name for name, marked in marks.items() if marked.mark.open_turn)]

    async def close(self) -> None:
        """Have everything moved that was taken in; nothing may be handed in any more."""
        self._closing = True
        self._look_who_waits()
        while self._parked or self._failed or self._syncs.busy or self._moving:
            await self._change()
        if self._rest is not None:
            self._rest.cancel()
        heads = tuple(self.heads.dirty.values())

        def last(desk: Desk) -> None:
            desk.move(heads, empty=False)
            desk.spool.clear()

        try:
            await self._writer.ask(Job(last))
        except StoreError:
            # It is all in the spool, and the next start tries again.
            return

    async def taken(self, session_id: str | None = None) -> None:
        """Wait until nothing of a session, or of all, is parked."""
        while self._parked if session_id is None else session_id in self._parked:
            await self._change()

    async def _change(self) -> None:
        self._idle.clear()
        await self._idle.wait()

    # ---- the long way

    def _take_slowly(self, append: Append, head: Head | None) -> bool:
        session_id = append.session_id
        error = self._failed.get(session_id) or self._broken
        if error is not None:
            return self._refuse(append, error)
        if session_id in self._parked:
            self._parked[session_id].append(append)
            return False
        if head is None and append.fresh and append.mark is not None and session_id not in self.importing:
            head = self._begin(append)
        if head is None:
            self._parked[session_id] = deque((append,))
            self._look_who_waits()
            self._look_up(session_id)
            return False
        error = head.misfit(append)
        if error is not None:
            return self._refuse(append, error)
        if self._fits(append, head):
            return self._at_once or self._syncs.later(append)
        self._parked[session_id] = deque((append,))
        self._look_who_waits()
        return False

    def _fits(self, append: Append, head: Head) -> bool:
        """Write an append that follows; false where that has to wait, and then what it waits for is ordered."""
        mark = append.mark
        before = b"" if mark is None else label_line(append, mark)
        payload = before + append.lines
        if len(payload) > self._spool.largest:
            self._store_large(append, head)
            return False
        first, last = append.first_seq, append.last_seq
        place = None if self._barred else self._spool.write(head.no, first, last, payload, len(before))
        if place is None:
            self._without_room.add(append.session_id)
            self._make_room()
            return False
        if mark is not None:
            head.mark = Marked(mark=mark, at_ms=append.at_ms)
        if not head.spooled:
            self._soil(head)
        head.spooled.append((last, place))
        head.last = last
        return True

    def _begin(self, append: Append) -> Head:
        head = Head(append.session_id, self.heads.number(), 0, created_ms=append.at_ms)
        self.heads.keep(head)
        return head

    def _look_up(self, session_id: str) -> None:
        def looked(desk: Desk) -> None:
            found.append(desk.edits.find(session_id))

        def then(error: StoreError | None) -> None:
            if error is not None:
                self._refuse_parked(session_id, error)
                return
            if session_id in self.importing or any(session_id in names for names in self.removing):
                # It was looked for before it was removed or stored.
                self._look_up(session_id)
                return
            place = found[0]
            first = self._parked[session_id][0]
            if session_id in self.heads.known:
                # It came back meanwhile, as removing it failed: its head knows more than the database.
                pass
            elif place is not None:
                self.heads.keep(Head(session_id, *place))
            elif first.mark is not None and first.first_seq == 1:
                self._begin(first)
            else:
                self._refuse_parked(session_id, gone())
                return
            self._unpark(session_id)

        found: list[tuple[int, int] | None] = []
        self._order(looked, then)

    def _store_large(self, append: Append, head: Head) -> None:
        """Bring what no half of the spool can hold into the database itself."""
        row = (append.first_seq, append.last_seq, append.lines)
        mark = head.mark if append.mark is None else Marked(mark=append.mark, at_ms=append.at_ms)

        def then(error: StoreError | None) -> None:
            session_id = append.session_id
            if error is not None:
                self._refuse_parked(session_id, error)
                return
            head.last, head.mark = append.last_seq, mark
            self.heads.cut((head,))
            self._parked[session_id].popleft()
            self._stored(append)
            self._unpark(session_id)

        self._order(lambda desk: desk.move_large(head, row, mark), then)

    def _unpark(self, session_id: str) -> None:
        """Take parked appends in, as far as that goes now."""
        parked = self._parked[session_id]
        while parked:
            append = parked[0]
            head = self.heads.known.get(session_id)
            if head is None:
                # Put out while it waited: it is looked up again, since the session may well be there.
                self._look_up(session_id)
                return
            error = head.misfit(append)
            if error is not None:
                self._refuse_parked(session_id, error)
                return
            if not self._fits(append, head):
                return
            parked.popleft()
            self._stored(append)
        del self._parked[session_id]
        self._look_who_waits()
        self._look_idle()

    # ---- refusing

    def _refuse(self, append: Append, error: StoreError) -> bool:
        """Have the caller told; what it hands in of the session before it knows fails as well."""
        self._failed[append.session_id] = error
        self._look_who_waits()
        self._loop.call_soon(self._tell_failure, append, error)
        return False

    def _refuse_parked(self, session_id: str, error: StoreError) -> None:
        for append in self._parked.pop(session_id, ()):
            self._refuse(append, error)
        self._look_who_waits()

    def _tell_failure(self, append: Append, error: StoreError) -> None:
        self._failed.pop(append.session_id, None)
        self._look_who_waits()
        self._tell(append, error)
        self._look_idle()

    def _stored(self, append: Append) -> None:
        """Tell the caller, though not before those whose appends still wait for the disk."""
        if self._at_once:
            self._tell(append, None)
        else:
            self._syncs.later(append)

    def _tell(self, append: Append, error: StoreError | None) -> None:
        try:
            append.done(error)
        # One caller's mistake is not another's: the others are told all the same.
        except Exception as caught:  # noqa: BLE001
            context = {"message": "an append's `done` raised", "exception": caught}
            self._loop.call_exception_handler(context)

    def _look_idle(self) -> None:
        self._idle.set()

    def _look_who_waits(self) -> None:
        waits = self._barred or self._parked or self._failed or self._closing or not self._at_once
        self._known = {} if waits else self.heads.known

    # ---- moving

    def _soil(self, head: Head) -> None:
        """Say that something is spooled of a session; before its `last` goes on."""
        head.begin = head.last + 1
        self.heads.dirty[head.no] = head
        if self._rest is None:
            self._rest_later()

    def _rest_later(self) -> None:
        self._rest = self._loop.call_later(bounds.REST_S, self._look, self._spool.position)

    def _look(self, position: int) -> None:
        """Move everything when nothing came for a while; what failed is tried again then, too."""
        self._rest = None
        if not self.heads.dirty and not self._spool.frozen:
            return
        if self._stuck is not None or position == self._spool.position:
            self._make_room()
        self._rest_later()

    def _make_room(self) -> None:
        """Freeze what came in so far, where the other half is free, and have the frozen half moved."""
        if self._moving:
            return
        self._moving = True
        if not self._spool.frozen:
            self._spool.turn()
        heads = tuple(self.heads.dirty.values())
        self._order(lambda desk: desk.move(heads, empty=True), lambda error: self._moved(heads, error))

    def _moved(self, heads: Sequence[Head], error: StoreError | None) -> None:
        self._moving = False
        self.heads.cut(heads)
        self._stuck = error
        # While only another program is in the way, the spool goes on as long as it has room.
        self._barred = error is not None and not isinstance(error.__cause__, apsw.BusyError)
        self._look_who_waits()
        if error is None:
            self._spool.free()
        waiting, self._without_room = self._without_room, set()
        for session_id in waiting:
            if error is not None:
                self._refuse_parked(session_id, error)
            else:
                self._unpark(session_id)
        self._look_idle()

    def _order(self, work: Callable[[Desk], None], then: Then) -> None:
        self._writer.put(Order(work, then, self._loop))

    # ---- syncing

    def _synced(self, batch: Sequence[Append], error: StoreError | None) -> None:
        if error is not None:
            self._broken, self._barred = error, True
            self._look_who_waits()
        for append in batch:
            head = self.heads.known.get(append.session_id)
            if error is None and head is not None:
                head.synced = append.last_seq
            self._tell(append, error)
