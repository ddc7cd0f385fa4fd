"""The approvals that are waited for, over all sessions."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Final, Protocol, Self

import msgspec

from duologue.engine.approvals import prompt
from duologue.model import limits
from duologue.model.base import Value
from duologue.model.events import AnyEvent, ToolMoved, ToolReturned
from duologue.model.redaction import EVERYTHING, redacted
from duologue.model.tools import Approval, ToolSpec
from duologue.runtime.session import LiveSession
from duologue.runtime.tools.toolbox import Toolbox

WAITING: Final = frozenset({"awaiting_approval", "pending_supervisor", "async_pending"})


class Pending(Value, kw_only=True):
    """An approval that is waited for.

    Attributes:
        session_id: its session.
        approval: as it was asked for, with the arguments as others than the person may see them.
    """

    session_id: str
    approval: Approval


class Listener(Protocol):
    """Is told what happens to approvals. Returns at once and does not raise."""

    def ask(self, pending: Pending) -> None:
        """One is waited for now; also one that was found again after a restart."""
        ...

    def closed(self, approval_id: str) -> None:
        """One is not waited for any more."""
        ...


class Approvals:
    """An index of what waits for a decision. The journals hold it; this finds it. A companion of the hub.

    Args:
        toolbox: says what of a call's arguments others than the person may see.
        listener: is told of each; `listen` adds others.
    """

    def __init__(self, toolbox: Toolbox, *, listener: Listener | None = None) -> None:
        self._toolbox = toolbox
        self._listeners: list[Listener] = [] if listener is None else [listener]
        self._open: dict[tuple[str, str], Pending] = {}
        self._ids: dict[str, tuple[str, str]] = {}
        self._past: OrderedDict[str, str] = OrderedDict()

    def listen(self, listener: Listener) -> None:
        """Tell one more of each from now on."""
        self._listeners.append(listener)

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[Pending]:
        """All that are open, the oldest first."""
        return iter(sorted(self._open.values(), key=lambda one: one.approval.asked_ms))

    def find(self, approval_id: str) -> Pending | None:
        """Find one that is open."""
        key = self._ids.get(approval_id)
        return None if key is None else self._open[key]

    def session_of(self, approval_id: str) -> str | None:
        """Find the session of an approval that is open or was lately; `None` where none is known."""
        key = self._ids.get(approval_id)
        return self._past.get(approval_id) if key is None else key[0]

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def stored(self, session_id: str, events: tuple[AnyEvent, ...]) -> None:
        """Hear of durable events."""
        for event in events:
            match event:
                case ToolMoved(status=status, approval=approval) if approval is not None and status in WAITING:
                    self._add(session_id, approval, self._toolbox.find(approval.tool))
                case ToolMoved(call_id=call_id) | ToolReturned(call_id=call_id):
                    self._close(session_id, call_id)
                case _:
                    pass

    def loaded(self, session: LiveSession) -> None:
        """Find again what a session waits for that was loaded."""
        state = session.state
        for call in state.tools.calls:
            if call.approval is not None and call.status in WAITING:
                # What it declared when it was called: it may not be in the registry any more, or not yet.
                self._add(state.session_id, call.approval, call.spec)

    async def removing(self, session_ids: Sequence[str]) -> None:
        """Forget sessions that are removed."""
        gone = frozenset(session_ids)
        for key in [key for key in self._open if key[0] in gone]:
            self._close(*key)
        for approval_id in [known for known, session_id in self._past.items() if session_id in gone]:
            del self._past[approval_id]

    def _add(self, session_id: str, approval: Approval, spec: ToolSpec | None) -> None:
        key = (session_id, approval.call_id)
        if key in self._open:
            return
        pending = Pending(session_id=session_id, approval=_seen(approval, spec))
        self._open[key] = pending
        self._ids[approval.approval_id] = key
        for listener in self._listeners:
            listener.ask(pending)

    def _close(self, session_id: str, call_id: str) -> None:
        pending = self._open.pop((session_id, call_id), None)
        if pending is None:
            return
        approval_id = pending.approval.approval_id
        del self._ids[approval_id]
        for listener in self._listeners:
            listener.closed(approval_id)
        self._past[approval_id] = session_id
        while len(self._past) > limits.APPROVALS_REMEMBERED:
            self._past.popitem(last=False)


def _seen(approval: Approval, spec: ToolSpec | None) -> Approval:
    """An approval as others than the person see it: what is hidden does not stand in its words either."""
    hidden = EVERYTHING if spec is None else spec.redact
    if not hidden:
        return approval
    shown = redacted(approval.arguments, hidden)
    words = prompt("" if spec is None else spec.confirm, approval.tool, shown)
    return msgspec.structs.replace(approval, arguments=shown, prompt=words)
