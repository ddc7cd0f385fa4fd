"""Composes the answer to one turn from the index. Pure: the same index and request give the same answer."""

from collections.abc import Iterable, Sequence
from typing import Final, Literal
from urllib.parse import quote as url_quote

from msgspec import structs

from duologue.adapters.agent_knowledge.index import Entry, Index
from duologue.adapters.agent_knowledge.judge import Judged, search, whole
from duologue.adapters.agent_knowledge.markdown import Passage
from duologue.adapters.agent_knowledge.phrases import Phrases, phrases
from duologue.adapters.agent_knowledge.question import (
    QUESTION_CHARS,
    Intent,
    Reading,
    intent,
    named,
    readings,
)
from duologue.adapters.agent_knowledge.quote import opening, quotation, shorten, shown, write
from duologue.model.agent import AgentRequest, Citation
from duologue.model.base import Value
from duologue.model.content import Chip, NfcObservation, Observation, PhotoObservation

FIRST_CHARS: Final = 700
SECOND_CHARS: Final = 320
"""About how much of the best passage is quoted, and of the next: an answer is read in half a minute."""

SECOND_WORTH: Final = 0.7
"""A second passage is quoted when it speaks of more of the question and scores this share of the first."""

SNIPPET_CHARS: Final = 240
LABEL_CHARS: Final = 60
"""Longest label of a chip: one line on a phone."""

CHIPS: Final = 3
TITLES: Final = 5
"""Most page titles in what the agent says of itself."""

TAG_CHARS: Final = 300
"""Most of a tag's text that is said back."""


class Part(Value, frozen=True, kw_only=True):
    """Some text, and where it comes from."""

    text: str
    citation: Citation | None = None


class Answer(Value, frozen=True, kw_only=True):
    """A whole answer, in order; not `confident` where the agent does not know."""

    parts: tuple[Part, ...]
    chips: tuple[Chip, ...] = ()
    confident: bool = True


def answer(index: Index, request: AgentRequest, *, url_prefix: str) -> Answer:
    """Answer one turn.

    Args:
        index: the pages as they are now.
        request: its context is ignored: a search has no use for it.
        url_prefix: what stands before a page's path in an address.
    """
    say = phrases(request.language)
    text = request.text.strip()
    unseen = _unseen(request)
    kind = intent(index.words(text[:QUESTION_CHARS]))
    if kind == "about" and unseen is not None:  # "What is this?" is about what they show.
        return _told(_cannot_look(unseen, say), index, say, confident=False)
    if kind != "question":
        return _talk(index, kind, say)
    entry = named(index, text)
    if entry is not None:
        return _quote([whole(entry)], index, say, url_prefix=url_prefix)
    understood = list(readings(index, text, request.history))
    if unseen is not None and not any(reading.own for reading in understood):
        return _told(_cannot_look(unseen, say), index, say, confident=False)
    found = _find(index, understood, request)
    if found:
        before = _by_words_alone(unseen, say)
        return _quote(found, index, say, url_prefix=url_prefix, before=before)
    return _told(_do_not_know(index, understood, say), index, say, confident=False)


def address(passage: Passage, *, url_prefix: str) -> str:
    """Return where a passage is shown."""
    fragment = f"#{url_quote(passage.slug)}" if passage.slug else ""
    return url_prefix + url_quote(passage.page) + fragment


def _find(index: Index, understood: Sequence[Reading], request: AgentRequest) -> list[Judged]:
    """Find what fits the likeliest reading that anything fits; best first."""
    said = "\n".join(old.text for old in request.history if old.role == "assistant")
    for reading in understood:
        found = [hit for hit in search(index, reading) if hit.fits]
        if found and reading.goes_on and all(term.soft for term in reading.own):
            # It names nothing itself ("and how?"); what was said already is no answer.
            near = _neighbours(index, found[0].entry) if reading.more else ()
            fitting = {key(hit.entry) for hit in found}
            found += [whole(other) for other in near if key(other) not in fitting]
            found = [rest for hit in found if (rest := _unsaid(hit, said)) is not None]
        if found:
            return found
    return []


def _unsaid(hit: Judged, said: str) -> Judged | None:
    """Leave out of a passage what was quoted before; `None` where nothing is left."""
    passage = hit.entry.passage
    left = [at for at, unit in enumerate(passage.units) if shown(unit) not in said]
    if not left:
        return None
    rest = structs.replace(passage, units=tuple(passage.units[at] for at in left))
    return structs.replace(
        hit,
        entry=structs.replace(hit.entry, passage=rest),
        unit_scores=tuple(hit.unit_scores[at] for at in left),
    )


