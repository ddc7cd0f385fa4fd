"""The port through which Duologue reaches an agent."""

from collections.abc import AsyncGenerator
from typing import Final, Protocol, runtime_checkable

from duologue.model.agent import AgentItem, AgentRequest
from duologue.model.content import ToolResult

WHAT_TO_SAY: Final = (
    "yield str, Text, Citation, Chips, Rich, Note, ToolCalled, ToolReturned, ToolRequested, Asked, Observe,"
    " HandOff, Upgrade, Cancelled, Failure or Finished"
)
"""For whoever wrote an agent that says something else."""


class Files(Protocol):
    """Where an agent gets the bytes of uploads and photos."""

    async def read(self, upload_id: str) -> bytes:
        """Read a stored upload of the run's own session or person.

        Returns:
            The bytes, at most `limits.UPLOAD_BYTES`.
        Raises:
            StoreError: it cannot be read now.
            LookupError: there is none of that id for this person.
        Cancellation: safe.
        """
        ...


@runtime_checkable
class Calls(Protocol):
    """Has tools of the registry run for a run that goes on meanwhile. What a run is given as its files is this too."""

    async def call(self, name: str, arguments: str) -> ToolResult:
        """Have a tool run, and wait for its result.

        Where somebody else has to decide, the result for now says so. Where the person has to let it run, the run ends
        here: it is cancelled, and made again once that is decided, with the result in `AgentRequest.so_far`.

        Args:
            name: one of `AgentRequest.offered`; of another one the result is an error.
            arguments: a JSON object, as text; empty for none.
        Raises:
            ValueError: it cannot be asked for: the arguments are no JSON object, or too large.
            RuntimeError: the run is over.
        Cancellation: what was begun goes on, and is recorded.
        """
        ...


def within(call_id: str) -> bool:
    """Whether a call was made by `Calls.call`, by its id."""
    return _WITHIN in call_id


def id_within(response_id: str, leg: int, number: int) -> str:
    """The id of a call that is made by `Calls.call`: the run's, and which of its calls it is."""
    return f"{response_id}{_WITHIN}{leg}-{number}"


_WITHIN: Final = "-within-"


class Agent(Protocol):
    """Something that answers turns.

    One instance serves all sessions at once, so it keeps nothing of a run in itself.
    """

    @property
    def name(self) -> str:
        """A short name for people and figures."""
        ...

    def run(self, request: AgentRequest, files: Files) -> AsyncGenerator[AgentItem, None]:
        """Answer one turn, as a stream.

        Args:
            request: the turn, its history and what came with it.
            files: reads the bytes of the request's uploads.
        Returns:
            Items in the order in which they are to be seen. The last is `Finished`, or `Failure` where the
            agent knows that it could not answer; a stream that stops without either was cut and counts as failed.
        Raises:
            Exception: anything; the run counts as failed, the text is logged and not shown.
        Cancellation: the generator is cancelled or closed when the person stops the answer, writes over it or
            the session ends; it releases what it holds within `limits.CANCEL_MS`.
        """
        ...


@runtime_checkable
class PlainAgent(Protocol):
    """An agent that need not say when its answer is whole: it is when its stream ends, if any of it can be seen.

    Others have no such method. It is asked instead of `run`, so that nothing stands between it and its reader.
    """

    def answer(self, request: AgentRequest, files: Files) -> AsyncGenerator[object, None]:
        """Answer one turn, as `Agent.run` does, but without the last `Finished`; whoever reads checks each item."""
        ...


@runtime_checkable
class ClosingAgent(Protocol):
    """An agent that holds something between runs, such as connections; others have no such method."""

    async def aclose(self) -> None:
        """Let go of all of it, once, when no run is left; within `limits.CANCEL_MS`.

        Raises:
            Exception: anything; it is logged.
        Cancellation: what was not let go of ends with the process.
        """
        ...
