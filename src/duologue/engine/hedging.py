"""Whether an answer hedges: it says itself that it does not know, is not sure, or guesses.

Told by phrases of several languages, a list of our own. What the answer quotes or shows as code does not count.
"""

from typing import Final

from duologue.engine.phrases import Phrases

LOOKED_AT_CHARS: Final = 1_000
"""How much of an answer is looked at, from its begin and from its end: who hedges says so at one of them."""

_HEDGES: Final = Phrases(
    {
        "en": (
            "i'm not sure",
            "i am not sure",
            "i'm not certain",
            "i am not certain",
            "i'm not entirely sure",
            "i'm not completely sure",
            "i don't know",
            "i do not know",
            "i can't say for sure",
            "i cannot say for sure",
            "i can't say for certain",
            "i might be wrong",
            "i may be wrong",
            "i could be wrong",
            "i'm guessing",
            "my best guess",
            "it's hard to say",
            "it is hard to say",
            "hard to tell",
            "i think it might",
            "i believe it might",
            "i would have to check",
            "i'd have to check",
            "i'm unable to answer",
            "this is beyond me",
            "beyond my knowledge",
            "don't quote me",
        ),
        "de": (
            "ich bin … nicht … sicher",
            "bin ich … nicht … sicher",
            "ich weiß … nicht",
            "weiß ich nicht",
            "ich könnte mich irren",
            "ich kann mich irren",
            "schwer zu sagen",
            "ich vermute nur",
            "ohne gewähr",
            "das müsste ich nachsehen",
            "ich kann das nicht beantworten",
        ),
        "fr": (
            "je ne suis pas … sûr",
            "je ne suis pas … sûre",
            "je ne suis pas … certain",
            "je ne sais pas",
            "je ne saurais dire",
            "je peux me tromper",
            "je me trompe peut-être",
            "difficile à dire",
            "il faudrait que je vérifie",
        ),
        "es": (
            "no estoy … seguro",
            "no estoy … segura",
            "no lo sé",
            "no sé",
            "puede que me equivoque",
            "podría equivocarme",
            "es difícil decirlo",
            "tendría que comprobarlo",
        ),
        "it": (
            "non sono … sicuro",
            "non sono … sicura",
            "non lo so",
            "non so",
            "potrei sbagliarmi",
            "difficile dirlo",
            "dovrei verificare",
        ),
        "pt": (
            "não tenho … certeza",
            "não sei",
            "não estou … certo",
            "posso estar enganado",
            "posso estar errado",
            "é difícil dizer",
        ),
        "nl": (
            "ik weet het niet",
            "ik weet niet",
            "ik ben … niet zeker",
            "ik ben er niet … zeker van",
            "moeilijk te zeggen",
            "ik kan me vergissen",
        ),
        "pl": ("nie jestem … pewien", "nie jestem … pewna", "nie wiem", "mogę się mylić", "trudno powiedzieć"),
        "sv": ("jag är inte … säker", "jag vet inte", "jag kan ha fel", "svårt att säga"),
        "tr": ("emin değilim", "bilmiyorum", "yanılıyor olabilirim", "söylemek zor"),
        "ru": ("я не … уверен", "я не … уверена", "не знаю", "могу ошибаться", "трудно сказать"),
        "uk": ("я не … впевнений", "я не … впевнена", "не знаю", "можу помилятися", "важко сказати"),
        "hi": ("मुझे … नहीं पता", "मैं … निश्चित नहीं", "कहना मुश्किल"),
        "ar": ("لست متأكدا", "لست متأكدًا", "لا أعرف", "لا أعلم", "قد أكون مخطئا"),
        "zh": ("我不确定", "我不確定", "我不太确定", "我不知道", "我不清楚", "很难说", "很難說", "我可能错了"),
        "ja": ("わかりません", "分かりません", "確信がありません", "自信がありません", "間違っているかもしれません"),
        "ko": ("잘 모르겠", "확실하지 않", "확신할 수 없", "틀릴 수도"),
    }
)


def hedge(answer: str) -> str | None:
    """The words by which an answer says that it is not sure; `None` where it does not."""
    if len(answer) > 2 * LOOKED_AT_CHARS:
        return _HEDGES.find(answer[:LOOKED_AT_CHARS]) or _HEDGES.find(answer[-LOOKED_AT_CHARS:])
    return _HEDGES.find(answer)
