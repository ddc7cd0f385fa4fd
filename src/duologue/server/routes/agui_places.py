"""Places in a thread's journal: where a stream of AG-UI goes on, and what its client needs to follow it from there."""

from typing import NamedTuple

from duologue.engine.history import before, said_in
from duologue.engine.state import OpenTurn, TurnMark
from duologue.model import limits
from duologue.model.content import Message
from duologue.model.events import (
    ActingEvent,
    AnyEvent,
    ResponseEnded,
    ResponseFailed,
    ResponseStarted,
    TextCompleted,
    TextStarted,
    TurnEnded,
    TurnResumed,
)
from duologue.protocols.agui import AguiDialect, stands
from duologue.runtime.session import LiveSession
from duologue.server.context import Context


class Place(NamedTuple):
    """A place in a run.

    Attributes:
        began: the run's begin.
        message: the message in whose middle the place is.
        last: the number that it is behind; never that of the end, which a stream has to have.
        told: what came before the run began and its client has not had: what happened since the run before, and what
            was decided of the turn, such as who answers.
    """

    began: ResponseStarted
    message: TextStarted | None
    last: int
    told: list[bytes]


class Followed(NamedTuple):
    """A place in a thread: the messages that were told up to there, and the message in whose middle it is."""

    history: list[Message]
    message: TextStarted | None


def mark_of(session: LiveSession, turn: int) -> TurnMark | None:
    """What is kept of a turn; of the oldest nothing is."""
    return next((mark for mark in reversed(session.state.marks) if mark.number == turn), None)


def begins(session: LiveSession, going_on: OpenTurn) -> int:
    """The number of the event that opened a turn that is going on, for the first time or again."""
    mark = mark_of(session, going_on.number)
    return going_on.began_seq or (mark.seq if mark is not None else session.stored_seq)


def messages_before(session: LiveSession, going_on: OpenTurn) -> list[Message]:
    """The messages before a turn that is going on; one that was taken up again has some already."""
    if going_on.resumed is not None:
        return list(session.state.history)
    return before(session.state, going_on.number)


async def place(context: Context, session: LiveSession, *, turn: int, seq: int, after: int) -> Place:
    """Find the place in the run of a turn, opened now or again with `seq`, of a client that has all up to `after`."""
    dialect = context.dialect(AguiDialect)
    began: ResponseStarted | None = None
    message: TextStarted | None = None
    last, over = seq, False
    mark = mark_of(session, turn)
    since = mark.after if mark is not None and mark.seq == seq else session.state.ended_seq
    told = await since_last_run(context, session, after=max(since, after), until=seq - 1)
    with context.hub.follow(session, dialect=dialect, after=seq - 1, only_turn=turn) as cursor:
        while began is None or (not over and last < after and cursor.stop is None and cursor.seq < session.stored_seq):
            for event in await cursor.events():
                if began is None and isinstance(event, ResponseStarted):
                    began, last = event, event.seq
                elif began is None and isinstance(event, ActingEvent):
                    frame = dialect.project(event) if event.seq > after else None
                    told += [] if frame is None else [frame]
                elif began is not None and last < event.seq <= after and not over:
                    # What follows the end is no place in the run: nothing more of it would come.
                    over = _ends(event)
                    message, last = (message, last) if over else (_opened(event, message), event.seq)
    return Place(began, message, last, told)


async def since_last_run(context: Context, session: LiveSession, *, after: int, until: int) -> list[bytes]:
    """Write what still stands of what happened since a run ended and before the next: no stream of a run has told it.

    Args:
        after: number of the end of the run before, or the last that the client has.
        until: the last number before the next run.
    """
    begin = max(after, until - limits.BETWEEN_EVENTS, session.first_seq - 1)
    dialect = context.dialect(AguiDialect)
    written = [dialect.project(event) for event in await _read(context, session, begin, until) if stands(event)]
    return [frame for frame in written if frame is not None]


async def followed(context: Context, session: LiveSession, after: int) -> Followed:
    """Find the place behind a number in a thread."""
    state = session.state
    mark = next((mark for mark in reversed(state.marks) if mark.seq <= after), None)
    if mark is None:
        return Followed([], None)
    message: TextStarted | None = None
    over = False
    for event in await _read(context, session, max(mark.seq, session.first_seq) - 1, after):
        message = _opened(event, message)
        over = isinstance(event, TurnEnded | TurnResumed) or over
    if over:
        return Followed(before(state, mark.number + 1), message)
    going_on = state.open
    if going_on is not None and going_on.number == mark.number:
        said = said_in(going_on)
    else:
        said = [one for one in state.history if one.turn == mark.number and one.role == "user"]
    return Followed(before(state, mark.number) + said, message)


async def _read(context: Context, session: LiveSession, after: int, until: int) -> list[AnyEvent]:
    """The events that follow `after`, up to `until`."""
    found: list[AnyEvent] = []
    if until <= after:
        return found
    with context.hub.follow(session, dialect=context.dialect(AguiDialect), after=after) as cursor:
        while cursor.stop is None and cursor.seq < until:
            found += await cursor.events()
    return [event for event in found if event.seq <= until]


def _ends(event: AnyEvent) -> bool:
    """Whether it is the end of a run, or follows it."""
    match event:
        case ResponseEnded():
            return not (event.superseded or event.outcome == "replaced")
        case ResponseFailed(will_retry=will_retry):
            return not will_retry
        case _:
            return False


def _opened(event: AnyEvent, message: TextStarted | None) -> TextStarted | None:
    """Which message is open after an event."""
    match event:
        case TextStarted():
            return event
        case TextCompleted() | ResponseFailed():
            return None
        case _:
            return message
