"""Calls over `WS /audio`, to a server that is a process of its own; prints one line of JSON.

What the person hears is measured where they hear it, so that the voice's lead and both ends of the socket are in it.
"""

import asyncio
import json
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import uvloop
import websockets
from websockets.asyncio.client import ClientConnection, connect

from benchmarks import load, servers, sessions, talk
from benchmarks.holding import arguments, hold
from benchmarks.talk import Talk
from benchmarks.voice_parts import People


@dataclass(frozen=True, slots=True)
class Server:
    """The server's process, as `holding.Measured`."""

    process: psutil.Process

    def cpu_s(self) -> float:
        """See `holding.Measured`."""
        return load.cpu_s(self.process)

    def resident_bytes(self) -> int:
        """See `holding.Measured`."""
        return sessions.memory_bytes(self.process)


@dataclass(frozen=True, slots=True)
class Line:
    """A call that has begun."""

    hear: Callable[[bytes], Awaitable[None]]
    close: Callable[[], Awaitable[None]]


def caller(url: str) -> Callable[[Talk], Awaitable[Line]]:
    """Open calls to a server."""
    people = People()
    address = f"ws://{urlsplit(url).netloc}/audio"

    async def call(person: Talk) -> Line:
        socket = await connect(address, compression=None, proxy=None)
        await socket.send(json.dumps({"type": "start", "language": people.add(person)}))
        told = json.loads(await socket.recv())
        assert told["type"] == "ready", told
        listening = asyncio.create_task(_listen(socket, person))

        async def close() -> None:
            await socket.close()
            await listening

        return Line(socket.send, close)

    return call


async def _listen(socket: ClientConnection, person: Talk) -> None:
    try:
        async for message in socket:
            if isinstance(message, bytes):
                person.sound(len(message) // talk.FRAME_BYTES)
            elif json.loads(message)["type"] == "clear":
                person.mark("cleared")
    except websockets.ConnectionClosed:
        pass


async def main() -> dict[str, object]:
    """Hold the calls, and tell what was measured."""
    asked = arguments()
    begun = talk.now()
    with tempfile.TemporaryDirectory() as folder, servers.calls(Path(folder)) as server:
        call = caller(server.url)
        first = await call(Talk(()))
        started_s = talk.now() - begun
        await first.close()
        sentence = talk.frames_of(asked.recording)
        process = Server(server.process)
        found = await hold(call, sentence, calls=asked.calls, interrupt=asked.interrupt, process=process)
        return {"first_call_s": started_s} | found


if __name__ == "__main__":
    print(json.dumps(uvloop.run(main())))
