"""What the desk does by itself: it places what was passed on, gives up what nobody takes, and tells places."""

import asyncio
import contextlib
from typing import Final

from duologue.model import limits
from duologue.model.errors import Refused, StoreError
from duologue.model.handoff import HandOff
from duologue.model.inputs import HandoffInput, HandoffPlaced, HandoffRequested
from duologue.ports.clock import Clock
from duologue.runtime.desk.entries import Entry, session_of
from duologue.runtime.desk.overdue import due
from duologue.runtime.desk.placing import Begin, Placing, Summarise, loggable
from duologue.runtime.desk.room import Room
from duologue.runtime.desk.rules import DeskRules
from duologue.runtime.desk.sessions import Sessions
from duologue.runtime.desk.staff import Staff
from duologue.runtime.events_log import EventLog

LOOK_MS: Final = 5_000
"""How often it is looked who has left: that is a bound of minutes. What has a time of its own is done at that time."""

TAKE_UP_MS: Final = 200
"""How often it is looked whether all lines are there again, after a start."""

RETRY_MS: Final = 1_000
"""How long to wait where a store fails."""


class Rounds:
    """Looks after the handoffs of a room, one round after the other, whenever something has happened or is due.

    Args:
        begin: begins a task that the owner of this ends.
        summarise: sums up by a model; `None` leaves it at the extract.
    """

    def __init__(
        self,
        rules: DeskRules,
        room: Room,
        staff: Staff,
        *,
        clock: Clock,
        log: EventLog,
        begin: Begin,
        summarise: Summarise | None = None,
    ) -> None:
        self._rules, self._room, self._staff = rules, room, staff
        self._clock, self._log, self._begin = clock, log, begin
        self._placing = Placing(rules, room, staff, clock=clock, log=log, begin=begin, summarise=summarise)
        self._to_place: dict[str, HandOff] = {}
        self._asked: dict[str, str] = {}
        self._crowd: tuple[str, ...] | None = ()
        self._placed_ms = self._due_ms = 0
        self._since_ms, self._measuring = clock.now_ms(), False
        self._woken = asyncio.Event()

    def place(self, handoff_id: str, asked: HandOff) -> None:
        """Have a handoff placed."""
        self._to_place[handoff_id] = asked
        self.wake()

    def leave(self, handoff_id: str) -> None:
        """Place it no more: somebody has it, or it is over."""
        self._to_place.pop(handoff_id, None)
        self.wake()

    def ask(self, session_id: str, words: str) -> None:
        """Have a handoff asked for by a person who said so."""
        self._asked[session_id] = words
        self.wake()

    def wake(self) -> None:
        """Look again soon: something has changed."""
        self._woken.set()

    async def run(self, sessions: Sessions) -> None:
        """Place, give up and tell places, for ever."""
        self._sessions = sessions
        while True:
            self._woken.clear()
            try:
                await self._round()
            # The boundary of the desk: conversations go on whatever goes wrong here.
            except Exception as error:  # noqa: BLE001
                self._log("desk_failed", error=loggable(error))
                await asyncio.sleep(RETRY_MS / 1000)
                continue
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._rest_s()):
                    await self._woken.wait()

    def _rest_s(self) -> float | None:
        """How long nothing is to do, unless something happens."""
        if self._sessions.taking_up:
            return TAKE_UP_MS / 1000
        if not self._room.entries:
            return None
        rest_ms = LOOK_MS if not self._due_ms else min(LOOK_MS, self._due_ms - self._clock.now_ms())
        return max(1, rest_ms) / 1000

    async def _round(self) -> None:
        while self._asked:
            await self._ask(*self._asked.popitem())
        while self._to_place:
            handoff_id = next(iter(self._to_place))
            await self._place(handoff_id, self._to_place.pop(handoff_id))
        await self._give_up()
        # Half a line would give everybody another place than they have.
        if self._sessions.taking_up or self._rules.elsewhere:
            return
        # Places change in bursts, and each is an event in a journal.
        again_ms = self._placed_ms + limits.HANDOFF_PLACES_MS
        if again_ms <= self._clock.now_ms():
            await self._tell_places()
        else:
            self._due_ms = min(self._due_ms or again_ms, again_ms)

    async def _told(self, session_id: str, happened: HandoffInput) -> None:
        """Tell a session something; nothing where it is gone."""
        with contextlib.suppress(Refused):
            session = await self._sessions.reach(session_id)
            await session.submit(happened)

    async def _ask(self, session_id: str, words: str) -> None:
        asked = HandOff(reason=f"the person asked for a human ({words})")
        try:
            await self._told(session_id, HandoffRequested(cause="person", by="", asked=asked))
        except StoreError:
            self._asked.setdefault(session_id, words)
            raise

    async def _place(self, handoff_id: str, asked: HandOff) -> None:
        try:
            with contextlib.suppress(Refused):
                session = await self._sessions.reach(session_of(handoff_id))
                handoff = session.state.handoff.find(handoff_id)
                if handoff is not None:
                    await self._placing.place(session, handoff, asked)
        except StoreError:
            # Nobody else would place it.
            self._to_place.setdefault(handoff_id, asked)
            raise

    async def _give_up(self) -> None:
        """Give up what waits too long or was left by its person, and pass on what was left by its operator."""
        now_ms, soonest_ms = self._clock.now_ms(), 0
        for entry in list(self._room.entries.values()):
            self._look(entry, now_ms)
            there_ms = self._there_ms(entry, now_ms)
            position = self._room.place_of(entry) if entry.status == "connecting" else 0
            found = due(entry, self._rules, there_ms=there_ms, position=position)
            if found is None:
                continue
            if found.at_ms <= now_ms:
                await self._told(entry.session_id, found.happened)
            else:
                soonest_ms = min(soonest_ms or found.at_ms, found.at_ms)
        self._due_ms = soonest_ms

    def _look(self, entry: Entry, now_ms: int) -> None:
        """Note whether the person is there."""
        session = self._sessions.live(entry.session_id)
        if session is not None and session.attended:
            entry.away_ms = 0
        else:
            entry.away_ms = entry.away_ms or now_ms

    def _there_ms(self, entry: Entry, now_ms: int) -> int:
        """When whoever has a conversation was last there; nobody was away before this server knew of it."""
        last_ms = 0 if entry.operator is None else self._staff.last_there_ms(entry.operator.operator_id, now_ms)
        return max(last_ms, entry.connected_ms, entry.known_ms)

    async def _tell_places(self) -> None:
        """Tell those who wait of another place; who comes later is told with the next round."""
        if not (queues := self._room.queues):
            return
        if not self._measuring:
            self._measuring = True
            self._begin(self._measure())
        now_ms = self._clock.now_ms()
        staff = self._staff.there(now_ms)
        crowd = tuple(card.operator_id for card in staff)
        news, self._crowd = crowd != self._crowd, crowd
        for place in [one for queue in queues for one in self._room.places(queue, staff)]:
            entry, position, wait_ms = place.entry, place.position, place.wait_ms
            # Telling takes its time, and who was taken meanwhile has no place any more.
            moved = position != entry.position or (news and wait_ms != entry.wait_ms)
            if entry.status == "queued" and moved:
                self._placed_ms = now_ms
                placed = HandoffPlaced(handoff_id=entry.handoff_id, position=position, wait_ms=wait_ms)
                await self._told(entry.session_id, placed)

    async def _measure(self) -> None:
        """Find out once how long conversations took before this server started; nobody waits for it."""
        # Only who has somebody waiting needs it.
        from duologue.runtime.desk.measured import measured

        try:
            earlier = await measured(self._sessions.store, before_ms=self._since_ms)
        # As above: without it there is an estimate later.
        except Exception as error:  # noqa: BLE001
            self._log("desk_not_measured", error=loggable(error))
            return
        for queue, times in earlier.items():
            self._room.times_of(queue).follow(times)
        self._crowd = None
        self._woken.set()
