"""What a turn has to be when it is run again: the rules of a suite, in TOML, strictly read."""

import difflib
import inspect
import re
import sys
import tomllib
from collections.abc import Awaitable, Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias, cast

import msgspec
from msgspec import Meta

from duologue.model.errors import DuologueError
from duologue.server.replay.turns import Pair, TurnView, written

SUITE_FILE: Final = "suite.toml"
"""Holds for all exports of its folder."""

PATTERN_CHARS: Final = 1_000
"""Longest pattern: one line of a file that people read."""

Judged: TypeAlias = bool | str | None
"""What a judge says: true or nothing is a pass, false or words why not are none."""

Judge: TypeAlias = Callable[[TurnView, TurnView], Judged | Awaitable[Judged]]

Texts: TypeAlias = tuple[Annotated[str, Meta(min_length=1)], ...]


class RulesError(DuologueError):
    """The rules are wrong; the message names the file and the key."""


class TurnRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a turn has to be. Only what is given is asked.

    Attributes:
        outcome: how it ends; `same` as recorded.
        text, citations: `same` as recorded, `any`.
        contains, lacks: what the answer's text has, and has not.
        matches: a regular expression that is found in it.
        cites: addresses that are among the citations; the end of one is enough.
        first_text_ms, within_ms: at most so long to the first text, and in all.
        judge: a function as module:name that takes the recorded turn and the new one; true or `None` passes.
    """

    outcome: Literal["same", "any", "completed", "asked", "cancelled", "interrupted", "failed", "unfinished"] | None = (
        None
    )
    text: Literal["same", "any"] | None = None
    citations: Literal["same", "any"] | None = None
    contains: Texts | None = None
    lacks: Texts | None = None
    matches: Annotated[str, Meta(max_length=PATTERN_CHARS)] | None = None
    cites: Texts | None = None
    first_text_ms: Annotated[int, Meta(ge=0)] | None = None
    within_ms: Annotated[int, Meta(ge=0)] | None = None
    judge: Annotated[str, Meta(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")] | None = None


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    turns: TurnRules = msgspec.field(default_factory=TurnRules)
    turn: dict[str, TurnRules] = {}


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of a session: for every turn, and for some.

    Attributes:
        given: somebody wrote them; otherwise every turn has to be the same in outcome, text and citations.
    """

    every: TurnRules = TurnRules(outcome="same", text="same", citations="same")
    some: dict[int, TurnRules] = {}
    given: bool = False

    def of(self, turn: int) -> TurnRules:
        """The rules of one turn: its own, and the general ones where it has none of that name."""
        return _over(self.every, self.some.get(turn))


def read_rules(paths: list[Path]) -> Rules:
    """Read the files that exist of these, the later over the earlier.

    Raises:
        RulesError: one is wrong.
    """
    found = [_read(path) for path in paths if path.exists()]
    if not found:
        return Rules()
    every, some = TurnRules(), dict[int, TurnRules]()
    for file in found:
        every = _over(every, file.turns)
        for name, rules in file.turn.items():
            some[int(name)] = _over(some.get(int(name), TurnRules()), rules)
    return Rules(every=every, some=some, given=True)


