"""Spans of turns and runs, made from stored events. Source: OpenTelemetry semantic conventions, GenAI agent spans.

The names are the conventions' own where they have one, else begin with `duologue.`.
"""

import asyncio
import contextlib
import json
from collections import OrderedDict
from collections.abc import Generator, Mapping, Sequence
from contextvars import Context as Variables
from contextvars import copy_context
from importlib.metadata import version
from types import TracebackType
from typing import Final, TypeVar

from opentelemetry import context as current
from opentelemetry import propagate
from opentelemetry import trace as otel
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

from duologue.model.agent import AgentRequest
from duologue.model.content import Figures
from duologue.model.errors import SettingsError
from duologue.model.events import AnyEvent, ResponseEnded, ResponseFailed, ResponseStarted, TurnAccepted, TurnEnded
from duologue.server.settings_telemetry import TelemetrySettings

OPEN_SPANS: Final = 20_000
"""Most turns and runs that have a span at once, and callers that are waited for (policy: the oldest is forgotten)."""

TOLD_TURNS: Final = 5_000
"""Most turns whose trace is kept for their notices, of which the last comes after the turn (policy: the oldest is
forgotten, and its notices name none). About 1 KB each."""

UNNAMED: Final = ""
"""Stands for the request id of a turn that its client has not named, until the engine does."""

FLUSH_S: Final = 5.0
"""How long the last spans may take to be sent when the server stops; then they are lost."""

_NS: Final = 1_000_000

K = TypeVar("K")
V = TypeVar("V")


class Telemetry:
    """Makes the spans: a companion of the hub. See `runtime.companions.Companion`.

    Args:
        tracer_provider: where spans go.
        agent: the agent's name.
        text: let what was said into spans.
    """

    def __init__(self, tracer_provider: otel.TracerProvider, *, agent: str, text: bool = False) -> None:
        self._tracer = tracer_provider.get_tracer("duologue", version("duologue"))
        self._provider, self._agent, self._text = tracer_provider, agent, text
        self._callers: OrderedDict[tuple[str, str], Context] = OrderedDict()
        self._turns: OrderedDict[tuple[str, int], Span] = OrderedDict()
        self._runs: OrderedDict[tuple[str, str], Span] = OrderedDict()
        self._told: OrderedDict[tuple[str, int], Mapping[str, str]] = OrderedDict()

    async def __aenter__(self) -> object:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for span in (*self._runs.values(), *self._turns.values()):
            span.set_attribute("error.type", "run_lost")
            span.end()
        self._runs.clear()
        self._turns.clear()
        shutdown = getattr(self._provider, "shutdown", None)
        if callable(shutdown):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(FLUSH_S):
                    await asyncio.to_thread(shutdown)

    def called(self, session_id: str, request_id: str | None, headers: Mapping[str, str]) -> None:
        """Remember the caller's trace (`traceparent`) for the turn that it asks for."""
        if request_id is not None and "traceparent" in headers:
            _keep(self._callers, (session_id, request_id), propagate.extract(headers, context=Context()))

    @contextlib.contextmanager
    def calling(self, session_id: str, request_id: str | None, headers: Mapping[str, str]) -> Generator[None]:
        """As `called`, while a turn is submitted that its client may have named or not."""
        if "traceparent" not in headers:
            yield
            return
        key, caller = (session_id, request_id or UNNAMED), propagate.extract(headers, context=Context())
        _keep(self._callers, key, caller)
        try:
            yield
        finally:
            if self._callers.get(key) is caller:
                del self._callers[key]

    @contextlib.contextmanager
    def here(self, session_id: str, request_id: str | None) -> Generator[None]:
        """As `calling`, for a program in this process: its current span is the caller's."""
        headers: dict[str, str] = {}
        propagate.inject(headers)
        with self.calling(session_id, request_id, headers):
            yield

    def surround(self, request: AgentRequest) -> Variables | None:
        """The context variables of a run: its span is the current one, for whatever the agent calls."""
        span = self._runs.get((request.session_id, request.response_id))
        if span is None:
            return None
        variables = copy_context()
        variables.run(current.attach, otel.set_span_in_context(span, Context()))
        return variables

    def told(self, session_id: str, turn: int) -> Mapping[str, str]:
        """The headers that make a notice part of a turn's trace; empty where that is not known, or no longer."""
        return self._told.get((session_id, turn), {})

    async def removing(self, session_ids: Sequence[str]) -> None:
        """End what is open of sessions that are removed."""
        gone = set(session_ids)
        for run in [key for key in self._runs if key[0] in gone]:
            self._runs.pop(run).end()
        for turn in [key for key in self._turns if key[0] in gone]:
            self._turns.pop(turn).end()
        for told in [key for key in self._told if key[0] in gone]:
            del self._told[told]

    def stored(self, session_id: str, events: tuple[AnyEvent, ...]) -> None:
        """Begin and end spans; times are those of the events."""
        for event in events:
            match event:
                case TurnAccepted():
                    self._accept(session_id, event)
                case ResponseStarted():
                    self._begin(session_id, event)
                case ResponseEnded(response_id=response_id, figures=figures, outcome=outcome):
                    self._end(session_id, response_id, event.at_ms, outcome=outcome, figures=figures)
                case ResponseFailed(response_id=response_id, code=code):
                    self._end(session_id, response_id, event.at_ms, outcome="failed", error=code)
                case TurnEnded():
                    self._finish(session_id, event)
                case _:
                    pass

    def _accept(self, session_id: str, event: TurnAccepted) -> None:
        caller = self._callers.pop((session_id, event.request_id), None)
        if caller is None and event.request_id == f"turn-{event.turn}":
            caller = self._callers.get((session_id, UNNAMED))
        span = self._tracer.start_span(
            "duologue.turn",
            context=caller or Context(),
            kind=SpanKind.SERVER,
            start_time=event.at_ms * _NS,
            attributes={
                "gen_ai.conversation.id": session_id,
                "gen_ai.agent.name": self._agent,
                "duologue.turn": event.turn,
                "duologue.request.id": event.request_id,
                "duologue.source": event.source,
            },
        )
        _keep(self._turns, (session_id, event.turn), span)
        headers: dict[str, str] = {}
        propagate.inject(headers, context=otel.set_span_in_context(span, Context()))
        _keep(self._told, (session_id, event.turn), headers, most=TOLD_TURNS)

    def _begin(self, session_id: str, event: ResponseStarted) -> None:
        turn = self._turns.get((session_id, event.turn))
        span = self._tracer.start_span(
            f"invoke_agent {self._agent}",
            context=Context() if turn is None else otel.set_span_in_context(turn, Context()),
            kind=SpanKind.INTERNAL,
            start_time=event.at_ms * _NS,
            attributes={
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.agent.name": self._agent,
                "gen_ai.conversation.id": session_id,
                "gen_ai.response.id": event.response_id,
                "duologue.attempt": event.attempt,
                "duologue.tier": event.tier,
            },
        )
        _keep(self._runs, (session_id, event.response_id), span)

    def _end(
        self,
        session_id: str,
        response_id: str,
        at_ms: int,
        *,
        outcome: str,
        figures: Figures | None = None,
        error: str = "",
    ) -> None:
        span = self._runs.pop((session_id, response_id), None)
        if span is None:
            return
        span.set_attribute("duologue.outcome", outcome)
        if figures is not None:
            _measure(span, figures)
        if error:
            _fail(span, error)
        span.end(at_ms * _NS)

    def _finish(self, session_id: str, event: TurnEnded) -> None:
        span = self._turns.pop((session_id, event.turn), None)
        if span is None:
            return
        span.set_attribute("duologue.outcome", event.outcome)
        if event.outcome == "failed":
            _fail(span, "failed")
        if self._text:
            for name, role, said in (("input", "user", event.text), ("output", "assistant", event.answer)):
                message = {"role": role, "parts": [{"type": "text", "content": said}]}
                span.set_attribute(f"gen_ai.{name}.messages", json.dumps([message]))
        span.end(event.at_ms * _NS)


