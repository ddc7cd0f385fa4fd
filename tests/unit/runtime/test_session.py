"""A live session: the short way of a token is the long one in fewer calls."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as some

from duologue.engine import replay
from duologue.engine.state import SessionState
from duologue.model.effects import Effect
from duologue.model.errors import StoreError
from duologue.model.events import AnyEvent, TextDelta
from duologue.model.inputs import AgentFinished, AgentSpoke, SessionOpened, UserTurn
from duologue.model.records import decode_records
from duologue.ports.store import Append
from duologue.runtime.session import LiveSession
from duologue.testing.memory_store import MemoryStore

pytestmark = pytest.mark.anyio


class HandClock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.ms = 1_000

    def now_ms(self) -> int:
        return self.ms


class Ledger(MemoryStore):
    """A store in which all is durable at once, or, told to `wait`, when it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.lines = b""
        self.wait = False
        self.waiting: list[Append] = []

    def append(self, append: Append) -> bool:
        if self.wait:
            self.waiting.append(append)
            return False
        self.lines += append.lines
        return True

    def append_at_once(self, session_id: str, seq: int, line: bytes, /) -> bool:  # noqa: ARG002
        if not self.wait:
            self.lines += line
        return not self.wait


def nothing(_: LiveSession, __: Effect) -> None: ...


def nobody(_: LiveSession, __: tuple[AnyEvent, ...]) -> None: ...


def no_failure(_: LiveSession) -> None: ...


def opened(store: Ledger, clock: HandClock | None = None) -> LiveSession:
    state = SessionState(session_id="s", subject="ann")
    session = LiveSession(
        state,
        store=store,
        clock=clock or HandClock(),
        first_seq=1,
        epoch=0,
        carry_out=nothing,
        stored=nobody,
        failed=no_failure,
    )
    session.give(
        SessionOpened(
            session_id="s",
            subject="ann",
            agent="echo",
            tier="workhorse",
            language="en",
            silence_ms=10_000,
            response_ms=10_000,
        )
    )
    session.give(UserTurn(request_id="q", text="hi"))
    return session


def spoken(
    said: list[tuple[str, int]], speak: Callable[[LiveSession, str], None]
) -> tuple[bytes, list[AnyEvent], bytes]:
    store, clock = Ledger(), HandClock()
    session = opened(store, clock)
    for text, later_ms in said:
        clock.ms += later_ms
        speak(session, text)
    session.give(AgentFinished(response_id="response-1"))
    session.close()
    events = session.tail.after(0, limit=10_000)
    assert events is not None
    return store.lines, events, replay.snapshot(session.state)


def shortly(session: LiveSession, text: str) -> None:
    if not session.say("response-1", text):
        session.give(AgentSpoke(response_id="response-1", text=text))


def at_length(session: LiveSession, text: str) -> None:
    session.give(AgentSpoke(response_id="response-1", text=text))


# A clock may be put back.
@given(said=some.lists(some.tuples(some.text(max_size=5), some.integers(-20, 50)), max_size=12))
async def test_saying_is_giving(said: list[tuple[str, int]]) -> None:
    assert spoken(said, shortly) == spoken(said, at_length)


async def test_what_was_said_replays() -> None:
    lines, _, snapshot = spoken([("a", 3), ("b", 4), ("", 1), ("c", 0)], shortly)
    state = SessionState()
    replay.fold(state, decode_records(lines))
    assert replay.snapshot(state) == snapshot


async def test_nothing_is_said_of_another_answer_or_without_words() -> None:
    session = opened(Ledger())
    assert not session.say("response-1", "first")
    session.give(AgentSpoke(response_id="response-1", text="first"))
    seq = session.state.seq
    assert not session.say("response-2", "more")
    assert not session.say("response-1", "")
    assert session.state.seq == seq
    assert session.say("response-1", "more")
    session.close()


async def test_watchers_see_text_when_it_is_durable_and_not_before() -> None:
    store = Ledger()
    session = opened(store)
    session.give(AgentSpoke(response_id="response-1", text="first"))
    seen: list[tuple[TextDelta | None, int]] = []
    session.watchers.append(lambda event: seen.append((event, session.stored_seq)))
    assert session.say("response-1", "now")
    [(event, stored_seq)] = seen
    assert event is not None
    assert (event.text, stored_seq) == ("now", event.seq)
    store.wait = True
    assert session.say("response-1", "later")
    assert len(seen) == 1
    assert session.stored_seq == session.state.seq - 1
    store.waiting.pop().done(None)
    assert seen[1:] == [(None, session.state.seq)]
    session.close()


async def test_nothing_is_said_after_a_record_was_lost() -> None:
    store = Ledger()
    session = opened(store)
    session.give(AgentSpoke(response_id="response-1", text="first"))
    store.wait = True
    assert session.say("response-1", "lost")
    store.waiting.pop().done(StoreError("full"))
    with pytest.raises(StoreError):
        session.say("response-1", "more")
