"""Writes what the settings say of themselves: `duologue.example.toml` and `docs/configuration.md`.

Run it at the root of the repository: `python -m duologue.server.settings_docs`.
"""

import json
import textwrap
from pathlib import Path
from typing import Final

from duologue.server.settings_keys import Key, all_keys, section_types

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
    for name, section in section_types().items():
        keys = [key for key in all_keys() if key.name.startswith(f"{name}.")]
        parts.append(f"\n# {section.__doc__}\n[{name}]\n" + "\n".join(_example(key) for key in keys))
    return "".join(parts)


def page() -> str:
    """Return the page of the docs: where settings come from, and a table for each section."""
    parts = [_PAGE_HEAD]
    for name, section in section_types().items():
        rows = [_row(key) for key in all_keys() if key.name.startswith(f"{name}.")]
        parts.append(f"\n### `[{name}]`\n\n{section.__doc__}\n\n{_TABLE_HEAD}" + "\n".join(rows) + "\n")
    return "".join(parts)


def files() -> dict[Path, str]:
    """Return what is to stand in which file, from the root of the repository."""
    return {Path("duologue.example.toml"): example_toml(), Path("docs/configuration.md"): page()}


def _example(key: Key) -> str:
    about = textwrap.wrap(f"{key.about} Expected: {key.allowed}.", WIDTH - 2)
    return "\n".join(f"# {line}" for line in about) + f"\n# {key.name.partition('.')[2]} = {_default(key)}\n"


def _row(key: Key) -> str:
    name = key.name.partition(".")[2]
    return f"| `{name}` | `{_default(key)}` | {_cell(key.allowed)} | {_cell(key.about)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _default(key: Key) -> str:
    return json.dumps(key.default)


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
