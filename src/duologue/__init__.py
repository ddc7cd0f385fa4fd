"""Duologue: one AI agent, every channel, nothing lost.

What is named here is what programs rely on; each is loaded when it is first used.
"""

import importlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from duologue.ghost import Agent, Answer, Ghost, GhostError, GhostEvent, GhostSession, Image, Said, Turn
    from duologue.model.agent import (
        Asked,
        Cancelled,
        Chips,
        Citation,
        Failure,
        Finished,
        Note,
        Rich,
        Text,
        ToolCalled,
        ToolRequested,
        ToolReturned,
    )
    from duologue.model.content import Chip, Interrupt, ToolResult, Usage
    from duologue.model.handoff import HandOff
    from duologue.model.observations import Observe
    from duologue.model.routing import Upgrade
    from duologue.server.app import make_app
    from duologue.server.declaring import Idempotency, ToolContext, ToolFailed, tool
    from duologue.server.mounting import Mounted, mount
    from duologue.server.settings import Settings
    from duologue.server.settings_load import load_settings

    __version__: str

__all__ = [
    "Agent",
    "Answer",
    "Asked",
    "Cancelled",
    "Chip",
    "Chips",
    "Citation",
    "Failure",
    "Finished",
    "Ghost",
    "GhostError",
    "GhostEvent",
    "GhostSession",
    "HandOff",
    "Idempotency",
    "Image",
    "Interrupt",
    "Mounted",
    "Note",
    "Observe",
    "Rich",
    "Said",
    "Settings",
    "Text",
    "ToolCalled",
    "ToolContext",
    "ToolFailed",
    "ToolRequested",
    "ToolResult",
    "ToolReturned",
    "Turn",
    "Upgrade",
    "Usage",
    "__version__",
    "load_settings",
    "make_app",
    "mount",
    "tool",
]

_HOMES: Final = {
    "Agent": "duologue.ghost",
    "Answer": "duologue.ghost",
    "Asked": "duologue.model.agent",
    "Cancelled": "duologue.model.agent",
    "Chip": "duologue.model.content",
    "Chips": "duologue.model.agent",
    "Citation": "duologue.model.agent",
    "Failure": "duologue.model.agent",
    "Finished": "duologue.model.agent",
    "Ghost": "duologue.ghost",
    "GhostError": "duologue.ghost",
    "GhostEvent": "duologue.ghost",
    "GhostSession": "duologue.ghost",
    "HandOff": "duologue.model.handoff",
    "Idempotency": "duologue.server.declaring",
    "Image": "duologue.ghost",
    "Interrupt": "duologue.model.content",
    "Mounted": "duologue.server.mounting",
    "Note": "duologue.model.agent",
    "Observe": "duologue.model.observations",
    "Rich": "duologue.model.agent",
    "Said": "duologue.ghost",
    "Settings": "duologue.server.settings",
    "Text": "duologue.model.agent",
    "ToolCalled": "duologue.model.agent",
    "ToolContext": "duologue.server.declaring",
    "ToolFailed": "duologue.server.declaring",
    "ToolRequested": "duologue.model.agent",
    "ToolResult": "duologue.model.content",
    "ToolReturned": "duologue.model.agent",
    "Turn": "duologue.ghost",
    "Upgrade": "duologue.model.routing",
    "Usage": "duologue.model.content",
    "load_settings": "duologue.server.settings_load",
    "make_app": "duologue.server.app",
    "mount": "duologue.server.mounting",
    "tool": "duologue.server.declaring",
}
"""Where each name lives."""


def __getattr__(name: str) -> object:
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("duologue")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'duologue' has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(home), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
