"""Quotes a passage: the few sentences that answer, in their order, and no more."""

from collections.abc import Iterator, Sequence
from typing import Final

from duologue.adapters.agent_knowledge.markdown import Unit
from duologue.adapters.agent_knowledge.words import GOES_ON

UNIT_CHARS: Final = 420
"""Longest single sentence, item or row that is quoted whole."""

CODE_CHARS: Final = 800
"""Longest code that is quoted whole: about twenty lines."""

GROUP_CHARS: Final = 500
"""A list up to this size is quoted whole: half of a list is a wrong answer to "which are there?"."""

ENOUGH_CHARS: Final = 120
"""A shorter quotation is given the sentence that follows."""

OPENING_CHARS: Final = 360
"""How much of a section is quoted that was asked for by its heading: a paragraph, or two short ones."""

BEST_UNITS: Final = 3
"""Sentences picked for what they say; those that belong to them come on top."""

WORTH: Final = 0.5
"""A further sentence is picked when it scores at least this share of the best one."""


def quotation(units: Sequence[Unit], scores: Sequence[float], *, room_chars: int) -> tuple[int, ...]:
    """Choose what to quote of a passage.

    Args:
        units: what can be quoted; not empty.
        scores: how well each unit fits the question, 0 for not at all.
    Returns:
        Places in `units`, rising; at least one. Together about `room_chars`, more where one is longer alone.
    """
    chosen = set(_picked(scores))
    for at in sorted(chosen):
        chosen.update(_lead(units, at))
        chosen.update(_group(units, at))
    for at in sorted(chosen):
        chosen.update(_promised(units, at))
    _fill(units, chosen)
    return _fitting(units, chosen, scores, room_chars=room_chars)


def opening(units: Sequence[Unit], scores: Sequence[float], *, room_chars: int) -> tuple[int, ...]:
    """Choose the beginning of a passage that is itself what was asked for; as `quotation` otherwise."""
    chosen: set[int] = set()
    chars = 0
    for at, unit in enumerate(units):
        promised = at and units[at - 1].text.endswith(":")
        if at and (chars >= OPENING_CHARS or chars + len(unit.text) > room_chars) and not promised:
            break
        chosen.add(at)
        chars += len(shown(unit))
    return _fitting(units, chosen, scores, room_chars=max(room_chars, chars))


def write(units: Sequence[Unit], chosen: Sequence[int]) -> str:
    """Write the chosen units as text: sentences run on, items and rows are lines, code is marked as code."""
    written = ""
    before: Unit | None = None
    for at in chosen:
        unit = units[at]
        written += _joint(before, unit) + shown(unit)
        before = unit
    listed = len(chosen) > 1 and units[chosen[0]].kind in ("item", "row")
    return f"- {written}" if listed else written


def shown(unit: Unit) -> str:
    """Write one unit, shortened where it is very long."""
    match unit.kind:
        case "prose" | "item" | "row":
            return shorten(unit.text, UNIT_CHARS)
        case "code" if "\n" not in unit.text and "`" not in unit.text and len(unit.text) <= UNIT_CHARS:
            return f"`{unit.text.strip()}`"
        case "code":
            code = unit.text
            if len(code) > CODE_CHARS:
                code = code[:CODE_CHARS].rpartition("\n")[0] or code[:CODE_CHARS]
                code += "\n…"
            fence = "````" if "```" in code else "```"
            return f"{fence}\n{code}\n{fence}"


def shorten(text: str, most_chars: int) -> str:
    """Cut a text at a word, with a sign that something is left out."""
    if len(text) <= most_chars:
        return text
    cut = text[: most_chars - 2]
    return (cut.rpartition(" ")[0] or cut).rstrip(" ,;:–—-") + " …"


def _picked(scores: Sequence[float]) -> Iterator[int]:
    """Pick the best units, the earlier of equals."""
    ranked = sorted(range(len(scores)), key=lambda at: (-scores[at], at))
    best = scores[ranked[0]]
    yield ranked[0]
    for at in ranked[1:BEST_UNITS]:
        if best > 0 and scores[at] >= best * WORTH:
            yield at


def _lead(units: Sequence[Unit], at: int) -> Iterator[int]:
    """Add what a unit cannot be understood without: the sentence before it, the words above a list."""
    if units[at].kind == "prose":
        if at and units[at - 1].kind == "prose" and units[at].text.split(maxsplit=1)[0].strip(",") in GOES_ON:
            yield at - 1
        return
    above = at
    while above and units[above].block == units[at].block:
        above -= 1
    if units[above].kind == "prose" and (units[above].text.endswith(":") or units[at].kind == "code"):
        yield above


def _group(units: Sequence[Unit], at: int) -> Iterator[int]:
    """Add the rest of a short list."""
    if units[at].kind != "item":
        return
    group = [other for other in range(len(units)) if units[other].block == units[at].block]
    if sum(len(units[other].text) for other in group) <= GROUP_CHARS:
        yield from group


def _promised(units: Sequence[Unit], at: int) -> Iterator[int]:
    """Add what a sentence that ends in a colon promises."""
    if not units[at].text.endswith(":") or at + 1 >= len(units):
        return
    following = at + 1
    yield following
    if units[following].kind in ("item", "row"):
        room = GROUP_CHARS
        for other in range(following, len(units)):
            room -= len(units[other].text)
            if units[other].block != units[following].block or room < 0:
                return
            yield other


def _fill(units: Sequence[Unit], chosen: set[int]) -> None:
    """Add what stands around the quotation while it is very short."""
    while sum(len(shown(units[at])) for at in chosen) < ENOUGH_CHARS:
        last = max(chosen)
        if _runs_on(units, last) and not units[last + 1].text.endswith(":"):
            chosen.add(last + 1)
        elif min(chosen) > 0 and _runs_on(units, min(chosen) - 1):
            chosen.add(min(chosen) - 1)
        else:
            return


def _runs_on(units: Sequence[Unit], at: int) -> bool:
    """Tell whether a unit and the next are both sentences."""
    return at + 1 < len(units) and units[at].kind == units[at + 1].kind == "prose"


def _fitting(units: Sequence[Unit], chosen: set[int], scores: Sequence[float], *, room_chars: int) -> tuple[int, ...]:
    """Drop the least fitting, last first, until the rest fits."""
    kept = set(chosen)
    while len(kept) > 1 and sum(len(shown(units[at])) for at in kept) > room_chars:
        kept.remove(min(kept, key=lambda at: (scores[at], -at)))
    if len(kept) > 1 and units[max(kept)].text.endswith(":"):
        kept.remove(max(kept))  # What it promises is not quoted.
    return tuple(sorted(kept))


def _joint(before: Unit | None, unit: Unit) -> str:
    if before is None:
        return ""
    if unit.kind in ("item", "row"):
        return "\n- "
    if "code" in (before.kind, unit.kind):
        return "\n\n" if "\n" in (before if before.kind == "code" else unit).text else "\n"
    return "\n\n" if before.kind in ("item", "row") else " "
