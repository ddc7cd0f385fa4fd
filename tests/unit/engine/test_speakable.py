"""Cutting answers of many languages into pieces that are spoken."""

import pytest

from duologue.engine.speakable import Speakable
from duologue.model import limits


def texts(answer: str) -> list[str]:
    speakable = Speakable()
    return [piece.text for piece in speakable.feed(answer) + speakable.finish()]


@pytest.mark.parametrize(
    ("answer", "pieces"),
    [
        (
            "Hello there, Dr. Smith. The price is 1,000.50 dollars, e.g. for 3 items. OK?",
            ["Hello there, Dr. Smith.", "The price is 1,000.50 dollars, e.g. for 3 items.", "OK?"],
        ),
        ("Well, I think so, too. Let us see then.", ["Well, I think so,", "too. Let us see then."]),
        (
            "Am 3. Oktober kommt Frau Dr. Müller, z. B. mit dem Zug.",
            ["Am 3. Oktober kommt Frau Dr. Müller,", "z. B. mit dem Zug."],
        ),
        ("Il coûte 12,50 €, etc. Voilà : c'est tout !", ["Il coûte 12,50 €, etc.", "Voilà : c'est tout !"]),
        ("¿Cómo está, Sr. López? Muy bien.", ["¿Cómo está, Sr. López?", "Muy bien."]),
        ("Привет, мир и т.д. Как дела? Хорошо.", ["Привет, мир и т.д.", "Как дела? Хорошо."]),
        ("你好，世界。价格是1，000元，很便宜！对吧？", ["你好，世界。", "价格是1，000元，很便宜！", "对吧？"]),
        ("「はい。」と言った。今日は、いい天気ですね。", ["「はい。」", "と言った。今日は、いい天気ですね。"]),
        ("안녕하세요. 오늘은 날씨가 좋네요.", ["안녕하세요.", "오늘은 날씨가 좋네요."]),
        ("नमस्ते। आप कैसे हैं? मैं ठीक हूँ।", ["नमस्ते।", "आप कैसे हैं? मैं ठीक हूँ।"]),
        ("مرحبا، كيف حالك؟ أنا بخير.", ["مرحبا، كيف حالك؟", "أنا بخير."]),
        ("สวัสดีครับ วันนี้อากาศดี ไปเที่ยวกันเถอะ", ["สวัสดีครับ วันนี้อากาศดี", "ไปเที่ยวกันเถอะ"]),
        ("It was open 1914 – 1918, on pp. 10-20. So I left.", ["It was open 1914 – 1918,", "on pp. 10-20. So I left."]),
    ],
)  # fmt: skip
def test_sentences_and_first_clauses_are_pieces(answer: str, pieces: list[str]) -> None:
    assert texts(answer) == pieces


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("**Bold** and *slanted* and ~~gone~~ and `code` here", "Bold and slanted and gone and code here"),
        ("a `snake_case` name, 2*3 is 2 * 3", "a snake_case name, 2*3 is 2 * 3"),
        ("See [the *docs*](https://a.b/c(d) \"title\") now", "See the docs now"),
        ("![a cat](cat.png) sits [1], they say[^note]", "a cat sits , they say"),
        ("Go to https://user@www.example.com/a/b?c=d#e.", "Go to example.com."),
        ("Go to <https://example.com/a> or <b>there</b>", "Go to example.com or there"),
        ("# Title\nA line\nthat goes on", "Title. A line that goes on"),
        ("- one\n- two\n\n> three\n", "one. two. three."),
        ("| a | b |\n|---|:-:|\n| 1 | 2 |", "a, b, 1, 2,"),
        ("Run this:\n```sh\nrm -rf build. Now\n```\nDone", "Run this: Done"),
        ("Fine 👍🏽 so far 👩‍👩‍👧 ✅ A → B", "Fine so far A B"),
        (r"not \*bold\* [x] [an array](", "not *bold* [an array]("),
        ("***\n---\nEnd", "End"),
    ],
)  # fmt: skip
def test_marks_are_not_said(answer: str, said: str) -> None:
    assert " ".join(texts(answer)) == said


def test_a_spoken_word_is_found_again_in_the_answer() -> None:
    answer = "Hi! See **the [long docs](https://a.b)** for more."
    speakable = Speakable()
    pieces = speakable.feed(answer) + speakable.finish()
    word = pieces[1].text.index("docs")
    begin, end = pieces[1].place(word, word + 4)
    assert answer[begin:end] == "docs"
    assert [answer[piece.begin : piece.end] for piece in pieces] == [
        "Hi! ",
        "See **the [long docs](https://a.b)** for more.",
    ]


def test_what_is_not_said_belongs_to_the_piece_before_or_after() -> None:
    answer = "Yes.\n\n```\ncode\n```\n"
    speakable = Speakable()
    pieces = speakable.feed(answer) + speakable.finish()
    assert [piece.text for piece in pieces] == ["Yes.", ""]
    assert [answer[piece.begin : piece.end] for piece in pieces] == ["Yes.\n", "\n```\ncode\n```\n"]


def test_a_long_sentence_is_cut_at_a_clause_then_a_word() -> None:
    words = " ".join(["word"] * 60)
    pieces = texts(f"First. {words}, {words} {words} 100 000.")
    assert pieces[:2] == ["First.", f"{words},"]
    assert all(len(piece) <= limits.PIECE_CHARS for piece in pieces)
    assert pieces[-1].endswith("100 000.")
    assert " ".join(pieces) == f"First. {words}, {words} {words} 100 000."


def test_text_without_spaces_is_cut_between_characters() -> None:
    pieces = texts("가́" * 500)
    assert {len(piece) for piece in pieces[:-1]} == {limits.PIECE_CHARS}
    assert all(piece.startswith("가") for piece in pieces)


@pytest.mark.parametrize(
    "answer", ["Let me look that up.", "Let me see", "It costs 3.", "I asked Dr.", "Wait", "", " ".join(["ha"] * 104)]
)
def test_what_is_hurried_is_all_that_was_said(answer: str) -> None:
    speakable = Speakable()
    assert speakable.feed(answer) == []
    pieces = speakable.hurry()
    assert " ".join(piece.text for piece in pieces) == answer
    assert all(len(piece.text) <= limits.PIECE_CHARS for piece in pieces)
    rest = speakable.feed("It is ten.") + speakable.finish()
    assert [piece.text for piece in rest] == ["It is ten."]


@pytest.mark.parametrize(
    "sign", ["[", "*", "`", "<", "(", "_", "#", "=", "|a", "[a](", "```x", "http://a", "~", "![", "1", "\n", "[a]"]
)
def test_no_text_is_read_again_and_again(sign: str) -> None:
    speakable = Speakable()
    length = 10_000
    pieces = [piece for _ in range(length) for piece in speakable.feed(sign)] + speakable.finish()
    assert pieces[-1].end == length * len(sign)
