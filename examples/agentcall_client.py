"""A client of the AgentCall protocol, which loses its connection and misses nothing.

    python examples/agentcall_client.py "How do I configure the port?" ws://127.0.0.1:8420/agentcall

It acknowledges what it has stored, and resumes after the last event that it has.
"""

import asyncio
import json
import sys
import uuid
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

CUT_AFTER = 4
"""Events before the connection is lost."""

ACK_EVERY = 10
"""Events between two acknowledgements."""


class Call:
    """One session, over as many connections as it takes."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.session_id = str(uuid.uuid4())
        # A real client writes these to its disk before it acknowledges them.
        self.last = 0
        self.text = ""

    async def talk(self, text: str, *, cut_after: int | None = None) -> bool:
        """Connect, say turn 1, and read; true once the turn has ended, false where the connection was cut."""
        async with connect(self.url) as socket:
            start: dict[str, Any] = {"type": "session.start", "sessionId": self.session_id}
            if self.last:
                start["resumeFromSequence"] = self.last
            await self.send(socket, start)
            # Always sent: a turn that the server has already is recognised by its number, and not run again.
            await self.send(socket, {"type": "user.turn", "turn": 1, "text": text})
            count = 0
            async for data in socket:
                frame = json.loads(data)
                match frame["type"]:
                    case "agui.event":
                        count += 1
                        if self.take(frame):
                            await self.send(socket, {"type": "ack", "sequence": self.last})
                            return True
                        if count % ACK_EVERY == 0:
                            await self.send(socket, {"type": "ack", "sequence": self.last})
                        if count == cut_after:
                            return False
                    case "session.opened":
                        print(f"(opened after {frame['resumedFrom']} of {frame['lastSequence']})")
                    case "turn.repeated":
                        print(f"(turn {frame['turn']} is known, as event {frame['acceptedSequence']})")
                    case _:
                        raise SystemExit(f"refused: {frame}")
        return False

    def take(self, frame: dict[str, Any]) -> bool:
        """Take one event; true at the turn's end."""
        assert frame["sequence"] == self.last + 1, "the numbers have no gap"
        self.last = frame["sequence"]
        event = frame["event"]
        match event["type"]:
            case "TEXT_MESSAGE_CONTENT":
                self.text += event["delta"]
            case "CUSTOM" if event["name"] == "duologue.citation":
                print(f"(source: {event['value']['title']})")
            case "CUSTOM" if event["name"] == "duologue.turn.ended":
                print(f"({event['value']['outcome']})")
                return True
            case _:
                pass
        return False

    async def send(self, socket: ClientConnection, message: dict[str, Any]) -> None:
        """Send one message."""
        await socket.send(json.dumps(message))


async def main(text: str, url: str) -> None:
    """Talk, lose the connection, and go on."""
    call = Call(url)
    await call.talk(text, cut_after=CUT_AFTER)
    print(f"(connection lost after event {call.last})")
    await call.talk(text)
    print(call.text)


if __name__ == "__main__":
    given = dict(enumerate(sys.argv))
    url = given.get(2, "ws://127.0.0.1:8420/agentcall")
    asyncio.run(main(given.get(1, "How do I configure the port?"), url))
