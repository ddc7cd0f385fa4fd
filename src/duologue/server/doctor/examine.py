"""All that the doctor looks at, in order."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

from duologue.model.errors import SettingsError
from duologue.server.cli_options import read_settings
from duologue.server.doctor import agent, condition, folder, installed, machine, network, posture, stored, voice
from duologue.server.doctor.findings import Finding, fail, ok, skip
from duologue.server.settings import Settings
from duologue.server.settings_load import settings_file


def examine(config: Path | None, *, data: str | None, sessions: int, deep: bool) -> Iterator[Finding]:
    """Look at everything; what depends on settings that are wrong is left out.

    Args:
        config: the settings file that was named.
        data: the data folder that was named.
        sessions: how many journals are stepped again.
        deep: copy a large data folder too.
    """
    yield from machine.look()
    yield from installed.look()
    try:
        settings = read_settings(config, data=data)
    except SettingsError as error:
        yield fail("settings.read", f"{str(error).count(chr(10)) + 1} mistakes", str(error))
        return
    file = settings_file(os.environ, Path.cwd(), config)
    yield ok("settings.read", f"from {file}" if file else "the defaults; there is no duologue.toml here")
    yield from posture.look(settings, file)
    yield from condition.look(settings)
    yield from _kept(settings, sessions=sessions, deep=deep)
    yield from agent.look(settings)
    yield from voice.look(settings.voice)


def _kept(settings: Settings, *, sessions: int, deep: bool) -> Iterator[Finding]:
    """The data folder, what is in it, and who serves it."""
    place = Path(settings.server.data)
    holder = folder.holder_of(place) if place.is_dir() else None
    yield from folder.look(place, holder)
    yield from network.look(settings.server, held=holder is not None)
    if holder is not None:
        yield skip("store.open", "open in a running process", "stop it to have what is stored looked at as well")
    elif place.is_dir() and os.access(place, os.R_OK | os.X_OK):
        now_ms = time.time_ns() // 1_000_000
        yield from stored.look(place, sessions=sessions, deep=deep, now_ms=now_ms)
