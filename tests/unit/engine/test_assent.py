"""Yes and no by words."""

import pytest

from duologue.engine import assent


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Yes.", "en"),
        ("yes, please", "en-GB"),
        ("Okay, go ahead!", "en"),
        ("Well, yes", "en"),
        ("Ja, bitte!", "de"),
        ("Na klar", "de-AT"),
        ("Oui, d'accord", "fr"),
        ("¡Sí, claro!", "es"),
        ("Sì, va bene", "it"),
        ("Sim, pode fazer", "pt-BR"),
        ("Ja hoor", "nl"),
        ("Tak, proszę", "pl"),
        ("Evet, lütfen", "tr"),
        ("Да, конечно", "ru"),
        ("はい、お願いします。", "ja"),
        ("好的，谢谢", "zh-Hans"),
        ("네, 좋아요", "ko"),
        ("نعم، من فضلك", "ar"),
        ("जी हाँ", "hi"),
        ("yes", "xx"),
    ],
)
def test_a_plain_yes_is_one(text: str, language: str) -> None:
    assert assent.verdict(text, language) == "yes"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("No!", "en"),
        ("no, thank you", "en"),
        ("Please don't.", "en"),
        ("Of course not", "en"),
        ("No, stop, cancel it", "en"),
        ("I don't agree", "en"),
        ("Nein, danke", "de"),
        ("stimmt nicht", "de"),
        ("Non merci", "fr"),
        ("claro que no", "es"),
        ("Assolutamente no", "it"),
        ("Não, obrigado", "pt"),
        ("Nie, dziękuję", "pl"),
        ("kabul etmiyorum", "tr"),
        ("нет, спасибо", "ru"),
        ("いいえ、結構です", "ja"),
        ("不要，谢谢", "zh"),
        ("아니요", "ko"),
        ("لا شكرا", "ar"),
        ("जी नहीं", "hi"),
    ],
)
def test_a_plain_no_is_one(text: str, language: str) -> None:
    assert assent.verdict(text, language) == "no"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("", "en"),
        ("please", "en"),
        ("yes, but only half of it", "en"),
        ("yes and no", "en"),
        ("no, wait, yes", "en"),
        ("yesterday", "en"),
        ("I know", "en"),
        ("what does it cost?", "en"),
        ("don't stop, tell me more about it", "en"),
        ("vielleicht", "de"),
        ("ja aber nicht heute", "de"),
        ("not sure", "en"),
        ("ok no", "en"),
        ("no problem", "en"),
        ("yes " * 40, "en"),
        ("oui", "en"),
    ],
)
def test_anything_else_is_unclear(text: str, language: str) -> None:
    assert assent.verdict(text, language) == "unclear"


def test_languages_that_disagree_make_nothing_clear() -> None:
    assert assent.verdict("ne", "de") == "no"
    assert assent.verdict("si", "es", "en") == "yes"
    assert assent.verdict("no", "es", "it") == "no"
    assert assent.verdict("para", "es", "en") == "no"


@pytest.mark.parametrize("language", assent.LANGUAGES)
def test_every_language_has_its_words_and_no_word_says_both(language: str) -> None:
    prompt = "Refund 40 euros?"
    assert prompt in assent.again(prompt, language)
    lists = [set(assent.phrases(language, kind)) for kind in ("yes", "no", "polite")]
    assert all(lists)
    assert not lists[0] & lists[1] and not lists[2] & (lists[0] | lists[1])
    for kind in ("yes", "no"):
        for phrase in assent.phrases(language, kind):
            assert assent.verdict(phrase, language) == kind
