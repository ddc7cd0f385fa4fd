"""Which language a text is in."""

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.engine.language import LOOKED_AT_CHARS, detect, understood
from duologue.model.inputs import UserTurn

TOLD: Final[dict[str, tuple[str, ...]]] = {
    "en": (
        "What is Duologue?",
        "How do I stop an answer?",
        "Tell me about the weather in Berlin.",
        "Can you help me with this?",
        "I don't know where they are.",
        'Translate "wie geht es dir und was ist das" to Spanish for me, please.',
        "It’s what you said.",
    ),
    "de": (
        "Wie wird das Wetter?",
        "Was kannst du?",
        "Ich möchte eine Pizza mit Käse.",
        "Wo ist der Bahnhof?",
        "Kannst du mir bitte helfen?",
        "Hallo, wie geht es dir?",
        "Wie heißt du und wo wohnst du?",
    ),
    "fr": (
        "Quelle heure est-il ?",
        "Comment ça marche avec les fichiers ?",
        "Je ne comprends pas.",
        "Où est la gare ?",
        "Pouvez-vous m'aider, s'il vous plaît ?",
        "Qu'est-ce que c'est ?",
    ),
    "es": (
        "¿Qué hora es?",
        "¿Dónde está la estación?",
        "No entiendo lo que dices.",
        "¿Puedes ayudarme con esto, por favor?",
        "¿Cómo estás?",
        "Quiero saber por qué los trenes no llegan.",
    ),
    "it": (
        "Che ore sono?",
        "Dove è la stazione?",
        "Non capisco che cosa vuoi.",
        "Puoi aiutarmi con questo?",
        "Come funziona la memoria?",
        "Mi chiamo Anna e sono di Roma.",
    ),
    "pt": (
        "Que horas são?",
        "Onde é a estação?",
        "Não entendo o que você diz.",
        "Você pode me ajudar com isso?",
        "Como faço para parar uma resposta?",
        "Eu não sei onde está o meu livro.",
    ),
    "nl": (
        "Hoe laat is het?",
        "Waar is het station?",
        "Ik begrijp je niet.",
        "Kun je mij hiermee helpen?",
        "Wat kan ik voor je doen?",
        "Ik heb een vraag over mijn rekening.",
    ),
    "pl": (
        "Która jest godzina?",
        "Gdzie jest dworzec?",
        "Nie rozumiem, co to znaczy.",
        "Czy możesz mi pomóc?",
        "Jak się masz?",
        "Mam pytanie do ciebie.",
    ),
    "sv": (
        "Vad är klockan?",
        "Var är stationen?",
        "Jag förstår inte.",
        "Kan du hjälpa mig med det här?",
        "Hur fungerar det?",
        "Jag vill veta varför tåget inte kommer.",
    ),
    "tr": (
        "Saat kaç oldu ve ne zaman gidiyoruz?",
        "İstasyon nerede, nasıl giderim?",
        "Bana yardım edebilir misin?",
        "Bu nedir?",
        "Bunu neden anlamıyorum?",
        "Hava bugün çok güzel değil mi?",
    ),
    "ru": (
        "Привет, как дела?",
        "Что это такое?",
        "Где находится вокзал и когда он открыт?",
        "Я не понимаю, почему это не работает.",
    ),
    "uk": (
        "Привіт, як справи?",
        "Що це таке?",
        "Де знаходиться вокзал і коли він відкритий?",
        "Я не розумію, чому це не працює.",
    ),
    "el": (
        "Τι ώρα είναι;",
        "Πού είναι ο σταθμός;",
    ),
    "he": (
        "מה השעה?",
        "איפה התחנה?",
    ),
    "ar": (
        "كم الساعة؟",
        "أين المحطة من فضلك؟",
    ),
    "th": (
        "กี่โมงแล้ว",
        "สถานีรถไฟอยู่ที่ไหน",
    ),
    "hi": (
        "यह क्या है?",
        "स्टेशन कहाँ है?",
        "मुझे समझ में नहीं आया।",
    ),
    "ja": (
        "今何時ですか。",
        "駅はどこにありますか？",
        "Duologueとは何ですか？",
        "はい",
    ),
    "ko": (
        "지금 몇 시예요?",
        "역이 어디에 있어요?",
    ),
    "zh": (
        "现在几点？",
        "火车站在哪里？",
        "請問這是什麼？",
        "你好，Duologue 是什么？",
    ),
}

UNSURE: Final = (
    "",
    "hello",
    "ok",
    "Berlin",
    "hi",
    "12345",
    "👍",
    "😀😀😀",
    "Duologue",
    "Pizza",
    "https://example.com/der/die/das",
    "`der die das ist`",
    "Hvad hedder du, og hvor kommer du fra?",
    "Jeg vet ikke hva det er.",
    "Какво е това и къде се намира?",
    "Шта је ово и зашто не ради?",
    "این چیست؟",
    "یہ کیا ہے؟",
    "हे काय आहे?",
    "యిది ఏమిటి",
    "the meeting und das what",
    "Wat is dit en hoekom het jy dit nie?",
    "π r",
    "bonjour, hello, hola",
)
"""Too short, mixed, code and addresses, and languages that are not told, some of them close to one that is."""

TEXTS: Final = st.text() | st.lists(
    st.sampled_from(
        [word for texts in TOLD.values() for text in texts for word in text.split()] + ["`", '"', "://", "π"]
    )
).map(" ".join)


@pytest.mark.parametrize(("language", "text"), [(tag, text) for tag, texts in TOLD.items() for text in texts])
def test_a_sentence_tells_its_language(language: str, text: str) -> None:
    assert detect(text) == language
    assert detect(text.upper()) in (language, None)


@pytest.mark.parametrize("text", UNSURE)
def test_who_is_unsure_says_nothing(text: str) -> None:
    assert detect(text) is None


def test_only_the_beginning_counts() -> None:
    begins = "What is this and how do you do it? ".ljust(LOOKED_AT_CHARS)
    assert detect(begins + "Was ist das und wie geht es dir? " * 50) == "en"
    assert detect(" " * LOOKED_AT_CHARS + begins) is None


@given(TEXTS)
def test_whatever_the_text_the_answer_is_a_tag_or_nothing_and_the_same_each_time(text: str) -> None:
    told = detect(text)
    assert told is None or told in TOLD
    assert detect(text) == told


@given(TEXTS, st.sampled_from(["en", "de-AT", "pt-BR", "ja", "fa", "x"]))
def test_nothing_but_the_language_is_filled_in(text: str, language: str) -> None:
    said = UserTurn(text=text, turn=3)
    noted = understood(said, language)
    assert noted == UserTurn(text=text, turn=3, language=noted.language)
    assert noted.language in (None, detect(text))


@pytest.mark.parametrize(
    ("said", "known", "language"),
    [
        (UserTurn(text="Wo ist der Bahnhof?"), "en", "de"),
        (UserTurn(text="Wo ist der Bahnhof?"), "de-CH", None),
        (UserTurn(text="Wo ist der Bahnhof?", language="fr"), "en", "fr"),
        (UserTurn(text="hello"), "de", None),
        (UserTurn(text="東京駅"), "ja", None),
        (UserTurn(text="東京駅"), "en", "zh"),
        (UserTurn(text="سلام"), "fa-IR", None),
        (UserTurn(text="سلام"), "en", "ar"),
    ],
)
def test_a_declared_or_closer_tag_stays(said: UserTurn, known: str, language: str | None) -> None:
    assert understood(said, known).language == language
