"""The words with which a person asks for a human."""

import pytest

from duologue.runtime.desk.asking import Asking


@pytest.mark.parametrize(
    "text",
    [
        "Can I talk to a human?",
        "I would like to SPEAK   to a person, please",
        "Ich möchte mit einem Menschen sprechen.",
        "je veux parler à quelqu’un",
        "Quiero hablar con una persona",
        "vorrei parlare con un operatore",
        "quero falar com um atendente",
        "kan ik met een medewerker spreken",
        "chcę rozmawiać z człowiekiem",
        "It is not working. I want to talk to an agent",
    ],
)
def test_who_asks_is_heard_in_their_language(text: str) -> None:
    assert Asking().heard(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "I don't want to talk to a human",
        "Ich will nicht mit einem Menschen sprechen",
        "no need to speak to a person",
        "what is a human resources form?",
        "The superhuman agents of tomorrow",
        "x" * 400 + " talk to a human",
        "",
    ],
)
def test_who_does_not_ask_is_left_alone(text: str) -> None:
    assert Asking().heard(text) is None


def test_phrases_are_added_and_the_built_in_ones_taken_away() -> None:
    asking = Asking(("Get me Bob",), built_in=False)
    assert asking.heard("please get me  bob!") == "get me bob"
    assert asking.heard("talk to a human") is None
    assert Asking((), built_in=False).heard("talk to a human") is None
