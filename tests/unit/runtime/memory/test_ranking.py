"""Which memories a run is given."""

from hypothesis import given
from hypothesis import strategies as st

from duologue.model.memory import MemoryKind
from duologue.ports.memory import Found, Remembered
from duologue.runtime.memory.ranking import DAY_MS, LEAST, choose, value

NOW_MS = 1_000 * DAY_MS


def found(name: str, *, relevance: float, importance: float, days: float = 0, kind: MemoryKind = "fact") -> Found:
    at_ms = NOW_MS - round(days * DAY_MS)
    memory = Remembered(
        memory_id=name,
        kind=kind,
        text=name,
        importance=importance,
        session_id="s",
        turn=1,
        created_ms=at_ms,
        at_ms=at_ms,
    )
    return Found(memory=memory, relevance=relevance)


def chosen(*hits: Found, most: int = 8) -> list[str]:
    return [one.memory_id for one in choose(hits, most=most, now_ms=NOW_MS)]


def test_relevance_importance_and_recency_count() -> None:
    assert chosen(
        found("vague", relevance=0.4, importance=0.5),
        found("old", relevance=1, importance=0.5, days=400),
        found("fit", relevance=1, importance=0.5),
        found("weighty", relevance=1, importance=0.9),
    ) == ["weighty", "fit", "old", "vague"]


def test_what_shares_nothing_is_given_only_where_it_is_very_important() -> None:
    assert chosen(
        found("allergy", relevance=0, importance=0.95),
        found("home", relevance=0, importance=0.7),
        found("tea", relevance=0, importance=0.5),
    ) == ["allergy"]


def test_an_event_ages_quickly_and_a_fact_slowly() -> None:
    fact = value(found("a", relevance=1, importance=1, days=60), now_ms=NOW_MS)
    event = value(found("b", relevance=1, importance=1, days=60, kind="event"), now_ms=NOW_MS)
    assert event < 0.55 < 0.9 < fact


def test_no_more_are_given_than_asked_for() -> None:
    assert chosen(*[found(f"m{number}", relevance=1, importance=1) for number in range(9)], most=3) == [
        "m0",
        "m1",
        "m2",
    ]


_units = st.floats(0, 1)


@given(_units, _units, st.floats(0, 10_000), st.sampled_from(["fact", "event", "preference", "entity"]))
def test_a_value_is_within_bounds_and_never_rises_with_age(
    relevance: float, importance: float, days: float, kind: MemoryKind
) -> None:
    fresh = value(found("a", relevance=relevance, importance=importance, kind=kind), now_ms=NOW_MS)
    aged = value(found("a", relevance=relevance, importance=importance, days=days, kind=kind), now_ms=NOW_MS)
    assert 0 <= aged <= fresh <= 1


@given(st.lists(st.tuples(_units, _units), max_size=20), st.integers(1, 10))
def test_the_chosen_are_the_best_in_order(pairs: list[tuple[float, float]], most: int) -> None:
    hits = [found(f"m{i}", relevance=relevance, importance=weight) for i, (relevance, weight) in enumerate(pairs)]
    values = {hit.memory.memory_id: value(hit, now_ms=NOW_MS) for hit in hits}
    given_values = [values[name] for name in chosen(*hits, most=most)]
    assert given_values == sorted(values.values(), reverse=True)[: len(given_values)]
    assert len(given_values) == min(most, sum(1 for one in values.values() if one >= LEAST))
