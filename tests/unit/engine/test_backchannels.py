"""What shows that somebody listens, in several languages."""

import pytest

from duologue.engine.backchannels import in_language
from duologue.engine.spoken_words import only_backchannels
from duologue.model.voice import BACKCHANNELS


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "Mm-hm, I see."),
        ("de-AT", "Ja, genau."),
        ("de", "Okay, mhm."),
        ("fr", "D'accord, oui."),
        ("es_MX", "Sí, claro."),
        ("it", "Va bene!"),
        ("nl", "Ja, precies."),
        ("pl", "No tak, rozumiem."),
        ("pt-BR", "Tá bom."),
        ("sv", "Ja, just det."),
    ],
)
def test_who_only_listens_interrupts_nobody(language: str, words: str) -> None:
    assert only_backchannels(words, in_language(BACKCHANNELS, language))


@pytest.mark.parametrize(
    ("language", "words"), [("de", "Nein"), ("de", "Ja, aber"), ("fr", "Non"), ("en", "Ja genau"), ("ja", "Ja genau")]
)
def test_who_says_more_does(language: str, words: str) -> None:
    assert not only_backchannels(words, in_language(BACKCHANNELS, language))


def test_what_was_set_stands_alone() -> None:
    assert in_language(("mhm",), "de") == ("mhm",)
