"""What a session's answers say, as it becomes durable: the text that a voice speaks."""

from collections.abc import Callable

from duologue.model import limits
from duologue.model.events import (
    AnswerCompleted,
    AnyEvent,
    ResponseEnded,
    ResponseFailed,
    ResponseStarted,
    TextCompleted,
    TextDelta,
)
from duologue.runtime.session import LiveSession


class AnswerText:
    """Follows the text of the session's current answer.

    It is told of each durable change by the call that made it durable, so it neither waits nor gives anything.

    Args:
        session: whose answers.
        more: called with each piece of text, and with an empty one when no more comes; with the answer's id.
        rests: called when the agent does something else before it says more, with the answer's id.
    Attributes:
        response_id: the current answer, or the last one; empty where there was none.
        pieces: its text so far.
        resting: its agent does something else before it says more.
        whole: nothing more comes of it.
    """

    def __init__(self, session: LiveSession, *, more: Callable[[str, str], None], rests: Callable[[str], None]) -> None:
        self.response_id = ""
        self.pieces: list[str] = []
        self.resting = self.whole = False
        self._session, self._more, self._rests = session, more, rests
        # What the state is ahead of the store by is spoken once an effect says so, and effects come after the store.
        self._seq = session.state.seq
        turn = session.state.open
        if turn is not None:
            self.response_id, self.pieces = turn.response.response_id, list(turn.response.pieces)
            self.resting = turn.response.paused
        session.watchers.append(self._changed)

    def close(self) -> None:
        """Follow no more."""
        self._session.watchers.remove(self._changed)

    def _changed(self, event: TextDelta | None) -> None:
        if event is not None and event.seq == self._seq + 1:
            self._seq = event.seq
            self._hear(event)
            return
        # What just became durable is in the tail; what is not there any more is lost to the ear alone.
        while found := self._session.tail.after(self._seq, limit=limits.READ_EVENTS):
            for one in found:
                self._hear(one)
            self._seq = found[-1].seq
        self._seq = self._session.stored_seq

    def _hear(self, event: AnyEvent) -> None:
        match event:
            case TextDelta(response_id=response_id, text=text) if response_id == self.response_id:
                self.pieces.append(text)
                self.resting = False
                self._more(response_id, text)
            case TextCompleted(response_id=response_id, whole=False) if response_id == self.response_id:
                self.resting = True
                self._rests(response_id)
            case ResponseStarted(response_id=response_id):
                self.response_id, self.pieces = response_id, []
                self.resting = self.whole = False
            case (
                AnswerCompleted(response_id=response_id)
                | ResponseEnded(response_id=response_id)
                | ResponseFailed(response_id=response_id)
            ):
                if response_id == self.response_id:
                    self.whole = True
                    self._more(response_id, "")
            case _:
                pass
