"""Webhooks: signed, in order, at least once; whatever becomes of the receiver or of the server."""

import asyncio
import os
import random
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from jambonz_sdk.webhook import verify_signature_middleware
from tests.e2e.harness import Server, serving, until
from tests.e2e.links import CHAT_WS, SOCKETS
from tests.e2e.receiver import SECRET, Got, Receiver, well
from tests.e2e.wire import Answer, Json, fetch

from duologue.model.records import decode_events
from duologue.protocols.jambonz import AgentEventNotices
from duologue.server.settings import AuthSettings, ServerSettings, Settings
from duologue.server.settings_webhooks import Kind, WebhookSettings
from duologue.testing.scripted_agent import ScriptedAgent

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(200)]

KEY = "a-key-of-a-backend"
BACKEND = {"Authorization": f"Bearer {KEY}"}
NOTICES = AgentEventNotices()
POSTS = (0, 20)
"""How many posts the server makes between two kills: from before the first turn is accepted to well among them."""

KILLS = int(os.environ.get("WEBHOOK_KILLS", "10"))


@asynccontextmanager
async def process(receiver: Receiver, data: Path, **more: str) -> AsyncGenerator[Server]:
    """A server as a process of its own, which tells the receiver."""
    environment = {
        "DUOLOGUE_WEBHOOKS__URL": receiver.url,
        "DUOLOGUE_WEBHOOKS__SECRET": SECRET,
        "DUOLOGUE_WEBHOOKS__BACKOFF_MS": "20",
        "PACE_S": "0.005",
    } | more
    server = Server(
        arguments=["--agent", "paced_agent:count"], data=data / "data", environment=environment, forked=True
    )
    await asyncio.to_thread(server.start)
    try:
        yield server
    finally:
        await asyncio.to_thread(server.kill)


def settings(receiver: Receiver, *, auth: bool = False, kinds: tuple[Kind, ...] = (), retries: int = 9) -> Settings:
    """For a server on the test's own loop."""
    return Settings(
        server=ServerSettings(drain_ms=500),
        webhooks=WebhookSettings(url=receiver.url, secret=SECRET, kinds=kinds, retries=retries, backoff_ms=20),
        auth=AuthSettings(api_keys=(KEY,), secret="s" * 40) if auth else AuthSettings(),
    )


async def talk(port: int, session: str, *numbers: int, text: str = "3") -> None:
    """Say something, one turn after the other, and wait for each answer."""
    channel = SOCKETS[len(session) % len(SOCKETS)]
    async with channel.link(port, session) as link:
        for number in numbers:
            await link.say(text, number)
            await link.over()
            # The dialect's end of an answer may be read while frames of earlier turns are still to come.
            while sum(channel.dialect.outcome(frame.body) == "completed" for frame in link.frames) < number:
                await link.over()


async def expected(port: int, session: str) -> list[tuple[int, bytes]]:
    """What a receiver has to have of a session: made anew from the journal."""
    lines = (await fetch(port, "GET", f"/api/sessions/{session}/journal")).raw
    return [(event.seq, NOTICES.body(event)) for event in decode_events(lines) if NOTICES.kind(event) is not None]


async def everything_arrives(receiver: Receiver, port: int, sessions: list[str]) -> None:
    """Wait until a receiver has all, and see that it is in order, signed, and nothing else."""
    for session in sessions:
        due = await expected(port, session)
        first = await at_least(receiver, session, len(due))
        assert [(got.seq, got.raw) for got in first] == due, session
    assert {got.session for got in receiver.took} == set(sessions)
    for got in receiver.got:
        assert verify_signature_middleware(got.raw, got.headers["jambonz-signature"], SECRET)


async def at_least(receiver: Receiver, session: str, count: int) -> list[Got]:
    """Wait until so many of a session were taken."""
    await until(lambda: len(receiver.first_of(session)) >= count, within_s=60)
    return receiver.first_of(session)


async def test_every_turn_is_told_signed_and_in_order(tmp_path: Path) -> None:
    async with Receiver() as receiver, process(receiver, tmp_path) as server:
        sessions = [f"s-{number}" for number in range(10)]
        await asyncio.gather(*[talk(server.port, session, 1, 2) for session in sessions])
        await everything_arrives(receiver, server.port, sessions)
        assert len(receiver.got) == len(receiver.took)
        kinds = [got.body["type"] for got in receiver.first_of("s-1")]
        assert kinds == ["user_transcript", "llm_response", "turn_end"] * 2
        got = receiver.first_of("s-1")[0]
        assert (got.headers["duologue-turn"], got.headers["content-type"]) == ("1", "application/json")


