"""The port through which Duologue carries out a call of a tool."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

from duologue.model.base import Value
from duologue.model.errors import DuologueError
from duologue.model.tools import ToolSpec


class ToolContext(Value, kw_only=True):
    """For whom and why a tool is called.

    Attributes:
        session_id: the conversation.
        subject: the person, as authenticated; `local` where nobody is.
        turn: the turn's number.
        call_id: the call, unique among the session's open ones.
        key: the idempotency key: the same in every attempt at this call, and never another call's.
        attempt: above 1 where an earlier one failed, or a server stopped while it ran.
    """

    session_id: str
    subject: str
    turn: int
    call_id: str
    key: str
    attempt: int = 1


class ToolFailed(DuologueError):
    """A tool could not do it, and says why in words for the agent.

    Attributes:
        message: for the agent, and so perhaps for the person: no secret.
        code: for programs.
        retryable: the same call may succeed later.
        perhaps_done: nobody knows whether it was done; then it is only made again where that does no harm, and the
            same call, by its idempotency key, gets this failure again.
    """

    def __init__(
        self, message: str, *, code: str = "tool_failed", retryable: bool = False, perhaps_done: bool = True
    ) -> None:
        super().__init__(message)
        self.message, self.code = message, code
        self.retryable, self.perhaps_done = retryable, perhaps_done


class Tool(Protocol):
    """One tool of the registry. One instance serves all sessions at once."""

    @property
    def spec(self) -> ToolSpec:
        """What is declared of it; the same for as long as it is registered."""
        ...

    # JSON of the tool's own design: no narrower type exists.
    async def call(self, arguments: dict[str, Any], context: ToolContext) -> Any:
        """Carry out a call once.

        Args:
            arguments: fit the spec's input schema.
            context: for whom.
        Returns:
            What it gives: text, or what is JSON; not yet judged by the spec's output schema.
        Raises:
            ToolFailed: it could not, in words for the agent.
            Exception: anything else; the call has failed, the text is logged and not told.
        Cancellation: after `spec.timeout_ms`, and when the server stops; what was sent may have been done.
        """
        ...


Tell: TypeAlias = Callable[[Sequence[Tool]], None]
"""Takes over which tools a source has now."""


class ToolSource(Protocol):
    """Several tools that are known only once somebody was asked, such as a server of them."""

    @property
    def name(self) -> str:
        """A short name for people and figures, unique among the sources."""
        ...

    async def keep(self, tell: Tell) -> None:
        """Stay connected, and connect again where the connection was lost, until cancelled.

        Args:
            tell: is told which tools there are: each time that this is learned, and none where nobody can be reached.
        Cancellation: ends what was begun, such as a process, within `limits.CANCEL_MS`.
        """
        ...
