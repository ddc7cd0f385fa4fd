"""Spans as a collector gets them, over OTLP, and the caller's trace through every channel."""

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from opentelemetry import trace
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.trace import TracerProvider
from tests.e2e.harness import serving
from tests.e2e.links import CHANNELS, SOCKETS, Channel, channel_name
from tests.e2e.receiver import Receiver
from tests.e2e.wire import fetch

from duologue import Ghost, Turn
from duologue.server.settings import ServerSettings, Settings
from duologue.server.settings_telemetry import TelemetrySettings
from duologue.testing.scripted_agent import BreakOff, ScriptedAgent

pytestmark = [pytest.mark.anyio, pytest.mark.counterpart("OpenTelemetry SDK")]

TRACE: Final = "0af7651916cd43dd8448eb211c80319c"
CALLER: Final = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}


class Collected(NamedTuple):
    """What a collector was sent."""

    spans: list[Span]
    services: set[str]
    raw: bytes

    def named(self, name: str) -> list[Span]:
        """The spans of a name, as they began."""
        return sorted((one for one in self.spans if one.name == name), key=lambda span: span.start_time_unix_nano)


def collected(collector: Receiver) -> Collected:
    """Read what came, as the protocol has it."""
    spans: list[Span] = []
    services: set[str] = set()
    for got in collector.got:
        assert got.headers["content-type"] == "application/x-protobuf"
        for resource in ExportTraceServiceRequest.FromString(got.raw).resource_spans:
            values = {one.key: one.value.string_value for one in resource.resource.attributes}
            services.add(values["service.name"])
            spans += [span for scope in resource.scope_spans for span in scope.spans]
    return Collected(spans, services, b"".join(got.raw for got in collector.got))


def traced(collector: Receiver) -> Settings:
    telemetry = TelemetrySettings(traces=True, endpoint=collector.url)
    return Settings(telemetry=telemetry, server=ServerSettings(drain_ms=500))


def words(span: Span) -> dict[str, str]:
    return {one.key: one.value.string_value for one in span.attributes}


def parents(spans: Sequence[Span]) -> list[tuple[str, str]]:
    """Of each span, its trace and its parent."""
    return [(span.trace_id.hex(), span.parent_span_id.hex()) for span in spans]


@pytest.mark.parametrize("channel", CHANNELS, ids=channel_name)
async def test_a_collector_gets_the_turns_and_runs_of_every_channel(channel: Channel, tmp_path: Path) -> None:
    async with Receiver() as collector:
        async with serving(ScriptedAgent(["the secret answer"]), tmp_path, traced(collector)) as server:
            async with channel.link(server.port, "s-1", headers=CALLER) as link:
                await link.say("the secret question", 1)
                await link.over()
            async with channel.link(server.port, "s-2") as link:
                await link.say("the secret question", 1)
                await link.over()
        got = collected(collector)
    turns, runs = got.named("duologue.turn"), got.named("invoke_agent scripted")
    assert got.services == {"duologue"}
    assert [words(span)["gen_ai.conversation.id"] for span in turns] == ["s-1", "s-2"]
    assert {words(span)["duologue.outcome"] for span in (*turns, *runs)} == {"completed"}
    assert parents(turns)[0] == (TRACE, "b7ad6b7169203331")
    assert turns[1].trace_id.hex() != TRACE and not turns[1].parent_span_id
    assert parents(runs) == [(turn.trace_id.hex(), turn.span_id.hex()) for turn in turns]
    assert b"secret" not in got.raw


@pytest.mark.parametrize("channel", SOCKETS, ids=channel_name)
async def test_a_trace_is_that_of_the_socket_and_not_of_its_session(channel: Channel, tmp_path: Path) -> None:
    async with Receiver() as collector:
        async with (
            serving(ScriptedAgent(["yes"]), tmp_path, traced(collector)) as server,
            channel.link(server.port, "s-1", headers=CALLER) as link,
            channel.link(server.port, "s-1") as other,
        ):
            await link.say("one", 1)
            await link.over()
            # A repeat leaves nothing behind for whoever comes next.
            await link.say("one", 1)
            await link.say("two", 2)
            await link.over()
            await other.say("three", 3)
            await link.over()
        turns = collected(collector).named("duologue.turn")
    assert [span.trace_id.hex() == TRACE for span in turns] == [True, True, False]


async def test_a_failed_run_is_an_error_at_the_collector(tmp_path: Path) -> None:
    async with Receiver() as collector:
        async with serving(ScriptedAgent([BreakOff()]), tmp_path, traced(collector)) as server:
            body = {"sessionId": "s-1", "requestId": "r-1", "text": "hello"}
            await fetch(server.port, "POST", "/chat/stream", body=body)
        (run,) = collected(collector).named("invoke_agent scripted")
    assert words(run)["error.type"] == "agent_truncated"
    assert run.status.code == 2


async def test_a_collector_that_is_not_there_stops_nobody(tmp_path: Path) -> None:
    async with Receiver() as collector:
        settings = traced(collector)
    async with serving(ScriptedAgent(["yes"]), tmp_path, settings) as server:
        body = {"sessionId": "s-1", "requestId": "r-1", "text": "hello"}
        assert (await fetch(server.port, "POST", "/chat/stream", body=body)).status == 200


async def test_what_is_said_in_process_is_part_of_the_programs_trace(tmp_path: Path) -> None:
    async def answer(_turn: Turn) -> AsyncGenerator[str, None]:
        yield "yes"

    program = TracerProvider().get_tracer("program")
    async with Receiver() as collector:
        async with Ghost(answer, data=tmp_path, settings=traced(collector)) as ghost:
            session = await ghost.session("s-1")
            with program.start_as_current_span("kitchen") as span:
                _ = [event async for event in session.say("hello")]
            _ = [event async for event in session.say("again")]
            here = span.get_span_context()
        turns = collected(collector).named("duologue.turn")
    assert parents(turns)[0] == (f"{here.trace_id:032x}", f"{here.span_id:016x}")
    assert not turns[1].parent_span_id
    assert not trace.get_current_span().get_span_context().is_valid
