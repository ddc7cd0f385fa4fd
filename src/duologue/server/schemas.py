"""The published schemas."""

import json
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final

import msgspec

from duologue.check.findings import JsonObject
from duologue.server.settings_keys import config_schema

FOLDERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "agentcall-client": "agentcall",
        "agentcall-server": "agentcall",
        "agentcall-physical-observation": "agentcall",
        "chat-event": "chat",
        "chat-client": "chat",
        "chat-control": "chat",
        "ghost-event": "ghost",
        "ghost-client": "ghost",
        "jambonz-agent-event": "jambonz",
        "jambonz-frame": "jambonz",
        "jambonz-client": "jambonz",
    }
)
"""Which protocol's folder holds which schema."""

NAMES: Final = (*FOLDERS, "config")


def schema(name: str) -> bytes | None:
    """A schema's JSON; `None` where there is none of that name."""
    if name == "config":
        return json.dumps(config_schema(), indent=2).encode()
    folder = FOLDERS.get(name)
    if folder is None:
        return None
    return (files("duologue.protocols") / folder / "schemas" / f"{name}.schema.json").read_bytes()


def for_checks(name: str) -> JsonObject:
    """A schema that recordings are judged by; those of answers to one connection are among them, unpublished."""
    folder = FOLDERS.get(name, name.partition("-")[0])
    read = (files("duologue.protocols") / folder / "schemas" / f"{name}.schema.json").read_bytes()
    # Any: msgspec does not decode a type that contains itself; what comes out is `Json` all the same.
    return msgspec.json.decode(read, type=dict[str, Any])
