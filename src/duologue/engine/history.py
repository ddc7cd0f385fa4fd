"""What the agent is told of earlier turns."""

from duologue.engine.state import OpenTurn, SessionState
from duologue.model import limits
from duologue.model.content import Message, NfcObservation, PhotoObservation
from duologue.model.inputs import UserTurn


def remember(state: SessionState, turn: OpenTurn, *, interrupted: bool) -> None:
    """Add a turn that ends: what the person said, and what of the answer was delivered."""
    state.history.append(Message(role="user", text=spoken(turn.said), turn=turn.number))
    answer = "".join(turn.response.pieces)
    if answer.strip():
        state.history.append(Message(role="assistant", text=answer, turn=turn.number, interrupted=interrupted))
    _forget(state.history)


def _forget(history: list[Message]) -> None:
    """Drop the oldest messages beyond the bounds; the latest is kept whatever its length."""
    del history[: -limits.HISTORY_MESSAGES]
    kept, chars = 0, 0
    for message in reversed(history):
        chars += len(message.text)
        if kept and chars > limits.HISTORY_CHARS:
            break
        kept += 1
    del history[: len(history) - kept]


def spoken(said: UserTurn) -> str:
    """A user turn as text; what was shown and not said stands in brackets."""
    match said.observation:
        case NfcObservation(tag_id=tag_id):
            shown = f"[NFC tag {tag_id}]"
        case PhotoObservation():
            shown = "[photo]"
        case None:
            shown = " ".join(f"[{item.name}]" for item in said.attachments)
    return f"{said.text} {shown}".strip()
