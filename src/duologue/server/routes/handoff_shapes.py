"""Handoffs over JSON: what is asked, and what is answered."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from duologue.model import limits
from duologue.runtime.desk.news import HandoffRow, OperatorRow, WordRow
from duologue.server.operations import Json

Reason = Annotated[str, Meta(max_length=limits.HANDOFF_REASON_CHARS)]
Skill = Annotated[str, Meta(min_length=1, max_length=64)]
Skills = Annotated[tuple[Skill, ...], Meta(max_length=limits.HANDOFF_SKILLS)]
Priority = Annotated[int, Meta(ge=-limits.HANDOFF_PRIORITY, le=limits.HANDOFF_PRIORITY)]
SessionId = Annotated[str, Meta(min_length=1, max_length=limits.SESSION_ID_CHARS)]


class _Asked(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """The base of what is asked."""


class HandoffAsked(_Asked, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """That a conversation passes on: to people, or with `bot_to_bot` to another agent.

    Attributes:
        target: a queue, an agent, or `operator:` and an operator's id; empty leaves it to the rules.
        skills: what who takes it should be able to do.
        priority: 0 is usual; higher ones are taken first.
        summary: what was done so far, in place of the extract.
    """

    session_id: SessionId
    reason: Reason = "a human was asked for"
    transfer: Literal["bot_to_human", "warm", "blind", "bot_to_bot"] = "bot_to_human"
    target: Reason = ""
    skills: Skills = ()
    priority: Priority = 0
    summary: Reason = ""


class TakeOver(_Asked, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """That the caller takes a conversation which nobody has passed on."""

    session_id: SessionId
    reason: Reason = ""


class Words(_Asked, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What an operator says; a repeat of `messageId` is not said twice."""

    text: Annotated[str, Meta(min_length=1, max_length=limits.TURN_TEXT_CHARS)]
    message_id: Annotated[str, Meta(max_length=limits.REQUEST_ID_CHARS)] = ""


class Aside(_Asked, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A word between an operator and a supervisor; the person never sees it."""

    text: Annotated[str, Meta(min_length=1, max_length=limits.TURN_TEXT_CHARS)]


class Note(_Asked, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What the agent is told when it has the conversation again, as data."""

    note: Reason = ""


class Why(_Asked, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Why."""

    reason: Reason = ""


class PassedOn(_Asked, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """To whom an operator passes a conversation on: blind at once, the others once somebody has taken it.

    Attributes:
        target: a queue, an agent, or `operator:` and an operator's id; empty leaves it to the rules.
    """

    transfer: Literal["blind", "warm", "human_to_human", "bot_to_bot"]
    reason: Reason = ""
    target: Reason = ""
    skills: Skills = ()
    priority: Priority = 0


class HandoffList(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Handoffs: those that wait first, in the order in which they are taken; and who is there."""

    handoffs: tuple[HandoffRow, ...]
    operators: tuple[OperatorRow, ...]
    me: OperatorRow


class HandoffSeen(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A handoff with its context bundle as of now, and what was said beside the conversation."""

    handoff: HandoffRow
    bundle: Json
    words: tuple[WordRow, ...]


class HandoffDone(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A handoff as it stands after what was done; `repeated`: it had been done before."""

    handoff: HandoffRow
    repeated: bool = False
