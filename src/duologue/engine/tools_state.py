"""The state of the registry's tools: calls that have not come to an end, and what is remembered of those that have."""

from typing import Literal, TypeAlias

import msgspec

from duologue.model.tools import Approval, ToolSpec, ToolStatus

Fate: TypeAlias = Literal["approved", "denied", "given_up", "expired"]
"""What became of an approval: somebody decided, went on without deciding, or nobody did in time."""


class ServerCall(msgspec.Struct):
    """A call of the registry's that has not come to its end. Times in ms since 1970.

    Attributes:
        response_id: the answer that called it.
        turn: its turn.
        request_id: the client's id of that turn.
        key: the idempotency key.
        digest: of tool and arguments.
        called_ms: when it was called.
        approval: the decision that it waits for, or waited for.
        due_ms: when its status ends by itself.
        attempt: how often it was ordered.
        within: the run that called it goes on meanwhile, and waits for it.
        awaited: the open answer waits for it, and goes on then.
        left: the answer that called it was given up: its result is recorded, and nothing follows from it.
        repeated: the person's words were unclear once.
        in_turns: once it may run it is left to the client, which brings the result with a turn.
    """

    call_id: str
    name: str
    arguments: str
    spec: ToolSpec
    response_id: str
    turn: int
    request_id: str
    key: str
    digest: str
    called_ms: int
    status: ToolStatus = "requested"
    approval: Approval | None = None
    due_ms: int = 0
    attempt: int = 0
    within: bool = False
    awaited: bool = False
    left: bool = False
    repeated: bool = False
    in_turns: bool = False


class Known(msgspec.Struct, frozen=True, array_like=True):
    """A call that a duplicate would be recognised by.

    Attributes:
        until_ms: until when, ms since 1970.
        result: `None` where it is kept no more.
    """

    name: str
    key: str
    digest: str
    call_id: str
    until_ms: int
    result: str | None
    is_error: bool


class Decided(msgspec.Struct, frozen=True, array_like=True):
    """An approval that is not open any more; `by` is empty where nobody decided, `call_id` in states of before."""

    approval_id: str
    fate: Fate
    by: str
    at_ms: int
    call_id: str = ""


class ToolsState(msgspec.Struct):
    """The registry's calls of a session.

    Attributes:
        calls: those that have not come to an end, in order.
        known: the latest that have, of tools whose duplicates are recognised.
        decided: the latest approvals that are not open any more.
        approvals: how many were asked for.
    """

    calls: list[ServerCall] = []
    known: list[Known] = []
    decided: list[Decided] = []
    approvals: int = 0
