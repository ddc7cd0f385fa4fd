"""Hold a whole conversation in process, with no server.

    from duologue.ghost import Ghost

    async with Ghost(agent=answer) as ghost:
        session = await ghost.session("kitchen")
        async for event in session.say("hello"):
            print(event.type, event.payload)

Events are those of the ghost protocol (Ghost AG-UI 1.0), the same and in the same order as over `WS /ghost`.
"""

from duologue.server.embed import (
    Agent,
    Answer,
    Code,
    Ghost,
    GhostError,
    GhostEvent,
    GhostSession,
    Image,
    Said,
    Turn,
)

__all__ = [
    "Agent",
    "Answer",
    "Code",
    "Ghost",
    "GhostError",
    "GhostEvent",
    "GhostSession",
    "Image",
    "Said",
    "Turn",
]
