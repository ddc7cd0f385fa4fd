"""Calls over WebRTC, to a server that is a process of its own; prints one line of JSON, as `voice_socket` does."""

import asyncio
import json
import tempfile
from collections.abc import Awaitable, Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import httpx2
import uvloop
from aiortc import MediaStreamTrack, RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError
from av import AudioFrame

from benchmarks import servers, talk
from benchmarks.holding import arguments, hold
from benchmarks.talk import Talk
from benchmarks.voice_socket import Line, Server

LOUD = 500
"""What is louder is the answer."""


class Mouth(MediaStreamTrack):
    """Says what it is handed, when it is handed it."""

    kind = "audio"

    def __init__(self) -> None:
        super().__init__()
        self._frames: asyncio.Queue[bytes] = asyncio.Queue()
        self._sent = 0

    async def hear(self, frame: bytes) -> None:
        """Say some more."""
        self._frames.put_nowait(frame)

    async def recv(self) -> AudioFrame:
        """See aiortc."""
        pcm = await self._frames.get()
        samples = len(pcm) // 2
        frame = AudioFrame(format="s16", layout="mono", samples=samples)
        frame.sample_rate, frame.pts = talk.RATE_HZ, self._sent * samples
        frame.time_base = Fraction(1, talk.RATE_HZ)
        frame.planes[0].update(pcm)
        self._sent += 1
        return frame


def caller(url: str) -> Callable[[Talk], Awaitable[Line]]:
    """Open calls to a server."""

    async def call(person: Talk) -> Line:
        connection, mouth = RTCPeerConnection(RTCConfiguration(iceServers=[])), Mouth()
        connection.addTrack(mouth)
        listening: list[asyncio.Task[None]] = []
        connection.on("track", lambda track: listening.append(asyncio.create_task(_listen(track, person))))
        await connection.setLocalDescription(await connection.createOffer())
        async with httpx2.AsyncClient() as client:
            answer = await client.post(
                f"{url}/webrtc",
                content=connection.localDescription.sdp,
                headers={"Content-Type": "application/sdp"},
            )
        assert answer.status_code == 201, answer.text
        await connection.setRemoteDescription(RTCSessionDescription(sdp=answer.text, type="answer"))

        async def close() -> None:
            await connection.close()
            await asyncio.gather(*listening)

        return Line(mouth.hear, close)

    return call


# Any: aiortc's tracks are half typed.
async def _listen(track: Any, person: Talk) -> None:
    try:
        while True:
            frame = await track.recv()
            samples = memoryview(bytes(frame.planes[0])).cast("h")
            if max(samples[::8]) > LOUD:
                person.sound()
    except MediaStreamError:
        pass


async def main() -> dict[str, object]:
    """Hold the calls, and tell what was measured."""
    asked = arguments()
    with tempfile.TemporaryDirectory() as folder, servers.calls(Path(folder)) as server:
        process = Server(server.process)
        sentence = talk.frames_of(asked.recording)
        return await hold(caller(server.url), sentence, calls=asked.calls, interrupt=asked.interrupt, process=process)


if __name__ == "__main__":
    print(json.dumps(uvloop.run(main())))
