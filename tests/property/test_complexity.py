"""Routing is deterministic, and more signs never make a turn easier."""

from hypothesis import given
from hypothesis import strategies as st

from duologue.engine.complexity import Facts, assess

SIGNS = st.lists(
    st.sampled_from(
        [
            "hello",
            "why",
            "compare",
            "write",
            "must",
            "only",
            "and",
            "then",
            "?",
            "\n- one",
            "`code`",
            "x^2 = 4",
            "为什么",
        ]
    ),
    max_size=30,
).map(" ".join)
TEXTS = st.one_of(st.text(max_size=300), SIGNS)
FACTS = st.builds(
    Facts,
    earlier_turns=st.integers(0, 1_000),
    pictures=st.integers(0, 3),
    files=st.integers(0, 3),
    tool_calls=st.integers(0, 50),
    result_chars=st.integers(0, 100_000),
)


@given(TEXTS, FACTS)
def test_a_score_is_between_0_and_1_and_always_the_same(text: str, facts: Facts) -> None:
    told = assess(text, facts)
    assert 0 <= told.score <= 1
    assert told == assess(text, facts)
    assert len(set(told.reasons)) == len(told.reasons)


@given(TEXTS, FACTS, FACTS)
def test_more_that_is_known_never_makes_a_turn_easier(text: str, one: Facts, other: Facts) -> None:
    both = Facts(
        earlier_turns=max(one.earlier_turns, other.earlier_turns),
        pictures=max(one.pictures, other.pictures),
        files=max(one.files, other.files),
        tool_calls=max(one.tool_calls, other.tool_calls),
        result_chars=max(one.result_chars, other.result_chars),
    )
    assert assess(text, both).score >= max(assess(text, one).score, assess(text, other).score)
