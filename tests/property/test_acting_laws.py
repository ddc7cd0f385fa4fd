"""Laws of the engine with all that happens beside the answers: tools, decisions, handoffs, signals, memory, tiers."""

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st
from tests.property.test_engine_laws import Timed, distances, inputs, records_of, timed

from duologue.engine.replay import fold, restore, snapshot
from duologue.engine.state import SessionState
from duologue.engine.step import step
from duologue.model.condition import ConditionChanged, ConditionReason, ConditionState, Readings
from duologue.model.content import NfcObservation
from duologue.model.handoff import HandOff, Operator, RouteDecision, TransferType
from duologue.model.inputs import (
    AgentHandedOff,
    AgentRequested,
    AgentSpoke,
    AnyInput,
    ComplexityJudged,
    HandedBack,
    HandoffCancelled,
    HandoffConnecting,
    HandoffFailed,
    HandoffPlaced,
    HandoffRequested,
    HandoffResolved,
    HandoffTransferred,
    MemoriesRecalled,
    MemoryForgotten,
    MemoryKept,
    ObservationAsked,
    OperatorHeld,
    OperatorJoined,
    OperatorReturned,
    OperatorSaid,
    SignalsEstimated,
    SupervisorConsulted,
    UpgradeAsked,
    UserTurn,
)
from duologue.model.records import Record, decode_records, encode_records
from duologue.model.signals import EscalationRule, Intent, Sentiment
from duologue.model.tools import ApprovalDecided, ApprovalPolicy, DecidedBy, Idempotency, ToolReported, ToolSpec

_responses = st.sampled_from([f"response-{number}" for number in range(1, 5)])
_calls = st.sampled_from(["tool-1", "tool-2"])
_handoffs = st.sampled_from(["s-1~1", "s-1~2"])
_staff = st.builds(Operator, operator_id=st.sampled_from(["mia", "bob"]), name=st.just("Mia"))
_who = st.sampled_from(["mia", "bob"])
_specs = st.builds(
    ToolSpec,
    name=st.just("pay"),
    kind=st.sampled_from(["python", "client"]),
    policy=st.sampled_from(get_args(ApprovalPolicy)),
    side_effect=st.sampled_from(["read", "write"]),
    idempotency=st.sampled_from([Idempotency(), Idempotency(mode="input", ttl_ms=5_000)]),
    timeout_ms=st.just(400),
    approval_ttl_ms=st.sampled_from([400, 30_000]),
)
_asked = st.builds(
    HandOff,
    reason=st.just("r"),
    transfer=st.sampled_from(get_args(TransferType)),
    target=st.sampled_from(["", "travel"]),
)
_signals = st.lists(
    st.builds(Sentiment, category=st.just("anger"), score=st.floats(0, 1), confidence=st.floats(0, 1))
    | st.builds(Intent, intent=st.just("cancel"), score=st.floats(0, 1), confidence=st.floats(0, 1)),
    max_size=2,
).map(tuple)
_tags = st.just(NfcObservation(tag_id="04a1", observed_at="2026-01-02T03:04:05Z"))
tools = st.one_of(
    st.builds(
        AgentRequested,
        response_id=_responses,
        call_id=_calls,
        name=st.just("pay"),
        arguments=st.sampled_from(['{"k":1}', '{"k":2}']),
        spec=st.none() | _specs,
        wrong=st.sampled_from(["", "", "$.k: is no text"]),
        waits=st.booleans(),
    ),
    st.builds(
        ToolReported,
        call_id=_calls,
        status=st.sampled_from(["completed", "failed", "timed_out"]),
        output=st.just("{}"),
    ),
    st.builds(UserTurn, text=st.sampled_from(["yes", "no", "what"]), source=st.sampled_from(["typed", "voice"])),
    st.builds(AgentSpoke, response_id=_responses, text=st.just("I am not sure. ")),
    st.builds(
        ObservationAsked,
        response_id=_responses,
        modality=st.sampled_from(["nfc", "photo"]),
        prompt=st.just("show"),
        wait_ms=st.sampled_from([0, 400, 30_000]),
    ),
    st.builds(UserTurn, text=st.just(""), observation=_tags, interaction_id=st.just("interaction-1")),
)
desk = st.one_of(
    st.builds(AgentHandedOff, response_id=_responses, asked=_asked),
    st.builds(HandoffRequested, cause=st.sampled_from(["person", "rule", "api"]), by=st.just("ada"), asked=_asked),
    st.builds(
        HandoffPlaced,
        handoff_id=_handoffs,
        position=st.integers(0, 2),
        route=st.none() | st.just(RouteDecision(target="general")),
        agent=st.sampled_from(["", "travel"]),
    ),
    st.builds(HandoffConnecting, handoff_id=_handoffs, operator=_staff),
    st.builds(OperatorJoined, handoff_id=_handoffs, operator=_staff),
    st.builds(OperatorJoined, handoff_id=_handoffs, operator=_staff),
    st.builds(OperatorHeld, handoff_id=_handoffs, operator_id=_who),
    st.builds(OperatorReturned, handoff_id=_handoffs, operator_id=_who),
    st.builds(
        OperatorSaid, handoff_id=_handoffs, operator_id=_who, text=st.just("hi"), message_id=st.sampled_from(["", "o"])
    ),
    st.builds(HandedBack, handoff_id=_handoffs, operator_id=_who),
    st.builds(HandoffTransferred, handoff_id=_handoffs, operator_id=_who, asked=_asked, gone=st.booleans()),
    st.builds(SupervisorConsulted, handoff_id=_handoffs, by=_staff, text=st.just("?"), answer=st.booleans()),
    st.builds(HandoffResolved, handoff_id=_handoffs, operator_id=_who),
    st.builds(HandoffCancelled, handoff_id=_handoffs, by=st.just("ada")),
    st.builds(HandoffFailed, handoff_id=_handoffs, reason=st.just("closed")),
)
beside = st.one_of(
    st.builds(
        SignalsEstimated,
        of_turn=st.integers(0, 3),
        source=st.sampled_from(["rule", "model"]),
        adapter=st.just("a"),
        scope=st.sampled_from(["message", "turn", "session"]),
        signals=_signals,
        latency_ms=st.just(1.5),
        rules=st.just(()) | st.just((EscalationRule(name="r", signal="anger"),)),
    ),
    st.builds(
        MemoriesRecalled, response_id=_responses, memory_ids=st.sampled_from([(), ("m",)]), retrieve_ms=st.just(3)
    ),
    st.builds(
        MemoryKept,
        of_turn=st.integers(0, 3),
        memory_id=st.sampled_from(["m", "n"]),
        memory_kind=st.just("fact"),
        importance=st.floats(0, 1),
    ),
    st.builds(MemoryForgotten, of_turn=st.integers(0, 3), count=st.integers(0, 3)),
    st.builds(UpgradeAsked, response_id=_responses, reason=st.sampled_from(["complexity", "hedging"])),
    st.builds(ComplexityJudged, response_id=_responses, score=st.none() | st.floats(0, 1)),
    st.builds(
        ConditionChanged,
        condition=st.sampled_from(get_args(ConditionState)),
        reason=st.sampled_from(get_args(ConditionReason)),
        readings=st.just(Readings()),
        tiers=st.sampled_from([(), ("workhorse",)]),
    ),
)
acting: st.SearchStrategy[AnyInput] = st.one_of(inputs, tools, tools, desk, beside)
histories: st.SearchStrategy[list[Timed]] = st.lists(st.tuples(acting, distances), max_size=40)


