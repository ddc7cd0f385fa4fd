"""The AG-UI dialect: runs of an agent for any front end of the protocol (AG-UI 1.0)."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from duologue.model.commands import Decoded
from duologue.model.content import Interrupt, Message
from duologue.model.errors import Code, Problem
from duologue.model.events import ResponseStarted, TextStarted
from duologue.model.replies import Repeated
from duologue.protocols.agui import errors, frames, wire
from duologue.protocols.agui.between import KnownCalls, stands
from duologue.protocols.agui.decode import Cancel, InlineFile, Run, decode_cancel, decode_run
from duologue.protocols.agui.follow import FollowedRun
from duologue.protocols.agui.project import interrupts, project, reopened, started
from duologue.protocols.agui.snapshot import snapshots, void

__all__ = [
    "AguiDialect",
    "Cancel",
    "FollowedRun",
    "InlineFile",
    "KnownCalls",
    "Run",
    "decode_cancel",
    "decode_run",
    "frames",
    "stands",
    "wire",
]

_encode: Final = msgspec.json.Encoder().encode


class AguiDialect:
    """The AG-UI dialect; see `duologue.ports.dialect.Dialect`."""

    @property
    def name(self) -> str:
        """The protocol's name."""
        return "agui"

    def decode(self, frame: bytes) -> Decoded:
        """Read the turn of a `RunAgentInput`; `decode_run` reads all of it."""
        read = decode_run(frame)
        if isinstance(read, Problem):
            return read
        if read.turn is None:
            return Problem(code=Code.BAD_MESSAGE, message="the input brings nothing new", path="$.messages")
        return read.turn

    project = staticmethod(project)
    """Write an event as an AG-UI event."""

    # A refusal stands alone: it needs no id.
    def refuse(self, problem: Problem, *, request_id: str, now_ms: int) -> bytes:  # noqa: ARG002
        """Write a problem as RUN_ERROR."""
        return _encode(errors.refused(problem, now_ms=now_ms))

    # A run opens what it needs.
    def opened(self, session_id: str, *, after: int, last_seq: int) -> bytes | None:  # noqa: ARG002
        """AG-UI has no such answer."""
        return None

    # A repeated run is answered with the run.
    def repeated(self, reply: Repeated, *, request_id: str) -> bytes | None:  # noqa: ARG002
        """AG-UI has no such answer."""
        return None

    def opening(
        self,
        began: ResponseStarted,
        *,
        history: Sequence[Message],
        body: bytes,
        always: bool,
        open_message: TextStarted | None = None,
    ) -> list[bytes]:
        """Write the begin of a run's stream: RUN_STARTED, and what the client needs to follow what comes then.

        Args:
            began: the turn's first response.
            history: the messages before the turn.
            body: the client's `RunAgentInput`.
            always: tell the conversation even where the client shows it as it is.
            open_message: the message in the middle of which the stream goes on.
        """
        told = snapshots(history, body, at_ms=began.at_ms, always=always)
        begin: list[bytes] = [_encode(started(began)), *map(_encode, told)]
        if open_message is not None:
            begin.append(_encode(reopened(open_message, at_ms=began.at_ms)))
        return begin

    def void(self, history: Sequence[Message], body: bytes, *, at_ms: int) -> bytes:
        """Write the conversation without the answer that a better one takes the place of; see `snapshot.void`."""
        return _encode(void(history, body, at_ms=at_ms))

    def standing(
        self,
        run: Run,
        *,
        history: Sequence[Message],
        asked: tuple[Interrupt, ...],
        waiting: Iterable[str],
        happened: Iterable[bytes],
        body: bytes,
        now_ms: int,
    ) -> list[bytes]:
        """Write a run that brings nothing new: what has happened, the conversation as it stands, what it waits for."""
        begin = frames.RunStarted(
            timestamp=now_ms, thread_id=run.thread_id, run_id=run.run_id, protocol_version=frames.AGUI_VERSION
        )
        outcome = (
            frames.Interrupted(interrupts=interrupts(asked))
            if asked
            else frames.Success(pending_tool_call_ids=tuple(waiting))
        )
        end = frames.RunFinished(timestamp=now_ms, thread_id=run.thread_id, run_id=run.run_id, outcome=outcome)
        shown = snapshots(history, body, at_ms=now_ms, always=True)
        return [_encode(begin), *happened, *map(_encode, shown), _encode(end)]
