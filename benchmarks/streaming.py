"""Streaming, measured against a plain AG-UI server in the same run: `make bench`.

Both sides stream the same tokens to the same clients in the same protocol; ours keeps every one of them. Results go to
`benchmarks/results/streaming.json` and `.md`, with the machine that they were made on.
"""

import argparse
import itertools
import json
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import uvloop
from rich.console import Console
from rich.table import Table

from benchmarks import engine, sessions, split
from benchmarks.load import Measured, load
from benchmarks.servers import ROOT, Running, duologue, reference, settle
from benchmarks.split import Part

RESULTS = ROOT / "benchmarks" / "results"
LOADS = (("flat out", 100, 200, 0), ("30 tokens/s", 200, 300, 30))
"""Name, clients, tokens for each, tokens a second (0: as fast as they come)."""

WITHIN_S = 1.0
"""Clients of a steady rate come within it, each at a moment of its own."""

EVENTS = 10_000
IDLE_SESSIONS = 2_000
ROUNDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One figure: what it is, what it came to, and what it is to be at most."""

    what: str
    ours: float
    peer: float | None
    unit: str
    limit: float

    @property
    def judged(self) -> float:
        """What is held against the limit: the ratio where there is a peer, else the figure."""
        return self.ours / self.peer if self.peer else self.ours

    @property
    def good(self) -> bool:
        """Whether the limit is kept."""
        return self.judged <= self.limit


async def measure(rounds: int) -> tuple[list[Line], list[Part]]:
    """Measure everything, the two sides in turn; and where the time of a token goes."""
    lines: list[Line] = []
    parts = await split.rooms()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        with reference() as peer, duologue(data / "load") as ours:
            for name, clients, tokens, rate in LOADS:
                before = split.threads(ours.process)
                lines += await _compare(name, peer, ours, clients=clients, tokens=tokens, rate=rate, rounds=rounds)
                each = clients * tokens * rounds
                parts += [
                    Part(what=f"{name}: {what}", us=(used_s - before[what]) / each * 1e6)
                    for what, used_s in split.threads(ours.process).items()
                ]
        with duologue(data / "idle") as ours:
            idle = await sessions.idle(ours, sessions=IDLE_SESSIONS)
            lines.append(_alone(f"{idle.sessions} idle sessions, memory of each", idle.kib_each, "KiB", 60))
        with duologue(data / "long") as ours:
            await sessions.fill(ours, session_id="long", events=EVENTS)
            took_ms = [await sessions.resume(ours, session_id="long", events=EVENTS) for _ in range(rounds)]
            lines.append(_alone(f"resume of {EVENTS:,} events", statistics.median(took_ms), "ms", 300))
        started = []
        for _ in range(rounds):
            with duologue(data / "long") as ours:
                started.append(ours.started_s)
        lines.append(_alone("cold start to serving", statistics.median(started), "s", 1.0))
    lines.append(_alone("engine step, median", engine.median_us(), "µs", 15))
    return lines, parts


async def _compare(
    name: str, peer: Running, ours: Running, *, clients: int, tokens: int, rate: int, rounds: int
) -> list[Line]:
    numbers = itertools.count()
    results: dict[str, list[Measured]] = {"peer": [], "ours": []}

    def for_peer(_: int) -> dict[str, object]:
        return {"n": tokens, "rate": rate}

    def for_ours(_: int) -> dict[str, object]:
        number = f"{name}-{next(numbers)}"
        said = {"id": number, "role": "user", "content": json.dumps(for_peer(0))}
        nothing = {"state": {}, "tools": [], "context": [], "forwardedProps": {}}
        return {"threadId": f"thread-{number}", "runId": f"run-{number}", "messages": [said], **nothing}

    sides: tuple[tuple[str, Running, str, Callable[[int], dict[str, object]]], ...] = (
        ("peer", peer, "/agui", for_peer),
        ("ours", ours, "/agui", for_ours),
    )
    for _ in range(rounds):
        for side, server, path, body in sides:
            await settle()
            measured = await load(
                server.process, server.url + path, body=body, clients=clients, within_s=WITHIN_S if rate else 0.0
            )
            results[side].append(measured)

    def median(side: str, figure: Callable[[Measured], float]) -> float:
        return statistics.median(figure(one) for one in results[side])

    return [
        Line(
            what=f"{name}, {clients} streams: CPU per token",
            ours=median("ours", lambda one: one.cpu_us),
            peer=median("peer", lambda one: one.cpu_us),
            unit="µs",
            limit=1.0,
        ),
        Line(
            what=f"{name}, {clients} streams: delivery, 99th percentile",
            ours=median("ours", lambda one: one.p99_ms),
            peer=median("peer", lambda one: one.p99_ms),
            unit="ms",
            limit=2.0,
        ),
    ]


def _alone(what: str, figure: float, unit: str, limit: float) -> Line:
    return Line(what=what, ours=figure, peer=None, unit=unit, limit=limit)


def table(lines: Sequence[Line]) -> Table:
    """The figures as a table for the terminal."""
    shown = Table("figure", "ours", "peer", "ratio", "to be at most", "")
    for row in rows(lines):
        shown.add_row(*row)
    return shown


def rows(lines: Sequence[Line]) -> list[list[str]]:
    """The figures as text."""
    return [
        [
            line.what,
            f"{line.ours:.2f} {line.unit}",
            f"{line.peer:.2f} {line.unit}" if line.peer else "",
            f"{line.judged:.2f}" if line.peer else "",
            f"{line.limit:g}" + ("" if line.peer else f" {line.unit}"),
            "kept" if line.good else "not kept",
        ]
        for line in lines
    ]


def keep(lines: Sequence[Line], parts: Sequence[Part]) -> None:
    """Write the results, with the machine."""
    RESULTS.mkdir(exist_ok=True)
    machine = f"{os.cpu_count()} cores, {platform.machine()}, CPython {platform.python_version()}"
    day = time.strftime("%Y-%m-%d")
    body = {
        "day": day,
        "machine": machine,
        "figures": [asdict(line) for line in lines],
        "token": [asdict(part) for part in parts],
    }
    (RESULTS / "streaming.json").write_text(json.dumps(body, indent=2, ensure_ascii=False) + "\n")
    head = "| figure | ours | peer | ratio | to be at most | |\n|---|---|---|---|---|---|\n"
    text = "".join("| " + " | ".join(row) + " |\n" for row in rows(lines))
    rooms = "".join(f"| {part.what} | {part.us:.1f} µs |\n" for part in parts)
    shares = f"Where the time of a token goes:\n\n| part | per token |\n|---|---|\n{rooms}"
    (RESULTS / "streaming.md").write_text(f"Measured on {day}: {machine}.\n\n{head}{text}\n{shares}")


def main() -> None:
    """Measure, show and keep."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=ROUNDS)
    asked = arguments.parse_args()
    console = Console()
    with console.status("measuring; this takes about three minutes"):
        lines, parts = uvloop.run(measure(asked.rounds))
    console.print(table(lines))
    for part in parts:
        console.print(f"{part.us:6.1f} µs  {part.what}")
    keep(lines, parts)


if __name__ == "__main__":
    main()
