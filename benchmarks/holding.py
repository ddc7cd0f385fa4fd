"""Holding many calls at once, and what came of them; the same for both sides. Uses nothing but Python."""

import argparse
import asyncio
import os
import resource
import statistics
from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Protocol

from benchmarks.talk import (
    AFTER_S,
    BEFORE_S,
    CONFIGURED_S,
    FIRST_TOKEN_S,
    FRAME_S,
    RECOGNISE_S,
    SILENCE_S,
    VOICE_S,
    Moments,
    Talk,
    now,
)

PATH = ("decided", "heard", "asked", "worded", "voiced", "made", "sounded")
DELAYS = {"heard": RECOGNISE_S, "worded": FIRST_TOKEN_S, "made": VOICE_S}
"""The way of an exchange, and what is configured to pass before a moment."""


SETTLE_S = 0.5
"""The calls have begun, and are at rest."""

SHIFTS = 8
"""Frames and windows meet in as many ways: 20 and 32 ms."""


class Line(Protocol):
    """A call that has begun."""

    @property
    def hear(self) -> Callable[[bytes], Awaitable[None]]:
        """Hand over the next frame of the person."""
        ...

    @property
    def close(self) -> Callable[[], Awaitable[None]]:
        """End it."""
        ...


class Measured(Protocol):
    """A process that is measured."""

    def cpu_s(self) -> float:
        """CPU time that it has used, all threads."""
        ...

    def resident_bytes(self) -> int:
        """Memory that it holds."""
        ...


class Own:
    """This process."""

    def cpu_s(self) -> float:
        """See `Measured`."""
        used = resource.getrusage(resource.RUSAGE_SELF)
        return used.ru_utime + used.ru_stime

    def resident_bytes(self) -> int:
        """See `Measured`."""
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def hold(
    call: Callable[[Talk], Awaitable[Line]],
    sentence: Sequence[bytes],
    *,
    calls: int,
    interrupt: bool,
    vad_s: list[float] | None = None,
    process: Measured | None = None,
) -> dict[str, object]:
    """Hold so many calls at once, spread evenly over the time of one exchange, and measure them.

    Args:
        call: begins one.
        sentence: what is said.
        calls: how many.
        interrupt: people interrupt the answer, else they hear it out.
        vad_s: where the CPU seconds of voice activity are noted.
        process: whose time and memory are measured; this one's where none is given.
    """
    people = [Talk(sentence, shift=number % SHIFTS) for number in range(calls)]
    lines = [await call(person) for person in people]
    await asyncio.sleep(SETTLE_S)
    vad, measured = [] if vad_s is None else vad_s, process or Own()
    vad.clear()
    used_s, begun = measured.cpu_s(), now()
    apart_s = length_s(sentence) / calls
    await asyncio.gather(
        *(
            (person.interrupt if interrupt else person.converse)(line.hear, start=begun + number * apart_s)
            for number, (person, line) in enumerate(zip(people, lines, strict=True))
        )
    )
    used_s, took_s = measured.cpu_s() - used_s, now() - begun
    minutes = sum(len(person.late_s) for person in people) * FRAME_S / 60
    found = {
        "calls": calls,
        "cpu_s_per_minute": used_s / minutes,
        "vad_s_per_minute": None if vad_s is None else sum(vad) / minutes,
        "cores": used_s / took_s,
        "resident_bytes": measured.resident_bytes(),
    }
    for line in lines:
        await line.close()
    return found | (interruptions(people) if interrupt else summary(people))


def arguments() -> argparse.Namespace:
    """What a side is asked to do."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--recording", type=Path, help="the sentence")
    parser.add_argument("--calls", type=int, default=1)
    parser.add_argument("--interrupt", action="store_true", help="people interrupt the answer")
    parser.add_argument("--part", default="call", help="how much of a call: feed, ears or call")
    parser.add_argument("--short-speech", default="pause", help="what the assistant does from the first sound on")
    parser.add_argument("--first", type=float, help="only begin a call; the command was given at this time")
    return parser.parse_args()


def length_s(sentence: Sequence[bytes]) -> float:
    """How long one exchange is."""
    return BEFORE_S + len(sentence) * FRAME_S + AFTER_S


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which this share of them is; of none, nan."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("nan")


def spread(seconds: Iterable[float], *, less_s: float = 0.0) -> dict[str, float]:
    """Median, 95th percentile and the largest, in ms, without what is configured to pass."""
    ms = [(one - less_s) * 1000 for one in seconds]
    if not ms:
        return {}
    return {
        "median": round(statistics.median(ms), 2),
        "p95": round(percentile(ms, 0.95), 2),
        "max": round(max(ms), 2),
    }


def summary(talks: Sequence[Talk]) -> dict[str, object]:
    """What came of conversations."""
    exchanges = [one for talk in talks for one in talk.exchanges]
    steps: dict[str, dict[str, float]] = {}
    for before, after in pairwise(PATH):
        steps[f"{before} to {after}"] = spread(apart(exchanges, before, after), less_s=DELAYS.get(after, 0.0))
    return {
        "turns": len(exchanges),
        "answered": len(apart(exchanges, "said", "sounded")),
        "overhead_ms": spread(apart(exchanges, "decided", "sounded"), less_s=CONFIGURED_S),
        "stop_ms": spread(apart(exchanges, "said", "decided"), less_s=SILENCE_S),
        "reaction_ms": spread(apart(exchanges, "said", "sounded"), less_s=SILENCE_S + CONFIGURED_S),
        "steps_ms": steps,
        "fed_late_ms": spread(late for talk in talks for late in talk.late_s),
        "sounds_per_turn": round(sum(talk.sounds for talk in talks) / max(1, len(exchanges)), 1),
    }


def interruptions(talks: Sequence[Talk]) -> dict[str, object]:
    """What came of interruptions."""
    exchanges = [talk.exchanges[1] for talk in talks if len(talk.exchanges) > 1]
    return {
        "interruptions": len(exchanges),
        "accepted": len(apart(exchanges, "said", "accepted")),
        "to_silence_ms": spread(apart(exchanges, "said", "last")),
        "to_clear_ms": spread(apart(exchanges, "said", "cleared")),
        "after_accepted_ms": spread(max(0.0, one) for one in apart(exchanges, "accepted", "last")),
    }


def apart(exchanges: Sequence[Moments], before: str, after: str) -> list[float]:
    """How far two moments are apart, where there are both."""
    pairs = [(getattr(one, before), getattr(one, after)) for one in exchanges]
    return [end - begin for begin, end in pairs if begin is not None and end is not None]
