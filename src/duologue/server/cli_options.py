"""Options that several commands have, and the settings that they lead to."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from duologue.model.errors import SettingsError, StoreLocked
from duologue.server.settings import Settings
from duologue.server.settings_load import load_settings

Config = Annotated[
    Path | None, typer.Option("--config", help="Settings file; duologue.toml of this folder if not given.")
]
Data = Annotated[str | None, typer.Option("--data", help="Folder of the journals.")]
Folder = Annotated[str | None, typer.Option("--folder", help="Answer from this folder of Markdown files.")]
Function = Annotated[str | None, typer.Option("--agent", help="Answer with a function of yours, as module:name.")]
Url = Annotated[str | None, typer.Option("--url", help="Use the running server at this address.")]
Token = Annotated[str | None, typer.Option("--token", help="Token or API key for the server.")]


@contextmanager
def or_its_server() -> Generator[None, None, None]:
    """Where a server has the data folder open, say that it can be asked instead."""
    try:
        yield
    except StoreLocked as error:
        raise StoreLocked(f"{error} Or use that server: add --url http://127.0.0.1:8420") from error


def read_settings(
    config: Path | None,
    *,
    data: str | None,
    folder: str | None = None,
    agent: str | None = None,
    more: dict[str, object] | None = None,
) -> Settings:
    """Read the settings that the options, the environment and the file give.

    Raises:
        SettingsError: something is wrong with them.
    """
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
