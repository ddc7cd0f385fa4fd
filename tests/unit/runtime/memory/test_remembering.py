"""What turns leave, how it comes back, and how it goes."""

import asyncio
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.unit.runtime.memory.memory_world import remembering

from duologue.adapters.memory_rules import RuleExtractor
from duologue.adapters.memory_sqlite import SqliteMemory
from duologue.model.errors import MemoryFailed, StoreError
from duologue.model.events import MemoryErased, MemoryRecalled, MemoryStored, ResponseStarted, SessionStarted
from duologue.model.inputs import UserTurn
from duologue.ports.memory import Extracted, Forget, Found, Learnt, Said, Vector
from duologue.runtime.memory.options import MemoryOptions

pytestmark = pytest.mark.anyio


async def test_what_was_said_in_one_session_is_known_in_the_next(tmp_path: Path) -> None:
    async with remembering(tmp_path) as world:
        first = await world.open("s-1")
        await world.say(first, "Hi, I live in Berlin and I'm allergic to peanuts.")
        stored = [event for event in await world.told("s-1") if isinstance(event, MemoryStored)]
        assert [(one.memory_kind, one.importance, one.of_turn, one.turn) for one in stored] == [
            ("fact", 0.8, 1, 0),
            ("fact", 0.95, 1, 0),
        ]
        second = await world.open("s-2")
        assert world.agent.requests[0].memories == ()
        await world.say(second, "What is the weather where I live?")
        given = world.agent.requests[1].memories
        assert [one.text for one in given] == ["Lives in Berlin", "Allergic to peanuts"]
        (recalled,) = await world.told("s-2")
        assert isinstance(recalled, MemoryRecalled)
        assert (recalled.count, recalled.memory_ids) == (2, tuple(one.memory_id for one in given))
        assert recalled.turn == 1 and 0 <= recalled.retrieve_ms < 5_000
        events = await world.events("s-2")
        begun = next(event for event in events if isinstance(event, ResponseStarted))
        assert events.index(recalled) == events.index(begun) + 1
        opened = events[0]
        assert isinstance(opened, SessionStarted) and opened.memory_items == 2
        # Its words are nowhere in the journal but where the person said them.
        assert b"Lives in Berlin" not in await world.hub.store.read("s-1", after=0, limit=1_000)


async def test_nobody_is_given_what_is_known_of_another(tmp_path: Path) -> None:
    async with remembering(tmp_path) as world:
        await world.say(await world.open("s-1"), "I live in Berlin. I'm allergic to peanuts.")
        await world.say(await world.open("b-1", subject="bob"), "Where do I live, and what am I allergic to?")
        assert world.agent.requests[1].memories == ()
        assert await world.texts("bob") == []


async def test_what_is_true_now_takes_the_place_of_what_was(tmp_path: Path) -> None:
    async with remembering(tmp_path) as world:
        session = await world.open("s-1")
        await world.say(session, "I live in Berlin.")
        await world.say(session, "We moved to Rome.")
        await world.say(session, "I live in Rome.")
        assert await world.texts() == ["Lives in Rome"]
        first, second = [event for event in await world.told("s-1") if isinstance(event, MemoryStored)]
        assert second.superseded == (first.memory_id,)


async def test_a_person_may_have_things_forgotten_in_their_own_words(tmp_path: Path) -> None:
    async with remembering(tmp_path) as world:
        session = await world.open("s-1")
        await world.say(session, "I live in Berlin, I have two kids, and I love tea.")
        await world.say(session, "Please forget that I live in Berlin.")
        assert await world.texts() == ["Has two kids", "Loves tea"]
        erased = [event for event in await world.told("s-1") if isinstance(event, MemoryErased)]
        assert [(one.count, one.of_turn) for one in erased] == [(1, 2)]
        assert "Lives in Berlin" not in [one.text for one in world.agent.requests[-1].memories]
        await world.say(session, "Forget it, never mind.")
        assert len(await world.texts()) == 2
        await world.say(session, "Forget everything you know about me!")
        assert world.agent.requests[-1].memories == ()
        assert await world.texts() == []
        await world.say(session, "What do you know about my kids?")
        assert world.agent.requests[-1].memories == ()


