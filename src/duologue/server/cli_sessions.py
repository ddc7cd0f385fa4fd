"""`duologue sessions`: look at conversations, take them elsewhere, remove them."""

import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import msgspec
import typer

from duologue.model.errors import SettingsError
from duologue.ports.store import Standing
from duologue.server import cli_show
from duologue.server.cli_options import Source, Written, Yes, from_somewhere, or_its_server, read_settings

if TYPE_CHECKING:
    from duologue.server.sessions_access import Sessions

sessions = typer.Typer(
    help="Look at conversations, take them elsewhere, remove them. Works on the data folder, or with --url.",
    no_args_is_help=True,
)

SessionId = Annotated[str, typer.Argument(metavar="ID", help="The session.")]
State = Annotated[Standing | None, typer.Option("--state", help="Only those that stand so.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="At most so many.")]

Work: TypeAlias = "Callable[[Sessions], Coroutine[None, None, None]]"


@sessions.command("list")
@from_somewhere
def list_sessions(source: Source, state: State = None, limit: Limit = None) -> None:
    """List sessions, the latest first."""
    _list(source, text="", state=state, limit=limit)


@sessions.command()
@from_somewhere
def search(
    source: Source,
    words: Annotated[list[str], typer.Argument(metavar="WORD...", help="All have to be in one message.")],
    state: State = None,
    limit: Limit = None,
) -> None:
    """Search titles and what was said, the latest session first."""
    _list(source, text=" ".join(words), state=state, limit=limit)


def _list(source: Source, *, text: str, state: Standing | None, limit: int | None) -> None:
    async def work(found: "Sessions") -> None:
        from duologue.server.sessions_access import Wanted

        wanted = Wanted(standing=state, subject=source.subject, text=text)
        with cli_show.listing(source.written) as show:
            count = 0
            async for row in found.rows(wanted):
                show(row)
                count += 1
                if count == limit:
                    break

    _run(work, source, whose=True)


@sessions.command()
@from_somewhere
def show(
    source: Source,
    session_id: SessionId,
    events: Annotated[bool, typer.Option("--events", help="Every event as well.")] = False,
) -> None:
    """Show a session turn by turn: what was said, how it ended, and how long it took."""

    async def work(found: "Sessions") -> None:
        row = await found.row(session_id)
        session = cli_show.Session(row, events=events)
        async for lines in found.journal(session_id):
            session.add(lines)
        session.show(source.written)

    _run(work, source)


@sessions.command()
@from_somewhere
def export(
    source: Source,
    session_id: SessionId,
    out: Annotated[Path | None, typer.Option(help="File to write, which may not exist.")] = None,
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

    _run(work, source)


@sessions.command("import")
@from_somewhere
def import_session(
    source: Source,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `export` wrote; - reads the input.")],
) -> None:
    """Check an exported session, all of it, and store it."""

    async def work(found: "Sessions") -> None:
        try:
            lines = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        except OSError as error:
            raise SettingsError(f"{file}: {error.strerror}") from error
        row = await found.take_in(lines)
        _tell(source, row.session_id, {"imported": row.session_id})

    _run(work, source, new=True)


@sessions.command()
@from_somewhere
def delete(source: Source, session_id: SessionId, yes: Yes = False) -> None:
    """Remove a session with its uploads, beyond recovery."""
    _make_sure(f"Remove session {session_id} beyond recovery?", yes=yes)

    async def work(found: "Sessions") -> None:
        await found.delete(session_id)
        _tell(source, f"removed {session_id}", {"deleted": session_id})

    _run(work, source)


@sessions.command()
@from_somewhere
def forget(
    source: Source,
    person: Annotated[str, typer.Argument(metavar="SUBJECT", help="The person, as authenticated.")],
    yes: Yes = False,
) -> None:
    """Remove everything about a person, beyond recovery."""
    _make_sure(f"Remove everything about {person} beyond recovery?", yes=yes)

    async def work(found: "Sessions") -> None:
        gone = await found.forget(person)
        _tell(source, f"removed {len(gone)} sessions of {person}, and their uploads", {"deleted": list(gone)})

    _run(work, source)


def _run(work: Work, source: Source, *, new: bool = False, whose: bool = False) -> None:
    """Do the work in the data folder of the settings, or at the server.

    Args:
        new: the folder may be made.
        whose: the command itself narrows to `--subject`; else only a server can.
    """
    import asyncio

    from duologue.server import sessions_access

    if source.url is None:
        if source.token is not None or (source.subject is not None and not whose):
            raise SettingsError("--token and --subject are for a server; give --url as well")
        folder = Path(read_settings(source.config, data=source.data).server.data)
        if not new and not folder.is_dir():
            raise SettingsError(f"there is no data folder {folder}; name it with --data")
        opening = sessions_access.in_folder(folder)
    elif source.data is not None or source.config is not None:
        raise SettingsError("--data and --config are for the folder itself; leave them or --url away")
    else:
        opening = sessions_access.at_server(source.url, token=source.token, subject=source.subject)

    async def do() -> None:
        async with opening as found:
            await work(found)

    with or_its_server():
        asyncio.run(do())


def _tell(source: Source, text: str, body: dict[str, object]) -> None:
    print(msgspec.json.encode(body).decode() if source.written is Written.JSON else text)


def _make_sure(question: str, *, yes: bool) -> None:
    if not yes and sys.stdin.isatty() and not typer.confirm(question):
        raise SystemExit(1)