def decided(state: SessionState, happened: AnyInput, via: DecidedBy) -> AnyInput:
    """What somebody decides about the first call that waits, in place of a report of none."""
    approval = next((one.approval for one in state.tools.calls if one.approval is not None), None)
    if approval is None or not isinstance(happened, ToolReported):
        return happened
    decision = "approve" if happened.status == "completed" else "deny"
    return ApprovalDecided(approval_id=approval.approval_id, decision=decision, by="ada", via=via)


@given(histories, st.sampled_from(get_args(DecidedBy)))
def test_the_laws_hold_whatever_happens_beside_the_answers(history: list[Timed], via: DecidedBy) -> None:
    """No event, nothing changed; numbers have no gap; what is stored gives the same state, events and bytes."""
    state, records, seq = SessionState(), list[Record](), 0
    for given_input, now_ms in timed(history):
        happened = decided(state, given_input, via)
        before = snapshot(state)
        stepped = step(state, happened, now_ms=now_ms)
        assert bool(stepped.events) == (snapshot(state) != before)
        assert stepped.events or not stepped.effects
        for event in stepped.events:
            seq += 1
            assert (event.seq, event.at_ms) == (seq, state.at_ms)
        if stepped.events:
            records.append(Record(at_ms=state.at_ms, input=happened, events=stepped.events))
        assert snapshot(restore(snapshot(state))) == snapshot(state)
    stored = encode_records(records)
    assert snapshot(fold(SessionState(), decode_records(stored))) == snapshot(state)
    again = SessionState()
    replayed = [
        Record(at_ms=one.at_ms, input=one.input, events=step(again, one.input, now_ms=one.at_ms).events)
        for one in decode_records(stored)
    ]
    assert encode_records(replayed) == stored


@given(histories, st.data())
def test_a_snapshot_and_the_tail_are_the_whole_of_them_too(history: list[Timed], data: st.DataObject) -> None:
    state, records = records_of(history)
    cut = data.draw(st.integers(0, len(records)))
    early = restore(snapshot(fold(SessionState(), records[:cut])))
    assert snapshot(fold(early, decode_records(encode_records(records[cut:])))) == snapshot(state)
