"""How much of a conversation is sent to a model."""

from collections.abc import Sequence
from typing import Final

from duologue.model.content import Message

BYTES_PER_TOKEN: Final = 3
"""UTF-8 bytes that count as one token. English has about four, so it is overestimated by a third; Chinese and
Japanese have three, a character. Each model has its own tokeniser, and a budget only has to be on the safe side."""

MESSAGE_TOKENS: Final = 4
"""What a message costs besides its text: its role and its delimiters."""


def tokens(text: str) -> int:
    """Estimate the tokens of one message, never too few for everyday text."""
    return MESSAGE_TOKENS - (-len(text.encode()) // BYTES_PER_TOKEN)


def cost(message: Message) -> int:
    """Estimate the tokens of a message, with the tools that it called and what they returned."""
    called = sum(tokens(call.name + call.arguments) + tokens(call.result or "") for call in message.calls)
    return tokens(message.text) + called


def recent(history: Sequence[Message], *, within: int) -> tuple[Message, ...]:
    """Keep the newest messages that fit together.

    Whole messages only; the first one kept is a person's, as providers ask for.

    Args:
        history: oldest first.
        within: tokens, as `tokens` estimates them; 0 keeps none.
    """
    first = len(history)
    spent = 0
    while first and (spent := spent + cost(history[first - 1])) <= within:
        first -= 1
    while first < len(history) and history[first].role != "user":
        first += 1
    return tuple(history[first:])
