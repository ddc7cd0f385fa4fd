"""What is answered to a courtesy, by language."""

from collections.abc import Mapping
from typing import Final

_ANSWERS: Final[Mapping[str, Mapping[str, str]]] = {
    "greeting": {
        "en": "Hello! How can I help you?",
        "de": "Hallo! Wie kann ich helfen?",
        "fr": "Bonjour ! Comment puis-je vous aider ?",
        "es": "¡Hola! ¿En qué puedo ayudarle?",
        "it": "Ciao! Come posso aiutare?",
        "pt": "Olá! Como posso ajudar?",
        "nl": "Hallo! Waarmee kan ik helpen?",
        "pl": "Dzień dobry! W czym mogę pomóc?",
        "sv": "Hej! Hur kan jag hjälpa till?",
        "tr": "Merhaba! Nasıl yardımcı olabilirim?",
        "ru": "Здравствуйте! Чем могу помочь?",
        "uk": "Вітаю! Чим можу допомогти?",
        "hi": "नमस्ते! मैं क्या मदद कर सकता हूँ?",
        "ar": "مرحبا! كيف يمكنني المساعدة؟",
        "zh": "您好！有什么可以帮您？",
        "ja": "こんにちは。ご用件をどうぞ。",
        "ko": "안녕하세요! 무엇을 도와드릴까요?",
    },
    "thanks": {
        "en": "You're welcome!",
        "de": "Gern geschehen!",
        "fr": "Je vous en prie !",
        "es": "¡De nada!",
        "it": "Prego!",
        "pt": "De nada!",
        "nl": "Graag gedaan!",
        "pl": "Proszę bardzo!",
        "sv": "Varsågod!",
        "tr": "Rica ederim!",
        "ru": "Пожалуйста!",
        "uk": "Будь ласка!",
        "hi": "आपका स्वागत है!",
        "ar": "على الرحب والسعة!",
        "zh": "不客气！",
        "ja": "どういたしまして。",
        "ko": "천만에요!",
    },
    "parting": {
        "en": "Goodbye!",
        "de": "Auf Wiedersehen!",
        "fr": "Au revoir !",
        "es": "¡Hasta luego!",
        "it": "Arrivederci!",
        "pt": "Até logo!",
        "nl": "Tot ziens!",
        "pl": "Do widzenia!",
        "sv": "Hej då!",
        "tr": "Hoşça kalın!",
        "ru": "До свидания!",
        "uk": "До побачення!",
        "hi": "अलविदा!",
        "ar": "مع السلامة!",
        "zh": "再见！",
        "ja": "さようなら。",
        "ko": "안녕히 가세요!",
    },
}


def courteous(courtesy: str, language: str) -> str | None:
    """What is answered to a courtesy; `None` in a language that it cannot be said in.

    Args:
        courtesy: as `engine.complexity_words.small_talk` calls it.
        language: BCP 47 tag.
    """
    return _ANSWERS.get(courtesy, {}).get(language.lower().partition("-")[0])
