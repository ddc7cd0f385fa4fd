"""The page `docs/conformance.md`: plays all runs, and writes what showed up and what led to it."""

import asyncio
import inspect
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from tests.conformance.causes import (
    runs_call,
    runs_desk,
    runs_memory,
    runs_phone,
    runs_signals,
    runs_talk,
    runs_tiers,
    runs_tools,
)
from tests.conformance.causes.contract import CONTRACTS, TITLES, Contract, Item, items
from tests.conformance.causes.world import Story, World

from duologue.model import inputs

PAGE: Final = Path(__file__).parents[3] / "docs" / "conformance.md"

STORIES: Final[tuple[Story, ...]] = (
    *runs_talk.STORIES,
    *runs_phone.STORIES,
    *runs_call.STORIES,
    *runs_desk.STORIES,
    *runs_signals.STORIES,
    *runs_tools.STORIES,
    *runs_memory.STORIES,
    *runs_tiers.STORIES,
)
"""All runs, in the order in which they are asked for a cause."""

STORY_S: Final = 60
"""How long a run may take on a busy machine."""

BEGIN: Final = """# Conformance: what causes each part of the contracts

Duologue implements four contracts. This page names, for every message, every member and every value that they list, a
real cause: a run of a real server in which it was seen on the wire, and what led to it there. The page is written by
the runs themselves (`make conformance`); a test plays them again and compares.

## How is a cause found?

Each run serves with the parts that a server has, and people, operators, agents and tools talk to it over its own
addresses. Then all that its clients were sent is read over real connections, and laid beside the journal, which holds
for every event the input that led to it. Of what an AgentCall client sends, the column says which event came of it. The
first run that shows something is named.
"""


class Cause(NamedTuple):
    """Where something was first seen."""

    story: str
    cause: str


class Played(NamedTuple):
    """What came out of the runs: where everything was first seen, and what is wrong with what was sent."""

    found: dict[Item, Cause]
    faults: list[str]


def play(stories: Sequence[Story] = STORIES) -> Played:
    """Play runs, one after the other, and gather what they show."""
    found: dict[Item, Cause] = {}
    faults: list[str] = []
    for story in stories:
        world = World()
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(asyncio.wait_for(story.play(world, Path(folder)), STORY_S))
        for item, cause in world.causes.items():
            found.setdefault(item, Cause(story.name, cause))
        faults += [f"{story.name}: {fault}" for fault in world.faults]
    return Played(found, faults)


def write(found: Mapping[Item, Cause]) -> str:
    """Write the page."""
    parts = [BEGIN, *_runs(), *_words(found)]
    for contract in CONTRACTS:
        parts += [f"\n## {TITLES[contract]}\n", *_table(contract, found)]
    return "\n".join(parts) + "\n"


def without_cause(found: Mapping[Item, Cause]) -> list[Item]:
    """What no run has shown."""
    return [item for contract in CONTRACTS for item in items(contract) if item not in found]


def _runs() -> Iterator[str]:
    yield "## Which runs are there?\n\n| run | what happens in it |\n|---|---|"
    for story in STORIES:
        yield f"| {story.name} | {story.tells} |"


def _words(found: Mapping[Item, Cause]) -> Iterator[str]:
    """What the inputs are that are named as causes."""
    yield "\n## What are the causes?\n\n| cause | what it is |\n|---|---|"
    named = {found[item].cause for contract in CONTRACTS for item in items(contract) if item in found}
    for name in sorted(named):
        kind = getattr(inputs, name, None)
        if kind is not None:
            yield f"| `{name}` | {(inspect.getdoc(kind) or '').partition(chr(10))[0]} |"


def _table(contract: Contract, found: Mapping[Item, Cause]) -> Iterator[str]:
    yield "| message | member | value | cause | run |\n|---|---|---|---|---|"
    for message, members in groupby(items(contract), key=lambda item: item.message):
        for item in members:
            cause = found.get(item, Cause("—", "—"))
            shown = f"`{cause.cause}`" if cause.cause.isidentifier() or "." in cause.cause else cause.cause
            member = f"`{item.member}`" if item.member else ""
            value = f"`{item.value}`" if item.value else ""
            yield f"| `{message}` | {member} | {value} | {shown} | {cause.story} |"


def main() -> None:
    """Write the page anew; say what has no cause."""
    found, faults = play()
    PAGE.write_text(write(found))
    for item in without_cause(found):
        print("no cause:", *filter(None, item))
    print("\n".join(faults))


if __name__ == "__main__":
    main()
