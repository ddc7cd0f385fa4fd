"""The word error rate."""

import pytest

from duologue.testing.word_errors import word_errors


@pytest.mark.parametrize(
    ("expected", "heard", "errors"),
    [
        ("Hello there, you two!", "hello there you two", (0, 4)),
        ("I have 2 dogs.", "I have two dogs", (0, 4)),
        ("one two three", "", (3, 3)),
        ("", "one two", (2, 0)),
        ("one two three four", "one too three and four", (2, 4)),
        ("It's a well-known fact", "It’s a well known fact.", (0, 5)),
        ("你好 世界", "你好世", (1, 4)),
    ],
)
def test_words_are_compared_without_case_and_signs(expected: str, heard: str, errors: tuple[int, int]) -> None:
    assert word_errors(expected, heard) == errors
