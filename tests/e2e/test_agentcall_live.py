"""AgentCall as it runs: AG-UI inside, capabilities, observations and what is not offered."""

import asyncio
import hashlib
import json
from base64 import b64encode
from collections.abc import AsyncGenerator
from pathlib import Path

import ag_ui_validate
import pytest
from ag_ui.core import Event as AguiEvent
from pydantic import TypeAdapter
from tests.e2e.dialects import AGENTCALL
from tests.e2e.harness import serving, until
from tests.e2e.links import AGENTCALL_WS, GHOST_WS, Link, journal, kinds
from tests.e2e.wire import Json, fetch

from duologue.model.agent import AgentItem, AgentRequest, Chips, Citation, Finished, Note, Rich, Text
from duologue.model.content import Chip, PhotoObservation
from duologue.ports.agent import Files
from duologue.testing.scripted_agent import Line, Raise, ScriptedAgent, WaitFor

pytestmark = pytest.mark.anyio

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360f8cfc000000301010018dd8db00000000049454e44ae426082"
)


def photo(data: bytes = PIXEL) -> Json:
    return {
        "kind": "photo",
        "mediaType": "image/png",
        "width": 1,
        "height": 1,
        "sha256": hashlib.sha256(data).hexdigest(),
        "observedAt": "2026-01-02T03:04:05Z",
    }


class Looking:
    """An agent that reads what it is shown."""

    name = "looking"

    def __init__(self) -> None:
        self.seen: list[bytes] = []
        self.requests: list[AgentRequest] = []

    async def run(self, request: AgentRequest, files: Files) -> AsyncGenerator[AgentItem, None]:
        """Read every upload of the turn."""
        self.requests.append(request)
        shown = [request.observation.photo] if isinstance(request.observation, PhotoObservation) else []
        for item in (*shown, *request.attachments):
            self.seen.append(await files.read(item.upload_id))
        yield Text(text=f"{len(self.seen)} seen")
        yield Finished()


@pytest.mark.counterpart("ag-ui-validate", "ag-ui-protocol")
async def test_live_runs_are_valid_ag_ui(tmp_path: Path) -> None:
    def script(request: AgentRequest) -> list[Line]:
        match request.text:
            case "all":
                return [
                    "one ",
                    Citation(title="A page", url="/docs/page", snippet="quoted"),
                    Rich(payload_type="card", data={"title": "x"}),
                    Note(category="cost", message="3 tokens", details={"tokens": 3}),
                    "two",
                    Chips(chips=(Chip(label="More", text="more"),)),
                ]
            case "fail":
                return ["some ", Raise(error=RuntimeError("x"))]
            case "show":
                return [Rich(payload_type="card", data={"title": "x"})]
            case _:
                return ["before ", WaitFor(event=asyncio.Event())]

    async with serving(ScriptedAgent(script), tmp_path) as server, AGENTCALL_WS.link(server.port, "s-1") as link:
        for number, text in enumerate(("all", "fail", "show", "all"), 1):
            await link.say(text, number)
            await link.over()
        await link.say("stop me", 5)
        await link.until_delta()
        await link.send(AGENTCALL.cancel())
        await link.over()
        await link.say("interrupt me", 6)
        await link.until_delta()
        await link.say("all", 7)
        await link.over()
        await link.over()
        whole = await AGENTCALL_WS.read(server.port, "s-1", up_to=link.last)
        for frames in (link.frames, whole):
            check_agui([frame.body["event"] for frame in frames])


def check_agui(events: list[Json]) -> None:
    """Judge by AG-UI's own models and by a validator that nobody here wrote."""
    model: TypeAdapter[AguiEvent] = TypeAdapter(AguiEvent)
    validator = ag_ui_validate.create_validator()
    runs, inside = 0, False
    for event in events:
        model.validate_python(event)
        inside = inside or event["type"] == "RUN_STARTED"
        if not inside:
            # Between the runs there is only what AG-UI has no event for.
            assert event["type"] == "CUSTOM"
            continue
        assert validator.feed(event) == [], event
        if event["type"] in ("RUN_FINISHED", "RUN_ERROR"):
            runs, inside = runs + 1, False
    assert validator.finalize() == []
    assert runs == 7


async def test_capabilities_are_negotiated_and_reach_the_agent(tmp_path: Path) -> None:
    agent = ScriptedAgent(["yes"])
    async with serving(agent, tmp_path) as server:
        hello = AGENTCALL.hello("s-1", 0) | {
            "clientCapabilities": {"physicalObservations": {"modalities": ["nfc", "photo"]}}
        }
        link = await AGENTCALL_WS.open(server.port, "s-1", hello=hello)
        await link.say("hello", 1)
        await link.over()
        assert agent.requests[0].modalities == ("nfc", "photo")
        await link.drop()
        # A device without a camera takes over.
        hello = AGENTCALL.hello("s-1", link.last) | {
            "clientCapabilities": {"physicalObservations": {"modalities": ["nfc"]}}
        }
        link = await AGENTCALL_WS.open(server.port, "s-1", hello=hello)
        await link.say("hello again", 2)
        await link.over()
        assert agent.requests[1].modalities == ("nfc",)
        await link.drop()
        changed = kinds(await journal(server.port, "s-1"), "capabilities_changed")
        assert [event["modalities"] for event in changed] == [["nfc", "photo"], ["nfc"]]


