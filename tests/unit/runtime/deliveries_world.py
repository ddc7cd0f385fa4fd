"""What the tests of deliveries share: a session in a store, a clock that is set by hand, a receiver that obeys."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from duologue.model.content import Figures
from duologue.model.errors import StoreError
from duologue.model.events import AnyEvent, HistoryTrimmed, SessionStarted, TextDelta, TurnAccepted, TurnEnded
from duologue.model.inputs import ServerRestarted
from duologue.model.records import Record, encode_record
from duologue.ports.outbox import Hook
from duologue.ports.post import Answered, Letter
from duologue.ports.store import Append, SessionMark
from duologue.testing.memory_store import MemoryStore

HOOK = Hook(url="https://receiver.example/hook", secret="s" * 20)
SINCE_MS = 1_000
FIGURES = Figures(ttft_ms=1, duration_ms=2, total_tokens=3, tps=1.0, quality_pass=True, language="en")


class HandClock:
    """Stands until it is set; with a `step` it goes on by so much each time somebody looks."""

    def __init__(self, now_ms: int = SINCE_MS, *, step: int = 0) -> None:
        self.ms, self.step = now_ms, step

    def now_ms(self) -> int:
        self.ms += self.step
        return self.ms


class FakeNotices:
    """Tells of turns: `accepted` and `ended`."""

    def kind(self, event: AnyEvent) -> str | None:
        match event:
            case TurnAccepted():
                return "accepted"
            case TurnEnded():
                return "ended"
            case _:
                return None

    def body(self, event: AnyEvent) -> bytes:
        return f"{self.kind(event)} {event.turn}".encode()

    def proof(self, body: bytes, *, secret: str, now_ms: int) -> Mapping[str, str]:
        return {"Proof": f"{body.decode()}, {secret}, {now_ms}"}


def fine(letter: Letter) -> Answered:
    """The receiver has it."""
    del letter
    return Answered()


def failing(error: str, *, wait_ms: int = 0) -> Callable[[Letter], Answered]:
    """The receiver does not want it."""

    def answer(letter: Letter) -> Answered:
        del letter
        return Answered(error=error, wait_ms=wait_ms)

    return answer


class FakePost:
    """Keeps what is sent.

    Attributes:
        letters: in order, also those that failed.
        answer: what comes of each.
    """

    def __init__(self) -> None:
        self.letters: list[Letter] = []
        self.answer: Callable[[Letter], Answered] = fine
        self.closed = False

    @property
    def bodies(self) -> list[str]:
        """What was sent, in order, failures too."""
        return [letter.body.decode() for letter in self.letters]

    async def send(self, letter: Letter) -> Answered:
        self.letters.append(letter)
        return self.answer(letter)

    async def close(self) -> None:
        self.closed = True


class Log:
    """Keeps the names of events."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __call__(self, event: str, **fields: object) -> None:
        del fields
        self.names.append(event)


def session(turns: int, *, at_ms: int = SINCE_MS) -> list[AnyEvent]:
    """The events of a session: the first, and three of each turn."""
    # Any: the members that all events have.
    common: dict[str, Any] = {"at_ms": at_ms, "state": "idle"}
    events: list[AnyEvent] = [SessionStarted(seq=1, session_id="s", agent="a", tier="gate", language="en", **common)]
    for turn in range(1, turns + 1):
        common |= {"turn": turn, "request_id": f"turn {turn}"}
        seq = len(events)
        events += [
            TurnAccepted(seq=seq + 1, text="x", source="typed", language="en", **common),
            TextDelta(seq=seq + 2, response_id="r", message_id="m", text="y", length=1, **common),
            TurnEnded(seq=seq + 3, outcome="completed", response_id="r", figures=FIGURES, **common),
        ]
    return events


def trimmed(seq: int, *, at_ms: int = SINCE_MS) -> HistoryTrimmed:
    """What retention leaves of everything up to an event."""
    return HistoryTrimmed(seq=seq, at_ms=at_ms, state="idle", epoch=1, messages=())


async def keep(store: MemoryStore, events: Sequence[AnyEvent], *, session_id: str = "s") -> None:
    """Store those events that are not there yet, each in a record of its own."""
    info = await store.info(session_id)
    have = info.last_seq if info is not None else 0
    stored: asyncio.Future[StoreError | None] = asyncio.get_running_loop().create_future()
    for event in events:
        if event.seq > have:
            store.append(
                Append(
                    session_id=session_id,
                    lines=encode_record(Record(at_ms=event.at_ms, input=ServerRestarted(), events=(event,))),
                    first_seq=event.seq,
                    last_seq=event.seq,
                    at_ms=event.at_ms,
                    mark=SessionMark(subject="ada", agent="a"),
                    done=stored.set_result if event is events[-1] else _ignore,
                )
            )
    assert await stored is None


def _ignore(error: StoreError | None) -> None:
    del error


async def until(holds: Callable[[], bool]) -> None:
    """Let others go on until something holds; nothing here takes real time."""
    for _ in range(200_000):
        if holds():
            return
        await asyncio.sleep(0)
    raise AssertionError("it does not come to hold")
