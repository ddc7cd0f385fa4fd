"""The text of an answer: it comes in pieces, and its whole is their sum."""

import msgspec
from tests.simulation.judges.known import Known
from tests.simulation.judges.remembering import next_message_id, part_of

from duologue.model import events as e
from duologue.model.inputs import (
    AgentCalled,
    AgentCancelled,
    AgentFailed,
    AgentFinished,
    AgentRequested,
    AgentReturned,
    AnyInput,
    CancelRequested,
)


def text_begins(known: Known, event: e.TextStarted) -> None:
    """Judge the begin of a text."""
    assert event.response_id == known.response and not known.text_open, "a text begins once"
    known.text_open = True
    known.first_ms = event.at_ms if known.first_ms is None else known.first_ms
    assert event.message_id == next_message_id(known), "the next message of the answer"
    known.parts.append(part_of(event.message_id, known.turn, author=known.author))


def text_goes_on(known: Known, event: e.TextDelta) -> None:
    """Judge some more of it."""
    assert event.response_id == known.response and known.text_open, "words outside of their text"
    known.pieces.append(event.text)
    known.length += len(event.text)
    last = known.parts[-1]
    assert event.message_id == last.message_id, "words of another message"
    known.parts[-1] = msgspec.structs.replace(last, text=last.text + event.text)
    assert event.length == known.length, "the length so far"


def text_ends(known: Known, event: e.TextCompleted, happened: AnyInput) -> None:
    """Judge its whole, or what was heard of it."""
    assert event.response_id == known.response and known.text_open, "a text ends once"
    calls = isinstance(happened, AgentCalled | AgentReturned | AgentRequested) or e.LegEnded in known.kinds
    all_of_it = "".join(known.pieces)
    cut = None if event.whole or (calls and not known.failing) else known.voice.cut_at
    assert event.text == all_of_it[:cut] or (calls and event.text == all_of_it), "the sum of the pieces"
    says_so = not isinstance(happened, AgentFailed | AgentCancelled | CancelRequested | AgentCalled)
    assert not event.whole or says_so, "only the agent says that it is whole"
    assert event.whole or not isinstance(happened, AgentFinished) or e.LegEnded in known.kinds
    assert event.message_id == known.parts[-1].message_id, "the end of another message"
    known.text_open, known.told_whole = False, event.whole
