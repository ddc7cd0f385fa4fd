"""Laws of the engine, for any inputs at any times."""

from collections.abc import Iterator
from typing import get_args

from hypothesis import example, given
from hypothesis import strategies as st
from tests.simulation.judges.judge import Judge
from tests.unit.engine.conversation import OPENED, START_MS

from duologue.engine.deadlines import next_deadline_ms
from duologue.engine.replay import fold, restore, snapshot
from duologue.engine.state import SessionState
from duologue.engine.step import step
from duologue.model import limits
from duologue.model.content import (
    Answer,
    Attachment,
    Chip,
    ClientTool,
    ContextItem,
    Interrupt,
    NfcObservation,
    SpeechMetadata,
    ToolResult,
    Usage,
)
from duologue.model.errors import Code
from duologue.model.inputs import (
    AgentAsked,
    AgentCalled,
    AgentCancelled,
    AgentCited,
    AgentFailed,
    AgentFinished,
    AgentNoted,
    AgentRequested,
    AgentReturned,
    AgentShowed,
    AgentSpoke,
    AgentSuggested,
    AnswerReleased,
    AnyInput,
    AudioTurnCancelled,
    AudioTurnCommitted,
    AudioTurnStarted,
    CallEnded,
    CallStarted,
    CancelRequested,
    CapabilitiesDeclared,
    DeadlinePassed,
    EndJudged,
    EndRequested,
    HistoryDropped,
    PlaybackEnded,
    Played,
    ServerRestarted,
    SpeechFailed,
    SpeechMade,
    SpeechStarted,
    SpeechStopped,
    TranscriptHeard,
    Trigger,
    UserTurn,
    VoiceTriggered,
)
from duologue.model.records import Record, decode_records, encode_records
from duologue.model.replies import Accepted, Repeated
from duologue.model.speech import WordTime
from duologue.model.voice import SpeechPart, VoiceRules

Timed = tuple[AnyInput, int]
"""An input, and its distance in ms from the one before; a clock may go back."""

# A lone surrogate is no text: decoders and the agent's boundary refuse it.
_texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
_names = st.sampled_from(["m-1", "m-2", "m-3"])
_responses = st.sampled_from([f"response-{number}" for number in range(1, 5)])
_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | _texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3),
    max_leaves=4,
)
_objects = st.dictionaries(_texts, _json, max_size=3)
_attachments = st.builds(
    Attachment,
    upload_id=_names,
    name=_texts,
    media_type=st.just("image/png"),
    size_bytes=st.integers(0, 9),
    sha256=st.just("0" * 64),
)
_tags = st.builds(NfcObservation, tag_id=st.just("04a1"), observed_at=st.just("2026-01-02T03:04:05Z"))

_calls = st.sampled_from(["call-1", "call-2", "call-3"])
_asked = st.sampled_from(["ask-1", "ask-2"])
_tools = st.sampled_from(["where", "ring"])
_usage = st.lists(st.builds(Usage, output_tokens=st.none() | st.integers(0, 99)), max_size=2).map(tuple)
_answers = st.lists(
    st.builds(Answer, interrupt_id=_asked, status=st.sampled_from(["resolved", "cancelled"]), payload=_json),
    max_size=2,
)
_results = st.lists(st.builds(ToolResult, call_id=_calls, content=_texts, is_error=st.booleans()), max_size=2)

