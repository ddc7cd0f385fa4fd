"""Turns that are taken up again by something else than a message of the person's: the only way to begin so.

Turn numbers are the clients'. What begins by itself takes none: it re-opens the last turn, which gets another response
and another end. One is open at a time; what comes meanwhile is due, and taken up when the open one has ended.
"""

from collections.abc import Callable

from duologue.engine import asking, endings, legs, saying, speaking, starting, tiers
from duologue.engine.call_state import Speaking
from duologue.engine.progress import Progress
from duologue.engine.state import Due, OpenTurn, SessionState
from duologue.model.content import Answer, Interrupt, ToolResult
from duologue.model.events import TurnResumed
from duologue.model.resuming import ResumeCause


def may_begin(state: SessionState, cause: ResumeCause) -> bool:
    """Whether the last turn can be taken up again now.

    Nobody is interrupted for it: no answer, and nobody who is speaking. The agent waits as well while the person is
    asked something, and while a person has the conversation in its place; who only hears, and was asked before that
    person came, is asked again.
    """
    if cause == "operator":
        return _silent(state)
    return idle(state) and (not state.interrupts or (cause == "handed_back" and asks_again(state)))


def asks_again(state: SessionState) -> bool:
    """Whether somebody in a call is asked something that they can be told once more."""
    return state.call is not None and bool(asking.again(state))


def idle(state: SessionState) -> bool:
    """Whether nobody is answered, nobody speaks, and the agent has the conversation."""
    return _silent(state) and not state.handoff.with_person


def _silent(state: SessionState) -> bool:
    return not state.ended and state.open is None and (state.call is None or state.call.utterance is None)


def run(step: Progress, cause: ResumeCause) -> None:
    """Take the last turn up again and run the agent, now or as soon as it can be."""
    owe(step, cause)
    take_up(step)


def say(step: Progress, cause: ResumeCause, text: str, *, author: str) -> None:
    """Take the last turn up again and let somebody say something whole in the agent's place, now or once it can be."""
    if not step.state.ended:
        step.state.due.append(Due(cause=cause, text=text, author=author))
        take_up(step)


def owe(
    step: Progress,
    cause: ResumeCause,
    *,
    results: tuple[ToolResult, ...] = (),
    answers: tuple[Answer, ...] = (),
    interrupts: tuple[Interrupt, ...] = (),
) -> None:
    """Note that the agent is to be run, and what it is to be told then; it is taken up with the end of the step."""
    if not step.state.ended:
        due = Due(cause=cause, results=results, answers=answers, interrupts=interrupts)
        step.state.due.append(due)


def open_for(step: Progress, cause: ResumeCause) -> OpenTurn | None:
    """Open the last turn again, where it can be, for something that is about to be told in it.

    It waits then, with all that was due before: `legs.go_on` runs the agent.
    """
    return _run_due(step, begin(step, cause)) if may_begin(step.state, cause) else None


def begin(step: Progress, cause: ResumeCause, *, author: str = "") -> OpenTurn:
    """Open the last turn again, with a response that waits: for its first run, or for what its author says.

    The caller has made sure by `may_begin` that it can be.
    """
    state, last, call = step.state, step.state.last, step.state.call
    assert may_begin(state, cause), "the last turn cannot be taken up now"
    if state.state != "idle":
        step.move("cancel")
    step.move("user_sends_text")
    response = starting.opening(state, attempt=1, now_ms=step.now_ms)
    response.leg, response.waiting = 0, True
    # Who lets the agent go on lets it finish what it had asked about; a client's calls wait for the client.
    own = [] if author else [known for known in state.calls if known.call.runs_on == "agent"]
    state.calls = [known for known in state.calls if author or known.call.runs_on != "agent"]
    response.repeatable = all(known.repeatable for known in own)
    state.open = turn = OpenTurn(
        number=last.number,
        request_id=last.request_id,
        said=last.said,
        response=response,
        calls=own,
        voice=None if call is None else Speaking(call_id=call.call_id, accepted_ms=step.now_ms),
        resumed=cause,
        author=author,
        since=last.since,
        asks=last.asks,
    )
    if not author:
        tiers.again(state, response)
        _await_again(state)
    step.emit(TurnResumed, cause=cause, author=author)
    turn.began_seq = state.seq
    starting.announce(step)
    speaking.start(step)
    return turn


def _await_again(state: SessionState) -> None:
    """Wait for the tools of the turn that still run though its answer was given up: a run would call them once more."""
    for call in state.tools.calls:
        if call.left and call.turn == state.last.number:
            call.awaited, call.left = True, False


def take_up(step: Progress) -> None:
    """Take up what is due, as far as it can be and in order; one run of the agent is for all that it is due for."""
    state = step.state
    while (place := _next(state)) is not None:
        due = state.due[place]
        turn = begin(step, due.cause, author=due.author)
        if due.text:
            del state.due[place]
            saying.speak(step, turn, due.text)
            if state.open is turn:
                endings.end(step, "completed")
        elif state.interrupts:
            # What the agent is due for besides waits for the answer.
            del state.due[place]
            asking.repeat(step, turn)
        else:
            _run_due(step, turn)
            legs.go_on(step)


def _run_due(step: Progress, turn: OpenTurn) -> OpenTurn:
    """Give the run of an open turn all that it was due for."""
    for due in take_out(step.state, lambda due: not due.text):
        turn.news += due.results
        turn.answers, turn.interrupts = (*turn.answers, *due.answers), (*turn.interrupts, *due.interrupts)
    return turn


def take_out(state: SessionState, which: Callable[[Due], bool]) -> list[Due]:
    """Take some out of what is due."""
    taken = [due for due in state.due if which(due)]
    state.due = [due for due in state.due if not which(due)]
    return taken


def _next(state: SessionState) -> int | None:
    """The place of what is taken up next; `None` where nothing can be."""
    return next((place for place, due in enumerate(state.due) if may_begin(state, due.cause)), None)


def waits(state: SessionState) -> bool:
    """Whether something is open between turns that has to be found again after a restart, and has its time."""
    if state.ended:
        return False
    return bool(state.tools.calls or state.observations.open or state.due or state.handoff.open_ones())


def unfinished(state: SessionState) -> bool:
    """Whether a session is loaded on start: a turn is open, or something else is."""
    return state.open is not None or waits(state)
