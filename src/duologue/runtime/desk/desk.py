"""The desk: routes and queues what leaves its agent, and lets operators take it. A `runtime.companions.Companion`.

It keeps nothing that the journals do not have: its picture is made of their events, and after a restart of the
sessions' states. What it decides it tells the sessions as inputs.
"""

import asyncio
from collections import defaultdict
from collections.abc import Coroutine, Sequence
from types import TracebackType
from typing import Final, Self

from duologue.engine.state import SessionState
from duologue.model.content import Message
from duologue.model.effects import CloseHandoff, PlaceHandoff
from duologue.model.events import AnyEvent, HandoffMoved, SupervisorNoted, TurnAccepted, TurnEnded
from duologue.ports.clock import Clock
from duologue.runtime.desk.asking import Asking
from duologue.runtime.desk.entries import Entry, begun, found_again
from duologue.runtime.desk.feed import Feed
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
from duologue.runtime.desk.placing import Summarise
from duologue.runtime.desk.room import Room
from duologue.runtime.desk.rounds import Rounds
from duologue.runtime.desk.rules import SUPERVISORS, Card, DeskRules
from duologue.runtime.desk.sessions import Sessions
from duologue.runtime.desk.staff import Staff
from duologue.runtime.events_log import EventLog
from duologue.runtime.session import LiveSession

NOBODY: Final = "conversations cannot be passed on here"


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
        self.rules, self.clock = rules, clock
        self.room, self.staff, self.feed = Room(), Staff(), Feed()
        self.taking: defaultdict[str, set[str]] = defaultdict(set)
        self._rounds = Rounds(
            rules, self.room, self.staff, clock=clock, log=log, begin=self._begin, summarise=summarise
        )
        self._asking = asking
        self._sessions: Sessions | None = None
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
        self._begin(self._rounds.run(self.sessions))
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
        self._rounds.wake()

    def carry_out(self, effect: PlaceHandoff | CloseHandoff) -> None:
        """Carry out what the engine orders, once its cause is stored."""
        match effect:
            case PlaceHandoff(handoff_id=handoff_id, asked=asked):
                self._rounds.place(handoff_id, asked)
            case CloseHandoff(handoff_id=handoff_id):
                self._rounds.leave(handoff_id)

    def loaded(self, session: LiveSession) -> None:
        """Find again what is open of a session that was loaded: after a restart, or because somebody asked for it."""
        for handoff in session.state.handoff.open_ones():
            if handoff.handoff_id not in self.room.entries:
                entry = found_again(session.state, handoff, now_ms=self.clock.now_ms())
                self.room.add(entry)
                self.feed.tell(HandoffNews(handoff=row(entry)))
                if handoff.status == "requested" or self._lost_queue(entry):
                    self._rounds.place(handoff.handoff_id, handoff.asked)
                self._rounds.wake()
        self._hear_again(session.state)

    def _hear_again(self, state: SessionState) -> None:
        """Hear a wish for a human again that the server died with, before it was told anybody."""
        if self._asking is None or state.open is None or state.handoff.open_ones():
            return
        asked_already = state.handoff.turn == state.open.number
        if not asked_already and (words := self._asking.heard(state.open.said.text)):
            self._rounds.ask(state.session_id, words)

    def _lost_queue(self, entry: Entry) -> bool:
        """Whether it waits in a queue that the settings do not have, or not any more."""
        known = (SUPERVISORS, *(queue.name for queue in self.rules.queues))
        return entry.status == "queued" and entry.queue not in known

    def _moved(self, session_id: str, event: HandoffMoved) -> None:
        session = self.sessions.live(session_id)
        if event.status == "requested" and session is not None:
            self.room.add(begun(event, session.state))
        entry = self.room.moved(event)
        if entry is None:
            return
        self.feed.tell(HandoffNews(handoff=row(entry)))
        # Who was read before it was placed, and not taken, has no queue yet.
        handoff = session.state.handoff.find(entry.handoff_id) if session is not None else None
        if handoff is not None and self._lost_queue(entry):
            self._rounds.place(entry.handoff_id, handoff.asked)
        self._rounds.wake()

    def _heard(self, session_id: str, event: TurnAccepted) -> None:
        """Note what the person says, where it is somebody's; and hear whether they ask for a human."""
        entries = list(self.room.of(session_id)) if self.room.entries else []
        for entry in entries:
            entry.away_ms = 0
            self._said(entry, Message(role="user", text=event.text, turn=event.turn), event.at_ms)
        if self._asking is not None and not entries and (words := self._asking.heard(event.text)):
            self._rounds.ask(session_id, words)

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
        self._rounds.wake()
