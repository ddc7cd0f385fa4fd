"""The desk: routes and queues what leaves its agent, and lets operators take it. A `runtime.companions.Companion`.

It keeps nothing that the journals do not have: its picture is made of their events, and after a restart of the
sessions' states. What it decides it tells the sessions as inputs.
"""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Coroutine, Sequence
from types import TracebackType
from typing import Final, Protocol, Self

from duologue.model import limits
from duologue.model.content import Message
from duologue.model.effects import CloseHandoff, PlaceHandoff
from duologue.model.errors import Refused
from duologue.model.events import AnyEvent, HandoffMoved, SupervisorNoted, TurnAccepted, TurnEnded
from duologue.model.handoff import HandOff
from duologue.model.inputs import HandoffInput, HandoffPlaced, HandoffRequested
from duologue.ports.clock import Clock
from duologue.ports.store import Store
from duologue.runtime.desk.asking import Asking
from duologue.runtime.desk.entries import Entry, begun, found_again, session_of
from duologue.runtime.desk.feed import Feed
from duologue.runtime.desk.measured import measured
from duologue.runtime.desk.news import (
    HandoffNews,
    OperatorRow,
    OperatorsNews,
    SaidNews,
    WordNews,
    operator_row,
    row,
    said_row,
    word_row,
)
from duologue.runtime.desk.overdue import due
from duologue.runtime.desk.placing import Placing, Summarise, loggable
from duologue.runtime.desk.room import Room
from duologue.runtime.desk.rules import SUPERVISORS, Card, DeskRules
from duologue.runtime.desk.staff import Staff
from duologue.runtime.events_log import EventLog
from duologue.runtime.session import LiveSession

LOOK_MS: Final = 5_000
"""How often it is looked who has left: that is a bound of minutes. What has a time of its own is done at that time."""

TAKE_UP_MS: Final = 200
"""How often it is looked whether all lines are there again, after a start."""

RETRY_MS: Final = 1_000
"""How long to wait where a store fails."""

NOBODY: Final = "conversations cannot be passed on here"


class Sessions(Protocol):
    """Where sessions are found, whoever's they are."""

    @property
    def store(self) -> Store:
        """Where their journals are."""
        ...

    async def reach(self, session_id: str) -> LiveSession:
        """Load a session.

        Raises:
            Refused: there is none.
            StoreError: the store cannot do it now.
        """
        ...

    def live(self, session_id: str) -> LiveSession | None:
        """A session that is in memory."""
        ...

    @property
    def taking_up(self) -> bool:
        """Whether sessions are still being loaded that were left open before the last start."""
        ...


