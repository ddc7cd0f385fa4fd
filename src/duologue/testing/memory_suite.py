"""The suite of the port `Memory`: what every memory must do, as async checks.

@pytest.mark.parametrize("check", MEMORY_CHECKS, ids=lambda check: check.__name__)
async def test_memory(check, tmp_path):
    await check(lambda: MyMemory(tmp_path))
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final, TypeAlias

from duologue.model.memory import MemoryKind
from duologue.ports.memory import Extracted, Forget, Learnt, Memory, Page, Policy, Remembered, Told

MemoryFactory: TypeAlias = Callable[[], Memory]
"""Makes a memory that is not open; each one it makes stands for the same place, where nothing was at first."""

MemoryCheck: TypeAlias = Callable[[MemoryFactory], Awaitable[None]]

POLICY: Final = Policy(items=100, age_ms=0, importance=0.2)
ALL: Final = Page()


@asynccontextmanager
async def opened(make: MemoryFactory) -> AsyncGenerator[Memory]:
    """Open one for a block."""
    memory = make()
    assert await memory.open(create=True)
    try:
        yield memory
    finally:
        await memory.close()


def learnt(text: str, importance: float = 0.5, *, kind: MemoryKind = "fact", key: str = "", words: str = "") -> Learnt:
    """Make something that was learnt."""
    return Learnt(kind=kind, text=text, importance=importance, key=key, words=words)


async def keep(
    memory: Memory,
    *what: Learnt,
    subject: str = "ada",
    session_id: str = "s",
    turn: int = 1,
    forget: Sequence[Forget] = (),
    policy: Policy = POLICY,
    now_ms: int = 1_000,
) -> Sequence[Told]:
    """Let a turn leave something."""
    return await memory.keep(
        session_id,
        subject=subject,
        turn=turn,
        seq=turn * 10,
        extracted=Extracted(learnt=what, forget=tuple(forget)),
        vectors=[None] * len(what),
        policy=policy,
        now_ms=now_ms,
    )


async def texts(memory: Memory, subject: str = "ada", page: Page = ALL) -> list[str]:
    """What is remembered of a person, the latest first."""
    return [one.text for one in await memory.listed(subject, page)]


async def found(memory: Memory, text: str, subject: str = "ada", *, now_ms: int = 2_000) -> dict[str, float]:
    """What is found for a text, with how relevant it is."""
    hits = await memory.find(subject, text=text, vector=None, most=10, now_ms=now_ms)
    return {one.memory.text: one.relevance for one in hits}


async def check_it_is_made_only_when_told_to(make: MemoryFactory) -> None:
    """Also that closing and opening twice harm nothing."""
    memory = make()
    assert not await memory.open(create=False)
    assert await memory.open(create=True)
    assert await memory.open(create=False)
    await memory.close()
    await memory.close()
    again = make()
    assert await again.open(create=False)
    await again.close()


async def check_everything_is_still_there_when_it_is_opened_again(make: MemoryFactory) -> None:
    """Everything that the port keeps."""
    async with opened(make) as memory:
        assert await memory.began_ms(100) == 100
        assert await memory.covered_ms() is None
        await memory.cover(200)
        await memory.note("t", subject="bob", seq=7)
        (told,) = await keep(memory, learnt("Lives in Berlin", 0.8, key="home"))
        await memory.set_off("person", "bob", off=True)
        await memory.set_off("session", "s9", off=True)
    async with opened(make) as memory:
        assert await memory.began_ms(999) == 100
        assert await memory.covered_ms() == 200
        assert (await memory.place("s"), await memory.place("t"), await memory.place("u")) == (10, 7, None)
        assert await memory.untold() == [told]
        (one,) = await memory.listed("ada", ALL)
        assert one == Remembered(
            memory_id=told.memory_id,
            kind="fact",
            text="Lives in Berlin",
            importance=0.8,
            key="home",
            session_id="s",
            turn=1,
            created_ms=1_000,
            at_ms=1_000,
        )
        assert await memory.get("ada", one.memory_id) == one
        assert (await memory.is_off("bob"), await memory.is_off("ada")) == (True, False)
        assert (await memory.is_off("ada", "s9"), await memory.is_off("ada", "s")) == (True, False)
        assert (await memory.total(), await memory.count("ada"), await memory.count("bob")) == (1, 1, 0)


async def check_what_is_said_again_is_confirmed_and_kept_once(make: MemoryFactory) -> None:
    """In whatever order of words and with whatever case."""
    async with opened(make) as memory:
        (first,) = await keep(memory, learnt("Likes green tea", 0.4))
        assert await keep(memory, learnt("likes tea, green", 0.6), turn=2, session_id="t", now_ms=5_000) == []
        (one,) = await memory.listed("ada", ALL)
        assert (one.memory_id, one.text, one.importance) == (first.memory_id, "Likes green tea", 0.6)
        assert (one.created_ms, one.at_ms, one.session_id) == (1_000, 5_000, "t")


async def check_a_turn_is_taken_once(make: MemoryFactory) -> None:
    """After a crash the same turn may come again, with other words even; its place is noted all the same."""
    async with opened(make) as memory:
        await keep(memory, learnt("Has a dog"), turn=2)
        assert await keep(memory, learnt("Owns a dog"), turn=2) == []
        assert await keep(memory, learnt("Has a cat"), turn=1) == []
        assert await texts(memory) == ["Has a dog"]
        assert await memory.place("s") == 20
        assert await keep(memory, turn=5) == []
        assert await memory.place("s") == 50
        await memory.note("s", subject="ada", seq=0)
        assert await memory.place("s") == 50


async def check_what_has_the_key_of_another_takes_its_place(make: MemoryFactory) -> None:
    """Of the same person alone."""
    async with opened(make) as memory:
        (old,) = await keep(memory, learnt("Lives in Berlin", key="home"))
        await keep(memory, learnt("Lives in Berlin", key="home"), subject="bob", session_id="b")
        (new,) = await keep(memory, learnt("Lives in Rome", key="home"), turn=2)
        assert new.superseded == (old.memory_id,)
        assert await texts(memory) == ["Lives in Rome"]
        assert await texts(memory, "bob") == ["Lives in Berlin"]
        assert await memory.get("ada", old.memory_id) is None
        assert await found(memory, "Berlin") == {"Lives in Rome": 0.0}


async def check_what_matters_little_is_not_kept(make: MemoryFactory) -> None:
    """Nor what is blank."""
    async with opened(make) as memory:
        assert await keep(memory, learnt("Said hello", 0.1), learnt("  ", 0.9)) == []
        assert await texts(memory) == []


async def check_the_least_important_and_longest_unused_goes_first(make: MemoryFactory) -> None:
    """What a person may have is bounded; what was just said is not what goes."""
    policy = Policy(items=2, age_ms=0, importance=0.2)
    async with opened(make) as memory:
        await keep(memory, learnt("Has a dog", 0.5), now_ms=1_000, policy=policy)
        (cat,) = await keep(memory, learnt("Has a cat", 0.5), turn=2, now_ms=2_000, policy=policy)
        (dog,) = [one for one in await memory.listed("ada", ALL) if one.text == "Has a dog"]
        await memory.recalled([dog.memory_id], now_ms=9_000)
        (bird,) = await keep(memory, learnt("Has a bird", 0.3), turn=3, now_ms=3_000, policy=policy)
        assert await texts(memory) == ["Has a bird", "Has a dog"]
        assert bird.memory_id != cat.memory_id
        got = await memory.get("ada", dog.memory_id)
        assert got is not None and (got.recalls, got.recalled_ms) == (1, 9_000)


async def check_words_find_what_holds_them_and_importance_the_rest(make: MemoryFactory) -> None:
    """In whatever form, case and accent the words come; nothing of anybody else's."""
    async with opened(make) as memory:
        await keep(
            memory,
            learnt("Lives in Málaga", 0.8, key="home", words="home where wohne vivo"),
            learnt("Drinks coffee in the morning", 0.3),
            learnt("Allergic to nuts", 0.9),
        )
        await keep(memory, learnt("Lives in Malaga too", 0.8), subject="bob", session_id="b")
        hits = await found(memory, "¿Dónde vivo yo, en malaga?")
        assert hits["Lives in Málaga"] > 0.5
        assert hits["Allergic to nuts"] == 0.0
        assert "Lives in Malaga too" not in hits
        hits = await found(memory, "Which coffees do I drink?")
        assert hits["Drinks coffee in the morning"] > hits["Lives in Málaga"] == 0.0
        assert await found(memory, "coffee", "nobody") == {}
        for odd in ("", '"', "a AND b OR (", "* : ^ - NEAR(x)", "\x00", "x" * 5_000):
            assert set(await found(memory, odd)) == {
                "Lives in Málaga",
                "Drinks coffee in the morning",
                "Allergic to nuts",
            }


