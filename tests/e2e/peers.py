"""A person in a browser, as far as the wire shows: a real WebRTC peer (aiortc) that speaks and listens."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from fractions import Fraction
from typing import Any

from aiortc import MediaStreamTrack, RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError
from av import AudioFrame
from tests.e2e.wire import Answer, fetch

from duologue.model.audio import FRAME_BYTES, FRAME_MS, FRAME_SAMPLES, RATE_HZ, SILENT_FRAME
from duologue.testing.scripted_speech import is_loud, silence, speech

SDP = {"Content-Type": "application/sdp"}

PATIENCE_S = 10.0


class Microphone(MediaStreamTrack):
    """Sends what is to be said, in its own time, and silence else."""

    kind = "audio"

    def __init__(self) -> None:
        super().__init__()
        self._said = bytearray()
        self._quiet = asyncio.Event()
        self._began_s: float | None = None
        self._frames = 0

    async def say(self, pcm: bytes) -> None:
        """Say this, and return once it is said."""
        self._said += pcm
        self._quiet.clear()
        await self._quiet.wait()

    async def recv(self) -> AudioFrame:
        loop = asyncio.get_running_loop()
        self._began_s = self._began_s if self._began_s is not None else loop.time()
        await asyncio.sleep(max(0.0, self._began_s + self._frames * FRAME_MS / 1000 - loop.time()))
        pcm = bytes(self._said[:FRAME_BYTES]).ljust(FRAME_BYTES, b"\0") if self._said else SILENT_FRAME
        del self._said[:FRAME_BYTES]
        if not self._said:
            self._quiet.set()
        frame = AudioFrame(format="s16", layout="mono", samples=FRAME_SAMPLES)
        frame.sample_rate, frame.pts, frame.time_base = RATE_HZ, self._frames * FRAME_SAMPLES, Fraction(1, RATE_HZ)
        frame.planes[0].update(pcm)
        self._frames += 1
        return frame


class Person:
    """One person's end of a call over WebRTC.

    Attributes:
        location: of the call, to hang up.
        session_id: whose call it is.
        loud_ms: how much speech was heard.
        last_loud_s: when the last of it was heard, on the loop's clock.
        closed: the connection is gone.
    """

    def __init__(self) -> None:
        # Without an empty list aiortc would ask a server of somebody else's.
        self._connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        self._microphone = Microphone()
        self._connection.addTrack(self._microphone)
        self._connection.on("track", self._taken)
        self._connection.on("connectionstatechange", self._changed)
        self._connected = asyncio.Event()
        self._listening: asyncio.Task[None] | None = None
        self._group = asyncio.TaskGroup()
        self.location = ""
        self.session_id = ""
        self.loud_ms = 0
        self.last_loud_s = 0.0
        self.closed = asyncio.Event()

    async def offer(self, *, video: bool = False, data: bool = False) -> bytes:
        """Make the offer, with all addresses; with a picture or a channel of data where that is wanted."""
        if video:
            self._connection.addTransceiver("video")
        if data:
            self._connection.createDataChannel("data")
        await self._connection.setLocalDescription(await self._connection.createOffer())
        return self._connection.localDescription.sdp.encode()

    async def call(self, port: int, query: str = "", headers: Mapping[str, str] | None = None) -> Answer:
        """Call, and wait until the peers have found each other."""
        answer = await fetch(
            port, "POST", f"/webrtc{query}", body=await self.offer(), headers=dict(headers or {}) | SDP
        )
        assert answer.status == 201, answer.raw
        self.location = answer.headers["location"]
        self.session_id = answer.headers["duologue-session"]
        description = RTCSessionDescription(sdp=answer.raw.decode(), type="answer")
        await self._connection.setRemoteDescription(description)
        async with asyncio.timeout(PATIENCE_S):
            await self._connected.wait()
        return answer

    async def say(self, ms: int, *, then_ms: int = 0) -> None:
        """Speak for so long and be silent for so long, in their own time."""
        await self._microphone.say(speech(ms) + silence(then_ms))

    async def over(self) -> str:
        """Wait until the connection is closed; it does not say why."""
        async with asyncio.timeout(PATIENCE_S):
            await self.closed.wait()
        return ""

    def _taken(self, track: MediaStreamTrack) -> None:
        self._listening = self._group.create_task(self._listen(track))

    # Any: PyAV's packets are generic in what nobody needs, and so aiortc's tracks are half typed.
    async def _listen(self, track: Any) -> None:
        while True:
            try:
                frame: AudioFrame = await track.recv()
            except MediaStreamError:
                self.closed.set()
                return
            if is_loud(bytes(frame.planes[0])):
                self.loud_ms += frame.samples * 1000 // frame.sample_rate
                self.last_loud_s = asyncio.get_running_loop().time()

    def _changed(self) -> None:
        match self._connection.connectionState:
            case "connected":
                self._connected.set()
            case "closed" | "failed":
                self.closed.set()
            case _:
                pass

    async def __aenter__(self) -> "Person":
        await self._group.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._connection.close()
        if self._listening is not None:
            self._listening.cancel()
        await self._group.__aexit__(None, None, None)


@asynccontextmanager
async def person(port: int, query: str = "", *, headers: Mapping[str, str] | None = None) -> AsyncGenerator[Person]:
    """Be on a call over WebRTC."""
    async with Person() as caller:
        await caller.call(port, query, headers)
        yield caller
