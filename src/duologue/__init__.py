"""Duologue: one AI agent, every channel, nothing lost.

What is named here is what programs rely on; each is loaded when it is first used.
"""

import importlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from duologue.ghost import Ghost, GhostError, GhostEvent, GhostSession, Image, Turn
    from duologue.model.agent import Chips, Citation, Failure, Finished, Note, Rich, Text
    from duologue.model.content import Chip
    from duologue.server.app import make_app
    from duologue.server.settings import Settings

    __version__: str

__all__ = [
    "Chip",
    "Chips",
    "Citation",
    "Failure",
    "Finished",
    "Ghost",
    "GhostError",
    "GhostEvent",
    "GhostSession",
    "Image",
    "Note",
    "Rich",
    "Settings",
    "Text",
    "Turn",
    "__version__",
    "make_app",
]

_HOMES: Final = {
    "Chip": "duologue.model.content",
    "Chips": "duologue.model.agent",
    "Citation": "duologue.model.agent",
    "Failure": "duologue.model.agent",
    "Finished": "duologue.model.agent",
    "Ghost": "duologue.ghost",
    "GhostError": "duologue.ghost",
    "GhostEvent": "duologue.ghost",
    "GhostSession": "duologue.ghost",
    "Image": "duologue.ghost",
    "Note": "duologue.model.agent",
    "Rich": "duologue.model.agent",
    "Settings": "duologue.server.settings",
    "Text": "duologue.model.agent",
    "Turn": "duologue.ghost",
    "make_app": "duologue.server.app",
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
