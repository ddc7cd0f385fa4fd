"""Signals of a running server: by rules, a classifier, a model and a backend."""

import asyncio
from pathlib import Path
from typing import Any

import httpx2
import jsonschema_rs
import msgspec
import pytest
from tests.conformance.protocols.test_chat import load
from tests.e2e.harness import Live, serving
from tests.e2e.links import CHAT_WS, Link

from duologue.model.agent import Finished
from duologue.server.settings import ServerSettings, Settings
from duologue.server.settings_auth import AuthSettings
from duologue.server.settings_handoff import HandoffSettings, QueueSettings
from duologue.server.settings_signals import EscalationSettings, IntentSettings, SignalsSettings
from duologue.testing.scripted_agent import ScriptedAgent

pytestmark = pytest.mark.anyio

INTENTS = (
    IntentSettings(name="cancel", examples=("I want to cancel my contract", "Please end my subscription")),
    IntentSettings(name="invoice", examples=("Where is my invoice?", "Send me the bill for March")),
)
ANGRY = EscalationSettings(name="angry", signal="anger", above=0.6)

CHAT_EVENT = load("chat-event")

# JSON of an API: its members are what the tests look at.
Json = dict[str, Any]


def settings(**more: Any) -> Settings:
    asked = SignalsSettings(intents=INTENTS, **more)
    return Settings(server=ServerSettings(drain_ms=500), signals=asked)


def agent() -> ScriptedAgent:
    return ScriptedAgent(["One moment.", Finished()])


async def say(live: Live, text: str, session_id: str = "s") -> None:
    message = {"sessionId": session_id, "requestId": f"r-{text}", "text": text}
    async with httpx2.AsyncClient(base_url=live.url) as client:
        answer = await client.post("/chat/stream", json=message, headers={"Accept": "application/json"})
    answer.raise_for_status()


async def signals(live: Live, session_id: str = "s") -> list[Json]:
    async with httpx2.AsyncClient(base_url=live.url) as client:
        answer = await client.get(f"/api/sessions/{session_id}/signals")
    answer.raise_for_status()
    found: list[Json] = answer.json()["signals"]
    return found


async def until_told(live: Live, **wanted: str) -> Json:
    """Wait for an estimate with these members; its signal's own count too."""
    async with asyncio.timeout(60):
        while True:
            for one in await signals(live):
                if all((one | one["signal"]).get(name) == value for name, value in wanted.items()):
                    return one
            await asyncio.sleep(0.02)


async def test_rules_tell_mood_and_intent_of_message_turn_and_session(tmp_path: Path) -> None:
    async with serving(agent(), tmp_path, settings(sources=("rule",))) as live:
        await say(live, "I am furious, please cancel my contract")
        await until_told(live, scope="session", kind="intent")
        found = await signals(live)
    assert [(one["scope"], one["signal"]["kind"]) for one in found] == [
        ("message", "sentiment"),
        ("message", "intent"),
        ("turn", "sentiment"),
        ("turn", "intent"),
        ("session", "sentiment"),
        ("session", "intent"),
    ]
    assert {one["source"] for one in found} == {"rule"}
    assert found[0]["signal"]["category"] == "anger"
    assert found[1]["signal"]["intent"] == "cancel"
    assert found[0]["messageId"] == "r-I am furious, please cancel my contract"


async def test_a_classifier_replaces_what_the_rules_said(tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="the extra signals is not installed")
    async with serving(agent(), tmp_path, settings(sources=("rule", "local"))) as live:
        await say(live, "I wnat to canncel that contract")
        found = await until_told(live, source="local", kind="intent")
        mood = await until_told(live, source="local", kind="sentiment")
    assert found["adapter"] == mood["adapter"] == "scikit-learn"
    assert found["signal"]["intent"] == "cancel"


async def test_a_language_model_replaces_what_the_rules_said(tmp_path: Path, llama: str) -> None:
    asked = settings(
        sources=("rule", "model"), model="smollm2", base_url=f"{llama}/v1", timeout_ms=30_000, model_scopes=("message",)
    )
    async with serving(agent(), tmp_path, asked) as live:
        await say(live, "Where is my invoice?")
        found = await until_told(live, source="model", kind="sentiment")
    assert (found["adapter"], found["scope"]) == ("smollm2", "message")


