"""Finding sessions by their titles and by what was said in them.

There is no index: it would be a second copy of what people said, to be written beside every turn and overwritten
on deletion. What a session remembers of its conversation lies in its snapshot, all in one place, so that looking
through it costs 0.3 ms (ten turns, 6 KB; 0.2 ms of CPU). A search looks through a bounded number of sessions, the
latest first, and says where it got to.
"""

import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import Final, Literal

import msgspec

from duologue.model import limits
from duologue.model.base import Value
from duologue.model.content import Message
from duologue.model.errors import StoreConflict
from duologue.model.events import HistoryTrimmed, TextCompleted, TurnAccepted
from duologue.model.records import decode_events, last_seq
from duologue.ports.store import Place, SessionInfo, Standing, Store
from duologue.server.looking.places import place_of

AROUND_CHARS: Final = 60
"""How much of a text is shown before and behind the first word that was found: about two lines in all."""

Where = Literal["title", "user", "assistant"]


class Query(Value, kw_only=True):
    """What is looked for.

    Attributes:
        subject: whose sessions; `None` for everybody's.
        text: words that one message, or the title, has to hold, all of them, as parts of words, upper case or lower.
        after: the place to go on from.
        limit: most sessions found.
    """

    subject: str | None = None
    standing: Standing | None = None
    text: str = ""
    after: Place | None = None
    limit: int = limits.SESSIONS_LISTED


class Match(Value, kw_only=True):
    """Where the words were found; `turn` is 0 in a title."""

    where: Where
    turn: int = 0
    excerpt: str = ""


class Hit(Value, kw_only=True):
    """A session that was found."""

    info: SessionInfo
    match: Match | None = None


class Found(Value, kw_only=True):
    """One page.

    Attributes:
        next: where to go on, also where nothing was found so far; `None` where nothing is left.
        looked_through: sessions that were looked through for this page.
    """

    hits: tuple[Hit, ...]
    next: Place | None
    looked_through: int


async def find(store: Store, query: Query) -> Found:
    """List sessions, latest change first; with a text those that hold it.

    Looks through `limits.SEARCH_SESSIONS` sessions and `limits.SEARCH_BYTES` of them at most.

    Raises:
        StoreError: the store cannot read now.
    Cancellation: safe.
    """
    words = query.text.casefold().split()
    hits: list[Hit] = []
    count = read_bytes = 0
    last: Place | None = None
    async for info in _listed(store, query):
        match, size = await _look(store, info, words) if words else (None, 0)
        last, count, read_bytes = place_of(info), count + 1, read_bytes + size
        if match is not None or not words:
            hits.append(Hit(info=info, match=match))
        enough = len(hits) == query.limit
        if enough or (words and (count >= limits.SEARCH_SESSIONS or read_bytes >= limits.SEARCH_BYTES)):
            more = await _page(store, query, after=last, limit=1)
            return Found(hits=tuple(hits), next=last if more else None, looked_through=count)
    return Found(hits=tuple(hits), next=None, looked_through=count)


async def _listed(store: Store, query: Query) -> AsyncGenerator[SessionInfo, None]:
    after = query.after
    while page := await _page(store, query, after=after, limit=limits.SESSIONS_LISTED):
        for info in page:
            yield info
        after = place_of(page[-1])


async def _page(store: Store, query: Query, *, after: Place | None, limit: int) -> Sequence[SessionInfo]:
    return await store.list_sessions(subject=query.subject, standing=query.standing, after=after, limit=limit)


async def _look(store: Store, info: SessionInfo, words: list[str]) -> tuple[Match | None, int]:
    """Look for the words in a session; the match, and how much was read for it."""
    if _holds(info.mark.title, words):
        return Match(where="title", excerpt=excerpt(info.mark.title, words)), 0
    loaded = await store.load(info.session_id)
    if loaded is None:
        return None, 0
    size = len(loaded.lines) + len(loaded.snapshot or b"")
    state = _state(loaded.snapshot)
    match = _first(_remembered(state, loaded.lines), words)
    # The session has dropped its first messages from its memory, but not from its journal.
    if match is None and (state is None or (state.history and state.history[0].turn > 1)):
        async for lines in _journal(store, info):
            size += len(lines)
            match = match or _first(_said(lines), words)
    return match, size


def _first(messages: Iterator[Message], words: list[str]) -> Match | None:
    for message in messages:
        if _holds(message.text, words):
            return Match(where=message.role, turn=message.turn, excerpt=excerpt(message.text, words))
    return None


def _holds(text: str, words: list[str]) -> bool:
    folded = text.casefold()
    return all(word in folded for word in words)


def excerpt(text: str, words: list[str]) -> str:
    """Cut a text around the first of the words, on one line."""
    line = " ".join(text.split())
    places = [found.start() for word in words if (found := re.search(re.escape(word), line, re.IGNORECASE))]
    start = max(0, min(places, default=0) - AROUND_CHARS)
    end = min(len(line), start + 2 * AROUND_CHARS)
    return f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"


class _Said(msgspec.Struct):
    text: str = ""


class _Open(msgspec.Struct):
    number: int
    said: _Said


class _State(msgspec.Struct):
    """What of an encoded `engine.state.SessionState` was said."""

    history: list[Message] = []
    open: _Open | None = None


_states = msgspec.json.Decoder(_State)


def _state(snapshot: bytes | None) -> _State | None:
    """What a snapshot remembers; `None` of one that another version wrote, whose journal has to be read."""
    try:
        return _states.decode(snapshot or b"{}")
    except msgspec.MsgspecError:
        return None


def _remembered(state: _State | None, lines: bytes) -> Iterator[Message]:
    """What the session remembers, and what was said since."""
    yield from state.history if state else ()
    if state and state.open is not None:
        yield Message(role="user", text=state.open.said.text, turn=state.open.number)
    yield from _said(lines)


def _said(lines: bytes) -> Iterator[Message]:
    """What was said in records; lines that hold no whole text are not decoded."""
    for line in lines.splitlines():
        if b'"turn_accepted"' not in line and b'"text_completed"' not in line and b'"history_trimmed"' not in line:
            continue
        for event in decode_events(line):
            match event:
                case TurnAccepted():
                    yield Message(role="user", text=event.text, turn=event.turn)
                case TextCompleted():
                    yield Message(role="assistant", text=event.text, turn=event.turn)
                case HistoryTrimmed():
                    yield from event.messages
                case _:
                    pass


async def _journal(store: Store, info: SessionInfo) -> AsyncGenerator[bytes, None]:
    after = info.first_seq - 1
    while after < info.last_seq:
        lines = await store.read(info.session_id, after=after, limit=limits.READ_EVENTS)
        if not lines:
            raise StoreConflict("The session was trimmed or deleted while it was searched. Search again.")
        after = last_seq(lines)
        yield lines
