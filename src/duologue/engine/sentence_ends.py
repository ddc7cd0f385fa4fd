"""Where sentences and clauses end, in the scripts of many languages.

A place in doubt is no end: a piece that is too long sounds better than one that is cut inside a number or a name.
"""

import re
from enum import IntEnum
from typing import Final

from duologue.engine.graphemes import may_cut


class End(IntEnum):
    """What ends at a place."""

    NOTHING = 0
    CLAUSE = 1
    SENTENCE = 2
    UNKNOWN = 3
    """More text has to arrive before one can say."""


_OWN: Final = "。！？｡．‼⁇⁈⁉？؟۔।॥։።፧፨။᠃᠉។៕⳹꓿𑁇𑁈"
"""End a sentence by themselves, with no space after them."""

_OWN_CLAUSE: Final = "、，；：､،؛՝፣፤፥"
_SPACELESS: Final = r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"
"""Thai, Lao, Burmese, Khmer: a space stands between clauses there, and none between words."""

_MARK: Final = re.compile(
    rf"[.!?…{_OWN}]+|[,;:—–―{_OWN_CLAUSE}-]|\n|(?<={_SPACELESS}) (?={_SPACELESS}|\Z)",
)
_CLOSERS: Final = re.compile(r"[\"'”’»›)\]}」』】》〉）＂＇]{0,4}")
_WIDE: Final = "\u2e80"
"""From here on scripts are written without spaces."""

_TITLE_WORDS: Final = (
    "mr mrs ms mx dr prof st sr jr rev gen col capt lt sgt gov sen rep hon pres mt ft "  # English
    "hr fr frl dipl ing bspw bzw ca evtl ggf inkl exkl nr abb bd kap str tel vgl zb sog "  # German
    "mme mlle mgr boul chap env "  # French
    "srta ud uds ee pag num "  # Spanish
    "sig sigg dott avv geom pagg "  # Italian
    "sra dra eng exa "  # Portuguese
    "dhr mevr mw drs ir bijv blz "  # Dutch
    "ul pl os tj tzn np hab inż "  # Polish
    "г ул д кв стр рис тел им проф акад т п н "  # Russian
    "vs cf viz approx dept"
)

_TITLES: Final = frozenset(_TITLE_WORDS.split())
"""Stand before what they belong to; a sentence does not end after them."""

_MAYBE_WORDS: Final = (
    "etc inc ltd co corp bros llc plc a.m p.m am pm u.s u.k e.u u.n d.c ph.d jan feb mar apr jun jul aug sep sept oct "
    "nov dec mon tue wed thu fri sat sun usw ave blvd rd usf ecc и др т.д т.п no nos vol p pp al ed eds art fig figs "
    "sec eq est ext max min u.a"
)

_MAYBE: Final = frozenset(_MAYBE_WORDS.split())
"""Abbreviations after which a sentence ends where the next word begins with a capital letter."""

_WORD: Final = re.compile(r"[^\s(\[{\"'“”‘’«»„—–/]*\Z")
_VOWELS: Final = frozenset("aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýœаеёиоуыэюяієїαεηιουωάέήίόύώ")
_WORD_LOOKBACK: Final = 24
"""How far back the word before a full stop is looked for, in code points: abbreviations are short."""


def next_mark(text: str, begin: int) -> re.Match[str] | None:
    """The next sign that may end something."""
    return _MARK.search(text, begin)


def after_mark(text: str, mark: re.Match[str]) -> int:
    """Where what the mark ends is over, closing quotes and brackets included."""
    closed = _CLOSERS.match(text, mark.end())
    return mark.end() if closed is None or mark.group() in "\n ,;:—–―-" else closed.end()


def end_at(text: str, mark: re.Match[str], cut: int, *, last: bool) -> End:
    """Say what ends at a mark.

    Args:
        text: what is known of the text, from the begin of a piece.
        mark: what `next_mark` found.
        cut: what `after_mark` said of it.
        last: nothing comes after `text`.
    """
    sign = mark.group()
    if sign == "\n":
        return End.SENTENCE
    if cut == len(text):
        return _at_the_end(mark) if last else End.UNKNOWN
    if not may_cut(text, cut):
        return End.NOTHING
    if sign == " ":
        return End.CLAUSE
    before, after = text[mark.start() - 1 : mark.start()], text[cut]
    if sign[-1] in _OWN or sign[-1] in _OWN_CLAUSE:
        inside = before.isdigit() and after.isdigit()
        return End.NOTHING if inside else End.SENTENCE if sign[-1] in _OWN else End.CLAUSE
    if sign in "—–―-":
        return _dash(text, sign, before, cut)
    if not (after.isspace() or after >= _WIDE) or after in "\u00a0\u202f":
        return End.NOTHING
    if sign in ",;:":
        return _soft(text, before, cut, last=last)
    return _stop(text, mark.start(), cut, last=last) if sign == "." else End.SENTENCE


def _at_the_end(mark: re.Match[str]) -> End:
    if mark.group() in " —–―-":
        return End.NOTHING
    return End.CLAUSE if mark.group() in ",;:" or mark.group() in _OWN_CLAUSE else End.SENTENCE


def _soft(text: str, before: str, cut: int, *, last: bool) -> End:
    """A comma or colon before a space; between digits it may be part of a number that is written with a space."""
    if not before.isdigit():
        return End.CLAUSE
    if cut + 1 >= len(text):
        return End.CLAUSE if last else End.UNKNOWN
    return End.NOTHING if text[cut + 1].isdigit() else End.CLAUSE


def _dash(text: str, sign: str, before: str, cut: int) -> End:
    """A dash ends a clause between words; not in ranges, and a hyphen only with spaces around it."""
    after = text[cut]
    if before.isspace() and after.isspace():
        left = text[: cut - 1].rstrip()[-1:]
        return End.NOTHING if left.isdigit() else End.CLAUSE
    return End.CLAUSE if sign in "—―" and before.isalpha() and (after.isspace() or after.isalpha()) else End.NOTHING


def _stop(text: str, at: int, cut: int, *, last: bool) -> End:
    """A full stop before a space."""
    found = _WORD.search(text[max(0, at - _WORD_LOOKBACK) : at])
    word = found.group() if found else ""
    small = word.lower()
    if small in _TITLES or (word.isdigit() and len(word) <= 2):
        return End.NOTHING
    if not _in_doubt(word, small):
        return End.SENTENCE
    if cut + 1 >= len(text):
        return End.SENTENCE if last else End.UNKNOWN
    begins = text[cut + 1].isupper() and small in _MAYBE
    return End.SENTENCE if begins else End.NOTHING


def _in_doubt(word: str, small: str) -> bool:
    """Whether a full stop may belong to the word: an initial, a known abbreviation, or letters without a vowel."""
    if small in _MAYBE or (len(word) == 1 and word.isalpha() and word < _WIDE and word != "I"):
        return True
    if "." in word and word.replace(".", "").isalpha():
        return max(map(len, word.split("."))) <= 2
    short = len(word) <= 5 and word.isalpha() and word < "\u0530"
    return short and not word.isupper() and _VOWELS.isdisjoint(small)
