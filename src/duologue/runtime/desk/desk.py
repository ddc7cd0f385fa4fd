"""The desk: routes and queues what leaves its agent, and lets operators take it. A `runtime.companions.Companion`.

It keeps nothing that the journals do not have: its picture is made of their events, and after a restart of the
sessions' states. What it decides it tells the sessions as inputs.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import Final, Protocol, Self, TypeAlias

from duologue.engine.bundle import WITHOUT, bundle_id, make_bundle, signal_scores
from duologue.engine.handoff_state import Handoff
from duologue.engine.handoff_steps import agent_of, path_of
from duologue.engine.state import SessionState
from duologue.engine.waits import wait_text
from duologue.model import limits
from duologue.model.content import Message
from duologue.model.effects import CloseHandoff, PlaceHandoff
from duologue.model.errors import DuologueError, Refused, StoreError
from duologue.model.events import AnyEvent, HandoffMoved, SupervisorNoted, TurnAccepted, TurnEnded
from duologue.model.handoff import HandOff, RouteDecision
from duologue.model.inputs import HandoffCancelled, HandoffFailed, HandoffInput, HandoffPlaced, HandoffRequested
from duologue.model.replies import Reply
from duologue.ports.clock import Clock
from duologue.runtime.desk.asking import Asking
from duologue.runtime.desk.feed import Feed
from duologue.runtime.desk.news import HandoffNews, SaidNews, WordNews, row, said_row, word_row
from duologue.runtime.desk.room import Entry, Room
from duologue.runtime.desk.routing import Facts, NoWay, Routed, route
from duologue.runtime.desk.rules import DeskRules
from duologue.runtime.desk.staff import Staff
from duologue.runtime.events_log import EventLog
from duologue.runtime.session import LiveSession

SUPERVISORS: Final = "supervisors"
"""The queue of questions to supervisors; no queue of the settings is meant by it."""

LOOK_MS: Final = 5_000
"""How often it is looked who waits too long or has left: both are bounds of minutes."""

TAKE_UP_MS: Final = 200
"""How often it is looked whether all lines are there again, after a start."""

RETRY_MS: Final = 1_000
"""How long to wait where a store fails."""

NOBODY: Final = "conversations cannot be passed on here"

Summarise: TypeAlias = Callable[[SessionState, HandOff], Awaitable[str]]
"""Sums a conversation up by a model, within `limits.HANDOFF_SUMMARY_MS`; empty where it cannot."""


class Sessions(Protocol):
    """Where sessions are found, whoever's they are."""

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
        self.taking: Counter[str] = Counter()
        self._asking, self._summarise = asking, summarise
        self._sessions: Sessions | None = None
        self._to_place: dict[str, HandOff] = {}
        self._asked: dict[str, str] = {}
        self._crowd: tuple[str, ...] = ()
        self._placed_ms = 0
        self._woken = asyncio.Event()
        self._group = asyncio.TaskGroup()
        self._tasks: list[asyncio.Task[None]] = []

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
        self._tasks.append(self._group.create_task(self._run(), name="desk"))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await self._group.__aexit__(None, None, None)

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
                entry = _found_again(session.state, handoff, now_ms=self.clock.now_ms())
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
                self.room.add(_new_entry(session.state, event))
        entry = self.room.moved(event)
        if entry is not None:
            self.feed.tell(HandoffNews(handoff=row(entry)))
            self._woken.set()

    def _heard(self, session_id: str, event: TurnAccepted) -> None:
        """Note what the person says, where it is somebody's; and hear whether they ask for a human."""
        entries = list(self.room.of(session_id)) if self.room.entries else []
        for entry in entries:
            entry.present_ms = event.at_ms
            self._said(entry, Message(role="user", text=event.text, turn=event.turn), event.at_ms)
        if self._asking is not None and not entries and (words := self._asking.heard(event.text)):
            self._asked[session_id] = words
            self._woken.set()

    def _ended(self, session_id: str, event: TurnEnded) -> None:
        if not event.answer:
            return
        for entry in self.room.of(session_id):
            author = entry.operator.name if entry.status in ("connected", "on_hold") and entry.operator else ""
            said = Message(role="assistant", text=event.answer, turn=event.turn, author=author)
            self._said(entry, said, event.at_ms)

    def _said(self, entry: Entry, said: Message, at_ms: int) -> None:
        entry.said = said
        news = SaidNews(handoff_id=entry.handoff_id, session_id=entry.session_id, said=said_row(said), at=at_ms)
        self.feed.tell(news)

    # What it does by itself

    async def _run(self) -> None:
        """Place, give up and tell places, for ever."""
        while True:
            self._woken.clear()
            try:
                await self._round()
            # The boundary of the desk: conversations go on whatever goes wrong here.
            except Exception as error:  # noqa: BLE001
                self._log("desk_failed", error=_words(error))
                await asyncio.sleep(RETRY_MS / 1000)
                continue
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._rest_s()):
                    await self._woken.wait()
            # Places change in bursts, and each is an event in a journal.
            pause_ms = self._placed_ms + limits.HANDOFF_PLACES_MS - self.clock.now_ms()
            if pause_ms > 0 and not self._to_place and not self._asked:
                await asyncio.sleep(pause_ms / 1000)

    def _rest_s(self) -> float | None:
        if self.sessions.taking_up:
            return TAKE_UP_MS / 1000
        return LOOK_MS / 1000 if self.room.entries else None

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
        if not (self.sessions.taking_up or self.rules.elsewhere):
            await self._tell_places()

    async def _told(self, session_id: str, happened: HandoffInput) -> Reply | None:
        """Tell a session something; `None` where it is gone."""
        try:
            session = await self.sessions.reach(session_id)
            return await session.submit(happened)
        except Refused:
            return None

    async def _place(self, handoff_id: str, asked: HandOff) -> None:
        """Route a handoff, and put it where it goes."""
        try:
            session = await self.sessions.reach(session_of(handoff_id))
        except Refused:
            return
        handoff, entry = session.state.handoff.find(handoff_id), self.room.entries.get(handoff_id)
        if handoff is None or entry is None:
            return
        now_ms = self.clock.now_ms()
        if asked.transfer == "supervisor_consult":
            to_supervisors = RouteDecision(target=SUPERVISORS, reasons=("asked by an operator",))
            found: Routed | NoWay = Routed(decision=to_supervisors)
        else:
            found = route(asked, facts_of(session.state, handoff), self.rules, now_ms=now_ms)
        if isinstance(found, Routed) and not found.agent and self._waiting() >= limits.HANDOFFS_WAITING:
            found = NoWay(reason=f"{limits.HANDOFFS_WAITING} conversations wait already")
        if isinstance(found, NoWay):
            await session.submit(HandoffFailed(handoff_id=handoff_id, reason=found.reason))
        elif found.agent:
            placed = HandoffPlaced(handoff_id=handoff_id, position=0, route=found.decision, agent=found.agent)
            await session.submit(placed)
        else:
            await self._queue(session, entry, asked, found)

    def _waiting(self) -> int:
        return sum(entry.status == "queued" for entry in self.room.entries.values())

    async def _queue(self, session: LiveSession, entry: Entry, asked: HandOff, found: Routed) -> None:
        entry.queue, entry.skills = found.decision.target, found.skills
        entry.priority, entry.only = found.priority, found.operator_id
        ahead = [one for one in self.room.line(entry.queue) if _before(one, entry)]
        position = len(ahead) + 1
        bare = asked.transfer in WITHOUT
        bundle = None if bare else make_bundle(session.state, asked, handoff_id=entry.handoff_id)
        await session.submit(
            HandoffPlaced(
                handoff_id=entry.handoff_id,
                position=position,
                wait_ms=self.room.estimate_ms(entry, position, self.staff.there(self.clock.now_ms())),
                route=found.decision,
                bundle_id=bundle_id(entry.handoff_id),
                bundle=bundle,
                skills=found.skills,
                priority=found.priority,
                only=found.operator_id,
            )
        )
        if self._summarise is not None and not bare and not asked.summary:
            task = self._group.create_task(self._sum_up(self._summarise, entry, asked), name="summary")
            self._tasks.append(task)
            task.add_done_callback(self._tasks.remove)

    async def _sum_up(self, summarise: Summarise, entry: Entry, asked: HandOff) -> None:
        """Put a model's summary into the bundle of one that still waits."""
        try:
            session = await self.sessions.reach(entry.session_id)
            async with asyncio.timeout(limits.HANDOFF_SUMMARY_MS / 1000):
                summary = await summarise(session.state, asked)
            if not summary or entry.status != "queued":
                return
            bundle = make_bundle(session.state, asked, handoff_id=entry.handoff_id, summary=summary)
            await session.submit(
                HandoffPlaced(
                    handoff_id=entry.handoff_id, position=entry.position, wait_ms=entry.wait_ms, bundle=bundle
                )
            )
        except TimeoutError:
            self._log("summary_failed", handoff=entry.handoff_id, error="timeout")
        # A model may fail in any way, and the extract is there.
        except Exception as error:  # noqa: BLE001
            self._log("summary_failed", handoff=entry.handoff_id, error=_words(error))

    async def _give_up(self) -> None:
        """Give up what waits too long, and what somebody has left."""
        now_ms = self.clock.now_ms()
        for entry in list(self.room.entries.values()):
            if entry.status == "connecting" and now_ms - entry.connecting_ms >= self.rules.connect_ms:
                line = self.room.line(entry.queue)
                position = sum(_before(one, entry) for one in line) + 1
                await self._told(entry.session_id, HandoffPlaced(handoff_id=entry.handoff_id, position=position))
            elif entry.status == "queued" and now_ms - entry.requested_ms >= self.rules.wait_ms:
                minutes = self.rules.wait_ms / 60_000
                failed = HandoffFailed(handoff_id=entry.handoff_id, reason=f"nobody took it within {minutes:g} min")
                await self._told(entry.session_id, failed)
            elif entry.status == "queued" and self._has_left(entry, now_ms):
                left = HandoffCancelled(handoff_id=entry.handoff_id, by="", reason="the customer left")
                await self._told(entry.session_id, left)

    def _has_left(self, entry: Entry, now_ms: int) -> bool:
        session = self.sessions.live(entry.session_id)
        if session is not None and (session.readers or session.state.call is not None):
            entry.present_ms = now_ms
        return bool(self.rules.away_ms) and now_ms - entry.present_ms >= self.rules.away_ms

    async def _tell_places(self) -> None:
        """Tell those who wait of another place; who comes later is told with the next round."""
        now_ms = self.clock.now_ms()
        staff = self.staff.there(now_ms)
        crowd = tuple(card.operator_id for card in staff)
        news = crowd != self._crowd
        self._crowd = crowd
        for queue in {entry.queue for entry in self.room.entries.values() if entry.status == "queued"}:
            for place in self.room.places(queue, staff):
                entry = place.entry
                if place.position != entry.position or (news and place.wait_ms != entry.wait_ms):
                    self._placed_ms = now_ms
                    await self._told(
                        entry.session_id,
                        HandoffPlaced(handoff_id=entry.handoff_id, position=place.position, wait_ms=place.wait_ms),
                    )


