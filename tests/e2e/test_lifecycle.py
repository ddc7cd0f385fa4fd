"""Sessions that are unloaded, deleted, trimmed, or do not fit on the disk; and the folder that holds them."""

import asyncio
import functools
from pathlib import Path

import pytest
from tests.e2e.conftest import Serve
from tests.e2e.harness import Server, serving, until
from tests.e2e.links import (
    AGENTCALL_WS,
    CHANNELS,
    CHAT_SSE,
    GHOST_SSE,
    SOCKETS,
    Channel,
    StreamLink,
    channel_name,
    journal,
    kinds,
)
from tests.e2e.wire import fetch

from duologue.adapters.store_sqlite import SqliteStore, bounds
from duologue.model.agent import AgentRequest
from duologue.runtime import house
from duologue.server import parts
from duologue.server.settings import ServerSettings, Settings, StoreSettings
from duologue.testing.scripted_agent import Line, ScriptedAgent, WaitFor

pytestmark = pytest.mark.anyio

FORGETFUL = Settings(store=StoreSettings(idle_unload_ms=0))
PLAIN = {"Accept": "application/json"}


@pytest.mark.parametrize("channel", CHANNELS, ids=channel_name)
async def test_an_idle_session_is_unloaded_and_comes_back(
    channel: Channel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house, "SWEEP_MS", 5)
    agent = ScriptedAgent(["an ", "answer"])
    async with serving(agent, tmp_path, FORGETFUL) as server:
        async with channel.link(server.port, "s-1") as first:
            await first.say("one", 1)
            await first.over()
        await until(lambda: len(server.hub.sessions) == 0)
        async with channel.link(server.port, "s-1", first.last) as second:
            # The same message again is still the same message.
            await second.say("one", 1)
            await second.say("two", 2)
            await second.over()
        whole = await channel.read(server.port, "s-1", up_to=second.last)
        assert first.frames + second.frames == [frame for frame in whole if frame.seq >= first.frames[0].seq]
        assert [message.text for message in agent.requests[1].history] == ["one", "an answer"]
        assert agent.runs == 2


async def test_unloading_all_the_time_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(house, "SWEEP_MS", 0)
    agent = ScriptedAgent(["an ", "answer"])

    async def visit(channel: Channel, place: int) -> None:
        session, last = f"s-{place}", 0
        for turn in range(1, 9):
            async with channel.link(server.port, session, last) as link:
                await link.say(f"turn {turn}", turn)
                await link.over()
                assert link.refusals == []
                last = link.last
        whole = await channel.read(server.port, session, up_to=last)
        outcomes = [channel.dialect.outcome(frame.body) for frame in whole]
        assert outcomes.count("completed") == 8

    async with serving(agent, tmp_path, FORGETFUL) as server, asyncio.TaskGroup() as group:
        for place, channel in enumerate(CHANNELS * 3):
            group.create_task(visit(channel, place))
    assert agent.runs == 8 * 3 * len(CHANNELS)


def holding(word: bytes, folder: Path) -> list[Path]:
    """The files that have a word in them."""
    return [file for file in folder.iterdir() if word in file.read_bytes()]


@pytest.mark.parametrize("what", ["session", "person"])
@pytest.mark.parametrize("channel", CHANNELS, ids=channel_name)
async def test_a_deletion_ends_everything(channel: Channel, what: str, tmp_path: Path) -> None:
    def script(request: AgentRequest) -> list[Line]:
        return ["secret ", WaitFor(event=asyncio.Event())] if request.text == "wait" else ["yes"]

    agent = ScriptedAgent(script)
    path = "/api/sessions/s-1" if what == "session" else "/api/people/local"
    async with serving(agent, tmp_path) as server:
        async with channel.link(server.port, "s-1") as link:
            await link.say("wait", 1)
            await link.until_delta()
            assert (await fetch(server.port, "DELETE", path)).status == 200
            gone = await link.gone()
            if channel.is_socket:
                assert (gone.code, gone.reason) == (1000, "the session was deleted")
            elif isinstance(link, StreamLink):
                assert link.source is not None
                assert link.source.comments == []
        await until(lambda: agent.cancelled == 1)
        assert (await fetch(server.port, "GET", "/api/sessions/s-1")).status == 404
        async with channel.link(server.port, "s-1", link.last) as again:
            if channel.is_socket:
                await again.refused()
            assert again.refusals in (["session_unknown"], [])
            assert again.frames == []
        assert (await fetch(server.port, "GET", "/api/sessions")).body["sessions"] == []
        async with channel.link(server.port, "s-1") as fresh:
            await fresh.say("hello", 1)
            await fresh.over()
            assert fresh.text == "yes"
            assert fresh.frames[0].seq <= 2
        assert agent.requests[1].history == ()
    assert not holding(b"secret", tmp_path)


