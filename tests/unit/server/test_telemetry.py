"""Spans of turns and runs, made from stored events; what is said stays out of them."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path

import pytest
from opentelemetry import propagate, trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.e2e.harness import CountingAgent
from tests.unit.runtime.deliveries_world import HOOK, FakePost, until

from duologue.model.agent import AgentItem, AgentRequest, Failure, Finished, Text
from duologue.model.commands import Join
from duologue.model.inputs import UserTurn
from duologue.protocols.jambonz import AgentEventNotices
from duologue.runtime.clock import SystemClock
from duologue.runtime.courier import DeliverySettings
from duologue.runtime.deliveries import Deliveries
from duologue.runtime.hub import Hub
from duologue.server.log import event_log
from duologue.server.settings import ServerSettings, Settings
from duologue.server.telemetry import Telemetry
from duologue.testing.memory_outbox import MemoryOutbox
from duologue.testing.memory_store import MemoryStore

pytestmark = [pytest.mark.anyio, pytest.mark.counterpart("OpenTelemetry SDK")]

CALLER = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}


class Spans:
    """A hub with telemetry, and the spans that come of it."""

    def __init__(self, answer: CountingAgent, *, text: bool = False) -> None:
        self._exporter = InMemorySpanExporter()
        self._provider = TracerProvider()
        self._provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.telemetry = Telemetry(self._provider, agent="counting", text=text)
        self.hub = Hub(
            store=MemoryStore(),
            agent=answer,
            clock=SystemClock(),
            log=event_log("test"),
            companions=(self.telemetry,),
            surround=self.telemetry.surround,
        )

    async def ask(self, text: str, headers: Mapping[str, str] | None = None) -> None:
        """Ask, and wait until it is answered."""
        session = await self.hub.join(Join(session_id="s-1"), subject="ada")
        self.telemetry.called("s-1", f"r-{text}", headers or {})
        await self.hub.submit(session, UserTurn(text=text, request_id=f"r-{text}"), protocol="chat")
        while session.state.open is not None or not session.quiet:
            await session.changed()

    def named(self, name: str) -> list[ReadableSpan]:
        """Give the finished spans of a name."""
        return [span for span in self._exporter.get_finished_spans() if span.name == name]


def span_id(span: ReadableSpan) -> str:
    context = span.get_span_context()
    assert context is not None
    return f"{context.span_id:016x}"


def trace_id(span: ReadableSpan) -> str:
    context = span.get_span_context()
    assert context is not None
    return f"{context.trace_id:032x}"


def parent_of(span: ReadableSpan) -> str | None:
    return None if span.parent is None else f"{span.parent.span_id:016x}"


async def good(_request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
    yield Text(text="the secret answer")
    yield Finished()


async def test_a_turn_and_its_run_are_spans_with_the_times_of_their_events() -> None:
    spans = Spans(CountingAgent(good))
    async with spans.hub:
        await spans.ask("hello")
        (turn,), (run,) = spans.named("duologue.turn"), spans.named("invoke_agent counting")
    assert turn.attributes is not None and run.attributes is not None
    assert run.attributes["gen_ai.operation.name"] == "invoke_agent"
    for span in (turn, run):
        assert span.attributes is not None
        assert span.attributes["gen_ai.conversation.id"] == "s-1"
        assert span.attributes["gen_ai.agent.name"] == "counting"
        assert span.attributes["duologue.outcome"] == "completed"
        assert span.start_time is not None and span.end_time is not None
        assert span.start_time <= span.end_time
        assert span.status.is_ok
    assert parent_of(run) == span_id(turn)
    assert turn.parent is None
    assert "secret" not in turn.to_json() + run.to_json()
    assert "hello" not in str(turn.attributes.get("gen_ai.input.messages"))


async def test_a_callers_trace_is_taken_over_and_handed_on_to_what_the_agent_calls() -> None:
    sent: list[dict[str, str]] = []

    async def calling(_request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
        headers: dict[str, str] = {}
        propagate.inject(headers)
        sent.append(headers)
        yield Text(text="yes")
        yield Finished()

    spans = Spans(CountingAgent(calling))
    async with spans.hub:
        await spans.ask("hello", CALLER)
        await spans.ask("again")
        turns, runs = spans.named("duologue.turn"), spans.named("invoke_agent counting")
    assert parent_of(turns[0]) == "b7ad6b7169203331"
    called_by = "0af7651916cd43dd8448eb211c80319c"
    assert sent[0]["traceparent"] == f"00-{called_by}-{span_id(runs[0])}-01"
    assert turns[1].parent is None
    assert called_by not in sent[1]["traceparent"]
    assert not trace.get_current_span().get_span_context().is_valid


async def test_a_turns_webhooks_are_part_of_its_trace() -> None:
    spans = Spans(CountingAgent(good))
    store, post = MemoryStore(), FakePost()
    deliveries = Deliveries(
        store=store,
        outbox=MemoryOutbox(),
        post=post,
        notices=AgentEventNotices(),
        clock=SystemClock(),
        chance=lambda: 0.0,
        log=event_log("test"),
        settings=DeliverySettings(hook=HOOK),
        trace=spans.telemetry.told,
    )
    # In the order of the server: whoever delivers hears of a turn before it has a span.
    spans.hub = Hub(
        store=store,
        agent=CountingAgent(good),
        clock=SystemClock(),
        log=event_log("test"),
        companions=(deliveries, spans.telemetry),
    )
    async with asyncio.timeout(30), spans.hub:
        await spans.ask("hello", CALLER)
        await spans.ask("again")
        await until(lambda: any(letter.headers["Duologue-Turn"] == "2" for letter in post.letters))
        first, second = (f"00-{trace_id(turn)}-{span_id(turn)}" for turn in spans.named("duologue.turn"))
    for turn, parent in (("1", first), ("2", second)):
        sent = [letter.headers for letter in post.letters if letter.headers["Duologue-Turn"] == turn]
        assert sent
        assert {headers["traceparent"][: len(parent)] for headers in sent} == {parent}
    assert first.startswith(CALLER["traceparent"][:35]) and not second.startswith(CALLER["traceparent"][:35])


async def test_the_trace_of_a_removed_session_is_forgotten() -> None:
    spans = Spans(CountingAgent(good))
    async with spans.hub:
        await spans.ask("hello")
        assert "traceparent" in spans.telemetry.told("s-1", 1)
        assert not spans.telemetry.told("s-1", 2)
        await spans.telemetry.removing(["s-2"])
        assert spans.telemetry.told("s-1", 1)
        await spans.telemetry.removing(["s-1"])
        assert not spans.telemetry.told("s-1", 1)


async def test_a_failure_is_an_error_with_its_code() -> None:
    async def failing(_request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
        yield Failure(message="the secret reason", retryable=False)

    spans = Spans(CountingAgent(failing))
    async with spans.hub:
        await spans.ask("hello")
        (turn,), (run,) = spans.named("duologue.turn"), spans.named("invoke_agent counting")
    assert run.attributes is not None and turn.attributes is not None
    assert (run.attributes["error.type"], turn.attributes["error.type"]) == ("agent_failed", "failed")
    assert not run.status.is_ok
    assert "secret" not in run.to_json() + turn.to_json()


async def test_what_was_said_is_there_only_if_it_is_asked_for() -> None:
    spans = Spans(CountingAgent(good), text=True)
    async with spans.hub:
        await spans.ask("hello")
        (turn,) = spans.named("duologue.turn")
    assert turn.attributes is not None
    said = json.loads(str(turn.attributes["gen_ai.output.messages"]))
    assert said == [{"role": "assistant", "parts": [{"type": "text", "content": "the secret answer"}]}]


async def test_durations_are_counted_by_agent_and_protocol() -> None:
    spans = Spans(CountingAgent(good))
    async with spans.hub:
        await spans.ask("hello")
        figures = spans.hub.figures
        assert sum(figures.durations["counting", "chat"].counts) == 1
        assert sum(figures.first_texts["counting", "chat"].counts) == 1
        (last_bound, total) = figures.durations["counting", "chat"].buckets()[-1]
        assert (last_bound, total) == ("+Inf", 1.0)


def test_traces_are_off_unless_they_are_asked_for(tmp_path: Path) -> None:
    assert Settings(server=ServerSettings(data=str(tmp_path))).telemetry.traces is False
