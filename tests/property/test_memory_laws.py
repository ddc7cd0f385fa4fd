"""A memory under any turns, crashes and wishes: it holds what a plain list would, and nothing of anybody else's."""

import asyncio
import tempfile
from pathlib import Path
from typing import Final

from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.adapters.memory_sqlite import SqliteMemory
from duologue.adapters.memory_sqlite.terms import relevance, sameness, telling, terms
from duologue.ports.memory import Forget, Learnt
from duologue.testing.memory_suite import ALL, keep, opened

SUBJECTS: Final = ("ada", "bob")
THINGS: Final = ("tea", "snow", "chess", "trains")
KEYS: Final = ("", "home", "job")


def _about(thing: str, key: str) -> Learnt:
    return Learnt(kind="fact", text=f"About {thing} {key}".strip(), importance=0.5, key=key)


def _of_key(key: str) -> Forget:
    return Forget(keys=(key,))


def _of_word(thing: str) -> Forget:
    return Forget(words=thing)


_learnt = st.builds(_about, st.sampled_from(THINGS), st.sampled_from(KEYS))
_forget = st.one_of(
    st.just(Forget(everything=True)),
    st.builds(_of_key, st.sampled_from(KEYS[1:])),
    st.builds(_of_word, st.sampled_from(THINGS)),
)
_turns = st.lists(
    st.tuples(
        st.sampled_from(SUBJECTS),
        st.lists(_learnt, max_size=3),
        st.lists(_forget, max_size=1),
        # How often the turn comes: more than once after a crash.
        st.integers(1, 2),
    ),
    max_size=8,
)


class Plain:
    """What should be remembered of one person."""

    def __init__(self) -> None:
        self.kept: list[Learnt] = []

    def take(self, learnt: list[Learnt], forget: list[Forget]) -> None:
        """Take a turn."""
        for wish in forget:
            self.kept = [one for one in self.kept if not self._is_meant(one, wish)]
        for one in learnt:
            if all(known.text != one.text for known in self.kept):
                self.kept = [known for known in self.kept if not one.key or known.key != one.key]
                self.kept.append(one)

    @staticmethod
    def _is_meant(one: Learnt, wish: Forget) -> bool:
        if wish.everything:
            return True
        if wish.keys:
            return one.key in wish.keys
        return wish.words in one.text


@settings(deadline=None, max_examples=25)
@given(_turns, st.sampled_from([None, *SUBJECTS]))
def test_a_memory_holds_what_was_said_and_not_taken_back(
    turns: list[tuple[str, list[Learnt], list[Forget], int]], deleted: str | None
) -> None:
    async def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            plain = {subject: Plain() for subject in SUBJECTS}
            for number, (subject, learnt, forget, times) in enumerate(turns, 1):
                plain[subject].take(learnt, forget)
                for _ in range(times):
                    # Opened anew each time, as after a crash.
                    async with opened(lambda: SqliteMemory(Path(folder))) as memory:
                        told = await keep(
                            memory, *learnt, subject=subject, session_id=subject, turn=number, forget=forget
                        )
                        ids = [one.memory_id for one in told if one.memory_id]
                        assert len(ids) == len(set(ids))
            async with opened(lambda: SqliteMemory(Path(folder))) as memory:
                untold = [one.memory_id for one in await memory.untold(limit=1_000) if one.memory_id]
                assert len(untold) == len(set(untold))
                if deleted is not None:
                    await memory.forget_subject(deleted)
                    plain[deleted] = Plain()
                for subject in SUBJECTS:
                    kept = [one.text for one in await memory.listed(subject, ALL)]
                    assert sorted(kept) == sorted(one.text for one in plain[subject].kept)
                    hits = await memory.find(subject, text="tea chess", vector=None, most=50, now_ms=1)
                    assert {one.memory.text for one in hits} == set(kept)

    asyncio.run(run())


_texts = st.text(max_size=60)


@given(_texts, _texts)
def test_words_are_compared_alike_on_both_sides(text: str, more: str) -> None:
    assert terms(text) == terms(text.swapcase()) or not text.isascii()
    assert set(telling(text)) <= set(terms(text))
    if terms(text) and terms(more):
        assert sameness(f"{text} {more}") == sameness(f"{more} {text}")
    asked = telling(text)
    if asked:
        assert relevance(asked, terms(f"{more} {text}")[:64]) >= 0
        assert 0 <= relevance(asked, terms(more)) <= 1
        assert relevance(asked, asked) == 1
