"""Voice activity, whatever the windows are: each edge is where its definition says, found by looking back."""

from hypothesis import given
from hypothesis import strategies as st

from duologue.engine.activity import Activity, ActivityRules, Began, Edge, Stopped

WINDOW_MS, TRAIL_MS = 32, 40


@st.composite
def any_rules(draw: st.DrawFn) -> ActivityRules:
    """Draw rules that make sense."""
    start = draw(st.floats(0.05, 1))
    return ActivityRules(
        start_probability=start,
        stop_probability=start * draw(st.floats(0.1, 1)),
        start_windows=draw(st.integers(1, 6)),
        silence_ms=draw(st.integers(0, 400)),
    )


RULES = any_rules()
WINDOWS = st.lists(st.sampled_from((0.0, 0.02, 0.2, 0.34, 0.35, 0.5, 0.8, 1.0)), max_size=120)


def heard(rules: ActivityRules, windows: list[float]) -> list[Edge | None]:
    """Hear windows one after the other."""
    activity = Activity(rules, window_ms=WINDOW_MS, trail_ms=TRAIL_MS)
    return [activity.hear(window) for window in windows]


@given(RULES, WINDOWS)
def test_each_edge_is_at_the_first_window_that_completes_it(rules: ActivityRules, windows: list[float]) -> None:
    since, speaking = 0, False
    stop = next(count for count in range(1, 20) if count * WINDOW_MS + 16 + TRAIL_MS >= rules.silence_ms)
    for place, edge in enumerate(heard(rules, windows)):
        wanted = stop if speaking else rules.start_windows
        last = windows[max(since, place + 1 - wanted) : place + 1]
        turned = [p < rules.stop_probability if speaking else p >= rules.start_probability for p in last]
        if len(last) == wanted and all(turned):
            speaking, since = not speaking, place + 1
            assert isinstance(edge, Began if speaking else Stopped)
        else:
            assert edge is None


@given(RULES, WINDOWS)
def test_the_delays_say_how_many_windows_told(rules: ActivityRules, windows: list[float]) -> None:
    for edge in heard(rules, windows):
        match edge:
            case Began(ago_ms=ago_ms):
                assert ago_ms == rules.start_windows * WINDOW_MS - WINDOW_MS // 2
            case Stopped(ago_ms=ago_ms):
                assert rules.silence_ms <= ago_ms < max(rules.silence_ms, WINDOW_MS // 2 + TRAIL_MS + 1) + WINDOW_MS
            case None:
                pass


@given(RULES, WINDOWS, st.data())
def test_what_was_heard_before_silence_long_enough_does_not_matter(
    rules: ActivityRules, windows: list[float], data: st.DataObject
) -> None:
    before = data.draw(WINDOWS)
    silence = [0.0] * 20
    assert heard(rules, before + silence + windows)[len(before) + 20 :] == heard(rules, windows)


@given(RULES, WINDOWS)
def test_only_a_window_that_is_due_shows_anything(rules: ActivityRules, windows: list[float]) -> None:
    activity = Activity(rules, window_ms=WINDOW_MS, trail_ms=TRAIL_MS)
    for window in windows:
        due, speaking = activity.due, activity.speaking
        edge = activity.hear(window)
        assert due or edge is None
        # Where it is due, the right window does show something.
        if due and edge is None:
            assert window >= rules.stop_probability if speaking else window < rules.start_probability