turns = st.builds(
    UserTurn,
    text=_texts | st.sampled_from(["hello", "x" * limits.TURN_TEXT_CHARS]),
    turn=st.none() | st.integers(-1, 6),
    request_id=st.none() | _names,
    idempotency_key=st.none() | _names,
    source=st.sampled_from(["typed", "voice"]),
    language=st.none() | st.sampled_from(["de", "fr"]),
    context=st.lists(st.builds(ContextItem, description=_texts, value=_texts), max_size=2).map(tuple),
    attachments=st.just(()) | st.lists(_attachments, max_size=2).map(tuple),
    observation=st.none() | _tags,
    interaction_id=st.none() | st.just("i-1"),
    speech=st.none() | st.builds(SpeechMetadata, stable_final_ms=st.integers(0, 9)),
    if_busy=st.sampled_from(["interrupt", "refuse"]),
    tools=st.just(()) | st.lists(st.builds(ClientTool, name=_tools, description=_texts), max_size=2).map(tuple),
    resume=st.just(()) | _answers.map(tuple),
    tool_results=st.just(()) | _results.map(tuple),
    if_asked=st.sampled_from(["cancel", "refuse"]),
    message_id=st.none() | _names,
    state=_json,
)
agent_items = st.one_of(
    st.builds(AgentSpoke, response_id=_responses, text=_texts),
    st.builds(AgentSpoke, response_id=_responses, text=st.sampled_from(["", "one", "```\n"])),
    st.builds(AgentCited, response_id=_responses, title=_texts, url=st.just("/docs")),
    st.builds(
        AgentSuggested,
        response_id=_responses,
        chips=st.lists(st.builds(Chip, label=_texts, text=_texts), max_size=2).map(tuple),
    ),
    st.builds(AgentShowed, response_id=_responses, payload_type=_texts, data=_objects),
    st.builds(AgentNoted, response_id=_responses, category=_texts, message=_texts, details=_objects),
    st.builds(
        AgentFinished,
        response_id=_responses,
        total_tokens=st.none() | st.integers(0, 10**6),
        confident=st.booleans(),
        usage=_usage,
    ),
    st.builds(
        AgentCalled,
        response_id=_responses,
        call_id=_calls,
        name=st.just("t"),
        arguments=st.just("{}"),
        repeatable=st.booleans(),
    ),
    st.builds(
        AgentReturned,
        response_id=_responses,
        call_id=_calls,
        result=_texts,
        is_error=st.booleans(),
        name=st.sampled_from(["", "t"]),
    ),
    st.builds(AgentRequested, response_id=_responses, call_id=_calls, name=_tools, arguments=st.just("{}")),
    st.builds(AgentCancelled, response_id=_responses),
    st.builds(
        AgentAsked,
        response_id=_responses,
        interrupts=st.lists(
            st.builds(
                Interrupt,
                interrupt_id=_asked,
                reason=st.just("r"),
                tool_call_id=st.none() | _calls,
                expires_at=st.sampled_from([None, "soon", "2000-01-01T00:00:00Z", "2999-01-01"]),
            ),
            max_size=2,
        ).map(tuple),
        usage=_usage,
    ),
    st.builds(
        AgentFailed,
        response_id=_responses,
        code=st.sampled_from(Code),
        message=_texts,
        retryable=st.booleans(),
    ),
)
others = st.one_of(
    st.builds(CancelRequested, response_id=st.none() | _responses),
    st.builds(VoiceTriggered, trigger=st.sampled_from(get_args(Trigger))),
    st.builds(CapabilitiesDeclared, modalities=st.sampled_from([(), ("nfc",), ("photo", "nfc"), ("nfc", "photo")])),
    st.builds(EndRequested, reason=_texts),
    st.just(DeadlinePassed()),
    st.just(ServerRestarted()),
    st.just(HistoryDropped()),
)
_in_call = st.just("call-1")
_texts_heard = st.sampled_from(["", "hello", "Hello.", "yeah", "and more"])
_segments = st.integers(0, 3)
_ago = st.integers(0, 900)
_rules = st.builds(
    VoiceRules,
    mode=st.sampled_from(["open", "open", "explicit"]),
    endpoint_ms=st.sampled_from([0, 300]),
    end_of_turn=st.none() | st.just(0.5),
    barge_in=st.booleans(),
    short_speech=st.sampled_from(["pause", "go_on"]),
    sticky=st.booleans(),
    early=st.booleans(),
    no_response_ms=st.none() | st.just(2_000),
    nudge=st.sampled_from(["", "(silence)"]),
    max_turn_ms=st.sampled_from([3_000, 120_000]),
)
_words = st.builds(
    WordTime,
    begin_char=st.integers(-1, 9),
    end_char=st.integers(0, 9),
    begin_ms=st.integers(0, 500),
    end_ms=st.integers(0, 500),
)
calls = st.one_of(
    st.builds(CallStarted, call_id=st.sampled_from(["call-1", "call-1", "call-2"]), rules=_rules),
    st.builds(CallEnded, call_id=_in_call, reason=st.just("lost")),
    st.builds(SpeechStarted, call_id=_in_call, ago_ms=_ago),
    st.builds(SpeechStopped, call_id=_in_call, ago_ms=_ago),
    st.builds(TranscriptHeard, call_id=_in_call, segment=_segments, text=_texts_heard, final=st.booleans()),
    st.builds(EndJudged, call_id=_in_call, segment=_segments, probability=st.floats(0, 1)),
    st.builds(
        SpeechMade,
        call_id=_in_call,
        response_id=_responses,
        begin=st.integers(-1, 5),
        end=st.integers(-1, 9),
        begin_ms=st.integers(-1, 500),
        duration_ms=st.integers(0, 500),
        words=st.just(()) | st.lists(_words, max_size=3).map(tuple),
        latency_ms=st.integers(0, 500),
    ),
    st.builds(Played, call_id=_in_call, response_id=_responses, played_ms=st.integers(0, 999)),
    st.builds(PlaybackEnded, call_id=_in_call, response_id=_responses),
    st.builds(SpeechFailed, call_id=_in_call, part=st.sampled_from(get_args(SpeechPart)), message=_texts),
    st.builds(AnswerReleased, call_id=_in_call, response_id=_responses, tokens=st.integers(0, 3)),
    st.builds(AudioTurnStarted, turn=st.integers(-1, 6)),
    st.builds(AudioTurnCommitted, turn=st.integers(1, 6)),
    st.builds(AudioTurnCancelled, turn=st.integers(1, 6)),
)
inputs: st.SearchStrategy[AnyInput] = st.one_of(turns, agent_items, agent_items, others, calls, calls)
distances = st.sampled_from([0, 0, 1, 20, 400, 5_000, 30_000, 200_000, -1, -(10**9)])
histories: st.SearchStrategy[list[Timed]] = st.lists(st.tuples(inputs, distances), max_size=40)

