"""Sessions that are open: what an idle one costs, and how long a long one takes to come back."""

import asyncio
import json
import time
from dataclasses import dataclass

import psutil
import websockets

from benchmarks.servers import Running

READY = 100
"""Sockets that are opened at once: a crowd, but not a storm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Idle:
    """What idle sessions cost: resident memory for each, in KiB."""

    sessions: int
    kib_each: float


async def idle(server: Running, *, sessions: int) -> Idle:
    """Open sessions over `WS /agentcall`, let each hold one short turn, and see what they cost while quiet."""
    url = server.url.replace("http", "ws") + "/agentcall"
    await _open(url, "warm-up")
    before = memory_bytes(server.process)
    sockets: list[websockets.ClientConnection] = []
    for begin in range(0, sessions, READY):
        sockets += await asyncio.gather(*(_open(url, f"idle-{begin + n}") for n in range(READY)))
    # Longer than the house is kept: what is ready for nobody has been dropped by then.
    await asyncio.sleep(5)
    used = memory_bytes(server.process) - before
    await asyncio.gather(*(one.close() for one in sockets))
    return Idle(sessions=sessions, kib_each=used / sessions / 1024)


async def _open(url: str, session_id: str) -> websockets.ClientConnection:
    socket = await websockets.connect(url, compression=None)
    await socket.send(json.dumps({"type": "session.start", "sessionId": session_id}))
    await socket.send(json.dumps({"type": "user.turn", "turn": 1, "text": '{"n": 3, "rate": 0}'}))
    while True:
        frame = json.loads(await socket.recv())
        if frame.get("event", {}).get("name") == "duologue.turn.ended":
            return socket


def memory_bytes(process: psutil.Process) -> int:
    """Resident memory."""
    return int(process.memory_info().rss)


async def fill(server: Running, *, session_id: str, events: int) -> None:
    """Make a session with about so many events."""
    url = server.url.replace("http", "ws") + "/agentcall"
    async with websockets.connect(url, compression=None, max_queue=None) as socket:
        await socket.send(json.dumps({"type": "session.start", "sessionId": session_id}))
        text = json.dumps({"n": events, "rate": 0})
        await socket.send(json.dumps({"type": "user.turn", "turn": 1, "text": text}))
        while True:
            frame = json.loads(await socket.recv())
            if frame.get("event", {}).get("name") == "duologue.turn.ended":
                return


async def resume(server: Running, *, session_id: str, events: int) -> float:
    """Resume a session from its start; ms until the last of `events` has come."""
    url = server.url.replace("http", "ws") + "/agentcall"
    async with websockets.connect(url, compression=None, max_queue=None) as socket:
        start = time.monotonic()
        await socket.send(json.dumps({"type": "session.start", "sessionId": session_id, "resumeFromSequence": 0}))
        for _ in range(events + 1):
            await socket.recv()
        return (time.monotonic() - start) * 1000
