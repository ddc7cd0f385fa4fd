"""`duologue sessions`: look at conversations, take them elsewhere, remove them."""

import sys
from collections.abc import Callable, Coroutine
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from duologue.model.errors import SettingsError
from duologue.server.cli_options import Config, Data, Token, Url, or_its_server, read_settings

if TYPE_CHECKING:
    from duologue.server.sessions_access import Row, Sessions

sessions = typer.Typer(
    help="Look at conversations, take them elsewhere, remove them. Works on the data folder, or with --url.",
    no_args_is_help=True,
)

Subject = Annotated[str | None, typer.Option("--subject", help="With --url and an API key: whose sessions.")]
SessionId = Annotated[str, typer.Argument(metavar="ID", help="The session.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]

Work: TypeAlias = "Callable[[Sessions], Coroutine[None, None, None]]"


@sessions.command("list")
def list_sessions(
    config: Config = None, data: Data = None, url: Url = None, token: Token = None, subject: Subject = None
) -> None:
    """List sessions, the latest first."""

    async def work(found: "Sessions") -> None:
        rows = [_cells(row) async for row in found.rows()]
        if sys.stdout.isatty():
            _print_table(rows)
        else:
            print("".join(["\t".join(row) + "\n" for row in rows]), end="")

    _run(work, config, data=data, url=url, token=token, subject=subject)


@sessions.command()
def show(
    session_id: SessionId,
    config: Config = None,
    data: Data = None,
    url: Url = None,
    token: Token = None,
    subject: Subject = None,
) -> None:
    """Show a session: what is known of it, and what was said."""

    async def work(found: "Sessions") -> None:
        _print_row(await found.row(session_id))
        async for lines in found.journal(session_id):
            _print_words(lines)

    _run(work, config, data=data, url=url, token=token, subject=subject)


@sessions.command()
def export(
    session_id: SessionId,
    out: Annotated[Path | None, typer.Option(help="File to write, which may not exist.")] = None,
    config: Config = None,
    data: Data = None,
    url: Url = None,
    token: Token = None,
    subject: Subject = None,
) -> None:
    """Write all of a session as JSON lines: to a file, or to where the output goes."""

    async def work(found: "Sessions") -> None:
        if out is None:
            async for piece in found.export(session_id):
                sys.stdout.buffer.write(piece)
            sys.stdout.flush()
            return
        try:
            file = out.open("xb")
        except OSError as error:
            raise SettingsError(f"--out {out}: {error.strerror}") from error
        with file:
            async for piece in found.export(session_id):
                file.write(piece)

    _run(work, config, data=data, url=url, token=token, subject=subject)


@sessions.command("import")
def import_session(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `export` wrote; - reads the input.")],
    config: Config = None,
    data: Data = None,
    url: Url = None,
    token: Token = None,
) -> None:
    """Check an exported session, all of it, and store it."""

    async def work(found: "Sessions") -> None:
        try:
            lines = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        except OSError as error:
            raise SettingsError(f"{file}: {error.strerror}") from error
        print((await found.take_in(lines)).session_id)

    _run(work, config, data=data, url=url, token=token, new=True)


@sessions.command()
def delete(
    session_id: SessionId,
    yes: Yes = False,
    config: Config = None,
    data: Data = None,
    url: Url = None,
    token: Token = None,
    subject: Subject = None,
) -> None:
    """Remove a session with its uploads, beyond recovery."""
    _make_sure(f"Remove session {session_id} beyond recovery?", yes=yes)

    async def work(found: "Sessions") -> None:
        await found.delete(session_id)
        print(f"removed {session_id}")

    _run(work, config, data=data, url=url, token=token, subject=subject)


@sessions.command()
def forget(
    person: Annotated[str, typer.Argument(metavar="SUBJECT", help="The person, as authenticated.")],
    yes: Yes = False,
    config: Config = None,
    data: Data = None,
    url: Url = None,
    token: Token = None,
) -> None:
    """Remove everything about a person, beyond recovery."""
    _make_sure(f"Remove everything about {person} beyond recovery?", yes=yes)

    async def work(found: "Sessions") -> None:
        gone = await found.forget(person)
        print(f"removed {len(gone)} sessions of {person}, and their uploads")

    _run(work, config, data=data, url=url, token=token)


def _run(
    work: Work,
    config: Path | None,
    *,
    data: str | None,
    url: str | None,
    token: str | None,
    subject: str | None = None,
    new: bool = False,
) -> None:
    """Do the work in the data folder of the settings, or at the server."""
    import asyncio

    from duologue.server import sessions_access

    if url is None:
        if token is not None or subject is not None:
            raise SettingsError("--token and --subject are for a server; give --url as well")
        folder = Path(read_settings(config, data=data).server.data)
        if not new and not folder.is_dir():
            raise SettingsError(f"there is no data folder {folder}; name it with --data")
        opening = sessions_access.in_folder(folder)
    elif data is not None or config is not None:
        raise SettingsError("--data and --config are for the folder itself; leave them or --url away")
    else:
        opening = sessions_access.at_server(url, token=token, subject=subject)

    async def do() -> None:
        async with opening as found:
            await work(found)

    with or_its_server():
        asyncio.run(do())


def _make_sure(question: str, *, yes: bool) -> None:
    if not yes and sys.stdin.isatty() and not typer.confirm(question):
        raise SystemExit(1)


def _cells(row: "Row") -> tuple[str, ...]:
    state = "ended" if row.ended else "answering" if row.open else "open"
    return row.session_id, _moment(row.updated_at), str(row.turns), state, " ".join(_plain(row.title).split())


def _print_table(rows: list[tuple[str, ...]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("session", "changed", "turns", "state", "title", box=None, header_style="bold")
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)


def _print_row(row: "Row") -> None:
    state = _cells(row)[3]
    trimmed = f", trimmed {row.epoch} times" if row.epoch else ""
    print(f"session  {row.session_id}")
    print(f"agent    {_plain(row.agent)}")
    print(f"state    {state}")
    print(f"began    {_moment(row.created_at)}")
    print(f"changed  {_moment(row.updated_at)}")
    print(f"turns    {row.turns}")
    print(f"events   {row.first_sequence} to {row.last_sequence}{trimmed}")


def _print_words(lines: bytes) -> None:
    """Print what was said in a piece of the journal."""
    from duologue.model import events as e
    from duologue.model.records import decode_events

    for event in decode_events(lines):
        match event:
            case e.HistoryTrimmed():
                for message in event.messages:
                    print(f"\n{'you' if message.role == 'user' else 'agent'}> {_plain(message.text)}")
            case e.TurnAccepted():
                print(f"\nyou> {_plain(event.text)}")
            case e.TextCompleted():
                print(f"\nagent> {_plain(event.text)}")
            case e.ResponseFailed():
                print(f"\nerror> {event.code}: {_plain(event.message)}")
            case _:
                pass


def _moment(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000).astimezone().isoformat(sep=" ", timespec="seconds")


def _plain(text: str) -> str:
    """Leave out what would command the terminal."""
    return "".join(letter for letter in text if letter.isprintable() or letter in "\n\t")