async def check_scripts_without_spaces_are_found_too(make: MemoryFactory) -> None:
    """Chinese, Japanese, Korean and Thai."""
    kept = {
        "住在北京": "北京的天气",
        "東京に住んでいます": "東京の天気は",
        "서울에 살아요": "서울은 어때",
        "ชอบกาแฟ": "กาแฟร้อน",
    }
    async with opened(make) as memory:
        for turn, text in enumerate(kept, 1):
            await keep(memory, learnt(text), turn=turn)
        for text, asked in kept.items():
            hits = await found(memory, asked)
            assert max(hits, key=hits.__getitem__) == text, asked


async def check_what_has_expired_is_not_found_and_goes(make: MemoryFactory) -> None:
    """Nor what nobody has needed for as long as the policy says."""
    flight = Learnt(kind="event", text="Flies to Rome", importance=0.6, expires_ms=5_000)
    aged = Policy(items=100, age_ms=10_000, importance=0.2)
    async with opened(make) as memory:
        await keep(memory, flight, learnt("Has a dog"))
        assert "Flies to Rome" in await found(memory, "Rome", now_ms=4_999)
        assert "Flies to Rome" not in await found(memory, "Rome", now_ms=5_000)
        assert await memory.tidy(policy=POLICY, now_ms=6_000) == 1
        assert await texts(memory) == ["Has a dog"]
        assert await memory.tidy(policy=aged, now_ms=11_000) == 0
        assert await memory.tidy(policy=aged, now_ms=11_001) == 1
        assert await texts(memory) == []


