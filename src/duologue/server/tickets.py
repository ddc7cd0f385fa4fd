"""Tickets: each opens one address once, for what a browser cannot give a header to."""

import hashlib
import secrets
from collections import OrderedDict
from typing import Final

import msgspec

from duologue.model.base import Value
from duologue.model.errors import Code, Problem
from duologue.server.auth import PERSON_SCOPES, Identity
from duologue.server.settings_auth import STAFF_SCOPES

PARAMETER: Final = "ticket"
"""The part of the query that carries a ticket."""

TICKET_MS: Final = 30_000
"""How long a ticket is good: a page asks for one and uses it at once."""

TICKETS: Final = 10_000
"""Most tickets that wait to be used (policy: the oldest is forgotten); 5 MB."""

TICKET_BYTES: Final = 32
"""Size of a ticket: nobody guesses 256 bits in 30 s."""

PATH_CHARS: Final = 1_024
"""Longest address that a ticket is for: the longest of ours has an id of 128 characters, percent-encoded."""


class _Ticket(Value, kw_only=True):
    identity: Identity
    path: str
    until_ms: int


class Tickets:
    """The tickets that were given out and not used yet, by their hash. Belongs to the event loop's thread."""

    def __init__(self) -> None:
        self._given: OrderedDict[bytes, _Ticket] = OrderedDict()

    def issue(self, identity: Identity, path: str, *, session_id: str | None, now_ms: int) -> tuple[str, int]:
        """Give out a ticket. Whoever has it is the same person for one request, and no backend.

        Returns:
            The ticket, and until when it is good in ms since 1970.
        """
        ticket = secrets.token_urlsafe(TICKET_BYTES)
        bearer = Identity(
            subject=identity.subject,
            session_id=session_id or identity.session_id,
            scopes=identity.scopes & (PERSON_SCOPES | STAFF_SCOPES),
            name=identity.name,
        )
        until_ms = now_ms + TICKET_MS
        self._given[_digest(ticket)] = _Ticket(identity=bearer, path=path, until_ms=until_ms)
        if len(self._given) > TICKETS:
            self._given.popitem(last=False)
        return ticket, until_ms

    def redeem(self, ticket: str, path: str, *, address: str, now_ms: int) -> Identity | Problem:
        """Tell who has a ticket. It is used up by this, also where it is for another address.

        Returns:
            The person; or `AUTH_EXPIRED`, where it was used, is too old, or is for another address.
        """
        found = self._given.pop(_digest(ticket), None)
        if found is None or now_ms >= found.until_ms or found.path != path:
            return _NOT_GOOD
        return msgspec.structs.replace(found.identity, address=address)


_NOT_GOOD: Final = Problem(
    code=Code.AUTH_EXPIRED,
    message="The ticket was used, is older than 30 s, or is for another address. Get a new one from POST /api/ticket.",
)


def _digest(ticket: str) -> bytes:
    return hashlib.sha256(ticket.encode()).digest()
