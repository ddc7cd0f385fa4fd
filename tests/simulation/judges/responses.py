"""Answers: how they begin, what is said in them, and how they end; one is open at a time."""

from tests.simulation.judges.known import Known
from tests.simulation.judges.questions import close_singly, judge_questions, note_observations
from tests.simulation.judges.remembering import kept_of_lost_run

from duologue.model import events as e
from duologue.model import limits
from duologue.model.content import (
    Figures,
)
from duologue.model.inputs import (
    AgentAsked,
    AgentCancelled,
    AgentFinished,
    AnyInput,
)


def response_begins(known: Known, event: e.ResponseStarted) -> None:
    """Judge the begin of an answer."""
    known.voided = event.response_id if known.voice.held else ""
    known.started.append(event.response_id)
    assert known.turn and not known.response, "one response at a time, within a turn"
    assert known.closing is None and (known.retrying or not known.failed), "a response after the last"
    known.attempt += 1
    known.voice.answered_anew()
    assert event.attempt == known.attempt, "the attempts are counted"
    assert known.attempt - known.voice.extended <= limits.RUN_ATTEMPTS, "and bounded"
    assert event.response_id not in known.used, "response ids are never used twice"
    known.used.add(event.response_id)
    known.last_response = event.response_id
    known.response, known.started_ms = event.response_id, event.at_ms
    known.first_ms, known.pieces, known.length = None, [], 0
    known.told_whole = known.no_tokens = known.running = False
    known.being_said = set()
    known.legs = 0
    if event.attempt > 1:
        # What the registry's tools have done is kept beside.
        known.done_calls |= {one.call_id for message in known.parts for one in message.calls}
    known.parts, known.own_calls, known.waiting = [], set(), set()
    known.failed = known.retrying = known.stopped_within = False
    known.asked_cut = None


def response_is_made(known: Known, event: e.AnswerCompleted, happened: AnyInput) -> None:
    """Note that all of an answer was made, and that it is still being heard."""
    known.made_at = known.at_ms, happened
    known.running = False
    note_observations(known, event.interrupts)
    known.being_said = {one.interrupt_id for one in event.interrupts}


def leg_ends(known: Known, event: e.LegEnded) -> None:
    """Judge the end of a run whose answer goes on."""
    assert event.response_id == known.response and known.running, "the end of a run that is on"
    assert not known.text_open and event.leg == known.legs
    known.running, known.no_tokens = False, True


def response_fails(known: Known, event: e.ResponseFailed, happened: AnyInput) -> None:
    """Judge a failure, and whether the turn may be run again."""
    assert event.open_message == (known.parts[-1].message_id if known.text_open else "")
    assert known.harmless or not event.will_retry, "what must not run twice is not run again"
    if event.will_retry:
        known.earlier += kept_of_lost_run(known)
    known.retried = event.will_retry
    _is_over(known, event.response_id, None, happened)
    known.retried, known.stuck = False, event.response_id
    known.failed, known.retrying, known.failing = True, event.will_retry, True
    known.cut_now.append(event.response_id)
    known.text_open = False


def response_ends(known: Known, event: e.ResponseEnded, happened: AnyInput) -> bool:
    """Judge any other end; true where the turn goes on, and its own end says to which turn it belongs."""
    assert not known.text_open, "the text is completed before its response"
    if event.response_id == known.voided:
        # The turn was cut short while it waited: it has an end to tell, and there is no run.
        assert event.figures == known.held_figures and event.heard == known.voice.cut_at
        known.started.remove(event.response_id)
        known.response, known.closing = "", event.figures
        return True
    _is_over(known, event.response_id, event.figures, happened)
    if event.superseded:
        assert not known.pieces and event.outcome == "interrupted", "what was shown is not taken back"
        known.voice.superseded()
        known.held_figures, known.closing = event.figures, None
        known.stopped.append(event.response_id)
        known.cut_now.append(event.response_id)
        return True
    if isinstance(happened, AgentCancelled):
        assert event.outcome == "cancelled", "what the agent cancelled is no success"
    _judge_asking(known, event, happened)
    untold = event.outcome in ("completed", "asked") and not known.told_whole
    assert event.text == ("".join(known.pieces) if untold else ""), "a whole answer is told once"
    if event.outcome in ("completed", "asked"):
        _ends_whole(known, event)
    elif event.outcome == "passed":
        assert known.desk.holder and not known.author, "only a person is passed a turn"
        assert not known.running and event.heard is None, "nobody is run for it"
        known.passed = True
    else:
        assert event.heard == known.voice.cut_at, "how much was heard"
        known.cut_now.append(event.response_id)
        known.stopped += [] if known.voice.made else [event.response_id]
    return False


def _judge_asking(known: Known, event: e.ResponseEnded, happened: AnyInput) -> None:
    """Judge what an answer asks for; a question may be cut short, and counts."""
    made = known.made_at[1] if known.made_at is not None else happened
    assert (event.outcome == "asked") == bool(event.interrupts)
    if isinstance(made, AgentAsked) and not known.tools.waits and event.outcome in ("asked", "completed"):
        assert event.interrupts, "what the agent asks for is asked"
    note_observations(known, event.interrupts)
    judge_questions(known, event)
    known.asked_cut = event.heard if event.outcome == "asked" else None
    if known.asked_cut is not None:
        assert known.voice.made and known.asked_cut == known.voice.cut_at, "a question that was cut short"
        known.cut_now.append(event.response_id)


def _ends_whole(known: Known, event: e.ResponseEnded) -> None:
    finished = event.outcome == "completed" and not known.stopped_within
    assert not (finished and known.own_calls), "a tool of its own is still running"
    assert set(event.pending_calls) == known.waiting, "which calls wait for a client"
    assert not (known.author and event.interrupts), "an operator asks nothing in the agent's place"
    if not known.author:
        known.interrupts = {one.interrupt_id: one for one in event.interrupts}
    close_singly(known)
    known.asked_now = event.interrupts
    # Who passes the conversation on may have said nothing that could be played; a question always can.
    audible = known.before == "speaking" or event.outcome == "asked"
    plays = known.client_plays and not known.voice.call_id and audible
    assert (event.state == "speaking") == plays, "who plays says when it is done"


def _is_over(known: Known, response_id: str, figures: Figures | None, happened: AnyInput) -> None:
    assert response_id == known.response, "the end of another response"
    known.running = False
    if not known.retried:
        known.tools.left()
    known.response, known.closing = "", figures
    if known.made_at is not None:
        # Figures are of the making, and not of the hearing.
        at_ms, happened = known.made_at
        if figures is not None:
            _judge_figures(known, figures, happened, at_ms=at_ms)
        return
    if figures is not None:
        _judge_figures(known, figures, happened, at_ms=known.at_ms)


def _judge_figures(known: Known, figures: Figures, happened: AnyInput, *, at_ms: int) -> None:
    told = happened.total_tokens if isinstance(happened, AgentFinished) else None
    if told is None and isinstance(happened, AgentFinished | AgentAsked | AgentCancelled):
        written = [one.output_tokens for one in happened.usage if one.output_tokens is not None]
        told = sum(written) if written else None
    first_ms = known.first_ms
    assert figures.duration_ms == at_ms - known.started_ms, "the duration"
    assert figures.ttft_ms == (None if first_ms is None else first_ms - known.started_ms), "the first text"
    # Of several runs they are summed up; the unit tests say how.
    assert known.no_tokens or figures.total_tokens == (len(known.pieces) if told is None else told), "the tokens"
    assert figures.tps >= 0, "the speed"
