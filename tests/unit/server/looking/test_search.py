"""Searching: what a session remembers, what it has forgotten, and how far one page looks."""

import asyncio

import pytest

from duologue.engine import replay
from duologue.engine.state import OpenResponse, OpenTurn, SessionState
from duologue.model import limits
from duologue.model.content import Figures, Message
from duologue.model.errors import StoreError
from duologue.model.events import AnyEvent, HistoryTrimmed, TextCompleted, TurnAccepted, TurnEnded
from duologue.model.inputs import AgentSpoke, UserTurn
from duologue.model.records import Record, encode_record
from duologue.ports.store import Append, SessionMark
from duologue.server.looking.search import Match, Query, excerpt, find
from duologue.testing.memory_store import MemoryStore

pytestmark = pytest.mark.anyio


def accepted(seq: int, text: str, turn: int) -> AnyEvent:
    return TurnAccepted(seq=seq, at_ms=seq, state="thinking", turn=turn, text=text, source="typed", language="en")


def completed(seq: int, text: str, turn: int) -> AnyEvent:
    return TextCompleted(seq=seq, at_ms=seq, state="speaking", turn=turn, response_id="r", message_id="m", text=text)


async def keep(store: MemoryStore, session_id: str, *events: AnyEvent, title: str = "", at_ms: int = 1) -> None:
    """Store a session of these events."""
    told: asyncio.Future[StoreError | None] = asyncio.get_running_loop().create_future()
    said = AgentSpoke(response_id="r", text="not among what was said: narwhal")
    store.append(
        Append(
            session_id=session_id,
            lines=b"".join(encode_record(Record(at_ms=1, input=said, events=(event,))) for event in events),
            first_seq=events[0].seq,
            last_seq=events[-1].seq,
            at_ms=at_ms,
            mark=SessionMark(subject="ann", agent="echo", title=title),
            done=told.set_result,
        )
    )
    assert await told is None


@pytest.fixture
async def store() -> MemoryStore:
    store = MemoryStore()
    await store.open()
    return store


async def matches(store: MemoryStore, text: str) -> dict[str, Match | None]:
    found = await find(store, Query(text=text))
    assert found.next is None
    return {hit.info.session_id: hit.match for hit in found.hits}


async def test_what_is_not_in_a_snapshot_yet_is_found(store: MemoryStore) -> None:
    await keep(store, "s", accepted(1, "Where is the otter?", 1), completed(2, "In the river.", 1))
    assert await matches(store, "OTTER where") == {"s": Match(where="user", turn=1, excerpt="Where is the otter?")}
    assert await matches(store, "river") == {"s": Match(where="assistant", turn=1, excerpt="In the river.")}
    assert await matches(store, "otter river") == {}, "all words have to stand in one message"
    assert await matches(store, "narwhal") == {}


async def test_what_is_remembered_is_found_without_the_journal(store: MemoryStore) -> None:
    figures = Figures(ttft_ms=1, duration_ms=1, total_tokens=1, tps=0, quality_pass=True, language="en")
    ended = TurnEnded(seq=1, at_ms=1, state="idle", turn=1, outcome="completed", response_id="r", figures=figures)
    await keep(store, "s", ended, accepted(2, "a badger", 3))
    said = UserTurn(text="an open question of a lynx")
    response = OpenResponse(response_id="r", attempt=1, started_ms=1, last_item_ms=1)
    history = [Message(role="assistant", text="a quick fox", turn=1)]
    turn = OpenTurn(number=2, request_id="q", said=said, response=response)
    state = SessionState(history=history, open=turn)
    await store.save_snapshot("s", seq=1, state=replay.snapshot(state))
    assert await matches(store, "fox") == {"s": Match(where="assistant", turn=1, excerpt="a quick fox")}
    assert await matches(store, "lynx") == {"s": Match(where="user", turn=2, excerpt="an open question of a lynx")}
    assert await matches(store, "badger") == {"s": Match(where="user", turn=3, excerpt="a badger")}


async def test_what_the_session_has_forgotten_is_found_in_the_journal(store: MemoryStore) -> None:
    await keep(store, "s", accepted(1, "the very first otter", 1), accepted(2, "the second", 2))
    state = SessionState(history=[Message(role="user", text="the second", turn=2)])
    await store.save_snapshot("s", seq=2, state=replay.snapshot(state))
    assert await matches(store, "otter") == {"s": Match(where="user", turn=1, excerpt="the very first otter")}


async def test_a_snapshot_of_another_version_does_not_hide_the_journal(store: MemoryStore) -> None:
    await keep(store, "s", accepted(1, "the very first otter", 1))
    await store.save_snapshot("s", seq=1, state=b'{"history": "of another shape"}')
    assert await matches(store, "otter") == {"s": Match(where="user", turn=1, excerpt="the very first otter")}


async def test_what_a_trim_left_is_found(store: MemoryStore) -> None:
    trimmed = HistoryTrimmed(
        seq=1, at_ms=1, state="idle", epoch=1, messages=(Message(role="user", text="an old otter", turn=7),)
    )
    await keep(store, "s", trimmed)
    assert await matches(store, "otter") == {"s": Match(where="user", turn=7, excerpt="an old otter")}


async def test_a_page_looks_through_so_many_and_says_where_it_got_to(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(7):
        await keep(store, f"s{number}", accepted(1, "otter" if number == 0 else "fox", 1), at_ms=number)
    monkeypatch.setattr(limits, "SEARCH_SESSIONS", 3)
    looked: list[int] = []
    hits: list[str] = []
    place = None
    while True:
        found = await find(store, Query(text="otter", after=place))
        looked.append(found.looked_through)
        hits += [hit.info.session_id for hit in found.hits]
        place = found.next
        if place is None:
            break
    assert (looked, hits) == ([3, 3, 1], ["s0"])
    monkeypatch.setattr(limits, "SEARCH_BYTES", 1)
    assert (await find(store, Query(text="otter"))).looked_through == 1
    page = await find(store, Query(text="fox", limit=2))
    assert [hit.info.session_id for hit in page.hits] == ["s6"]


async def test_a_page_that_is_full_goes_on_and_the_last_one_does_not(store: MemoryStore) -> None:
    for number in range(4):
        await keep(store, f"s{number}", accepted(1, "fox", 1), at_ms=number, title="otter")
    first = await find(store, Query(limit=2))
    assert [hit.info.session_id for hit in first.hits] == ["s3", "s2"] and first.next is not None
    last = await find(store, Query(limit=2, after=first.next))
    assert [hit.info.session_id for hit in last.hits] == ["s1", "s0"] and last.next is None
    assert await matches(store, "otter") == {f"s{number}": Match(where="title", excerpt="otter") for number in range(4)}


def test_an_excerpt_is_cut_around_the_first_word() -> None:
    text = "x" * 100 + "\n  the Otter swims " + "y" * 100
    cut = excerpt(text, ["swims", "otter"])
    assert cut.startswith("…x") and cut.endswith("y…") and "the Otter swims" in cut
    assert excerpt("all of it", ["of"]) == "all of it"
