"""How hard a turn is to answer: a score from 0 to 1 with its reasons, told without a model in well under 2 ms.

Each sign of difficulty has a weight; together they are as likely as not to be overcome each: 1 - (1 - a)(1 - b)…
So more signs never make a turn easier, and no number of them makes it more than 1.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from duologue.engine import complexity_words
from duologue.engine.complexity_words import Hint
from duologue.model.base import Value

LOOKED_AT_CHARS: Final = 2_000
"""How much of a text is looked at: what is that long is hard for its length alone."""

SHORT_WORDS: Final = 12
"""Words of a question that is not long; most that people type have fewer."""

LONG_WORDS: Final = 150
"""Words from which on length adds no more."""

_PLAIN: Final = 0.1
_LENGTH_MOST: Final = 0.4
_ANALYSIS: Final = (0.4, 0.55)
_MAKING: Final = (0.3, 0.45)
_CONSTRAINT: Final = (0.08, 0.35)
_PART: Final = (0.12, 0.45)
_CODE: Final = 0.4
_FORMULA: Final = 0.35
_SUM: Final = 0.1
_DEPTH: Final = (0.02, 0.15)
_MIXED: Final = 0.15
_PICTURE: Final = 0.3
_FILE: Final = 0.2
_TOOL: Final = (0.15, 0.4)
_LARGE_RESULT: Final = 0.25
"""Weights: of one sign, and of all of its kind together where several add up. By trial on the cases in the tests."""

EARLIER_MESSAGES: Final = 40
"""How many of the latest messages are looked at for earlier turns: more would count no more."""

LARGE_RESULT_CHARS: Final = 2_000
"""What a tool returns from here on has to be read and not only told."""

_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_WIDE: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff\u0600-\u06ff]")
_LATIN: Final = re.compile("[A-Za-z\u00c0-\u024f]{2,}")
_OTHER: Final = re.compile("[\u0370-\u1dff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff]{2,}")
_CODE_SIGN: Final = (
    r"```|`[^`\n]+`|\b(?:def|class|import|function|const|SELECT|INSERT|UPDATE)\b[^.?!\n]{0,60}[({;*=]|=>|\(\)|[{};]\s*$"
    r"|^\s*(?:Traceback|File \"|at \w+\.)|[a-z](?:Error|Exception)\b|</\w+>"
)
_FORMULA_SIGN: Final = (
    r"[∫∑∏√∂∞≤≥≠]|\\(?:frac|int|sum|sqrt|lim)|\b[a-z]\s*[\^²³]|[\^]\s*\d|\b[a-z]\([a-z]\)\s*=|\b\d*[a-z]\s*[+\-*/=]\s*\d"
    r"|\b(?:integral|derivative|equation|theorem|matrix|probability|Integral|Ableitung|Gleichung|dérivée|équation"
    r"|ecuación|derivada|equazione|equação|równanie|уравнение|производная|рівняння)\b"
)
_SUM_SIGN: Final = re.compile(r"\d\s*(?:[+*/×÷%]|[-−](?=\s*\d))\s*\d|\d\s*%")
_ITEM: Final = re.compile(r"^\s*(?:[-*•]|\(?\d{1,2}[.)]|[a-z]\))\s+\S", re.MULTILINE)
_QUESTION: Final = re.compile("[?？؟]")


class Facts(Value, kw_only=True):
    """What is known of a turn besides its words.

    Attributes:
        earlier_turns: how many turns the conversation has behind it.
        pictures: how many photos it shows.
        files: how many other uploads.
        tool_calls: how many tools have been called to answer it so far.
        result_chars: how much they returned in all.
    """

    earlier_turns: int = 0
    pictures: int = 0
    files: int = 0
    tool_calls: int = 0
    result_chars: int = 0


class Complexity(Value, kw_only=True):
    """How hard a turn is, 0 to 1 in hundredths, and what makes it so, the weightiest first."""

    score: float
    reasons: tuple[str, ...] = ()


NOTHING_KNOWN: Final = Facts()


def assess(text: str, facts: Facts = NOTHING_KNOWN) -> Complexity:
    """Tell how hard a turn is to answer.

    Args:
        text: what the person said; the first `LOOKED_AT_CHARS` characters are looked at.
        facts: what is known besides.
    """
    text = text[:LOOKED_AT_CHARS]
    words = [word.lower() for word in _WORD.findall(text)]
    courtesy = complexity_words.small_talk(words)
    if courtesy is not None and not (facts.pictures or facts.files or facts.tool_calls):
        return Complexity(score=0.0, reasons=(courtesy,))
    signs = sorted([*_in_words(text, words), *_in_signs(text), *_in_facts(facts)], reverse=True)
    left = 1 - _PLAIN
    for weight, _ in signs:
        left *= 1 - weight
    return Complexity(score=round(1 - left, 2), reasons=tuple(reason for _, reason in signs))


def _in_words(text: str, words: list[str]) -> Iterator[tuple[float, str]]:
    wide = 0 if text.isascii() else len(_WIDE.findall(text))
    counted = Counter[Hint](hint for word in words if (hint := complexity_words.hint(word)) is not None)
    if wide:
        counted.update(complexity_words.hints_within(text))
    # A character of Chinese or Japanese stands for half a word, about.
    length = len(words) + wide // 2
    if length > SHORT_WORDS:
        share = min(1.0, (length - SHORT_WORDS) / (LONG_WORDS - SHORT_WORDS))
        yield _LENGTH_MOST * share, f"{length} words"
    yield from _many(counted["analysis"], _ANALYSIS, "asks for reasons or a comparison")
    yield from _many(counted["making"], _MAKING, "asks for something to be written or made")
    # Common words of more than one meaning: a single one says nothing.
    yield from _many(counted["constraint"] - 1, _CONSTRAINT, "has conditions")
    parts = max(0, len(_QUESTION.findall(text)) - 1) + max(0, len(_ITEM.findall(text)) - 1)
    if counted["analysis"] or counted["making"] or length > SHORT_WORDS:
        parts += max(0, counted["part"] - 1)
    yield from _many(parts, _PART, "has several parts")


def _in_signs(text: str) -> Iterator[tuple[float, str]]:
    if _sign(_CODE_SIGN).search(text):
        yield _CODE, "holds code"
    if _sign(_FORMULA_SIGN).search(text):
        yield _FORMULA, "holds mathematics"
    elif _SUM_SIGN.search(text):
        yield _SUM, "holds a sum"
    if not text.isascii() and _LATIN.search(text) and _OTHER.search(text):
        yield _MIXED, "is in several scripts"


def _in_facts(facts: Facts) -> Iterator[tuple[float, str]]:
    if facts.pictures:
        yield _PICTURE, "shows a picture"
    if facts.files:
        yield _FILE, "brings files"
    yield from _many(facts.earlier_turns, _DEPTH, "follows on earlier turns")
    yield from _many(facts.tool_calls - 1, _TOOL, "needed several tools")
    if facts.result_chars >= LARGE_RESULT_CHARS:
        yield _LARGE_RESULT, "a tool returned much"


def _many(count: int, weights: tuple[float, float], reason: str) -> Iterator[tuple[float, str]]:
    """The sign of a kind that was found so often: each adds to it, up to what all of them count."""
    one, most = weights
    if count > 0:
        yield round(most - (most - one) / count, 4) if count > 1 and one * 2 > most else min(most, one * count), reason


@lru_cache(maxsize=2)
def _sign(pattern: str) -> re.Pattern[str]:
    """Made when first needed: these two take 30 ms, which a server of one tier does not have to wait for."""
    return re.compile(pattern, re.MULTILINE)