async def test_what_is_to_be_forgotten_is_not_used_in_the_turn_that_asks_for_it(tmp_path: Path) -> None:
    async with remembering(tmp_path) as world:
        session = await world.open("s-1")
        await world.say(session, "I live in Berlin, and I love tea.")
        await world.say(session, "Where do I live? I love what?")
        assert {one.text for one in world.agent.requests[-1].memories} == {"Lives in Berlin", "Loves tea"}
        await world.say(session, "Forget that I live in Berlin. Where should I live, and what tea do I love?")
        assert [one.text for one in world.agent.requests[-1].memories] == ["Loves tea"]
        told = await world.told("s-1")
        # The figures are of what was given, and of what was removed.
        assert [event.count for event in told if isinstance(event, MemoryRecalled)][-1] == 1
        assert [event.count for event in told if isinstance(event, MemoryErased)] == [1]
        assert world.remembering.figures.forgotten == 1


async def test_a_session_takes_with_it_what_came_from_it_alone(tmp_path: Path) -> None:
    async with remembering(tmp_path) as world:
        await world.say(await world.open("s-1"), "I live in Berlin. I have two kids.")
        await world.say(await world.open("s-2"), "I live in Berlin.")
        await world.hub.delete("s-1", subject="ada")
        assert await world.texts() == ["Lives in Berlin"]
        await world.hub.delete("s-2", subject="ada")
        assert await world.texts() == []


async def test_deleting_a_person_leaves_nothing_of_them(tmp_path: Path) -> None:
    async with remembering(tmp_path) as world:
        await world.say(await world.open("s-1"), "My name is Zebedee Quux.")
        await world.say(await world.open("b-1", subject="bob"), "My name is Bob.")
        await world.memory.set_off("person", "ada", off=True)
        await world.hub.delete_subject("ada")
        assert await world.texts() == []
        assert await world.texts("bob") == ["Name: Bob"]
        assert not await world.memory.is_off("ada")
        assert files_with(b"uux", tmp_path) == []


def files_with(word: bytes, folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if word in path.read_bytes()]


async def test_a_person_without_sessions_is_deleted_too(tmp_path: Path) -> None:
    async with remembering(tmp_path) as world:
        session = await world.open("s-1")
        await world.say(session, "I live in Berlin.")
        await world.hub.store.delete_session("s-1")
        await world.hub.delete_subject("ada")
        assert await world.texts() == []


async def test_who_wants_nothing_remembered_is_not(tmp_path: Path) -> None:
    async with remembering(tmp_path) as world:
        session = await world.open("s-1")
        await world.say(session, "I live in Berlin.")
        await world.memory.set_off("person", "ada", off=True)
        await world.say(session, "I work as a baker. Where do I live?")
        assert world.agent.requests[-1].memories == ()
        assert await world.texts() == ["Lives in Berlin"]
        await world.memory.set_off("person", "ada", off=False)
        await world.memory.set_off("session", "s-1", off=True)
        await world.say(session, "I have two kids. Where do I live?")
        assert world.agent.requests[-1].memories == ()
        other = await world.open("s-2")
        await world.say(other, "Where do I live?")
        assert [one.text for one in world.agent.requests[-1].memories] == ["Lives in Berlin"]
        assert await world.texts() == ["Lives in Berlin"]


class Broken(SqliteMemory):
    """A memory that fails, or never answers, when it is looked into."""

    def __init__(self, folder: Path, *, slow: bool = False) -> None:
        super().__init__(folder)
        self.slow = slow

    async def find(self, subject: str, **_asked: object) -> Sequence[Found]:  # noqa: ARG002
        """Fail."""
        if self.slow:
            await asyncio.Event().wait()
        raise StoreError("broken")


