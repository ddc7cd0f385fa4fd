"""Tickets: good once, for one address, for a moment."""

from duologue.model.errors import Code, Problem
from duologue.server import tickets
from duologue.server.auth import ALL_SCOPES, PERSON_SCOPES, Identity
from duologue.server.settings_auth import STAFF_SCOPES
from duologue.server.tickets import TICKET_MS, Tickets

NOW_MS = 1_800_000_000_000
ADA = Identity(subject="ada", address="192.0.2.1")


def code(answer: Identity | Problem) -> Code | None:
    return answer.code if isinstance(answer, Problem) else None


def redeem(given: Tickets, ticket: str, path: str = "/chat/ws", now_ms: int = NOW_MS) -> Identity | Problem:
    return given.redeem(ticket, path, address="192.0.2.7", now_ms=now_ms)


def test_a_ticket_is_its_person_once() -> None:
    given = Tickets()
    ticket, until_ms = given.issue(ADA, "/chat/ws", session_id=None, now_ms=NOW_MS)
    assert until_ms == NOW_MS + TICKET_MS
    assert redeem(given, ticket) == Identity(subject="ada", address="192.0.2.7")
    assert code(redeem(given, ticket)) == Code.AUTH_EXPIRED


def test_a_ticket_for_another_address_is_used_up_by_the_attempt() -> None:
    given = Tickets()
    ticket, _ = given.issue(ADA, "/chat/ws", session_id=None, now_ms=NOW_MS)
    assert code(redeem(given, ticket, "/agentcall")) == Code.AUTH_EXPIRED
    assert code(redeem(given, ticket)) == Code.AUTH_EXPIRED


def test_a_ticket_ends_by_itself() -> None:
    given = Tickets()
    for late_ms, expected in ((TICKET_MS - 1, None), (TICKET_MS, Code.AUTH_EXPIRED)):
        ticket, _ = given.issue(ADA, "/chat/ws", session_id=None, now_ms=NOW_MS)
        assert code(redeem(given, ticket, now_ms=NOW_MS + late_ms)) == expected


def test_a_ticket_never_allows_more_than_a_person_may_nor_more_than_its_giver() -> None:
    given = Tickets()
    backend = Identity(subject="ada", is_backend=True, scopes=ALL_SCOPES, name="web")
    reader = Identity(subject="ada", is_backend=True, scopes=frozenset({"sessions:read", "metrics:read"}), name="r")
    for giver, scopes in ((backend, PERSON_SCOPES | STAFF_SCOPES), (reader, frozenset({"sessions:read"}))):
        ticket, _ = given.issue(giver, "/chat/ws", session_id="s-1", now_ms=NOW_MS)
        answer = redeem(given, ticket)
        assert answer == Identity(subject="ada", session_id="s-1", scopes=scopes, name=giver.name, address="192.0.2.7")


def test_a_ticket_of_a_token_for_one_session_is_for_that_session() -> None:
    given = Tickets()
    bound = Identity(subject="ada", session_id="s-1")
    ticket, _ = given.issue(bound, "/chat/ws", session_id=None, now_ms=NOW_MS)
    assert redeem(given, ticket) == Identity(subject="ada", session_id="s-1", address="192.0.2.7")


def test_tickets_that_nobody_uses_are_forgotten_and_none_is_kept_as_it_is() -> None:
    given = Tickets()
    issued = [given.issue(ADA, "/", session_id=None, now_ms=NOW_MS)[0] for _ in range(tickets.TICKETS + 1)]
    assert len(set(issued)) == len(issued)
    assert code(redeem(given, issued[0], "/")) == Code.AUTH_EXPIRED
    assert code(redeem(given, issued[1], "/")) is None
    assert issued[2] not in repr(vars(given))
