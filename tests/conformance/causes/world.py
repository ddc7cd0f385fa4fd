"""One run of a real server: who talks to it, and what of the contracts shows up on the wire, with what led to it."""

import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from tests.conformance.causes.contract import EVERY, TRANSITIONS, Contract, Item, seen
from tests.e2e.harness import Live
from tests.e2e.links import CHAT_SSE, GHOST_SSE, GHOST_WS, Channel, connect_to
from tests.e2e.wire import fetch
from websockets.exceptions import ConnectionClosed

from duologue.model.records import Record, decode_records

# Any: JSON of no known shape.
Json: TypeAlias = Any

Play: TypeAlias = Callable[["World", Path], Awaitable[None]]
"""Plays a run in a folder of its own; whatever it serves is gone when it returns."""


class Story(NamedTuple):
    """A run that can be played.

    Attributes:
        name: stands in the table.
        tells: what happens in it, in a sentence.
    """

    name: str
    tells: str
    play: Play


class World:
    """What came out of a run.

    Attributes:
        causes: what showed up, with the name of the input that first led to it; of what a client sends, with that of
            the event that came of it.
        records: all that was stored, to be looked at by tests.
    """

    def __init__(self) -> None:
        self.causes: dict[Item, str] = {}
        self.records: list[Record] = []

    def sent(self, message: Json, *, led_to: str) -> None:
        """Note what an AgentCall client sent, and the event that came of it."""
        for item in seen("agentcall", message):
            self.found(item, led_to)

    async def note(self, server: Live, session_id: str, *, headers: Mapping[str, str] | None = None) -> None:
        """End a session, and read it as its clients do: all of it, over real connections."""
        await fetch(server.port, "POST", "/chat/end", body={"sessionId": session_id}, headers=headers)
        answer = await fetch(server.port, "GET", f"/api/sessions/{session_id}/journal", headers=headers)
        assert answer.status == 200, answer.raw
        records = list(decode_records(answer.raw))
        self.records += records
        causes = {event.seq: type(record.input).__name__ for record in records for event in record.events}
        for body in await _read(CHAT_SSE, server, session_id, headers):
            self._all("chat", body, causes[body["sequence"]])
        for channel, transport in ((GHOST_WS, "websocket"), (GHOST_SSE, "sse")):
            bodies = await _read(channel, server, session_id, headers)
            self.found(Item("ghost", "transport", "", transport), causes[bodies[0]["sequence"]])
        self.ghost(bodies, causes)
        for body in await _watch(server, session_id, headers):
            self._all("jambonz", body["data"], causes[body["sequence"]])

    def ghost(self, bodies: list[Json], causes: Mapping[int, str]) -> None:
        """Note Ghost's events, and how they moved the machine."""
        state = "idle"
        for body in bodies:
            cause = causes[body["sequence"]]
            self._all("ghost", body, cause)
            self.found(Item("ghost", "stateModel", "states", body["state"]), cause)
            move = _move(state, body)
            if move is not None:
                self.found(Item("ghost", "stateModel", "transitions", move), cause)
            state = body["state"]

    def _all(self, contract: Contract, body: Json, cause: str) -> None:
        for item in seen(contract, body):
            self.found(item, cause)
        self.found(Item(contract, EVERY), cause)

    def found(self, item: Item, cause: str) -> None:
        """Note what showed up, unless it had before."""
        self.causes.setdefault(item, cause)


async def _read(channel: Channel, server: Live, session_id: str, headers: Mapping[str, str] | None) -> list[Json]:
    async with channel.link(server.port, session_id, headers=headers) as link:
        await link.gone()
        return [frame.body for frame in link.frames]


async def _watch(server: Live, session_id: str, headers: Mapping[str, str] | None) -> list[Json]:
    bodies: list[Json] = []
    async with await connect_to(server.port, f"/api/sessions/{session_id}/agent-events", headers=headers) as socket:
        try:
            while True:
                bodies.append(json.loads(await socket.recv()))
        except ConnectionClosed:
            return bodies


_MOVES: Final = {(source, target): trigger for source, target, trigger in TRANSITIONS}


def _move(before: str, body: Json) -> str | None:
    """Which of the ten transitions an event shows; `None` where it shows none, or more than one at once."""
    after, kind, payload = body["state"], body["type"], body["payload"]
    if after == before:
        return None
    if after == "error":
        return "any → error by error"
    if kind == "ghost.state" and payload["trigger"] == "cancel":
        return "any → idle by cancel"
    if kind == "turn.error" and payload["error"] == "cancelled" and after == "idle":
        return "any → idle by cancel"
    trigger = _MOVES.get((before, after))
    if (before, after) == ("speaking", "listening"):
        trigger = "barge_in" if kind == "voice.barge_in" else "auto_resume"
    return None if trigger is None else f"{before} → {after} by {trigger}"
