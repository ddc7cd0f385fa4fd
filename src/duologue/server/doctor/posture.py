"""Who may come in, as the settings have it."""

import stat
from collections.abc import Iterator
from pathlib import Path

from duologue.model.errors import SettingsError
from duologue.server.auth import Auth, check_bind, is_loopback
from duologue.server.doctor.findings import Finding, fail, note, ok, warn
from duologue.server.settings import Settings
from duologue.server.settings_auth import ApiKey


def look(settings: Settings, file: Path | None) -> Iterator[Finding]:
    """Look at auth and at what holds its secrets.

    Args:
        settings: all of them.
        file: the settings file, where one was read.
    """
    server, auth = settings.server, settings.auth
    known = Auth(auth)
    try:
        check_bind(server.host, known, public_url=server.public_url)
    except SettingsError as error:
        yield fail("auth.bind", "it can be reached from other machines without auth; it will not start", str(error))
    else:
        yield _bind(settings, configured=known.configured)
    if auth.api_keys and not auth.secret:
        yield note(
            "auth.secret",
            "no secret: tokens are signed with a random one and end with the process",
            "set auth.secret, so that tokens outlive a restart",
        )
    plain = sum(not _is_hashed(key) for key in auth.api_keys)
    if plain:
        yield warn(
            "auth.keys",
            f"{plain} of {len(auth.api_keys)} API keys stand in the settings as they are",
            "keep sha256:<hex> of them instead; `duologue keys new` makes one",
        )
    elif auth.api_keys:
        yield ok("auth.keys", f"{len(auth.api_keys)} API keys, none of them in plain text")
    if file is not None and (auth.api_keys or auth.secret):
        yield _file(file)
    if "*" in "".join(server.allowed_origins):
        yield warn("auth.origins", "pages of any origin may connect", "name the origins of your own pages")


def _bind(settings: Settings, *, configured: bool) -> Finding:
    host = settings.server.host
    if configured:
        return ok("auth.bind", f"credentials are asked for; it listens on {host}")
    where = "this machine" if is_loopback(host) else host
    return ok("auth.bind", f"no credentials; only {where} is served, and everybody there is trusted")


def _file(file: Path) -> Finding:
    try:
        mode = stat.S_IMODE(file.stat().st_mode)
    except OSError as error:
        return warn("auth.file", f"{file}: {error.strerror}", "make it readable for the server's user")
    if mode & (stat.S_IRGRP | stat.S_IROTH):
        return warn("auth.file", f"{file} holds secrets, and others may read it (mode {mode:o})", f"chmod 600 {file}")
    return ok("auth.file", f"{file} is for its owner alone")


def _is_hashed(key: str | ApiKey) -> bool:
    """Whether a key is kept as its hash; one that has a table always is."""
    return not isinstance(key, str) or key.startswith("sha256:")
