"""Which language a text is in: told by its script, and by short words where languages share one.

The lists are of words that nearly every sentence has. `None` is an answer: who is unsure changes nothing.
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

import msgspec

from duologue.model.inputs import UserTurn

LOOKED_AT_CHARS: Final = 80
"""How much of a text is looked at: one or two sentences decide, and the cost stays the same for long ones."""

ENOUGH: Final = 5
"""Least score of the winner: a word of its own and a shared one. One word decides nothing."""

MARGIN: Final = 1.8
"""The winner has more than this many times what the next language has: mixed texts have no winner."""

_OWN_WORD: Final = 4
"""What a word counts that only one language has; shared ones count their part of it."""

_LETTER: Final = 2
"""What a letter counts that is nearly only in one language: names travel, so it decides nothing alone."""

_FEW: Final = 4
"""How many Latin letters make one of another script a symbol or a name in Latin text."""

_LEAST_LETTERS: Final = 2
"""One letter of another script is a symbol, such as π."""

_SAMPLE: Final = 8
"""How many letters tell the script: scripts that are not Latin are seldom mixed with each other."""

_CYRILLIC_CHARS: Final = 50
"""How much of a text in Cyrillic is looked at for words: there are few candidates, and each character costs more."""

_WIDE: Final = 3
"""How many letters of an alphabet a character of Chinese, Japanese or Korean stands for, about."""

_WORDS: Final[Mapping[str, str]] = {
    "en": (
        "the and is are was were what how why who where when which this that these you your it's i'm my with for from"
        " have has do does did not can't don't could would should will be been of to can there they we please about"
        " tell me it if or an on a"
    ),
    "de": (
        "der die das und ist sind war ich du er sie wir ihr nicht ein eine einen einem einer mit von zu auf für was wie"
        " wo wer warum wann kann kannst können wird werden habe hat haben mir mich dir dich den dem des im es gibt geht"
        " auch oder wenn aber bitte noch mein dein über"
    ),
    "fr": (
        "le la les des est sont et une un je tu il elle nous vous ne pas que qui quoi quel quelle comment pourquoi où"
        " quand dans pour avec sur du au aux ce cette c'est j'ai qu'est mon ma mes votre être peux peut pouvez avez"
        " fait suis plus merci plaît"
    ),
    "es": (
        "el la los las es son está están y un una que qué cómo por para con no del al lo se me mi tu yo cuál cuándo"
        " dónde quién cuánto puedo puedes puede tengo tiene hay esto esta este pero más muy gracias hora"
        " ser quiero sé entiendo"
    ),
    "it": (
        "il lo la gli le è sono e un una di che chi come cosa perché dove quando per con non del della dei nel si mi"
        " ti io ho ha hai questo questa qual quanto posso puoi può anche ma più grazie funziona c'è"
    ),
    "pt": (
        "o a os as é são e um uma de que quem como por para com não do da dos das no na se me meu minha eu você qual"
        " quando onde posso pode tenho tem isto isso este esta mas mais muito obrigado hora está ser"
    ),
    "nl": (
        "de het een en is zijn was ik je jij hij wij we niet van voor met op aan dat dit die wat hoe waarom wie waar"
        " wanneer kan kun kunt heb heeft hebben mij mijn jouw ook of maar naar er wordt te bij graag laat"
    ),
    "pl": (
        "i w z na do nie jest są się to co jak kto gdzie kiedy dlaczego czy mam masz ma mi mój moja ja ty on ona że"
        " dla od po jaki jaka jakie który która mogę możesz może był była ten ta proszę ale przez pytanie ciebie jestem"
    ),
    "sv": (
        "och är det en ett jag du han hon vi inte som på av för med till den har kan vad hur varför var när vem om"
        " att min mitt din ditt mig dig från men också eller finns skulle vill ska här hjälpa i"
    ),
    "tr": (
        "ve bir bu ne nasıl neden nerede kim mi mı mu mü için ile de da değil var yok ben sen biz siz çok daha ama"
        " gibi nedir misin mısın olan olarak bana benim senin kadar hangi"
    ),
    # Neighbours that are not told, and would be taken for one of those above: Danish and Norwegian, Catalan, Afrikaans.
    "da": "jeg ikke og er det en et på til hvad hvordan hvorfor hvor hva hvem af med har kan du vi mig meg fra i",
    "ca": "el la els les és són i un una que què com per amb no del al es em meu jo quan on qui puc té però més molt",
    "af": "'n nie ek jy jou hoekom vir sy my dit ons",
}

_CYRILLIC_WORDS: Final[Mapping[str, str]] = {
    "ru": (
        "что это как не и в на я ты мы вы он она они с для где когда почему кто можно есть мне меня у от до или если"
        " так привет нет мой какой какая сколько"
    ),
    "uk": (
        "що це як не і в на я ти ми ви він вона вони з для де коли чому хто можна є мені мене у від до або якщо так"
        " привіт немає мій який яка скільки й та"
    ),
    # Not told: Bulgarian, Serbian and Macedonian.
    "bg": "какво това как не и в на аз ти ние вие той тя те с за къде кога защо кой може има ми мен от или ако са ще",
    "sr": "што шта ово како не и у на ја ти ми ви он она са за где кад зашто ко може има ми од или ако да је су",
}

_DEVANAGARI_WORDS: Final[Mapping[str, str]] = {
    "hi": "है हैं का की के को में से और क्या मैं यह नहीं कैसे आप मुझे पर हूँ हो कहाँ कौन क्यों था थी",
    # Not told: Marathi and Nepali.
    "mr": "आहे आहेत आणि मी काय कसे हे नाही मला कुठे का",
    "ne": "छ छन् हो र म के मा को यो छैन मलाई कहाँ किन तपाईं",
}

_TOLD: Final = frozenset({"en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "tr", "ru", "uk", "hi"})

_LETTERS: Final[Mapping[str, str]] = {
    "ß": "de",
    **dict.fromkeys("ñ¿¡", "es"),
    **dict.fromkeys("ãõ", "pt"),
    **dict.fromkeys("ąęłśźż", "pl"),
    **dict.fromkeys("ğış", "tr"),
    **dict.fromkeys("ыэё", "ru"),
    **dict.fromkeys("їєґ", "uk"),
    **dict.fromkeys("јљњћђџ", "sr"),
}

_TELLING: Final = frozenset(_LETTERS)

_SCRIPTS: Final[Mapping[int, str]] = {
    0x0380 >> 7: "el",
    **dict.fromkeys((0x0400 >> 7, 0x0480 >> 7), "cyrillic"),
    0x0580 >> 7: "he",
    **dict.fromkeys((0x0600 >> 7, 0x0680 >> 7), "ar"),
    0x0900 >> 7: "devanagari",
    0x0E00 >> 7: "th",
    0x3000 >> 7: "ja",
    0x3080 >> 7: "ja",
    **dict.fromkeys(range(0x3400 >> 7, 0xA000 >> 7), "zh"),
    **dict.fromkeys(range(0xAC00 >> 7, 0xD800 >> 7), "ko"),
}
"""Scripts by blocks of 128 code points. Source: Unicode, `Blocks.txt`."""

_SHARED: Final[Mapping[str, frozenset[str]]] = {
    "zh": frozenset({"ja", "ko", "yue", "wuu", "nan", "hak", "lzh"}),
    "ar": frozenset({"fa", "ur", "ps", "ckb", "ku", "ug", "sd", "pa", "ks", "arz", "az", "ms"}),
    "he": frozenset({"yi", "lad"}),
}
"""Languages that may be written in the same script alone: a conversation in one of them goes on in it."""

_NOT_ARABIC: Final = frozenset("پچژگکیٹڈڑےںہ")
"""Letters of Persian, Urdu and others that Arabic does not have."""

_OTHER_SCRIPT: Final = re.compile("[\u0370-\u1dff\u3040-\u30fb\u30fd-\ud7ff]+")
_KANA: Final = re.compile("[\u3040-\u30ff]")
_NO_LETTERS: Final = bytes(code for code in range(128) if not chr(code).isalpha())
_WORD: Final = re.compile("[^\\W\\d_]+(?:'[^\\W\\d_]+)?")
_INDIC_WORD: Final = re.compile("[\u0900-\u0963]+")
_QUOTED: Final = re.compile(r"```.*?(?:```|$)|`[^`]*`|\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」", re.DOTALL)
_QUOTES: Final = ("`", '"', "“", "„", "«", "「")


def _votes(lists: Mapping[str, str]) -> Mapping[str, tuple[tuple[str, float], ...]]:
    having: dict[str, tuple[str, ...]] = {}
    for language, words in lists.items():
        for word in dict.fromkeys(words.split()):
            having[word] = (*having.get(word, ()), language)
    return {word: tuple((one, _OWN_WORD / len(among)) for one in among) for word, among in having.items()}


_LATIN_VOTES: Final = _votes(_WORDS)
_CYRILLIC_VOTES: Final = _votes(_CYRILLIC_WORDS)
_DEVANAGARI_VOTES: Final = _votes(_DEVANAGARI_WORDS)


def detect(text: str) -> str | None:
    """Tell the language of a text.

    Args:
        text: what a person wrote; the first `LOOKED_AT_CHARS` characters count, without code, quotations, addresses.
    Returns:
        A BCP 47 tag of two letters; `None` where the text is too short, mixed, or in a language that is not known.
    """
    text = _own_words(text[:LOOKED_AT_CHARS]).lower()
    others = "" if text.isascii() else "".join(_OTHER_SCRIPT.findall(text))
    if not others:
        return _by_words(_WORD.findall(text), text, _LATIN_VOTES)
    script = Counter([_SCRIPTS.get(ord(letter) >> 7) for letter in others[:_SAMPLE]]).most_common(1)[0][0]
    weight = len(others) * (_WIDE if script in {"zh", "ja", "ko"} else 1)
    latin = len(text.encode("ascii", "ignore").translate(None, _NO_LETTERS))
    if weight * _FEW < latin:
        return _by_words(_WORD.findall(text), text, _LATIN_VOTES)
    if weight < latin or len(others) < _LEAST_LETTERS:
        return None
    return _by_script("ja" if script == "zh" and _KANA.search(text) else script, text)


def understood(said: UserTurn, language: str) -> UserTurn:
    """Note the language of a turn whose client did not declare one, where it can be told and is news.

    Args:
        said: the turn.
        language: BCP 47 tag of the conversation so far: a closer tag, such as pt-BR, is kept.
    """
    if said.language is not None or not said.text:
        return said
    told, known = detect(said.text), language.lower().partition("-")[0]
    if told is None or told == known or known in _SHARED.get(told, ()):
        return said
    return msgspec.structs.replace(said, language=told)


def _by_script(script: str | None, text: str) -> str | None:
    match script:
        case "cyrillic":
            text = text[:_CYRILLIC_CHARS]
            return _by_words(_WORD.findall(text), text, _CYRILLIC_VOTES)
        case "devanagari":
            return _by_words(_INDIC_WORD.findall(text), "", _DEVANAGARI_VOTES)
        case "ar" if not _NOT_ARABIC.isdisjoint(text):
            return None
        case _:
            return script


def _own_words(text: str) -> str:
    """Leave out code, quotations and addresses: they say nothing of the language that speaks of them."""
    if any(quote in text for quote in _QUOTES):
        text = _QUOTED.sub(" ", text)
    if "://" in text or "@" in text:
        text = " ".join([word for word in text.split() if "://" not in word and "@" not in word])
    return text.replace("’", "'")


def _by_words(words: list[str], text: str, votes: Mapping[str, tuple[tuple[str, float], ...]]) -> str | None:
    scores: dict[str, float] = {}
    for word in words:
        for language, part in votes.get(word, ()):
            scores[language] = scores.get(language, 0) + part
    if not text.isascii():
        for language in {_LETTERS[letter] for letter in _TELLING.intersection(text)}:
            scores[language] = scores.get(language, 0) + _LETTER
    best = max(scores, key=scores.__getitem__, default="")
    most = scores.pop(best, 0)
    if best not in _TOLD or most < ENOUGH or most <= MARGIN * max(scores.values(), default=0):
        return None
    return best