@pytest.mark.parametrize("slow", [False, True])
async def test_a_memory_that_fails_or_hangs_delays_nobody_beyond_its_time(tmp_path: Path, slow: bool) -> None:
    options = MemoryOptions(recall_ms=30)
    async with remembering(tmp_path, memory=Broken(tmp_path, slow=slow), options=options) as world:
        session = await world.open("s-1")
        async with asyncio.timeout(10):
            await world.say(session, "I live in Berlin.")
        assert world.agent.requests[0].memories == ()
        async with asyncio.timeout(10):
            assert await world.remembering.gist("ada", "s-1") == [], "nor whoever takes the conversation over"
        assert [type(event) for event in await world.told("s-1")] == [MemoryStored]
        assert ("memory_late" if slow else "memory_failed") in world.log
        assert (world.remembering.figures.late, world.remembering.figures.failed) == ((1, 0) if slow else (0, 1))


async def test_a_turn_that_is_interrupted_while_it_is_looked_for_ends_at_once(tmp_path: Path) -> None:
    options = MemoryOptions(recall_ms=60_000)
    async with remembering(tmp_path, memory=Broken(tmp_path, slow=True), options=options) as world:
        session = await world.open("s-1")
        await world.hub.submit(session, UserTurn(text="I live in Berlin."))
        await asyncio.sleep(0)
        await world.hub.submit(session, UserTurn(text="And in Rome."))
        assert session.state.open is not None and session.state.open.number == 2
        await world.hub.delete("s-1", subject="ada")


class Model:
    """An extractor that a test leads."""

    name = "model"

    def __init__(self, *given: Extracted | MemoryFailed) -> None:
        self.given = list(given)
        self.said: list[Said] = []
        self.closed = 0

    async def extract(self, said: Said) -> Extracted:
        """Give the next."""
        self.said.append(said)
        given = self.given.pop(0)
        if isinstance(given, MemoryFailed):
            raise given
        return given

    async def aclose(self) -> None:
        """Note that it was let go of."""
        self.closed += 1


async def test_what_a_person_asks_to_forget_is_forgotten_though_a_model_does_not_understand_it(tmp_path: Path) -> None:
    owns = Learnt(kind="entity", text="Owns a boat", importance=0.5, key="has:boat")
    async with remembering(tmp_path, extractors=[Model(Extracted(learnt=(owns,)), Extracted())]) as world:
        session = await world.open("s-1")
        await world.say(session, "My boat is leaking.")
        await world.say(session, "Forget everything you know about me!")
        assert await world.texts() == []


async def test_a_model_is_shown_what_it_needs_and_the_rules_stand_in_for_it(tmp_path: Path) -> None:
    owns = Learnt(kind="entity", text="Owns a boat", importance=0.5, key="has:boat")
    model = Model(Extracted(learnt=(owns,)), MemoryFailed("no"), Extracted(forget=(Forget(everything=True),)))
    async with remembering(tmp_path, extractors=[model, RuleExtractor()]) as world:
        session = await world.open("s-1")
        await world.say(session, "My boat is leaking.")
        assert await world.texts() == ["Owns a boat"]
        await world.say(session, "I live in Kiel with my boat.")
        assert await world.texts() == ["Lives in Kiel", "Owns a boat"]
        assert world.remembering.figures.missed == 1
        assert [one.text for one in model.said[1].known] == ["Owns a boat"]
        assert [one.text for one in model.said[1].before] == ["My boat is leaking.", "Well."]
        assert (model.said[1].text, model.said[1].answer) == ("I live in Kiel with my boat.", "Well.")
        await world.say(session, "Burn it all.")
        assert await world.texts() == []
        assert model.closed == 0
    assert model.closed == 1


