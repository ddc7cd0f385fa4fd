"""How much each person and each address gets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.model.errors import Code, Refused
from duologue.server.auth import ALL_SCOPES, BACKEND_SUBJECT, LOCAL_SUBJECT, Identity
from duologue.server.gate import Gate, address_key
from duologue.server.rates import Buckets
from duologue.server.settings_limits import LimitsSettings


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.ms = 1_800_000_000_000

    def now_ms(self) -> int:
        return self.ms


def person(subject: str = "ada", address: str = "192.0.2.1") -> Identity:
    return Identity(subject=subject, address=address)


def backend(subject: str = BACKEND_SUBJECT, name: str = "web") -> Identity:
    return Identity(subject=subject, is_backend=True, scopes=ALL_SCOPES, name=name, address="192.0.2.9")


def gate(clock: Clock | None = None, **settings: int) -> Gate:
    return Gate(LimitsSettings(**settings), clock=clock or Clock())


def test_a_minutes_worth_comes_at_once_and_then_evenly() -> None:
    clock = Clock()
    door = gate(clock, turns_per_person=6, turns_per_address=0)
    assert [door.charge(person(), "turns") for _ in range(6)] == [None] * 6
    problem = door.charge(person(), "turns")
    assert problem is not None
    assert (problem.code, problem.retryable, problem.retry_after_ms) == (Code.RATE_LIMITED, True, 10_001)
    assert problem.message == "too many turns; try again in 11 s"
    clock.ms += 10_000
    assert door.charge(person(), "turns") is None
    assert door.charge(person(), "turns") is not None
    # A refused one costs nothing.
    for _ in range(100):
        door.charge(person(), "turns")
    clock.ms += 10_000
    assert door.charge(person(), "turns") is None
    clock.ms += 3_600_000
    assert [door.charge(person(), "turns") for _ in range(7)].count(None) == 6


def test_people_and_addresses_are_counted_each_for_themselves() -> None:
    door = gate(turns_per_person=2, turns_per_address=3)
    assert [door.charge(person("ada"), "turns") for _ in range(3)].count(None) == 2
    assert [door.charge(person("bob"), "turns") for _ in range(2)].count(None) == 1
    assert door.charge(person("bob", "192.0.2.2"), "turns") is None
    assert door.limited == {"turns": 2}
    # What is refused for the address takes nothing from the person.
    assert door.charge(person("eve"), "turns") is not None
    assert [door.charge(person("eve", "192.0.2.3"), "turns") for _ in range(2)] == [None, None]


ASKED = ("requests", "turns", "sessions", "frames")


@pytest.mark.parametrize("asked", ASKED)
def test_each_thing_has_its_own_rates(asked: str) -> None:
    for whose in ("person", "address"):
        zero = {f"{kind}_per_{each}": 0 for kind in ASKED for each in ("person", "address")}
        door = gate(None, **(zero | {f"{asked}_per_{whose}": 1}))
        for other in ASKED:
            refused = [door.charge(person(), other) for _ in range(2)]
            assert refused[0] is None
            assert (refused[1] is not None) is (other == asked)


def test_nobody_is_counted_without_auth_and_no_backend_by_itself() -> None:
    door = gate(turns_per_person=1, turns_per_address=1, connections_per_person=1, connections_per_address=1)
    local = Identity(subject=LOCAL_SUBJECT, is_backend=True, scopes=ALL_SCOPES, address="127.0.0.1")
    for identity in (local, backend()):
        assert [door.charge(identity, "turns") for _ in range(50)] == [None] * 50
        for _ in range(50):
            door.hold(identity)
    # A backend that acts for a person is that person, from an address that is not theirs.
    assert [door.charge(backend("ada"), "turns") is None for _ in range(2)] == [True, False]
    assert door.charge(backend("bob"), "turns") is None
    assert door.charge(person("eve", "192.0.2.9"), "turns") is None


def test_messages_are_left_waiting_until_it_is_their_time() -> None:
    clock = Clock()
    door = gate(clock, frames_per_person=60, frames_per_address=0)
    assert [door.pace_ms(person()) for _ in range(60)] == [0] * 60
    wait_ms = door.pace_ms(person())
    assert 990 < wait_ms <= 1_001
    assert (door.pace_ms(person("bob")), door.pace_ms(backend())) == (0, 0)
    clock.ms += wait_ms
    assert [door.pace_ms(person()) > 0 for _ in range(2)] == [False, True]
    assert door.limited == {"frames": 2}


def test_visits_without_a_credential_are_counted_by_address_with_all_its_other_requests() -> None:
    door = gate(requests_per_person=0, requests_per_address=3)
    door.visit("192.0.2.1")
    door.visit("192.0.2.1")
    assert door.charge(person(), "requests") is None
    with pytest.raises(Refused, match="too many requests from this address"):
        door.visit("192.0.2.1")
    door.visit("192.0.2.2")


def test_wrong_credentials_silence_an_address_for_a_while() -> None:
    clock = Clock()
    door = gate(clock, auth_failures_per_address=3)
    for _ in range(3):
        door.listen_to("192.0.2.1")
        door.failed("192.0.2.1")
    with pytest.raises(Refused) as refused:
        door.listen_to("192.0.2.1")
    assert refused.value.problem.retry_after_ms == 20_001
    assert door.limited == {"credentials": 1}
    door.listen_to("192.0.2.2")
    clock.ms += 20_000
    door.listen_to("192.0.2.1")


def test_open_connections_are_bounded_in_all_for_a_person_and_for_an_address() -> None:
    door = gate(connections=4, connections_per_person=2, connections_per_address=3)
    holds = [door.hold(person()) for _ in range(2)]
    for identity, said in (
        (person(), "of this person"),
        (person(address="192.0.2.7"), "of this person"),
    ):
        with pytest.raises(Refused, match=said):
            door.hold(identity)
    holds.append(door.hold(person("bob")))
    with pytest.raises(Refused, match="from this address"):
        door.hold(person("eve"))
    holds.append(door.hold(backend()))
    with pytest.raises(Refused, match="there are 4 open connections already") as refused:
        door.hold(person("eve", "192.0.2.8"))
    assert (refused.value.problem.code, refused.value.problem.limit) == (Code.RATE_LIMITED, 4)
    for hold in holds:
        hold.release()
        hold.release()
    assert [door.hold(person()) is not None for _ in range(2)] == [True, True]


def test_sessions_in_memory_are_bounded_for_a_person() -> None:
    door = gate(live_sessions_per_person=2)
    assert door.room(person(), 1) is None
    problem = door.room(person(), 2)
    assert problem is not None
    assert (problem.code, problem.limit) == (Code.RATE_LIMITED, 2)
    assert door.room(backend(), 1_000) is None


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2::ffff", "2001:db8:1:2::"),
        ("fe80::1%eth0", "fe80::"),
        ("", ""),
        ("x" * 100, "x" * 64),
    ],
)
def test_an_ipv6_household_is_one_address(address: str, key: str) -> None:
    assert address_key(address) == key


def test_memory_is_bounded_and_the_quietest_is_forgotten() -> None:
    buckets = Buckets(3)
    for key in ("a", "b", "c", "a", "d"):
        buckets.take("turns", key, per_minute=1, now_ms=0)
    assert len(buckets) == 3
    waits = {key: buckets.wait_ms("turns", key, per_minute=1, now_ms=0) > 0 for key in "abcd"}
    assert waits == {"a": True, "b": False, "c": True, "d": True}


@given(
    st.integers(1, 1_000),
    st.lists(st.tuples(st.integers(-5_000, 120_000), st.integers(1, 50)), max_size=30),
)
def test_never_more_than_the_rate_and_a_minutes_worth(per_minute: int, tries: list[tuple[int, int]]) -> None:
    """Whatever a client does and wherever the clock jumps; and what is told to wait may then."""
    buckets, now_ms, highest_ms, latest_ms, done = Buckets(8), 0, 0, 0, 0
    for step_ms, times in tries:
        now_ms = max(0, now_ms + step_ms)
        latest_ms, highest_ms = latest_ms + max(0, step_ms), max(highest_ms, now_ms)
        for _ in range(times):
            if buckets.wait_ms("turns", "ada", per_minute=per_minute, now_ms=now_ms) == 0:
                buckets.take("turns", "ada", per_minute=per_minute, now_ms=now_ms)
                done += 1
    assert done <= per_minute + latest_ms * per_minute / 60_000 + 1e-6
    wait_ms = buckets.wait_ms("turns", "ada", per_minute=per_minute, now_ms=highest_ms)
    assert buckets.wait_ms("turns", "ada", per_minute=per_minute, now_ms=highest_ms + wait_ms) == 0
