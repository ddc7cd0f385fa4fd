"""`duologue replay`: run recorded conversations again, and say what differs."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from duologue.model.errors import SettingsError
from duologue.server.cli_options import Config, Data, Folder, Function, Subject, Token, Url, read_settings

if TYPE_CHECKING:
    from duologue.ports.agent import Agent
    from duologue.server.replay.suite import Replayed, Work
    from duologue.server.settings import Settings

Form = Literal["text", "json", "junit"]


def replay(
    source: Annotated[
        str, typer.Argument(metavar="SESSION|FILE|FOLDER", help="A session's id, an export, or a folder of exports.")
    ],
    agent: Function = None,
    folder: Folder = None,
    configured: Annotated[
        bool, typer.Option("--configured", help="Answer with the agent of the settings, whichever kind it is.")
    ] = False,
    verify: Annotated[bool, typer.Option("--verify", help="Look only at the law: same inputs, same events.")] = False,
    rules: Annotated[
        Path | None, typer.Option("--rules", help="What each turn has to be; else the .toml beside the export.")
    ] = None,
    form: Annotated[Form, typer.Option("--format", help="How to tell what came of it.")] = "text",
    html: Annotated[Path | None, typer.Option("--html", help="Write a page as well.")] = None,
    config: Config = None,
    data: Data = None,
    url: Url = None,
    token: Token = None,
    subject: Subject = None,
) -> None:
    """Run a recorded conversation again in virtual time: as it was, or with another agent.

    Ends with 0 where all is as it has to be, 1 where it is not, 2 where it could not be read.
    """
    from duologue.server.replay import outlets, suite
    from duologue.server.replay.page import page

    given = sum((agent is not None, folder is not None, configured))
    if given > 1:
        raise SettingsError("--agent, --folder and --configured are different agents; give one of them")
    if verify and given:
        raise SettingsError("--verify needs no agent: the recorded inputs are stepped again as they are")
    if rules is not None and not rules.exists():
        raise SettingsError(f"--rules {rules}: there is no such file")
    settings = read_settings(config, data=data, folder=folder, agent=agent)
    works = _gather(source, settings, rules=rules, url=url, token=token, subject=subject)
    if verify:
        done = [suite.verified(work.recorded) for work in works]
    else:
        done = _run(works, _maker(settings) if given else None, always=Path(source).is_dir())
    if html is not None:
        _write(html, page(done))
    match form:
        case "json":
            sys.stdout.write(outlets.as_json(done))
        case "junit":
            sys.stdout.write(outlets.as_junit(done))
        case "text":
            from duologue.server.replay import screen

            screen.show(done)
    sys.stdout.flush()
    raise SystemExit(1 if any(one.failed for one in done) else 0)


def _gather(
    source: str, settings: "Settings", *, rules: Path | None, url: str | None, token: str | None, subject: str | None
) -> "list[Work]":
    import asyncio

    from duologue.server.replay import source as sources
    from duologue.server.replay import suite
    from duologue.server.replay.rules import read_rules

    path = Path(source)
    if url is None and path.is_dir():
        if rules is not None:
            raise SettingsError("--rules is for one session; a folder has suite.toml, and a .toml beside each export")
        return suite.gather(path)
    if url is None and (path.is_file() or path.suffix == ".jsonl"):
        return [suite.one_file(path, rules=rules)]
    if url is not None:
        recorded = asyncio.run(sources.from_server(source, url, token=token, subject=subject))
    else:
        if not Path(settings.server.data).is_dir():
            raise SettingsError(f"there is no data folder {settings.server.data}; name it with --data")
        recorded = asyncio.run(sources.from_folder(source, settings, token=token))
    return [suite.Work(recorded=recorded, rules=read_rules([rules] if rules else []), folder=Path.cwd())]


def _maker(settings: "Settings") -> "tuple[str, Callable[[], Agent]]":
    """How to make the agent that answers, and what to call it."""
    from duologue.server.parts import make_agent

    asked = settings.agent
    name = asked.function if asked.kind == "python" else asked.folder if asked.kind == "knowledge" else ""
    return name or asked.kind, lambda: make_agent(settings)


def _run(works: "list[Work]", maker: "tuple[str, Callable[[], Agent]] | None", *, always: bool) -> "list[Replayed]":
    import asyncio

    from duologue.server.log import configure, event_log
    from duologue.server.replay import suite
    from duologue.server.replay.rules import Judges

    # What goes wrong in the agent is for the person at this terminal, who wrote it.
    configure("text", pii=True)
    done: list[Replayed] = []
    for work in works:
        name, make = maker or ("", None)
        ran = suite.run(work.recorded, make_agent=make, agent=name, log=event_log("duologue"))
        done.append(asyncio.run(suite.judged(work, ran, judges=Judges(work.folder), always=always)))
    return done


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"--html {path}: {error.strerror}") from error
