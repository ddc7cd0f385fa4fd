"""The server is killed, again and again; nobody loses a word or sees one twice."""

import asyncio
import json
import os
import random
import time
from collections import Counter
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import websockets
from tests.e2e.dialects import AGENTCALL, DIALECTS, Dialect
from tests.e2e.harness import Server
from tests.e2e.links import journal, kinds
from tests.e2e.wire import EventSource, Frame, Gone, Json, ask

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.timeout(500)]

CLIENTS = 50
KILLS = int(os.environ.get("KILLS", "100"))
POWER_KILLS = max(1, KILLS // 20)
"""How many of them with every group of writes synced to the disk."""

LIFE_S = (0.02, 0.35)
"""How long the server lives between two kills: from before the first byte to some answers."""

PIECES = "5"
"""How much each answer says, a fiftieth of a second a piece."""

SETTLE_S = 60.0
FOLLOWERS = 10
"""Clients of Chat and of Ghost, each, that are followed as server-sent events besides."""


class Talker:
    """A client that says one thing after the other, and keeps what it receives, over all its connections."""

    def __init__(self, server: Server, dialect: Dialect, session: str, *, up: asyncio.Event) -> None:
        self.server, self.dialect, self.session = server, dialect, session
        self.up = up
        self.frames: list[Frame] = []
        self.outcomes: list[str] = []
        self.sent = 0
        self.enough = asyncio.Event()

    @property
    def last(self) -> int:
        """The last number that it has."""
        return self.frames[-1].seq if self.frames else 0

    async def talk(self) -> None:
        """Talk, once at least, until it is enough and the last answer has come; come back after each cut."""
        while not (self.enough.is_set() and 0 < self.sent <= len(self.outcomes)):
            try:
                await self._connection()
            except (OSError, websockets.WebSocketException, TimeoutError):
                await self.up.wait()

    async def _connection(self) -> None:
        url = f"{self.server.url.replace('http', 'ws')}{self.dialect.path}"
        async with websockets.connect(url, compression=None, max_size=None, open_timeout=5) as socket:
            await socket.send(json.dumps(self.dialect.hello(self.session, self.last)))
            # A turn that is not answered yet may not have arrived; the same id again is no second turn.
            if self.sent > len(self.outcomes):
                await socket.send(json.dumps(self.dialect.turn(PIECES, self.sent)))
            while True:
                if self.sent == len(self.outcomes):
                    if self.enough.is_set() and self.sent:
                        return
                    self.sent += 1
                    await socket.send(json.dumps(self.dialect.turn(PIECES, self.sent)))
                self._take(str(await socket.recv()))

    def _take(self, text: str) -> None:
        body = json.loads(text)
        number = self.dialect.number(body)
        if not number:
            assert self.dialect.refusal(body) is None, text
            return
        assert number > self.last, f"{self.session}: {number} after {self.last}"
        self.frames.append(Frame(number, text.encode()))
        outcome = self.dialect.outcome(body)
        if outcome is not None and outcome != "again":
            self.outcomes.append(outcome)


class Follower:
    """A client that only listens, over server-sent events; it goes on with `Last-Event-ID` after each cut."""

    def __init__(self, server: Server, talker: Talker) -> None:
        self.talker = talker
        self.frames: list[Frame] = []
        self.enough = asyncio.Event()
        self._server, self.up = server, talker.up
        self._path = f"/{talker.dialect.name}/sessions/{talker.session}/events"

    async def listen(self) -> None:
        """Listen until it is enough and everything that the talker has is here."""
        while not (self.enough.is_set() and self.last >= self.talker.last):
            after = {"Last-Event-ID": str(self.last)} if self.frames else {}
            try:
                exchange = await ask(self._server.port, "GET", self._path, headers=after)
            except (OSError, Gone, TimeoutError, asyncio.IncompleteReadError):
                await self.up.wait()
                continue
            try:
                async for frame in _frames(EventSource(exchange)):
                    assert frame.seq > self.last
                    self.frames.append(frame)
                    if self.enough.is_set() and self.last >= self.talker.last:
                        break
            except (OSError, Gone, TimeoutError, asyncio.IncompleteReadError):
                await self.up.wait()
            finally:
                exchange.drop()

    @property
    def last(self) -> int:
        """The last number that it has."""
        return self.frames[-1].seq if self.frames else 0


async def _frames(source: EventSource) -> AsyncGenerator[Frame]:
    while True:
        async with asyncio.timeout(2):
            frame = await source.next()
        yield frame


async def everything(server: Server, dialect: Dialect, session: str, last: int) -> list[Frame]:
    """What a fresh client reads from the start."""
    frames: list[Frame] = []
    url = f"{server.url.replace('http', 'ws')}{dialect.path}"
    async with websockets.connect(url, compression=None, max_size=None) as socket:
        await socket.send(json.dumps(dialect.hello(session, 0)))
        while not frames or frames[-1].seq < last:
            text = str(await socket.recv())
            number = dialect.number(json.loads(text))
            if number:
                frames.append(Frame(number, text.encode()))
    return frames


def check_journal(events: list[Json], *, turns: int) -> None:
    """Numbers without a gap; each turn accepted once, run one time after the other, and ended once."""
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    for kind in ("turn_accepted", "turn_ended"):
        assert [event["turn"] for event in kinds(events, kind)] == list(range(1, turns + 1)), kind
    runs = [event["response_id"] for event in kinds(events, "response_started")]
    assert len(set(runs)) == len(runs)
    ends = [event["response_id"] for kind in ("response_ended", "response_failed") for event in kinds(events, kind)]
    assert sorted(ends) == sorted(runs)


async def restart(server: Server, up: asyncio.Event) -> None:
    """Kill the server and start it again; `up` is set while it serves.

    Clients that try again meanwhile would only take the processor from the server that starts.
    """
    up.clear()
    await asyncio.to_thread(server.kill)
    await asyncio.to_thread(server.start)
    up.set()


async def kill_often(server: Server, kills: int, chance: random.Random, up: asyncio.Event) -> None:
    """Kill the server at random moments."""
    for _ in range(kills):
        await asyncio.sleep(chance.uniform(*LIFE_S))
        await restart(server, up)


@pytest.mark.parametrize(("durability", "kills"), [("process", KILLS - POWER_KILLS), ("power", POWER_KILLS)])
async def test_every_client_has_what_a_fresh_one_reads(durability: str, kills: int, tmp_path: Path) -> None:
    seed = int(os.environ.get("KILL_SEED", time.time_ns() % 2**32))
    print(f"KILL_SEED={seed}")
    server = Server(
        arguments=["--agent", "paced_agent:count"],
        data=tmp_path / "data",
        environment={"PACE_S": "0.02", "DUOLOGUE_STORE__DURABILITY": durability},
        forked=True,
    )
    await asyncio.to_thread(server.start)
    try:
        dialects = [list(DIALECTS.values())[number % len(DIALECTS)] for number in range(CLIENTS)]
        up = asyncio.Event()
        up.set()
        talkers = [Talker(server, dialect, f"s-{number}", up=up) for number, dialect in enumerate(dialects)]
        followed = [talker for talker in talkers if talker.dialect is not AGENTCALL][: 2 * FOLLOWERS]
        followers = [Follower(server, talker) for talker in followed]
        async with asyncio.TaskGroup() as group:
            talks = [group.create_task(talker.talk()) for talker in talkers]
            for follower in followers:
                group.create_task(follower.listen())
            await kill_often(server, kills, random.Random(seed), up)
            for talker in talkers:
                talker.enough.set()
            async with asyncio.timeout(SETTLE_S):
                await asyncio.gather(*talks)
            # A last restart: what is read now comes from the store alone.
            await restart(server, up)
            for follower in followers:
                follower.enough.set()
        for talker in talkers:
            assert len(talker.outcomes) == talker.sent, f"{talker.session}: each accepted turn is answered once"
            fresh = await everything(server, talker.dialect, talker.session, talker.last)
            assert talker.frames == fresh, talker.session
            check_journal(await journal(server.port, talker.session), turns=talker.sent)
        for follower in followers:
            assert follower.frames == follower.talker.frames, follower.talker.session
        counted = Counter(outcome for talker in talkers for outcome in talker.outcomes)
        print(f"{kills} kills, {sum(counted.values())} turns: {dict(counted)}")
        assert counted["completed"] > 0
    finally:
        await asyncio.to_thread(server.kill)
