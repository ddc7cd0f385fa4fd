"""Whether an answer passes."""

import pytest

from duologue.engine.quality import passes


@pytest.mark.parametrize(
    "text", ["yes", "42", "é", "你好", "```\ncode\n```", "see:\n  ```py\nx\n  ```\ndone", "`a` and `b`"]
)
def test_an_answer_that_says_something_whole_passes(text: str) -> None:
    assert passes(whole=True, confident=True, text=text, shown=False)


@pytest.mark.parametrize("text", ["", "  \n", "...", "?!", "🙂", "a\n```\ncode", "```a\n```\n```b"])
def test_an_answer_without_a_word_or_with_an_open_fence_does_not(text: str) -> None:
    assert not passes(whole=True, confident=True, text=text, shown=False)


def test_an_answer_that_was_cut_does_not_pass() -> None:
    assert not passes(whole=False, confident=True, text="yes", shown=True)


def test_an_answer_that_says_that_it_does_not_know_does_not_pass() -> None:
    assert not passes(whole=True, confident=False, text="yes", shown=True)


def test_something_shown_needs_no_words() -> None:
    assert passes(whole=True, confident=True, text="", shown=True)
    assert not passes(whole=True, confident=True, text="```", shown=True)
