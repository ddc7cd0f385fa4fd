"""Calls that wait for a decision, as they are listed, and as pages of operators are told of them at once."""

from collections.abc import Iterable
from typing import Any

import msgspec

from duologue.model import limits
from duologue.model.tools import ApprovalPolicy, SideEffect
from duologue.runtime.desk.feed import Feed
from duologue.runtime.desk.news import Everything, News
from duologue.runtime.tools.approvals import Pending


class ApprovalSeen(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What waits for a decision.

    `arguments` are shown without what the tool hides; `digest` is of the exact ones, and binds the decision to them.
    Times in ms since 1970.
    """

    approval_id: str
    session_id: str
    tool_call_id: str
    tool: str
    # JSON of the tool's own design: no narrower type exists.
    arguments: dict[str, Any]
    digest: str
    approval_policy: ApprovalPolicy
    side_effect: SideEffect
    person: str
    prompt: str
    asked_at: int
    expires_at: int


class EverythingToDecide(Everything, frozen=True, kw_only=True, tag="everything"):
    """What who decides is told first: as others, and the calls that wait, the oldest first.

    Attributes:
        more_approvals: there are more than these; `GET /api/approvals` has the same bound, and moves on with each
            that is decided.
    """

    approvals: tuple[ApprovalSeen, ...]
    more_approvals: bool = False


class ApprovalNews(News, frozen=True, kw_only=True, tag="approval"):
    """A call waits for a decision."""

    approval: ApprovalSeen


class ApprovalClosedNews(News, frozen=True, kw_only=True, tag="approval_closed"):
    """A call does not wait any more: it was decided, ran out of time, or was given up."""

    approval_id: str


class ToDeciders:
    """Tells pages of who decides; a listener of the approvals."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed

    def ask(self, pending: Pending) -> None:
        """Tell of one that waits."""
        self._feed.tell(ApprovalNews(approval=seen(pending)), to_deciders=True)

    def closed(self, approval_id: str) -> None:
        """Tell of one that does not wait any more."""
        self._feed.tell(ApprovalClosedNews(approval_id=approval_id), to_deciders=True)


def with_approvals(all_else: Everything, waiting: Iterable[Pending]) -> EverythingToDecide:
    """Add the calls that wait to what is told first."""
    found = tuple(waiting)
    return EverythingToDecide(
        handoffs=all_else.handoffs,
        operators=all_else.operators,
        me=all_else.me,
        approvals=tuple(seen(one) for one in found[: limits.APPROVALS_LISTED]),
        more_approvals=len(found) > limits.APPROVALS_LISTED,
    )


def seen(pending: Pending) -> ApprovalSeen:
    """An approval as it is told."""
    approval = pending.approval
    return ApprovalSeen(
        approval_id=approval.approval_id,
        session_id=pending.session_id,
        tool_call_id=approval.call_id,
        tool=approval.tool,
        arguments=msgspec.json.decode(approval.arguments or "{}", type=dict[str, Any]),
        digest=approval.digest,
        approval_policy=approval.policy,
        side_effect=approval.side_effect,
        person=approval.person,
        prompt=approval.prompt,
        asked_at=approval.asked_ms,
        expires_at=approval.expires_ms,
    )
