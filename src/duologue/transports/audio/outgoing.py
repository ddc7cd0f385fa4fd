"""What goes out on one socket: sound when it is due, and messages about it, which overtake it.

One task writes. Sound is taken from the call's playout; nothing of it is kept here.
"""

import asyncio
from collections import deque
from typing import Final

from starlette.websockets import WebSocket, WebSocketDisconnect

from duologue.model.audio import FRAME_MS
from duologue.model.errors import Problem
from duologue.protocols import audio
from duologue.protocols.audio import wire
from duologue.runtime.voice.call import Call
from duologue.transports.audio.formats import Writer

LEAD_MS: Final = 200
"""How far ahead sound is sent: a busy page or a hiccup of the network that is shorter is not heard."""

TOGETHER: Final = 3
"""Frames that are sent at a time while an answer plays: 60 ms; a third of the wake-ups of each alone."""

MOST: Final = LEAD_MS // FRAME_MS + TOGETHER
"""Frames that are taken at once: what the lead lets be sent at the beginning, or after a gap."""

ANSWERS: Final = 16
"""Messages that may wait to be written before the client's next one is read (policy: wait)."""

WAITING: Final = 256
"""Messages that may wait to be written in all: whose client reads none of so many is gone (policy: hang up)."""

CLOSE: Final = {"draining": 1012, "store_failed": 1011, "failed": 1011, "recogniser_failed": 1011}
"""Close codes by reason; 1000 for others. Source: RFC 6455, section 7.4, and its registry."""

NORMAL: Final = 1000


class Outgoing:
    """Writes to an accepted socket.

    Attributes:
        call: whose sound is sent, while one is on.
        writer: encodes its sound, once the client has said how.
    """

    def __init__(self, socket: WebSocket) -> None:
        self.call: Call | None = None
        self.writer: Writer | None = None
        self._socket = socket
        self._words: deque[str] = deque()
        self._stirred, self._room = asyncio.Event(), asyncio.Event()
        self._closes: str | None = None
        self._told_sent = ""
        self._loop = asyncio.get_running_loop()

    def stir(self) -> None:
        """Look again: something may be due, or not due any more."""
        self._stirred.set()

    def say(self, message: wire.ServerMessage) -> None:
        """Write a message, before any sound that waits; nothing follows the last one."""
        if self._closes is not None:
            return
        self._words.append(audio.encode(message))
        self.stir()
        if len(self._words) > WAITING and self.call is not None:
            self.call.hang_up("lost")

    def refuse(self, problem: Problem) -> None:
        """Tell what is wrong with a message of the client's."""
        self._words.append(audio.refused(problem))
        self.stir()

    async def refuse_in_turn(self, problem: Problem) -> None:
        """Refuse something; whoever does not read refusals is not read either."""
        self.refuse(problem)
        while len(self._words) >= ANSWERS:
            self._room.clear()
            await self._room.wait()

    def close(self, reason: str, message: str) -> None:
        """Tell why the call is over, and close the socket after that; the first reason counts."""
        if self._closes is None:
            self.say(wire.HangUp(reason=reason, message=message))
            self._closes = reason

    async def run(self) -> None:
        """Write until the socket is to be closed, or the client is gone."""
        try:
            while True:
                self._stirred.clear()
                await self._write_words()
                if self._closes is not None:
                    await self._socket.close(CLOSE.get(self._closes, NORMAL), self._closes)
                    return
                wait_s = await self._send_due()
                if self._words or wait_s == 0.0:
                    continue
                timer = None if wait_s is None else self._loop.call_later(wait_s, self._stirred.set)
                await self._stirred.wait()
                if timer is not None:
                    timer.cancel()
        except (WebSocketDisconnect, OSError, RuntimeError):
            # The client is gone; reading says so as well, unless it was never begun.
            if self.call is not None:
                self.call.hang_up("lost")

    async def _write_words(self) -> None:
        while self._words:
            await self._socket.send({"type": "websocket.send", "text": self._words.popleft()})
        self._room.set()

    async def _send_due(self) -> float | None:
        """Send the sound that is due; returns how long until more is, in s, as `Playout.wait_s`."""
        call, writer = self.call, self.writer
        if call is None or writer is None:
            return None
        playout = call.playout
        wait_s = playout.wait_s(frames=TOGETHER)
        if wait_s == 0.0:
            sound = playout.sound
            for message in writer.encode(playout.due(most=MOST)):
                await self._write_words()
                # What was said may have been to drop it.
                if playout.sound is not sound:
                    return 0.0
                await self._socket.send({"type": "websocket.send", "bytes": message})
            wait_s = playout.wait_s(frames=TOGETHER)
        sound = playout.sound
        if sound is not None and sound.whole and not sound.sendable and self._told_sent != sound.response_id:
            self._told_sent = sound.response_id
            self.say(wire.SpeechSent(response_id=sound.response_id, duration_ms=sound.made_ms))
        return wait_s
