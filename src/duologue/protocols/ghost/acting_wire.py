"""Payloads of what happens beside the answers and the contract has no event for. All of them are ours."""

from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from duologue.model.handoff import HandoffCause, HandoffStatus, TransferType
from duologue.model.resuming import ResumeCause
from duologue.model.signals import Polarity, SentimentCategory, SignalScope, SignalSource
from duologue.model.tools import ApprovalPolicy, DecidedBy, ToolStatus


class Wire(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A piece of a payload."""


class GhostTurnResumed(Wire, frozen=True, kw_only=True):
    """Payload of `ghost.turn_resumed`: the last turn goes on by itself, and ends once more."""

    turn_id: str
    cause: ResumeCause
    author: str | UnsetType = UNSET


class ApprovalPart(Wire, frozen=True, kw_only=True):
    """A decision that a call waits for; `expires_ms` since 1970."""

    approval_id: str
    prompt: str
    digest: str
    expires_ms: int


class GhostToolStatus(Wire, frozen=True, kw_only=True):
    """Payload of `ghost.tool_status`: a call took a step that is not its last."""

    tool_call_id: str
    tool_name: str
    status: ToolStatus
    policy: ApprovalPolicy
    key: str | UnsetType = UNSET
    approval: ApprovalPart | UnsetType = UNSET
    decided_by: str | UnsetType = UNSET
    decided_via: DecidedBy | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class RoutePart(Wire, frozen=True, kw_only=True):
    """Where it goes, and the rule that said so."""

    target: str
    rule: str | UnsetType = UNSET
    reasons: tuple[str, ...] = ()


class GhostHandoff(Wire, frozen=True, kw_only=True):
    """Payload of `ghost.handoff`: a handoff took a step. `operator` is who has it, by the name that the person sees."""

    handoff_id: str
    status: HandoffStatus
    transfer: TransferType
    reason: str | UnsetType = UNSET
    target: str | UnsetType = UNSET
    position: int | UnsetType = UNSET
    wait_ms: int | UnsetType = UNSET
    operator: str | UnsetType = UNSET
    failure: str | UnsetType = UNSET
    bundle_id: str | UnsetType = UNSET
    # JSON of the bundle: told as it is.
    bundle: dict[str, Any] | UnsetType = UNSET
    route: RoutePart | UnsetType = UNSET
    path: tuple[str, ...] = ()
    # JSON of what carries the call: told as it is.
    voice: dict[str, Any] | UnsetType = UNSET
    cause: HandoffCause | UnsetType = UNSET


class SentimentPart(Wire, frozen=True, kw_only=True, tag_field="kind", tag="sentiment"):
    """A mood."""

    category: SentimentCategory
    score: float
    confidence: float
    polarity: Polarity | UnsetType = UNSET


class AlternatePart(Wire, frozen=True, kw_only=True):
    """Another intent that it may be."""

    intent: str
    score: float


class IntentPart(Wire, frozen=True, kw_only=True, tag_field="kind", tag="intent"):
    """What the person wants."""

    intent: str
    score: float
    confidence: float
    alternates: tuple[AlternatePart, ...] = ()


class GhostSignal(Wire, frozen=True, kw_only=True):
    """Payload of `ghost.signal`: an estimate of the person's mood or intent."""

    signal: SentimentPart | IntentPart
    source: SignalSource
    adapter: str
    scope: SignalScope
    latency_ms: float
    message_id: str | UnsetType = UNSET
    replaces: bool = False


class GhostMemoryErased(Wire, frozen=True, kw_only=True):
    """Payload of `ghost.memory_erased`: memories were forgotten, as the person asked."""

    count: int


ActingPayload: TypeAlias = GhostTurnResumed | GhostToolStatus | GhostHandoff | GhostSignal | GhostMemoryErased
"""All of them."""
