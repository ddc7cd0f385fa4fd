"""The published schemas: those in the protocols' own folders, and those that are made from what they describe."""

import json
from collections.abc import Iterable
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final

import msgspec

from duologue.check.findings import JsonObject
from duologue.ports.dialect import Dialect
from duologue.server.settings_keys import config_schema

CONFIG: Final = "config"

AUDIO: Final = ("audio-client", "audio-server")
"""The messages of `WS /audio`, in both directions."""

_SUFFIX: Final = ".schema.json"


def names(dialects: Iterable[Dialect]) -> tuple[str, ...]:
    """All names, without the end that files have."""
    return (*_published(dialects), *AUDIO, CONFIG)


def schema(name: str, dialects: Iterable[Dialect]) -> bytes | None:
    """A schema's JSON; `None` where there is none of that name."""
    if name == CONFIG:
        return json.dumps(config_schema(), indent=2).encode()
    if name in AUDIO:
        return json.dumps(_audio_schema(name), indent=2).encode()
    found = _published(dialects).get(name)
    return None if found is None else found.read_bytes()


def _audio_schema(name: str) -> JsonObject:
    # Only who asks for it waits for it.
    from duologue.protocols.audio import wire

    messages: object = wire.ClientMessage if name == AUDIO[0] else wire.ServerMessage
    made: JsonObject = msgspec.json.schema(messages)
    head: JsonObject = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"https://duologue.dev/schemas/{name}{_SUFFIX}",
        "title": "Audio client message" if name == AUDIO[0] else "Audio server message",
    }
    # `\\Z` is Python's; JSON Schema has the patterns of ECMA-262, where `$` means what `\\Z` does.
    return head | json.loads(json.dumps(made).replace("\\\\Z", "$"))


def for_checks(name: str) -> JsonObject:
    """A schema that recordings are judged by; its name begins with that of its protocol."""
    read = (files("duologue.protocols") / name.partition("-")[0] / "schemas" / f"{name}{_SUFFIX}").read_bytes()
    # Any: msgspec does not decode a type that contains itself; what comes out is `Json` all the same.
    return msgspec.json.decode(read, type=dict[str, Any])


def _published(dialects: Iterable[Dialect]) -> dict[str, Traversable]:
    """The files, by name. A protocol's are in `schemas`, beside the module of its dialect."""
    folders = [files(type(dialect).__module__) / "schemas" for dialect in dialects]
    found = [file for folder in folders if folder.is_dir() for file in folder.iterdir() if file.name.endswith(_SUFFIX)]
    return {file.name.removesuffix(_SUFFIX): file for file in sorted(found, key=lambda file: file.name)}
