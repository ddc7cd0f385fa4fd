"""A person on `WS /audio`: speaks in their own time, and notes what they hear and are told."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from duologue.model.audio import BYTES_PER_MS, FRAME_BYTES, FRAME_MS
from duologue.model.voice import VoiceRules
from duologue.ports.text_to_speech import TextToSpeech
from duologue.runtime.voice.call import Speaking
from duologue.runtime.voice.calls import Calls
from duologue.runtime.voice.hearing import Hearing
from duologue.server.log import event_log
from duologue.testing.scripted_speech import (
    ScriptedSpeechToText,
    ScriptedTextToSpeech,
    ScriptedVoiceActivity,
    Segment,
    silence,
    speech,
)

# Any: JSON of many shapes.
Told = dict[str, Any]

PATIENCE_S: Final = 10.0


def scripted_calls(*heard: Segment, rules: VoiceRules | None = None, voice: TextToSpeech | None = None) -> Calls:
    """Make calls of which every person says these segments."""
    speaking = Speaking(
        hearing=Hearing(ScriptedVoiceActivity()),
        recogniser=ScriptedSpeechToText(heard),
        voice=voice or ScriptedTextToSpeech(),
    )

    async def make() -> Speaking:
        return speaking

    return Calls(make, rules=rules or VoiceRules(), log=event_log("duologue"))


class Caller:
    """One person's end of a call.

    Attributes:
        told: every message, in order.
        sound: what came of each answer's sound, by response.
        messages: the same, each message by itself.
        at_s: when each message came, on the loop's clock, in the order of `told`.
        last_sound_s: when the last sound came.
        closed: code and reason, once the socket is closed.
    """

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.told: list[Told] = []
        self.at_s: list[float] = []
        self.sound: dict[str, bytearray] = {}
        self.messages: list[bytes] = []
        self.last_sound_s = 0.0
        self.closed: tuple[int, str] | None = None
        self._speaks = ""
        self._changed = asyncio.Event()

    async def listen(self) -> None:
        """Note what comes, until the socket closes."""
        loop = asyncio.get_running_loop()
        try:
            async for message in self._socket:
                if isinstance(message, bytes):
                    self.sound[self._speaks] += message
                    self.messages.append(message)
                    self.last_sound_s = loop.time()
                else:
                    told: Told = json.loads(message)
                    self.told.append(told)
                    self.at_s.append(loop.time())
                    if told["type"] == "speech":
                        self._speaks = told["responseId"]
                        self.sound[self._speaks] = bytearray()
                self._changed.set()
        except ConnectionClosed:
            pass
        self.closed = (self._socket.close_code or 0, self._socket.close_reason or "")
        self._changed.set()

    async def send(self, message: Mapping[str, object] | bytes | str) -> None:
        """Send a message, or sound."""
        await self._socket.send(message if isinstance(message, bytes | str) else json.dumps(message))

    async def start(self, session_id: str | None = None, **more: object) -> Told:
        """Begin the call; returns `ready`."""
        await self.send({"type": "start"} | ({"sessionId": session_id} if session_id else {}) | more)
        return await self.until("ready")

    async def say(self, ms: int, *, then_ms: int = 0) -> None:
        """Speak for so long and be silent for so long, in their own time."""
        await self.play(speech(ms) + silence(then_ms))

    async def play(self, pcm: bytes) -> None:
        """Send sound in its own time."""
        await self.stream([pcm[at : at + FRAME_BYTES] for at in range(0, len(pcm), FRAME_BYTES)])

    async def stream(self, messages: Sequence[bytes]) -> None:
        """Send messages of 20 ms each in their own time."""
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        for count, message in enumerate(messages, 1):
            await self.send(message)
            await asyncio.sleep(max(0.0, began_s + count * FRAME_MS / 1000 - loop.time()))

    async def until(self, kind: str, *, count: int = 1, within_s: float = PATIENCE_S) -> Told:
        """Wait for the so-many-th message of a kind."""
        async with asyncio.timeout(within_s):
            while True:
                found = [told for told in self.told if told["type"] == kind]
                if len(found) >= count:
                    return found[count - 1]
                assert self.closed is None, f"closed with {self.closed}, and no {kind} in {self.told}"
                self._changed.clear()
                await self._changed.wait()

    async def until_heard(self, ms: int, *, within_s: float = PATIENCE_S) -> None:
        """Wait for so much sound of the present answer."""
        async with asyncio.timeout(within_s):
            while self.heard_ms(self._speaks) < ms:
                self._changed.clear()
                await self._changed.wait()

    def cut(self) -> None:
        """Cut the connection, as a network does."""
        self._socket.transport.abort()

    async def until_closed(self, within_s: float = PATIENCE_S) -> tuple[int, str]:
        """Wait until the socket is closed."""
        async with asyncio.timeout(within_s):
            while self.closed is None:
                self._changed.clear()
                await self._changed.wait()
        return self.closed

    def heard_ms(self, response_id: str) -> int:
        """How much sound of an answer came."""
        return len(self.sound.get(response_id, b"")) // BYTES_PER_MS

    def kinds(self) -> list[str]:
        """The messages' types, in order."""
        return [told["type"] for told in self.told]


@asynccontextmanager
async def calling(port: int, *, headers: Mapping[str, str] | None = None, query: str = "") -> AsyncGenerator[Caller]:
    """Connect to `WS /audio`."""
    url = f"ws://127.0.0.1:{port}/audio{query}"
    async with connect(url, additional_headers=dict(headers or {}), proxy=None) as socket, asyncio.TaskGroup() as group:
        caller = Caller(socket)
        listening = group.create_task(caller.listen())
        try:
            yield caller
        finally:
            with suppress(ConnectionClosed):
                await socket.close()
            listening.cancel()
