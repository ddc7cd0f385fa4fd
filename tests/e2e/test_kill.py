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
from tests.e2e.dialects import CHAT, DIALECTS, Dialect
from tests.e2e.harness import Server
from tests.e2e.wire import EventSource, Frame, Gone, ask

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.timeout(500)]

CLIENTS = 50
KILLS = int(os.environ.get("KILLS", "100"))
LIFE_S = (0.02, 0.35)
"""How long the server lives between two kills: from before the first byte to some answers."""

PIECES = "8"
"""How much each answer says, a fiftieth of a second a piece."""

SETTLE_S = 60.0
FOLLOWERS = 10
"""Clients of the chat protocol that follow as server-sent events besides."""


class Talker:
    """A client that says one thing after the other, and keeps what it receives, over all its connections."""

    def __init__(self, server: Server, dialect: Dialect, session: str) -> None:
        self.server, self.dialect, self.session = server, dialect, session
        self.frames: list[Frame] = []
        self.outcomes: list[str] = []
        self.sent = 0
        self.enough = asyncio.Event()

    @property
    def last(self) -> int:
        """The last number that it has."""
        return self.frames[-1].seq if self.frames else 0

    async def talk(self) -> None:
        """Talk until it is enough and the last answer has come; come back after each cut."""
        while not (self.enough.is_set() and len(self.outcomes) >= self.sent):
            try:
                await self._connection()
            except (OSError, websockets.WebSocketException, TimeoutError):
                await asyncio.sleep(0.01)

    async def _connection(self) -> None:
        url = f"{self.server.url.replace('http', 'ws')}{self.dialect.path}"
        async with websockets.connect(url, compression=None, max_size=None, open_timeout=5) as socket:
            await socket.send(json.dumps(self.dialect.hello(self.session, self.last)))
            # A turn that is not answered yet may not have arrived; the same id again is no second turn.
            if self.sent > len(self.outcomes):
                await socket.send(json.dumps(self.dialect.turn(PIECES, self.sent)))
            while True:
                if self.sent == len(self.outcomes):
                    if self.enough.is_set():
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


async def follow(server: Server, session: str, until: asyncio.Event) -> list[Frame]:
    """Follow a chat session as server-sent events, going on with `Last-Event-ID` after each cut."""
    frames: list[Frame] = []
    path = f"/chat/sessions/{session}/events"
    while not until.is_set():
        after = {"Last-Event-ID": str(frames[-1].seq)} if frames else {}
        try:
            exchange = await ask(server.port, "GET", path, headers=after)
        except (OSError, Gone, TimeoutError, asyncio.IncompleteReadError):
            await asyncio.sleep(0.01)
            continue
        try:
            async for frame in _frames(EventSource(exchange)):
                assert not frames or frame.seq > frames[-1].seq
                frames.append(frame)
        except (OSError, Gone, TimeoutError, asyncio.IncompleteReadError):
            await asyncio.sleep(0.01)
        finally:
            exchange.drop()
    return frames


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


async def kill_often(server: Server, kills: int, chance: random.Random) -> None:
    """Kill the server at random moments, and start it again each time."""
    for _ in range(kills):
        await asyncio.sleep(chance.uniform(*LIFE_S))
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)


@pytest.mark.parametrize(("durability", "kills"), [("process", KILLS), ("power", max(1, KILLS // 20))])
async def test_every_client_has_what_a_fresh_one_reads(durability: str, kills: int, tmp_path: Path) -> None:
    seed = int(os.environ.get("KILL_SEED", time.time_ns() % 2**32))
    print(f"KILL_SEED={seed}")
    server = Server(
        arguments=["--agent", "paced_agent:count"],
        data=tmp_path / "data",
        environment={"PACE_S": "0.02", "DUOLOGUE_STORE__DURABILITY": durability},
    )
    await asyncio.to_thread(server.start)
    try:
        dialects = [list(DIALECTS.values())[number % len(DIALECTS)] for number in range(CLIENTS)]
        talkers = [Talker(server, dialect, f"s-{number}") for number, dialect in enumerate(dialects)]
        over = asyncio.Event()
        followed = [talker for talker in talkers if talker.dialect is CHAT][:FOLLOWERS]
        async with asyncio.TaskGroup() as group:
            talks = [group.create_task(talker.talk()) for talker in talkers]
            follows = [group.create_task(follow(server, talker.session, over)) for talker in followed]
            await kill_often(server, kills, random.Random(seed))
            for talker in talkers:
                talker.enough.set()
            async with asyncio.timeout(SETTLE_S):
                await asyncio.gather(*talks)
            # A last restart: what is read now comes from the store alone.
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)
            over.set()
        for talker in talkers:
            assert len(talker.outcomes) == talker.sent, f"{talker.session}: each accepted turn is answered once"
            fresh = await everything(server, talker.dialect, talker.session, talker.last)
            assert talker.frames == fresh[: len(talker.frames)], talker.session
        for talker, task in zip(followed, follows, strict=True):
            seen = task.result()
            assert seen, "followers see something"
            assert seen == talker.frames[: len(seen)] or talker.frames == seen[: len(talker.frames)]
        counted = Counter(outcome for talker in talkers for outcome in talker.outcomes)
        print(f"{kills} kills, {sum(counted.values())} turns: {dict(counted)}")
        assert counted["completed"] > 0
    finally:
        await asyncio.to_thread(server.kill)
