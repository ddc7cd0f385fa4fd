"""On a virtual loop waiting costs nothing, what is outside takes its real time, and a run repeats itself."""

import asyncio
import socket
import threading
import time
from collections.abc import Coroutine

import pytest

from duologue.testing.virtual_time import VirtualClock, VirtualLoop, VirtualTimeError

DAY_S = 86_400.0


def run(work: Coroutine[None, None, object], loop: VirtualLoop) -> object:
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(work)


def test_sleeping_a_day_costs_nothing() -> None:
    loop = VirtualLoop()
    began = time.monotonic()
    run(asyncio.sleep(DAY_S), loop)
    assert time.monotonic() - began < 5
    assert loop.time() >= DAY_S


def test_timers_come_in_their_order_at_their_times() -> None:
    loop = VirtualLoop()
    clock = VirtualClock(loop, start_ms=1_000)
    seen: list[tuple[str, int]] = []

    async def say(name: str, after_s: float) -> None:
        await asyncio.sleep(after_s)
        seen.append((name, clock.now_ms()))

    async def work() -> None:
        async with asyncio.TaskGroup() as group:
            for name, after_s in (("late", 0.03), ("never soon", 3600), ("early", 0.01), ("middle", 0.02)):
                group.create_task(say(name, after_s))

    run(work(), loop)
    assert seen == [("early", 1_010), ("middle", 1_020), ("late", 1_030), ("never soon", 3_601_000)]


def test_time_limits_hold() -> None:
    async def work() -> None:
        async with asyncio.timeout(60):
            await asyncio.sleep(61)

    with pytest.raises(TimeoutError):
        run(work(), VirtualLoop())


def test_the_clock_tells_every_millisecond_that_it_was_set_to() -> None:
    loop = VirtualLoop()
    clock = VirtualClock(loop, start_ms=1_767_323_045_678)

    async def work() -> None:
        for at_ms in range(1_767_323_045_678, 1_767_323_145_678, 7_919):
            clock.jump_to(at_ms)
            assert clock.now_ms() == at_ms
        clock.jump_to(5)
        assert clock.now_ms() > 5, "time does not run back"

    run(work(), loop)


def test_where_nothing_can_happen_any_more_that_is_said() -> None:
    async def work() -> None:
        await asyncio.Event().wait()

    loop = VirtualLoop()
    with pytest.raises(VirtualTimeError):
        loop.run_until_complete(work())
    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()


def test_a_thread_takes_its_real_time() -> None:
    loop = VirtualLoop()
    gate = threading.Event()

    async def work() -> bool:
        waiting = asyncio.create_task(asyncio.to_thread(gate.wait, 30))
        await asyncio.sleep(0.05)
        gate.set()
        return await waiting

    assert run(work(), loop) is True
    assert 0.04 < loop.time() < 30


def test_a_socket_takes_its_real_time() -> None:
    loop = VirtualLoop()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        answer = threading.Timer(0.05, theirs.send, (b"x",))

        async def work() -> bytes:
            answer.start()
            return await asyncio.get_running_loop().sock_recv(ours, 1)

        assert run(work(), loop) == b"x"
        answer.join()
    assert 0.03 < loop.time() < 30
