"""Rules made ready to be used, one language at a time and once it is needed."""

import re
from typing import Final, NamedTuple

from duologue.adapters.memory_rules.rule import Rule, Tongue

_VALUE_CHARS: Final = 60
_NAME: Final = r"(?P<v>(?-i:[^\W\d_a-zà-öø-ÿ])[\w'-]*(?: (?:(?:van|von|de|da|di|del|der|la|le|el) )*(?-i:[^\W\d_a-zà-öø-ÿ])[\w'-]*){0,3})"
"""A name: words that begin with a capital, or in a script without them."""

_HEDGES: Final = (
    r"\b(?:maybe|perhaps|probably|i think|i guess|kind of|sort of|vielleicht|wohl|ich glaube|ich denke|peut-être|je crois|je pense"
    r"|quizás?|tal vez|creo que|forse|credo|penso|talvez|acho|misschien|ik denk)\b"
)


class Compiled(NamedTuple):
    """A language's rules; see `Tongue`.

    Attributes:
        fillers: words of a clause that are not looked for.
        hedges: what says that somebody is not sure.
    """

    rules: tuple[tuple[Rule, re.Pattern[str]], ...]
    over: tuple[tuple[Rule, re.Pattern[str]], ...]
    times: re.Pattern[str]
    unless: re.Pattern[str]
    not_values: re.Pattern[str]
    articles: re.Pattern[str]
    remember: re.Pattern[str]
    forget: re.Pattern[str]
    everything: re.Pattern[str]
    nothing: re.Pattern[str]
    topics: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]
    fillers: re.Pattern[str]
    hedges: re.Pattern[str]
    said: str
    told: str
    relations: dict[str, str]


def compiled(language: str) -> Compiled:
    """Make a language's rules ready; English where there are none. Some 20 ms.

    Args:
        language: BCP 47 tag of two letters.
    """
    tongue = _tongue(language)
    return Compiled(
        rules=tuple((rule, _pattern(tongue, rule.pattern)) for rule in tongue.rules),
        over=tuple((rule, _pattern(tongue, rule.pattern)) for rule in tongue.over),
        times=_flat(rf"\b{tongue.times}"),
        unless=_flat(tongue.unless),
        not_values=_flat(tongue.not_values),
        articles=_flat(rf"^(?:{tongue.articles})+"),
        remember=_flat(tongue.remember),
        forget=_flat(tongue.forget),
        everything=_flat(tongue.everything),
        nothing=_flat(rf"(?:{tongue.nothing})\s*(?:[,.;!].*)?"),
        topics=tuple((_flat(topic.pattern), topic.keys) for topic in tongue.topics),
        fillers=_flat(tongue.fillers),
        hedges=_flat(_HEDGES),
        said=tongue.said,
        told=tongue.told,
        relations={**tongue.relations},
    )


def _tongue(language: str) -> Tongue:
    # Each language is a table of its own, and few servers need more than two.
    match language:
        case "de":
            from duologue.adapters.memory_rules.german import GERMAN

            return GERMAN
        case "fr":
            from duologue.adapters.memory_rules.french import FRENCH

            return FRENCH
        case "es":
            from duologue.adapters.memory_rules.spanish import SPANISH

            return SPANISH
        case "it":
            from duologue.adapters.memory_rules.italian import ITALIAN

            return ITALIAN
        case "pt":
            from duologue.adapters.memory_rules.portuguese import PORTUGUESE

            return PORTUGUESE
        case "nl":
            from duologue.adapters.memory_rules.dutch import DUTCH

            return DUTCH
        case _:
            from duologue.adapters.memory_rules.english import ENGLISH

            return ENGLISH


def _pattern(tongue: Tongue, text: str) -> re.Pattern[str]:
    stop = rf"(?=\s*(?:$|[,.;:!?()\n]|\s(?:{tongue.stops})\b|\s[-–—]\s))"
    value = rf"(?P<v>[^\s,.;:!?()][^,.;:!?()\n]{{0,{_VALUE_CHARS}}}?){stop}"
    return _flat(text.replace("{V}", value).replace("{N}", _NAME))


def _flat(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)
