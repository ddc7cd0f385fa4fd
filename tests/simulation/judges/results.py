"""Calls of tools within answers, and what they return: each once, where it was called."""

import msgspec
from tests.simulation.judges.known import Known
from tests.simulation.judges.questions import give_up
from tests.simulation.judges.remembering import note_status, part_of

from duologue.model import events as e
from duologue.model.content import (
    ToolCall,
)
from duologue.model.inputs import (
    AgentCalled,
    AgentRequested,
    AnyInput,
)


def called(known: Known, event: e.ToolCalled, happened: AnyInput) -> None:
    """Judge the begin of a call, whoever runs it."""
    assert event.response_id == known.response and not known.text_open, "a call within a text"
    open_ones = known.own_calls | known.waiting | known.carried | known.kept_waiting
    assert event.call_id not in open_ones, "a call twice"
    if event.runs_on == "server":
        known.tools.called(event, happened, turn=known.turn)
    elif event.runs_on == "client":
        offered = {tool.name for tool in known.taken[-1][2].tools}
        assert isinstance(happened, AgentRequested) and event.name in offered, "a tool that nobody offered"
        known.waiting.add(event.call_id)
    else:
        known.own_calls.add(event.call_id)
        repeatable = isinstance(happened, AgentCalled) and happened.repeatable
        known.harmless = known.harmless and repeatable
        known.risky -= {event.call_id}
        known.risky |= set() if repeatable else {event.call_id}
    if not known.parts or (known.parts[-1].calls and all(one.result is not None for one in known.parts[-1].calls)):
        known.parts.append(part_of(event.call_id, known.turn))
    assert event.message_id == (known.parts[-1].message_id if known.parts[-1].text else ""), "the words before"
    made = ToolCall(call_id=event.call_id, name=event.name, arguments=event.arguments, runs_on=event.runs_on)
    last = known.parts[-1]
    known.parts[-1] = msgspec.structs.replace(last, calls=(*last.calls, made))


def returned(known: Known, event: e.ToolReturned) -> None:
    """Judge what a client's tool, or one of the agent's own, returned."""
    assert event.response_id == known.response, "a result outside of its response"
    own = event.runs_on == "agent"
    messages = known.history if event.earlier else known.parts
    if own and event.earlier:
        assert event.call_id in known.carried, "a result of a call that is not open"
        known.carried.discard(event.call_id)
        known.done_calls.add(event.call_id)
    elif own:
        assert event.call_id in known.own_calls, "a result of a call that is not open"
        known.own_calls.discard(event.call_id)
    elif not event.earlier:
        # The run is lost: what it asked for is not to be run any more.
        assert event.call_id in known.waiting and event.is_error, "only a lost call returns in its own run"
        known.waiting.discard(event.call_id)
    else:
        given = known.results.pop(event.call_id)
        messages = known.history
        assert (event.result, event.is_error) == (given.content, given.is_error), "what the client sent"
    places = [place for place, one in enumerate(messages) if event.call_id in {call.call_id for call in one.calls}]
    if places:
        calls = tuple(
            msgspec.structs.replace(
                call,
                result=event.result,
                is_error=event.is_error,
                result_id=known.result_ids.get(call.call_id, "") if event.earlier else "",
                result_turn=known.turn if event.earlier else 0,
            )
            if call.call_id == event.call_id
            else call
            for call in messages[places[-1]].calls
        )
        messages[places[-1]] = msgspec.structs.replace(messages[places[-1]], calls=calls)


def server_returned(known: Known, event: e.ToolReturned, happened: AnyInput) -> None:
    """Judge the end of a call of the registry's, in the answer that called it or after that."""
    known.done_calls.add(event.call_id)
    give_up(known, event)
    call = known.tools.returned(event, happened)
    known.came.append(call)
    assert event.response_id == (known.response or call.response), "the open answer, or its own"
    assert event.earlier == (known.response != call.response), "of an answer that is over"
    check_turn(known, event)
    for messages in (known.parts if known.response == call.response else [], known.earlier, known.history):
        places = [place for place, one in enumerate(messages) if event.call_id in {made.call_id for made in one.calls}]
        if places:
            calls = tuple(
                msgspec.structs.replace(
                    made,
                    result=event.result,
                    is_error=event.is_error,
                    result_turn=known.turn if known.turn > call.turn else 0,
                    status=event.status or "",
                )
                if made.call_id == event.call_id
                else made
                for made in messages[places[-1]].calls
            )
            messages[places[-1]] = msgspec.structs.replace(messages[places[-1]], calls=calls)
            return


def check_turn(known: Known, event: e.ToolMoved | e.ToolReturned) -> None:
    """A call's steps belong to the open turn, or else to its own."""
    if known.turn:
        assert (event.turn, event.request_id) == (known.turn, known.request_id), "the turn that it belongs to"
    else:
        assert 0 < event.turn <= known.last_turn, "the turn of the call"


def tool_moved(known: Known, event: e.ToolMoved, happened: AnyInput) -> None:
    """Judge a step of a call of the registry's that is not its last."""
    known.tools.moved(event, happened, response=known.response)
    if event.response_id == known.response:
        note_status(known, event.call_id, event.status)
    check_turn(known, event)
