"""What the agent is told of earlier turns."""

import msgspec

from duologue.engine.state import OpenTurn, SessionState
from duologue.engine.tools import message_id
from duologue.model import limits
from duologue.model.content import Interrupt, Message, NfcObservation, PhotoObservation, ToolCall
from duologue.model.inputs import UserTurn


def remember(
    state: SessionState,
    turn: OpenTurn,
    *,
    interrupted: bool,
    interrupts: tuple[Interrupt, ...] = (),
    heard_chars: int | None = None,
) -> None:
    """Add a turn that ends: what the person said, and what of the answer was delivered.

    Args:
        interrupted: the answer was cut short.
        interrupts: what it asks for.
        heard_chars: how much of the answer the person heard; `None` where all of its text was delivered.
    """
    state.history.extend(said_in(turn))
    state.history.extend(turn.earlier)
    answered = _answered(turn, asks=bool(interrupts), heard_chars=heard_chars)
    if answered:
        answered[-1] = msgspec.structs.replace(answered[-1], interrupted=interrupted, interrupts=interrupts)
    state.history.extend(answered)
    _forget(state.history)


def before(state: SessionState, turn: int) -> list[Message]:
    """The messages as they were when a turn began: without what tools have returned since."""
    return [
        msgspec.structs.replace(message, calls=tuple(_as_of(call, turn) for call in message.calls))
        for message in state.history
        if message.turn < turn
    ]


def until(state: SessionState, turn: int) -> list[Message]:
    """The messages of the turns before one."""
    return [message for message in state.history if message.turn < turn]


def continued(turn: OpenTurn) -> bool:
    """Whether an open turn goes on with what was asked before: by itself, or as the person only let it."""
    return turn.resumed is not None or 0 < turn.since < turn.number


def so_far(state: SessionState, turn: OpenTurn) -> tuple[Message, ...]:
    """What the assistant has said and done of what an open turn is about, before its run begins."""
    told: list[Message] = []
    if continued(turn):
        told += [one for one in state.history if one.turn >= turn.since and one.role == "assistant"]
    told += turn.earlier
    if turn.response.leg > 1:
        told += _answered(turn, asks=False, heard_chars=None)
    return tuple(told)


def with_tools(turn: OpenTurn) -> list[Message]:
    """The messages of an open answer that called tools of the registry: what those have done stays done."""
    kept: list[Message] = []
    for message in _answered(turn, asks=False, heard_chars=None):
        calls = tuple(call for call in message.calls if call.runs_on == "server" and call.status != "awaiting_approval")
        if calls:
            kept.append(msgspec.structs.replace(message, calls=calls))
    return kept


def _as_of(call: ToolCall, turn: int) -> ToolCall:
    if call.result_turn < turn:
        return call
    return msgspec.structs.replace(call, result=None, is_error=False, result_id="", result_turn=0)


def said_in(turn: OpenTurn) -> list[Message]:
    """What the person says in a turn; nothing where it only brings results of tools, which stand with their calls.

    A turn that is taken up again has been remembered when it ended.
    """
    text = spoken(turn.said)
    if turn.resumed is not None or (turn.said.tool_results and not (text or turn.answers)):
        return []
    said = Message(
        role="user",
        text=text,
        turn=turn.number,
        message_id=turn.said.message_id or turn.request_id,
        answers=turn.answers,
    )
    return [said]


def _answered(turn: OpenTurn, *, asks: bool, heard_chars: int | None) -> list[Message]:
    """What was delivered of an answer, a message for each part of it that says something or calls a tool.

    Words that were not heard are left out; calls that were made are not, whatever was heard after them.
    """
    messages: list[Message] = []
    response = turn.response
    left = response.length if heard_chars is None else heard_chars
    for place, part in enumerate(response.parts):
        calls = tuple(known.call for known in response.calls if known.part == place)
        text, left = part.text[:left], max(0, left - len(part.text))
        if text.strip() or calls:
            messages.append(
                Message(
                    role="assistant",
                    text=text,
                    turn=turn.number,
                    message_id=part.message_id,
                    calls=calls,
                    author=turn.author,
                )
            )
    rest = "".join(response.pieces[response.told :])[:left]
    if rest.strip() or (asks and not messages):
        messages.append(
            Message(
                role="assistant",
                text=rest,
                turn=turn.number,
                message_id=message_id(response),
                author=turn.author,
            )
        )
    return messages


def delivered(turn: OpenTurn, *, heard_chars: int) -> list[Message]:
    """What stays of an answer that is replaced: the words that were heard, and the calls that were made."""
    kept = _answered(turn, asks=False, heard_chars=heard_chars)
    return [msgspec.structs.replace(message, interrupted=True) for message in kept]


def _forget(history: list[Message]) -> None:
    """Drop the oldest messages beyond the bounds; the latest is kept whatever its length."""
    del history[: -limits.HISTORY_MESSAGES]
    kept, chars = 0, 0
    for message in reversed(history):
        chars += len(message.text)
        if message.calls:
            chars += sum(len(one.arguments) + len(one.result or "") for one in message.calls)
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