CALL: list[Timed] = [
    (CallStarted(call_id="call-1"), 0),
    (SpeechStarted(call_id="call-1"), 0),
    (SpeechStopped(call_id="call-1", ago_ms=200), 1_000),
    (TranscriptHeard(call_id="call-1", segment=1, text="hello", final=True), 20),
    (DeadlinePassed(), 400),
    (AgentSpoke(response_id="response-1", text="one two"), 20),
    (AgentFinished(response_id="response-1"), 20),
    (SpeechMade(call_id="call-1", response_id="response-1", begin=0, end=7, begin_ms=0, duration_ms=500), 20),
    (Played(call_id="call-1", response_id="response-1", played_ms=100), 100),
    (SpeechStarted(call_id="call-1"), 0),
    (DeadlinePassed(), 500),
]
"""A turn in a call, whose answer is interrupted after its first word."""

TALK: list[Timed] = [
    (UserTurn(text="hello", request_id="m-1"), 0),
    (AgentSpoke(response_id="response-1", text="one"), 20),
    (AgentSpoke(response_id="response-1", text=""), 29_000),
    (DeadlinePassed(), 1_000),
    (UserTurn(text="hello", request_id="m-1"), 0),
]
"""Empty text put off the deadline although it was not stored: the replay ended elsewhere."""


def timed(history: list[Timed]) -> Iterator[tuple[AnyInput, int]]:
    """The inputs with their times; a session is always opened first."""
    now_ms = START_MS
    yield OPENED, now_ms
    for happened, distance_ms in history:
        now_ms = max(0, now_ms + distance_ms)
        yield happened, now_ms


def records_of(history: list[Timed]) -> tuple[SessionState, list[Record]]:
    """Step a history; give what a store would hold of it."""
    state, records = SessionState(), list[Record]()
    for happened, now_ms in timed(history):
        stepped = step(state, happened, now_ms=now_ms)
        if stepped.events:
            records.append(Record(at_ms=state.at_ms, input=happened, events=stepped.events))
    return state, records


@given(histories)
@example(TALK)
@example(CALL)
def test_every_promise_holds_at_every_step(history: list[Timed]) -> None:
    state, judge = SessionState(), Judge()
    for happened, now_ms in timed(history):
        judge.take(happened, step(state, happened, now_ms=now_ms))
        assert (state.seq, state.at_ms, state.state) == (judge.seq, judge.at_ms, judge.state)


@given(histories)
@example(TALK)
@example(CALL)
def test_an_input_without_events_has_changed_nothing(history: list[Timed]) -> None:
    state = SessionState()
    for happened, now_ms in timed(history):
        before = snapshot(state)
        stepped = step(state, happened, now_ms=now_ms)
        assert bool(stepped.events) == (snapshot(state) != before)


@given(histories)
@example(TALK)
@example(CALL)
def test_what_is_stored_replays_to_the_same_state_and_bytes(history: list[Timed]) -> None:
    state, records = records_of(history)
    stored = encode_records(records)
    assert snapshot(fold(SessionState(), decode_records(stored))) == snapshot(state)
    again = SessionState()
    replayed = [
        Record(at_ms=one.at_ms, input=one.input, events=step(again, one.input, now_ms=one.at_ms).events)
        for one in decode_records(stored)
    ]
    assert encode_records(replayed) == stored


@given(histories, st.data())
def test_a_snapshot_and_the_tail_are_the_whole(history: list[Timed], data: st.DataObject) -> None:
    state, records = records_of(history)
    cut = data.draw(st.integers(0, len(records)))
    early = restore(snapshot(fold(SessionState(), records[:cut])))
    tail = decode_records(encode_records(records[cut:]))
    assert snapshot(fold(early, tail)) == snapshot(state)


@given(histories)
def test_the_same_again_gives_the_same(history: list[Timed]) -> None:
    assert records_of(history) == records_of(history)


@given(histories)
def test_a_deadline_is_known_exactly_while_a_turn_is_open_and_then_ends_it(history: list[Timed]) -> None:
    state, _ = records_of(history)
    due_ms = next_deadline_ms(state)
    if state.call is None:
        assert (due_ms is None) == (state.open is None)
    assert due_ms is not None or state.open is None
    if due_ms is not None:
        # An input may have come later than the deadline that nobody called: then it is due at once.
        if due_ms > state.at_ms:
            assert not step(state, DeadlinePassed(), now_ms=due_ms - 1).events
        in_call = state.call is not None
        assert step(state, DeadlinePassed(), now_ms=due_ms).events
        assert in_call or state.open is None


@given(histories, turns, histories)
def test_a_turn_that_was_taken_is_a_repeat_ever_after(history: list[Timed], said: UserTurn, later: list[Timed]) -> None:
    state, _ = records_of(history)
    reply = step(state, said, now_ms=START_MS).reply
    named = said.turn is not None or (said.idempotency_key or said.request_id) is not None
    if isinstance(reply, Accepted) and named:
        for happened, _ in later:
            step(state, happened, now_ms=START_MS)
        assert step(state, said, now_ms=START_MS).reply == Repeated(turn=reply.turn, seq=reply.seq)
