"""Who is there."""

from tests.unit.runtime.desk.entry import NOW_MS

from duologue.model import limits
from duologue.runtime.desk.rules import Card
from duologue.runtime.desk.staff import Staff

MIA, BOB = Card(operator_id="mia", name="Mia"), Card(operator_id="bob", name="Bob")


def test_who_did_something_is_there_for_a_while() -> None:
    staff = Staff()
    assert staff.last_there_ms("mia", NOW_MS) == 0
    assert staff.seen(MIA, NOW_MS)
    assert not staff.seen(MIA, NOW_MS + 10)
    assert staff.there(NOW_MS + 10 + limits.DESK_PRESENT_MS - 1) == [MIA]
    assert staff.there(NOW_MS + 10 + limits.DESK_PRESENT_MS) == []
    assert staff.last_there_ms("mia", NOW_MS + 10**9) == NOW_MS + 10


def test_whoever_has_a_page_open_is_there_and_was_until_it_closed() -> None:
    staff, now_ms = Staff(), NOW_MS
    with staff.page(MIA, lambda: now_ms), staff.page(BOB, lambda: now_ms):
        now_ms += 10**9
        assert staff.there(now_ms) == [BOB, MIA]
        assert staff.last_there_ms("mia", now_ms) == now_ms
    assert staff.there(now_ms) == []
    assert staff.last_there_ms("mia", now_ms + 5) == now_ms


def test_a_new_card_is_news() -> None:
    staff = Staff()
    staff.seen(MIA, NOW_MS)
    assert staff.seen(Card(operator_id="mia", name="Mia M."), NOW_MS)


def test_those_who_have_gone_are_forgotten_once_there_are_too_many() -> None:
    staff = Staff()
    for number in range(limits.DESK_OPERATORS):
        staff.seen(Card(operator_id=f"o-{number}", name="O"), NOW_MS)
    later_ms = NOW_MS + limits.DESK_PRESENT_MS
    staff.seen(MIA, later_ms)
    assert staff.there(later_ms) == [MIA]
    assert staff.last_there_ms("o-1", later_ms) == 0
