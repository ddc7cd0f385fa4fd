"""The port: finds what a turn says of the person, by rules."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from duologue.adapters.memory_rules.compiled import Compiled, compiled
from duologue.adapters.memory_rules.rule import WORDS, Rule
from duologue.adapters.memory_rules.sentences import Sentence, is_secret, sentences
from duologue.model import limits
from duologue.ports.memory import Extracted, Forget, Learnt, Said

EVENT_DAYS: Final = 90
"""How long something with a date is worth remembering: what was booked for next season is past by then."""

EXPLICIT: Final = 0.85
"""How important it is what the person asks to remember."""

_HEDGED: Final = 0.15
"""How much less important it is what they are not sure of."""

_DAY_MS: Final = 86_400_000
_BLANK: Final = re.compile(r"\s+")
_WORD: Final = re.compile(r"\w+")


class RuleExtractor:
    """A `ports.memory.MemoryExtractor` without a model, in English, German, French, Spanish, Italian, Portuguese, Dutch.

    It reads what the person said and nothing else: statements of themselves, what they ask to remember, and what they
    ask to forget. Questions, conditions and quotations are no statements, and what looks like a secret is left alone.
    """

    def __init__(self) -> None:
        self._tongues: dict[str, Compiled] = {}

    @property
    def name(self) -> str:
        """A short name for logs."""
        return "rules"

    async def extract(self, said: Said) -> Extracted:
        """Look through a turn, in a thread."""
        if not said.text.strip():
            return Extracted()
        return await asyncio.to_thread(self.look, said)

    async def aclose(self) -> None:
        """Hold nothing."""

    async def wishes(self, text: str, *, language: str) -> Sequence[Forget]:
        """What a text asks to forget; see `ports.memory.Wishes`. A fraction of a millisecond but for a new language."""
        language = language.partition("-")[0].lower()
        if language not in self._tongues:
            self._tongues[language] = await asyncio.to_thread(compiled, language)
        found = (
            _forgets(tongue, sentence)
            for tongue in self._tongues_of(language)
            for sentence in sentences(text[: limits.MEMORY_READ_CHARS])
        )
        return [one for one in found if one is not None]

    def look(self, said: Said) -> Extracted:
        """Look through a turn; some 2 ms for what people say at once."""
        language = said.language.partition("-")[0].lower()
        learnt: dict[str, Learnt] = {}
        forget: list[Forget] = []
        for tongue in self._tongues_of(language):
            for sentence in sentences(said.text[: limits.MEMORY_READ_CHARS]):
                asked = _forgets(tongue, sentence)
                if asked is not None:
                    forget.append(asked)
                    # Nor is learnt what was said before that: what is forgotten first is what is known by then.
                    learnt = {same: one for same, one in learnt.items() if not _means(asked, one)}
                    continue
                forget += _over(tongue, sentence)
                for one in _learnt(tongue, sentence, now_ms=said.now_ms):
                    learnt.setdefault(one.text.casefold(), one)
        return Extracted(learnt=tuple(learnt.values())[: limits.MEMORY_LEARNT], forget=tuple(forget))

    def _tongues_of(self, language: str) -> Iterator[Compiled]:
        """The language of the turn; English where it is another one."""
        if language not in self._tongues:
            self._tongues[language] = compiled(language)
        yield self._tongues[language]


def _learnt(tongue: Compiled, sentence: Sentence, *, now_ms: int) -> Iterator[Learnt]:
    """What a sentence says that is worth remembering."""
    asked = tongue.remember.search(sentence.text)
    if asked is not None:
        clause = asked["v"].strip(" .!,;:")
        found = list(_by_rules(tongue, clause, now_ms=now_ms))
        if found:
            for one in found:
                yield _raised(one)
        elif not is_secret(clause):
            text = tongue.told.format(v=clause)[: limits.MEMORY_TEXT_CHARS]
            yield Learnt(kind="fact", text=text, importance=EXPLICIT)
    elif not (sentence.asks or tongue.unless.match(sentence.text)):
        yield from _by_rules(tongue, sentence.text, now_ms=now_ms)


def _raised(one: Learnt) -> Learnt:
    return Learnt(
        kind=one.kind,
        text=one.text,
        importance=max(one.importance, EXPLICIT),
        key=one.key,
        words=one.words,
        expires_ms=one.expires_ms,
    )


def _by_rules(tongue: Compiled, text: str, *, now_ms: int) -> Iterator[Learnt]:
    taken: list[tuple[int, int]] = []
    timed = tongue.times.search(text) is not None
    for rule, pattern in tongue.rules:
        if rule.timed and not timed:
            continue
        for found in pattern.finditer(text):
            if any(begin < found.end() and found.start() < end for begin, end in taken):
                continue
            one = _one(tongue, rule, found, text, now_ms=now_ms)
            if one is not None:
                taken.append(found.span())
                yield one


def _one(tongue: Compiled, rule: Rule, found: re.Match[str], text: str, *, now_ms: int) -> Learnt | None:
    groups = {name: _tidy(value) for name, value in found.groupdict(default="").items()}
    value = groups.get("v", "")
    if ("v" in groups and not _is_value(tongue, value)) or is_secret(found.group()):
        return None
    if (who := groups.get("who", "").casefold()) in tongue.relations:
        groups["who"] = tongue.relations[who]
    said = _capital(rule.text.format_map(groups))
    if rule.timed:
        day = datetime.fromtimestamp(now_ms / 1000, UTC).date().isoformat()
        said = tongue.said.format(text=said, day=day)
    hedged = tongue.hedges.search(text) is not None
    key = rule.key.format_map({name: _for_key(tongue, part) for name, part in groups.items()})
    return Learnt(
        kind=rule.kind,
        text=said[: limits.MEMORY_TEXT_CHARS],
        importance=round(max(0.0, rule.importance - (_HEDGED if hedged else 0.0)), 2),
        key=key,
        words=WORDS.get(key.partition(":")[0], ""),
        expires_ms=now_ms + EVENT_DAYS * _DAY_MS if rule.timed else None,
    )


def _over(tongue: Compiled, sentence: Sentence) -> Iterator[Forget]:
    """What is said not to be so any more."""
    if sentence.asks or tongue.unless.match(sentence.text):
        return
    for rule, pattern in tongue.over:
        for found in pattern.finditer(sentence.text):
            value = _tidy(found["v"])
            if _is_value(tongue, value):
                yield Forget(keys=(rule.key,), words=_for_key(tongue, value))


def _forgets(tongue: Compiled, sentence: Sentence) -> Forget | None:
    """What a sentence wants forgotten; `None` where it wants nothing of the kind."""
    asked = tongue.forget.search(sentence.text)
    if asked is None:
        return None
    clause = asked["v"].strip(" .!?,;:")
    if tongue.everything.fullmatch(clause):
        return Forget(everything=True)
    if tongue.nothing.fullmatch(clause):
        return None
    for topic, keys in tongue.topics:
        if topic.fullmatch(clause):
            return Forget(keys=keys)
    known = next(iter(_by_rules(tongue, clause, now_ms=0)), None)
    if known is not None and known.key:
        return Forget(keys=(known.key,), words=_words_of(tongue, known, clause))
    words = _tidy(tongue.fillers.sub(" ", clause))
    return Forget(words=words) if any(map(str.isalnum, words)) else None


def _means(asked: Forget, learnt: Learnt) -> bool:
    """Whether somebody wants this forgotten."""
    if asked.everything:
        return True
    keyed = not asked.keys or any(
        learnt.key.startswith(key) if key.endswith(":") else learnt.key == key for key in asked.keys
    )
    held = set(_WORD.findall(f"{learnt.text} {learnt.words}".casefold()))
    return keyed and held.issuperset(_WORD.findall(asked.words.casefold()))


def _words_of(tongue: Compiled, known: Learnt, clause: str) -> str:
    """The words that have to be held by what is forgotten: the value, where the key does not say it already."""
    if ":" in known.key:
        return ""
    for rule, pattern in tongue.rules:
        found = pattern.search(clause)
        if found is not None and rule.key == known.key:
            return _for_key(tongue, _tidy(found["v"]))
    return ""


def _is_value(tongue: Compiled, value: str) -> bool:
    return bool(value) and any(map(str.isalnum, value)) and tongue.not_values.match(value) is None


def _tidy(value: str) -> str:
    return _BLANK.sub(" ", value).strip(" ,;:-–'\"")


def _for_key(tongue: Compiled, value: str) -> str:
    return tongue.articles.sub("", value.casefold()).strip()


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
