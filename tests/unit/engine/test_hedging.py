"""Answers that say themselves that they are not sure, and people who ask for more."""

import pytest

from duologue.engine import hedging
from duologue.engine.bridges import bridge
from duologue.engine.detail import asks_for_detail
from duologue.engine.hedging import hedge


@pytest.mark.parametrize(
    "answer",
    [
        "I'm not sure, but it may be Tuesday.",
        "I’m not entirely sure about that.",
        "Hm. I do not know.",
        "It is hard to say without the figures.",
        "Ich bin mir da nicht ganz sicher.",
        "Das weiß ich nicht.",
        "Je ne suis pas tout à fait sûr.",
        "No estoy segura de eso.",
        "Non lo so.",
        "Não tenho a certeza.",
        "Ik weet het niet.",
        "Nie jestem tego pewien.",
        "Jag vet inte.",
        "Emin değilim.",
        "Я не совсем уверен.",
        "我不太确定。",
        "すみません、よくわかりません。",
        "잘 모르겠습니다.",
    ],
)
def test_an_answer_that_is_not_sure_hedges(answer: str) -> None:
    assert hedge(answer) is not None


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "It is Tuesday.",
        "Are you sure? If you are not sure, ask again.",
        "You don't know it yet.",
        'He said "I don\'t know" and left.',
        "Print it:\n```\nprint('I am not sure')\n```",
        "Press the button, then wait.",
        "Sie können sicher sein.",
        "Je suis sûr.",
        "ignore me",
    ],
)
def test_an_answer_that_is_sure_does_not(answer: str) -> None:
    assert hedge(answer) is None


def test_the_words_are_told() -> None:
    assert hedge("Well: I AM NOT SURE.") == "i am not sure"


def test_a_long_answer_is_looked_at_from_both_ends() -> None:
    filler = "word " * hedging.LOOKED_AT_CHARS
    assert hedge(filler + "But I might be wrong.") == "i might be wrong"
    assert hedge("I might be wrong. " + filler) == "i might be wrong"
    assert hedge(filler + "I might be wrong. " + filler) is None


@pytest.mark.parametrize(
    "text",
    [
        "Tell me more.",
        "More details, please!",
        "Can you explain that in more detail?",
        "could you elaborate?",
        "Kannst du das genauer erklären?",
        "Mehr dazu bitte",
        "Plus de détails s'il vous plaît",
        "Cuéntame más",
        "Dimmi di più",
        "Mais detalhes, por favor",
        "Подробнее, пожалуйста",
        "请更详细地说",
        "もっと詳しく教えてください",
    ],
)
def test_who_wants_more_of_the_last_answer_says_so(text: str) -> None:
    assert asks_for_detail(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "What is the price?",
        "Thanks, that is enough.",
        "In my last order the details of the invoice were wrong, and I would like to know more details about who"
        " changed them and when that was",
        "more",
    ],
)
def test_who_asks_something_of_their_own_does_not(text: str) -> None:
    assert not asks_for_detail(text)


def test_a_bridge_is_said_in_the_conversation_s_language() -> None:
    assert bridge("en-GB") == "Let me look closer. "
    assert bridge("de") == "Ich sehe genauer nach. "
    assert bridge("de", "Moment …") == "Moment … "
    assert bridge("de", " ") == ""
    assert bridge("eo") == ""
