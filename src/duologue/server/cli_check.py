"""`duologue check`: judge recorded or live frames by a protocol's rules."""

import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from duologue.check.findings import Protocol
from duologue.model.errors import SettingsError
from duologue.server.cli_options import Token

if TYPE_CHECKING:
    from duologue.check.outlets import Checked

Format = Literal["text", "json", "sarif", "junit"]


def check(
    source: Annotated[
        str, typer.Argument(metavar="FILE|URL", help="JSON lines, a JSON array or server-sent events; - is the input.")
    ],
    protocol: Annotated[Protocol, typer.Option("--protocol", "-p", help="Whose rules hold.")],
    form: Annotated[Format, typer.Option("--format", help="How to tell the findings.")] = "text",
    resumed: Annotated[bool, typer.Option("--resumed", help="The recording begins in the middle.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail the check too.")] = False,
    send: Annotated[
        str | None,
        typer.Option(
            "--send", help="To an address: JSON to post; over a WebSocket, frames to send, a line each. @FILE reads it."
        ),
    ] = None,
    token: Token = None,
    seconds: Annotated[float, typer.Option(min=0.1, max=86_400, help="From an address: when to stop.")] = 10.0,
    frames: Annotated[int, typer.Option(min=1, max=1_000_000, help="From an address: how many to take.")] = 10_000,
) -> None:
    """Judge frames by the rules of a protocol, and say what is wrong where.

    Ends with 0 where nothing is wrong, 1 where something is, 2 where the frames could not be read.
    """
    from duologue.check.outlets import Checked
    from duologue.check.recording import Recording
    from duologue.server import check_source
    from duologue.server.schemas import for_checks

    if check_source.is_live(source):
        import asyncio

        body = check_source.read_body(send)
        ask = check_source.Live(url=source, body=body, token=token, seconds=seconds, most=frames)
        taken = asyncio.run(check_source.live(ask))
    elif send is not None or token is not None:
        raise SettingsError("--send and --token are for an address; leave them away for a recording")
    else:
        taken = check_source.stored(source)
    recording = Recording(protocol, for_checks, resumed=resumed)
    for frame in taken.frames:
        recording.take(frame)
    checked = Checked(source=source, report=recording.end(whole=taken.whole))
    _tell(checked, form)
    report = checked.report
    raise SystemExit(1 if report.errors or (strict and report.findings) else 0)


def _tell(checked: "Checked", form: Format) -> None:
    from importlib.metadata import version

    from duologue.check import outlets
    from duologue.check.recording import known_rules

    rules = known_rules(checked.report.protocol).values()
    match form:
        case "text":
            _print(checked)
        case "json":
            sys.stdout.write(outlets.as_json(checked))
        case "sarif":
            sys.stdout.write(outlets.as_sarif(checked, rules, version=version("duologue")))
        case "junit":
            sys.stdout.write(outlets.as_junit(checked, rules))
    sys.stdout.flush()


def _print(checked: "Checked") -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(soft_wrap=True, highlight=False)
    report = checked.report
    for finding in report.findings:
        colour = "red" if finding.severity == "error" else "yellow"
        where = f"{checked.source}:{finding.line}"
        inside = f" at {finding.pointer}" if finding.pointer else ""
        line = Text.assemble(
            (where, "bold"), " ", (finding.severity, colour), f" {finding.rule} (frame {finding.frame}{inside})"
        )
        console.print(line)
        console.print(Text(f"  found     {_plain(finding.found)}"))
        console.print(Text(f"  expected  {_plain(finding.expected)}"))
        console.print(Text(f"  to mend   {finding.mend}", style="dim"))
    console.print(Text(_summary(checked)))


def _summary(checked: "Checked") -> str:
    report = checked.report
    warnings = len(report.findings) - report.errors
    parts = [f"{report.frames} frames", f"{report.errors} errors", f"{warnings} warnings"]
    if report.dropped:
        parts.append(f"{report.dropped} more findings are not shown")
    if report.skipped:
        parts.append(f"{report.skipped} other messages skipped")
    if not report.whole:
        parts.append("stopped at a bound, so what was still open is not judged")
    return f"{checked.source}: {report.protocol}: " + ", ".join(parts)


def _plain(text: str) -> str:
    """Leave out what would command the terminal."""
    return "".join(letter for letter in text if letter.isprintable())