async def test_a_receiver_that_fails_gets_everything_in_the_end(tmp_path: Path) -> None:
    tries: dict[str, int] = {}

    def sometimes(got: Got) -> int:
        tries[got.event_id] = tries.get(got.event_id, 0) + 1
        assert got.headers["duologue-attempt"] == str(tries[got.event_id])
        return 200 if tries[got.event_id] > 2 else 500

    async with Receiver() as receiver, process(receiver, tmp_path) as server:
        receiver.answer = sometimes
        sessions = ["s-1", "s-2"]
        await asyncio.gather(*[talk(server.port, session, 1, 2) for session in sessions])
        await everything_arrives(receiver, server.port, sessions)
        assert set(tries.values()) == {3}


async def test_a_silent_or_absent_receiver_delays_no_conversation(tmp_path: Path) -> None:
    receiver = Receiver()
    receiver.answer = lambda _: None
    async with process(receiver, tmp_path, DUOLOGUE_WEBHOOKS__TIMEOUT_MS="300") as server:
        sessions = [f"s-{number}" for number in range(40)]
        # Nobody listens on its port.
        await asyncio.gather(*[talk(server.port, session, 1) for session in sessions])
        await receiver.start()
        await until(lambda: len(receiver.got) > 3)
        # It takes connections and says nothing; many more sessions wait for it than are sent at once.
        began = time.monotonic()
        await asyncio.gather(*[talk(server.port, session, 1, 2) for session in sessions])
        took_s = time.monotonic() - began
        assert took_s < 10, "a silent receiver holds up the talk"
        assert receiver.took == []
        receiver.answer = well
        await everything_arrives(receiver, server.port, sessions)
        await receiver.stop()


async def test_a_receiver_that_dies_and_comes_back_misses_nothing(tmp_path: Path) -> None:
    async with Receiver() as receiver, process(receiver, tmp_path) as server:
        await talk(server.port, "s-1", 1)
        await until(lambda: len(receiver.took) == 3)
        await receiver.stop()
        await talk(server.port, "s-1", 1, 2, 3)
        await asyncio.to_thread(server.stop)
        await asyncio.to_thread(server.start)
        await talk(server.port, "s-1", 1, 2, 3, 4)
        await receiver.start()
        await everything_arrives(receiver, server.port, ["s-1"])
        assert len(receiver.first_of("s-1")) == 12


@pytest.mark.slow
async def test_a_server_that_is_killed_in_the_middle_loses_nothing(tmp_path: Path) -> None:
    seed = int(os.environ.get("KILL_SEED", time.time_ns() % 2**32))
    print(f"KILL_SEED={seed}")
    chance = random.Random(seed)
    async with Receiver() as receiver, process(receiver, tmp_path) as server:
        receiver.answer = lambda _: 200 if chance.random() < 0.8 else 500
        receiver.pause_s = 0.01
        sessions = [f"s-{number}" for number in range(12)]
        for turn in range(1, KILLS + 1):
            talks = [asyncio.ensure_future(say(server.port, session, turn)) for session in sessions]
            enough = len(receiver.got) + chance.randint(*POSTS)
            await until(lambda n=enough: len(receiver.got) >= n)
            await asyncio.to_thread(server.kill)
            await asyncio.gather(*talks, return_exceptions=True)
            await asyncio.to_thread(server.start)
        await until_quiet(server.port, sessions)
        await everything_arrives(receiver, server.port, sessions)
        repeats = len(receiver.took) - sum(len(receiver.first_of(session)) for session in sessions)
        print(f"{KILLS} kills, {len(receiver.got)} attempts, {len(receiver.took)} receipts, {repeats} repeats")
        assert len(receiver.took) > KILLS


async def say(port: int, session: str, number: int) -> None:
    """Begin a turn, and listen as long as the server lives."""
    async with CHAT_WS.link(port, session) as link:
        await link.say("8", number)
        while True:
            await link.next()


async def until_quiet(port: int, sessions: list[str]) -> None:
    """Wait until no turn is open."""
    async with asyncio.timeout(60):
        for session in sessions:
            while (await fetch(port, "GET", f"/api/sessions/{session}")).body.get("open"):
                await asyncio.sleep(0.02)


