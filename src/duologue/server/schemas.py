"""The published schemas."""

import json
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import Final

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
