"""The schedules themselves: a fault that is planted in the engine is found, each of a kind that a promise forbids."""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, Final

import pytest
from tests.simulation.world import SimulationError, play

from duologue.engine import (
    abandoning,
    approvals,
    deciding,
    endings,
    handoff,
    interrupts,
    legs,
    lifecycle,
    operators,
    responses,
    resuming,
    tool_calls,
    tool_requests,
    tool_walk,
    tools,
    turns,
)
from duologue.engine.progress import Progress
from duologue.engine.state import OpenTurn, SessionState
from duologue.engine.tools_state import ServerCall
from duologue.model.effects import RunAgent, RunTool
from duologue.model.inputs import AgentInput, OperatorJoined, UserTurn
from duologue.model.tools import ApprovalDecided, ToolSpec

SEEDS: Final = 400
"""Schedules until a planted fault has to be found; most are within the first ten."""

STEPS: Final = 250

Plant = Callable[[pytest.MonkeyPatch], None]


# Any: the fault stands in for a function of any shape.
def _nothing(*_: Any, **__: Any) -> None:
    """Do nothing where something has to be done."""


def all_is_harmless(patch: pytest.MonkeyPatch) -> None:
    """After a crash everything is carried out once more."""

    def harmless(_: ToolSpec) -> bool:
        return True

    patch.setattr(tool_calls, "_harmless", harmless)


def an_order_twice(patch: pytest.MonkeyPatch) -> None:
    """What is let run is ordered twice."""
    once = tool_walk.order

    def twice(progress: Progress, call: ServerCall) -> None:
        once(progress, call)
        progress.effects.append(next(one for one in reversed(progress.effects) if isinstance(one, RunTool)))

    patch.setattr(tool_walk, "order", twice)


def no_duplicates(patch: pytest.MonkeyPatch) -> None:
    """A call with the key of an earlier one runs as well."""

    def none(*_: object, **__: object) -> bool:
        return False

    patch.setattr(tool_requests, "_duplicate", none)


def late_decisions(patch: pytest.MonkeyPatch) -> None:
    """What has expired can still be decided, as long as nobody has noticed."""
    right = approvals.objection

    def late(state: SessionState, decision: ApprovalDecided, now_ms: int) -> object:
        call = approvals.find(state, decision.approval_id)
        return right(state, decision, 0 if call is not None else now_ms)

    patch.setattr(approvals, "objection", late)


def anybody_decides(patch: pytest.MonkeyPatch) -> None:
    """Whoever decides is who may."""

    def fine(state: SessionState, decision: ApprovalDecided, _: int) -> object:
        return None if approvals.find(state, decision.approval_id) else approvals.changed("$")

    patch.setattr(approvals, "objection", fine)


def words_that_come_too_late(patch: pytest.MonkeyPatch) -> None:
    """A yes counts although its time is over, as long as nobody has noticed."""
    right = deciding.by_words

    # Any: passed on as it is.
    def late(state: SessionState, said: UserTurn, *, now_ms: int) -> Any:
        return right(state, said, now_ms=min(now_ms, 0))

    patch.setattr(deciding, "by_words", late)


def who_talks_with_a_person_gives_up_calls(patch: pytest.MonkeyPatch) -> None:
    """What the agent waits for is lost when the person says something to somebody else."""
    right = tools.settle

    # Any: passed on as it is.
    def settle(state: SessionState, said: UserTurn, *, turn: int, **_: bool) -> Any:
        return right(state, said, turn=turn, keep=False)

    patch.setattr(tools, "settle", settle)


def silence_is_a_yes(patch: pytest.MonkeyPatch) -> None:
    """Who writes on has let it run."""

    def yes(_: object) -> bool:
        return True

    patch.setattr(approvals, "approves", yes)


def a_restart_forgets(patch: pytest.MonkeyPatch) -> None:
    """Nobody is asked any more after a crash."""
    right = tool_calls.restarted

    def forget(progress: Progress) -> None:
        right(progress)
        _close_all(progress)

    patch.setattr(lifecycle, "tool_calls", SimpleNamespace(**{**vars(tool_calls), "restarted": forget}))


def a_takeover_denies(patch: pytest.MonkeyPatch) -> None:
    """Whatever waits for somebody is denied when an operator joins."""
    right = operators.joined

    def joined(progress: Progress, taken: OperatorJoined) -> object:
        problem = right(progress, taken)
        if progress.events:
            _close_all(progress)
        return problem

    patch.setattr(operators, "joined", joined)


def _close_all(progress: Progress) -> None:
    for call in [one for one in progress.state.tools.calls if approvals.find(progress.state, _id_of(one))]:
        approvals.closed(progress, call, "given_up")
        interrupts.take_out(progress.state, _id_of(call))
        tool_walk.settle(progress, call, "denied", "gone", is_error=True, code="given_up")


def _id_of(call: ServerCall) -> str:
    return "" if call.approval is None else call.approval.approval_id


def what_is_given_up_still_waits(patch: pytest.MonkeyPatch) -> None:
    """The tools of an answer that was cut short can still be let run."""
    patch.setattr(endings, "abandoning", SimpleNamespace(**{**vars(abandoning), "leave": _nothing}))


