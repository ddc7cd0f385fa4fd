"""What is said by voice before a better answer takes the place of the first."""

from collections.abc import Mapping
from typing import Final

_BRIDGES: Final[Mapping[str, str]] = {
    "en": "Let me look closer.",
    "de": "Ich sehe genauer nach.",
    "fr": "Je regarde de plus près.",
    "es": "Déjame verlo con más detalle.",
    "it": "Guardo meglio.",
    "pt": "Deixe-me ver melhor.",
    "nl": "Ik kijk even beter.",
    "pl": "Sprawdzę to dokładniej.",
    "sv": "Låt mig titta närmare.",
    "tr": "Daha yakından bakayım.",
    "ru": "Сейчас посмотрю внимательнее.",
    "uk": "Зараз подивлюся уважніше.",
    "hi": "मैं ध्यान से देखता हूँ।",
    "ar": "دعني أنظر عن كثب.",
    "zh": "让我仔细看看。",
    "ja": "もう少し詳しく見てみます。",
    "ko": "좀 더 자세히 살펴볼게요.",
}


def bridge(language: str, own: str = "") -> str:
    """What is said, with the space that parts it from the answer.

    Args:
        language: BCP 47 tag of the conversation; of others than those above, nothing is said.
        own: in its place, as set; one blank says nothing.
    """
    said = (own or _BRIDGES.get(language.lower().partition("-")[0], "")).strip()
    return f"{said} " if said else ""
