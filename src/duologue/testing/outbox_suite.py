"""The suite of the port `Outbox`: what every outbox must do, as async checks.

@pytest.mark.parametrize("check", OUTBOX_CHECKS, ids=lambda check: check.__name__)
async def test_outbox(check, tmp_path):
    await check(lambda: MyOutbox(tmp_path))
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final, TypeAlias

from duologue.ports.outbox import Counts, Cursor, DeadLetter, Hook, HookName, Outbox

OutboxFactory: TypeAlias = Callable[[], Outbox]
"""Makes an outbox that is not open; each one it makes stands for the same place, where nothing was at first."""

OutboxCheck: TypeAlias = Callable[[OutboxFactory], Awaitable[None]]

HOOK: Final = Hook(url="https://one.example:8443/hook?x=1", secret="s" * 20, kinds=("turn_end",))
NOBODY: Final[frozenset[str]] = frozenset()


@asynccontextmanager
async def opened(make: OutboxFactory) -> AsyncGenerator[Outbox]:
    """Open one for a block."""
    outbox = make()
    assert await outbox.open(create=True)
    try:
        yield outbox
    finally:
        await outbox.close()


def letter(session_id: str = "s", *, seq: int = 5, hook: HookName = "server") -> DeadLetter:
    """Make a dead letter."""
    return DeadLetter(
        session_id=session_id,
        hook=hook,
        kind="turn_end",
        seq=seq,
        at_ms=900,
        failures=3,
        error="answered 500",
        failed_ms=1_000,
    )


async def only(outbox: Outbox, session_id: str = "s") -> Cursor:
    """Give a session's only cursor."""
    (cursor,) = await outbox.cursors(session_id)
    return cursor


async def check_it_is_made_only_when_told_to(make: OutboxFactory) -> None:
    """Also that closing and opening twice harm nothing."""
    outbox = make()
    assert not await outbox.open(create=False)
    assert await outbox.open(create=True)
    assert await outbox.open(create=False)
    await outbox.close()
    await outbox.close()
    again = make()
    assert await again.open(create=False)
    await again.close()


async def check_everything_is_still_there_when_it_is_opened_again(make: OutboxFactory) -> None:
    """Everything that the port keeps."""
    async with opened(make) as outbox:
        assert await outbox.began_ms(100) == 100
        assert await outbox.covered_ms() is None
        await outbox.cover(200)
        await outbox.note({"s": 7}, now_ms=300, everyone=True)
        await outbox.set_hook("t", HOOK, seq=4)
        await outbox.bury(letter(), keep=10)
    async with opened(make) as outbox:
        assert await outbox.began_ms(999) == 100
        assert await outbox.covered_ms() == 200
        assert await only(outbox) == Cursor(session_id="s", hook="server", seq=5, due_ms=300)
        assert await outbox.hook("t") == HOOK
        assert await only(outbox, "t") == Cursor(session_id="t", hook="session", target="one.example:8443", seq=4)
        (kept,) = await outbox.letters(before=None, limit=10)
        assert kept.number == 1
        assert await outbox.letter(1) == kept
        assert await outbox.counts() == Counts(waiting=1, dead=1)


async def check_what_is_noted_is_due_until_it_is_settled(make: OutboxFactory) -> None:
    """In any order with what is noted meanwhile."""
    async with opened(make) as outbox:
        await outbox.note({"s": 3}, now_ms=100, everyone=True)
        await outbox.note({"s": 2}, now_ms=150, everyone=True)
        assert await outbox.due(99, limit=9, without=NOBODY) == []
        (cursor,) = await outbox.due(100, limit=9, without=NOBODY)
        assert cursor == Cursor(session_id="s", hook="server", seq=0, due_ms=100)
        await outbox.advance(cursor, seq=2)
        assert (await only(outbox)).seq == 2
        await outbox.note({"s": 6}, now_ms=200, everyone=True)
        await outbox.settle(cursor, seq=3)
        assert (await only(outbox)).due_ms == 100
        await outbox.settle(cursor, seq=6)
        assert await only(outbox) == Cursor(session_id="s", hook="server", seq=6)
        await outbox.note({"s": 6}, now_ms=300, everyone=True)
        assert (await only(outbox)).due_ms is None
        await outbox.note({"s": 7}, now_ms=300, everyone=True)
        assert (await only(outbox)).due_ms == 300


async def check_only_the_servers_hook_is_made_by_noting(make: OutboxFactory) -> None:
    """And only where everyone is told."""
    async with opened(make) as outbox:
        await outbox.set_hook("t", HOOK, seq=4)
        await outbox.note({"s": 9, "t": 9}, now_ms=100, everyone=False)
        assert await outbox.cursors("s") == []
        assert (await only(outbox, "t")).due_ms == 100
        await outbox.note({"t": 9}, now_ms=200, everyone=True)
        assert {(one.hook, one.due_ms) for one in await outbox.cursors("t")} == {("server", 200), ("session", 100)}


async def check_the_longest_due_come_first(make: OutboxFactory) -> None:
    """Those of full targets are left out."""
    async with opened(make) as outbox:
        await outbox.set_hook("t", HOOK, seq=0)
        for at_ms, name in ((300, "a"), (100, "b"), (200, "t")):
            await outbox.note({name: 1}, now_ms=at_ms, everyone=name != "t")
        due = await outbox.due(400, limit=9, without=NOBODY)
        assert [one.session_id for one in due] == ["b", "t", "a"]
        assert [one.session_id for one in await outbox.due(400, limit=1, without=NOBODY)] == ["b"]
        spared = await outbox.due(400, limit=9, without=frozenset({HOOK.target, "two.example"}))
        assert [one.session_id for one in spared] == ["b", "a"]
        assert await outbox.next_due_ms(100) == 200
        assert await outbox.next_due_ms(300) is None


