"""Events beside the frames that protocols make of them, one JSON line each."""

from collections.abc import AsyncGenerator, Sequence
from typing import Final

import msgspec

from duologue.model import limits
from duologue.model.errors import Code, Problem, Refused
from duologue.model.events import AnyEvent
from duologue.model.hiding import hidden
from duologue.model.records import decode_events, last_seq
from duologue.ports.dialect import Dialect
from duologue.ports.store import SessionInfo, Store
from duologue.protocols.chat import ChatDialect
from duologue.server.context import Context
from duologue.server.looking.private import public

_encode: Final = msgspec.json.Encoder().encode


class Line(msgspec.Struct, frozen=True):
    """One event.

    Attributes:
        event: as the journal has it.
        frames: by protocol; `null` where one has no word for it.
    """

    sequence: int
    event: AnyEvent
    frames: dict[str, msgspec.Raw | None]


class Looking(ChatDialect):
    """Shows each event with what the given protocols make of it, so that a cursor can follow both.

    Not a protocol: it only writes, and what it refuses it refuses in the words of `/api`, which are chat's.
    """

    def __init__(self, dialects: Sequence[Dialect], *, all_of_it: bool, others: bool = False) -> None:
        super().__init__()
        self._dialects, self._all, self._others = tuple(dialects), all_of_it, others

    @property
    def name(self) -> str:
        """A name of its own for each choice of protocols: frames are kept by it."""
        sees = "looking" if self._all else "looking at one's own"
        if self._others:
            sees += ", not the person"
        return "+".join([sees, *(dialect.name for dialect in self._dialects)])

    def project(self, event: AnyEvent) -> bytes:
        """Write an event with its frames, as one line of JSON without its end."""
        if self._others:
            event = hidden(event)
        frames = {
            dialect.name: None if frame is None else msgspec.Raw(frame)
            for dialect in self._dialects
            for frame in (dialect.project(event),)
        }
        return _encode(Line(event.seq, event if self._all else public(event), frames))


def protocols(context: Context) -> dict[str, Dialect]:
    """All protocols of a server, by name."""
    return dict(sorted(context.dialects.items()))


def choose(known: dict[str, Dialect], wanted: str, *, all_of_it: bool, others: bool) -> Looking:
    """Choose protocols by their names, divided by commas; an empty text chooses none.

    Args:
        known: by name.
        wanted: the names.
        all_of_it: what is the staff's alone is shown as well.
        others: whoever looks is not the person: what tools hide is hidden.
    Raises:
        Refused: there is no protocol of such a name.
    """
    names = {name.strip() for name in wanted.split(",") if name.strip()}
    unknown = sorted(names - known.keys())
    if unknown:
        message = f"there is no protocol {unknown[0][:64]!r}; there are {', '.join(known)}"
        raise Refused(Problem(code=Code.BAD_MESSAGE, message=message))
    return Looking([dialect for name, dialect in known.items() if name in names], all_of_it=all_of_it, others=others)


async def lines(
    store: Store, info: SessionInfo, looking: Looking, *, after: int, limit: int | None = None
) -> AsyncGenerator[bytes, None]:
    """Write the events above `after`, up to the last one as of now, or `limit` of them.

    Raises:
        StoreError: the store cannot read now.
    Cancellation: safe.
    """
    after = max(after, info.first_seq - 1)
    last = info.last_seq if limit is None else min(info.last_seq, after + limit)
    async for events in read_events(store, info, after=after, last=last):
        yield b"".join([looking.project(event) + b"\n" for event in events])


async def read_events(
    store: Store, info: SessionInfo, *, after: int, last: int
) -> AsyncGenerator[list[AnyEvent], None]:
    """Read the events above `after` up to `last`, some at a time; ends early where they are removed meanwhile."""
    while after < last:
        records = await store.read(info.session_id, after=after, limit=min(limits.READ_EVENTS, last - after))
        if not records:
            return
        yield [event for event in decode_events(records) if after < event.seq <= last]
        after = last_seq(records)