async def test_nobody_estimates_unless_the_settings_say_so(tmp_path: Path) -> None:
    async with serving(agent(), tmp_path, settings()) as live:
        await say(live, "I am furious")
        assert await signals(live) == []


GIVEN: Json = {
    "adapter": "crm",
    "turn": 1,
    "latencyMs": 12.5,
    "signals": [
        {"kind": "sentiment", "category": "delight", "score": 0.9, "confidence": 0.95, "polarity": "positive"},
        {
            "kind": "intent",
            "intent": "upgrade",
            "score": 0.7,
            "confidence": 0.6,
            "alternates": [{"intent": "invoice", "score": 0.2}],
        },
    ],
}


async def test_a_backend_gives_what_it_has_estimated(tmp_path: Path) -> None:
    async with serving(agent(), tmp_path, settings(sources=("rule",))) as live:
        await say(live, "I am furious")
        async with httpx2.AsyncClient(base_url=live.url) as client:
            first = await client.post("/api/sessions/s/signals", json=GIVEN)
            again = await client.post("/api/sessions/s/signals", json=GIVEN)
            of_all = await client.post(
                "/api/sessions/s/signals", json={"adapter": "crm", "scope": "session", "signals": GIVEN["signals"]}
            )
        found = await until_told(live, source="server", kind="intent", scope="message")
        session = await until_told(live, source="server", scope="session", kind="sentiment")
    assert (first.status_code, first.json()) == (200, {"outcome": "taken"})
    assert again.json() == {"outcome": "known"}
    assert of_all.json() == {"outcome": "taken"}
    assert found["signal"] == GIVEN["signals"][1]
    assert session["signal"]["category"] == "delight"


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"turn": 7}, "$.turn"),
        ({"turn": None}, "$.turn"),
        ({"turn": None, "messageId": "r-9"}, "$.turn"),
        ({"scope": "session", "messageId": "r-1"}, "$.messageId"),
        ({"scope": "week"}, "$.scope"),
        ({"signals": []}, "$.signals"),
        ({"signals": [GIVEN["signals"][0] | {"score": 1.5}]}, "$.signals[0].score"),
        ({"signals": [GIVEN["signals"][0] | {"category": "boredom"}]}, "$.signals[0].category"),
        ({"signals": [{"kind": "weather"}]}, "$.signals[0].kind"),
        ({"adapter": ""}, "$.adapter"),
        ({"latencyMs": -1}, "$.latencyMs"),
        ({"of": 3}, ""),
    ],
)
async def test_bad_signals_are_refused_with_their_place(tmp_path: Path, change: Json, path: str) -> None:
    async with serving(agent(), tmp_path, settings()) as live:
        await say(live, "hello")
        async with httpx2.AsyncClient(base_url=live.url) as client:
            answer = await client.post("/api/sessions/s/signals", json=GIVEN | change)
            unknown = await client.post("/api/sessions/nobody/signals", json=GIVEN)
        assert await signals(live) == []
    assert answer.status_code == 400
    assert answer.json().get("path", "").startswith(path)
    assert unknown.status_code == 404


async def test_only_a_backend_may_give_signals(tmp_path: Path) -> None:
    asked = settings()
    auth = AuthSettings(api_keys=("k" * 20,), secret="s" * 40)
    async with serving(agent(), tmp_path, msgspec.structs.replace(asked, auth=auth)) as live:
        headers = {"Authorization": f"Bearer {'k' * 20}", "Duologue-Subject": "ann"}
        async with httpx2.AsyncClient(base_url=live.url, headers=headers) as backend:
            await backend.post(
                "/chat/stream",
                json={"sessionId": "s", "requestId": "r", "text": "hi"},
                headers={"Accept": "application/json"},
            )
            token = (await backend.post("/chat/token", json={})).json()["token"]
            taken = await backend.post("/api/sessions/s/signals", json=GIVEN)
        async with httpx2.AsyncClient(base_url=live.url, headers={"Authorization": f"Bearer {token}"}) as person:
            refused = await person.post("/api/sessions/s/signals", json=GIVEN)
        async with httpx2.AsyncClient(base_url=live.url) as stranger:
            nobody = await stranger.post("/api/sessions/s/signals", json=GIVEN)
    assert taken.status_code == 200
    assert refused.status_code == 403
    assert nobody.status_code == 401


