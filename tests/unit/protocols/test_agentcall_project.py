"""What AgentCall's frames look like, byte by byte where clients may rely on it."""

import json

import pytest

from duologue.model import events
from duologue.model.content import Figures
from duologue.model.errors import Code
from duologue.protocols.agentcall import AgentCallDialect
from duologue.protocols.agentcall.project import project

FIGURES = Figures(ttft_ms=None, duration_ms=9, total_tokens=0, tps=0.0, quality_pass=False, language="en")


def test_a_token() -> None:
    delta = events.TextDelta(
        seq=7, at_ms=5, state="speaking", turn=2, response_id="r", message_id="m", text='"\n', length=2
    )
    assert project(delta) == (
        b'{"type":"agui.event","sequence":7,"turn":2,"event":{"type":"TEXT_MESSAGE_CONTENT",'
        b'"timestamp":5,"messageId":"m","delta":"\\"\\n"}}'
    )


def test_the_first_event_has_no_turn() -> None:
    started = events.SessionStarted(
        seq=1, at_ms=5, state="idle", session_id="s", agent="echo", tier="reflex", language="en"
    )
    assert json.loads(project(started)) == {
        "type": "agui.event",
        "sequence": 1,
        "event": {
            "type": "CUSTOM",
            "timestamp": 5,
            "name": "duologue.session.started",
            "value": {"sessionId": "s", "agent": "echo", "tier": "reflex", "language": "en", "state": "idle"},
        },
    }


@pytest.mark.parametrize("outcome", ["cancelled", "interrupted"])
def test_a_run_that_was_cut_short_says_by_whom(outcome: events.Outcome) -> None:
    assert outcome in ("cancelled", "interrupted")
    ended = events.ResponseEnded(
        seq=9, at_ms=5, state="idle", turn=2, session_id="s", response_id="r", outcome=outcome,
        tier="workhorse", figures=FIGURES,
    )  # fmt: skip
    event = json.loads(project(ended))["event"]
    assert (event["threadId"], event["runId"], event["outcome"]) == ("s", "r", {"type": "cancelled"})
    assert event["metadata"]["duologue"] == {
        "outcome": outcome,
        "tier": "workhorse",
        "figures": {"durationMs": 9, "totalTokens": 0, "tps": 0.0, "qualityPass": False, "language": "en"},
    }


def test_a_failed_run_says_whether_another_follows() -> None:
    failed = events.ResponseFailed(
        seq=9, at_ms=5, state="thinking", turn=2, response_id="r", code=Code.RUN_LOST, message="m",
        retryable=True, will_retry=True,
    )  # fmt: skip
    event = json.loads(project(failed))["event"]
    assert (event["code"], event["message"]) == ("run_lost", "m")
    assert event["metadata"] == {"duologue": {"responseId": "r", "retryable": True, "willRetry": True}}


def test_the_answer_to_a_join() -> None:
    assert AgentCallDialect().opened("s", after=3, last_seq=8) == (
        b'{"type":"session.opened","sessionId":"s","resumedFrom":3,"lastSequence":8,"resume":true}'
    )
