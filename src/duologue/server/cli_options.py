"""Options that several commands have, and the settings that they lead to."""

import functools
import inspect
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Concatenate, NamedTuple, ParamSpec

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
Subject = Annotated[str | None, typer.Option("--subject", help="Whose sessions; with --url only for an API key.")]


class Written(StrEnum):
    """How a command writes its answer."""

    TEXT = "text"
    JSON = "json"


Format = Annotated[Written, typer.Option("--format", help="Text for people, or JSON for programs.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


class Source(NamedTuple):
    """Where a command finds sessions, and how it answers, as the person said it."""

    config: Path | None
    data: str | None
    url: str | None
    token: str | None
    subject: str | None
    written: Written


Own = ParamSpec("Own")


def from_somewhere(command: Callable[Concatenate[Source, Own], None]) -> Callable[..., None]:
    """Give a command the options that say where its sessions are; it takes them as its first argument."""

    def shared(
        *,
        config: Config = None,
        data: Data = None,
        url: Url = None,
        token: Token = None,
        subject: Subject = None,
        written: Format = Written.TEXT,
    ) -> Source:
        return Source(config, data, url, token, subject, written)

    options = inspect.signature(shared).parameters
    own = list(inspect.signature(command).parameters.values())[1:]

    @functools.wraps(command)
    def run(*args: Own.args, **given: Own.kwargs) -> None:
        # What each option holds is known to typer and not to the type checker.
        source = shared(**{name: given.pop(name) for name in options})  # pyright: ignore[reportArgumentType]
        command(source, *args, **given)

    # Typer asks the signature which options there are; all come by name.
    told = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
    # A function has room for any attribute, and `inspect.signature` looks for this one.
    run.__signature__ = inspect.Signature([*told, *options.values()])  # pyright: ignore[reportAttributeAccessIssue]
    return run


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
