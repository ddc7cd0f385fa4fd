"""Who waits and who is with whom: the desk's picture of all handoffs, made of their events alone."""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field

from duologue.model import limits
from duologue.model.content import Message
from duologue.model.handoff import HandoffCause, HandoffMoved, HandoffStatus, Operator, RouteDecision, TransferType
from duologue.runtime.desk.rules import Card
from duologue.runtime.desk.service_times import ServiceTimes

OVER: frozenset[HandoffStatus] = frozenset({"transferred", "resolved", "cancelled", "failed"})
HELD: frozenset[HandoffStatus] = frozenset({"connected", "on_hold"})


@dataclass(slots=True, kw_only=True)
class Entry:
    """One handoff, as of its last event. Times in ms since 1970; 0 for not yet.

    Attributes:
        subject: whose conversation it is.
        queue: where it waits or waited; empty before it was routed, and for a supervisor.
        skills: that who takes it needs.
        only: the operator for whom alone it is; empty for anybody.
        position: in the queue, from 1; 0 where it is in none.
        served_ms: how long its operators had it, where it is over.
        present_ms: when the person was last seen to be there.
        said: what was last said, for lists.
    """

    handoff_id: str
    session_id: str
    subject: str
    language: str
    agent: str
    transfer: TransferType
    status: HandoffStatus
    reason: str
    cause: HandoffCause | None
    requested_ms: int
    queue: str = ""
    skills: tuple[str, ...] = ()
    priority: int = 0
    only: str = ""
    operator: Operator | None = None
    position: int = 0
    wait_ms: int | None = None
    wait_text: str = ""
    connecting_ms: int = 0
    connected_ms: int = 0
    ended_ms: int = 0
    failure: str = ""
    bundle_id: str = ""
    route: RouteDecision | None = None
    path: tuple[str, ...] = ()
    present_ms: int = 0
    said: Message | None = None

    @property
    def over(self) -> bool:
        """Whether nothing more becomes of it."""
        return self.status in OVER


@dataclass(slots=True)
class Place:
    """Where somebody stands now, and how long it may take."""

    entry: Entry
    position: int
    wait_ms: int | None


@dataclass(slots=True)
class Room:
    """All handoffs that are open, the latest that are over, and how long each queue's took."""

    entries: dict[str, Entry] = field(default_factory=dict[str, Entry])
    ended: OrderedDict[str, Entry] = field(default_factory=OrderedDict[str, Entry])
    times: dict[str, ServiceTimes] = field(default_factory=dict[str, ServiceTimes])

    def add(self, entry: Entry) -> None:
        """Take in a handoff that is open."""
        self.entries[entry.handoff_id] = entry

    def find(self, handoff_id: str) -> Entry | None:
        """One that is open, or was until lately."""
        return self.entries.get(handoff_id) or self.ended.get(handoff_id)

    def of(self, session_id: str) -> Iterator[Entry]:
        """What is open of a session."""
        return (entry for entry in list(self.entries.values()) if entry.session_id == session_id)

    def moved(self, event: HandoffMoved) -> Entry | None:
        """Follow a step of a handoff that is known; `None` where it is not."""
        entry = self.entries.get(event.handoff_id)
        if entry is None:
            return None
        before = entry.status
        entry.status, entry.operator = event.status, event.operator
        entry.position, entry.wait_ms, entry.wait_text = event.position, event.wait_ms, event.wait_text
        entry.failure, entry.path = event.failure, event.path or entry.path
        entry.bundle_id = event.bundle_id or entry.bundle_id
        entry.skills, entry.priority, entry.only = event.skills, event.priority, event.only
        if event.route is not None:
            entry.route = event.route
        if event.status == "queued":
            entry.queue = event.target or entry.queue
        self._clock(entry, event, before)
        return entry

    def _clock(self, entry: Entry, event: HandoffMoved, before: HandoffStatus) -> None:
        match event.status:
            case "connecting":
                entry.connecting_ms = event.at_ms
            case "connected" if before not in HELD:
                entry.connected_ms = event.at_ms
                self.times_of(entry.queue).taken(event.at_ms - entry.requested_ms)
            case _ if entry.over:
                entry.ended_ms, entry.position = event.at_ms, 0
                if entry.connected_ms and entry.transfer != "supervisor_consult":
                    self.times_of(entry.queue).served(event.at_ms - entry.connected_ms)
                self._close(entry)
            case _:
                pass

    def _close(self, entry: Entry) -> None:
        self.entries.pop(entry.handoff_id, None)
        self.ended[entry.handoff_id] = entry
        while len(self.ended) > limits.HANDOFFS_ENDED:
            self.ended.popitem(last=False)

    def forget(self, session_id: str) -> None:
        """Forget all of a session that is removed."""
        for known in (self.entries, self.ended):
            for handoff_id in [one.handoff_id for one in known.values() if one.session_id == session_id]:
                del known[handoff_id]

    def times_of(self, queue: str) -> ServiceTimes:
        """How long a queue's take."""
        return self.times.setdefault(queue, ServiceTimes())

    def line(self, queue: str) -> list[Entry]:
        """Who waits in a queue: the highest priority first, then who came first."""
        waiting = [one for one in self.entries.values() if one.status == "queued" and one.queue == queue]
        return sorted(waiting, key=lambda one: (-one.priority, one.requested_ms, one.handoff_id))

    def held_by(self, operator_id: str) -> list[Entry]:
        """What an operator has, or is about to take; questions to a supervisor aside."""
        return [
            one
            for one in self.entries.values()
            if one.operator is not None
            and one.operator.operator_id == operator_id
            and one.status != "queued"
            and one.transfer != "supervisor_consult"
        ]

    def places(self, queue: str, staff: list[Card]) -> list[Place]:
        """Where everybody in a queue stands, given who is there."""
        line = self.line(queue)
        return [
            Place(entry, position, self.estimate_ms(entry, position, staff)) for position, entry in enumerate(line, 1)
        ]

    def estimate_ms(self, entry: Entry, position: int, staff: list[Card]) -> int | None:
        """How long somebody waits at a place, given who is there."""
        able = [card for card in staff if card.able(entry.skills) and entry.only in ("", card.operator_id)]
        held = {card.operator_id: len(self.held_by(card.operator_id)) for card in able}
        free = sum(max(0, card.at_most - held[card.operator_id]) for card in able)
        return self.times_of(entry.queue).estimate_ms(
            position, free=free, slots=sum(max(card.at_most, held[card.operator_id]) for card in able)
        )
