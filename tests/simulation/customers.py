"""What the person does in a simulated world: on several clients at once, in time, too late, twice, and once more."""

from typing import Final, get_args

import msgspec
from tests.simulation.agents import ASKED, CALLS
from tests.simulation.network import Client, Network
from tests.simulation.stage import Stage

from duologue.model.content import Answer, ClientTool, Modality, NfcObservation, Source, SpeechMetadata, ToolResult
from duologue.model.inputs import CancelRequested, CapabilitiesDeclared, Trigger, UserTurn, VoiceTriggered
from duologue.model.replies import Accepted, Repeated

MOMENTS_MS: Final = (-301, 0, 0, 1)
"""When somebody decides who hesitates, from the moment on in which it is too late; up to 300 pass until it is heard."""

SAYINGS: Final = ("hello", "what is it?", "stop that", "né 🙂", "x", "yes", "yes", "no")
TRIGGERS: Final[tuple[Trigger, ...]] = get_args(Trigger)
VOICE: Final[tuple[Trigger, ...]] = ("user_activates_mic", "speech_end", "tts_complete", "barge_in")
MODALITIES: Final[tuple[tuple[Modality, ...], ...]] = ((), ("nfc",), ("nfc", "photo"), ("photo", "nfc"))
SOURCES: Final[tuple[Source, ...]] = ("typed", "typed", "voice")
MEASURED: Final = (None, None, SpeechMetadata(locale="de"), SpeechMetadata(confidence=0.5, stt_ms=0))
TAG: Final = NfcObservation(tag_id="04a1", observed_at="2026-01-02T03:04:05Z")
TOOLS: Final = (ClientTool(name="where", description="d"), ClientTool(name="ring", description="d"))


