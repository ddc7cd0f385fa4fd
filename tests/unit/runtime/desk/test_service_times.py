"""How long somebody waits: measured, or not told."""

from duologue.runtime.desk.service_times import ServiceTimes


def test_before_anything_was_measured_nothing_is_told() -> None:
    times = ServiceTimes()
    assert times.estimate_ms(1, free=0, slots=2) is None
    assert times.estimate_ms(1, free=2, slots=2) is None


def test_while_nobody_is_there_nothing_is_told() -> None:
    times = ServiceTimes()
    times.served(60_000)
    assert times.estimate_ms(1, free=0, slots=0) is None


def test_the_wait_is_the_mean_times_the_place_divided_by_those_who_serve() -> None:
    times = ServiceTimes()
    for minutes in (2, 4):
        times.served(minutes * 60_000)
    assert times.estimate_ms(1, free=0, slots=1) == 180_000
    assert times.estimate_ms(4, free=0, slots=2) == 360_000
    assert times.estimate_ms(4, free=1, slots=3) == 180_000


def test_where_somebody_is_free_it_is_what_taking_took() -> None:
    times = ServiceTimes()
    times.served(600_000)
    times.taken(4_000)
    times.taken(8_000)
    assert times.estimate_ms(1, free=1, slots=3) == 6_000


def test_the_latest_count_and_a_clock_that_goes_back_counts_nothing() -> None:
    times = ServiceTimes()
    times.served(10**9)
    for _ in range(50):
        times.served(-5)
    assert times.estimate_ms(1, free=0, slots=1) == 0
