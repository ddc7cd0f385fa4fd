"""The command line."""

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from duologue.model.errors import DuologueError, SettingsError
from duologue.server.settings import Settings
from duologue.server.settings_load import load_settings

app = typer.Typer(
    name="duologue",
    help="One AI agent, every channel, nothing lost.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)

Config = Annotated[
    Path | None, typer.Option("--config", help="Settings file; duologue.toml of this folder if not given.")
]
Data = Annotated[str | None, typer.Option("--data", help="Folder of the journals.")]
Folder = Annotated[
    str | None, typer.Option("--folder", help="Answer from this folder of Markdown files.")
]
Function = Annotated[
    str | None, typer.Option("--agent", help="Answer with a function of yours, as module:name.")
]


def main() -> None:
    """Run the command line; our own errors end it with a line that says what to do, and exit code 2."""
    try:
        app()
    except DuologueError as error:
        Console(stderr=True).print(f"duologue: {error}", style="red", markup=False, highlight=False)
        raise SystemExit(2) from None


@app.callback()
def _root() -> None:
    """One AI agent, every channel, nothing lost."""


@app.command()
def serve(
    config: Config = None,
    data: Data = None,
    folder: Folder = None,
    agent: Function = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 takes any.")] = None,
) -> None:
    """Serve the agent to browsers, apps, devices and programs."""
    # Imported here: a command that does not serve starts without the server's parts.
    from duologue.server.app import make_app
    from duologue.server.auth import Auth, check_bind
    from duologue.server.log import configure
    from duologue.server.serve import listen, make_server

    settings = _settings(
        config, data, folder, agent, {"server.host": host, "server.port": port}
    )
    check_bind(settings.server.host, Auth(settings.auth))
    configure(settings.server.log, pii=settings.server.log_pii)
    listener = listen(settings.server)
    address, taken = listener.getsockname()[:2]
    server = make_server(make_app(settings), settings.server)
    shown = f"[{address}]" if ":" in address else address
    Console(stderr=True).print(
        f"Duologue answers at [bold]http://{shown}:{taken}[/bold]  (Ctrl+C stops)", highlight=False
    )
    server.run(sockets=[listener])
    if not server.started:
        raise SystemExit(3)


def _settings(
    config: Path | None,
    data: str | None,
    folder: str | None,
    agent: str | None,
    more: dict[str, object] | None = None,
) -> Settings:
    if folder and agent:
        raise SettingsError("--folder and --agent are two different agents; give one of them")
    kind = "knowledge" if folder else "python" if agent else None
    flags: dict[str, object] = {
        "server.data": data,
        "agent.kind": kind,
        "agent.folder": str(Path(folder).resolve()) if folder else None,
        "agent.function": agent,
    }
    return load_settings(os.environ, Path.cwd(), config=config, flags=flags | (more or {}))