class Customers:
    """One person's clients.

    Attributes:
        acknowledged: numbers of turns of which a client knows that they were taken: none may be lost.
    """

    def __init__(self, stage: Stage, network: Network) -> None:
        self.acknowledged: set[int] = set()
        self._taken: set[int] = set()
        self._stage, self._rng, self._pick = stage, stage.chance, stage.pick
        self._clients = network.clients

    def types(self) -> None:
        """A new message."""
        client = self._pick(self._clients)
        self._send(client, self._new_turn(client))

    def talks_with_a_person(self) -> None:
        """A message to the operator who has the conversation."""
        if self._stage.state.handoff.with_person:
            self.types()

    def hesitates(self) -> None:
        """A yes or no in the last moment, or in the one after it."""
        stage, client = self._stage, self._pick(self._clients)
        asked = [one.approval for one in stage.state.tools.calls if one.status == "awaiting_approval" and one.approval]
        if asked:
            stage.now_ms = max(stage.now_ms, asked[0].expires_ms + self._pick(MOMENTS_MS))
            said = UserTurn(text=self._pick(("yes", "no")), request_id=f"c{client.number}-{len(client.sent)}")
            self._send(client, said)

    def answers(self) -> None:
        """A client answers what is open: mostly all of it, now and then too little, too late or another's."""
        client, state, rng = self._pick(self._clients), self._stage.state, self._rng
        names = [one.interrupt_id for one in state.interrupts]
        if rng() < 0.3:
            names = [*names, self._pick((*ASKED, "ask-unknown"))][int(rng() * 2) :]
        waiting = [known.call.call_id for known in state.calls if known.call.runs_on == "client"]
        if rng() < 0.2:
            waiting = [*waiting[:-1], self._pick((*CALLS, "call-unknown"))]
        if not (names or waiting):
            return
        said = UserTurn(
            text="" if rng() < 0.7 else "so be it",
            request_id=f"c{client.number}-{len(client.sent)}",
            tools=TOOLS if rng() < 0.5 else (),
            resume=tuple(map(self._answer, names)),
            tool_results=tuple(ToolResult(call_id=name, content="[1]", is_error=rng() < 0.2) for name in waiting),
            if_asked="refuse",
            if_busy="refuse" if rng() < 0.5 else "interrupt",
            message_id=f"m-{int(rng() * 9)}" if rng() < 0.5 else None,
        )
        self._send(client, said)

    def _answer(self, name: str) -> Answer:
        rng = self._rng
        return Answer(
            interrupt_id=name,
            status="resolved" if rng() < 0.7 else "cancelled",
            payload={"n": 1} if name in ASKED or rng() < 0.05 else {"approved": rng() < 0.7},
        )

    def shows(self) -> None:
        """A client shows what the agent asked for, or what it did not."""
        client, rng = self._pick(self._clients), self._rng
        names = [one.interaction_id for one in self._stage.state.observations.open] or ["interaction-1"]
        said = UserTurn(
            text="",
            request_id=f"c{client.number}-{len(client.sent)}",
            observation=TAG if rng() < 0.9 else None,
            interaction_id=self._pick(names),
        )
        self._send(client, said)

    def repeats(self) -> None:
        """Send a turn again as it was, or other words under the same name."""
        client = self._pick(self._clients)
        if not client.sent:
            return
        said = self._pick(client.sent if self._rng() < 0.5 else client.sent[-3:])
        if self._rng() < 0.25:
            said = msgspec.structs.replace(said, text=said.text + "!")
        self._give(client, said)

    def cancels(self) -> None:
        """Stop an answer, or one that was stopped long ago."""
        turn = self._stage.state.open
        running = None if turn is None else turn.response.response_id
        self._stage.give(CancelRequested(response_id=self._pick((None, running, "response-1"))))

    def pulls(self) -> None:
        """A device tells what its microphone and its voice do."""
        self._stage.give(VoiceTriggered(trigger=self._pick(TRIGGERS if self._rng() < 0.2 else VOICE)))

    def declares(self) -> None:
        """A client tells what it can show."""
        self._stage.give(CapabilitiesDeclared(modalities=self._pick(MODALITIES)))

    def all_is_stored(self) -> None:
        """Every message that was taken is durable, and its client is told so."""
        self.acknowledged |= self._taken
        self._taken.clear()
        for client in self._clients:
            client.unsure.clear()

    def send_again(self) -> None:
        """After a crash, send what is not known to be taken."""
        self._taken.clear()
        for client in self._clients:
            unsure, client.unsure = client.unsure, []
            for said in unsure:
                self._give(client, said)

    def _new_turn(self, client: Client) -> UserTurn:
        """A turn that names itself by number, by id, by both or not at all; some are stale."""
        chance = self._rng()
        request_id = f"c{client.number}-{len(client.sent)}" if chance < 0.8 else None
        turn = self._stage.state.last_turn + self._pick((1, 1, 1, 2, 3, 0, -2)) if 0.6 < chance < 0.95 else None
        odd = self._rng()
        return UserTurn(
            text="" if odd < 0.04 else self._pick(SAYINGS),
            turn=turn,
            request_id=request_id,
            idempotency_key=f"k{client.number}-{len(client.sent)}" if 0.3 < chance < 0.5 else None,
            source=self._pick(SOURCES),
            speech=self._pick(MEASURED),
            language="de" if odd > 0.95 else None,
            observation=TAG if odd < 0.02 else None,
            interaction_id="i-1" if 0.04 < odd < 0.06 else None,
            if_busy="refuse" if 0.5 < odd < 0.8 else "interrupt",
            tools=TOOLS if 0.2 < odd < 0.65 else (),
            if_asked="refuse" if 0.1 < odd < 0.2 else "cancel",
            message_id=f"m-{len(client.sent)}" if 0.6 < odd < 0.7 else None,
        )

    def _send(self, client: Client, said: UserTurn) -> None:
        client.sent.append(said)
        self._give(client, said)

    def _give(self, client: Client, said: UserTurn) -> None:
        """Send a turn. One with an id is sent again after a crash, until it is known to be taken."""
        reply = self._stage.give(said)
        if isinstance(reply, Accepted | Repeated):
            self._taken.add(reply.turn)
            if said.request_id is not None:
                client.unsure.append(said)