async def test_a_second_server_on_the_same_folder_refuses_to_start(serve: Serve, tmp_path: Path) -> None:
    first = serve("--agent", "paced_agent:count")
    second = Server(arguments=["--agent", "paced_agent:count"], data=tmp_path / "data-0", environment={})
    with pytest.raises(AssertionError, match="did not start"):
        await asyncio.to_thread(second.start)
    assert "another" in second.log.lower()
    assert str(tmp_path / "data-0") in second.log
    async with AGENTCALL_WS.link(first.port, "s-1") as link:
        await link.say("2", 1)
        await link.over()


@pytest.mark.parametrize(
    ("arguments", "environment", "words"),
    [
        (["--host", "0.0.0.0"], {}, ["server.host", "auth.api_keys"]),
        (["--agent", "paced_agent:nothing"], {}, ["nothing", "paced_agent"]),
        ([], {"DUOLOGUE_SERVER__PROT": "1"}, ["DUOLOGUE_SERVER__PROT", "DUOLOGUE_SERVER__PORT"]),
    ],
)
async def test_a_server_that_cannot_start_says_why(
    arguments: list[str], environment: dict[str, str], words: list[str], tmp_path: Path
) -> None:
    server = Server(arguments=arguments, data=tmp_path / "data", environment=environment)
    with pytest.raises(AssertionError, match="did not start"):
        await asyncio.to_thread(server.start)
    for word in words:
        assert word in server.log
    assert "Traceback" not in server.log


@pytest.mark.parametrize("channel", CHANNELS, ids=channel_name)
async def test_a_full_disk(channel: Channel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "SqliteStore", functools.partial(SqliteStore, max_pages=96))
    # It takes what comes until it is full as well.
    monkeypatch.setattr(bounds, "SPOOL_BYTES", 2**20)
    monkeypatch.setattr(house, "SWEEP_MS", 20)
    agent = ScriptedAgent(["an ", "answer"])
    async with serving(agent, tmp_path) as server:
        async with channel.link(server.port, "kept") as kept:
            await kept.say("hello", 1)
            await kept.over()
        refused, turn = "", 0
        while not refused:
            turn += 1
            assert turn < 100, "the store never got full"
            async with channel.link(server.port, f"filler-{turn}") as filler:
                await filler.say("x" * 20_000, 1)
                try:
                    while not refused and not filler.refusals:
                        if channel.dialect.outcome((await filler.next()).body):
                            break
                except Exception:  # noqa: BLE001 - however it ends, it has to end
                    refused = "cut"
                refused = next(iter(filler.refusals), refused)
        assert refused in ("store_failed", "cut")

        # What is stored can be read.
        assert kept.frames == [
            frame
            for frame in await channel.read(server.port, "kept", up_to=kept.last)
            if frame.seq >= kept.frames[0].seq
        ]
        refusal = await fetch(
            server.port, "POST", "/chat/stream", body={"requestId": "r", "sessionId": "one-more", "text": "x" * 60_000}
        )
        assert (refusal.status, refusal.body["reason"], refusal.body["retryable"]) == (503, "store_failed", True)
        assert "Free space" in refusal.body["message"]

        for number in range(1, turn + 1):
            await fetch(server.port, "DELETE", f"/api/sessions/filler-{number}")
        async with channel.link(server.port, "kept", kept.last) as again:
            await again.say("and now", 2)
            await again.over()
            assert again.text == "an answer"