async def test_what_cannot_be_delivered_is_kept_and_can_be_sent_again(tmp_path: Path) -> None:
    async with Receiver() as receiver, serving(ScriptedAgent(["yes"]), tmp_path, settings(receiver, retries=1)) as live:
        receiver.answer = lambda _: 503
        await talk(live.port, "s-1", 1)
        await until_dead(live.port, 3)
        letters = (await fetch(live.port, "GET", "/api/webhooks/dead-letters")).body["deadLetters"]
        assert [(one["type"], one["attempts"], one["error"]) for one in letters] == [
            (kind, 2, "answered 503") for kind in ("turn_end", "llm_response", "user_transcript")
        ]
        assert {(one["sessionId"], one["webhook"]) for one in letters} == {("s-1", "server")}
        path = f"/api/webhooks/dead-letters/{letters[0]['id']}"
        failed = await fetch(live.port, "POST", f"{path}/redeliver")
        assert (failed.status, failed.body) == (200, {"delivered": False, "error": "answered 503"})
        receiver.answer = lambda _: 200
        again = await fetch(live.port, "POST", f"{path}/redeliver")
        assert again.body == {"delivered": True, "error": ""}
        assert receiver.took[-1].body["type"] == "turn_end"
        assert (
            receiver.took[-1].event_id
            == next(got for got in receiver.got if got.seq == letters[0]["sequence"]).event_id
        )
        assert (await fetch(live.port, "POST", f"{path}/redeliver")).status == 404
        before = f"/api/webhooks/dead-letters?before={letters[1]['id']}"
        assert [one["id"] for one in (await fetch(live.port, "GET", before)).body["deadLetters"]] == [letters[2]["id"]]
        gone = await fetch(live.port, "DELETE", f"/api/webhooks/dead-letters/{letters[1]['id']}")
        assert (gone.status, gone.body) == (200, {"removed": True})
        assert (await fetch(live.port, "DELETE", "/api/webhooks/dead-letters/x")).status == 404
        assert (await fetch(live.port, "GET", "/api/webhooks/dead-letters?before=x")).status == 400
        metrics = (await fetch(live.port, "GET", "/metrics")).raw.decode()
        assert "duologue_webhook_dead_letters 1.0" in metrics
        assert 'duologue_webhook_attempts_total{outcome="dead"} 3.0' in metrics
        assert "duologue_webhooks_waiting 0.0" in metrics


async def until_dead(port: int, count: int) -> None:
    """Wait until so many letters are dead."""
    async with asyncio.timeout(30):
        while len((await fetch(port, "GET", "/api/webhooks/dead-letters")).body["deadLetters"]) < count:
            await asyncio.sleep(0.01)


async def put_hook(port: int, session: str, body: Json, headers: Mapping[str, str] = BACKEND) -> Answer:
    return await fetch(port, "PUT", f"/api/sessions/{session}/webhook", body=body, headers=headers)


async def test_a_session_may_have_a_webhook_of_its_own(tmp_path: Path) -> None:
    async with (
        Receiver() as all_of_it,
        Receiver() as own,
        serving(ScriptedAgent(["yes"]), tmp_path, settings(all_of_it, auth=True, kinds=("turn_end",))) as live,
    ):
        ada = BACKEND | {"Duologue-Subject": "ada"}
        made = await put_hook(live.port, "s-1", {"url": own.url, "secret": "another secret of two"}, ada)
        assert made.status == 200
        assert made.body == {
            "url": own.url, "kinds": [], "sequence": 1, "waiting": False, "failures": 0, "error": "",
            "nextAttemptAt": None,
        }  # fmt: skip
        token = (await fetch(live.port, "POST", "/chat/token", body={"subject": "ada"}, headers=BACKEND)).body["token"]
        person = {"Authorization": f"Bearer {token}"}
        for session in ("s-1", "s-2"):
            async with CHAT_WS.link(live.port, session, headers=person) as link:
                await link.say("hello", 1)
                await link.over()
        await until(lambda: len(own.took) == 3 and len(all_of_it.took) == 2)
        assert {got.session for got in own.took} == {"s-1"}
        assert [got.body["type"] for got in all_of_it.took] == ["turn_end"] * 2
        for got in own.took:
            assert verify_signature_middleware(got.raw, got.headers["jambonz-signature"], "another secret of two")
        path = "/api/sessions/s-1/webhook"
        seen = await fetch(live.port, "GET", path, headers=BACKEND)
        assert seen.body["sequence"] == own.took[-1].seq
        assert b"another secret" not in seen.raw
        # Changed: it goes on where it is, and asks for less.
        await put_hook(live.port, "s-1", {"url": own.url, "kinds": ["user_transcript"]}, ada)
        async with CHAT_WS.link(live.port, "s-1", headers=person) as link:
            await link.say("again", 2)
            await link.over()
            await link.over()
        await until(lambda: len(own.took) == 4 and len(all_of_it.took) == 3)
        assert own.took[-1].body == {"type": "user_transcript", "transcript": "again"}
        assert verify_signature_middleware(own.took[-1].raw, own.took[-1].headers["jambonz-signature"], SECRET)
        assert (await fetch(live.port, "DELETE", path, headers=BACKEND)).body == {"removed": True}
        assert (await fetch(live.port, "DELETE", path, headers=BACKEND)).body == {"removed": False}
        assert (await fetch(live.port, "GET", path, headers=BACKEND)).status == 404


