"""Responses: how a run begins."""

from collections.abc import Sequence

from duologue.engine import history, speaking, tiers, tools
from duologue.engine.progress import Progress
from duologue.engine.signals_session import latest
from duologue.engine.state import OpenCall, OpenResponse, OpenTurn, SessionState
from duologue.model.agent import AgentRequest
from duologue.model.content import ContextItem
from duologue.model.effects import ReleaseAnswer, RunAgent
from duologue.model.events import ResponseStarted


def next_id(state: SessionState) -> str:
    """Take the next response id of a session; none is used twice."""
    state.responses += 1
    return f"response-{state.responses}"


def opening(state: SessionState, *, attempt: int, now_ms: int, prepared: str | None = None) -> OpenResponse:
    """Make the next response of a session; `prepared` is the id of one that was ordered early."""
    return OpenResponse(response_id=prepared or next_id(state), attempt=attempt, started_ms=now_ms, last_item_ms=now_ms)


def start(
    step: Progress,
    answered: Sequence[OpenCall] = (),
    *,
    prepared: bool = False,
    waits: bool = False,
    replaces: str = "",
) -> None:
    """Announce the open turn's response and order its run; or, where the gate is to judge the turn, that first.

    Args:
        answered: the client's calls that have returned.
        prepared: the run was ordered early, under this response's id.
        waits: the run is not ordered yet: there is something to wait for, and `legs.go_on` does it then.
        replaces: the response whose place it takes.
    """
    turn = step.open_turn()
    to_be_judged = tiers.route(step)
    announce(step, replaces=replaces)
    if answered:
        turn.results = tools.show_results(step, answered)
    speaking.start(step)
    if waits:
        turn.response.waiting, turn.response.leg = True, 0
    elif to_be_judged:
        tiers.ask(step)
    else:
        order(step, prepared=prepared)


def order(step: Progress, *, prepared: bool = False) -> None:
    """Order the open response's run; see `start`."""
    state, turn = step.state, step.open_turn()
    turn.response.watched = tiers.upgradable(state, turn, "hedging") is not None
    request = request_for(state, turn)
    if prepared and turn.voice is not None:
        step.effects.append(ReleaseAnswer(call_id=turn.voice.call_id, request=request))
    else:
        step.effects.append(RunAgent(request=request))


def announce(step: Progress, *, replaces: str = "") -> None:
    """Announce the open turn's response; `replaces` is the one whose place it takes."""
    response = step.open_turn().response
    step.emit(
        ResponseStarted,
        session_id=step.state.session_id,
        response_id=response.response_id,
        tier=tiers.tier_of(step.state, response),
        attempt=response.attempt,
        author=step.open_turn().author,
        agent="" if step.open_turn().author else step.state.agent_name,
        replaces=replaces,
    )


def request_for(state: SessionState, turn: OpenTurn) -> AgentRequest:
    """What the agent is asked in a turn."""
    continued = history.continued(turn)
    said, so_far = turn.asks or turn.said, history.so_far(state, turn)
    return AgentRequest(
        session_id=state.session_id,
        subject=state.subject,
        response_id=turn.response.response_id,
        turn=turn.number,
        text=said.text,
        source=said.source,
        language=state.language,
        history=tuple(history.until(state, turn.since) if continued else state.history),
        context=(*said.context, *handoff_context(state)),
        attachments=said.attachments,
        observation=said.observation,
        speech=said.speech,
        modalities=state.modalities,
        request_id=turn.request_id,
        message_id=said.message_id or turn.request_id,
        tools=said.tools,
        tool_results=turn.results,
        resume=turn.answers,
        interrupts=turn.interrupts,
        state=said.state,
        forwarded_props=said.forwarded_props,
        leg=turn.response.leg,
        so_far=so_far,
        resumed=(turn.resumed or "approval") if continued else "",
        agent=state.agent_name,
        signals=latest(state.signals),
        tier=tiers.tier_of(state, turn.response),
    )


def handoff_context(state: SessionState) -> tuple[ContextItem, ...]:
    """What the agent is told of the last handoff, as data."""
    note = state.handoff.note
    return (ContextItem(description="From the last handoff of this conversation", value=note),) if note else ()
