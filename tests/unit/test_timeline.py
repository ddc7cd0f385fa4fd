"""Pictures of spoken turns, drawn from a journal."""

from typing import Any

import pytest
from benchmarks.timeline import draw

Event = dict[str, Any]  # Events of many kinds, as JSON.


def happened(kind: str, at_ms: int, state: str, **members: object) -> Event:
    return {"kind": kind, "at_ms": at_ms, "state": state, "turn": 1, **members}


TURN: list[Event] = [
    happened("speech_began", 1_050, "listening", ago_ms=50),
    happened("transcribed", 1_500, "listening", final=False, text="hello"),
    happened("speech_paused", 2_200, "transcribing", ago_ms=200),
    happened("transcribed", 2_300, "transcribing", final=True, text="Hello <you>."),
    happened("turn_accepted", 2_400, "thinking", source="voice", text="Hello <you>."),
    happened("response_started", 2_400, "thinking"),
    happened("text_delta", 2_500, "speaking"),
    happened("text_delta", 2_600, "speaking"),
    happened("speech_prepared", 2_700, "speaking", duration_ms=1_500),
    happened("word_spoken", 2_750, "speaking", word="Good"),
    happened("barged_in", 3_500, "listening", heard=4),
    happened(
        "turn_ended",
        3_500,
        "listening",
        latency={"transcriber_ms": 300, "turn_detection_ms": 100, "model_ms": 100, "voice_ms": 200, "total_ms": 700},
    ),
]


def test_a_turn_is_drawn_with_what_it_waited_for() -> None:
    drawn = draw(TURN, 1)
    assert drawn.startswith("<svg") and drawn.endswith("</svg>\n")
    for words in ("“Hello &lt;you&gt;.”", "1.5 s of sound", "Good", "interrupted after 4 characters"):
        assert words in drawn
    assert "700 ms = transcriber 300 + turn detection 100 + model 100 + voice 200" in drawn
    assert 'aria-label="Turn 1: Hello &lt;you&gt;."' in drawn


def test_a_part_of_a_turn_leaves_out_what_came_later() -> None:
    drawn = draw(TURN, 1, after_ms=600)
    assert "1.5 s of sound" not in drawn
    assert "interrupted" not in drawn


def test_a_turn_that_was_typed_has_no_picture() -> None:
    typed = [happened("turn_accepted", 1, "thinking", source="typed", text="hi")]
    for turn in (1, 2):
        with pytest.raises(ValueError, match="was not spoken"):
            draw(typed, turn)
