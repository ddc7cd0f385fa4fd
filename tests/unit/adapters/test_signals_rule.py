"""Signals by rules: every mood in every language, and what stands around the words."""

import pytest

from duologue.adapters.signals_rule import LANGUAGES, RuleSignals
from duologue.model.signals import Intent, Sentiment
from duologue.ports.signal_adapter import Heard, IntentExamples

RULES = RuleSignals()

SAID = {
    "en": "Fed up, it keeps failing|You are thieves, I am furious|I don't understand, what do you mean"
    "|It's an emergency, right now please|Thanks, that was helpful|Wow, I love it|What are your opening hours?",
    "de": "Das klappt immer noch nicht|Eine Frechheit, ich bin stinksauer|Ich verstehe nicht, was meinen Sie"
    "|Dringend, bitte sofort|Danke, das hat geholfen|Großartig, ich bin begeistert|Wann haben Sie geöffnet?",
    "fr": "J'en ai marre, ça ne marche pas|C'est une arnaque, je suis furieuse|Je ne comprends pas, ce n'est pas clair"
    "|C'est urgent, tout de suite|Merci, c'est réglé, parfait|J'adore, c'est génial|Quels sont vos horaires ?",
    "es": "Estoy harta, no funciona|Son unos ladrones, estoy furioso|No entiendo, qué quiere decir"
    "|Es urgente, ahora mismo|Gracias, ya funciona|Me encanta, es increíble|¿A qué hora abren?",
    "it": "Non ne posso più, non funziona|Che vergogna, siete ladri|Non capisco, cosa significa"
    "|È urgente, subito|Grazie, adesso funziona|Lo adoro, fantastico|A che ora aprite?",
    "pt": "Estou farta, não funciona|Que vergonha, são ladrões|Não entendi, como assim"
    "|É urgente, agora mesmo|Obrigada, já funciona|Adorei, incrível|A que horas abrem?",
    "nl": "Ik ben het zat, het werkt niet|Schandalig, ik ben woedend|Ik snap niet wat u bedoelt, onduidelijk"
    "|Dringend, nu meteen|Bedankt, het is opgelost|Geweldig, ik ben dolblij|Hoe laat gaat de winkel open?",
    "pl": "Mam dość, nadal nie działa|Skandal, jestem wściekła|Nie rozumiem, o co chodzi"
    "|Pilne, natychmiast|Dziękuję, już działa|Uwielbiam to, fantastycznie|O której otwieracie?",
}
MOODS = ("frustration", "anger", "confusion", "urgency", "satisfaction", "delight", "neutral")


def mood(text: str, language: str = "en", **more: object) -> Sentiment:
    heard = Heard(text=text, language=language, **more)  # pyright: ignore[reportArgumentType]  # fields of Heard
    (sentiment,) = RULES.estimate(heard)
    assert isinstance(sentiment, Sentiment)
    assert 0 <= sentiment.score <= 1
    assert 0 <= sentiment.confidence <= 1
    return sentiment


@pytest.mark.parametrize(
    ("language", "text", "category"),
    [
        (language, text, category)
        for language, line in SAID.items()
        for text, category in zip(line.split("|"), MOODS, strict=True)
    ],
)
def test_each_mood_is_told_in_each_language(language: str, text: str, category: str) -> None:
    found = mood(text, language)
    assert found.category == category, found


def test_each_language_is_tried() -> None:
    assert set(SAID) == set(LANGUAGES)


def test_closer_tags_of_a_language_have_its_words() -> None:
    assert mood("Obrigado, ficou ótimo", "pt-BR").polarity == "positive"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "I'm not happy with this"),
        ("en", "That wasn't helpful"),
        ("de", "Das gefällt mir nicht"),
        ("fr", "Je ne suis pas contente"),
        ("es", "No estoy contento"),
        ("it", "Non sono contento"),
        ("pt", "Não estou satisfeito"),
        ("nl", "Ik ben niet tevreden"),
        ("pl", "Nie jestem zadowolony"),
    ],
)
def test_a_negation_turns_what_is_good_round(language: str, text: str) -> None:
    assert mood(text, language).polarity == "negative"


