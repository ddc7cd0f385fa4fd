"""One run of a real server: who talks to it, and what of the contracts shows up on the wire, with what led to it."""

import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import ag_ui_validate
from tests.conformance.causes.contract import EVERY, TRANSITIONS, Contract, Item, seen
from tests.e2e.harness import Live
from tests.e2e.links import AGENTCALL_WS, CHAT_SSE, GHOST_SSE, GHOST_WS, Channel, connect_to
from tests.e2e.wire import fetch
from websockets.exceptions import ConnectionClosed

from duologue.check.findings import Frame, Protocol
from duologue.check.recording import check
from duologue.model.records import Record, decode_records
from duologue.server.schemas import for_checks

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
        faults: what `duologue check` and somebody else's validator find in what clients were sent.
    """

    def __init__(self) -> None:
        self.faults: list[str] = []
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
        sent = await _read(CHAT_SSE, server, session_id, headers)
        self._judge("chat", sent)
        for body in sent:
            self._all("chat", body, causes[body["sequence"]])
        called = await _read(AGENTCALL_WS, server, session_id, headers)
        self._judge("agentcall", called)
        self._validate([body["event"] for body in called])
        for channel, transport in ((GHOST_WS, "websocket"), (GHOST_SSE, "sse")):
            bodies = await _read(channel, server, session_id, headers)
            self.found(Item("ghost", "transport", "", transport), causes[bodies[0]["sequence"]])
        self._judge("ghost", bodies)
        self.ghost(bodies, causes)
        watched = await _watch(server, session_id, headers)
        self._judge("jambonz", watched)
        for body in watched:
            if body["type"] == "agent:event":
                self._all("jambonz", body["data"], causes[body["sequence"]])

    def _judge(self, protocol: Protocol, bodies: list[Json]) -> None:
        """Have the frames judged that a client was sent."""
        numbered = [
            Frame(number=number, line=number, data=json.dumps(body).encode()) for number, body in enumerate(bodies, 1)
        ]
        for found in check(numbered, protocol, for_checks).findings:
            self.faults.append(f"{found.rule} {found.frame} {found.pointer}: {found.message}")

    def _validate(self, events: list[Json]) -> None:
        """Have AgentCall's runs judged by somebody else; what belongs to no run stands between them."""
        validator = ag_ui_validate.create_validator()
        in_run = False
        for event in events:
            if in_run or event["type"] not in ("CUSTOM", "MESSAGES_SNAPSHOT"):
                self.faults += [f"ag-ui-validate: {found}" for found in validator.feed(event)]
            in_run = event["type"] not in ("RUN_FINISHED", "RUN_ERROR") and (in_run or event["type"] == "RUN_STARTED")
        self.faults += [f"ag-ui-validate: {found}" for found in validator.finalize()]

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
