"""`duologue keys`: making API keys."""

import json
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from duologue.model.errors import SettingsError
from duologue.server.settings_auth import SCOPES

keys = typer.Typer(help="Make API keys for your backends.", no_args_is_help=True)

DAYS_MAX = 3_650
"""Longest life of a key that can be asked for: ten years; beyond it, leave the end away."""


@keys.callback()
def _root() -> None:
    """Make API keys for your backends."""


@keys.command()
def new(
    name: Annotated[str, typer.Argument(help="Names the key in the settings and in the audit trail.")],
    scope: Annotated[
        list[str] | None, typer.Option(help=f"What it may do; may be repeated. All if not given: {', '.join(SCOPES)}.")
    ] = None,
    days: Annotated[int | None, typer.Option(min=1, max=DAYS_MAX, help="For how many days it is good.")] = None,
) -> None:
    """Make a key, and print it with its lines for duologue.toml; the key itself is shown once and kept nowhere."""
    import msgspec

    from duologue.server.api_keys import new_key
    from duologue.server.settings_auth import ApiKey

    key, digest = new_key()
    ends = None if days is None else datetime.now(UTC).replace(microsecond=0) + timedelta(days=days)
    table = {"name": name, "hash": digest, "scopes": scope or list(SCOPES), "expires": ends}
    try:
        msgspec.convert(table, ApiKey)
    except msgspec.ValidationError as error:
        message = f"{error}; names have letters, digits, dots, dashes and underscores, scopes are {', '.join(SCOPES)}"
        raise SettingsError(message) from error
    lines = ["[[auth.api_keys]]", f'name = "{name}"', f'hash = "{digest}"']
    if scope:
        lines.append(f"scopes = {json.dumps(scope)}")
    if ends is not None:
        lines.append(f"expires = {ends.isoformat().replace('+00:00', 'Z')}")
    typer.echo(f"The key, which is shown only now:\n\n{key}\n\nIts lines for duologue.toml:\n")
    typer.echo("\n".join(lines))