def _quote(found: Sequence[Judged], index: Index, say: Phrases, *, url_prefix: str, before: str = "") -> Answer:
    """Quote the best passage, and the next where it is about as good."""
    first = found[0]
    parts = [Part(text=before)] if before else []
    parts.append(_part(first, room_chars=FIRST_CHARS, url_prefix=url_prefix))
    for second in found[1:2]:
        if not second.asked <= first.asked and second.score >= first.score * SECOND_WORTH:
            heading = say.from_heading.format(second.entry.passage.heading)
            part = _part(second, room_chars=SECOND_CHARS, url_prefix=url_prefix)
            parts.append(structs.replace(part, text=f"\n\n{heading}{part.text}"))
    quoted = {key(hit.entry) for hit in found[: len(parts)]}
    candidates = [*_neighbours(index, first.entry), *(hit.entry for hit in found)]
    wanted = [entry for entry in candidates if key(entry) not in quoted]
    return Answer(parts=tuple(parts), chips=chips(index, wanted, say))


def _part(hit: Judged, *, room_chars: int, url_prefix: str) -> Part:
    passage = hit.entry.passage
    choose = opening if hit.about else quotation
    chosen = choose(passage.units, hit.unit_scores, room_chars=room_chars)
    best = max(chosen, key=lambda at: (passage.units[at].kind != "code", hit.unit_scores[at], -at))
    heading = f" › {passage.heading}" if passage.trail else ""
    citation = Citation(
        title=passage.title + heading,
        url=address(passage, url_prefix=url_prefix),
        snippet=shorten(" ".join(passage.units[best].text.split()), SNIPPET_CHARS),
    )
    return Part(text=write(passage.units, chosen), citation=citation)


def _neighbours(index: Index, entry: Entry) -> list[Entry]:
    """List what stands near a passage: the sections beside it, what follows it, then the rest of its page."""
    passage = entry.passage
    page = index.page(passage.page)
    after = [other for other in page if other.passage.order > passage.order]
    before = [other for other in page if other.passage.order < passage.order]
    beside = [other for other in (*after, *before) if other.passage.trail[:-1] == passage.trail[:-1]]
    near = [*(other for other in beside if other.passage.trail), *after, *before]
    return list({key(other): other for other in near}.values())


def chips(index: Index, entries: Iterable[Entry], say: Phrases) -> tuple[Chip, ...]:
    """Offer passages, each once, as long as the chip's text leads to that passage and no other."""
    found: dict[tuple[str, int], Chip] = {}
    for entry in entries:
        if len(found) == CHIPS:
            break
        chip = _chip(index, entry, say)
        if chip is not None:
            found.setdefault(key(entry), chip)
    return tuple(found.values())


def _chip(index: Index, entry: Entry, say: Phrases) -> Chip | None:
    passage = entry.passage
    for label in (passage.heading, f"{passage.heading} ({passage.title})"):
        text = label if label.endswith("?") else say.tell_me.format(label)
        led_to = named(index, text)
        if led_to is not None and key(led_to) == key(entry):
            return Chip(label=shorten(label, LABEL_CHARS), text=text)
    return None


def key(entry: Entry) -> tuple[str, int]:
    """Return what tells a passage from all others."""
    return (entry.passage.page, entry.passage.order)


def _told(text: str, index: Index, say: Phrases, *, confident: bool) -> Answer:
    """Say something of the agent's own, and offer the pages."""
    return Answer(parts=(Part(text=text),), chips=chips(index, index.pages(), say), confident=confident)


def _talk(index: Index, kind: Intent, say: Phrases) -> Answer:
    match kind:
        case "hello":
            return _told(say.hello + _about(index, say), index, say, confident=True)
        case "thanks":
            return _told(say.welcome, index, say, confident=True)
        case "about" | "question":
            return _told(_about(index, say), index, say, confident=True)


def _about(index: Index, say: Phrases) -> str:
    titles = [entry.passage.title for entry in index.pages()]
    if not titles:
        return say.about_empty
    named_titles = list(dict.fromkeys(titles))[:TITLES]
    first, last = ", ".join(named_titles[:-1]), named_titles[-1]
    return say.about.format(f"{first}{say.and_last}{last}" if first else last)


def _do_not_know(index: Index, understood: Sequence[Reading], say: Phrases) -> str:
    if not len(index):
        return say.unknown_empty
    if not understood:
        return say.unclear
    return say.no_more if understood[0].more else say.unknown


def _unseen(request: AgentRequest) -> Observation | Literal["file"] | None:
    """Return what came with the turn that this agent cannot look at."""
    return request.observation or ("file" if request.attachments else None)


def _cannot_look(unseen: Observation | Literal["file"], say: Phrases) -> str:
    match unseen:
        case PhotoObservation() | "file":
            return say.file
        case NfcObservation():
            texts = [f"“{text}”" for record in unseen.records for text in (record.text, record.uri) if text]
            told = say.tag_says.format(shorten(", ".join(texts), TAG_CHARS)) if texts else ""
            return say.tag.format(told)


def _by_words_alone(unseen: Observation | Literal["file"] | None, say: Phrases) -> str:
    match unseen:
        case None:
            return ""
        case PhotoObservation() | "file":
            return say.file_and_text
        case NfcObservation():
            return say.tag_and_text