def the_agent_goes_on_beside_a_person(patch: pytest.MonkeyPatch) -> None:
    """What begins by itself begins, whoever has the conversation."""

    def may(state: SessionState, _: object) -> bool:
        return not state.ended and state.open is None and not state.interrupts

    patch.setattr(resuming, "may_begin", may)


def a_turn_is_not_passed_on(patch: pytest.MonkeyPatch) -> None:
    """The agent answers what is said to a person."""

    def answer(progress: Progress, _: object) -> None:
        turns.starting.start(progress)

    patch.setattr(turns, "_pass_on", answer)


def nobody_ends_the_answer(patch: pytest.MonkeyPatch) -> None:
    """An operator joins in the middle of an answer, and it goes on."""
    patch.setattr(operators, "endings", SimpleNamespace(end=_nothing))


def anybody_speaks(patch: pytest.MonkeyPatch) -> None:
    """Who has not taken the conversation answers in it."""
    # Any: private, and passed on as it is.
    right: Callable[..., Any] = vars(operators)["_held"]

    def held(progress: Progress, handoff_id: str, _: str) -> object:
        current = progress.state.handoff.current
        taker = None if current is None else current.operator
        return right(progress, handoff_id, "" if taker is None else taker.operator_id)

    patch.setattr(operators, "_held", held)


def a_handoff_is_forgotten(patch: pytest.MonkeyPatch) -> None:
    """A session ends, and somebody still waits."""
    patch.setattr(lifecycle, "handoff", SimpleNamespace(**{**vars(handoff), "end": _nothing}))


def an_old_run_is_heard(patch: pytest.MonkeyPatch) -> None:
    """A run that was stopped goes on in the answer that followed."""
    right = responses.take

    def take(progress: Progress, item: AgentInput) -> bool:
        turn = progress.state.open
        if turn is not None and item.response_id != turn.response.response_id and hasattr(item, "text"):
            turn.response.response_id, kept = item.response_id, turn.response.response_id
            try:
                return right(progress, item)
            finally:
                turn.response.response_id = kept
        return right(progress, item)

    patch.setattr(responses, "take", take)


def an_unclear_yes(patch: pytest.MonkeyPatch) -> None:
    """Whatever the person says lets it run."""

    def yes(*_: object) -> str:
        return "yes"

    patch.setattr(deciding, "assent", SimpleNamespace(verdict=yes, again=deciding.assent.again))


def a_run_too_many(patch: pytest.MonkeyPatch) -> None:
    """An answer that waits for a tool is run meanwhile as well."""
    right = legs.run_over

    # Any: passed on as it is.
    def over(progress: Progress, **given: Any) -> None:
        right(progress, **given)
        turn: OpenTurn | None = progress.state.open
        if turn is not None and turn.response.waiting:
            request = legs.starting.request_for(progress.state, turn)
            progress.effects.append(RunAgent(request=request))

    patch.setattr(legs, "run_over", over)


def chance_in_the_engine(patch: pytest.MonkeyPatch) -> None:
    """The same inputs give other events the next time."""
    numbers: Iterator[int] = iter(range(10**9))

    def digest(name: str, _: str) -> str:
        return f"{name}{next(numbers)}"

    patch.setattr(tool_walk, "digest", digest)


KEPT_WAITING: Final = "waits for them|stays asked|what the agent is told|a pending approval stays"
SAID: Final = "what became of each open interrupt|nobody approved|after its time|it is asked once more"
ONE_RUN: Final = "the run of another turn|what is carried out comes first|one run at a time"

PLANTED: Final[dict[Plant, str]] = {
    all_is_harmless: "nothing is done twice",
    an_order_twice: "one order for each call that is carried out",
    no_duplicates: "the same is done once",
    late_decisions: "not approval_expired",
    anybody_decides: "a decision: ",
    words_that_come_too_late: SAID,
    silence_is_a_yes: SAID,
    an_unclear_yes: SAID,
    a_restart_forgets: KEPT_WAITING,
    a_takeover_denies: KEPT_WAITING,
    who_talks_with_a_person_gives_up_calls: "which calls are still waited for",
    what_is_given_up_still_waits: "SIM_SEED",
    the_agent_goes_on_beside_a_person: "no agent is run while a person has the conversation",
    a_turn_is_not_passed_on: "no agent is run while a person has the conversation",
    nobody_ends_the_answer: "the agent's answer ends before a person has it",
    anybody_speaks: "only who has it speaks",
    a_handoff_is_forgotten: "nobody is left behind",
    an_old_run_is_heard: "what the open run says is taken, and nothing else",
    a_run_too_many: ONE_RUN,
    chance_in_the_engine: "replays differently",
}
"""Each fault, and how it may show: the schedules decide which of its faces comes first."""


@pytest.mark.parametrize(
    ("plant", "found"), [pytest.param(plant, found, id=plant.__name__) for plant, found in PLANTED.items()]
)
def test_a_planted_fault_is_found(plant: Plant, found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    with pytest.raises(SimulationError, match=found):
        play_until_found()


def play_until_found() -> None:
    """Play one schedule after the other."""
    for seed in range(SEEDS):
        play(seed, steps=STEPS)