async def test_what_is_not_offered_is_refused_by_name(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path) as server:
        explicit = AGENTCALL.hello("s-1", 0) | {"clientCapabilities": {"audioTurnControl": {"mode": "explicit"}}}
        link = await AGENTCALL_WS.open(server.port, "s-1", hello=explicit)
        assert (await link.refused())["code"] == "unsupported"
        await link.send(AGENTCALL.hello("s-1", 0))
        await link.up_to(1)
        for kind in ("start", "commit", "cancel"):
            await link.send({"type": f"audio.turn.{kind}", "turn": 1})
            assert (await link.refused())["code"] == "no_audio"
        await link.send({"type": "user.observation", "turn": 1, "interactionId": "i-1", "observation": tag()})
        assert (await link.refused())["code"] == "unknown_interaction"
        await link.say("hello", 3)
        await link.over()
        for number, code in ((2, "turn_stale"), (2**31, "bad_message")):
            await link.say("hello", number)
            assert (await link.refused())["code"] == code
        await link.drop()


async def test_an_ack_of_what_was_not_sent_is_an_error(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path) as server, AGENTCALL_WS.link(server.port, "s-1") as link:
        await link.say("hello", 1)
        while "turn.ended" not in (await link.next()).raw.decode():
            await link.send({"type": "ack", "sequence": link.last})
        await link.send({"type": "ack", "sequence": link.last + 1})
        refusal = await link.refused()
        assert (refusal["code"], refusal["limit"]) == ("ack_ahead", link.last)
        assert link.refusals == ["ack_ahead"]
        await link.drop()
        async with AGENTCALL_WS.link(server.port, "s-1", link.last + 1) as ahead:
            assert (await ahead.refused())["code"] == "resume_ahead"


def tag() -> Json:
    return {
        "kind": "nfc",
        "tagId": "04a2b3c4d5e680",
        "technologies": ["NfcA", "Ndef"],
        "records": [{"tnf": 1, "type": "U", "id": "", "payload": b64encode(b"\x04example.com/a").decode()}],
        "observedAt": "2026-01-02T03:04:05Z",
    }


async def test_observations_and_uploads_reach_the_agent_as_bytes(tmp_path: Path) -> None:
    agent = Looking()
    async with serving(agent, tmp_path) as server, AGENTCALL_WS.link(server.port, "s-1") as link:
        inline = photo() | {"data": b64encode(PIXEL).decode()}
        await show(link, 1, inline)
        assert agent.seen == [PIXEL]
        # The same again, its answer being lost, is the same turn.
        await link.send({"type": "user.observation", "turn": 1, "observation": inline})
        await show(link, 2, tag())
        assert agent.requests[1].observation is not None
        upload_id = await upload(server.port)
        await show(link, 3, photo() | {"uploadId": upload_id})
        assert agent.seen == [PIXEL, PIXEL]
        body = {"requestId": "r-4", "sessionId": "s-1", "text": "look", "attachments": [upload_id]}
        answer = await fetch(server.port, "POST", "/chat/stream", body=body, headers={"Accept": "application/json"})
        assert answer.body["text"] == "3 seen"
        assert agent.seen == [PIXEL] * 3
        assert len(agent.requests) == 4
        await link.send({"type": "user.observation", "turn": 9, "observation": photo() | {"uploadId": "nobody's"}})
        assert (await link.refused())["code"] == "upload_unknown"
        wrong = photo(b"other") | {"data": b64encode(PIXEL).decode()}
        await link.send({"type": "user.observation", "turn": 9, "observation": wrong})
        assert (await link.refused())["turn"] == 9
        async with GHOST_WS.link(server.port, "s-1") as ghost:
            starts: list[Json] = []
            while len(starts) < 4:
                frame = await ghost.next()
                starts += [frame.body["payload"]] if frame.body["type"] == "turn.start" else []
            assert [start.get("observation") for start in starts] == ["photo", "nfc", "photo", None]
    assert b"".join(agent.seen).count(PIXEL) == 3


async def show(link: Link, turn: int, observation: Json) -> None:
    await link.send({"type": "user.observation", "turn": turn, "observation": observation})
    await link.over()


async def upload(port: int) -> str:
    form = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n'
    form += PIXEL + b"\r\n--x--\r\n"
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    answer = await fetch(port, "POST", "/chat/upload", body=form, headers=headers)
    assert answer.status == 201
    return json.loads(answer.raw)["uploadId"]


async def test_ids_of_the_last_run_are_used_by_nobody_else(tmp_path: Path) -> None:
    agent = ScriptedAgent(["yes"])
    async with serving(agent, tmp_path) as server, AGENTCALL_WS.link(server.port, "s-1") as link:
        for number in range(1, 4):
            await link.say(f"turn {number}", number)
            await link.over()
        await until(lambda: agent.runs == 3)
        ids = [frame.body["event"]["runId"] for frame in link.frames if "runId" in frame.body["event"]]
        assert len(set(ids)) == 3
