"""The judge itself: whatever a broken engine could do is noticed."""

import pytest
from tests.simulation.tampering import Steps, Tampering, altered, cut_at, judge, repeated, replaced, without
from tests.unit.engine.conversation import OPENED

from duologue.engine.state import SessionState
from duologue.engine.step import step
from duologue.model import events as e
from duologue.model.effects import StopAgent
from duologue.model.inputs import (
    AgentCited,
    AgentFinished,
    AgentSpoke,
    AnyInput,
    CancelRequested,
    EndRequested,
    ServerRestarted,
    UserTurn,
    VoiceTriggered,
)
from duologue.model.replies import Accepted, Ignored

SCRIPT: tuple[AnyInput, ...] = (
    OPENED,
    VoiceTriggered(trigger="user_activates_mic"),
    UserTurn(text="hello", request_id="m-1"),
    AgentCited(response_id="response-1", title="t", url="/t"),
    AgentSpoke(response_id="response-1", text="one"),
    AgentSpoke(response_id="response-1", text=" two"),
    AgentFinished(response_id="response-1"),
    UserTurn(text="hello", request_id="m-1"),
    UserTurn(text="other", request_id="m-1"),
    UserTurn(text="again"),
    AgentSpoke(response_id="response-2", text="half"),
    ServerRestarted(),
    AgentSpoke(response_id="response-2", text="late"),
    AgentSpoke(response_id="response-3", text="whole"),
    CancelRequested(),
    EndRequested(),
)


def played() -> Steps:
    """The script, as the engine takes it."""
    state = SessionState()
    return [(happened, step(state, happened, now_ms=1_000 + 10 * n)) for n, happened in enumerate(SCRIPT)]


def test_what_the_engine_does_is_right() -> None:
    judge(played())


@pytest.mark.parametrize(
    "alter",
    [
        pytest.param(altered(e.TextDelta, seq=99), id="a gap in the numbers"),
        pytest.param(altered(e.TextDelta, at_ms=1), id="time falls"),
        pytest.param(altered(e.TextDelta, length=1), id="a wrong length"),
        pytest.param(altered(e.TextDelta, text="uno"), id="other words than in the whole"),
        pytest.param(altered(e.TextDelta, state="thinking"), id="a state that it cannot have"),
        pytest.param(altered(e.TextDelta, response_id="response-9"), id="words of another response"),
        pytest.param(altered(e.Cited, response_id="response-9"), id="a source of another response"),
        pytest.param(altered(e.Cited, turn=7), id="another turn"),
        pytest.param(altered(e.Cited, request_id="m-7"), id="another request"),
        pytest.param(altered(e.TextCompleted, text="one"), id="a part for the whole"),
        pytest.param(altered(e.TurnAccepted, text="goodbye"), id="other words than were said"),
        pytest.param(altered(e.TextCompleted, whole=False), id="a whole for a part"),
        pytest.param(altered(e.TurnEnded, text="goodbye"), id="other words at the end"),
        pytest.param(altered(e.TurnEnded, answer="one"), id="another answer at the end"),
        pytest.param(altered(e.TurnEnded, outcome="failed"), id="another outcome"),
        pytest.param(altered(e.TurnEnded, response_id="response-9"), id="another response's end"),
        pytest.param(altered(e.StateChanged, previous="error"), id="a move from elsewhere"),
        pytest.param(altered(e.ResponseFailed, state="idle"), id="a failure without the error state"),
        pytest.param(altered(e.ResponseFailed, will_retry=False), id="a retry unannounced"),
        pytest.param(altered(e.ResponseStarted, response_id="response-9"), id="a wrong response id"),
        pytest.param(altered(e.ResponseStarted, attempt=2), id="attempts miscounted"),
        pytest.param(altered(e.ResponseEnded, state="speaking"), id="an answer that never stops playing"),
        pytest.param(replaced(14, effects=()), id="a cancelled run goes on"),
        pytest.param(without(e.TextStarted), id="words before their text"),
        pytest.param(without(e.TextCompleted), id="a text never completed"),
        pytest.param(without(e.ResponseStarted), id="a response out of nothing"),
        pytest.param(without(e.ResponseEnded), id="a response never ended"),
        pytest.param(without(e.TurnEnded), id="a turn never ended"),
        pytest.param(without(e.TurnAccepted), id="a turn never begun"),
        pytest.param(replaced(2, effects=()), id="a response without a run"),
        pytest.param(replaced(7, reply=Ignored()), id="a repeat not recognised"),
        pytest.param(replaced(8, reply=Accepted(turn=1, seq=3)), id="a conflict not recognised"),
        pytest.param(replaced(4, events=()), id="words lost"),
        pytest.param(replaced(5, effects=(StopAgent(response_id="response-1"),)), id="a run stopped in vain"),
        pytest.param(replaced(12, effects=(StopAgent(response_id="r"),)), id="effects without events"),
        pytest.param(repeated(2), id="a turn taken twice"),
        pytest.param(repeated(6), id="a turn ended twice"),
        pytest.param(repeated(15), id="something after the end"),
        pytest.param(cut_at(5), id="a turn left open"),
    ],
)
def test_a_broken_promise_is_noticed(alter: Tampering) -> None:
    with pytest.raises(AssertionError):
        judge(alter(played()))
