"""Deliveries: what is due, what a start finds, who is not held up by whom, and how they end."""

import asyncio
from collections.abc import Sequence
from types import TracebackType

import pytest
from tests.unit.runtime.deliveries_world import (
    HOOK,
    SINCE_MS,
    FakeNotices,
    FakePost,
    HandClock,
    Log,
    failing,
    fine,
    keep,
    session,
    until,
)

from duologue.model import limits
from duologue.model.errors import StoreError
from duologue.model.events import AnyEvent
from duologue.ports.outbox import Counts, Hook
from duologue.ports.post import Answered, Letter
from duologue.runtime.companions import Companion
from duologue.runtime.courier import DeliverySettings
from duologue.runtime.deliveries import COVER_MS, Deliveries
from duologue.runtime.hub import Hub
from duologue.testing.memory_outbox import MemoryOutbox
from duologue.testing.memory_store import MemoryStore
from duologue.testing.scripted_agent import ScriptedAgent

pytestmark = pytest.mark.anyio

OWN = Hook(url="https://own.example/hook", secret="o" * 20)


class World:
    """Deliveries and all around them; each `deliveries()` is another start on the same data."""

    def __init__(self) -> None:
        self.store, self.outbox, self.post = MemoryStore(), MemoryOutbox(), FakePost()
        self.clock, self.log = HandClock(), Log()

    def deliveries(self, *, hook: Hook | None = HOOK, retries: int = 1) -> Deliveries:
        return Deliveries(
            store=self.store,
            outbox=self.outbox,
            post=self.post,
            notices=FakeNotices(),
            clock=self.clock,
            chance=lambda: 0.0,
            log=self.log,
            settings=DeliverySettings(hook=hook, retries=retries, backoff_ms=10),
        )

    async def happen(self, deliveries: Deliveries | None, *, turns: int, name: str = "s") -> None:
        """Let a session have so many turns; tell of it, unless the process dies before."""
        events = session(turns, at_ms=self.clock.ms)
        await keep(self.store, events, session_id=name)
        if deliveries is not None:
            deliveries.stored(name, tuple(events))


@pytest.fixture
async def world() -> World:
    world = World()
    await world.store.open()
    return world


async def test_what_is_stored_is_told(world: World) -> None:
    async with world.deliveries() as deliveries:
        await world.happen(deliveries, turns=1)
        await until(lambda: world.post.bodies == ["accepted 1", "ended 1"])
    assert world.post.closed
    assert not await world.outbox.open(create=False) or world.log.names == []


async def test_a_start_finds_what_was_not_noted(world: World) -> None:
    async with world.deliveries() as deliveries:
        await world.happen(deliveries, turns=1)
        await until(lambda: len(world.post.letters) == 2)
        await settled(deliveries)
    await world.happen(None, turns=2)
    await world.happen(None, turns=1, name="t")
    async with world.deliveries() as deliveries:
        await until(lambda: len(world.post.letters) == 6)
        await settled(deliveries)
    assert sorted(world.post.bodies[2:]) == ["accepted 1", "accepted 2", "ended 1", "ended 2"]


async def settled(deliveries: Deliveries) -> None:
    """Wait until nothing is waiting."""
    for _ in range(10_000):
        if await deliveries.counts() == Counts(waiting=0, dead=0):
            return
        await asyncio.sleep(0)
    raise AssertionError("something keeps waiting")


async def test_a_clock_that_was_set_back_hides_nothing(world: World) -> None:
    world.clock.ms = SINCE_MS + 10 * COVER_MS
    async with world.deliveries():
        pass
    await world.happen(None, turns=1)
    world.clock.ms -= 5 * COVER_MS
    async with world.deliveries():
        await until(lambda: len(world.post.letters) == 2)


async def test_what_was_there_before_is_not_told(world: World) -> None:
    await world.happen(None, turns=1)
    world.clock.ms += 1
    async with world.deliveries() as deliveries:
        later = session(2, at_ms=world.clock.ms)
        await keep(world.store, later)
        deliveries.stored("s", tuple(later[-3:]))
        await until(lambda: len(world.post.letters) == 2)
        await settled(deliveries)
    assert world.post.bodies == ["accepted 2", "ended 2"]


async def test_without_a_hook_nothing_is_kept(world: World) -> None:
    async with world.deliveries(hook=None) as deliveries:
        await world.happen(deliveries, turns=1)
        assert not await world.outbox.open(create=False)
        assert await deliveries.hook("s") is None
        assert not await deliveries.drop_hook("s")
        assert await deliveries.letters(before=None, limit=9) == ()
        assert await deliveries.redeliver(1) is None
        assert await deliveries.counts() == Counts(waiting=0, dead=0)
        await deliveries.removing(["s"])
        await deliveries.imported("s", last_seq=4)