def make_provider(settings: TelemetrySettings) -> otel.TracerProvider:
    """Make what sends spans over OTLP, in batches on a thread of its own.

    Raises:
        SettingsError: the packages for it are not installed.
    """
    try:
        # Imported here: who sends no traces needs none of it.
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise SettingsError("telemetry.traces: needs OpenTelemetry's SDK; install duologue[telemetry]") from error
    resource = Resource.create({"service.name": "duologue", "service.version": version("duologue")})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=settings.endpoint or None)))
    return provider


def _measure(span: Span, figures: Figures) -> None:
    span.set_attribute("duologue.tokens", figures.total_tokens)
    if figures.ttft_ms is not None:
        span.set_attribute("gen_ai.response.time_to_first_chunk", figures.ttft_ms / 1000)
    for name, key in (("input", "input_tokens"), ("output", "output_tokens")):
        counted = [count for usage in figures.usage if (count := getattr(usage, key)) is not None]
        if counted:
            span.set_attribute(f"gen_ai.usage.{name}_tokens", sum(counted))
    models = [usage.model for usage in figures.usage if usage.model]
    providers = [usage.provider for usage in figures.usage if usage.provider]
    if models:
        span.set_attribute("gen_ai.response.model", models[-1])
    if providers:
        span.set_attribute("gen_ai.provider.name", providers[-1])


def _fail(span: Span, error: str) -> None:
    span.set_attribute("error.type", error)
    span.set_status(Status(StatusCode.ERROR))


def _keep(kept: "OrderedDict[K, V]", key: K, value: V, *, most: int = OPEN_SPANS) -> None:
    kept[key] = value
    if len(kept) > most:
        kept.popitem(last=False)
