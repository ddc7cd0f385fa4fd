"""The conversation's messages, for a client that shows others than there are."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import msgspec

from duologue.model.content import Message
from duologue.protocols.agui import frames, wire
from duologue.protocols.agui.project import result_id

_encode: Final = msgspec.json.Encoder().encode
_messages: Final = msgspec.json.Decoder(wire.MessagesOnly)
_names: Final = msgspec.json.Decoder(wire.MessageName)

_SETTING: Final = frozenset({"system", "developer"})
"""Roles of what stands before a conversation."""


class _Shown(NamedTuple):
    """A message: by what a client knows it, how it is written, and of a tool what it gave."""

    names: tuple[str, ...]
    role: str
    raw: msgspec.Raw
    given: str | None = None


def snapshots(
    history: Sequence[Message], body: bytes, *, at_ms: int, always: bool
) -> tuple[frames.MessagesSnapshot, ...]:
    """Write the conversation as it is, where the client shows it otherwise.

    A client keeps its messages where they are and puts those that it did not know behind them. So the first snapshot
    ends where the two begin to differ, which drops the rest, and the second one is whole: then they stand in order.

    Args:
        history: the messages before the turn that the client's newest ones are, oldest first.
        body: the client's `RunAgentInput`; its own messages stay, each as it wrote it.
        at_ms: ms since 1970.
        always: give one even where the client shows just that.
    Source: AG-UI 1.0, state, MESSAGES_SNAPSHOT.
    """
    theirs = [_read(raw) for raw in _messages.decode(body).messages]
    whole = _merged(_ours(history), theirs)
    same = _same(whole, theirs)
    if same == len(whole) == len(theirs) and not always:
        return ()
    parts = [whole] if same == len(theirs) else [whole[:same], whole]
    return tuple(
        frames.MessagesSnapshot(timestamp=at_ms, messages=tuple(shown.raw for shown in part)) for part in parts
    )


def void(history: Sequence[Message], body: bytes, *, at_ms: int) -> frames.MessagesSnapshot:
    """Write the conversation without the answer that a better one takes the place of.

    Args:
        history: the messages before that answer, oldest first.
        body: the client's `RunAgentInput`.
        at_ms: ms since 1970.
    """
    whole = _merged(_ours(history), [_read(raw) for raw in _messages.decode(body).messages])
    return frames.MessagesSnapshot(timestamp=at_ms, messages=tuple(shown.raw for shown in whole))


def _ours(history: Sequence[Message]) -> list[_Shown]:
    """Our messages. One that was answered twice, after a failure, is one message."""
    first: dict[str, _Shown] = {}
    for message in history:
        for shown in _write(message):
            first.setdefault(shown.names[0], shown)
    return list(first.values())


def _merged(ours: Sequence[_Shown], theirs: Sequence[_Shown]) -> list[_Shown]:
    """Our messages and those of the client that we do not keep: in front, after the one they follow, or at the end."""
    if not ours:
        return list(theirs)
    known = {name for shown in ours for name in shown.names}
    held = [place for place, shown in enumerate(theirs) if known.intersection(shown.names)]
    first, last = (held[0], held[-1]) if held else (len(theirs), -1)
    before: list[_Shown] = []
    after: dict[str, list[_Shown]] = {}
    news: list[_Shown] = []
    follows = ""
    for place, shown in enumerate(theirs):
        if known.intersection(shown.names):
            follows = shown.names[0]
        elif (place < first and held) or (not held and shown.role in _SETTING):
            before.append(shown)
        elif place < last:
            after.setdefault(follows, []).append(shown)
        else:
            news.append(shown)
    whole = before
    for shown in ours:
        whole.append(shown)
        for name in shown.names:
            whole += after.pop(name, [])
    return whole + news


def _same(whole: Sequence[_Shown], theirs: Sequence[_Shown]) -> int:
    """How many messages at the front are the same ones."""
    count = 0
    for one, other in zip(whole, theirs, strict=False):
        if not set(one.names) & set(other.names) or _came_later(one, other):
            break
        count += 1
    return count


def _came_later(one: _Shown, other: _Shown) -> bool:
    """Whether a tool has given its result since the client was told that it waits for somebody."""
    return None not in (one.given, other.given) and one.given != other.given


def _read(raw: msgspec.Raw) -> _Shown:
    """A message of the client: by its id, or that of a call in it, where the client made up an id of its own."""
    named = _names.decode(raw)
    calls = tuple(call.id for call in named.tool_calls or ())
    given = named.content if named.role == "tool" and isinstance(named.content, str) else None
    return _Shown(names=(named.id, *calls), role=named.role, raw=raw, given=given)


def _write(message: Message) -> Iterable[_Shown]:
    details = frames.Metadata(
        duologue=frames.MessageDetails(turn=message.turn, interrupted=message.interrupted, author=message.author)
    )
    if message.role == "user":
        # An answer to an interrupt alone is no message.
        if message.text:
            user = frames.UserMessage(id=message.message_id, content=message.text, metadata=details)
            yield _Shown(names=(user.id,), role="user", raw=msgspec.Raw(_encode(user)))
        return
    if not (message.text or message.calls):
        return
    calls = tuple(
        frames.Call(id=one.call_id, type="function", function=frames.Function(name=one.name, arguments=one.arguments))
        for one in message.calls
    )
    said = frames.AssistantMessage(
        id=message.message_id or f"turn-{message.turn}-answer",
        name=message.author or None,
        content=message.text or None,
        tool_calls=calls,
        metadata=details,
    )
    names = (said.id, *(one.call_id for one in message.calls))
    yield _Shown(names=names, role="assistant", raw=msgspec.Raw(_encode(said)))
    for one in message.calls:
        if one.result is None:
            continue
        returned = frames.ToolMessage(
            id=one.result_id or result_id(one.call_id),
            tool_call_id=one.call_id,
            content=one.result,
            error=one.result if one.is_error else None,
        )
        raw = msgspec.Raw(_encode(returned))
        # What a client's message brought is as the client has it.
        yield _Shown(names=(returned.id,), role="tool", raw=raw, given=None if one.result_id else one.result)