async def test_a_session_may_have_a_hook_of_its_own(world: World) -> None:
    async with world.deliveries(hook=None) as deliveries:
        await world.happen(deliveries, turns=1)
        assert (await deliveries.set_hook("s", OWN, seq=4)).seq == 4
        await world.happen(deliveries, turns=2)
        await world.happen(deliveries, turns=1, name="t")
        await until(lambda: len(world.post.letters) == 2)
        await settled(deliveries)
        assert world.post.bodies == ["accepted 2", "ended 2"]
        assert {letter.url for letter in world.post.letters} == {OWN.url}
        found = await deliveries.hook("s")
        assert found is not None
        assert (found[0], found[1].seq) == (OWN, 7)
        assert await deliveries.drop_hook("s")
        await world.happen(deliveries, turns=3)
    assert len(world.post.letters) == 2


async def test_both_hooks_are_told(world: World) -> None:
    async with world.deliveries() as deliveries:
        await deliveries.set_hook("s", OWN, seq=0)
        await world.happen(deliveries, turns=1)
        await until(lambda: len(world.post.letters) == 4)
    assert sorted(letter.url for letter in world.post.letters) == [OWN.url] * 2 + [HOOK.url] * 2


async def test_a_hook_that_is_taken_out_of_the_settings_is_over(world: World) -> None:
    world.post.answer = failing("cannot connect")
    async with world.deliveries() as deliveries:
        await world.happen(deliveries, turns=1)
        await until(lambda: len(world.post.letters) >= 1)
    async with world.deliveries(hook=None) as deliveries:
        assert (await deliveries.counts()).waiting == 0
    world.post.letters.clear()
    world.post.answer = fine
    world.clock.ms += 1
    async with world.deliveries() as deliveries:
        later = session(2, at_ms=world.clock.ms)
        await keep(world.store, later)
        deliveries.stored("s", tuple(later[-3:]))
        await until(lambda: len(world.post.letters) == 2)
        await settled(deliveries)
    assert world.post.bodies == ["accepted 2", "ended 2"]


async def test_what_came_from_another_server_was_told_there(world: World) -> None:
    async with world.deliveries() as deliveries:
        await world.happen(None, turns=2)
        await deliveries.imported("s", last_seq=7)
        await world.happen(deliveries, turns=3)
        await until(lambda: len(world.post.letters) == 2)
        await settled(deliveries)
    assert world.post.bodies == ["accepted 3", "ended 3"]


async def test_a_dead_receiver_leaves_room_for_others(world: World) -> None:
    hangs: asyncio.Future[Answered] = asyncio.get_running_loop().create_future()
    busy = 0

    async def send(letter: Letter) -> Answered:
        nonlocal busy
        world.post.letters.append(letter)
        if letter.url == HOOK.url:
            return Answered()
        busy += 1
        return await hangs

    world.post.send = send
    names = [f"s-{number}" for number in range(limits.WEBHOOK_SENDS_PER_TARGET + 5)]
    async with world.deliveries() as deliveries:
        for name in names:
            await deliveries.set_hook(name, OWN, seq=0)
            await world.happen(deliveries, turns=1, name=name)
        await until(lambda: sum(letter.url == HOOK.url for letter in world.post.letters) == 2 * len(names))
        assert busy == limits.WEBHOOK_SENDS_PER_TARGET
        hangs.set_result(Answered())
        await settled(deliveries)
    assert sum(letter.url == OWN.url for letter in world.post.letters) == 2 * len(names)


async def test_each_session_is_told_in_order_however_many_there_are(world: World) -> None:
    names = [f"s-{number}" for number in range(150)]
    async with world.deliveries() as deliveries:
        for name in names:
            await world.happen(deliveries, turns=2, name=name)
        await until(lambda: len(world.post.letters) == 4 * len(names))
        await settled(deliveries)
    for name in names:
        told = [one.body.decode() for one in world.post.letters if one.headers["Duologue-Session"] == name]
        assert told == ["accepted 1", "ended 1", "accepted 2", "ended 2"]


