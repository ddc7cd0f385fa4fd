"""The figures of a response."""

import pytest

from duologue.engine.figures import measure
from duologue.engine.state import OpenResponse
from duologue.model.content import Figures


def response(*pieces: str, first_text_ms: int | None = None, shown: bool = False) -> OpenResponse:
    """A response that began at 1_000 ms."""
    return OpenResponse(
        response_id="response-1",
        attempt=1,
        started_ms=1_000,
        last_item_ms=1_000,
        first_text_ms=first_text_ms,
        pieces=list(pieces),
        length=sum(map(len, pieces)),
        shown=shown,
    )


def figures(measured: OpenResponse, *, now_ms: int, whole: bool = True, total_tokens: int | None = None) -> Figures:
    return measure(measured, now_ms=now_ms, whole=whole, confident=True, total_tokens=total_tokens, language="de")


def test_a_whole_answer() -> None:
    assert figures(response("one", " two", " three"), now_ms=1_000).tps == 0.0
    assert figures(response("one", " two", " three", first_text_ms=1_250), now_ms=2_750) == Figures(
        ttft_ms=250, duration_ms=1_750, total_tokens=3, tps=2.0, quality_pass=True, language="de"
    )


def test_the_agent_s_own_count_of_tokens_is_taken() -> None:
    measured = figures(response("one two three", first_text_ms=1_100), now_ms=1_400, total_tokens=7)
    assert (measured.total_tokens, measured.tps) == (7, 23.33)


def test_zero_tokens_are_a_count_too() -> None:
    assert figures(response("one", first_text_ms=1_100), now_ms=1_400, total_tokens=0).total_tokens == 0


@pytest.mark.parametrize("now_ms", [1_100, 1_000])
def test_no_speed_is_told_where_no_time_passed(now_ms: int) -> None:
    assert figures(response("one", first_text_ms=now_ms), now_ms=now_ms).tps == 0.0


def test_an_answer_without_text_has_no_time_to_its_first_text() -> None:
    measured = figures(response(shown=True), now_ms=1_400)
    assert (measured.ttft_ms, measured.duration_ms, measured.tps) == (None, 400, 0.0)
    assert measured.quality_pass


def test_a_cut_answer_does_not_pass() -> None:
    assert not figures(response("one", first_text_ms=1_100), now_ms=1_400, whole=False).quality_pass
