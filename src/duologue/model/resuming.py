"""Turns that are taken up again, by something else than a message of the person's."""

from typing import Literal

from duologue.model.kinds import ActingEvent

ResumeCause = Literal["approval", "tool", "expired", "operator", "handed_back", "transferred", "idle"]


class TurnResumed(ActingEvent, kw_only=True):
    """The last turn goes on: `ResponseStarted` follows, and in the end another `TurnEnded` of the same turn.

    Attributes:
        cause: why.
        author: who says what follows, where that is not the agent.
    """

    cause: ResumeCause
    author: str = ""
