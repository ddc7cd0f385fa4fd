"""Writes what the settings say of themselves: `duologue.example.toml` and `docs/configuration.md`.

Run it at the root of the repository: `python -m duologue.server.settings_docs`.
"""

import json
import textwrap
from pathlib import Path
from typing import Final

import msgspec

from duologue.server.settings_keys import Key, all_keys, keys_of, section_types
from duologue.server.settings_section import Section

WIDTH: Final = 100
"""Columns of the example file's comments: they fit beside a terminal's edge."""

_EXAMPLE_HEAD: Final = """\
# Every setting of Duologue, with its default. Copy what you change into duologue.toml.
# Made by `python -m duologue.server.settings_docs`; the words are in src/duologue/server/settings.py.
"""

_PAGE_HEAD: Final = """\
# Configuration

Duologue runs without any configuration: it listens on `127.0.0.1:8420`, keeps its data in
`./duologue-data` and answers from its own documentation. Everything below changes that.

<!-- Made by `python -m duologue.server.settings_docs`; the words are in src/duologue/server/settings.py. -->

## Where settings come from

Each source overrides the one before it:

1. the defaults in the tables below;
2. a file: the one named by `--config`, or else by `DUOLOGUE_CONFIG`, or else `duologue.toml` in the
   folder where the server is started, if there is one;
3. environment variables, `DUOLOGUE_<SECTION>__<KEY>`, such as `DUOLOGUE_SERVER__PORT=9000`; a list is
   written with commas (`DUOLOGUE_SERVER__ALLOWED_ORIGINS=https://a.example,https://b.example`) or as a JSON array;
4. flags of the command line.

A key that does not exist is an error that names the nearest one that does, in the file and in the
environment; so is a value out of its range. All mistakes are reported at once and the server does not start.
In Kubernetes, the variables that a Service called `duologue` puts into pods are left out of this.

`duologue.example.toml` at the root of the repository has every key with its default, and the JSON Schema at
`/schemas/config.schema.json` lets an editor check the file.

## Listening on more than this machine

With neither `auth.api_keys` nor `auth.secret`, the server only listens on a loopback address. To let
others in, give it an API key for your backend and a secret that signs tokens:

```toml
[server]
host = "0.0.0.0"
public_url = "https://chat.example.com"
allowed_origins = ["https://www.example.com"]

[auth]
api_keys = ["sha256:<the key's SHA-256 in hex>"]
secret = "<32 random characters or more>"
```

Your backend sends its API key as `Authorization: Bearer <key>`, and gets a token for one of its users
from `POST /chat/token`. It may also act for a user itself, named in the header `Duologue-Subject`.
[Security](security.md) has keys that may do less, and for a time. Who
talks from a browser or a phone sends the token, as `Authorization: Bearer <token>` or, where a WebSocket
cannot send headers, as the subprotocols `duologue, bearer.<token>`. Never put either into an address.

## All settings
"""

_TABLE_HEAD: Final = "| key | default | allowed | meaning |\n| --- | --- | --- | --- |\n"


def example_toml() -> str:
    """Return the example file: every key, commented out, with its default."""
    parts = [_EXAMPLE_HEAD]
    for name, keys in _places().items():
        if name in section_types():
            plain = [_example(key) for key in keys if key.tables is None]
            parts.append(f"\n# {section_types()[name].__doc__}\n[{name}]\n" + "\n".join(plain))
        parts += [_example_table(key, key.tables) for key in keys if key.tables is not None]
    return "".join(parts)


def page() -> str:
    """Return the page of the docs: where settings come from, and a table for each section."""
    parts = [_PAGE_HEAD]
    for name, keys in _places().items():
        if name in section_types():
            rows = [_row(key) for key in keys if key.tables is None]
            parts.append(
                f"\n### `[{name}]`\n\n{section_types()[name].__doc__}\n\n{_TABLE_HEAD}" + "\n".join(rows) + "\n"
            )
        parts += [_rows(key, key.tables) for key in keys if key.tables is not None]
    return "".join(parts)


def _places() -> dict[str, list[Key]]:
    """The keys by the section or the list that they stand in, in the order in which they are documented."""
    places: dict[str, list[Key]] = {}
    for key in all_keys():
        places.setdefault(key.name.partition(".")[0], []).append(key)
    return places


def _example_table(key: Key, item: type[Section]) -> str:
    """One table of a list, all of it commented out once more: where none is written there is none."""
    about = "\n".join(f"# {line}" for line in textwrap.wrap(item.__doc__ or "", WIDTH - 2))
    keys = "\n".join(_example(one).rstrip() for one in _in_order(key, item))
    return f"\n{about}\n# [[{key.name}]]\n" + "".join(f"# {line}\n" for line in keys.splitlines())


def _rows(key: Key, item: type[Section]) -> str:
    rows = [_row(one) for one in _in_order(key, item)]
    about = f"{item.__doc__} Expected: {key.allowed}."
    return f"\n### `[[{key.name}]]`\n\n{about}\n\n{_TABLE_HEAD}" + "\n".join(rows) + "\n"


def _in_order(key: Key, item: type[Section]) -> list[Key]:
    """The keys of a list's tables: first those that each has to have."""
    return sorted(keys_of(key.name, item), key=lambda one: not one.required)


def files() -> dict[Path, str]:
    """Return what is to stand in which file, from the root of the repository."""
    return {Path("duologue.example.toml"): example_toml(), Path("docs/configuration.md"): page()}


def _example(key: Key) -> str:
    about = textwrap.wrap(f"{key.about} Expected: {key.allowed}.", WIDTH - 2)
    return "\n".join(f"# {line}" for line in about) + f"\n# {key.field} = {_default(key)}\n"


def _row(key: Key) -> str:
    name = key.field
    return f"| `{name}` | {_shown(key)} | {_cell(key.allowed)} | {_cell(key.about)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _shown(key: Key) -> str:
    """The default as the page shows it; a key that has to be there has none."""
    if key.required or key.section is not None:
        return "needed" if key.required else ""
    return f"`{_default(key)}`"


def _default(key: Key) -> str:
    if key.section is not None or (key.default is msgspec.NODEFAULT and not key.required):
        return "{}"
    return '"…"' if key.required else json.dumps(key.default)


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
