"""Asking a system elsewhere about calls that it has to let run."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Final, Self, TypeAlias

import msgspec

from duologue.model import limits
from duologue.model.events import AnyEvent
from duologue.ports.clock import Clock
from duologue.ports.post import Letter, Post
from duologue.runtime.events_log import EventLog
from duologue.runtime.tools.approvals import Pending

WAITING: Final = 1_024
"""Most approvals that are being asked about at once; one more is logged, and stands in the list."""

Prove: TypeAlias = Callable[[str, bytes], Mapping[str, str]]
"""Makes the headers that prove who asks about an approval, given its id and the body."""


class Approver:
    """Posts each approval of the policy `async_pending` to an address, until it has it, is decided or has expired.

    An approval that was asked about before a restart is asked about again, with the same id. A companion of the hub.

    Args:
        url: where to.
        post: sends.
        prove: signs.
        clock: tells when an approval has expired.
        chance: gives a number from 0 to 1, for the pauses between attempts.
        log: is told of failures.
    """

    def __init__(
        self,
        *,
        url: str,
        post: Post,
        prove: Prove,
        clock: Clock,
        chance: Callable[[], float],
        log: EventLog,
    ) -> None:
        self._url, self._post, self._prove = url, post, prove
        self._clock, self._chance, self._log = clock, chance, log
        self._group: asyncio.TaskGroup | None = None
        self._asking: dict[str, asyncio.Task[None]] = {}

    async def __aenter__(self) -> Self:
        self._group = await asyncio.TaskGroup().__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        group, self._group = self._group, None
        for task in [*self._asking.values()]:
            task.cancel()
        if group is not None:
            await group.__aexit__(None, None, None)
        await self._post.close()

    def stored(self, session_id: str, events: tuple[AnyEvent, ...]) -> None:
        """Hear of durable events; what matters here comes by way of the index."""

    async def removing(self, session_ids: Sequence[str]) -> None:
        """Forget nothing here: the index tells what is not waited for any more."""

    def ask(self, pending: Pending) -> None:
        """Begin to ask, where the approval is a system's to give."""
        approval_id = pending.approval.approval_id
        if pending.approval.policy != "async_pending" or self._group is None or approval_id in self._asking:
            return
        if len(self._asking) >= WAITING:
            self._log("approver_full", session=pending.session_id, approval=approval_id)
            return
        task = self._group.create_task(self._ask(pending), name="approver")
        self._asking[approval_id] = task
        task.add_done_callback(lambda _: self._asking.pop(approval_id, None))

    def closed(self, approval_id: str) -> None:
        """Stop asking: it was decided, or is not waited for any more."""
        if (task := self._asking.get(approval_id)) is not None:
            task.cancel()

    async def _ask(self, pending: Pending) -> None:
        approval = pending.approval
        body = _body(pending)
        failures = 0
        while self._clock.now_ms() < approval.expires_ms:
            headers = {
                "Content-Type": "application/json",
                "User-Agent": "duologue",
                "Duologue-Approval": approval.approval_id,
                "Duologue-Attempt": str(failures + 1),
                **self._prove(approval.approval_id, body),
            }
            answered = await self._post.send(Letter(url=self._url, headers=headers, body=body))
            if not answered.error:
                return
            failures += 1
            self._log("approver_failed", approval=approval.approval_id, attempt=failures, error=answered.error)
            await asyncio.sleep(max(answered.wait_ms, self._pause_ms(failures)) / 1000)

    def _pause_ms(self, failures: int) -> float:
        """Wait longer each time, and not at the same moment as all others that failed with it."""
        longest = min(limits.WEBHOOK_BACKOFF_MS * 2 ** (failures - 1), limits.WEBHOOK_BACKOFF_MAX_MS)
        return longest * (0.5 + self._chance() / 2)


def _body(pending: Pending) -> bytes:
    approval = pending.approval
    asked: dict[str, Any] = {
        "type": "approval.requested",
        "approvalId": approval.approval_id,
        "sessionId": pending.session_id,
        "toolCallId": approval.call_id,
        "tool": approval.tool,
        "arguments": msgspec.Raw(approval.arguments.encode() or b"{}"),
        "digest": approval.digest,
        "sideEffect": approval.side_effect,
        "person": approval.person,
        "prompt": approval.prompt,
        "askedAt": approval.asked_ms,
        "expiresAt": approval.expires_ms,
        "callback": f"/api/approvals/{approval.approval_id}/callback",
    }
    return msgspec.json.encode(asked)