async def test_the_repeat_of_a_message_that_was_trimmed_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house, "SWEEP_MS", 5)
    agent = ScriptedAgent(["word "] * 10)
    settings = Settings(store=StoreSettings(retain_events=20))
    async with serving(agent, tmp_path, settings) as server:
        for number in range(1, 7):
            body = {"requestId": f"r-{number}", "sessionId": "s-1", "text": "hello"}
            answer = await fetch(server.port, "POST", "/chat/stream", body=body, headers=PLAIN)
            assert answer.status == 200
        await until(lambda: any(session.first_seq > 1 for session in server.hub.sessions))
        for headers in (PLAIN, {}):
            body = {"requestId": "r-1", "sessionId": "s-1", "text": "hello"}
            answer = await fetch(server.port, "POST", "/chat/stream", body=body, headers=headers)
            assert (answer.status, answer.body["reason"]) == (410, "resume_trimmed")
        assert agent.runs == 6


@pytest.mark.parametrize("channel", CHANNELS, ids=channel_name)
async def test_a_trimmed_session_goes_on_after_a_restart(
    channel: Channel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house, "SWEEP_MS", 5)
    agent = ScriptedAgent(["word "] * 12)
    settings = Settings(store=StoreSettings(retain_events=20))
    async with serving(agent, tmp_path, settings) as server:
        async with channel.link(server.port, "s-1") as link:
            for turn in range(1, 6):
                await link.say(f"turn {turn}", turn)
                await link.over()
        await until(lambda: any(session.first_seq > 1 for session in server.hub.sessions))
    # What follows is kept whole: the second server trims no more.
    async with serving(agent, tmp_path) as server:
        first = (await fetch(server.port, "GET", "/api/sessions/s-1")).body["firstSequence"]
        async with channel.link(server.port, "s-1") as fresh, channel.link(server.port, "s-1", link.last) as again:
            assert (await fresh.next()).seq == first
            await again.say("turn 6", 6)
            await again.over()
            await fresh.up_to(again.last)
            assert fresh.frames[1:] == [frame for frame in link.frames + again.frames if frame.seq > first]
        events = await journal(server.port, "s-1")
        assert [event["seq"] for event in events] == list(range(first, events[-1]["seq"] + 1))
        (trimmed,) = kinds(events, "history_trimmed")
        assert trimmed["epoch"] >= 1
        assert trimmed["messages"][0]["text"] == "turn 1"
        assert len(agent.requests[-1].history) == 10
        async with channel.link(server.port, "s-1", 1) as late:
            if channel.is_socket:
                await late.refused()
            assert late.refusals == ["resume_trimmed"]


@pytest.mark.parametrize("channel", SOCKETS, ids=channel_name)
async def test_the_end_of_a_session_is_the_end_for_all(channel: Channel, tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path) as server:
        async with channel.link(server.port, "s-1") as link:
            await link.say("hello", 1)
            await link.over()
            async with GHOST_SSE.link(server.port, "s-1") as ghost, CHAT_SSE.link(server.port, "s-1") as chat:
                await link.send(channel.dialect.end())
                gone = await link.gone()
                assert (gone.code, gone.reason) == (1000, "the session has ended")
                for other in (ghost, chat):
                    await other.gone()
        answer = await fetch(
            server.port, "POST", "/chat/stream", body={"requestId": "late", "sessionId": "s-1", "text": "x"}
        )
        assert (answer.status, answer.body["reason"]) == (410, "session_ended")
        async with channel.link(server.port, "s-1") as again:
            await again.gone()
            assert again.frames[: len(link.frames)] == link.frames[: len(again.frames)]


async def test_no_more_sessions_than_there_is_room_for(tmp_path: Path) -> None:
    settings = Settings(server=ServerSettings(max_sessions=2))
    async with (
        serving(ScriptedAgent(["yes"]), tmp_path, settings) as server,
        AGENTCALL_WS.link(server.port, "one") as one,
        AGENTCALL_WS.link(server.port, "two") as two,
    ):
        await one.up_to(1)
        await two.up_to(1)
        async with AGENTCALL_WS.link(server.port, "three") as three:
            assert (await three.refused())["code"] == "server_full"
        await one.say("hello", 1)
        await one.over()
