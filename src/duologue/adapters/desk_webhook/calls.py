"""What another desk calls: one thing that happened there, as JSON."""

from typing import Annotated, Final, TypeAlias

import msgspec
from msgspec import Meta

from duologue.model import jsonwire, limits
from duologue.model.errors import Problem

_Id = Annotated[str, Meta(min_length=1, max_length=limits.REQUEST_ID_CHARS)]
_Name = Annotated[str, Meta(min_length=1, max_length=200)]
_Why = Annotated[str, Meta(max_length=limits.HANDOFF_REASON_CHARS)]
_Handoff = Annotated[str, Meta(min_length=1, max_length=limits.SESSION_ID_CHARS + 24)]


class Call(msgspec.Struct, frozen=True, kw_only=True, rename="camel", tag_field="type", forbid_unknown_fields=True):
    """The base of calls; `id` is the desk's own, and unique: the same one again does nothing."""

    id: _Id
    handoff_id: _Handoff


class ByOperator(Call, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Something that an operator of that desk did."""

    operator_id: _Name
    operator_name: _Name


class Placed(Call, frozen=True, kw_only=True, tag="placed"):
    """Its place in the queue there, from 1."""

    position: Annotated[int, Meta(ge=1, le=limits.INTEGER_MAX)]
    wait_ms: Annotated[int, Meta(ge=0, le=limits.INTEGER_MAX)] | None = None


class Failed(Call, frozen=True, kw_only=True, tag="failed"):
    """Nobody there can take it."""

    reason: _Why


class Connecting(ByOperator, frozen=True, kw_only=True, tag="connecting"):
    """An operator reads, and will take it."""


class Joined(ByOperator, frozen=True, kw_only=True, tag="joined"):
    """An operator has it."""


class Held(ByOperator, frozen=True, kw_only=True, tag="held"):
    """They put the person on hold."""


class Returned(ByOperator, frozen=True, kw_only=True, tag="returned"):
    """They are back."""


class Said(ByOperator, frozen=True, kw_only=True, tag="said"):
    """They said something."""

    text: Annotated[str, Meta(min_length=1, max_length=limits.TURN_TEXT_CHARS)]


class HandedBack(ByOperator, frozen=True, kw_only=True, tag="handed_back"):
    """They gave it back to the agent."""

    note: _Why = ""


class Resolved(ByOperator, frozen=True, kw_only=True, tag="resolved"):
    """They are done."""

    note: _Why = ""


DeskCall: TypeAlias = Placed | Failed | Connecting | Joined | Held | Returned | Said | HandedBack | Resolved
"""Everything that another desk can call."""

_decoder: Final = msgspec.json.Decoder(DeskCall)


def read_call(body: bytes) -> DeskCall | Problem:
    """Read a call, or say what is wrong with it and where."""
    return jsonwire.read(body, _decoder)
