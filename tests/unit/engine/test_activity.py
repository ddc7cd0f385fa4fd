"""When speech begins and stops: windows are counted exactly, and the time that passed is told."""

import pytest

from duologue.engine.activity import Activity, ActivityRules, Began, Edge, Stopped

WINDOW_MS = 32
SPEECH, UNSURE, SILENCE = 0.9, 0.4, 0.1


def edges(rules: ActivityRules, *probabilities: float) -> list[tuple[int, Edge]]:
    """Hear windows; give what each of them showed, with its place."""
    activity = Activity(rules, window_ms=WINDOW_MS)
    heard = [(place, activity.hear(probability)) for place, probability in enumerate(probabilities)]
    return [(place, edge) for place, edge in heard if edge is not None]


def test_speech_begins_after_so_many_windows_in_a_row() -> None:
    rules = ActivityRules(start_windows=3)
    assert edges(rules, SPEECH, SPEECH, SILENCE, SPEECH, SPEECH) == []
    assert edges(rules, SILENCE, SPEECH, SPEECH, SPEECH, SPEECH) == [(3, Began(ago_ms=80))]


def test_one_window_is_enough_where_the_rules_say_so() -> None:
    assert edges(ActivityRules(start_windows=1), SILENCE, SPEECH) == [(1, Began(ago_ms=16))]


@pytest.mark.parametrize(("silence_ms", "windows"), [(0, 1), (48, 1), (49, 2), (200, 6), (208, 6), (209, 7), (500, 16)])
def test_silence_is_counted_from_the_middle_of_the_last_window_of_speech(silence_ms: int, windows: int) -> None:
    rules = ActivityRules(start_windows=1, silence_ms=silence_ms)
    found = edges(rules, SPEECH, *[SILENCE] * 20)
    assert found == [(0, Began(ago_ms=16)), (windows, Stopped(ago_ms=windows * 32 + 16))]
    assert silence_ms <= windows * 32 + 16 < max(silence_ms, 17) + 32


def test_what_the_model_trails_behind_counts_as_silence() -> None:
    activity = Activity(ActivityRules(start_windows=1, silence_ms=200), window_ms=WINDOW_MS, trail_ms=40)
    found = [activity.hear(probability) for probability in (SPEECH, *[SILENCE] * 5)]
    assert found == [Began(ago_ms=16), None, None, None, None, Stopped(ago_ms=5 * 32 + 16 + 40)]


def test_a_window_in_doubt_goes_on_as_it_was() -> None:
    rules = ActivityRules(start_windows=1, silence_ms=64)
    assert edges(rules, UNSURE, UNSURE) == []
    assert edges(rules, SPEECH, SILENCE, UNSURE, SILENCE, UNSURE) == [(0, Began(ago_ms=16))]


def test_one_window_of_speech_makes_silence_count_anew() -> None:
    rules = ActivityRules(start_windows=1, silence_ms=100)
    found = edges(rules, SPEECH, SILENCE, SILENCE, SPEECH, SILENCE, SILENCE, SILENCE, SILENCE)
    assert found == [(0, Began(ago_ms=16)), (6, Stopped(ago_ms=112))]


def test_speech_may_begin_again() -> None:
    rules = ActivityRules(start_windows=1, silence_ms=40)
    found = edges(rules, SPEECH, SILENCE, SILENCE, SPEECH)
    assert found == [(0, Began(ago_ms=16)), (1, Stopped(ago_ms=48)), (3, Began(ago_ms=16))]


def test_speech_stops_where_no_sound_comes_any_more() -> None:
    activity = Activity(ActivityRules(start_windows=1), window_ms=WINDOW_MS)
    assert activity.stop() is None
    for probability in (SPEECH, SPEECH, SILENCE, SILENCE):
        activity.hear(probability)
    assert activity.stop() == Stopped(ago_ms=80)
    assert activity.stop() is None and not activity.speaking
    assert activity.hear(SPEECH) == Began(ago_ms=16)
