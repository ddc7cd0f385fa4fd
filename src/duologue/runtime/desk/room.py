"""Who waits and who is with whom: the desk's picture of all handoffs, made of their events alone."""

from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from duologue.model import limits
from duologue.model.handoff import HandoffMoved, HandoffStatus
from duologue.runtime.desk.entries import HELD, Entry
from duologue.runtime.desk.rules import Card
from duologue.runtime.desk.service_times import ServiceTimes


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
            entry.first = entry.first or (before == "requested" and event.position == 1)
        self._clock(entry, event, before)
        return entry

    def _clock(self, entry: Entry, event: HandoffMoved, before: HandoffStatus) -> None:
        match event.status:
            case "connecting":
                entry.connecting_ms = event.at_ms
            case "connected" if before not in HELD:
                entry.connected_ms = event.at_ms
                if entry.first:
                    self.times_of(entry.queue).taken(event.at_ms - entry.requested_ms)
            case _ if entry.over:
                entry.ended_ms, entry.position = event.at_ms, 0
                if entry.connected_ms and not entry.consult:
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

    @property
    def waiting(self) -> int:
        """How many wait, in all queues."""
        return sum(entry.status == "queued" for entry in self.entries.values())

    @property
    def queues(self) -> set[str]:
        """In which queues somebody waits."""
        return {entry.queue for entry in self.entries.values() if entry.status == "queued"}

    def line(self, queue: str) -> list[Entry]:
        """Who waits in a queue, in the order in which they are taken."""
        waiting = [one for one in self.entries.values() if one.status == "queued" and one.queue == queue]
        return sorted(waiting, key=lambda one: one.turn)

    def place_of(self, entry: Entry) -> int:
        """The place that one has or would have in its queue, from 1."""
        return 1 + sum(one.turn < entry.turn for one in self.line(entry.queue) if one is not entry)

    def held_by(self, operator_id: str) -> list[Entry]:
        """What an operator has, or is about to take; questions to a supervisor aside."""
        return [one for one in self.entries.values() if _holder(one) == operator_id]

    def load(self) -> Mapping[str, int]:
        """How many conversations each operator has, by their ids."""
        return Counter(holder for one in self.entries.values() if (holder := _holder(one)))

    def places(self, queue: str, staff: list[Card]) -> list[Place]:
        """Where everybody in a queue stands, given who is there."""
        load, known = self.load(), dict[tuple[object, ...], tuple[int, int]]()
        found: list[Place] = []
        for position, entry in enumerate(self.line(queue), 1):
            # Most of a queue need the same of those who serve it.
            needs = (entry.skills, entry.only)
            if needs not in known:
                known[needs] = _room_at(entry, staff, load)
            free, slots = known[needs]
            wait_ms = self.times_of(queue).estimate_ms(position, free=free, slots=slots)
            found.append(Place(entry, position, wait_ms))
        return found

    def estimate_ms(self, entry: Entry, position: int, staff: list[Card]) -> int | None:
        """How long one waits at a place, given who is there."""
        free, slots = _room_at(entry, staff, self.load())
        return self.times_of(entry.queue).estimate_ms(position, free=free, slots=slots)


def _holder(entry: Entry) -> str:
    """Who has a conversation or is about to; empty for nobody."""
    if entry.operator is None or entry.status == "queued" or entry.consult:
        return ""
    return entry.operator.operator_id


def _room_at(entry: Entry, staff: list[Card], load: Mapping[str, int]) -> tuple[int, int]:
    """How many conversations those could take now, and could have in all, who are there and may take one."""
    able = [card for card in staff if card.able(entry.skills) and entry.only in ("", card.operator_id)]
    free = sum(max(0, card.at_most - load.get(card.operator_id, 0)) for card in able)
    return free, sum(max(card.at_most, load.get(card.operator_id, 0)) for card in able)