@pytest.mark.parametrize("text", ["This is not urgent", "I am not angry", "It is no emergency"])
def test_a_negation_takes_what_is_bad_away(text: str) -> None:
    assert mood(text).category in ("neutral", "satisfaction")


def test_a_negation_ends_with_its_clause() -> None:
    assert mood("No, that was helpful").category == "satisfaction"


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("I am very disappointed", "I am disappointed"),
        ("I am disappointed", "I am a bit disappointed"),
        ("I am DISAPPOINTED by it", "I am disappointed by it"),
        ("I am disappointed!!", "I am disappointed"),
        ("It is soooo slow", "It is slow"),
        ("I am disappointed 😤", "I am disappointed"),
    ],
)
def test_what_stands_around_a_word_makes_it_count_more_or_less(more: str, less: str) -> None:
    assert mood(more).category == mood(less).category or mood(less).category == "neutral"
    strong, weak = mood(more).score, mood(less).score if mood(less).category != "neutral" else 0.0
    assert strong > weak


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("😡", "anger"),
        ("👍", "satisfaction"),
        ("🎉🎉", "delight"),
        ("🤔", "confusion"),
        ("🚨", "urgency"),
        (":(", "frustration"),
    ],
)
def test_faces_tell_in_any_language(text: str, category: str) -> None:
    found = mood(text, "ja")
    assert found.category == category
    assert found.confidence < 0.5, "no words of the language are known"


def test_shouting_and_disbelief() -> None:
    assert mood("WHERE IS MY PARCEL").category == "anger"
    assert mood("You want what??").category == "confusion"


def test_the_same_thing_said_again_frustrates() -> None:
    said = "Where is the parcel that I ordered?"
    assert mood(said).category == "neutral"
    again = mood(said, earlier=("Hello", "where is the parcel I ordered"))
    assert again.category == "frustration"
    assert mood("yes", earlier=("yes",)).category == "neutral"


def test_both_sides_are_mixed_and_what_follows_but_counts_more() -> None:
    found = mood("The app is great, but it keeps crashing")
    assert (found.category, found.polarity) == ("frustration", "mixed")
    assert mood("It keeps crashing, but the support is great and very helpful").category == "satisfaction"


def test_how_a_turn_went_counts_too() -> None:
    asked = "Where is my parcel?"
    assert mood(asked, scope="turn", outcome="failed").category == "frustration"
    assert mood(asked, scope="turn", outcome="completed", answer="On its way.").category == "neutral"


def test_what_is_not_known_is_not_claimed() -> None:
    found = mood("nič moc, ale ujde", "cs")
    assert (found.category, found.confidence) == ("neutral", 0.1)
    assert mood("").category == "neutral"


INTENTS = (
    IntentExamples(name="cancel", examples=("I want to cancel my contract", "Please end my subscription")),
    IntentExamples(name="invoice", examples=("Where is my invoice?", "Send me the bill for March")),
    IntentExamples(name="person", examples=("Let me talk to a person", "Ich möchte mit einem Menschen sprechen")),
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("please cancel the contract", "cancel"),
        ("I can't find my invoice", "invoice"),
        ("Kann ich mit einem Menschen sprechen?", "person"),
    ],
)
def test_an_intent_is_told_by_the_words_of_its_examples(text: str, name: str) -> None:
    (_, found) = RuleSignals(INTENTS).estimate(Heard(text=text))
    assert isinstance(found, Intent)
    assert found.intent == name
    assert 0 < found.confidence <= found.score <= 1


def test_other_intents_that_are_near_are_alternates() -> None:
    (_, found) = RuleSignals(INTENTS).estimate(Heard(text="cancel my contract and send me the invoice"))
    assert isinstance(found, Intent)
    assert [one.intent for one in found.alternates] == ["invoice"] or found.intent == "invoice"
    assert all(one.score <= found.score for one in found.alternates)


def test_a_text_that_is_like_no_example_has_no_intent() -> None:
    assert len(RuleSignals(INTENTS).estimate(Heard(text="The weather is nice"))) == 1
