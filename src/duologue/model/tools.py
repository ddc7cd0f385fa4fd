"""Tools of the registry: what is declared of them, how a call walks, and who lets it run.

Source: TransportEvent, `tool.call` and `tool.result`.
"""

from typing import Any, Literal, TypeAlias

from duologue.model.base import Value
from duologue.model.kinds import ActingEvent, Input

ApprovalPolicy = Literal["auto", "user_confirm", "supervisor_approve", "denied", "async_pending"]
ToolStatus = Literal[
    "requested",
    "awaiting_approval",
    "pending_supervisor",
    "async_pending",
    "approved",
    "denied",
    "executing",
    "completed",
    "failed",
    "timed_out",
    "duplicate",
]
"""The way of a call. The last five but `executing` are ends, as is `denied`."""

Disposition = Literal["replayed", "rejected", "conflict"]
"""What becomes of a duplicate: the recorded result again, a refusal, or the same key with another input."""

SideEffect = Literal["none", "read", "write", "destructive"]
ToolKind = Literal["python", "http", "mcp", "client"]
IdempotencyMode = Literal["none", "input", "key"]
"""What makes two calls the same: nothing, tool and arguments, or the arguments that the tool names as its key."""

OnDuplicate = Literal["replay", "reject"]
Decision = Literal["approve", "deny"]
DecidedBy = Literal["user", "supervisor", "callback"]


class Idempotency(Value, kw_only=True):
    """How a repeated call is recognised, and what becomes of it.

    Attributes:
        key_arguments: names of the top-level arguments that make the key; only with the mode `key`.
        on_duplicate: what becomes of a call with the same key and the same input.
        ttl_ms: how long a call is remembered, from its end.
        safe_to_repeat: who carries the call out takes the key and does it once; after a crash it is sent again.
    """

    mode: IdempotencyMode = "none"
    key_arguments: tuple[str, ...] = ()
    on_duplicate: OnDuplicate = "replay"
    ttl_ms: int = 86_400_000
    safe_to_repeat: bool = False


class ToolSpec(Value, kw_only=True):
    """A tool of the registry, as declared when it was called.

    Attributes:
        name: unique in the registry.
        description: for the agent.
        input_schema: JSON Schema of the arguments, an object.
        output_schema: JSON Schema of the result; `None` takes any.
        policy: who lets a call run.
        side_effect: what running it does to the world.
        scopes: all that the person has to be granted.
        redact: JSON pointers of arguments and results that audit trail, approvals and operators are not told.
        timeout_ms: how long one attempt may take.
        retries: how often a failed attempt is made again; only where repeating does no harm.
        confirm: what the person is asked, with `{argument}` in places; empty makes it of name and arguments.
        approval_ttl_ms: how long a decision is waited for.
        repeatable: a second run does no harm, whatever the side effect says.
    """

    name: str
    kind: ToolKind
    description: str = ""
    # JSON Schema of the tool's own design: no narrower type exists.
    input_schema: dict[str, Any] | None = None
    # JSON Schema of the tool's own design: no narrower type exists.
    output_schema: dict[str, Any] | None = None
    policy: ApprovalPolicy = "auto"
    side_effect: SideEffect = "write"
    idempotency: Idempotency = Idempotency()
    scopes: tuple[str, ...] = ()
    redact: tuple[str, ...] = ()
    timeout_ms: int = 30_000
    retries: int = 0
    confirm: str = ""
    approval_ttl_ms: int = 900_000
    repeatable: bool = False


class Approval(Value, kw_only=True):
    """A decision that a call waits for.

    Attributes:
        approval_id: cannot be guessed from others of the session's person alone; unique in the server.
        arguments: the exact ones, as JSON text.
        digest: of tool and arguments, in hex; a decision that names another is refused.
        person: the session's subject.
        prompt: repeats what is approved, for people.
        asked_ms: ms since 1970.
        expires_ms: ms since 1970; from then on it cannot be decided.
        redact: JSON pointers of arguments that others than the person do not see.
    """

    approval_id: str
    call_id: str
    tool: str
    arguments: str
    digest: str
    policy: ApprovalPolicy
    person: str
    prompt: str
    asked_ms: int
    expires_ms: int
    side_effect: SideEffect = "write"
    redact: tuple[str, ...] = ()


class ToolOrder(Value, kw_only=True):
    """A call that is to be carried out.

    Attributes:
        key: the idempotency key, for who carries it out; unique to the call where the tool names none.
        attempt: above 1 where a server stopped while it ran before.
    """

    response_id: str
    turn: int
    call_id: str
    arguments: str
    key: str
    spec: ToolSpec
    attempt: int = 1


# --- inputs


class ToolReported(Input, kw_only=True):
    """A call of the registry's was carried out, or not; or one of several that a client has to run for an answer.

    Attributes:
        output: what it gave, as text; JSON where it has structure. Of a failure, why.
        code: for programs, of a failure, such as `http_status` or `bad_arguments`.
        perhaps_done: of a failure: it was done, or nobody knows, and doing it again may do harm.
    """

    call_id: str
    status: Literal["completed", "failed", "timed_out"]
    output: str
    code: str = ""
    attempts: int = 1
    perhaps_done: bool = False


class ApprovalDecided(Input, kw_only=True):
    """Somebody decided about a call.

    Attributes:
        by: who, as authenticated.
        via: in which part.
        digest: of what they decided about, where they say; another one than the approval's is refused.
        arguments: what they decided about, as JSON text, where they say.
    """

    approval_id: str
    decision: Decision
    by: str
    via: DecidedBy
    digest: str | None = None
    arguments: str | None = None
    reason: str = ""


ToolInput: TypeAlias = ToolReported | ApprovalDecided
"""What is told of the registry's tools."""


# --- events


class ToolMoved(ActingEvent, kw_only=True):
    """A call of the registry's took a step that is not its last; that one is `ToolReturned`.

    Attributes:
        key: the idempotency key, where the tool has one.
        approval: what is waited for; with the three waiting statuses.
        decided_by: who decided; with `approved`.
    """

    response_id: str
    call_id: str
    name: str
    status: ToolStatus
    policy: ApprovalPolicy
    key: str = ""
    approval: Approval | None = None
    decided_by: str = ""
    decided_via: DecidedBy | None = None
    reason: str = ""


class LegEnded(ActingEvent, kw_only=True):
    """A run is over, and its answer is not: another leg of it follows once what was asked for is there.

    Attributes:
        leg: which it was, from 1.
        waits_for: the calls that are still carried out, or decided about.
    """

    response_id: str
    leg: int
    waits_for: tuple[str, ...] = ()


# --- effects


class RunTool(Value, kw_only=True):
    """Carry out a call, and tell of it by `ToolReported`, once."""

    order: ToolOrder


class StopTool(Value, kw_only=True):
    """Nobody waits for this call any more, and stopping it does no harm; it is still to be reported."""

    call_id: str
