"""The command line."""

import gc
import shlex
import sys
from contextlib import closing
from itertools import chain
from typing import Annotated

import msgspec
import typer

from duologue.model.errors import DuologueError, SettingsError
from duologue.server.cli_check import check
from duologue.server.cli_doctor import doctor
from duologue.server.cli_keys import keys
from duologue.server.cli_options import Config, Data, Folder, Function, Token, Url, or_its_server, read_settings
from duologue.server.cli_replay import replay
from duologue.server.cli_sessions import sessions

commands = typer.Typer(
    name="duologue",
    help="One AI agent, every channel, nothing lost.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)
commands.add_typer(sessions, name="sessions")
commands.add_typer(keys, name="keys")
commands.command()(check)
commands.command()(replay)
commands.command()(doctor)


def main() -> None:
    """Run the command line; our own errors end it with a line that says what to do, and exit code 2."""
    try:
        commands()
    except DuologueError as error:
        from rich.console import Console

        complaint = f"duologue: {error}"
        Console(stderr=True).print(complaint, style="red", markup=False, highlight=False, soft_wrap=True)
        raise SystemExit(2) from None


@commands.callback()
def _root() -> None:
    """One AI agent, every channel, nothing lost."""


@commands.command()
def serve(
    config: Config = None,
    data: Data = None,
    folder: Folder = None,
    agent: Function = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 takes any.")] = None,
) -> None:
    """Serve the agent to browsers, apps, devices and programs."""
    # What is imported and made now stays: looking for garbage in it takes 40 ms. The server begins with that itself.
    gc.disable()
    # Imported here: a command that does not serve starts without the server's parts.
    from duologue.server.api_keys import key_names
    from duologue.server.app import make_app
    from duologue.server.auth import Auth, check_bind
    from duologue.server.log import configure
    from duologue.server.serve import listen, make_server

    settings = read_settings(
        config, data=data, folder=folder, agent=agent, more={"server.host": host, "server.port": port}
    )
    check_bind(settings.server.host, Auth(settings.auth), public_url=settings.server.public_url)
    configure(settings.server.log, pii=settings.server.log_pii)
    with closing(listen(settings.server)) as listener:
        address, taken = listener.getsockname()[:2]
        shown = f"[{address}]" if ":" in address else address
        # Links that name this server have to name the port that was really taken.
        server = msgspec.structs.replace(settings.server, port=taken)
        app = make_app(msgspec.structs.replace(settings, server=server))

        def started() -> None:
            app.state.audit.note("server.started", who="command line", about=key_names(settings.auth.api_keys))
            print(f"Duologue answers at http://{shown}:{taken}  (Ctrl+C stops)", file=sys.stderr, flush=True)

        make_server(app, settings.server, started=started).run(sockets=[listener])


@commands.command()
def chat(
    config: Config = None,
    data: Data = None,
    folder: Folder = None,
    agent: Function = None,
    url: Url = None,
    token: Token = None,
    session: Annotated[str | None, typer.Option(help="Go on with this session.")] = None,
) -> None:
    """Talk with the agent here in the terminal: in this process, or with a running server."""
    from duologue.server import chat_background, chat_link, chat_terminal

    asking = chat_terminal.is_asking()
    own = [("--config", config), ("--data", data), ("--folder", folder), ("--agent", agent)]
    given = [(name, str(value)) for name, value in own if value is not None]
    if url is not None:
        if given:
            message = f"{given[0][0]} is for a conversation without a server; leave it or --url away"
            raise SettingsError(message)
        given = [("--url", url)]
        patience_s = None if asking else chat_terminal.PIPED_PATIENCE_S
        link = chat_link.ServerLink(url, token=token, session_id=session, patience_s=patience_s)
        opening = chat_background.to_server(link)
    elif token is not None:
        raise SettingsError("--token is for a server; give --url as well")
    else:
        from duologue.server.log import configure

        settings = read_settings(config, data=data, folder=folder, agent=agent)
        # What goes wrong in the agent is for the person at this terminal, who wrote it or started it.
        configure("text", pii=True)
        opening = chat_background.in_process(settings, session_id=session)
    again = shlex.join(["duologue", "chat", *chain.from_iterable(given)])
    with or_its_server():
        code = chat_terminal.talk(opening, asking=asking, again=again)
    raise SystemExit(code)