async def check_what_is_wanted_forgotten_is_removed(make: MemoryFactory) -> None:
    """By id, by key, by the words that it holds, or all of it; of one person alone."""
    everything = [
        learnt("Lives in Berlin", key="home"),
        learnt("Likes tea", key="taste:tea"),
        learnt("Dislikes rain", key="taste:rain"),
        learnt("Has a dog called Rex"),
        learnt("Has a cat called Tom"),
    ]
    async with opened(make) as memory:
        await keep(memory, *everything)
        await keep(memory, *everything, subject="bob", session_id="b")
        wishes = [Forget(keys=("home",)), Forget(words="dogs")]
        found = await memory.find("ada", text="Berlin dog tea", vector=None, most=10, now_ms=1, without=wishes)
        assert {one.memory.text for one in found} == {"Likes tea", "Dislikes rain", "Has a cat called Tom"}
        nothing = await memory.find(
            "ada", text="tea", vector=None, most=10, now_ms=1, without=[Forget(everything=True)]
        )
        assert not nothing
        assert (await memory.count("ada"), await memory.count("ada", "s"), await memory.count("ada", "b")) == (5, 5, 0)
        (theirs, *_) = await memory.listed("bob", ALL)
        assert await memory.forget("ada", Forget(memory_ids=(theirs.memory_id, "none"))) == 0
        (mine,) = await memory.listed("ada", Page(text="cats"))
        assert await memory.forget("ada", Forget(memory_ids=(mine.memory_id,))) == 1
        assert await memory.forget("ada", Forget(words="dog Tom")) == 0
        assert await memory.forget("ada", Forget(words="dogs called")) == 1
        assert await memory.forget("ada", Forget(keys=("taste:",), words="rain")) == 1
        assert await memory.forget("ada", Forget(keys=("home",), words="Rome")) == 0
        assert await memory.forget("ada", Forget(keys=("home", "taste:tea"))) == 2
        assert await texts(memory) == []
        assert await memory.count("bob") == 5
        assert await memory.forget("bob", Forget()) == 0
        assert await memory.forget("bob", Forget(everything=True)) == 5


async def check_a_turn_may_have_something_forgotten(make: MemoryFactory) -> None:
    """Before what it says is kept, and told by how many."""
    async with opened(make) as memory:
        await keep(memory, learnt("Lives in Berlin", key="home"), learnt("Has a dog"))
        told = await keep(
            memory, learnt("Lives in Rome", key="home"), turn=2, forget=[Forget(keys=("home",)), Forget(words="bird")]
        )
        assert [(one.count, one.superseded, bool(one.memory_id)) for one in told] == [(1, (), False), (0, (), True)]
        assert await texts(memory) == ["Lives in Rome", "Has a dog"]
        assert await keep(memory, turn=3, forget=[Forget(words="bird")]) == []