async def test_chat_is_told_of_all_moods_as_its_contract_has_them(tmp_path: Path) -> None:
    said = (
        ("I am fed up, it keeps failing", "frustration"),
        ("You thieves, this is outrageous", "anger"),
        ("I don't understand what you mean", "confusion"),
        ("This is urgent, I need it right now", "urgency"),
        ("Thanks, that was helpful", "satisfaction"),
        ("Wow, I love it, amazing", "delight"),
        ("I want to cancel my contract", "neutral"),
    )
    is_event = jsonschema_rs.Draft7Validator(CHAT_EVENT, validate_formats=True).is_valid
    async with serving(agent(), tmp_path, settings(sources=("rule",))) as live, CHAT_WS.link(live.port, "s") as link:
        for number, (text, _) in enumerate(said, 1):
            await link.say(text, number)
            await link.over()
        while not any(one["scope"] == "session" and one["correlationId"] == "turn-7" for one in updates(link)):
            await link.next()
    found = updates(link)
    assert all(map(is_event, found))
    messages = [one for one in found if one["scope"] == "message" and one["signal"]["kind"] == "sentiment"]
    assert [one["signal"]["category"] for one in messages] == [category for _, category in said]
    assert {one["signal"]["polarity"] for one in messages} == {"negative", "neutral", "positive"}
    assert [one["attributedMessageId"] for one in messages] == [one["requestId"] for one in messages]
    assert len({one["responseId"] for one in messages}) == len(said)
    assert all(one["latencyMs"] > 0 for one in found)
    assert {one["scope"] for one in found} == {"message", "turn", "session"}
    (intent, *_) = [one for one in found if one["signal"]["kind"] == "intent"]
    assert (intent["signal"]["intent"], intent["source"], intent["adapter"]) == ("cancel", "rule", "duologue-words")


def updates(link: Link) -> list[Json]:
    return [frame.body for frame in link.frames if frame.body["type"] == "signal.update"]


async def test_anger_passes_the_conversation_to_a_person(tmp_path: Path) -> None:
    asked = msgspec.structs.replace(
        settings(sources=("rule",), escalation=(ANGRY,)), handoff=HandoffSettings(queues=(QueueSettings(name="desk"),))
    )
    async with serving(agent(), tmp_path, asked) as live, CHAT_WS.link(live.port, "s") as link:
        await link.say("What are your opening hours?", 1)
        await link.over()
        await link.say("This is outrageous, I am furious", 2)
        while not (moved := [one.body for one in link.frames if one.body["type"] == "handoff.status"]):
            await link.next()
    assert moved[0]["status"] == "requested"
    assert moved[0]["reason"] == "angry: anger in 1 of the latest 5 turns"
    assert moved[0]["requestId"] == updates(link)[-1]["requestId"], "the turn that it is about"


async def test_a_backend_may_cause_a_handoff_without_any_source(tmp_path: Path) -> None:
    asked = msgspec.structs.replace(
        settings(escalation=(EscalationSettings(name="glad", signal="delight"),)),
        handoff=HandoffSettings(queues=(QueueSettings(name="desk"),)),
    )
    async with serving(agent(), tmp_path, asked) as live, CHAT_WS.link(live.port, "s") as link:
        await link.say("hello", 1)
        await link.over()
        async with httpx2.AsyncClient(base_url=live.url) as client:
            await client.post("/api/sessions/s/signals", json=GIVEN)
        while not any(one.body["type"] == "handoff.status" for one in link.frames):
            await link.next()
    assert [one["source"] for one in updates(link)] == ["server", "server"]