class Judges:
    """Loads judges by name, each once.

    Args:
        folder: where modules are looked for first.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, Judge] = {}

    def find(self, name: str) -> Judge:
        """Load a judge.

        Raises:
            RulesError: there is none of that name.
        """
        if name not in self._known:
            module, _, function = name.partition(":")
            if (place := str(self._folder)) not in sys.path:
                sys.path.insert(0, place)
            try:
                found: object = getattr(import_module(module), function)
            except (ImportError, AttributeError) as error:
                raise RulesError(f"judge {name}: {error}") from error
            if not callable(found):
                raise RulesError(f"judge {name}: not a function")
            # What it takes and gives is the user's own; a wrong answer is told when it comes.
            self._known[name] = cast(Judge, found)
        return self._known[name]


async def failures(pair: Pair, rules: TurnRules, judges: Judges) -> list[str]:
    """Say which rules a turn fails, each in a sentence; none where it passes.

    Raises:
        RulesError: a judge is not there, or raises.
    """
    recorded, now = pair.recorded, pair.now
    if recorded is None or now is None:
        return ["this turn was not recorded" if recorded is None else "this turn did not come about"]
    found = [*_same(recorded, now, rules), *_text(now, rules), *_times(now, rules)]
    if rules.judge is not None:
        found += await _judged(recorded, now, rules.judge, judges.find(rules.judge))
    return found


def _same(recorded: TurnView, now: TurnView, rules: TurnRules) -> Iterator[str]:
    if rules.outcome not in (None, "any"):
        expected = recorded.outcome if rules.outcome == "same" else rules.outcome
        if now.outcome != expected:
            why = f" ({now.error})" if now.error else ""
            yield f"outcome: {now.outcome}{why}; expected {expected}"
    for what, asked in (("text", rules.text), ("citations", rules.citations)):
        if asked == "same" and (new := written(now, what)) != (old := written(recorded, what)):
            yield f"{what}: {new!r}; expected {old!r}"


def _text(now: TurnView, rules: TurnRules) -> Iterator[str]:
    for part in rules.contains or ():
        if part not in now.text:
            yield f"contains: {part!r} is not in the text"
    for part in rules.lacks or ():
        if part in now.text:
            yield f"lacks: {part!r} is in the text"
    if rules.matches is not None and re.search(rules.matches, now.text) is None:
        yield f"matches: {rules.matches!r} is not found in the text"
    for address in rules.cites or ():
        if not any(source.url.endswith(address) for source in now.citations):
            cited = ", ".join(source.url for source in now.citations) or "nothing"
            yield f"cites: {address!r} is not among the citations, which are {cited}"


def _times(now: TurnView, rules: TurnRules) -> Iterator[str]:
    if rules.first_text_ms is not None and (now.ttft_ms is None or now.ttft_ms > rules.first_text_ms):
        took = "there was none" if now.ttft_ms is None else f"{now.ttft_ms} ms"
        yield f"first_text_ms: {took}; expected at most {rules.first_text_ms} ms"
    if rules.within_ms is not None and now.duration_ms > rules.within_ms:
        yield f"within_ms: {now.duration_ms} ms; expected at most {rules.within_ms} ms"


async def _judged(recorded: TurnView, now: TurnView, name: str, judge: Judge) -> list[str]:
    try:
        said = judge(recorded, now)
        if inspect.isawaitable(said):
            said = await said
    # The judge is the user's own code: whatever it raises is a fault of the rules, and is told with its name.
    except Exception as error:
        raise RulesError(f"judge {name}: {type(error).__name__}: {error}") from error
    match said:
        case None | True:
            return []
        case str() if said:
            return [f"judge {name}: {said}"]
        case _:
            return [f"judge {name}: says no"]


def _over(below: TurnRules, above: TurnRules | None) -> TurnRules:
    if above is None:
        return below
    # Any: the values of a struct by name.
    given: dict[str, Any] = {
        name: value for name in above.__struct_fields__ if (value := getattr(above, name)) is not None
    }
    return msgspec.structs.replace(below, **given)


def _read(path: Path) -> _File:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        file = msgspec.convert(table, _File)
        patterns = [rules.matches for rules in (file.turns, *file.turn.values())]
        for pattern in patterns:
            re.compile(pattern or "")
        numbers = [name for name in file.turn if not name.isdigit()]
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, re.error) as error:
        raise RulesError(f"{path}: {error}") from error
    except msgspec.ValidationError as error:
        raise RulesError(f"{path}: {error}{_hint(str(error))}") from error
    if numbers:
        raise RulesError(f"{path}: [turn.{numbers[0]}]: a turn is named by its number, such as [turn.2]")
    return file


def _hint(error: str) -> str:
    unknown = re.search(r"unknown field `(\w+)`", error)
    if unknown is None:
        return ""
    near = difflib.get_close_matches(unknown[1], ("turns", "turn", *TurnRules.__struct_fields__), n=1)
    return f"; did you mean {near[0]}?" if near else ""