async def test_a_failing_store_is_waited_for(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duologue.runtime.deliveries.RETRY_MS", 1)
    world.clock.step = 1
    reads = MemoryStore.read
    failures = iter([StoreError("no"), RuntimeError("a bug"), None])

    async def read(self: MemoryStore, session_id: str, *, after: int, limit: int) -> bytes:
        if (error := next(failures, None)) is not None:
            raise error
        return await reads(self, session_id, after=after, limit=limit)

    monkeypatch.setattr(MemoryStore, "read", read)
    async with world.deliveries() as deliveries:
        await world.happen(deliveries, turns=1)
        await until(lambda: len(world.post.letters) == 2)
    assert world.log.names == ["webhook_failed", "webhook_failed"]


async def test_a_failing_outbox_is_waited_for(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duologue.runtime.deliveries.RETRY_MS", 1)
    failures = iter([StoreError("full"), StoreError("full"), None])
    note = MemoryOutbox.note

    async def failing(self: MemoryOutbox, last: dict[str, int], *, now_ms: int, everyone: bool) -> None:
        if (error := next(failures, None)) is not None:
            raise error
        await note(self, last, now_ms=now_ms, everyone=everyone)

    monkeypatch.setattr(MemoryOutbox, "note", failing)
    async with world.deliveries() as deliveries:
        await world.happen(deliveries, turns=1)
        await until(lambda: len(world.post.letters) == 2)
    assert world.log.names == ["webhooks_failed", "webhooks_failed"]


async def test_a_dead_letter_can_be_sent_again_or_thrown_away(world: World) -> None:
    world.post.answer = failing("answered 500")
    async with world.deliveries(retries=0) as deliveries:
        await world.happen(deliveries, turns=1)
        await until(lambda: deliveries.figures.attempts == {"dead": 2})
        second, first = await deliveries.letters(before=None, limit=9)
        assert (first.kind, first.failures, second.kind) == ("accepted", 1, "ended")
        assert await deliveries.redeliver(first.number) == Answered(error="answered 500")
        again = (await deliveries.letters(before=None, limit=9))[1]
        assert (again.failures, again.error) == (2, "answered 500")
        world.post.answer = fine
        assert await deliveries.redeliver(first.number) == Answered()
        assert world.post.letters[-1].headers["Duologue-Attempt"] == "3"
        assert await deliveries.redeliver(first.number) is None
        assert await deliveries.discard(second.number)
        assert not await deliveries.discard(second.number)
        await settled(deliveries)


async def test_a_dead_letter_whose_hook_or_event_is_gone_says_so(world: World) -> None:
    world.post.answer = failing("answered 500")
    async with world.deliveries(hook=None, retries=0) as deliveries:
        await deliveries.set_hook("s", OWN, seq=0)
        await world.happen(deliveries, turns=1)
        await until(lambda: deliveries.figures.attempts == {"dead": 2})
        letter = (await deliveries.letters(before=None, limit=9))[0]
        await world.store.delete_session("s")
        gone = await deliveries.redeliver(letter.number)
        await deliveries.drop_hook("s")
        unhooked = await deliveries.redeliver(letter.number)
    assert gone == Answered(error="its event is in the journal no longer")
    assert unhooked == Answered(error="its hook was removed")


async def test_a_removed_session_is_forgotten(world: World) -> None:
    async with world.deliveries() as deliveries:
        await deliveries.set_hook("s", OWN, seq=0)
        await world.happen(deliveries, turns=1)
        await until(lambda: len(world.post.letters) == 4)
        await settled(deliveries)
        await deliveries.removing(["s"])
        assert await world.outbox.cursors("s") == []


async def test_what_is_on_its_way_at_the_end_is_sent_again(world: World) -> None:
    async def never(letter: Letter) -> Answered:
        world.post.letters.append(letter)
        return await asyncio.get_running_loop().create_future()

    send, world.post.send = world.post.send, never
    async with world.deliveries() as deliveries:
        await world.happen(deliveries, turns=1)
        await until(lambda: len(world.post.letters) == 1)
    world.post.send = send
    async with world.deliveries():
        await until(lambda: len(world.post.letters) == 3)
    assert world.post.bodies == ["accepted 1", "accepted 1", "ended 1"]


@pytest.mark.parametrize("step", [1, 2, 3, 4])
async def test_what_becomes_due_while_it_looks_is_not_missed(step: int, world: World) -> None:
    """The clock goes on with each look at it, so that a pause may be over between two of them."""

    def answer(letter: Letter) -> Answered:
        return Answered(error="answered 500" if letter.headers["Duologue-Attempt"] == "1" else "")

    world.post.answer, world.clock.step = answer, step
    async with world.deliveries() as deliveries:
        for number in range(20):
            await world.happen(deliveries, turns=1, name=f"s-{number}")
            await until(lambda sent=4 * (number + 1): len(world.post.letters) == sent)


async def test_an_outbox_that_cannot_be_opened_stops_the_start(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[bool] = []

    async def broken(**_: bool) -> bool:
        raise StoreError("damaged")

    async def close() -> None:
        closed.append(True)

    monkeypatch.setattr(world.outbox, "open", broken)
    monkeypatch.setattr(world.outbox, "close", close)
    with pytest.raises(StoreError, match="damaged"):
        async with world.deliveries():
            pass
    assert closed == [True]


async def test_a_hub_that_cannot_start_lets_go_of_its_companions(world: World) -> None:
    events: list[str] = []

    class Beside:
        def __init__(self, name: str) -> None:
            self.name = name

        async def __aenter__(self) -> None:
            events.append(f"{self.name} in")
            if self.name == "bad":
                raise StoreError("no")

        async def __aexit__(
            self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
        ) -> None:
            del kind, error, trace
            events.append(f"{self.name} out")

        def stored(self, session_id: str, events: tuple[AnyEvent, ...]) -> None:
            del session_id, events

        async def removing(self, session_ids: Sequence[str]) -> None:
            del session_ids

    companions: tuple[Companion, ...] = (Beside("good"), Beside("bad"), Beside("never"))
    hub = Hub(store=world.store, agent=ScriptedAgent([]), clock=world.clock, log=world.log, companions=companions)
    with pytest.raises(StoreError, match="no"):
        async with hub:
            pass
    assert events == ["good in", "bad in", "good out"]
