"""A process of our own behind a pipe: frames, its start, its death, its end."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.model import limits
from duologue.runtime.pipe import FRAME_MAX_BYTES, LENGTHS, Frames, Head, encode
from duologue.runtime.worker import Worker, WorkerGone

pytestmark = pytest.mark.anyio

ECHO = """
import os, sys, time
from duologue.runtime.pipe import WorkerEnd
end = WorkerEnd()
print("this goes to standard error")
end.write({"ready": True})
while (frame := end.read()) is not None:
    head, body = frame
    if head.get("die"):
        os._exit(3)
    if head.get("hang"):
        time.sleep(600)
    end.write({"again": head}, body[::-1])
"""


class Listener:
    """Keeps what a worker says."""

    def __init__(self) -> None:
        self.frames: asyncio.Queue[tuple[Head, bytes]] = asyncio.Queue()
        self.ended = asyncio.Event()
        self.deaths = 0

    def frame(self, head: Head, body: bytes) -> None:
        self.frames.put_nowait((head, body))

    def gone(self) -> None:
        self.deaths += 1
        self.ended.set()


@asynccontextmanager
async def working(script: str = ECHO) -> AsyncGenerator[tuple[Worker, Listener]]:
    listener = Listener()
    worker = Worker("echo", (sys.executable, "-c", script), listener)
    try:
        async with asyncio.timeout(60):
            yield worker, listener
    finally:
        await worker.aclose()
        assert worker.pid is None


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_frames_go_there_and_back() -> None:
    async with working() as (worker, listener):
        assert (await worker.ready())["ready"] is True
        await worker.ready()
        worker.write({"n": 1}, b"abc")
        worker.write({"n": 2}, bytes(3_000_000))
        assert await listener.frames.get() == ({"again": {"n": 1}}, b"cba")
        assert await listener.frames.get() == ({"again": {"n": 2}}, bytes(3_000_000))
        pid = worker.pid
        assert pid is not None
    assert not is_running(pid)


async def test_one_that_dies_is_started_again_but_not_for_ever() -> None:
    async with working() as (worker, listener):
        pids: set[int | None] = set()
        for number in range(limits.WORKER_DEATHS):
            await worker.ready()
            pids.add(worker.pid)
            listener.ended.clear()
            worker.write({"die": True})
            await listener.ended.wait()
            assert listener.deaths == number + 1
            with pytest.raises(WorkerGone):
                worker.write({"n": 1})
        assert len(pids) == limits.WORKER_DEATHS
        with pytest.raises(WorkerGone, match="died 3 times"):
            await worker.ready()


async def test_one_that_hangs_is_ended_within_the_bound() -> None:
    async with working() as (worker, _):
        await worker.ready()
        worker.write({"hang": True})
        pid = worker.pid
        assert pid is not None
        async with asyncio.timeout(limits.CANCEL_MS / 1000 * 5):
            await worker.aclose()
        assert not is_running(pid)
        with pytest.raises(WorkerGone, match="closed"):
            await worker.ready()


async def test_one_that_does_not_answer_can_be_killed() -> None:
    async with working() as (worker, listener):
        await worker.ready()
        worker.write({"hang": True})
        worker.kill()
        await listener.ended.wait()
        await worker.ready()
        worker.write({"n": 1})
        assert (await listener.frames.get())[0] == {"again": {"n": 1}}


async def test_one_that_is_killed_from_outside_is_noticed() -> None:
    async with working() as (worker, listener):
        await worker.ready()
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGKILL)
        await listener.ended.wait()


async def test_one_that_cannot_work_says_why() -> None:
    script = (
        "from duologue.runtime.pipe import WorkerEnd\nend = WorkerEnd()\nend.write({'failed': 'no model'})\nend.read()"
    )
    async with working(script) as (worker, _):
        with pytest.raises(WorkerGone, match="echo cannot work: no model") as raised:
            await worker.ready()
        assert not raised.value.retryable


async def test_one_that_ends_at_once_or_is_not_there_is_an_error() -> None:
    async with working("raise SystemExit(1)") as (worker, _):
        with pytest.raises(WorkerGone, match="ended before it was ready"):
            await worker.ready()
    missing = Worker("missing", ("/nowhere/at/all",), Listener())
    with pytest.raises(WorkerGone, match="could not be started"):
        await missing.ready()
    await missing.aclose()


async def test_closing_does_not_wait_for_a_start() -> None:
    async with working("import time\ntime.sleep(600)") as (worker, _):
        starting = asyncio.ensure_future(worker.ready())
        # The process is there after some rounds of the loop.
        while worker.starting_pid is None:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        async with asyncio.timeout(limits.CANCEL_MS / 1000 * 5):
            await worker.aclose()
        with pytest.raises(WorkerGone):
            await starting


async def test_bytes_that_are_no_frames_end_it() -> None:
    script = ECHO.replace(
        'end.write({"again": head}, body[::-1])',
        'sys.__stdout__.buffer.write(b"x" * 100); sys.__stdout__.buffer.flush()',
    )
    async with working(script) as (worker, listener):
        await worker.ready()
        worker.write({"n": 1})
        await listener.ended.wait()


@given(
    st.lists(st.tuples(st.dictionaries(st.text(max_size=5), st.integers()), st.binary(max_size=20)), max_size=5),
    st.integers(1, 9),
)
def test_frames_are_read_however_they_arrive(sent: list[tuple[dict[str, int], bytes]], size: int) -> None:
    data = b"".join(encode(head, body) for head, body in sent)
    frames = Frames()
    read = [frame for begin in range(0, len(data), size) for frame in frames.feed(data[begin : begin + size])]
    assert read == sent


@pytest.mark.parametrize(
    "data",
    [LENGTHS.pack(FRAME_MAX_BYTES, 1), LENGTHS.pack(2, 0) + b"[]", LENGTHS.pack(1, 0) + b"{"],
)
def test_what_is_no_frame_is_an_error(data: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        Frames().feed(data)
