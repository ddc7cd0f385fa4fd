"""Another desk: it is told of handoffs by signed webhooks, and answers by signed calls that are worth nothing twice."""

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from tests.e2e.harness import CountingAgent, serving
from tests.e2e.links import journal, kinds
from tests.e2e.receiver import SECRET, Got, Receiver, well
from tests.e2e.test_handoff import hands_over, say
from tests.e2e.wire import Answer, Json, fetch

from duologue.adapters.desk_webhook import HEADER, Calls, sign
from duologue.model import limits
from duologue.model.errors import Code, Problem
from duologue.runtime.memory.remembering import Remembering
from duologue.server.settings import ServerSettings, Settings
from duologue.server.settings_handoff import HandoffSettings
from duologue.server.settings_memory import MemorySettings
from duologue.server.settings_webhooks import WebhookSettings

pytestmark = pytest.mark.anyio

NOW_MS = 1_800_000_000_000


def settings(receiver: Receiver) -> Settings:
    """Settings with another desk."""
    handoff = HandoffSettings(desk_url=receiver.url, desk_secret=SECRET)
    return Settings(server=ServerSettings(drain_ms=500), handoff=handoff)


async def call(port: int, *, signature: str | None = None, **what: Json) -> Answer:
    """Call as the other desk does."""
    body = json.dumps(what).encode()
    made = sign(body, secret=SECRET, now_ms=time.time_ns() // 1_000_000) if signature is None else signature
    return await fetch(port, "POST", "/handoff/desk", body=body, headers={HEADER: made})


async def told(receiver: Receiver, holds: Callable[[Json], bool]) -> Got:
    """Wait until the other desk was told something."""
    async with asyncio.timeout(15):
        while True:
            for got in receiver.took:
                if holds(got.body):
                    return got
            await asyncio.sleep(0.01)


async def test_another_desk_takes_a_conversation_answers_and_hands_back(tmp_path: Path) -> None:
    async with Receiver() as receiver, serving(CountingAgent(hands_over), tmp_path, settings(receiver)) as server:
        port = server.port
        await say(port, "s-1", "money", 1)
        queued = await told(receiver, lambda body: body.get("status") == "queued")
        assert queued.session == "s-1"
        assert queued.body["bundle"]["summary"] == "wants money"
        seconds = int(queued.headers["duologue-signature"].partition(",")[0].removeprefix("t="))
        assert queued.headers["duologue-signature"] == sign(queued.raw, secret=SECRET, now_ms=seconds * 1000)

        name = queued.body["handoffId"]
        mia = {"handoffId": name, "operatorId": "7", "operatorName": "Mia"}
        placed = await call(port, type="placed", id="1", handoffId=name, position=4, waitMs=60_000)
        assert (placed.body["handoff"]["position"], placed.body["handoff"]["waitText"]) == (4, "about a minute")
        joined = await call(port, type="joined", id="2", **mia)
        assert joined.body["handoff"]["operator"] == {"id": "desk:7", "name": "Mia"}
        await say(port, "s-1", "are you there?", 2)
        message = await told(receiver, lambda body: body["type"] == "customer.message")
        assert message.body["text"] == "are you there?"
        said = [await call(port, type="said", id="3", text="Mia here", **mia) for _ in range(2)]
        assert [one.body["repeated"] for one in said] == [False, True]
        assert (await call(port, type="handed_back", id="4", **mia)).body["handoff"]["status"] == "resolved"
        texts = [event["text"] for event in kinds(await journal(port, "s-1"), "text_completed")]
        assert texts == ["A colleague will help. ", "Mia here"]
        late = await call(port, type="said", id="5", text="too late", **mia)
        assert (late.status, late.body["reason"]) == (404, "handoff_unknown")
        await told(receiver, lambda body: body.get("status") == "resolved")


async def test_another_desk_is_told_what_is_remembered_as_of_now_and_nothing_keeps_it(tmp_path: Path) -> None:
    memory = MemorySettings(enabled=True, recall_ms=5_000)
    webhooks = WebhookSettings(backoff_ms=20)
    async with Receiver() as receiver:
        given = msgspec.structs.replace(settings(receiver), memory=memory, webhooks=webhooks)
        async with serving(CountingAgent(hands_over), tmp_path, given) as server:
            await say(server.port, "s-1", "I live in Berlin and I'm allergic to peanuts.", 1)
            assert isinstance(server.hub.recall, Remembering)
            await server.hub.recall.settled()
            failed: list[Got] = []

            def fails_once(got: Got) -> int:
                if "bundle" in got.body and not failed:
                    failed.append(got)
                    return 500
                return 200

            receiver.answer = fails_once
            await say(server.port, "s-1", "money", 2)
            queued = await told(receiver, lambda body: "bundle" in body)
            remembered = ["Allergic to peanuts", "Lives in Berlin"]
            assert failed[0].body["bundle"]["memory"] == queued.body["bundle"]["memory"] == remembered
            (allergy,) = (await fetch(server.port, "GET", "/api/memory?q=peanuts")).body["memories"]

            failed.clear()
            receiver.answer = lambda got: None if "bundle" in got.body else 200
            await say(server.port, "s-2", "money", 1)
            async with asyncio.timeout(15):
                while receiver.got[-1].body.get("status") != "queued":
                    await asyncio.sleep(0.01)
            # What is forgotten while the other desk does not answer is not told again.
            await fetch(server.port, "DELETE", f"/api/memory/{allergy['memoryId']}")
            await receiver.stop()
            receiver.answer = well
            await receiver.start()
            second = await told(receiver, lambda body: "bundle" in body and "s-2" in body["handoffId"])
            assert second.body["bundle"]["memory"] == ["Lives in Berlin"]

            await fetch(server.port, "PUT", "/api/memory", body={"remembers": False})
            await say(server.port, "s-3", "money", 1)
            third = await told(receiver, lambda body: "bundle" in body and "s-3" in body["handoffId"])
            assert third.body["bundle"]["memory"] == []
            for session in ("s-1", "s-2", "s-3"):
                assert b"Lives in Berlin" not in await server.hub.store.read(session, after=0, limit=10_000)
        kept = _files_but_memory(tmp_path)
        assert b"s-1" in kept
        assert b"Lives in Berlin" not in kept and b"Allergic" not in kept


def _files_but_memory(folder: Path) -> bytes:
    return b"".join(one.read_bytes() for one in folder.glob("*") if not one.name.startswith("memory"))


async def test_a_call_that_was_done_before_a_restart_is_told_so(tmp_path: Path) -> None:
    async with Receiver() as receiver:
        async with serving(CountingAgent(hands_over), tmp_path, settings(receiver)) as server:
            await say(server.port, "s-1", "money", 1)
            name = (await told(receiver, lambda body: body.get("status") == "queued")).body["handoffId"]
            mia = {"handoffId": name, "operatorId": "7", "operatorName": "Mia"}
            await call(server.port, type="joined", id="1", **mia)
            assert not (await call(server.port, type="said", id="2", text="Mia here", **mia)).body["repeated"]
        async with serving(CountingAgent(hands_over), tmp_path, settings(receiver)) as server:
            async with asyncio.timeout(15):
                while (again := await call(server.port, type="said", id="2", text="Mia here", **mia)).status != 200:
                    # Signed in the second in which the server started, or before the handoff was found again.
                    assert again.body["reason"] in ("auth_expired", "handoff_unknown")
                    await asyncio.sleep(0.01)
            assert again.body["repeated"]
            texts = [event["text"] for event in kinds(await journal(server.port, "s-1"), "text_completed")]
            assert texts.count("Mia here") == 1


async def test_a_call_that_is_forged_altered_or_recorded_changes_nothing(tmp_path: Path) -> None:
    async with Receiver() as receiver, serving(CountingAgent(hands_over), tmp_path, settings(receiver)) as server:
        port = server.port
        await say(port, "s-1", "money", 1)
        name = (await told(receiver, lambda body: body.get("status") == "queued")).body["handoffId"]
        what = {"type": "joined", "id": "1", "handoffId": name, "operatorId": "7", "operatorName": "Mia"}
        before = len(await journal(port, "s-1"))
        now_ms = time.time_ns() // 1_000_000
        forged = sign(json.dumps(what).encode(), secret="another secret that is long", now_ms=now_ms)
        altered = sign(json.dumps(what | {"operatorId": "8"}).encode(), secret=SECRET, now_ms=now_ms)
        old = sign(json.dumps(what).encode(), secret=SECRET, now_ms=now_ms - limits.DESK_CALL_MS - 5_000)
        for signature, code in (
            ("", "auth_required"),
            (forged, "auth_failed"),
            (altered, "auth_failed"),
            (old, "auth_expired"),
        ):
            answer = await call(port, signature=signature, **what)
            assert (answer.status, answer.body["reason"]) == (401, code)
        for wrong in ({"type": "left"}, {"operatorId": ""}, {"more": 1}):
            assert (await call(port, **(what | wrong))).status == 400
        assert len(await journal(port, "s-1")) == before


async def test_without_another_desk_nobody_calls(tmp_path: Path) -> None:
    async with serving(CountingAgent(hands_over), tmp_path) as server:
        answer = await call(server.port, type="failed", id="1", handoffId="x", reason="")
        assert (answer.status, answer.body["reason"]) == (400, "unsupported")


def test_a_call_is_taken_once_and_what_was_signed_before_the_start_is_signed_again() -> None:
    calls = Calls(SECRET, started_ms=NOW_MS)
    assert calls.objection(b"{}", sign(b"{}", secret=SECRET, now_ms=NOW_MS), now_ms=NOW_MS + 1) is None
    early = calls.objection(b"{}", sign(b"{}", secret=SECRET, now_ms=NOW_MS - 1_000), now_ms=NOW_MS + 1)
    assert early is not None
    assert early.code is Code.AUTH_EXPIRED
    assert calls.take("a", now_ms=NOW_MS) is True
    # Until it is done it may still fail: nobody is told that it was taken.
    under_way = calls.take("a", now_ms=NOW_MS)
    assert isinstance(under_way, Problem)
    assert (under_way.code, under_way.retryable) == (Code.BUSY, True)
    calls.done("a")
    assert calls.take("a", now_ms=NOW_MS + limits.DESK_CALL_MS) is False
    calls.give_back("a")
    assert calls.take("a", now_ms=NOW_MS) is True
    assert calls.take("b", now_ms=NOW_MS + 2 * limits.DESK_CALL_MS) is True
    for number in range(limits.DESK_CALLS - 1):
        assert calls.take(f"n-{number}", now_ms=NOW_MS + 2 * limits.DESK_CALL_MS) is True
    full = calls.take("one more", now_ms=NOW_MS + 2 * limits.DESK_CALL_MS)
    assert isinstance(full, Problem)
    assert full.code is Code.RATE_LIMITED
