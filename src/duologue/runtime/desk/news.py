"""What pages of operators are told, as JSON."""

import msgspec

from duologue.model.content import Message
from duologue.model.events import SupervisorNoted
from duologue.model.handoff import HandoffCause, HandoffStatus, TransferType
from duologue.runtime.desk.entries import Entry
from duologue.runtime.desk.rules import Card


class Shape(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The base of what is told."""


class OperatorRow(Shape, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """An operator. `skills` is absent for all of them.

    Attributes:
        has: conversations that they have now.
        at_most: and may have.
    """

    id: str
    name: str
    skills: tuple[str, ...] | None = None
    supervises: bool = False
    has: int = 0
    at_most: int = 0


class WhoRow(Shape, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """An operator, as others see them."""

    id: str
    name: str


class RouteRow(Shape, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Where it went, by which rule and why."""

    target: str
    rule: str = ""
    reasons: tuple[str, ...] = ()


class SaidRow(Shape, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Something that was said: `role` is customer, agent or operator."""

    role: str
    text: str
    turn: int = 0
    author: str = ""


class WordRow(Shape, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A word between an operator and a supervisor; `answer`: it is the supervisor's."""

    by: WhoRow
    text: str
    answer: bool = False
    at: int


class HandoffRow(Shape, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A handoff. Times in ms since 1970; what does not apply is absent.

    Attributes:
        customer: whose conversation it is.
        only: the operator for whom alone it is.
        consult: it is a question to a supervisor, beside a conversation that somebody has.
        said: what was said last.
    """

    id: str
    session_id: str
    status: HandoffStatus
    transfer: TransferType
    reason: str
    customer: str
    language: str
    agent: str
    requested_at: int
    cause: HandoffCause | None = None
    queue: str = ""
    skills: tuple[str, ...] = ()
    priority: int = 0
    only: str = ""
    position: int = 0
    wait_ms: int | None = None
    wait_text: str = ""
    operator: WhoRow | None = None
    connected_at: int = 0
    ended_at: int = 0
    failure: str = ""
    bundle_id: str = ""
    route: RouteRow | None = None
    path: tuple[str, ...] = ()
    consult: bool = False
    said: SaidRow | None = None


class News(msgspec.Struct, frozen=True, kw_only=True, rename="camel", tag_field="type", omit_defaults=True):
    """The base of news; `type` says which."""


class Everything(News, frozen=True, kw_only=True, tag="everything"):
    """All that is open, and who is there: the first of a stream, and again where some news were left out."""

    handoffs: tuple[HandoffRow, ...]
    operators: tuple[OperatorRow, ...]
    me: OperatorRow


class HandoffNews(News, frozen=True, kw_only=True, tag="handoff"):
    """A handoff took a step; it takes the place of what was told of it."""

    handoff: HandoffRow


class OperatorsNews(News, frozen=True, kw_only=True, tag="operators"):
    """Who is there now."""

    operators: tuple[OperatorRow, ...]


class SaidNews(News, frozen=True, kw_only=True, tag="said"):
    """Somebody said something in a conversation that is open here; whole, when it is."""

    handoff_id: str
    session_id: str
    said: SaidRow
    at: int


class WordNews(News, frozen=True, kw_only=True, tag="word"):
    """A word between an operator and a supervisor."""

    handoff_id: str
    word: WordRow


def row(entry: Entry) -> HandoffRow:
    """A handoff as it is told."""
    operator, route = entry.operator, entry.route
    return HandoffRow(
        id=entry.handoff_id,
        session_id=entry.session_id,
        status=entry.status,
        transfer=entry.transfer,
        reason=entry.reason,
        customer=entry.subject,
        language=entry.language,
        agent=entry.agent,
        requested_at=entry.requested_ms,
        cause=entry.cause,
        queue=entry.queue,
        skills=entry.skills,
        priority=entry.priority,
        only=entry.only,
        position=entry.position,
        wait_ms=entry.wait_ms,
        wait_text=entry.wait_text,
        operator=None if operator is None else WhoRow(id=operator.operator_id, name=operator.name),
        connected_at=entry.connected_ms,
        ended_at=entry.ended_ms,
        failure=entry.failure,
        bundle_id=entry.bundle_id,
        route=None if route is None else RouteRow(target=route.target, rule=route.rule, reasons=route.reasons),
        path=entry.path,
        consult=entry.consult,
        said=None if entry.said is None else said_row(entry.said),
    )


def said_row(said: Message) -> SaidRow:
    """A message as it is told."""
    role = "customer" if said.role == "user" else "operator" if said.author else "agent"
    return SaidRow(role=role, text=said.text, turn=said.turn, author=said.author)


def word_row(event: SupervisorNoted) -> WordRow:
    """A word as it is told."""
    return WordRow(
        by=WhoRow(id=event.by.operator_id, name=event.by.name), text=event.text, answer=event.answer, at=event.at_ms
    )


def operator_row(card: Card, *, has: int) -> OperatorRow:
    """An operator as they are told."""
    return OperatorRow(
        id=card.operator_id,
        name=card.name,
        skills=None if card.skills is None else tuple(sorted(card.skills)),
        supervises=card.supervises,
        has=has,
        at_most=card.at_most,
    )
