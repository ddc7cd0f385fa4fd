"""Steps of the engine as a broken one could have given them; the judge's tests let it judge them."""

from collections.abc import Callable
from typing import Any

import msgspec
from tests.simulation.judges.judge import Judge

from duologue.engine.step import Stepped
from duologue.model import events as e
from duologue.model.effects import Effect
from duologue.model.inputs import AnyInput

Steps = list[tuple[AnyInput, Stepped]]
Tampering = Callable[[Steps], Steps]


def judge(steps: Steps) -> None:
    """Judge a whole session."""
    verdict = Judge()
    for happened, stepped in steps:
        verdict.take(happened, stepped)
    verdict.settled()


# Any: the fields are those of `kind`; msgspec checks their names.
def altered(kind: type[e.AnyEvent], *, nth: int = 0, **fields: Any) -> Tampering:
    """Change an event of a kind, the first unless told otherwise."""

    def alter(steps: Steps) -> Steps:
        count = 0
        changed: Steps = []
        for happened, stepped in steps:
            events = list(stepped.events)
            for place, event in enumerate(events):
                if isinstance(event, kind):
                    events[place] = msgspec.structs.replace(event, **fields) if count == nth else event
                    count += 1
            changed.append((happened, msgspec.structs.replace(stepped, events=tuple(events))))
        _check(count > nth)
        return changed

    return alter


def without(kind: type[e.AnyEvent]) -> Tampering:
    """Lose every event of a kind, and close the gap in the numbers."""
    return _renumbered(lambda event: () if isinstance(event, kind) else (event,))


def doubled(kind: type[e.AnyEvent]) -> Tampering:
    """Tell every event of a kind twice."""
    return _renumbered(lambda event: (event, event) if isinstance(event, kind) else (event,))


def _renumbered(instead: Callable[[e.AnyEvent], tuple[e.AnyEvent, ...]]) -> Tampering:
    def alter(steps: Steps) -> Steps:
        changed: Steps = []
        seq = 0
        for happened, stepped in steps:
            events: list[e.AnyEvent] = []
            for event in stepped.events:
                for one in instead(event):
                    seq += 1
                    events.append(msgspec.structs.replace(one, seq=seq))
            changed.append((happened, msgspec.structs.replace(stepped, events=tuple(events))))
        _check(changed != steps)
        return changed

    return alter


def _check(found: bool) -> None:
    """Raise what no judge raises, where there was nothing to change."""
    if not found:
        raise LookupError("the script has nothing of that kind")


# Any: the fields are those of `Stepped`.
def replaced(place: int, **fields: Any) -> Tampering:
    """Change one step."""

    def alter(steps: Steps) -> Steps:
        happened, stepped = steps[place]
        return [*steps[:place], (happened, msgspec.structs.replace(stepped, **fields)), *steps[place + 1 :]]

    return alter


def not_ordered(kind: type[Effect], *, nth: int = 0) -> Tampering:
    """Lose an effect of a kind, the first unless told otherwise."""
    return _ordered(kind, nth, ())


# Any: the fields are those of `kind`; msgspec checks their names.
def ordered_otherwise(kind: type[Effect], *, nth: int = 0, **fields: Any) -> Tampering:
    """Change an effect of a kind, the first unless told otherwise."""
    return _ordered(kind, nth, (fields,))


def ordered_twice(kind: type[Effect], *, nth: int = 0) -> Tampering:
    """Repeat an effect of a kind, the first unless told otherwise."""
    return _ordered(kind, nth, ({}, {}))


# Any: the fields are those of `kind`.
def _ordered(kind: type[Effect], nth: int, instead: tuple[dict[str, Any], ...]) -> Tampering:
    def alter(steps: Steps) -> Steps:
        count = 0
        changed: Steps = []
        for happened, stepped in steps:
            effects: list[Effect] = []
            for effect in stepped.effects:
                chosen = isinstance(effect, kind) and count == nth
                count += isinstance(effect, kind)
                effects += [msgspec.structs.replace(effect, **one) for one in instead] if chosen else [effect]
            changed.append((happened, msgspec.structs.replace(stepped, effects=tuple(effects))))
        _check(count > nth)
        return changed

    return alter


def added(place: int, happened: AnyInput, *events: e.AnyEvent) -> Tampering:
    """Add events to a step, as if its input had been another; all numbers after them rise."""

    def alter(steps: Steps) -> Steps:
        more = len(events)
        seq = steps[place][1].events[-1].seq
        ours = tuple(msgspec.structs.replace(event, seq=seq + n) for n, event in enumerate(events, 1))
        stepped = msgspec.structs.replace(steps[place][1], events=ours, effects=())
        later: Steps = [
            (then, msgspec.structs.replace(one, events=tuple(_later(event, more) for event in one.events)))
            for then, one in steps[place + 1 :]
        ]
        return [*steps[: place + 1], (happened, stepped), *later]

    return alter


def _later(event: e.AnyEvent, more: int) -> e.AnyEvent:
    return msgspec.structs.replace(event, seq=event.seq + more)


def repeated(place: int) -> Tampering:
    """Take one step twice."""
    return lambda steps: [*steps[: place + 1], steps[place], *steps[place + 1 :]]


def cut_at(place: int) -> Tampering:
    """Stop in the middle."""
    return lambda steps: steps[:place]
