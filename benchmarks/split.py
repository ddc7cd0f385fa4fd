"""Where the time of a token goes: each room that it passes, alone and warm; and the server's threads under load."""

import itertools
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

from duologue.adapters.store_sqlite import SqliteStore
from duologue.adapters.store_sqlite.spool import Spool
from duologue.engine.responses import go_on
from duologue.engine.state import SessionState
from duologue.engine.step import step
from duologue.model.effects import Effect
from duologue.model.events import AnyEvent, TextDelta
from duologue.model.inputs import AgentSpoke, SessionOpened, UserTurn
from duologue.model.records import encode_text
from duologue.protocols.chat import ChatDialect
from duologue.runtime.clock import SystemClock
from duologue.runtime.session import LiveSession

TOKENS = 2_000
"""Tokens of one measurement: less than an answer may have."""

ROUNDS = 15
RESPONSE = "response-1"
TEXT = "a token"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of the way, and what it takes per token."""

    what: str
    us: float


def threads(process: psutil.Process) -> dict[str, float]:
    """CPU seconds that a server's threads have used: the event loop's own code, the system for it, and all others."""
    own, *others = process.threads()
    used = sum(thread.user_time + thread.system_time for thread in others)
    return {
        "event loop, our code and Python": own.user_time,
        "event loop, in the system (sockets, timers)": own.system_time,
        "the store's threads": used,
    }


async def rooms() -> list[Part]:
    """What each room takes alone: the code is warm, and the caches are its own."""
    said = statistics.median([await _say() for _ in range(ROUNDS)])
    delta = _delta(1)
    dialect = ChatDialect()
    with tempfile.TemporaryDirectory() as folder:
        spool = Spool(Path(folder) / "spool", token=b"bench".ljust(16))
        line = encode_text(delta)
        numbers = itertools.count(1)

        def spooled() -> None:
            seq = next(numbers)
            if not spool.write(1, seq, seq, line):
                spool.free()
                spool.turn()

        parts = [
            Part(what="engine: some more text", us=_engine()),
            Part(what="the record's line", us=_median(lambda: encode_text(delta))),
            Part(what="into the spool", us=_median(spooled)),
            Part(what="the chat frame", us=_median(lambda: dialect.project(delta))),
            Part(what="all of it, from the agent's text to a watcher", us=said),
        ]
        spool.close()
    return parts


async def _say() -> float:
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteStore(Path(folder))
        await store.open()
        session = _session(store)
        session.give(UserTurn(request_id="q", text="go"))
        session.give(AgentSpoke(response_id=RESPONSE, text=TEXT))
        seen: list[TextDelta | None] = []
        session.watchers.append(seen.append)
        start = time.thread_time_ns()
        for _ in range(TOKENS):
            session.say(RESPONSE, TEXT)
        took_us = (time.thread_time_ns() - start) / TOKENS / 1_000
        assert len(seen) == TOKENS, "all of them were durable at once"
        session.close()
        await store.close()
    return took_us


def _session(store: SqliteStore) -> LiveSession:
    session = LiveSession(
        SessionState(session_id="s", subject="bench"),
        store=store,
        clock=SystemClock(),
        first_seq=1,
        epoch=0,
        carry_out=_nothing,
        stored=_nobody,
        failed=_no_failure,
    )
    session.give(SessionOpened(session_id="s", subject="bench", agent="bench", silence_ms=60_000, response_ms=600_000))
    return session


def _engine() -> float:
    times_us: list[float] = []
    for _ in range(ROUNDS):
        state = SessionState()
        opened = SessionOpened(session_id="s", subject="bench", agent="bench", silence_ms=60_000, response_ms=600_000)
        for happened in (opened, UserTurn(text="go"), AgentSpoke(response_id=RESPONSE, text=TEXT)):
            step(state, happened, now_ms=1)
        start = time.thread_time_ns()
        for _ in range(TOKENS):
            go_on(state, RESPONSE, TEXT, now_ms=2)
        times_us.append((time.thread_time_ns() - start) / TOKENS / 1_000)
    return statistics.median(times_us)


def _median(work: Callable[[], object]) -> float:
    times_us: list[float] = []
    for _ in range(ROUNDS):
        start = time.thread_time_ns()
        for _ in range(TOKENS):
            work()
        times_us.append((time.thread_time_ns() - start) / TOKENS / 1_000)
    return statistics.median(times_us)


def _delta(seq: int) -> TextDelta:
    return TextDelta(
        seq=seq,
        at_ms=1_767_323_045_678,
        state="speaking",
        turn=1,
        request_id="turn-1",
        response_id=RESPONSE,
        message_id="response-1-message",
        text=TEXT,
        length=7,
    )


def _nothing(_: LiveSession, __: Effect) -> None: ...


def _nobody(_: LiveSession, __: tuple[AnyEvent, ...]) -> None: ...


def _no_failure(_: LiveSession) -> None: ...
