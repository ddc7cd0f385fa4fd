"""Handoff: a conversation passes to a person, to another person, or to another agent. Exactly one has it at any time.

Until somebody has joined, whoever has it goes on. While a person has it no agent is run. Source: TransportEvent,
`handoff.status`; the order of the steps is ours (`handoff_steps.WALK`).
"""

from typing import assert_never

from duologue.engine import endings, operators, resuming, tools
from duologue.engine.handoff_state import Handoff
from duologue.engine.handoff_steps import (
    HELD,
    WAITING,
    agent_of,
    ask,
    begin,
    move,
    path_of,
    unfit,
    unknown,
    wrong_state,
)
from duologue.engine.progress import Progress
from duologue.engine.state import SessionState
from duologue.model import limits
from duologue.model.errors import Code, Problem
from duologue.model.events import Noted
from duologue.model.handoff import HandOff, HandoffCause
from duologue.model.inputs import (
    AgentHandedOff,
    HandedBack,
    HandoffCancelled,
    HandoffConnecting,
    HandoffFailed,
    HandoffInput,
    HandoffPlaced,
    HandoffRequested,
    HandoffResolved,
    HandoffTransferred,
    OperatorHeld,
    OperatorJoined,
    OperatorReturned,
    OperatorSaid,
    SupervisorConsulted,
)
from duologue.model.replies import Accepted, Ignored, Rejected, Reply

_LEFT = "the customer left"


def take(step: Progress, happened: HandoffInput) -> Reply:
    """Take what is told of a handoff; what comes too late for it changes nothing."""
    if step.state.ended:
        return Rejected(problem=Problem(code=Code.SESSION_ENDED, message="the session has ended"))
    # Rules of escalation ask in the middle of a step.
    before = len(step.events)
    found = _do(step, happened)
    if isinstance(found, Problem):
        return Rejected(problem=found)
    if found is not None:
        return found
    return Accepted(turn=0, seq=step.events[before].seq) if len(step.events) > before else Ignored()


def _do(step: Progress, happened: HandoffInput) -> Problem | Reply | None:
    match happened:
        case HandoffRequested(cause=cause, by=by, asked=asked):
            return request(step, asked, cause=cause, by=by)
        case HandoffPlaced():
            return _placed(step, happened)
        case HandoffFailed(handoff_id=handoff_id, reason=reason):
            return _failed(step, handoff_id, reason)
        case HandoffConnecting():
            return operators.connecting(step, happened)
        case OperatorJoined():
            return operators.joined(step, happened)
        case OperatorHeld() | OperatorReturned():
            return operators.paused(step, happened)
        case OperatorSaid():
            return operators.said(step, happened)
        case HandedBack() | HandoffResolved():
            return operators.done(step, happened)
        case HandoffTransferred():
            return operators.transferred(step, happened)
        case SupervisorConsulted():
            return operators.consulted(step, happened)
        case HandoffCancelled():
            return _cancelled(step, happened)
        case _:
            assert_never(happened)


def is_open(state: SessionState) -> bool:
    """Whether somebody has the conversation, or is to have it, who has to be found again after a restart."""
    return bool(state.handoff.open_ones())


def request(step: Progress, asked: HandOff, *, cause: HandoffCause, by: str) -> Problem | None:
    """Begin to pass the conversation on. A rule that asks for what is under way already changes nothing."""
    state = step.state
    if (problem := unfit(asked) or _unaskable(asked)) is not None:
        return problem
    if (open_one := state.handoff.current) is not None:
        if cause == "rule":
            return None
        who = f"{open_one.operator.name} has it" if open_one.status in HELD and open_one.operator else open_one.status
        return wrong_state(f"a handoff is open already: {open_one.handoff_id} ({who})")
    state.handoff.current = begin(step, asked, cause=cause, by=by)
    ask(step, state.handoff.current)
    return None


