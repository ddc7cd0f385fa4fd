"""Signals by a small classifier: trained here, tried on sentences that it has not seen."""

from collections import Counter
from collections.abc import AsyncIterator
from typing import get_args

import pytest

from duologue.adapters.signals_rule import RuleSignals
from duologue.model.signals import Intent, Sentiment, SentimentCategory
from duologue.ports.signal_adapter import Heard, IntentExamples

pytest.importorskip("sklearn", reason="the extra signals is not installed")

from duologue.adapters.signals_local import Example, LocalSignals
from duologue.adapters.signals_local.examples import ALL, sentences
from duologue.adapters.signals_local.moods import Moods

pytestmark = pytest.mark.anyio

INTENTS = (
    IntentExamples(name="cancel", examples=("I want to cancel my contract", "Please end my subscription")),
    IntentExamples(name="invoice", examples=("Where is my invoice?", "Send me the bill for March")),
)


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def local() -> AsyncIterator[LocalSignals]:
    made = LocalSignals(RuleSignals(), INTENTS)
    yield made
    await made.aclose()


def test_sentences_whose_like_it_has_not_seen_are_told_right() -> None:
    # The same lines of each mood are left out in each language: no translation of them is known.
    known = list(sentences())
    place: Counter[tuple[str, str]] = Counter()
    seen: list[Example] = []
    unseen: list[Example] = []
    for one in known:
        key = (one.language, one.category)
        (unseen if place[key] % 4 == 3 else seen).append(one)
        place[key] += 1
    moods = Moods(RuleSignals(), seen)
    found = [moods.estimate(Heard(text=one.text, language=one.language)) for one in unseen]
    right = sum(told.category == one.category for told, one in zip(found, unseen, strict=True)) / len(unseen)
    rules = [RuleSignals().estimate(Heard(text=one.text, language=one.language))[0] for one in unseen]
    ruled = sum(
        isinstance(told, Sentiment) and told.category == one.category for told, one in zip(rules, unseen, strict=True)
    )
    assert right >= ruled / len(unseen) - 0.03, "no worse than the rules that it makes use of"
    assert abs(sum(told.confidence for told in found) / len(found) - right) < 0.25, "about as sure as it is right"
    assert {one.category for one in found} == set(get_args(SentimentCategory))
    assert len(ALL) == 8


def test_it_learns_from_an_operators_own_sentences() -> None:
    own = [Example(text=f"the gizmo {how} blorped on us", language="en", category="anger") for how in ("has", "just")]
    asked = Heard(text="my gizmo blorped")
    before = Moods(RuleSignals(), sentences()).estimate(asked)
    after = Moods(RuleSignals(), sentences(), own=own).estimate(asked)
    assert after.category == "anger"
    assert before.category != "anger" or before.score < after.score


async def test_it_estimates_in_its_thread(local: LocalSignals) -> None:
    sentiment, intent = await local.estimate(Heard(text="I wnat to canncel that damn contract, you thieves"))
    assert isinstance(sentiment, Sentiment)
    assert (sentiment.category, sentiment.polarity) == ("anger", "negative")
    assert isinstance(intent, Intent)
    assert intent.intent == "cancel", "a typing error hides no intent"
    (alone,) = await local.estimate(Heard(text="Wann haben Sie offen", language="de"))
    assert isinstance(alone, Sentiment)
    assert alone.category == "neutral"


async def test_near_intents_are_alternates(local: LocalSignals) -> None:
    _, intent = await local.estimate(Heard(text="I want to cancel, where is my invoice"))
    assert isinstance(intent, Intent)
    assert len(intent.alternates) == 1
    assert intent.alternates[0].score <= intent.score
