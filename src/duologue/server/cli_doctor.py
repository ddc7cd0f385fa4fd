"""`duologue doctor`: look at everything that a server needs, and change nothing."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from duologue.server.cli_options import Config, Data, Format, Written

if TYPE_CHECKING:
    from duologue.server.doctor.findings import Finding

JOURNALS = 200
"""How many journals are stepped again unless more are asked for: some seconds."""


def doctor(
    config: Config = None,
    data: Data = None,
    sessions: Annotated[int, typer.Option(min=0, help="How many journals to step again, the latest first.")] = JOURNALS,
    deep: Annotated[
        bool, typer.Option("--deep", help="Look into a data folder above 1 GiB too: it is copied.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail too.")] = False,
    written: Format = Written.TEXT,
) -> None:
    """Look at the machine, the settings, the data, the port and the agent; say what to do. Changes nothing.

    Ends with 0 where a server can run, 1 where something fails, 2 where the command was wrong.
    """
    from duologue.server.doctor.examine import examine
    from duologue.server.log import configure

    # What goes wrong in the agent's module is for the person at this terminal.
    configure("text", pii=True)

    found = list(examine(config, data=data, sessions=sessions, deep=deep))
    if written is Written.JSON:
        import msgspec

        whole = {
            "findings": msgspec.to_builtins(found),
            "failed": _count(found, "fail"),
            "warnings": _count(found, "warn"),
        }
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(whole), indent=2).decode() + "\n")
    else:
        _print(found)
    sys.stdout.flush()
    raise SystemExit(1 if _count(found, "fail") or (strict and _count(found, "warn")) else 0)


def _count(found: "list[Finding]", status: str) -> int:
    return sum(finding.status == status for finding in found)


def _print(found: "list[Finding]") -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(soft_wrap=True, highlight=False)
    colours = {"ok": "green", "note": "cyan", "warn": "yellow", "fail": "red", "skip": "dim"}
    for finding in found:
        console.print(
            Text.assemble(
                (f"{finding.status:5}", colours[finding.status]), f" {finding.check:20} ", _plain(finding.found)
            )
        )
        for line in finding.mend.splitlines():
            console.print(Text(f"{'':26} → {_plain(line)}", style="dim"))
    failed, warned = _count(found, "fail"), _count(found, "warn")
    told = f"{failed} failed, {warned} warnings" if failed or warned else "all is well"
    console.print(Text(f"\n{told}", style="bold red" if failed else "bold yellow" if warned else "bold green"))


def _plain(text: str) -> str:
    """Leave out what would command the terminal."""
    return "".join(letter for letter in text if letter.isprintable() or letter == "\t")
