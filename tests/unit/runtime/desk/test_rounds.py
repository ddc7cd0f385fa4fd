"""What the desk does by itself, also where a store fails for a while."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import cast

from tests.unit.runtime.deliveries_world import Log
from tests.unit.runtime.desk.entry import MIA, NOW_MS, entry
from tests.unit.runtime.voice.scripted_vendors import on_virtual_time

from duologue.engine.handoff_state import Handoff
from duologue.engine.state import SessionState
from duologue.model.errors import Code, Problem, Refused, StoreError
from duologue.model.handoff import HandOff
from duologue.model.inputs import AnyInput, HandoffPlaced, HandoffRequested
from duologue.model.replies import Accepted, Reply
from duologue.runtime.desk.entries import Entry
from duologue.runtime.desk.room import Room
from duologue.runtime.desk.rounds import RETRY_MS, Rounds
from duologue.runtime.desk.rules import DeskRules
from duologue.runtime.desk.staff import Staff
from duologue.runtime.session import LiveSession
from duologue.testing.memory_store import MemoryStore
from duologue.testing.virtual_time import VirtualClock, VirtualLoop

ASKED = HandOff(reason="wants a human")


def _nothing() -> None:
    pass


class Session:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.state = SessionState(session_id="s", subject="ada")
        self.state.handoff.current = Handoff(
            handoff_id="s~1", asked=ASKED, cause="person", by="ada", requested_ms=NOW_MS, turn=1
        )
        self.attended = True
        self.told: list[AnyInput] = []
        self.meanwhile: Callable[[], None] = _nothing

    async def submit(self, happened: AnyInput) -> Reply:
        self.told.append(happened)
        self.meanwhile()
        return Accepted(turn=0, seq=1)


class Sessions:
    """Has one session, which cannot be loaded at first."""

    taking_up = False

    def __init__(self, *failures: Exception) -> None:
        self.store, self.session, self._failures = MemoryStore(), Session(), list(failures)

    async def reach(self, session_id: str) -> LiveSession:
        assert session_id == "s"
        if self._failures:
            raise self._failures.pop(0)
        # What the desk needs of one.
        return cast(LiveSession, self.session)

    def live(self, session_id: str) -> LiveSession | None:
        del session_id
        return cast(LiveSession, self.session)


def looked_after(
    sessions: Sessions, log: Log, *, ask: bool = False, place: bool = False, waiting: Sequence[Entry] = ()
) -> None:
    """Let the desk work for a while with something to do."""

    async def work() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        room, tasks = Room(), list[asyncio.Task[None]]()

        def begin(doing: Coroutine[None, None, None]) -> None:
            tasks.append(asyncio.ensure_future(doing))

        for one in waiting or (entry("s~1", status="requested"),):
            room.add(one)
        await sessions.store.open()
        clock = VirtualClock(loop, start_ms=NOW_MS)
        rounds = Rounds(DeskRules(), room, Staff(), clock=clock, log=log, begin=begin)
        begin(rounds.run(sessions))
        if ask:
            rounds.ask("s", "a human please")
        if place:
            rounds.place("s~1", ASKED)
        await asyncio.sleep(3 * RETRY_MS / 1000)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    on_virtual_time(work)


def test_what_was_passed_on_while_the_store_failed_is_placed_once_it_works() -> None:
    sessions, log = Sessions(StoreError("full"), StoreError("full")), Log()
    looked_after(sessions, log, place=True)
    (placed,) = sessions.session.told
    assert isinstance(placed, HandoffPlaced)
    assert (placed.handoff_id, placed.position) == ("s~1", 1)
    assert log.names == ["desk_failed", "desk_failed"]


def test_who_asked_while_the_store_failed_is_heard_once_it_works() -> None:
    sessions, log = Sessions(StoreError("full")), Log()
    looked_after(sessions, log, ask=True)
    (requested,) = sessions.session.told
    assert isinstance(requested, HandoffRequested)
    assert requested.asked.reason == "the person asked for a human (a human please)"


def test_a_session_that_is_gone_needs_nothing_any_more() -> None:
    gone = Refused(Problem(code=Code.SESSION_UNKNOWN, message="there is none"))
    sessions, log = Sessions(gone, gone), Log()
    looked_after(sessions, log, ask=True, place=True)
    assert sessions.session.told == []
    assert log.names == []


def test_what_goes_wrong_with_one_stops_nothing_else() -> None:
    sessions, log = Sessions(ValueError("a bug")), Log()
    looked_after(sessions, log, ask=True, place=True)
    (placed,) = sessions.session.told
    assert isinstance(placed, HandoffPlaced)
    assert log.names == ["desk_failed"]


def test_who_was_taken_while_others_are_told_their_places_is_told_none() -> None:
    sessions, log = Sessions(), Log()
    first, second = entry("s~1"), entry("s~2")

    def taken() -> None:
        second.status, second.connecting_ms = "connecting", NOW_MS

    sessions.session.meanwhile = taken
    looked_after(sessions, log, waiting=(first, second))
    assert [type(one) for one in sessions.session.told] == [HandoffPlaced] * len(sessions.session.told)
    assert {one.handoff_id for one in sessions.session.told if isinstance(one, HandoffPlaced)} == {"s~1"}


def test_who_was_taken_before_they_were_placed_is_not_sent_away() -> None:
    sessions, log = Sessions(), Log()
    looked_after(
        sessions, log, place=True, waiting=(entry("s~1", status="connecting", operator=MIA, connecting_ms=NOW_MS),)
    )
    assert sessions.session.told == []
