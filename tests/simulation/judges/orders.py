"""What is ordered: one run for each answer, stopped where it is cut short; and when a run is taken to be stuck."""

from typing import get_args

from tests.simulation.judges.known import Known
from tests.simulation.judges.remembering import told_to_agent

from duologue.engine.step import Stepped
from duologue.model import events as e
from duologue.model.agent import AgentRequest
from duologue.model.effects import (
    CloseHandoff,
    PlaceHandoff,
    ReleaseAnswer,
    RunAgent,
    RunTool,
    StopAgent,
    StopTool,
    VoiceEffect,
)
from duologue.model.inputs import (
    AgentRequested,
    AnyInput,
)


def judge_orders(known: Known, stepped: Stepped, happened: AnyInput, *, stuck: bool) -> None:
    """One run for each response that began; a run is stopped where its response is cut short or stuck."""
    runs: list[str] = []
    stops: list[str] = []
    for effect in stepped.effects:
        match effect:
            case RunAgent(request=request) | ReleaseAnswer(request=request):
                runs.append(request.response_id)
                _run_begins(known, request)
            case StopAgent(response_id=response_id):
                stops.append(response_id)
            case RunTool() | StopTool() | PlaceHandoff() | CloseHandoff():
                pass
            case _:
                assert isinstance(effect, get_args(VoiceEffect))
    for name in known.started:
        waits = name != known.response or known.tools.waits or known.voice.made
        assert name in runs or waits, "each response has a run, unless it waits for what is carried out"
    due = [known.stuck] if stuck else known.stopped
    if isinstance(happened, AgentRequested) and happened.waits and not known.failing:
        # The run waits for somebody who has to let a tool run: it is over.
        over = bool(known.kinds & {e.ResponseEnded, e.LegEnded, e.AnswerCompleted})
        due = stops if over else due
        # What its own tools have done it cannot tell any more.
        known.stopped_within = known.stopped_within or over
    assert stops == due, "one stop for each response that is cut short"
    idle = known.response and not known.running and not known.voice.held and not known.voice.made
    assert not idle or known.tools.waits, "an answer without a run waits for something"
    known.voice.orders(stepped.effects, cut=known.cut_now)


def _run_begins(known: Known, request: AgentRequest) -> None:
    """Judge what the agent is asked."""
    assert request.response_id == known.response and not known.running, "one run at a time, of the open answer"
    assert not known.tools.waits, "what is carried out comes first"
    known.running, known.legs = True, known.legs + 1
    known.heard_ms = known.at_ms
    assert (request.turn, request.leg) == (known.turn, known.legs), "the run of another turn"
    assert request.resume == known.answers, "what became of the interrupts"
    assert [one.interrupt_id for one in request.interrupts] == [one.interrupt_id for one in known.answers], (
        "the interrupts that were answered"
    )
    told, so_far = told_to_agent(known)
    assert request.history[-4:] == tuple(told[-4:]), "what the agent is told"
    assert len(request.history) == len(told)
    assert list(request.so_far) == so_far, "what it has said and done of this"
    assert bool(request.resumed) == (known.resumed or known.continued)


def due_ms(known: Known) -> int | None:
    """When something comes to its end by itself: a run, a call, an observation; `None` where nothing does."""
    if known.ended:
        return None
    dues = [_run_due_ms(known), known.tools.due_ms]
    if len(known.interrupts) == 1 and not known.turn and not known.desk.holder:
        dues += [until_ms for name, (_, until_ms) in known.observed.items() if name in known.interrupts]
    return min((one for one in dues if one is not None), default=None)


def _run_due_ms(known: Known) -> int | None:
    if not known.response or known.voice.made:
        return None
    if not known.running or known.tools.within:
        return known.started_ms + known.response_ms
    return min(known.heard_ms + known.silence_ms, known.started_ms + known.response_ms)
