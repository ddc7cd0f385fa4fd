"""Laws of cutting an answer into speakable pieces, for any text in any split."""

from itertools import pairwise

import regex
from hypothesis import given
from hypothesis import strategies as st

from duologue.engine.graphemes import cut_before, may_cut
from duologue.engine.speakable import FIRST_CLAUSE_LETTERS, Piece, Speakable
from duologue.engine.word_times import estimated, word_ranges
from duologue.model import limits

MADE_UP = frozenset(" .,。")
"""What may stand for a line end or the edge of a table's cell."""

WORDS = [
    "hello",
    "world",
    "I",
    "the",
    "naïve",
    "Straße",
    "garçon",
    "año",
    "привет",
    "мир",
    "όχι",
    "שלום",
    "مرحبا",
    "كيف",
    "नमस्ते",
    "दुनिया",
    "안녕하세요",
    "สวัสดี",
    "ไทย",
    "你好",
    "世界",
    "今天",
    "こんにちは",
    "東京",
    "कि़",
    "क्षत्रिय",
    "été",
    "Việt",
]
WHOLE = [
    "1,000",
    "3.14",
    "1.234.567,89",
    "12:30",
    "2026-11-30",
    "50%",
    "$4.99",
    "-7",
    "1/2",
    "192.168.0.1",
    "v3.11.2",
    "+49-30-1234",
    "1e-5",
    "１，０００",
    "١٢٣",
    "१२.५",
    "e.g.",
    "i.e.",
    "Dr.",
    "Mr.",
    "z.B.",
    "bzw.",
    "p.m.",
    "U.S.",
    "Ph.D.",
    "etc.",
    "usw.",
    "т.д.",
    "vgl.",
    "Nr.",
    "https://example.com/a,b;c.d?e=f!g",
    "www.example.org/x.y_z",
    "joe.bloggs@example.com",
    "👩\u200d👩\u200d👧\u200d👦",
    "🇩🇪",
    "👍🏽",
    "❤️",
    "1️⃣",
    "न्त्र",
    "g̈",
    "각",
    "ᄀᆨ",
    "காஂ",
]
SIGNS = [
    ".",
    "!",
    "?",
    "…",
    ",",
    ";",
    ":",
    "—",
    "–",
    "。",
    "！",
    "？",
    "，",
    "、",
    "；",
    "：",
    "।",
    "؟",
    "،",
    "۔",
    ".\n\n",
    "\n",
    "\n-",
    ")",
    '"',
    "”",
    "」",
    "...",
    "?!",
    ".”",
]

_segments = st.tuples(
    st.sampled_from(WORDS + WHOLE), st.sampled_from(("", "", "", *SIGNS)), st.sampled_from((" ", " ", "  "))
)
_odd = st.text(
    st.sampled_from("ab1 .,:;!?\n*_`~[]()<>|\\#-=+>\"'h/tpsw。，你é\u0301\u200d\ufe0f😀🇩🇪각\u1100ก์ न्\u00a0&"),
    max_size=120,
)
_markdown = st.lists(
    st.sampled_from(
        [
            "**bold** ",
            "[link](https://a.b/c(d)) ",
            "[",
            "](",
            "https://a.b/c.d ",
            "`x` ",
            "```\n",
            "\n",
            "- ",
            "# ",
            "| a ",
            "<b>",
            "1. ",
            "word ",
            "end. ",
            "!",
            "_",
            "www.",
            "\\",
            "~~",
            "***",
            "[1]",
            "<https://x.y>",
            "---",
            "😀\u200d",
            "http",
            "x" * 50,
        ]
    ),
    max_size=40,
).map("".join)
_answers = st.one_of(
    _odd,
    _markdown,
    st.text(max_size=80),
    st.lists(_segments, max_size=60).map(lambda parts: "".join(map("".join, parts))),
)


def cut(answer: str, places: list[int] | None = None) -> list[Piece]:
    """Cut an answer that arrives in parts which end at some places."""
    speakable = Speakable()
    ends = [0, *sorted({place % (len(answer) + 1) for place in places or []}), len(answer)]
    fed = [piece for begin, end in pairwise(ends) for piece in speakable.feed(answer[begin:end])]
    return fed + speakable.finish()


