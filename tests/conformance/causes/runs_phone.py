"""Runs of a mobile client on AgentCall, and of a program that holds the assistant in process."""

import asyncio
from pathlib import Path

from tests.conformance.causes.contract import Item
from tests.conformance.causes.world import Json, Story, World
from tests.conformance.protocols.agentcall_samples import jpeg, photo, png, record, tag, webp
from tests.e2e.calls import calling, scripted_calls
from tests.e2e.harness import Live, serving
from tests.e2e.links import AGENTCALL_WS, Link
from tests.e2e.wire import fetch

from duologue.ghost import Ghost, Turn
from duologue.model.agent import AgentRequest
from duologue.testing.scripted_agent import Line, ScriptedAgent, WaitFor
from duologue.testing.scripted_speech import Segment

SESSION = "phone"
CAPABLE: Json = {
    "physicalObservations": {"modalities": ["nfc", "photo"]},
    "audioTurnControl": {"mode": "explicit"},
}
SPEECH: Json = {
    "recognitionEngine": "on-device",
    "model": "small",
    "localeIdentifier": "en_GB",
    "actionableRevisionMs": 180,
    "stableFinalMs": 310,
    "thermalState": "nominal",
}
CONTEXT: Json = [{"description": "screen", "value": "shelf 7"}]
TAG: Json = tag(
    {**record(1, "T", b"\x02enhi"), "text": "hi"},
    {**record(1, "U", b"\x04a.example"), "uri": "https://a.example", "id": "1"},
)


class Phone:
    """A mobile client that waits for what each of its messages leads to."""

    def __init__(self, world: World, server: Live, link: Link) -> None:
        self._world, self._server, self.link = world, server, link

    async def send(self, message: Json, until: str) -> None:
        """Send a message, and wait for the event or the frame that comes of it."""
        await self.link.send(message)
        await self.until(until)
        self._world.sent(message, led_to=until)

    async def until(self, name: str) -> None:
        """Wait for an AG-UI event of a type or a name."""
        while name not in ((event := (await self.link.next()).body["event"])["type"], event.get("name")):
            pass


def _script(request: AgentRequest) -> list[Line]:
    return ["One ", WaitFor(event=asyncio.Event())] if request.text == "stop me" else ["Yes."]


async def _phone(world: World, folder: Path) -> None:
    calls = scripted_calls(Segment(text="hello"))
    async with serving(ScriptedAgent(_script), folder, calls=calls) as server:
        hello = {"type": "session.start", "sessionId": SESSION, "clientCapabilities": CAPABLE}
        phone = Phone(world, server, await AGENTCALL_WS.open(server.port, SESSION, hello=hello))
        await phone.until("duologue.capabilities")
        world.sent(hello, led_to="duologue.capabilities")
        await phone.send(
            {"type": "user.turn", "turn": 1, "text": "hello", "speechMetadata": SPEECH, "context": CONTEXT},
            "duologue.turn.accepted",
        )
        await phone.until("duologue.turn.ended")
        await _show(phone, server)
        await _speak(phone, server)
        await phone.send({"type": "user.turn", "turn": 9, "text": "stop me"}, "TEXT_MESSAGE_CONTENT")
        await phone.send({"type": "response.cancel"}, "RUN_FINISHED")
        await phone.until("duologue.turn.ended")
        await _resume(world, server, phone.link)


async def _show(phone: Phone, server: Live) -> None:
    form = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n'
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    kept = await fetch(server.port, "POST", "/chat/upload", body=form + png(3, 2) + b"\r\n--x--\r\n", headers=headers)
    uploaded = photo(png(3, 2), "image/png", 3, 2) | {"uploadId": kept.body["uploadId"]}
    del uploaded["data"]
    shown = (
        TAG,
        photo(jpeg(4, 3), "image/jpeg", 4, 3),
        photo(webp(b"VP8 ", 4, 3), "image/webp", 4, 3),
        uploaded,
    )
    for turn, observation in enumerate(shown, 2):
        message = {"type": "user.observation", "turn": turn, "observation": observation, "context": CONTEXT}
        await phone.send(message, "duologue.turn.accepted")
        await phone.until("duologue.turn.ended")


async def _speak(phone: Phone, server: Live) -> None:
    async with calling(server.port) as caller:
        await caller.start(SESSION)
        await phone.until("duologue.call.began")
        await phone.send({"type": "audio.turn.start", "turn": 6}, "duologue.voice.listening")
        await phone.send({"type": "audio.turn.cancel", "turn": 6}, "duologue.voice.nothing_heard")
        await phone.send({"type": "audio.turn.start", "turn": 6}, "duologue.voice.listening")
        await caller.say(400)
        await phone.send({"type": "audio.turn.commit", "turn": 6}, "duologue.turn.accepted")
        await phone.until("duologue.turn.ended")
        await caller.send({"type": "hangup"})
        await phone.until("duologue.call.ended")


async def _resume(world: World, server: Live, before: Link) -> None:
    """Acknowledge, leave, come back behind a number, and end."""
    ack = {"type": "ack", "sequence": before.last}
    await before.send(ack)
    await before.send({"type": "ack", "sequence": before.last + 1})
    # The first is taken without a word; one that is too high is refused.
    assert (await before.refused())["code"] == "ack_ahead"
    world.sent(ack, led_to="(nothing is said)")
    await before.drop()
    again = {"type": "session.start", "sessionId": SESSION, "resumeFromSequence": before.last - 1}
    phone = Phone(world, server, await AGENTCALL_WS.open(server.port, SESSION, hello=again))
    await phone.until("duologue.turn.ended")
    assert phone.link.frames[0].seq == before.last
    world.sent(again, led_to="duologue.turn.ended")
    await phone.send({"type": "session.end"}, "duologue.session.ended")
    await phone.link.drop()
    await world.note(server, SESSION)


async def _in_process(world: World, folder: Path) -> None:
    async def answer(turn: Turn) -> str:
        return f"You said {turn.text}."

    async with Ghost(answer, data=folder) as ghost:
        session = await ghost.session("kitchen")
        types = [event.type async for event in session.say("hello")]
    assert types[0] == "turn.start"
    world.found(Item("ghost", "transport", "", "in_process"), "UserTurn")


STORIES = (
    Story("phone", "a mobile client types, shows tags and photos, speaks in explicit turns, comes back", _phone),
    Story("in process", "a Python program holds the conversation with no server", _in_process),
)