async def test_only_a_backend_names_an_address_and_only_a_safe_one(tmp_path: Path) -> None:
    async with Receiver() as receiver, serving(ScriptedAgent(["yes"]), tmp_path, settings(receiver, auth=True)) as live:
        token = (await fetch(live.port, "POST", "/chat/token", body={"subject": "ada"}, headers=BACKEND)).body["token"]
        person = {"Authorization": f"Bearer {token}"}
        asked = {"url": receiver.url, "secret": "x" * 16}
        assert (await put_hook(live.port, "s-1", asked, person)).status == 403
        for method in ("GET", "DELETE"):
            path = "/api/sessions/s-1/webhook"
            assert (await fetch(live.port, method, path, headers=person)).status == 403
            assert (await fetch(live.port, method, path, headers=BACKEND)).status == 404
        assert (await fetch(live.port, "GET", "/api/webhooks/dead-letters", headers=person)).status == 403
        for body, where in (
            ({"url": "http://example.com/", "secret": "x" * 16}, "in the clear"),
            ({"url": "https://a:b@example.com/", "secret": "x" * 16}, "no name"),
            ({"url": "gopher://example.com/", "secret": "x" * 16}, "has to be like"),
            ({"url": receiver.url, "secret": "short"}, "$.secret"),
            ({"url": receiver.url, "kinds": ["turn_over"]}, "turn_over"),
            ({"url": receiver.url, "also": 1}, "also"),
            ({}, "url"),
        ):
            answer = await put_hook(live.port, "s-1", body)
            assert answer.status == 400, body
            assert where in answer.raw.decode(), body
        # Nothing was made on the way.
        assert (await fetch(live.port, "GET", "/api/sessions/s-1", headers=BACKEND)).status == 404


async def test_without_a_secret_nothing_is_posted(tmp_path: Path) -> None:
    async with Receiver() as receiver, serving(ScriptedAgent(["yes"]), tmp_path) as live:
        refused = await put_hook(live.port, "s-1", {"url": receiver.url}, {})
        assert (refused.status, "a secret is needed" in refused.raw.decode()) == (400, True)


async def test_a_removed_session_leaves_no_trace_of_its_webhook(tmp_path: Path) -> None:
    async with Receiver() as receiver:
        receiver.answer = lambda _: 500
        async with serving(ScriptedAgent(["yes"]), tmp_path, settings(receiver, retries=0)) as live:
            sessions = ("remove-me-1", "remove-me-2", "keep-me")
            for session in sessions:
                await put_hook(live.port, session, {"url": receiver.url, "secret": "x" * 16}, {})
            await asyncio.gather(*[talk(live.port, session, 1) for session in sessions])
            await until_dead(live.port, 18)
            assert "webhooks.db" in " ".join(files_with("remove-me", tmp_path))
            for session in ("remove-me-1", "remove-me-2"):
                assert (await fetch(live.port, "DELETE", f"/api/sessions/{session}")).status == 200
            assert files_with("remove-me", tmp_path) == []
            assert files_with("keep-me", tmp_path) != []
            await fetch(live.port, "DELETE", "/api/people/local")
            assert files_with("keep-me", tmp_path) == []


def files_with(word: str, folder: Path) -> list[str]:
    """The databases that hold a word; the audit trail keeps what was removed by its name."""
    return [path.name for path in folder.glob("*.db*") if word.encode() in path.read_bytes()]