def session_of(handoff_id: str) -> str:
    """The session of a handoff, as its id says."""
    return handoff_id.rpartition("~")[0]


def facts_of(state: SessionState, handoff: Handoff) -> Facts:
    """What the rules look at."""
    said = next((one.text for one in reversed(state.history) if one.role == "user"), "")
    if state.open is not None:
        said = state.open.said.text or said
    return Facts(
        language=state.language,
        agent=agent_of(state),
        cause=handoff.cause,
        said=said,
        signals=signal_scores(state),
    )


def _before(one: Entry, other: Entry) -> bool:
    return one is not other and (-one.priority, one.requested_ms, one.handoff_id) < (
        -other.priority,
        other.requested_ms,
        other.handoff_id,
    )


def _new_entry(state: SessionState, event: HandoffMoved) -> Entry:
    return Entry(
        handoff_id=event.handoff_id,
        session_id=state.session_id,
        subject=state.subject,
        language=state.language,
        agent=agent_of(state),
        transfer=event.transfer,
        status=event.status,
        reason=event.reason,
        cause=event.cause,
        requested_ms=event.at_ms,
        present_ms=event.at_ms,
    )


def _found_again(state: SessionState, handoff: Handoff, *, now_ms: int) -> Entry:
    """As it stands in a session's state. Whoever waits counts as having been there until now."""
    last = state.history[-1] if state.history else None
    return Entry(
        handoff_id=handoff.handoff_id,
        session_id=state.session_id,
        subject=state.subject,
        language=state.language,
        agent=agent_of(state),
        transfer=handoff.asked.transfer,
        status=handoff.status,
        reason=handoff.asked.reason,
        cause=handoff.cause,
        requested_ms=handoff.requested_ms,
        queue=handoff.target,
        skills=handoff.skills,
        priority=handoff.priority,
        only=handoff.only,
        operator=handoff.operator,
        position=handoff.position,
        wait_ms=handoff.wait_ms,
        wait_text=wait_text(handoff.wait_ms, state.language),
        connecting_ms=handoff.connecting_ms,
        connected_ms=handoff.connected_ms,
        bundle_id=handoff.bundle_id,
        route=handoff.route,
        path=path_of(state),
        present_ms=now_ms,
        said=last,
    )


def _words(error: Exception) -> str:
    """What may be logged of an error: ours say no more than that, the text of others may quote what people wrote."""
    return str(error) if isinstance(error, DuologueError | StoreError) else type(error).__name__
