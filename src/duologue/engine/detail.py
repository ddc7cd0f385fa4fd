"""Whether a person asks for more detail about the last answer, and says nothing else.

Told by phrases of several languages, a list of our own.
"""

from typing import Final

from duologue.engine.phrases import Phrases

WORDS: Final = 12
"""Most words of such a request: who says more asks something of their own."""

CHARS: Final = 120
"""Most characters of one, also where words are not parted."""

_REQUESTS: Final = Phrases(
    {
        "en": (
            "more detail",
            "more details",
            "more detailed",
            "in greater detail",
            "in depth",
            "tell me more",
            "go deeper",
            "dig deeper",
            "explain further",
            "explain that further",
            "explain it further",
            "explain … more",
            "explain … better",
            "elaborate",
            "expand on that",
            "expand on this",
            "expand on it",
            "be more specific",
            "be more precise",
            "say more about that",
            "say more about it",
            "a longer answer",
            "a better answer",
            "think harder",
            "look closer",
        ),
        "de": (
            "mehr details",
            "mehr einzelheiten",
            "genauer",
            "ausführlicher",
            "etwas ausführlicher",
            "ins detail",
            "im detail",
            "erzähl mir mehr",
            "erzähl mehr",
            "erkläre … genauer",
            "mehr dazu",
            "mehr darüber",
        ),
        "fr": (
            "plus de détails",
            "plus de détail",
            "plus en détail",
            "en détail",
            "dis-m'en plus",
            "dites-m'en plus",
            "développe",
            "développez",
            "approfondis",
            "sois plus précis",
            "soyez plus précis",
        ),
        "es": (
            "más detalle",
            "más detalles",
            "con más detalle",
            "cuéntame más",
            "explícamelo mejor",
            "explica más",
            "amplía",
            "profundiza",
            "sé más específico",
        ),
        "it": (
            "più dettagli",
            "più in dettaglio",
            "nel dettaglio",
            "dimmi di più",
            "spiega meglio",
            "approfondisci",
        ),
        "pt": ("mais detalhes", "mais detalhe", "em detalhe", "conta-me mais", "me conte mais", "explique melhor"),
        "nl": ("meer details", "meer detail", "in detail", "uitgebreider", "vertel me meer", "vertel meer"),
        "pl": ("więcej szczegółów", "bardziej szczegółowo", "szczegółowo", "opowiedz więcej", "powiedz więcej"),
        "sv": ("mer detaljer", "mer detaljerat", "mer utförligt", "berätta mer", "förklara mer"),
        "tr": ("daha fazla ayrıntı", "daha fazla detay", "ayrıntılı", "daha ayrıntılı", "detaylı anlat"),
        "ru": ("подробнее", "более подробно", "поподробнее", "больше деталей", "расскажи больше"),
        "uk": ("докладніше", "детальніше", "більше деталей", "розкажи більше"),
        "hi": ("और विस्तार", "विस्तार से", "और जानकारी", "और बताओ", "और बताइए"),
        "ar": ("مزيد من التفاصيل", "المزيد من التفاصيل", "بالتفصيل", "أخبرني المزيد"),
        "zh": ("更详细", "更詳細", "详细一点", "詳細一點", "详细说明", "多说一点", "展开说", "具体一点"),
        "ja": ("もっと詳しく", "詳しく教えて", "詳しく説明", "さらに詳しく"),
        "ko": ("더 자세히", "자세히 설명", "더 알려", "구체적으로"),
    }
)


def asks_for_detail(text: str) -> bool:
    """Whether a turn asks for more about the last answer, and for nothing else."""
    return len(text) <= CHARS and len(text.split()) <= WORDS and _REQUESTS.find(text) is not None