async def test_a_turn_is_learnt_from_once_though_the_server_died_in_between(tmp_path: Path) -> None:
    """The memory has it, and its session was not told; and the other way round: the memory has not even seen it."""
    folder, before, after = tmp_path / "data", tmp_path / "before", tmp_path / "after"
    folder.mkdir()
    async with remembering(folder) as world:
        await world.say(await world.open("s-1"), "Hello.")
    shutil.copy(folder / "memory.db", before)
    async with remembering(folder) as world:
        await world.say(await world.open("s-1"), "I live in Berlin and I have two kids.")
        ids = {event.memory_id for event in await world.told("s-1") if isinstance(event, MemoryStored)}
    assert len(ids) == 2
    shutil.copy(folder / "memory.db", after)

    # The turn is in the journal, and nothing of it in the memory.
    shutil.copy(before, folder / "memory.db")
    async with remembering(folder) as world:
        await world.settled()
        assert await world.texts() == ["Has two kids", "Lives in Berlin"]
        stored = [event for event in await world.told("s-1") if isinstance(event, MemoryStored)]
        assert len(stored) == 4
    # Once more from there: all is known and told.
    async with remembering(folder) as world:
        await world.settled()
        assert len(await world.told("s-1")) == 4
        await world.say(await world.open("s-1"), "I have two kids.")
        assert len(await world.texts()) == 2


async def test_what_was_kept_and_not_told_is_told_on_the_next_start_and_once(tmp_path: Path) -> None:
    class Mute(SqliteMemory):
        """A memory whose process dies before it has noted that something was told."""

        async def told(self, numbers: Sequence[int]) -> None:  # noqa: ARG002
            """Die."""
            raise StoreError("dead")

    async with remembering(tmp_path, memory=Mute(tmp_path)) as world:
        session = await world.open("s-1")
        await world.hub.submit(session, UserTurn(text="I live in Berlin."))
        async with asyncio.timeout(20):
            while not await world.told("s-1"):
                await session.changed()
        assert len(await world.memory.untold()) == 1
    async with remembering(tmp_path) as world:
        await world.settled()
        assert await world.memory.untold() == []
        assert len(await world.told("s-1")) == 1


async def test_what_was_said_before_memory_was_on_stays_unread(tmp_path: Path) -> None:
    async with remembering(tmp_path, memory=SqliteMemory(tmp_path / ".."), extractors=[]) as world:
        await world.say(await world.open("s-1"), "I live in Berlin.")
    (tmp_path / ".." / "memory.db").unlink()
    async with remembering(tmp_path) as world:
        session = await world.open("s-1")
        await world.say(session, "I have two kids.")
        assert await world.texts() == ["Has two kids"]


class Words:
    """An embedder that knows two meanings."""

    name = "words"

    def __init__(self) -> None:
        self.fails = False

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Tell animals from all else."""
        if self.fails:
            raise MemoryFailed("down")
        return [
            (1.0, 0.0) if {"dog", "spaniel"} & {*text.lower().strip("?.").split()} else (0.0, 1.0) for text in texts
        ]

    async def aclose(self) -> None:
        """Nothing is held."""


async def test_meaning_recalls_what_words_do_not_and_words_stand_in_for_it(tmp_path: Path) -> None:
    sqlite_vec = pytest.importorskip("sqlite_vec", reason="the extra `memory` is not installed")
    embedder = Words()
    spaniel = Extracted(learnt=(Learnt(kind="entity", text="Owns a spaniel", importance=0.5),))
    model = Model(spaniel, *[Extracted()] * 3)
    memory = SqliteMemory(tmp_path, model="words", extension=sqlite_vec.loadable_path(), floor=0.2)
    async with remembering(tmp_path, memory=memory, embedder=embedder, extractors=[model]) as world:
        session = await world.open("s-1")
        await world.say(session, "It chews my shoes.")
        await world.say(session, "What food is good for my dog?")
        assert [one.text for one in world.agent.requests[-1].memories] == ["Owns a spaniel"]
        embedder.fails = True
        await world.say(session, "And what else for my dog?")
        assert world.agent.requests[-1].memories == ()
        await world.say(session, "Spaniels are lovely.")
        assert [one.text for one in world.agent.requests[-1].memories] == ["Owns a spaniel"]
        assert "memory_model_failed" in world.log
