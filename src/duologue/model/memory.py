"""Memory: what is kept of a person across sessions. Source: Ghost AG-UI 1.0, `memory.recalled` and `memory.stored`."""

from typing import Literal, TypeAlias

from duologue.model.base import Value
from duologue.model.kinds import ActingEvent, Input

MemoryKind = Literal["fact", "preference", "event", "entity"]


class MemoryItem(Value, kw_only=True):
    """Something that is remembered of a person. Data for the agent, never an instruction.

    Attributes:
        importance: 0 to 1.
        at_ms: when it was learnt, ms since 1970.
    """

    memory_id: str
    kind: MemoryKind
    text: str
    importance: float
    at_ms: int = 0


class MemoriesRecalled(Input, kw_only=True):
    """Memories were found for a run, before it began; their words are in its request alone.

    Attributes:
        retrieve_ms: how long it took.
        memory_ids: what was found, the best first.
    """

    response_id: str
    memory_ids: tuple[str, ...]
    retrieve_ms: int


class MemoryKept(Input, kw_only=True):
    """Something was learnt from a turn, and is stored; `superseded` names what it takes the place of.

    Its words are not in the journal, so that they can be forgotten.
    """

    of_turn: int
    memory_id: str
    memory_kind: MemoryKind
    importance: float
    superseded: tuple[str, ...] = ()


class MemoryForgotten(Input, kw_only=True):
    """The person wanted something forgotten, in this conversation; it is removed."""

    of_turn: int
    count: int


MemoryInput: TypeAlias = MemoriesRecalled | MemoryKept | MemoryForgotten


class MemoryRecalled(ActingEvent, kw_only=True):
    """Memories were found for the run, `retrieve_ms` after they were asked for."""

    response_id: str
    count: int
    retrieve_ms: int
    memory_ids: tuple[str, ...] = ()


class MemoryStored(ActingEvent, kw_only=True):
    """Something new is remembered. Its words are not in the journal, so that they can be forgotten.

    Attributes:
        superseded: what it takes the place of; that is gone.
        of_turn: the turn that it was learnt from, which is over by now.
    """

    memory_id: str
    memory_kind: MemoryKind
    importance: float
    superseded: tuple[str, ...] = ()
    of_turn: int = 0


class MemoryErased(ActingEvent, kw_only=True):
    """`count` memories were forgotten, as the person asked in the conversation, in the turn `of_turn`."""

    count: int
    of_turn: int = 0


AnyMemoryEvent: TypeAlias = MemoryRecalled | MemoryStored | MemoryErased
