"""Lines are broken between words, however the text comes in pieces."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from duologue.server.chat_screen import Flow


def shown(written: str) -> list[str]:
    """Play what was written on a terminal that is wide enough; returns its lines."""
    lines = [""]
    for part in re.findall(r"\x08+\x1b\[K|\n|[^\x08\n]+", written):
        if part == "\n":
            lines.append("")
        elif part.startswith("\x08"):
            back = part.count("\x08")
            while back > 0:
                back -= cell_len(lines[-1][-1])
                lines[-1] = lines[-1][:-1]
        else:
            lines[-1] += part
    return lines


def flowed(pieces: list[str], width: int) -> list[str]:
    flow = Flow(width)
    return shown("".join([flow.feed(piece) for piece in pieces]))


@pytest.mark.parametrize(
    ("pieces", "lines"),
    [
        (["one two three"], ["one two", "three"]),
        (["one tw", "o three"], ["one two", "three"]),
        (["one two thr", "ee"], ["one two", "three"]),
        (["one two t", "h", "r", "e", "e"], ["one two", "three"]),
        (["one\ntwo"], ["one", "two"]),
        (["12345678 9"], ["12345678", "9"]),
        (["1234567 9"], ["1234567", "9"]),
        (["1234567890123 5"], ["1234567890123 5"]),
        (["日本 語語語"], ["日本", "語語語"]),
        (["  ind"], ["  ind"]),
    ],
)
def test_flow(pieces: list[str], lines: list[str]) -> None:
    assert [line.rstrip() for line in flowed(pieces, 8)] == lines


def test_without_a_width_nothing_is_broken() -> None:
    flow = Flow(0)
    assert flow.feed("a" * 500 + " b") == "a" * 500 + " b"
    assert flow.column == 502
    assert flow.feed("\nc") == "\nc"
    assert flow.column == 1


WORDS = st.lists(st.text("ab日\n ", min_size=1, max_size=6), max_size=30)


@given(WORDS, st.integers(6, 20))
def test_no_word_is_lost_and_no_line_is_too_long(pieces: list[str], width: int) -> None:
    lines = flowed(pieces, width)
    assert "".join(lines).replace(" ", "") == "".join(pieces).replace(" ", "").replace("\n", "")
    for line in lines:
        assert cell_len(line) <= width or max(map(cell_len, line.split())) > width


@given(WORDS, st.integers(6, 20))
def test_how_the_text_is_cut_makes_no_difference(pieces: list[str], width: int) -> None:
    letters = [line.rstrip() for line in flowed(list("".join(pieces)), width)]
    assert [line.rstrip() for line in flowed(["".join(pieces)], width)] == letters
