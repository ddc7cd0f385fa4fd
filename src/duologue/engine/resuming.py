"""Turns that are taken up again by something else than a message of the person's: the only way to begin so.

Turn numbers are the clients'. What begins by itself takes none: it re-opens the last turn, which gets another response
and another end. One is open at a time; what comes meanwhile is due, and taken up when the open one has ended.
"""

from duologue.engine import endings, saying, speaking, starting, tiers
from duologue.engine.call_state import Speaking
from duologue.engine.progress import Progress
from duologue.engine.state import Due, OpenTurn, SessionState
from duologue.model.effects import RunAgent
from duologue.model.events import TurnResumed
from duologue.model.resuming import ResumeCause


def may_begin(state: SessionState, cause: ResumeCause) -> bool:
    """Whether the last turn can be taken up again now.

    Nobody is interrupted for it: no answer, and nobody who is speaking. The agent waits as well while the person is
    asked something, and while a person has the conversation in its place.
    """
    if state.ended or state.open is not None or (state.call is not None and state.call.utterance is not None):
        return False
    return cause == "operator" or not (state.interrupts or state.handoff.with_person)


def run(step: Progress, cause: ResumeCause) -> None:
    """Take the last turn up again and run the agent, now or as soon as it can be."""
    if not step.state.ended:
        step.state.due.append(Due(cause=cause))
        take_up(step)


def say(step: Progress, cause: ResumeCause, text: str, *, author: str) -> None:
    """Take the last turn up again and let somebody say something whole in the agent's place, now or once it can be."""
    if not step.state.ended:
        step.state.due.append(Due(cause=cause, text=text, author=author))
        take_up(step)


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
    state.open = turn = OpenTurn(
        number=last.number,
        request_id=last.request_id,
        said=last.said,
        response=response,
        voice=None if call is None else Speaking(call_id=call.call_id, accepted_ms=step.now_ms),
        resumed=cause,
        author=author,
        since=last.since,
    )
    if not author:
        tiers.again(state, response)
    step.emit(TurnResumed, cause=cause, author=author)
    starting.announce(step)
    speaking.start(step)
    return turn


def take_up(step: Progress) -> None:
    """Take up what is due, as far as it can be and in order; one run of the agent is for all that it is due for."""
    state = step.state
    while (place := _next(state)) is not None:
        due = state.due.pop(place)
        turn = begin(step, due.cause, author=due.author)
        if due.text:
            saying.speak(step, turn, due.text)
            if state.open is turn:
                endings.end(step, "completed")
        else:
            state.due = [one for one in state.due if one.text]
            turn.response.leg, turn.response.waiting = 1, False
            step.effects.append(RunAgent(request=starting.request_for(state, turn)))


def _next(state: SessionState) -> int | None:
    """The place of what is taken up next; `None` where nothing can be."""
    return next((place for place, due in enumerate(state.due) if may_begin(state, due.cause)), None)
