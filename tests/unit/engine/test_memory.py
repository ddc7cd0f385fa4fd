"""What a session is told of memory, and that it is told once."""

from tests.unit.engine.conversation import Conversation

from duologue.model import limits
from duologue.model.events import MemoryErased, MemoryRecalled, MemoryStored
from duologue.model.inputs import (
    AgentFinished,
    AgentSpoke,
    EndRequested,
    MemoriesRecalled,
    MemoryForgotten,
    MemoryKept,
    UserTurn,
)
from duologue.model.replies import Ignored


def kept(memory_id: str, *, of_turn: int = 1) -> MemoryKept:
    return MemoryKept(of_turn=of_turn, memory_id=memory_id, memory_kind="fact", importance=0.8, superseded=("old",))


def asked() -> tuple[Conversation, str]:
    talk = Conversation()
    talk.give(UserTurn(text="hello"))
    turn = talk.state.open
    assert turn is not None
    return talk, turn.response.response_id


def test_what_was_found_for_a_run_is_told_once_and_while_it_runs() -> None:
    talk, response_id = asked()
    found = MemoriesRecalled(response_id=response_id, memory_ids=("a", "b"), retrieve_ms=7)
    (event,) = talk.give(found, after_ms=7).events
    assert isinstance(event, MemoryRecalled)
    assert (event.count, event.memory_ids, event.retrieve_ms, event.turn) == (2, ("a", "b"), 7, 1)
    assert isinstance(talk.give(found).reply, Ignored)
    other = MemoriesRecalled(response_id="response-9", memory_ids=("a",), retrieve_ms=1)
    assert isinstance(talk.give(other).reply, Ignored)
    talk.give(AgentSpoke(response_id=response_id, text="hi"))
    talk.give(AgentFinished(response_id=response_id))
    assert isinstance(talk.give(found).reply, Ignored)


def test_what_was_stored_is_told_once_after_its_turn_and_in_the_next() -> None:
    talk, response_id = asked()
    talk.give(AgentSpoke(response_id=response_id, text="hi"))
    talk.give(AgentFinished(response_id=response_id))
    (event,) = talk.give(kept("a")).events
    assert isinstance(event, MemoryStored)
    assert (event.memory_id, event.superseded, event.of_turn, event.turn) == ("a", ("old",), 1, 0)
    assert isinstance(talk.give(kept("a")).reply, Ignored)
    talk.give(UserTurn(text="more"))
    (event,) = talk.give(kept("b")).events
    assert isinstance(event, MemoryStored) and (event.of_turn, event.turn) == (1, 2)


def test_what_was_forgotten_is_told_once_a_turn() -> None:
    talk, _ = asked()
    (event,) = talk.give(MemoryForgotten(of_turn=1, count=3)).events
    assert isinstance(event, MemoryErased) and (event.count, event.of_turn) == (3, 1)
    assert isinstance(talk.give(MemoryForgotten(of_turn=1, count=3)).reply, Ignored)
    assert len(talk.give(MemoryForgotten(of_turn=2, count=1)).events) == 1


def test_the_latest_are_known_and_no_more() -> None:
    talk, _ = asked()
    for number in range(limits.MEMORY_MARKS + 2):
        talk.give(kept(f"memory-{number}"))
    assert talk.state.memory is not None
    assert len(talk.state.memory.kept) == limits.MEMORY_MARKS
    assert isinstance(talk.give(kept("memory-2")).reply, Ignored)


def test_a_session_that_has_ended_is_told_nothing() -> None:
    talk, response_id = asked()
    talk.give(EndRequested())
    for late in (
        kept("a"),
        MemoryForgotten(of_turn=1, count=1),
        MemoriesRecalled(response_id=response_id, memory_ids=("a",), retrieve_ms=1),
    ):
        assert isinstance(talk.give(late).reply, Ignored)


def test_nothing_is_kept_where_nothing_is_told() -> None:
    talk, _ = asked()
    assert talk.state.memory is None


def test_what_was_forgotten_before_any_turn_is_not_told_and_changes_nothing() -> None:
    talk = Conversation()
    assert isinstance(talk.give(MemoryForgotten(of_turn=0, count=1)).reply, Ignored)
