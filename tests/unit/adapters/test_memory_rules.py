"""What the rules understand, in seven languages, and what they leave alone."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.adapters.memory_rules import RuleExtractor
from duologue.model import limits
from duologue.ports.memory import Extracted, Forget, Said

NOW_MS = 1_796_000_000_000
RULES = RuleExtractor()


def look(text: str, language: str = "en") -> Extracted:
    return RULES.look(Said(text=text, language=language, now_ms=NOW_MS))


def texts(text: str, language: str = "en") -> list[str]:
    return [one.text for one in look(text, language).learnt]


@pytest.mark.parametrize(
    ("language", "text", "said"),
    [
        ("en", "Hi, I'm Ada Lovelace.", ["Name: Ada Lovelace"]),
        ("en", "My name is Bob van Dyk, please call me Bobby.", ["Name: Bob van Dyk", "Wants to be called Bobby"]),
        ("en", "I live in Berlin and I work for Acme.", ["Lives in Berlin", "Works at Acme"]),
        ("en", "We moved to Lisbon last month.", ["Lives in Lisbon"]),
        ("en-GB", "I’m 42 years old, and I'm a nurse.", ["Works as nurse", "Is 42 years old"]),
        ("en", "I love strong coffee but I hate cilantro.", ["Loves strong coffee", "Dislikes cilantro"]),
        ("en", "I'm allergic to peanuts and I'm a vegetarian.", ["Is vegetarian", "Allergic to peanuts"]),
        ("en", "I don't eat meat. I have two kids.", ["Does not eat meat", "Has two kids"]),
        ("en", "My dog is called Rex, my mum's name is Eve.", ["Mother: Eve", "Dog: Rex"]),
        ("en", "My favourite colour is blue.", ["Favourite colour: blue"]),
        ("en", "Please always answer in short sentences.", ["Wants: always answer in short sentences"]),
        ("en", "I'm flying to Rome next Friday.", ["Is flying to Rome next Friday (said on 2026-11-30)"]),
        ("en", "Remember that the door is broken.", ["Asked to remember: the door is broken"]),
        ("fi", "I live in Oslo.", ["Lives in Oslo"]),
        ("de", "Ich heiße Ada Müller und wohne in Berlin.", ["Name: Ada Müller", "Wohnt in Berlin"]),
        ("de", "Ich mag Kaffee, aber ich mag keinen Tee.", ["Mag Kaffee", "Mag Tee nicht"]),
        ("de", "Meine Frau heißt Ana. Ich habe zwei Kinder.", ["Frau: Ana", "Hat zwei Kinder"]),
        ("de", "Ich habe morgen einen Arzttermin.", ["Hat morgen einen Arzttermin (gesagt am 2026-11-30)"]),
        ("fr", "Je m'appelle Ada et j'habite à Lyon.", ["Nom : Ada", "Habite à Lyon"]),
        ("fr", "J'aime le café mais je n'aime pas le thé.", ["Aime le café", "N'aime pas le thé"]),
        ("es", "Me llamo Ada y vivo en Madrid.", ["Nombre: Ada", "Vive en Madrid"]),
        ("es", "Soy alérgica a las nueces. No me gusta el té.", ["Alergia: nueces", "No le gusta el té"]),
        ("it", "Mi chiamo Ada e vivo a Roma.", ["Nome: Ada", "Vive a Roma"]),
        ("pt", "Meu nome é Ada e moro em Lisboa.", ["Nome: Ada", "Mora em Lisboa"]),
        ("nl", "Ik heet Ada en ik woon in Utrecht.", ["Naam: Ada", "Woont in Utrecht"]),
    ],
)
def test_plain_statements_are_understood(language: str, text: str, said: list[str]) -> None:
    assert sorted(texts(text, language)) == sorted(said)


@pytest.mark.parametrize(
    "text",
    [
        "Do I like tea?",
        "Where do I live in Berlin?",
        "If I live in Rome, what then?",
        'She said "I live in Rome" and left.',
        "> I live in Rome",
        "```\nI live in Rome\n```",
        "I like it. I love that idea. I like your answer.",
        "I'd like to order a pizza.",
        "Call me back later. Call me when it is done.",
        "I like to know the price.",
        "My password is hunter2.",
        "Please remember my PIN is 1234.",
        "Remember that my card is 4111 1111 1111 1111.",
        "What are your opening hours?",
        "I have a question. I have an idea.",
        "",
    ],
)
def test_what_is_no_statement_of_the_person_is_left_alone(text: str) -> None:
    assert look(text) == Extracted()


@pytest.mark.parametrize(
    ("language", "text", "forget"),
    [
        ("en", "Please forget that I live in Berlin.", Forget(keys=("home",), words="berlin")),
        ("en", "Forget where I live.", Forget(keys=("home", "household"))),
        ("en", "forget my allergies", Forget(keys=("allergy:",))),
        ("en", "Forget that I am allergic to nuts", Forget(keys=("allergy:nuts",))),
        ("en", "forget about my dog Rex", Forget(words="dog Rex")),
        ("en", "Forget everything you know about me!", Forget(everything=True)),
        ("en", "Delete all my data.", Forget(everything=True)),
        ("en", "I no longer live in Paris.", Forget(keys=("home",), words="paris")),
        ("en", "I'm not allergic to nuts.", Forget(keys=("allergy:",), words="nuts")),
        ("de", "Vergiss bitte, dass ich in Berlin wohne.", Forget(words="Berlin")),
        ("de", "Vergiss alles, was du über mich weißt.", Forget(everything=True)),
        ("de", "Ich wohne nicht mehr in Berlin.", Forget(keys=("home",), words="berlin")),
        ("fr", "Oublie que j'habite à Lyon.", Forget(keys=("home",), words="lyon")),
        ("fr", "Oublie tout sur moi.", Forget(everything=True)),
        ("es", "Olvida que vivo en Madrid.", Forget(keys=("home",), words="madrid")),
        ("es", "Olvida todo sobre mí.", Forget(everything=True)),
        ("it", "Dimentica tutto di me.", Forget(everything=True)),
        ("pt", "Esqueça tudo sobre mim.", Forget(everything=True)),
        ("nl", "Vergeet alles over mij.", Forget(everything=True)),
    ],
)
def test_what_is_to_be_forgotten_is_understood(language: str, text: str, forget: Forget) -> None:
    found = look(text, language)
    assert (found.learnt, found.forget) == ((), (forget,))


@pytest.mark.parametrize(
    ("language", "text", "left"),
    [
        ("en", "I live in Berlin and I'm allergic to nuts. Forget that I live in Berlin.", ["Allergic to nuts"]),
        ("en", "My name is Ada. Forget my name.", []),
        ("en", "I'm allergic to nuts. I live in Rome. Forget my allergies.", ["Lives in Rome"]),
        ("en", "I love coffee. Forget everything you know about me. My name is Ada.", ["Name: Ada"]),
        ("en", "I live in Rome. Forget that I live in Paris.", ["Lives in Rome"]),
        ("de", "Ich wohne in Berlin. Vergiss bitte, dass ich in Berlin wohne.", []),
    ],
)
def test_what_was_said_before_in_the_same_turn_is_forgotten_too(language: str, text: str, left: list[str]) -> None:
    assert texts(text, language) == left


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Forget it."),
        ("en", "Forget about it, never mind"),
        ("en", "I forgot my keys."),
        ("en", "I will never forget that day."),
        ("de", "Vergiss es."),
        ("fr", "Oublie ça."),
        ("es", "Olvida eso."),
    ],
)
def test_a_manner_of_speaking_forgets_nothing(language: str, text: str) -> None:
    assert look(text, language).forget == ()


def test_what_is_asked_to_be_remembered_matters_and_what_is_unsure_less() -> None:
    (plain,), (asked,), (unsure,) = (
        look(text).learnt for text in ("I like tea.", "Please remember that I like tea.", "Maybe I like tea.")
    )
    assert plain.text == asked.text == unsure.text == "Likes tea"
    assert unsure.importance < plain.importance < asked.importance
    assert plain.key == asked.key == "taste:tea"


def test_what_is_liked_and_disliked_has_one_key() -> None:
    keys = {look(text).learnt[0].key for text in ("I love the tea.", "I don't like tea.", "I hate tea")}
    assert keys == {"taste:tea"}


def test_an_event_expires() -> None:
    (event,) = look("I have a dentist appointment tomorrow at 3.").learnt
    assert event.kind == "event"
    assert event.expires_ms is not None and event.expires_ms > NOW_MS


def test_a_turn_leaves_only_so_much() -> None:
    many = " ".join(f"I like thing{number}." for number in range(60))
    assert len(look(many).learnt) == limits.MEMORY_LEARNT


@pytest.mark.parametrize(
    "text",
    ["I like " * 600, "my name is A " * 350, "a " * 2_000, "my wife Ana " * 300, "forget " * 600, "I have a " * 400],
)
def test_no_text_takes_long(text: str) -> None:
    look("warm")
    began = time.process_time()
    look(text)
    assert time.process_time() - began < 1.0


@given(st.sampled_from(["en", "de", "fr", "es", "it", "pt", "nl", "xx"]), st.text(max_size=300))
def test_any_text_is_looked_through(language: str, text: str) -> None:
    found = look(text, language)
    for one in found.learnt:
        assert 0 <= one.importance <= 1 and 0 < len(one.text) <= limits.MEMORY_TEXT_CHARS


@given(
    st.sampled_from(["I live in {}.", "I like {}.", "I'm allergic to {}.", "Remember that {}.", "Forget {}."]),
    st.text(max_size=80),
)
def test_whatever_stands_in_a_statement_is_bounded(frame: str, value: str) -> None:
    for one in look(frame.format(value)).learnt:
        assert 0 < len(one.text) <= limits.MEMORY_TEXT_CHARS


@pytest.mark.anyio
async def test_it_is_done_beside_the_loop() -> None:
    assert (await RULES.extract(Said(text="I live in Oslo.", now_ms=1))).learnt[0].text == "Lives in Oslo"
    assert await RULES.extract(Said(text="  ", now_ms=1)) == Extracted()
    assert RULES.name == "rules"
