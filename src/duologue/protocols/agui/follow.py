"""Following a thread: what happens in it, as a run of somebody who did not ask for it.

AG-UI has no place for events between runs. So a run that follows begins when its client asks, holds all that happens
from there on, what a call tells and what the person says included, and ends with the turn that came.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from duologue.model import events as e
from duologue.model.content import Message
from duologue.model.kinds import State
from duologue.protocols.agui import frames
from duologue.protocols.agui.between import KnownCalls
from duologue.protocols.agui.project import project, reopened
from duologue.protocols.agui.snapshot import snapshots, void

_encode: Final = msgspec.json.Encoder().encode


class FollowedRun:
    """One run that follows a thread.

    Args:
        thread_id: the thread.
        run_id: the client's id of the run.
    """

    def __init__(self, *, thread_id: str, run_id: str) -> None:
        self._thread_id, self._run_id = thread_id, run_id
        self._history: list[Message] = []
        self._body = b'{"messages":[]}'
        self._calls = KnownCalls(())
        self._over = False

    @property
    def over(self) -> bool:
        """Whether the run has told its end."""
        return self._over

    def opening(
        self, *, state: State, in_call: bool, history: Sequence[Message], body: bytes, now_ms: int
    ) -> list[bytes]:
        """Write the begin: where things stand, and the conversation, as far as it was heard.

        Args:
            state: the state machine's.
            in_call: a call is on.
            history: the messages so far; without those of a turn that is going on.
            body: the client's `RunAgentInput`.
            now_ms: ms since 1970.
        """
        self._history, self._body = list(history), body
        self._calls = KnownCalls(history)
        begin = frames.RunStarted(
            timestamp=now_ms,
            thread_id=self._thread_id,
            run_id=self._run_id,
            protocol_version=frames.AGUI_VERSION,
            metadata=frames.Metadata(duologue=frames.FollowDetails(state=state, in_call=in_call)),
        )
        return [_encode(one) for one in (begin, *snapshots(history, body, at_ms=now_ms, always=True))]

    def going_on(
        self, *, history: Sequence[Message], message: e.TextStarted | None, body: bytes, now_ms: int
    ) -> list[bytes]:
        """Write the begin for a client that has what came before: nothing of it is told again.

        Args:
            history: the messages up to its place.
            message: the message in whose middle it is.
            body: the client's `RunAgentInput`.
            now_ms: ms since 1970.
        """
        self._history, self._body = list(history), body
        begin = frames.RunStarted(
            timestamp=now_ms, thread_id=self._thread_id, run_id=self._run_id, protocol_version=frames.AGUI_VERSION
        )
        again = [] if message is None else [_encode(reopened(message, at_ms=message.at_ms))]
        return [_encode(begin), *again]

    def write(self, event: e.AnyEvent) -> list[bytes]:
        """Write an event of the session as one of this run's, and before a result the call where it is not known."""
        match event:
            case e.TurnAccepted():
                return self._said(event)
            case e.ResponseStarted(attempt=1) if event.replaces:
                return [_encode(void(self._history, self._body, at_ms=event.at_ms))]
            case e.ResponseStarted(attempt=1):
                # This run has begun.
                return []
            case e.ResponseEnded() | e.ResponseFailed():
                return self._ended(event)
            case e.SessionEnded():
                end = frames.RunFinished(
                    timestamp=event.at_ms, thread_id=self._thread_id, run_id=self._run_id, outcome=frames.Success()
                )
                return [_encode(end)]
            case _:
                return self._calls.write(event)

    def _said(self, event: e.TurnAccepted) -> list[bytes]:
        """What the person said or wrote, as a message of theirs."""
        if not event.text:
            return []
        message_id = event.message_id or event.request_id
        self._history.append(Message(role="user", text=event.text, turn=event.turn, message_id=message_id))
        said = frames.TextMessageChunk(timestamp=event.at_ms, message_id=message_id, role="user", delta=event.text)
        return [_encode(said)]

    def _ended(self, event: e.ResponseEnded | e.ResponseFailed) -> list[bytes]:
        """The end of an answer, which may be that of this run."""
        frame = project(msgspec.structs.replace(event, request_id=self._run_id))
        self._over = self._over or (isinstance(event, e.ResponseEnded) and frame is not None)
        self._over = self._over or (isinstance(event, e.ResponseFailed) and not event.will_retry)
        return [] if frame is None else [frame]