class Desk:
    """Routes, queues, and follows all handoffs of this server.

    Args:
        rules: what is set.
        summarise: sums up by a model; `None` leaves it at the extract.
    Attributes:
        room: who waits, and who is with whom.
        staff: which operators are there.
        feed: tells their pages.
        taking: what each operator is taking just now, by their ids.
    """

    def __init__(
        self,
        rules: DeskRules,
        *,
        clock: Clock,
        log: EventLog,
        asking: Asking | None = None,
        summarise: Summarise | None = None,
    ) -> None:
        self.rules, self.clock, self._log = rules, clock, log
        self.room, self.staff, self.feed = Room(), Staff(), Feed()
        self.taking: defaultdict[str, set[str]] = defaultdict(set)
        self._placing = Placing(
            rules, self.room, self.staff, clock=clock, log=log, begin=self._begin, summarise=summarise
        )
        self._asking = asking
        self._sessions: Sessions | None = None
        self._to_place: dict[str, HandOff] = {}
        self._asked: dict[str, str] = {}
        self._crowd: tuple[str, ...] | None = ()
        self._placed_ms = self._due_ms = 0
        self._since_ms, self._measuring = clock.now_ms(), False
        self._woken = asyncio.Event()
        self._group = asyncio.TaskGroup()
        self._tasks: set[asyncio.Task[None]] = set()

    def join(self, sessions: Sessions) -> None:
        """Get to know the sessions; once, before it is entered."""
        self._sessions = sessions

    @property
    def sessions(self) -> Sessions:
        """The sessions."""
        assert self._sessions is not None, "it was joined"
        return self._sessions

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        self._begin(self._run())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await self._group.__aexit__(None, None, None)

    def _begin(self, doing: Coroutine[None, None, None]) -> None:
        task = self._group.create_task(doing, name="desk")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # What it hears

    def stored(self, session_id: str, events: tuple[AnyEvent, ...]) -> None:
        """Hear of durable events."""
        for event in events:
            match event:
                case HandoffMoved():
                    self._moved(session_id, event)
                case SupervisorNoted():
                    self.feed.tell(WordNews(handoff_id=event.handoff_id, word=word_row(event)))
                case TurnAccepted():
                    self._heard(session_id, event)
                case TurnEnded() if self.room.entries:
                    self._ended(session_id, event)
                case _:
                    pass

    async def removing(self, session_ids: Sequence[str]) -> None:
        """Forget sessions that are removed."""
        for session_id in session_ids:
            self.room.forget(session_id)
        self.feed.start_over()
        self._woken.set()

    def carry_out(self, effect: PlaceHandoff | CloseHandoff) -> None:
        """Carry out what the engine orders, once its cause is stored."""
        match effect:
            case PlaceHandoff(handoff_id=handoff_id, asked=asked):
                self._to_place[handoff_id] = asked
                self._woken.set()
            case CloseHandoff(handoff_id=handoff_id):
                self._to_place.pop(handoff_id, None)
                self._woken.set()

    def loaded(self, session: LiveSession) -> None:
        """Find again what is open of a session that was loaded: after a restart, or because somebody asked for it."""
        for handoff in session.state.handoff.open_ones():
            if handoff.handoff_id not in self.room.entries:
                entry = found_again(session.state, handoff, now_ms=self.clock.now_ms())
                self.room.add(entry)
                self.feed.tell(HandoffNews(handoff=row(entry)))
                if handoff.status == "requested" or self._lost_queue(entry):
                    self._to_place[handoff.handoff_id] = handoff.asked
                self._woken.set()

    def _lost_queue(self, entry: Entry) -> bool:
        """Whether it waits in a queue that the settings do not have any more."""
        known = (SUPERVISORS, *(queue.name for queue in self.rules.queues))
        return entry.status == "queued" and entry.queue not in known

    def _moved(self, session_id: str, event: HandoffMoved) -> None:
        if event.status == "requested":
            session = self.sessions.live(session_id)
            if session is not None:
                self.room.add(begun(event, session.state))
        entry = self.room.moved(event)
        if entry is not None:
            self.feed.tell(HandoffNews(handoff=row(entry)))
            self._woken.set()

    def _heard(self, session_id: str, event: TurnAccepted) -> None:
        """Note what the person says, where it is somebody's; and hear whether they ask for a human."""
        entries = list(self.room.of(session_id)) if self.room.entries else []
        for entry in entries:
            entry.away_ms = 0
            self._said(entry, Message(role="user", text=event.text, turn=event.turn), event.at_ms)
        if self._asking is not None and not entries and (words := self._asking.heard(event.text)):
            self._asked[session_id] = words
            self._woken.set()

    def _ended(self, session_id: str, event: TurnEnded) -> None:
        if not event.answer:
            return
        for entry in self.room.of(session_id):
            author = entry.operator.name if entry.held and entry.operator else ""
            said = Message(role="assistant", text=event.answer, turn=event.turn, author=author)
            self._said(entry, said, event.at_ms)

    def _said(self, entry: Entry, said: Message, at_ms: int) -> None:
        entry.said = said
        news = SaidNews(handoff_id=entry.handoff_id, session_id=entry.session_id, said=said_row(said), at=at_ms)
        self.feed.tell(news)

    def operators(self) -> tuple[OperatorRow, ...]:
        """Who is there, and how much they have."""
        load = self.room.load()
        there = self.staff.there(self.clock.now_ms())
        return tuple(operator_row(card, has=load.get(card.operator_id, 0)) for card in there)

    def operator(self, card: Card) -> OperatorRow:
        """One operator, and how much they have."""
        return operator_row(card, has=len(self.room.held_by(card.operator_id)))

    def tell_staff(self) -> None:
        """Tell all pages who is there, and soon those who wait what that changes for them."""
        self.feed.tell(OperatorsNews(operators=self.operators()))
        self._woken.set()

    # What it does by itself

    async def _run(self) -> None:
        """Place, give up and tell places, for ever."""
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
        if self.sessions.taking_up:
            return TAKE_UP_MS / 1000
        if not self.room.entries:
            return None
        rest_ms = LOOK_MS if not self._due_ms else min(LOOK_MS, self._due_ms - self.clock.now_ms())
        return max(1, rest_ms) / 1000

    async def _round(self) -> None:
        while self._asked:
            session_id, words = self._asked.popitem()
            asked = HandOff(reason=f"the person asked for a human ({words})")
            await self._told(session_id, HandoffRequested(cause="person", by="", asked=asked))
        while self._to_place:
            handoff_id = next(iter(self._to_place))
            await self._place(handoff_id, self._to_place.pop(handoff_id))
        await self._give_up()
        # Half a line would give everybody another place than they have.
        if self.sessions.taking_up or self.rules.elsewhere:
            return
        # Places change in bursts, and each is an event in a journal.
        again_ms = self._placed_ms + limits.HANDOFF_PLACES_MS
        if again_ms <= self.clock.now_ms():
            await self._tell_places()
        else:
            self._due_ms = min(self._due_ms or again_ms, again_ms)

    async def _told(self, session_id: str, happened: HandoffInput) -> None:
        """Tell a session something; nothing where it is gone."""
        with contextlib.suppress(Refused):
            session = await self.sessions.reach(session_id)
            await session.submit(happened)

    async def _place(self, handoff_id: str, asked: HandOff) -> None:
        with contextlib.suppress(Refused):
            session = await self.sessions.reach(session_of(handoff_id))
            handoff = session.state.handoff.find(handoff_id)
            if handoff is not None:
                await self._placing.place(session, handoff, asked)

    async def _give_up(self) -> None:
        """Give up what waits too long or was left by its person, and pass on what was left by its operator."""
        now_ms, soonest_ms = self.clock.now_ms(), 0
        for entry in list(self.room.entries.values()):
            self._look(entry, now_ms)
            there_ms = self._there_ms(entry, now_ms)
            position = self.room.place_of(entry) if entry.status == "connecting" else 0
            found = due(entry, self.rules, there_ms=there_ms, position=position)
            if found is None:
                continue
            if found.at_ms <= now_ms:
                await self._told(entry.session_id, found.happened)
            else:
                soonest_ms = min(soonest_ms or found.at_ms, found.at_ms)
        self._due_ms = soonest_ms

    def _look(self, entry: Entry, now_ms: int) -> None:
        """Note whether the person is there."""
        session = self.sessions.live(entry.session_id)
        if session is not None and (session.readers or session.state.call is not None):
            entry.away_ms = 0
        else:
            entry.away_ms = entry.away_ms or now_ms

    def _there_ms(self, entry: Entry, now_ms: int) -> int:
        """When whoever has a conversation was last there; nobody was away before this server knew of it."""
        last_ms = 0 if entry.operator is None else self.staff.last_there_ms(entry.operator.operator_id, now_ms)
        return max(last_ms, entry.connected_ms, entry.known_ms)

    async def _tell_places(self) -> None:
        """Tell those who wait of another place; who comes later is told with the next round."""
        if not (queues := self.room.queues):
            return
        if not self._measuring:
            self._measuring = True
            self._begin(self._measure())
        now_ms = self.clock.now_ms()
        staff = self.staff.there(now_ms)
        crowd = tuple(card.operator_id for card in staff)
        news, self._crowd = crowd != self._crowd, crowd
        for place in [one for queue in queues for one in self.room.places(queue, staff)]:
            entry, position, wait_ms = place.entry, place.position, place.wait_ms
            if position != entry.position or (news and wait_ms != entry.wait_ms):
                self._placed_ms = now_ms
                placed = HandoffPlaced(handoff_id=entry.handoff_id, position=position, wait_ms=wait_ms)
                await self._told(entry.session_id, placed)

    async def _measure(self) -> None:
        """Find out once how long conversations took before this server started; nobody waits for it."""
        try:
            earlier = await measured(self.sessions.store, before_ms=self._since_ms)
        # As above: without it there is an estimate later.
        except Exception as error:  # noqa: BLE001
            self._log("desk_not_measured", error=loggable(error))
            return
        for queue, times in earlier.items():
            self.room.times_of(queue).follow(times)
        self._crowd = None
        self._woken.set()
