"""Streaming, measured against a plain AG-UI server in the same run: `make bench`.

Both sides stream the same tokens to the same clients in the same protocol; ours keeps every one of them. Results go to
`benchmarks/results/streaming.json` and `.md`, with the machine that they were made on.
"""

import argparse
import itertools
import json
import statistics
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import uvloop
from rich.console import Console

from benchmarks import engine, figures, sessions, split
from benchmarks.figures import Figure
from benchmarks.load import Measured, load
from benchmarks.servers import Running, duologue, reference, settle
from benchmarks.split import Part

LOADS = (("flat out", 100, 200, 0), ("30 tokens/s", 200, 300, 30))
"""Name, clients, tokens for each, tokens a second (0: as fast as they come)."""

WITHIN_S = 1.0
"""Clients of a steady rate come within it, each at a moment of its own."""

EVENTS = 10_000
IDLE_SESSIONS = 2_000
ROUNDS = 3


async def measure(rounds: int) -> tuple[list[Figure], list[Part]]:
    """Measure everything, the two sides in turn; and where the time of a token goes."""
    lines: list[Figure] = []
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
) -> list[Figure]:
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
        Figure(
            what=f"{name}, {clients} streams: CPU per token",
            ours=median("ours", lambda one: one.cpu_us),
            peer=median("peer", lambda one: one.cpu_us),
            unit="µs",
            limit=1.0,
            ratio=True,
        ),
        Figure(
            what=f"{name}, {clients} streams: delivery, 99th percentile",
            ours=median("ours", lambda one: one.p99_ms),
            peer=median("peer", lambda one: one.p99_ms),
            unit="ms",
            limit=2.0,
            ratio=True,
        ),
    ]


def _alone(what: str, figure: float, unit: str, limit: float) -> Figure:
    return Figure(what=what, ours=figure, unit=unit, limit=limit)


def keep(lines: Sequence[Figure], parts: Sequence[Part]) -> None:
    """Write the results, with the machine."""
    rooms = figures.markdown(("part", "per token"), [(part.what, f"{part.us:.1f} µs") for part in parts])
    text = f"Where the time of a token goes:\n\n{rooms}"
    figures.keep("streaming", lines, more={"token": [asdict(part) for part in parts]}, text=text)


def main() -> None:
    """Measure, show and keep."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=ROUNDS)
    asked = arguments.parse_args()
    console = Console()
    with console.status("measuring; this takes about three minutes"):
        lines, parts = uvloop.run(measure(asked.rounds))
    console.print(figures.table(lines))
    for part in parts:
        console.print(f"{part.us:6.1f} µs  {part.what}")
    keep(lines, parts)


if __name__ == "__main__":
    main()