def by_agent(step: Progress, item: AgentHandedOff) -> None:
    """Take an agent's wish that somebody else goes on, and end its run with what it said."""
    response = step.open_turn().response
    running, problem = tools.unreturned(response), unfit(item.asked) or _unaskable(item.asked)
    if running is not None or problem is not None:
        wrong = f"while its tool {running!r} is running" if problem is None else f"that cannot be: {problem.message}"
        endings.fail(step, code=Code.AGENT_BAD_ITEM, message=f"the agent sent a handoff {wrong}", retryable=False)
        return
    open_one = step.state.handoff.current
    if open_one is None:
        request(step, item.asked, cause="agent", by=agent_of(step.state))
    else:
        message = f"the agent wants to hand over, and {open_one.handoff_id} is open already"
        step.emit(Noted, response_id=response.response_id, category="handoff", message=message)
    endings.end(step, "completed")


def _unaskable(asked: HandOff) -> Problem | None:
    if asked.transfer not in ("human_to_human", "supervisor_consult"):
        return None
    return Problem(
        code=Code.BAD_MESSAGE,
        message=f"{asked.transfer} begins with an operator who has the conversation",
        path="$.transfer",
    )


def _placed(step: Progress, placed: HandoffPlaced) -> Problem | None:
    handoff = step.state.handoff.find(placed.handoff_id)
    if handoff is None or handoff.status not in WAITING:
        return None
    if handoff.asked.transfer == "bot_to_bot":
        if placed.agent:
            handoff.route = placed.route
            _to_agent(step, handoff, placed.agent)
        return None
    same = (handoff.position, handoff.wait_ms) == (placed.position, placed.wait_ms)
    if placed.agent or (handoff.status == "queued" and same and placed.bundle is None):
        return None
    if placed.route is not None:
        handoff.route, handoff.target = placed.route, placed.route.target
        handoff.skills, handoff.priority, handoff.only = placed.skills, placed.priority, placed.only
    handoff.position, handoff.wait_ms = placed.position, placed.wait_ms
    handoff.bundle_id = placed.bundle_id or handoff.bundle_id
    handoff.operator, handoff.connecting_ms = None, 0
    move(step, handoff, "queued", bundle=placed.bundle)
    return None


def _to_agent(step: Progress, handoff: Handoff, agent: str) -> None:
    """Let another agent go on, at once; it is not passed round within one turn."""
    state, desk = step.state, step.state.handoff
    hops = desk.hops if desk.hop_turn == state.last_turn else (path_of(state)[-1],)
    if agent in hops or len(hops) >= limits.HANDOFF_HOPS:
        _fail(step, handoff, f"the agents would pass it round: {' > '.join((*hops, agent))}")
        return
    desk.hops, desk.hop_turn = (*hops, agent), state.last_turn
    desk.path = (*path_of(state), agent)[-limits.HANDOFF_PATH :]
    state.agent_name = "" if agent == state.agent else agent
    handoff.target = agent
    move(step, handoff, "transferred")
    # The person may have gone on meanwhile: then it is their next turn that the other agent answers.
    if handoff.turn and handoff.turn == state.last_turn and (handoff.cause == "agent" or operators.unanswered(state)):
        resuming.run(step, "transferred")


def _failed(step: Progress, handoff_id: str, reason: str) -> Problem | None:
    handoff = step.state.handoff.find(handoff_id)
    if handoff is not None and handoff.status in WAITING:
        _fail(step, handoff, reason)
    return None


def _fail(step: Progress, handoff: Handoff, reason: str) -> None:
    if handoff is step.state.handoff.current:
        step.state.handoff.note = f"Nobody could take the conversation over: {reason}."
    move(step, handoff, "failed", failure=reason)


def _cancelled(step: Progress, cancelled: HandoffCancelled) -> Problem | None:
    handoff = step.state.handoff.find(cancelled.handoff_id)
    if handoff is None:
        return unknown(cancelled.handoff_id)
    if handoff.status in HELD and handoff is not step.state.handoff.consult:
        who = handoff.operator.name if handoff.operator is not None else "somebody"
        return wrong_state(f"{who} has the conversation; they may hand it back or resolve it")
    move(step, handoff, "cancelled", reason=cancelled.reason)
    return None


def end(step: Progress) -> None:
    """The session ends: whoever waits or talks is left."""
    for handoff in step.state.handoff.open_ones():
        move(step, handoff, "cancelled", reason=_LEFT)
    step.state.handoff.with_person = False
