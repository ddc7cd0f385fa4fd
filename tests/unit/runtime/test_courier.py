"""Carrying a session's notices: in order, at least once, later after each failure, and given up in the end."""

import asyncio

import pytest
from tests.unit.runtime.deliveries_world import (
    HOOK,
    SINCE_MS,
    FakeNotices,
    FakePost,
    HandClock,
    failing,
    fine,
    keep,
    session,
    trimmed,
)

from duologue.model import limits
from duologue.model.inputs import HistoryDropped
from duologue.model.records import Record, encode_record
from duologue.ports.outbox import Cursor, Hook
from duologue.ports.post import Answered, Letter
from duologue.runtime.courier import TRIMMED, Courier, DeliverySettings, event_id
from duologue.testing.memory_outbox import MemoryOutbox
from duologue.testing.memory_store import MemoryStore

pytestmark = pytest.mark.anyio

NOW_MS = 50_000


class World:
    """A courier and all around it."""

    def __init__(self, *, retries: int = 2, chance: float = 1.0) -> None:
        self.store, self.outbox, self.post = MemoryStore(), MemoryOutbox(), FakePost()
        self.clock = HandClock(NOW_MS)
        self.traces: dict[tuple[str, int], dict[str, str]] = {}
        self.courier = Courier(
            store=self.store,
            outbox=self.outbox,
            post=self.post,
            notices=FakeNotices(),
            clock=self.clock,
            chance=lambda: chance,
            settings=DeliverySettings(hook=HOOK, retries=retries, backoff_ms=100),
            trace=lambda session_id, turn: self.traces.get((session_id, turn), {}),
        )

    async def begin(self, turns: int, *, seq: int = 0) -> None:
        """Open both, keep a session, and make its hook due."""
        await self.store.open()
        await self.outbox.open(create=True)
        events = session(turns)
        await keep(self.store, events)
        if seq:
            await self.outbox.skip("s", seq=seq)
        await self.outbox.note({"s": events[-1].seq}, now_ms=NOW_MS, everyone=True)

    async def cursor(self) -> Cursor:
        """Where the hook is."""
        (cursor,) = await self.outbox.cursors("s")
        return cursor

    async def carry(self, *, hook: Hook = HOOK, since_ms: int = SINCE_MS) -> Cursor:
        """Carry once; where the hook is afterwards."""
        await self.courier.carry(await self.cursor(), hook, since_ms=since_ms)
        return await self.cursor()


async def test_everything_is_told_in_order_and_then_nothing_waits() -> None:
    world = World()
    await world.begin(2)
    cursor = await world.carry()
    assert world.post.bodies == ["accepted 1", "ended 1", "accepted 2", "ended 2"]
    assert (cursor.seq, cursor.due_ms) == (7, None)
    assert world.courier.figures.attempts == {"delivered": 4}


async def test_a_letter_says_what_it_is_about() -> None:
    world = World()
    await world.begin(1)
    await world.carry()
    first = world.post.letters[0]
    assert first.url == HOOK.url
    assert first.headers == {
        "Content-Type": "application/json",
        "User-Agent": "duologue",
        "Duologue-Session": "s",
        "Duologue-Turn": "1",
        "Duologue-Request-Id": "turn%201",
        "Duologue-Sequence": "2",
        "Duologue-Event-Id": event_id("s", session(1)[1]),
        "Duologue-Attempt": "1",
        "Proof": f"accepted 1, {HOOK.secret}, {NOW_MS}",
    }


async def test_a_letter_names_the_trace_of_its_turn_as_long_as_that_is_known() -> None:
    world = World(retries=9)
    await world.begin(2)
    world.traces = {("s", 1): {"traceparent": "of turn 1"}, ("t", 2): {"traceparent": "of another session"}}
    world.post.answer = failing("answered 500")
    await world.carry()
    world.post.answer = fine
    await world.carry()
    assert world.post.bodies == ["accepted 1", "accepted 1", "ended 1", "accepted 2", "ended 2"]
    assert [letter.headers.get("traceparent") for letter in world.post.letters] == ["of turn 1"] * 3 + [None] * 2
    assert "Proof" in world.post.letters[0].headers


async def test_an_event_keeps_its_id_and_no_other_has_it() -> None:
    ids = {event_id(name, event) for name in ("s", "t") for at_ms in (1, 2) for event in session(3, at_ms=at_ms)}
    assert len(ids) == 40
    assert event_id("s", session(1)[1]) == event_id("s", session(1)[1])


async def test_what_fails_waits_longer_each_time_and_holds_up_what_follows() -> None:
    world = World(retries=9)
    await world.begin(2)
    world.post.answer = failing("answered 500")
    pauses: list[int | None] = []
    for failures in range(1, 5):
        cursor = await world.carry()
        assert (cursor.seq, cursor.failures, cursor.error) == (1, failures, "answered 500")
        pauses.append((cursor.due_ms or 0) - NOW_MS)
    assert pauses == [100, 200, 400, 800]
    world.post.answer = fine
    await world.carry()
    assert world.post.bodies == ["accepted 1"] * 5 + ["ended 1", "accepted 2", "ended 2"]
    attempts = [letter.headers["Duologue-Attempt"] for letter in world.post.letters]
    assert attempts == ["1", "2", "3", "4", "5", "1", "1", "1"]
    assert len({letter.headers["Duologue-Event-Id"] for letter in world.post.letters[:5]}) == 1