async def check_what_is_to_be_told_is_kept_until_it_was(make: MemoryFactory) -> None:
    """In the order in which it was learnt."""
    async with opened(make) as memory:
        first = await keep(memory, learnt("Has a dog"), learnt("Has a cat"))
        second = await keep(memory, learnt("Has a bird"), session_id="t")
        assert [one.number for one in (*first, *second)] == sorted({one.number for one in (*first, *second)})
        assert await memory.untold() == [*first, *second]
        assert await memory.untold("t") == second
        assert await memory.untold(limit=1) == [first[0]]
        await memory.told([first[0].number, second[0].number, 999])
        assert await memory.untold() == [first[1]]


async def check_sessions_take_with_them_what_came_only_from_them(make: MemoryFactory) -> None:
    """What was said elsewhere as well stays, as of there."""
    async with opened(make) as memory:
        await keep(memory, learnt("Has a dog"), learnt("Has a cat"), now_ms=1_000)
        await keep(memory, learnt("Has a dog"), session_id="t", turn=4, now_ms=2_000)
        await keep(memory, learnt("Has a dog"), turn=2, now_ms=3_000)
        await memory.set_off("session", "s", off=True)
        assert await memory.forget_sessions(["s", "none"]) == 1
        (one,) = await memory.listed("ada", ALL)
        assert (one.text, one.session_id, one.turn) == ("Has a dog", "t", 4)
        assert (await memory.place("s"), await memory.is_off("ada", "s")) == (None, False)
        assert {told.session_id for told in await memory.untold()} == set()
        assert await memory.forget_sessions(["t"]) == 1
        assert await texts(memory) == []


async def check_a_person_is_forgotten_whole(make: MemoryFactory) -> None:
    """With the places of their sessions, and what they wanted."""
    async with opened(make) as memory:
        await keep(memory, learnt("Has a dog"))
        await keep(memory, learnt("Has a dog"), subject="bob", session_id="b")
        await memory.set_off("person", "ada", off=True)
        assert await memory.forget_subject("ada") == 1
        assert (await memory.count("ada"), await memory.place("s"), await memory.is_off("ada")) == (0, None, False)
        assert [one.session_id for one in await memory.untold()] == ["b"]
        assert await memory.forget_subject("nobody") == 0
        assert await memory.count("bob") == 1


async def check_pages_go_on_without_loss(make: MemoryFactory) -> None:
    """The latest first; of a kind, of a session, or with words."""
    async with opened(make) as memory:
        for turn in range(1, 8):
            kind: MemoryKind = "event" if turn % 2 else "preference"
            session_id = "t" if turn > 5 else "s"
            await keep(memory, learnt(f"Number n{turn}", kind=kind), turn=turn, session_id=session_id, now_ms=turn)
        seen: list[str] = []
        after: str | None = None
        while page := await memory.listed("ada", Page(after=after, limit=3)):
            seen += [one.text for one in page]
            after = page[-1].memory_id
        assert seen == [f"Number n{turn}" for turn in range(7, 0, -1)]
        assert await texts(memory, page=Page(kind="preference")) == ["Number n6", "Number n4", "Number n2"]
        assert await texts(memory, page=Page(session_id="t")) == ["Number n7", "Number n6"]
        assert await texts(memory, page=Page(text="n4 numbers")) == ["Number n4"]
        assert await texts(memory, page=Page(text="nothing")) == []
        assert await texts(memory, page=Page(after="none")) == []
        assert await texts(memory, "nobody") == []


MEMORY_CHECKS: Final[tuple[MemoryCheck, ...]] = (
    check_it_is_made_only_when_told_to,
    check_everything_is_still_there_when_it_is_opened_again,
    check_what_is_said_again_is_confirmed_and_kept_once,
    check_a_turn_is_taken_once,
    check_what_has_the_key_of_another_takes_its_place,
    check_what_matters_little_is_not_kept,
    check_the_least_important_and_longest_unused_goes_first,
    check_words_find_what_holds_them_and_importance_the_rest,
    check_scripts_without_spaces_are_found_too,
    check_what_has_expired_is_not_found_and_goes,
    check_what_is_wanted_forgotten_is_removed,
    check_a_turn_may_have_something_forgotten,
    check_what_is_to_be_told_is_kept_until_it_was,
    check_sessions_take_with_them_what_came_only_from_them,
    check_a_person_is_forgotten_whole,
    check_pages_go_on_without_loss,
)
"""All of them."""
