"""Figures: what was measured, beside the peer's and what it is to be at most; for the terminal and for keeping."""

import json
import os
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from rich.table import Table

from benchmarks.servers import ROOT

RESULTS = ROOT / "benchmarks" / "results"
COLUMNS = ("figure", "ours", "peer", "ratio", "to be at most", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure.

    Attributes:
        what: what was measured.
        ours: what it came to.
        peer: the same of the peer, where it has it.
        unit: of both.
        limit: what it is to be at most; at least where `least`. `None` where nothing was said.
        ratio: the limit is of ours to the peer's, and not of ours.
        least: more is better.
    """

    what: str
    ours: float
    peer: float | None = None
    unit: str
    limit: float | None = None
    ratio: bool = False
    least: bool = False

    @property
    def judged(self) -> float:
        """What is held against the limit."""
        return self.ours / self.peer if self.ratio and self.peer else self.ours

    @property
    def good(self) -> bool:
        """Whether the limit is kept."""
        if self.limit is None:
            return True
        return self.judged >= self.limit if self.least else self.judged <= self.limit

    def row(self) -> list[str]:
        """It as text, in the order of `COLUMNS`."""
        wanted = "" if self.limit is None else f"{self.limit:g}" + ("" if self.ratio else f" {self.unit}")
        return [
            self.what,
            _said(self.ours, self.unit),
            "" if self.peer is None else _said(self.peer, self.unit),
            f"{self.ours / self.peer:.2f}" if self.peer else "",
            f"{'at least ' if self.least else ''}{wanted}" if wanted else "",
            "" if self.limit is None else "kept" if self.good else "not kept",
        ]


def _said(value: float, unit: str) -> str:
    return f"{value:.0f} {unit}" if value == int(value) and abs(value) >= 1 else f"{value:.2f} {unit}"


def table(figures: Sequence[Figure]) -> Table:
    """The figures for the terminal."""
    shown = Table(*COLUMNS)
    for figure in figures:
        shown.add_row(*figure.row())
    return shown


def markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of text."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def keep(name: str, figures: Sequence[Figure], *, more: Mapping[str, object], text: str) -> None:
    """Write results with the machine that they were made on: `name`.json and .md.

    Args:
        name: of the files.
        figures: go into both.
        more: goes into the JSON as well.
        text: goes below the table.
    """
    RESULTS.mkdir(exist_ok=True)
    machine = f"{os.cpu_count()} cores, {platform.machine()}, CPython {platform.python_version()}"
    day = time.strftime("%Y-%m-%d")
    body = {"day": day, "machine": machine, "figures": [asdict(figure) for figure in figures], **more}
    (RESULTS / f"{name}.json").write_text(json.dumps(body, indent=2, ensure_ascii=False) + "\n")
    shown = markdown(COLUMNS, [figure.row() for figure in figures])
    (RESULTS / f"{name}.md").write_text(f"Measured on {day}: {machine}.\n\n{shown}\n{text}")