@pytest.mark.parametrize(("chance", "pause_ms"), [(0.0, 50), (0.5, 75), (1.0, 100)])
async def test_pauses_differ(chance: float, pause_ms: int) -> None:
    world = World(chance=chance)
    await world.begin(1)
    world.post.answer = failing("cannot connect")
    assert (await world.carry()).due_ms == NOW_MS + pause_ms


async def test_pauses_end_at_the_longest_one_and_heed_the_receiver() -> None:
    world = World(retries=99)
    await world.begin(1)
    world.post.answer = failing("answered 503", wait_ms=5_000)
    assert (await world.carry()).due_ms == NOW_MS + 5_000
    for _ in range(30):
        await world.carry()
    assert (await world.cursor()).due_ms == NOW_MS + limits.WEBHOOK_BACKOFF_MAX_MS


async def test_what_cannot_be_delivered_is_given_up_and_the_rest_goes_on() -> None:
    world = World(retries=2)
    await world.begin(2)

    def answer(letter: Letter) -> Answered:
        return Answered(error="answered 400" if letter.body == b"ended 1" else "")

    world.post.answer = answer
    for _ in range(3):
        await world.carry()
    cursor = await world.cursor()
    assert world.post.bodies == ["accepted 1", "ended 1", "ended 1", "ended 1", "accepted 2", "ended 2"]
    assert (cursor.seq, cursor.failures, cursor.due_ms) == (7, 0, None)
    (letter,) = await world.outbox.letters(before=None, limit=9)
    assert (letter.seq, letter.kind, letter.failures, letter.error) == (4, "ended", 3, "answered 400")
    assert world.courier.figures.attempts == {"delivered": 3, "failed": 2, "dead": 1}
    found = await world.courier.find(letter)
    assert found is not None
    assert (found.seq, found.turn) == (4, 1)


async def test_without_retries_one_failure_is_enough() -> None:
    world = World(retries=0)
    await world.begin(1)
    world.post.answer = failing("answered 500")
    await world.carry()
    assert [letter.seq for letter in await world.outbox.letters(before=None, limit=9)] == [4, 2]


async def test_only_what_is_asked_for_is_told() -> None:
    world = World()
    await world.begin(2)
    cursor = await world.carry(hook=Hook(url=HOOK.url, secret=HOOK.secret, kinds=("ended",)))
    assert world.post.bodies == ["ended 1", "ended 2"]
    assert (cursor.seq, cursor.due_ms) == (7, None)


async def test_what_is_older_than_the_hook_is_not_told() -> None:
    world = World()
    await world.begin(2)
    cursor = await world.carry(since_ms=SINCE_MS + 1)
    assert world.post.bodies == []
    assert (cursor.seq, cursor.due_ms) == (7, None)


async def test_what_was_told_is_not_told_again() -> None:
    world = World()
    await world.begin(2, seq=4)
    await world.carry()
    assert world.post.bodies == ["accepted 2", "ended 2"]


async def test_a_long_backlog_gives_others_a_turn() -> None:
    world = World()
    await world.begin(limits.WEBHOOK_RUN)
    cursor = await world.carry()
    assert len(world.post.letters) == limits.WEBHOOK_RUN
    assert cursor.due_ms is not None
    while cursor.due_ms is not None:
        cursor = await world.carry()
    told = [f"{word} {turn}" for turn in range(1, limits.WEBHOOK_RUN + 1) for word in ("accepted", "ended")]
    assert world.post.bodies == told


async def test_what_comes_meanwhile_is_told_too() -> None:
    world = World()
    await world.begin(1)
    waits: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def held(letter: Letter) -> Answered:
        await waits
        return await FakePost.send(world.post, letter)

    world.post.send = held
    carrying = asyncio.ensure_future(world.carry())
    await asyncio.sleep(0)
    await keep(world.store, session(2))
    await world.outbox.note({"s": 7}, now_ms=NOW_MS, everyone=True)
    waits.set_result(None)
    if (await carrying).due_ms is not None:
        await world.carry()
    assert world.post.bodies == ["accepted 1", "ended 1", "accepted 2", "ended 2"]


async def test_what_retention_took_away_is_a_dead_letter() -> None:
    world = World()
    await world.begin(2)
    await world.store.trim("s", line=_line(), seq=4, state=b"state")
    await world.carry()
    assert world.post.bodies == ["accepted 2", "ended 2"]
    (letter,) = await world.outbox.letters(before=None, limit=9)
    assert (letter.kind, letter.seq, letter.error) == (TRIMMED, 4, "removed by retention")
    assert await world.courier.find(letter) is None


async def test_what_retention_took_away_after_it_was_told_is_none() -> None:
    world = World()
    await world.begin(2, seq=4)
    await world.store.trim("s", line=_line(), seq=4, state=b"state")
    await world.carry()
    assert await world.outbox.letters(before=None, limit=9) == []


def _line() -> bytes:
    return encode_record(Record(at_ms=SINCE_MS, input=HistoryDropped(), events=(trimmed(4),)))


async def test_a_session_that_was_removed_behind_its_back_is_forgotten() -> None:
    world = World()
    await world.begin(1)
    await world.store.delete_session("s")
    await world.courier.carry(await world.cursor(), HOOK, since_ms=0)
    assert await world.outbox.cursors("s") == []
