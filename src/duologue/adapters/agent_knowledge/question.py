"""Reads a question: what it is about, and whether it goes on from the one before."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal, TypeAlias

from duologue.adapters.agent_knowledge.index import Entry, Index, Term, Word
from duologue.adapters.agent_knowledge.words import (
    ABOUT,
    HELLO,
    HELLO_CORE,
    HELLO_FIRST,
    LEADS,
    MORE,
    OPENING,
    POINTING,
    SOFT,
    STOP,
    THANKS,
    THANKS_CORE,
)
from duologue.model.base import Value
from duologue.model.content import Message

QUESTION_CHARS: Final = 4_000
"""How much of a message is read: a question is in the first page of it."""

TERMS: Final = 24
"""Most terms of a search, the rarest first: more do not make a question clearer."""

SHORT_TERMS: Final = 2
"""A question with no more terms than this may go on from the one before."""

LOOK_BACK: Final = 20
"""How many of the person's messages back the topic may lie: "and more?" may be asked many times."""

SOFT_SHARE: Final = 0.25
"""What a word that fits any topic weighs, beside one that does not."""

UNKNOWN_SHARE: Final = 1.5
"""What a word that is on no page weighs beside the rarest that is: it tells that the topic is another."""

Intent: TypeAlias = Literal["hello", "thanks", "about", "question"]


class Reading(Value, frozen=True, kw_only=True):
    """One way to understand a question.

    Attributes:
        terms: what a passage should have.
        own: those of them that the question itself names.
        goes_on: it goes on from what was said before.
        more: it asks for nothing but more of that.
    """

    terms: tuple[Term, ...]
    own: tuple[Term, ...]
    goes_on: bool = False
    more: bool = False


def intent(words: Sequence[Word]) -> Intent:
    """Tell greetings, thanks and questions about the agent from questions about its pages."""
    raw = [word.raw for word in words]
    if raw and set(raw) <= HELLO and (raw[0] in HELLO_CORE or (raw[0] in HELLO_FIRST and len(raw) > 1)):
        return "hello"
    if set(raw) <= THANKS and set(raw) & THANKS_CORE:
        return "thanks"
    while raw and raw[0] in HELLO_CORE:
        raw = raw[1:]
    return "about" if " ".join(raw) in ABOUT else "question"


def named(index: Index, text: str) -> Entry | None:
    """Find the passage that a chip names: by its heading, word for word."""
    words = index.words(text[:QUESTION_CHARS])
    raw = tuple(word.raw for word in words)
    for lead in LEADS:
        if raw[: len(lead)] == lead:
            return index.headed([word.stem for word in words[len(lead) :]])
    if text.rstrip().endswith("?"):
        return index.headed([word.stem for word in words])
    return None


def readings(index: Index, text: str, history: Sequence[Message]) -> Iterator[Reading]:
    """List the ways to understand a question, likeliest first; none where it says nothing."""
    words = index.words(text[:QUESTION_CHARS])
    own = terms(index, words)
    topic = previous_topic(index, history) if _may_go_on(words, own) else ()
    if topic:
        known = {term.word.stem for term in own}
        added = tuple(term for term in topic if term.word.stem not in known)
        more = not own and not MORE.isdisjoint(word.raw for word in words)
        yield Reading(terms=own + added, own=own, goes_on=True, more=more)
    if own:
        yield Reading(terms=own, own=own)


def terms(index: Index, words: Sequence[Word]) -> tuple[Term, ...]:
    """Weigh the words of a question that say what it is about, each once."""
    asked = {word.stem: word for word in words if word.raw not in STOP}
    found = [index.term(word, soft=word.raw in SOFT) for word in asked.values()]
    return tuple(sorted(found, key=lambda term: -weight(term))[:TERMS])


def weight(term: Term) -> float:
    """Return how much a term counts in a question."""
    if term.soft:
        return term.weight * SOFT_SHARE if term.near else 0.0
    return term.weight if term.near else term.weight * UNKNOWN_SHARE


def previous_topic(index: Index, history: Sequence[Message]) -> tuple[Term, ...]:
    """Return the terms of the person's latest message that names a topic."""
    said = [message.text for message in history if message.role == "user"]
    for text in said[: -LOOK_BACK - 1 : -1]:
        found = terms(index, index.words(re.sub(r"\s+", " ", text[:QUESTION_CHARS])))
        if any(not term.soft for term in found):
            return found
    return ()


def _may_go_on(words: Sequence[Word], own: Sequence[Term]) -> bool:
    hard = sum(not term.soft for term in own)
    raw = [word.raw for word in words]
    points_back = bool((POINTING | MORE).intersection(raw))
    opens = bool(OPENING.intersection(raw[:1])) or raw[1:2] == ["about"]
    return bool(raw) and (hard == 0 or (hard <= SHORT_TERMS and (points_back or opens)))