@given(_answers, st.lists(st.integers(0, 10_000), max_size=50))
def test_how_an_answer_arrives_does_not_matter(answer: str, places: list[int]) -> None:
    assert cut(answer, places) == cut(answer) == cut(answer, list(range(len(answer))))


@given(_answers)
def test_pieces_lie_side_by_side_and_say_what_stands_there(answer: str) -> None:
    pieces = cut(answer)
    ends = [0, *(piece.end for piece in pieces)]
    assert [piece.begin for piece in pieces] == ends[:-1]
    assert ends[-1] == len(answer)
    assert all(piece.begin < piece.end for piece in pieces)
    assert all(piece.text for piece in pieces[:-1])
    for piece in pieces:
        assert len(piece.text) == len(piece.places) <= limits.PIECE_CHARS
        assert all(begin <= end for begin, end in pairwise((piece.begin, *piece.places, piece.end - bool(piece.text))))
        said = zip(piece.text, piece.places, strict=True)
        assert all(char == answer[place] or char in MADE_UP for char, place in said)


@given(st.lists(_segments, min_size=1, max_size=80))
def test_no_piece_ends_inside_a_number_an_abbreviation_an_address_or_a_character(
    parts: list[tuple[str, str, str]],
) -> None:
    answer, inside = "", set[int]()
    for whole, sign, gap in parts:
        inside |= set(range(len(answer) + 1, len(answer) + len(whole)))
        answer += whole + sign + gap
    assert [piece.end for piece in cut(answer) if piece.end in inside and not _is_words_end(answer, piece.end)] == []


def _is_words_end(answer: str, end: int) -> bool:
    """Whether only marks of the whole follow: its last signs are not said."""
    rest = answer[end:].split(" ", 1)[0]
    return not any(map(str.isalnum, rest)) and may_cut(answer, end)


@given(st.text(st.characters(), max_size=40) | _odd | st.lists(st.sampled_from(WORDS + WHOLE)).map("".join))
def test_a_cut_that_is_allowed_parts_no_grapheme(text: str) -> None:
    graphemes = regex.findall(r"\X", text)
    allowed = {0}
    for grapheme in graphemes:
        allowed.add(max(allowed) + len(grapheme))
    assert {at for at in range(len(text) + 1) if may_cut(text, at)} <= allowed
    assert all(0 < cut_before(text, at) <= at for at in range(1, len(text) + 1))


@given(
    st.lists(st.sampled_from(("so", "we", "went", "there", "again", "today")), min_size=1, max_size=12),
    st.sampled_from(".!?,;:"),
)
def test_the_first_piece_is_given_with_the_begin_of_what_follows_it(words: list[str], sign: str) -> None:
    first = " ".join(words) + sign
    speakable = Speakable()
    pieces = [piece for char in first + " Then" for piece in speakable.feed(char)]
    letters = sum(map(len, words))
    assert [piece.text for piece in pieces] == ([first] if sign in ".!?" or letters >= FIRST_CLAUSE_LETTERS else [])


@given(_answers, st.integers(0, 1_000))
def test_a_hurried_answer_is_still_whole(answer: str, place: int) -> None:
    speakable = Speakable()
    at = place % (len(answer) + 1)
    pieces = speakable.feed(answer[:at]) + speakable.hurry() + speakable.feed(answer[at:]) + speakable.hurry()
    pieces += speakable.finish()
    ends = [0, *(piece.end for piece in pieces)]
    assert [piece.begin for piece in pieces] == ends[:-1]
    assert ends[-1] == len(answer)


@given(_answers, st.integers(0, 60_000))
def test_estimated_words_come_in_order_and_fill_the_time(text: str, duration_ms: int) -> None:
    words = estimated(text, duration_ms)
    assert [(word.begin_char, word.end_char) for word in words] == word_ranges(text)
    moments = [0, *(moment for word in words for moment in (word.begin_ms, word.end_ms))]
    assert moments == sorted(moments)
    assert not words or words[-1].end_ms == duration_ms
