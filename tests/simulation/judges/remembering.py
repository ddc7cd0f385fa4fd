"""What is remembered of a conversation, and told to the agent: what was delivered, heard and done, and no more."""

import msgspec
from tests.simulation.judges.known import Known
from tests.simulation.judges.tools import after

from duologue.engine.history import spoken
from duologue.model import limits
from duologue.model.content import (
    Message,
)


def remember(known: Known, *, interrupted: bool, cut: int | None) -> None:
    turn, said = known.turn, known.open_said
    assert not known.results, "results that were not shown"
    only_results = bool(said.tool_results) and not (spoken(said) or known.answers)
    if not (only_results or known.resumed):
        name = said.message_id or known.request_id
        user = Message(role="user", text=spoken(said), turn=turn, message_id=name, answers=known.answers)
        known.history.append(user)
    asked = known.asked_now if known.asking else ()
    known.history += known.earlier
    if cut is not None:
        known.parts = heard_of(known.parts, cut)
    heard = [one for one in known.parts if one.text.strip() or one.calls]
    if asked and not heard:
        heard = known.parts[-1:] or [part_of(next_message_id(known), turn)]
    if heard:
        heard[-1] = msgspec.structs.replace(heard[-1], interrupted=interrupted, interrupts=asked)
    known.history += heard


def told_to_agent(known: Known) -> tuple[list[Message], list[Message]]:
    """What came before the turn, as far as it is remembered; and what the turn has said and done so far."""
    kept = known.history[-limits.HISTORY_MESSAGES :]
    before, so_far = kept, list[Message]()
    if known.resumed or known.continued:
        before = [one for one in kept if one.turn < known.since]
        so_far = [one for one in kept if one.turn >= known.since and one.role == "assistant"]
    so_far += known.earlier
    said = [one for one in known.parts if one.text.strip() or one.calls]
    return before, so_far + (said if known.legs > 1 else [])


def kept_of_lost_run(known: Known) -> list[Message]:
    """What a lost run's tools have done: it stays done."""
    kept: list[Message] = []
    for message in known.parts:
        calls = tuple(one for one in message.calls if one.runs_on == "server" and one.result != "the run was lost")
        if calls:
            kept.append(msgspec.structs.replace(message, calls=calls))
    return kept


def note_status(known: Known, call_id: str, status: str) -> None:
    """Note how far a call of the open answer has come."""
    for place, message in enumerate(known.parts):
        if any(one.call_id == call_id for one in message.calls):
            calls = tuple(after(one, status) if one.call_id == call_id else one for one in message.calls)
            known.parts[place] = msgspec.structs.replace(message, calls=calls)


def next_message_id(known: Known) -> str:
    number = len(known.parts) + 1
    return f"{known.last_response}-message" + (f"-{number}" if number > 1 else "")


def part_of(message_id: str, turn: int, *, author: str = "") -> Message:
    return Message(role="assistant", text="", turn=turn, message_id=message_id, author=author)


def heard_of(said: list[Message], cut: int) -> list[Message]:
    """What was heard of an answer's parts."""
    heard: list[Message] = []
    for one in said:
        heard.append(msgspec.structs.replace(one, text=one.text[:cut]))
        cut = max(0, cut - len(one.text))
    return heard
