"""The words by which memories are found: the same ones for what is kept and for what is asked, in any language."""

import re
import unicodedata
from typing import Final

MOST: Final = 64
"""Most words of one text that count: what people say at once, and then some."""

_WORD: Final = re.compile(r"[^\W_]+")
_UNSPACED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+"
)
"""Scripts whose words are not divided by spaces, and Korean, whose words carry their endings."""

_SUFFIXES: Final = (
    "ings ing edly ed es s ien ern en em er est st te e n t as os is a o i ar ir ait ais ons ez ent ando endo"
)
_ENDINGS: Final = tuple(sorted(_SUFFIXES.split(), key=len, reverse=True))
_STEM_LETTERS: Final = 3
"""What an ending has to leave."""

_EMPTY: Final = (
    "a an the and or but of to in on at for with from by as is am are was were be been do does did have has had i me my"
    " mine you your it its this that these those what which who when where why how can could will would shall about"
    " tell please there here we us our they them their he she him her not"
    " der die das den dem des ein eine einen einem einer und oder aber von zu im am auf fuer mit bei ist bin bist sind"
    " war waren habe hast hat haben ich mir mich mein meine meinen meiner du dir dein deine es was wer wie wo wann"
    " warum welche welcher kann kannst wird bitte nicht"
    " le la les un une des et ou mais de du au aux en dans sur pour avec par est suis sont ai avez je moi mon ma mes tu"
    " toi ton ta il elle ce que qui quoi quand comment quel quelle pas ne"
    " el los las una unos y pero del al con por para soy eres estoy tengo tiene yo mi mis tus su quien cuando donde"
    " como cual no"
    " lo gli uno e ma di da per sono sei ho hai io mio mia cosa chi dove come"
    " os um uma mas em com sou tenho eu meu minha voce onde quem"
    " het een van ik ben mijn je jij wat wie waar wanneer niet"
)
STOPWORDS: Final = frozenset(_EMPTY.split())
"""Words that tell nothing of what a text is about, in seven languages, without their accents."""


def terms(text: str) -> list[str]:
    """The words of a text as they are compared: without case, accents and common endings; each once, in order.

    Scripts without spaces are taken in pairs of letters.
    """
    found: dict[str, None] = {}
    for word in _WORD.findall(_folded(text)):
        at = 0
        for run in _UNSPACED.finditer(word):
            _add(found, word[at : run.start()])
            letters = run.group()
            found.update(dict.fromkeys(letters[i : i + 2] for i in range(max(1, len(letters) - 1))))
            at = run.end()
        _add(found, word[at:])
        if len(found) >= MOST:
            break
    return list(found)[:MOST]


def telling(text: str) -> list[str]:
    """Those of a text's words that tell what it is about; all of them where none does."""
    words = _folded(text)
    kept = " ".join(word for word in _WORD.findall(words) if word not in STOPWORDS)
    return terms(kept) or terms(text)


def sameness(text: str) -> str:
    """What two texts have in common that say the same: the same words, in whatever order, case and accents."""
    return " ".join(sorted(_WORD.findall(_folded(text)))) or text


def relevance(asked: list[str], kept: list[str]) -> float:
    """How much of what was asked a memory is about, 0 to 1: half of four words is as good as all of one."""
    hits = len(set(asked).intersection(kept))
    return min(1.0, hits / len(asked) ** 0.5) if hits else 0.0


def _add(found: dict[str, None], word: str) -> None:
    if word:
        found[_stem(word)] = None


def _stem(word: str) -> str:
    if not word.isalpha():
        return word
    """Take endings off until none is left, so that each form of a word leads to the same: `numbers` and `number`."""
    while (shorter := _without_ending(word)) != word:
        word = shorter
    return word


def _without_ending(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM_LETTERS:
            return word[: -len(ending)]
    return word


def _folded(text: str) -> str:
    # Composed again afterwards: Korean letters come apart otherwise.
    bare = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not _is_accent(letter))
    return unicodedata.normalize("NFC", bare).casefold()


def _is_accent(letter: str) -> bool:
    """Accents of Latin, Greek and Cyrillic letters; the marks of other scripts are part of their words."""
    return "\u0300" <= letter <= "\u036f"
