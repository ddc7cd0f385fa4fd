"""Cases 3, 9 and 10: what is sent twice, what is stopped, and agents that fail."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import cast

import pytest
from tests.e2e.harness import CountingAgent, serving, until
from tests.e2e.links import CHANNELS, Channel, channel_name, journal, kinds, last_seq, stored

from duologue.model.agent import AgentItem, AgentRequest, Citation, Failure, Finished, Rich, Text
from duologue.server.settings import AgentSettings, Settings
from duologue.testing.scripted_agent import BreakOff, Line, Pause, Raise, ScriptedAgent, WaitFor

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("channel", CHANNELS, ids=channel_name)]


async def test_case_3_send_twice(channel: Channel, tmp_path: Path) -> None:
    go_on = asyncio.Event()
    agent = ScriptedAgent(["first ", WaitFor(event=go_on), "second"])
    async with (
        serving(agent, tmp_path) as server,
        channel.link(server.port, "s-1") as one,
    ):
        await one.say("hello", 1)
        await one.until_delta()
        async with channel.link(server.port, "s-1") as other:
            # One after the other, and at the same moment on two connections.
            await one.say("hello", 1)
            await asyncio.gather(one.say("hello", 1), other.say("hello", 1))
            go_on.set()
            answered = await one.over()
            await other.over()
            # After its end too.
            await other.say("hello", 1)
            await other.say("other words", 1)
            await other.refused()
            await other.say("next", 2)
            await other.over()
        assert answered
        assert other.refusals == ["turn_conflict"]
        assert [channel.dialect.asked(frame.body) for frame in other.frames].count("hello") == 1
        assert other.text == "first second" * 2
        assert one.text == "first second"
        events = await journal(server.port, "s-1")
        assert [event["text"] for event in kinds(events, "turn_accepted")] == ["hello", "next"]
        assert agent.runs == 2


async def test_case_3_the_repeat_is_answered_with_the_first_run(channel: Channel, tmp_path: Path) -> None:
    agent = ScriptedAgent(["only ", "once"])
    async with serving(agent, tmp_path) as server:
        async with channel.link(server.port, "s-1") as first:
            await first.say("hello", 1)
            await first.over()
        async with channel.link(server.port, "s-1", 1 if channel.is_socket else 0) as again:
            await again.say("hello", 1)
            frames = await again.over()
            assert again.refusals == []
        assert [frame for frame in first.frames if frame.seq > 1] == [f for f in frames if f.seq > 1]
        assert agent.runs == 1


async def test_case_3_first_turns_race_for_a_session_that_does_not_exist(channel: Channel, tmp_path: Path) -> None:
    agent = ScriptedAgent(["one ", "answer"])
    async with serving(agent, tmp_path) as server:
        links = [await channel.open(server.port, "s-1") for _ in range(6)]
        await asyncio.gather(*(link.say("hello", 1) for link in links))
        await asyncio.gather(*(link.over() for link in links))
        first = links[0].frames[-3:]
        for link in links:
            assert link.frames[-3:] == first
            assert link.refusals == []
            await link.drop()
        assert agent.runs == 1


async def test_case_9a_a_lost_connection_stops_nothing(channel: Channel, tmp_path: Path) -> None:
    go_on = asyncio.Event()
    agent = ScriptedAgent(["a ", "long ", WaitFor(event=go_on), "reply"])
    async with serving(agent, tmp_path) as server:
        async with channel.link(server.port, "s-1") as first:
            await first.say("hello", 1)
            await first.until_delta()
        await until(lambda: not any(session.readers for session in server.hub.sessions))
        go_on.set()
        async with channel.link(server.port, "s-1", first.last) as again:
            ended = await again.over()
        assert channel.dialect.outcome(ended[-1].body) == "completed"
        assert first.text + again.text == "a long reply"
        assert (agent.runs, agent.cancelled) == (1, 0)


async def test_case_9b_a_stop_closes_the_agents_stream(channel: Channel, tmp_path: Path) -> None:
    def script(request: AgentRequest) -> list[Line]:
        return ["a ", "long ", WaitFor(event=asyncio.Event()), "reply"] if request.turn == 1 else ["short"]

    agent = ScriptedAgent(script)
    async with serving(agent, tmp_path) as server:
        async with channel.link(server.port, "s-1") as link:
            await link.say("hello", 1)
            while link.text != "a long ":
                await link.next()
            await link.send(channel.dialect.cancel())
            ended = await link.over()
            # The contract of the case: the agent's stream is aborted within a second.
            await until(lambda: agent.cancelled == 1, within_s=1)
        assert channel.dialect.outcome(ended[-1].body) == "cancelled"
        assert link.text == "a long "
        seq = await last_seq(server.port, "s-1")
        whole = await channel.read(server.port, "s-1", up_to=link.last)
        assert link.frames == [frame for frame in whole if frame.seq >= link.frames[0].seq]
        assert await last_seq(server.port, "s-1") == seq
        assert (agent.runs, agent.cancelled) == (1, 1)
        async with channel.link(server.port, "s-1", link.last) as next_time:
            await next_time.say("again", 2)
            await next_time.over()
        assert [message.text for message in agent.requests[1].history] == ["hello", "a long "]
        assert agent.requests[1].history[1].interrupted


FAILURES: dict[str, tuple[list[Line], str]] = {
    "raises": (["some ", Raise(error=RuntimeError("a secret"))], "agent_failed"),
    "raises at once": ([Raise(error=ConnectionError("429 Too Many Requests"))], "agent_failed"),
    "truncated": (["some ", BreakOff()], "agent_truncated"),
    "nothing": ([BreakOff()], "agent_truncated"),
    "empty": ([Finished()], "agent_empty"),
    "silent": (["some ", Pause(ms=60_000)], "agent_silent"),
    "says that it failed": (["some ", Failure(message="the quota is used up", retryable=True)], "agent_failed"),
    "half a character": (["some ", Text(text="\ud800")], "agent_bad_item"),
    "a bad link": ([Citation(title="x", url="javascript:alert(1)")], "agent_bad_item"),
    "too large": ([Rich(payload_type="card", data={"text": "x" * 300_000})], "agent_bad_item"),
    "no JSON": ([Rich(payload_type="card", data={"set": {1, 2}, "self": object()})], "agent_bad_item"),
}


async def test_case_10_the_agent_fails(channel: Channel, tmp_path: Path) -> None:
    def script(request: AgentRequest) -> list[Line]:
        return FAILURES[request.text][0] if request.text in FAILURES else ["all ", "well"]

    agent = ScriptedAgent(script)
    settings = Settings(agent=AgentSettings(silence_ms=100))
    async with serving(agent, tmp_path, settings) as server:
        async with channel.link(server.port, "s-1") as link:
            for place, (failure, (lines, code)) in enumerate(FAILURES.items()):
                await link.say(failure, 2 * place + 1)
                failed = await link.over()
                assert channel.dialect.outcome(failed[-1].body) == "failed", failure
                assert "secret" not in failed[-1].raw.decode()
                some = "some " if lines[0] == "some " else ""
                assert "".join(channel.dialect.delta(frame.body) for frame in failed) == some
                await link.say("and now", 2 * place + 2)
                well = await link.over()
                assert channel.dialect.outcome(well[-1].body) == "completed", failure
                events = await journal(server.port, "s-1")
                assert kinds(events, "response_failed")[-1]["code"] == code, failure
        whole = await channel.read(server.port, "s-1", up_to=link.last)
        assert link.frames == [frame for frame in whole if frame.seq >= link.frames[0].seq]
        ends = [channel.dialect.outcome(frame.body) for frame in whole]
        assert [end for end in ends if end] == ["failed", "completed"] * len(FAILURES)
        # All whose answer was not to be heard to its end, the silent one too.
        codes = [code for _, code in FAILURES.values()]
        await until(lambda: agent.cancelled == codes.count("agent_silent") + codes.count("agent_bad_item"))


async def test_case_10_the_agent_says_what_is_no_item(channel: Channel, tmp_path: Path) -> None:
    async def garbage(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
        yield Text(text="some ")
        if request.turn == 1:
            # What an agent without a type checker may do.
            yield cast(AgentItem, {"text": "a dict"})
        yield Finished()

    agent = CountingAgent(garbage)
    async with serving(agent, tmp_path) as server, channel.link(server.port, "s-1") as link:
        await link.say("one", 1)
        failed = await link.over()
        await link.say("two", 2)
        well = await link.over()
        assert channel.dialect.outcome(failed[-1].body) == "failed"
        assert channel.dialect.outcome(well[-1].body) == "completed"
        assert agent.closed == 1


async def test_case_10_an_agent_that_does_not_stop_holds_up_nobody(channel: Channel, tmp_path: Path) -> None:
    let_go = asyncio.Event()

    async def stubborn(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
        yield Text(text="x")
        try:
            if request.turn == 1:
                await asyncio.Event().wait()
        finally:
            await let_go.wait()
        yield Finished()

    async with serving(CountingAgent(stubborn), tmp_path) as server, channel.link(server.port, "s-1") as link:
        await link.say("one", 1)
        await link.until_delta()
        await link.send(channel.dialect.cancel())
        stopped = await link.over()
        assert channel.dialect.outcome(stopped[-1].body) == "cancelled"
        await link.say("two", 2)
        await link.until_delta()
        let_go.set()
        well = await link.over()
        assert channel.dialect.outcome(well[-1].body) == "completed"
        await stored(server.port, "s-1", at_least=link.last)
