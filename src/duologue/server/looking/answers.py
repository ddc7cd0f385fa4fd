"""What `/api` answers about sessions."""

import msgspec

from duologue.ports.store import SessionInfo
from duologue.server.looking.places import write_place
from duologue.server.looking.search import Found, Match
from duologue.server.looking.timeline import TurnRow


class SessionRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One session of the list. Times in ms since 1970.

    Attributes:
        subject: whose it is.
        open: a turn is being answered.
        match: where the words of a search were found.
    """

    session_id: str
    subject: str
    title: str
    agent: str
    turns: int
    open: bool
    ended: bool
    first_sequence: int
    last_sequence: int
    epoch: int
    created_at: int
    updated_at: int
    match: Match | None = None


class SessionList(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A page of the list, latest change first.

    Attributes:
        next: give it back as `after` for the page that follows; `null` where none does.
        looked_through: sessions that were looked through for this page.
        reached_at: when the last of them changed, in ms since 1970, where more follow.
        subject: the person that the caller is, or acts for.
    """

    sessions: list[SessionRow]
    next: str | None
    looked_through: int
    reached_at: int | None
    subject: str


class SessionSeen(SessionRow, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One session, and which protocols can show it."""

    protocols: list[str]


class SessionTurns(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A session turn by turn, as of its event `last_sequence`."""

    session_id: str
    last_sequence: int
    turns: list[TurnRow]


def describe(info: SessionInfo, match: Match | None = None) -> SessionRow:
    """One session of the list."""
    mark = info.mark
    return SessionRow(
        session_id=info.session_id,
        subject=mark.subject,
        title=mark.title,
        agent=mark.agent,
        turns=mark.turns,
        open=mark.open_turn,
        ended=mark.ended,
        first_sequence=info.first_seq,
        last_sequence=info.last_seq,
        epoch=info.epoch,
        created_at=info.created_ms,
        updated_at=info.updated_ms,
        match=match,
    )


def list_page(found: Found, *, subject: str) -> SessionList:
    """One page of the list."""
    return SessionList(
        sessions=[describe(hit.info, hit.match) for hit in found.hits],
        next=write_place(found.next) if found.next else None,
        looked_through=found.looked_through,
        reached_at=found.next.updated_ms if found.next else None,
        subject=subject,
    )
