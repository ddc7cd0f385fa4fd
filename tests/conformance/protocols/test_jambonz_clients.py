"""What jambonz's own packages make of what we send: their schema, and both of their checks of a signature."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.clients.node import Program, installed, running
from tests.conformance.protocols.event_strategies import EVENTS_OF
from tests.conformance.protocols.spoken import SPOKEN, events

from duologue.model import events as e
from duologue.protocols.jambonz import AgentEventNotices

pytestmark = pytest.mark.counterpart("@jambonz/schema", "@jambonz/sdk", "@jambonz/node-client")

NOTICES = AgentEventNotices()
SECRET = "the secret of both sides"
TELLING = [e.TurnAccepted, e.TurnExtended, e.TextCompleted, e.ResponseEnded, e.TurnEnded]
ONE_PROCESS = settings(
    max_examples=150,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much, HealthCheck.too_slow],
)


@pytest.fixture(scope="module")
def judge() -> Iterator[Program]:
    """A receiver with jambonz's packages."""
    home = installed("jambonz")
    with running(home, "judge.mjs") as program:
        yield program


# Any: a verdict is JSON.
def judged(judge: Program, body: bytes, *, secret: str = SECRET, late_ms: int = 0) -> Any:
    proof = NOTICES.proof(body, secret=secret, now_ms=int(time.time() * 1000) - late_ms)
    return judge.ask({"body": body.decode(), "signature": proof["Jambonz-Signature"], "secret": SECRET})


@pytest.mark.parametrize("kind", TELLING, ids=lambda kind: kind.__name__)
def test_every_event_is_valid_and_its_signature_holds(kind: type[e.Event], judge: Program) -> None:
    @ONE_PROCESS
    @given(EVENTS_OF[kind].filter(lambda event: NOTICES.kind(event) is not None))
    def check(event: e.AnyEvent) -> None:
        verdict = judged(judge, NOTICES.body(event))
        assert verdict == {"errors": [], "sdk": True, "older": True}

    check()


@pytest.mark.parametrize("name", SPOKEN)
def test_every_event_of_a_spoken_conversation_is_valid(name: str, judge: Program) -> None:
    for event in events(name):
        if NOTICES.kind(event) is not None:
            assert judged(judge, NOTICES.body(event)) == {"errors": [], "sdk": True, "older": True}


@ONE_PROCESS
@given(text=st.text(max_size=50))
def test_any_text_is_written_as_javascript_writes_it(text: str, judge: Program) -> None:
    """The Node packages check what `JSON.stringify` makes of the parsed body."""
    event = e.TurnAccepted(seq=2, at_ms=0, state="thinking", text="x" + text, source="typed", language="en")
    assert judged(judge, NOTICES.body(event))["sdk"]


@pytest.mark.parametrize("text", ["\x00\x1f\x7f\x80", '"\\/\b\f\n\r\t', "\u2028\u2029\ufeff", "🙂\U0010ffff", "<&>'"])
def test_odd_text_too(text: str, judge: Program) -> None:
    event = e.TurnAccepted(seq=2, at_ms=0, state="thinking", text=text, source="typed", language="en")
    assert judged(judge, NOTICES.body(event)) == {"errors": [], "sdk": True, "older": True}


def test_what_is_wrong_is_noticed(judge: Program) -> None:
    """Else the tests above would say nothing."""
    body = b'{"type":"user_interruption"}'
    assert judged(judge, body) == {"errors": [], "sdk": True, "older": True}
    assert judged(judge, b'{"type":"user_interruption","more":1}')["errors"] != []
    assert judged(judge, b'{"type":"turn_end"}')["errors"] != []
    for wrong in (judged(judge, body, secret="another"), judged(judge, body, late_ms=400_000)):
        assert (wrong["sdk"], wrong["older"]) == (False, False)