async def check_what_is_put_off_comes_back(make: OutboxFactory) -> None:
    """And never goes back behind what was sent."""
    async with opened(make) as outbox:
        await outbox.note({"s": 3}, now_ms=100, everyone=True)
        cursor = await only(outbox)
        await outbox.put_off(cursor, seq=1, failures=2, due_ms=500, error="answered 500")
        late = Cursor(session_id="s", hook="server", seq=1, failures=2, due_ms=500, error="answered 500")
        assert await only(outbox) == late
        await outbox.note({"s": 4}, now_ms=200, everyone=True)
        assert await only(outbox) == late
        await outbox.advance(cursor, seq=3)
        assert await only(outbox) == Cursor(session_id="s", hook="server", seq=3, due_ms=500)
        await outbox.put_off(cursor, seq=1, failures=2, due_ms=600, error="answered 500")
        assert await only(outbox) == Cursor(session_id="s", hook="server", seq=3, due_ms=600)


async def check_what_is_buried_is_passed(make: OutboxFactory) -> None:
    """The newest letters stay."""
    async with opened(make) as outbox:
        await outbox.note({"s": 9}, now_ms=100, everyone=True)
        for seq in (3, 5, 7):
            await outbox.bury(letter(seq=seq), keep=2)
        assert (await only(outbox)).seq == 7
        assert [(one.number, one.seq) for one in await outbox.letters(before=None, limit=9)] == [(3, 7), (2, 5)]
        assert [one.number for one in await outbox.letters(before=3, limit=9)] == [2]
        assert [one.number for one in await outbox.letters(before=None, limit=1)] == [3]
        await outbox.failed_again(3, error="cannot connect", now_ms=2_000)
        again = await outbox.letter(3)
        assert again is not None
        assert (again.failures, again.error, again.failed_ms) == (4, "cannot connect", 2_000)
        assert await outbox.discard(3)
        assert not await outbox.discard(3)
        assert await outbox.letter(3) is None
        assert (await outbox.counts()).dead == 1


async def check_a_hook_of_its_own(make: OutboxFactory) -> None:
    """One that is changed goes on where it is; one that is made again begins anew."""
    async with opened(make) as outbox:
        assert await outbox.hook("t") is None
        assert not await outbox.drop_hook("t")
        await outbox.set_hook("t", HOOK, seq=4)
        await outbox.advance(await only(outbox, "t"), seq=6)
        other = Hook(url="http://127.0.0.1:1/", secret="t" * 20)
        await outbox.set_hook("t", other, seq=9)
        assert await outbox.hook("t") == other
        assert await only(outbox, "t") == Cursor(session_id="t", hook="session", target="127.0.0.1:1", seq=6)
        assert await outbox.drop_hook("t")
        assert await outbox.cursors("t") == []
        await outbox.set_hook("t", other, seq=9)
        assert (await only(outbox, "t")).seq == 9


async def check_what_was_told_elsewhere_is_skipped(make: OutboxFactory) -> None:
    """But nothing that has begun."""
    async with opened(make) as outbox:
        await outbox.skip("s", seq=8)
        await outbox.note({"s": 8}, now_ms=100, everyone=True)
        assert await only(outbox) == Cursor(session_id="s", hook="server", seq=8)
        await outbox.skip("s", seq=20)
        assert (await only(outbox)).seq == 8


async def check_the_servers_hook_can_end(make: OutboxFactory) -> None:
    """And begin again, later."""
    async with opened(make) as outbox:
        await outbox.began_ms(100)
        await outbox.set_hook("t", HOOK, seq=4)
        await outbox.note({"s": 1, "t": 5}, now_ms=100, everyone=True)
        await outbox.end()
        assert await outbox.cursors("s") == []
        assert [one.hook for one in await outbox.cursors("t")] == ["session"]
        assert await outbox.began_ms(500) == 500


async def check_what_is_forgotten_is_gone(make: OutboxFactory) -> None:
    """And does not come back by what was under way."""
    async with opened(make) as outbox:
        await outbox.set_hook("s", HOOK, seq=0)
        await outbox.note({"s": 9, "t": 9}, now_ms=100, everyone=True)
        cursors = list(await outbox.cursors("s"))
        await outbox.bury(letter(), keep=9)
        await outbox.bury(letter("t"), keep=9)
        await outbox.forget(["s", "unknown"])
        for cursor in cursors:
            await outbox.advance(cursor, seq=9)
            await outbox.settle(cursor, seq=9)
            await outbox.put_off(cursor, seq=9, failures=1, due_ms=1, error="late")
        await outbox.bury(letter(), keep=9)
        assert await outbox.cursors("s") == []
        assert await outbox.hook("s") is None
        assert [one.session_id for one in await outbox.letters(before=None, limit=9)] == ["t"]


OUTBOX_CHECKS: Final[tuple[OutboxCheck, ...]] = (
    check_it_is_made_only_when_told_to,
    check_everything_is_still_there_when_it_is_opened_again,
    check_what_is_noted_is_due_until_it_is_settled,
    check_only_the_servers_hook_is_made_by_noting,
    check_the_longest_due_come_first,
    check_what_is_put_off_comes_back,
    check_what_is_buried_is_passed,
    check_a_hook_of_its_own,
    check_what_was_told_elsewhere_is_skipped,
    check_the_servers_hook_can_end,
    check_what_is_forgotten_is_gone,
)
"""Every check; each takes a factory of its own place."""
