"""What holds of lines and estimates, whoever waits and whoever is there."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.runtime.desk.entry import NOW_MS, entry

from duologue.model.handoff import Operator
from duologue.runtime.desk.entries import Entry
from duologue.runtime.desk.room import Room
from duologue.runtime.desk.rules import Card

NAMES = ("mia", "bob", "sue")
SKILLS = ("billing", "german")

_skills = st.lists(st.sampled_from(SKILLS), unique=True).map(tuple)
_waiting = st.tuples(st.integers(-100, 100), st.integers(0, 5), _skills, st.sampled_from(("", *NAMES)))
_held = st.sampled_from(NAMES)
_staff = st.lists(
    st.builds(
        Card,
        operator_id=st.sampled_from(NAMES),
        name=st.just("N"),
        skills=st.none() | _skills.map(frozenset),
        at_most=st.integers(1, 3),
    ),
    unique_by=lambda card: card.operator_id,
)
_ms = st.integers(0, 10**7)


def room_of(waiting: list[tuple[int, int, tuple[str, ...], str]], held: list[str]) -> Room:
    """A room in which these wait, and these have one each."""
    room = Room()
    for number, (priority, after_ms, skills, only) in enumerate(waiting):
        asked_ms = NOW_MS + after_ms
        room.add(entry(f"w{number}~1", priority=priority, requested_ms=asked_ms, skills=skills, only=only))
    for number, name in enumerate(held):
        room.add(entry(f"h{number}~1", status="connected", operator=Operator(operator_id=name, name=name)))
    return room


@given(st.lists(_waiting, max_size=12), st.lists(_held, max_size=6), _staff, _ms, _ms)
@settings(max_examples=max(40, settings().max_examples // 5))
def test_places_are_without_gap_and_estimates_are_the_same_asked_alone(
    waiting: list[tuple[int, int, tuple[str, ...], str]],
    held: list[str],
    staff: list[Card],
    served_ms: int,
    taken_ms: int,
) -> None:
    room = room_of(waiting, held)
    room.times_of("general").served(served_ms)
    room.times_of("general").taken(taken_ms)
    places = room.places("general", staff)
    assert [place.position for place in places] == list(range(1, len(waiting) + 1))
    assert room.waiting == len(waiting)
    for place in places:
        assert room.place_of(place.entry) == place.position
        assert room.estimate_ms(place.entry, place.position, staff) == place.wait_ms
        may = [card for card in staff if card.able(place.entry.skills) and place.entry.only in ("", card.operator_id)]
        assert (place.wait_ms is None) == (not may), "nobody who is there may take it"


@given(st.lists(_waiting, min_size=1, max_size=12), _waiting)
def test_who_comes_later_passes_only_those_of_lower_priority(
    waiting: list[tuple[int, int, tuple[str, ...], str]], late: tuple[int, int, tuple[str, ...], str]
) -> None:
    room = room_of(waiting, [])
    before = room.line("general")
    newcomer: Entry = entry("z~1", priority=late[0], requested_ms=NOW_MS + 6)
    assert room.place_of(newcomer) == 1 + sum(one.priority >= newcomer.priority for one in before)
    room.add(newcomer)
    assert [one for one in room.line("general") if one is not newcomer] == before


@given(st.lists(_waiting, min_size=1, max_size=12), _staff)
@settings(max_examples=max(40, settings().max_examples // 5))
def test_whoever_is_first_is_taken_in_the_end(
    waiting: list[tuple[int, int, tuple[str, ...], str]], staff: list[Card]
) -> None:
    """Where those who are there always take the first whom they may, none is left whom any of them may take."""
    room = room_of(waiting, [])
    for _ in range(len(waiting)):
        for card in staff:
            mine = [one for one in room.line("general") if card.able(one.skills) and one.only in ("", card.operator_id)]
            if mine:
                room.entries.pop(mine[0].handoff_id)
    for one in room.line("general"):
        assert not any(card.able(one.skills) and one.only in ("", card.operator_id) for card in staff)
