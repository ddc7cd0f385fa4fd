"""The AG-UI agent against a plain server on the official SDK: every kind of event, and every way to go wrong."""

import asyncio
import base64
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

import pytest
from ag_ui import core as sdk
from opentelemetry import baggage, trace
from opentelemetry.context import attach, detach
from opentelemetry.sdk.trace import TracerProvider
from tests.counterparts.agui_scripts import Play, Scripts
from tests.counterparts.serve import served
from tests.e2e.harness import free_port

from duologue.adapters.agent_agui import AguiAgent, AguiOptions
from duologue.model import limits
from duologue.model.agent import (
    AgentItem,
    AgentRequest,
    Asked,
    Cancelled,
    Chips,
    Citation,
    Failure,
    Finished,
    Note,
    Rich,
    Text,
    ToolCalled,
    ToolRequested,
    ToolReturned,
)
from duologue.model.content import (
    Answer,
    Attachment,
    Chip,
    ClientTool,
    ContextItem,
    Interrupt,
    Message,
    NfcObservation,
    ToolCall,
    ToolResult,
    Usage,
)

pytestmark = [pytest.mark.anyio, pytest.mark.counterpart("ag-ui-protocol")]

STARTED = sdk.RunStartedEvent(thread_id="t", run_id="r")
FINISHED = sdk.RunFinishedEvent(thread_id="t", run_id="r")
OPENED = sdk.TextMessageStartEvent(message_id="m", role="assistant")
SAID = sdk.TextMessageContentEvent(message_id="m", delta="Hello.")
CLOSED = sdk.TextMessageEndEvent(message_id="m")
TOOL = sdk.ToolCallStartEvent(tool_call_id="c", tool_call_name="stock")
TOOL_CLOSED = sdk.ToolCallEndEvent(tool_call_id="c")
RETURNED = sdk.ToolCallResultEvent(message_id="c-result", tool_call_id="c", content="3")
HELLO = Text(text="Hello.")


class Shelf:
    """Holds pictures."""

    async def read(self, upload_id: str) -> bytes:
        """Give its bytes."""
        return upload_id.encode()


def request(text: str = "Hello", **more: Any) -> AgentRequest:
    return AgentRequest(
        session_id="s", subject="local", response_id="response-1", turn=1, text=text, request_id="request-1", **more
    )


async def play(*events: Play, asked: AgentRequest | None = None, **options: Any) -> list[AgentItem]:
    items, _ = await ask(events, asked or request(), **options)
    return items


async def ask(events: Sequence[Play], asked: AgentRequest, **options: Any) -> tuple[list[AgentItem], Scripts]:
    scripts = Scripts({"run": events})
    async with asyncio.timeout(30), served(scripts.application()) as address:
        agent = AguiAgent(AguiOptions(url=f"{address}/run", **options))
        async with aclosing(agent), aclosing(agent.run(asked, Shelf())) as items:
            return [item async for item in items], scripts


def custom(name: str, value: object) -> sdk.CustomEvent:
    return sdk.CustomEvent(name=name, value=value)


async def test_a_run_with_every_event_that_a_conversation_does_not_speak_of() -> None:
    usage = sdk.TokenUsage(provider="p", model="m", input_tokens=5, output_tokens=2, cached_input_tokens=1)
    items = await play(
        STARTED,
        sdk.StepStartedEvent(step_name="think"),
        sdk.ReasoningStartEvent(message_id="r"),
        sdk.ReasoningMessageStartEvent(message_id="r", role="reasoning"),
        sdk.ReasoningMessageContentEvent(message_id="r", delta="hm"),
        sdk.ReasoningMessageEndEvent(message_id="r"),
        sdk.ReasoningMessageChunkEvent(message_id="r2", delta="hm"),
        sdk.ReasoningEncryptedValueEvent(subtype="message", entity_id="r", encrypted_value="x"),
        sdk.ReasoningEndEvent(message_id="r"),
        sdk.StepFinishedEvent(step_name="think"),
        sdk.StateSnapshotEvent(snapshot={"a": 1}),
        sdk.StateDeltaEvent(delta=[]),
        sdk.MessagesSnapshotEvent(messages=[]),
        sdk.ActivitySnapshotEvent(message_id="a", activity_type="PLAN", content={}),
        sdk.ActivityDeltaEvent(message_id="a", activity_type="PLAN", patch=[]),
        sdk.RawEvent(event={"any": "thing"}),
        sdk.SubagentStartedEvent(name="helper", subagent_run_id="sub"),
        sdk.TextMessageStartEvent(message_id="sub-m", role="assistant", subagent_run_id="sub"),
        sdk.TextMessageContentEvent(message_id="sub-m", delta="not for the person"),
        sdk.TextMessageEndEvent(message_id="sub-m"),
        sdk.SubagentFinishedEvent(subagent_run_id="sub"),
        sdk.SubagentErrorEvent(subagent_run_id="sub", message="secret"),
        OPENED,
        SAID,
        sdk.TextMessageContentEvent(message_id="m", delta=""),
        CLOSED,
        custom("weather", {"sun": True}),
        b'data: {"type": "FROM_THE_FUTURE", "x": 1}\n\n',
        b": a comment\n\nevent: x\nid: 7\nretry: 1\n\n",
        sdk.RunFinishedEvent(thread_id="t", run_id="r", outcome=sdk.RunFinishedSuccessOutcome(), usage=[usage]),
    )
    notes = [(item.category, item.message) for item in items if isinstance(item, Note)]
    assert notes == [
        ("agui.step", "think"),
        ("agui.reasoning", "the agent thinks"),
        ("agui.subagent", "helper began"),
        ("agui.subagent", "a subagent failed"),
        ("agui.custom", "weather"),
        ("agui.unknown_event", "FROM_THE_FUTURE"),
    ]
    assert [item for item in items if not isinstance(item, Note)] == [
        HELLO,
        Finished(usage=(Usage(provider="p", model="m", input_tokens=5, output_tokens=2, cached_tokens=1),)),
    ]


async def test_what_another_duologue_server_shows_is_shown() -> None:
    items = await play(
        STARTED,
        custom("duologue.turn.accepted", {"text": "Hello"}),
        custom("duologue.citation", {"responseId": "x", "title": "Hours", "url": "/docs/hours#top"}),
        custom("duologue.suggestions", {"responseId": "x", "chips": [{"label": "More", "text": "Tell me more"}]}),
        custom("duologue.rich", {"responseId": "x", "payloadType": "card", "version": 2, "data": {"a": 1}}),
        custom("duologue.diagnostic", {"category": "c", "message": "m", "details": {"b": 2}}),
        FINISHED,
    )
    cited, *others = items
    assert isinstance(cited, Citation)
    assert cited.url.startswith("http://127.0.0.1:") and cited.url.endswith("/docs/hours#top")
    assert others == [
        Chips(chips=(Chip(label="More", text="Tell me more"),)),
        Rich(payload_type="card", data={"a": 1}, version=2),
        Note(category="c", message="m", details={"b": 2}),
        Finished(),
    ]


async def test_words_that_come_only_in_a_snapshot_are_said_too() -> None:
    snapshot = sdk.MessagesSnapshotEvent(
        messages=[
            sdk.AssistantMessage(id="0", role="assistant", content="Long ago."),
            sdk.UserMessage(id="1", role="user", content="Hello"),
            sdk.AssistantMessage(id="2", role="assistant", content="Asked before."),
            sdk.AssistantMessage(id="3", role="assistant", content="Hello."),
        ]
    )
    assert await play(STARTED, snapshot, FINISHED) == [Text(text="Asked before.\n\nHello."), Finished()]
    assert await play(STARTED, OPENED, SAID, CLOSED, snapshot, FINISHED) == [HELLO, Finished()]
    interrupt = Interrupt(interrupt_id="i", reason="r")
    resumed = request(
        "",
        history=(Message(role="assistant", text="Asked before.", turn=1, interrupts=(interrupt,)),),
        interrupts=(interrupt,),
        resume=(Answer(interrupt_id="i", status="resolved"),),
    )
    assert await play(STARTED, snapshot, FINISHED, asked=resumed) == [HELLO, Finished()]


async def test_chunks_open_and_close_by_themselves() -> None:
    items = await play(
        STARTED,
        sdk.TextMessageChunkEvent(message_id="a", role="assistant", delta="Hel"),
        sdk.TextMessageChunkEvent(delta="lo."),
        sdk.ToolCallChunkEvent(tool_call_id="c", tool_call_name="stock", delta='{"shelf"'),
        sdk.ToolCallChunkEvent(delta=": 4}"),
        RETURNED,
        sdk.TextMessageChunkEvent(message_id="b", delta="Three."),
        sdk.ToolCallChunkEvent(tool_call_id="d", tool_call_name="where", delta="{}"),
        FINISHED,
        asked=request(tools=(ClientTool(name="where", description="Where."),)),
    )
    assert items == [
        Text(text="Hel"),
        Text(text="lo."),
        ToolCalled(call_id="c", name="stock", arguments='{"shelf": 4}'),
        ToolReturned(call_id="c", result="3"),
        Text(text="\n\nThree."),
        ToolRequested(call_id="d", name="where", arguments="{}"),
        Finished(),
    ]


async def test_a_tool_that_the_client_offers_and_the_agent_ran_itself_is_the_agents() -> None:
    items = await play(
        STARTED, TOOL, TOOL_CLOSED, RETURNED, FINISHED, asked=request(tools=(ClientTool(name="stock", description=""),))
    )
    assert items == [ToolReturned(call_id="c", result="3", name="stock"), Finished()]


async def test_the_calls_that_the_agent_names_as_unanswered_are_those_of_the_run() -> None:
    tools = (ClientTool(name="stock", description=""),)

    def finished(*pending: str) -> sdk.RunFinishedEvent:
        outcome = sdk.RunFinishedSuccessOutcome(pending_tool_call_ids=list(pending))
        return sdk.RunFinishedEvent(thread_id="t", run_id="r", outcome=outcome)

    items = await play(STARTED, TOOL, TOOL_CLOSED, finished("c"), asked=request(tools=tools))
    assert items == [ToolRequested(call_id="c", name="stock"), Finished()]
    items = await play(STARTED, TOOL, TOOL_CLOSED, finished("other"), asked=request(tools=tools))
    assert isinstance(items[-1], Failure)


async def test_what_a_tool_returned_in_parts_is_text() -> None:
    parts = [
        sdk.TextPart(text="3"),
        sdk.ImagePart(source=sdk.UrlSource(value="https://a.example/x.png")),
    ]
    result = sdk.ToolCallResultEvent(message_id="x", tool_call_id="c", content=list(parts))
    items = await play(STARTED, TOOL, TOOL_CLOSED, result, FINISHED)
    assert items[1] == ToolReturned(call_id="c", result="3\n[image]")


async def test_what_the_agent_asks_for_ends_the_run_and_leaves_its_call_open() -> None:
    asked = sdk.Interrupt(
        id="i",
        reason="approval",
        message="May I?",
        tool_call_id="c",
        response_schema={"type": "object"},
        expires_at="2030-01-01T00:00:00Z",
        metadata={"k": 1},
    )
    outcome = sdk.RunFinishedInterruptOutcome(interrupts=[asked])
    items = await play(STARTED, TOOL, TOOL_CLOSED, sdk.RunFinishedEvent(thread_id="t", run_id="r", outcome=outcome))
    interrupt = Interrupt(
        interrupt_id="i",
        reason="approval",
        message="May I?",
        tool_call_id="c",
        response_schema={"type": "object"},
        expires_at="2030-01-01T00:00:00Z",
        metadata={"k": 1},
    )
    assert items == [ToolCalled(call_id="c", name="stock"), Asked(interrupts=(interrupt,))]


async def test_what_is_sent_is_what_the_protocol_has() -> None:
    """The SDK's own models read it, and nothing of it is unknown to them."""
    calls = (
        ToolCall(call_id="c1", name="stock", arguments="{}", result="3"),
        ToolCall(call_id="c2", name="where", arguments="{}", runs_on="client"),
        ToolCall(call_id="c3", name="order", arguments="{}"),
    )
    interrupt = Interrupt(interrupt_id="i", reason="approval", tool_call_id="c3")
    asked = request(
        "And now?",
        history=(
            Message(role="user", text="Hi", turn=1, message_id="m-1"),
            Message(role="assistant", text="", turn=1, message_id="m-2", calls=calls, interrupts=(interrupt,)),
        ),
        context=(ContextItem(description="page", value="cart"),),
        attachments=(picture("cat.png", "image/png"), picture("plan.pdf", "application/pdf")),
        tools=(ClientTool(name="where", description="Where.", parameters={"type": "object"}),),
        interrupts=(interrupt,),
        resume=(Answer(interrupt_id="i", status="resolved", payload={"approved": True}, metadata={"k": 1}),),
        state={"cart": []},
        forwarded_props={"tenant": "a"},
    )
    headers = (("Authorization", "Bearer hunter2"), ("X-Tenant", "b"))
    _, scripts = await ask((STARTED, OPENED, SAID, CLOSED, FINISHED), asked, headers=headers)
    (run,) = scripts.runs
    assert run.model_extra == {}
    assert (run.thread_id, run.run_id, run.protocol_version) == ("s", "s:response-1", "1.0")
    assert (run.state, run.forwarded_props) == ({"cart": []}, {"tenant": "a"})
    assert [message.role for message in run.messages] == ["user", "assistant", "tool", "tool", "user"]
    assistant, answered, given_up, said = run.messages[1:]
    assert isinstance(assistant, sdk.AssistantMessage) and assistant.tool_calls is not None
    assert [call.function.name for call in assistant.tool_calls] == ["stock", "where", "order"]
    assert isinstance(answered, sdk.ToolMessage) and (answered.tool_call_id, answered.content) == ("c1", "3")
    assert isinstance(given_up, sdk.ToolMessage) and given_up.tool_call_id == "c2" and given_up.error
    assert isinstance(said, sdk.UserMessage) and said.id == "request-1" and isinstance(said.content, list)
    text, image = said.content
    assert isinstance(text, sdk.TextPart) and text.text == "And now?"
    assert isinstance(image, sdk.ImagePart) and isinstance(image.source, sdk.DataSource)
    assert (image.source.value, image.source.mime_type) == (base64.b64encode(b"cat.png").decode(), "image/png")
    assert [item.description for item in run.context or ()] == [
        "page",
        "Files that came with the message and are not shown",
    ]
    assert "plan.pdf" in (run.context or [])[1].value and "cat.png" not in (run.context or [])[1].value
    assert run.resume is not None
    (entry,) = run.resume
    assert (entry.interrupt_id, entry.status, entry.payload) == ("i", "resolved", {"approved": True})
    (sent,) = scripts.headers
    assert (sent["authorization"], sent["x-tenant"], sent["x-request-id"]) == ("Bearer hunter2", "b", "request-1")


async def test_a_run_is_part_of_the_trace_that_is_current() -> None:
    with TracerProvider().get_tracer("test").start_as_current_span("run") as span:
        token = attach(baggage.set_baggage("customer", "secret"))
        _, scripts = await ask((STARTED, FINISHED), request())
        detach(token)
    here = span.get_span_context()
    (sent,) = scripts.headers
    assert sent["traceparent"] == f"00-{here.trace_id:032x}-{here.span_id:016x}-{here.trace_flags:02x}"
    assert sent["x-request-id"] == "request-1"
    assert "baggage" not in sent


async def test_a_run_outside_of_a_trace_names_none() -> None:
    assert not trace.get_current_span().get_span_context().is_valid
    _, scripts = await ask((STARTED, FINISHED), request())
    assert "traceparent" not in scripts.headers[0]


def picture(name: str, media_type: str) -> Attachment:
    return Attachment(upload_id=name, name=name, media_type=media_type, size_bytes=3, sha256="0" * 64)


async def test_an_agent_that_remembers_is_sent_only_what_is_new() -> None:
    tag = NfcObservation(tag_id="04a1", observed_at="2026-01-02T10:00:00Z")
    asked = request(
        history=(Message(role="user", text="Hi", turn=1),),
        tool_results=(ToolResult(call_id="c", content="no", is_error=True),),
        observation=tag,
    )
    _, scripts = await ask((STARTED, OPENED, SAID, CLOSED, FINISHED), asked, remembers=True)
    result, said = scripts.runs[0].messages
    assert isinstance(result, sdk.ToolMessage) and (result.tool_call_id, result.error) == ("c", "no")
    assert isinstance(said, sdk.UserMessage) and said.content == "Hello"
    assert "04a1" in (scripts.runs[0].context or [])[0].value


BROKEN: dict[str, tuple[tuple[Play, ...], str]] = {
    "no start": ((OPENED,), "the first event is not RUN_STARTED"),
    "two starts": ((STARTED, STARTED), "the run was started twice"),
    "no JSON": ((STARTED, b"data: {\n\n"), "an event is malformed"),
    "no type": ((STARTED, b'data: {"delta": "x"}\n\n'), "an event is malformed"),
    "a wrong member": (
        (STARTED, b'data: {"type": "TEXT_MESSAGE_CONTENT", "messageId": 7}\n\n'),
        "an event is malformed",
    ),
    "no object": ((STARTED, b"data: 7\n\n"), "an event is malformed"),
    "text for nothing": ((STARTED, SAID), "text for a message that was never opened"),
    "text after its end": ((STARTED, OPENED, CLOSED, SAID), "text for a message that was never opened"),
    "an end of nothing": ((STARTED, CLOSED), "the end of a message that is not open"),
    "opened twice": ((STARTED, OPENED, OPENED), "a message was started twice"),
    "a chunk of nothing": (
        (STARTED, sdk.TextMessageChunkEvent(delta="x")),
        "a chunk of a message that was never opened",
    ),
    "a tool chunk of nothing": (
        (STARTED, sdk.ToolCallChunkEvent(delta="x")),
        "a chunk of a tool call that was never opened",
    ),
    "a tool chunk without a name": (
        (STARTED, sdk.ToolCallChunkEvent(tool_call_id="c", delta="x")),
        "a chunk of a tool call that was never opened",
    ),
    "arguments for nothing": (
        (STARTED, sdk.ToolCallArgsEvent(tool_call_id="c", delta="x")),
        "arguments for a tool call that is not open",
    ),
    "a call's end of nothing": ((STARTED, TOOL_CLOSED), "the end of a tool call that is not open"),
    "a call twice": ((STARTED, TOOL, TOOL), "a tool call was started twice"),
    "a result of nothing": ((STARTED, RETURNED), "the result of a tool call that is not running"),
    "two results": (
        (STARTED, TOOL, TOOL_CLOSED, RETURNED, RETURNED),
        "the result of a tool call that is not running",
    ),
    "a result within the call": ((STARTED, TOOL, RETURNED), "the result of a tool call that is not running"),
    "finished within a message": ((STARTED, OPENED, SAID, FINISHED), "the run ended within a message"),
    "finished within a call": ((STARTED, TOOL, FINISHED), "the run ended within a tool call"),
    "a tool left open": (
        (STARTED, TOOL, TOOL_CLOSED, FINISHED),
        "a tool was called that the client does not offer, and has no result",
    ),
    "words after the end": ((STARTED, FINISHED, OPENED), "it went on after the end of the run"),
    "an error after the end": (
        (STARTED, FINISHED, sdk.RunErrorEvent(message="secret")),
        "it went on after the end of the run",
    ),
    "asks for nothing": (
        (STARTED, b'data: {"type": "RUN_FINISHED", "outcome": {"type": "interrupt", "interrupts": []}}\n\n'),
        "it asks for nothing, twice under one id, or for too much",
    ),
    "an unknown outcome": (
        (STARTED, b'data: {"type": "RUN_FINISHED", "outcome": {"type": "vanished"}}\n\n'),
        "an event is malformed",
    ),
    "a malformed citation": (
        (STARTED, custom("duologue.citation", {"title": 1})),
        "a custom event's value is malformed",
    ),
    "an event without an end": (
        (STARTED, b"data: " + b"x" * (limits.AGUI_EVENT_BYTES + 1)),
        f"an event is larger than {limits.AGUI_EVENT_BYTES} bytes",
    ),
    "an event of many lines": (
        (STARTED, (b"data: " + b"x" * 2**20 + b"\n") * 5),
        f"an event is larger than {limits.AGUI_EVENT_BYTES} bytes",
    ),
}


@pytest.mark.parametrize(("events", "what"), BROKEN.values(), ids=BROKEN)
async def test_what_breaks_the_protocol_is_a_precise_failure(events: tuple[Play, ...], what: str) -> None:
    items = await play(*events)
    assert items[-1] == Failure(message=f"the agent broke the AG-UI protocol: {what}", retryable=False)
    assert not any(isinstance(item, Finished | Asked) for item in items)
    assert "secret" not in str(items)


@pytest.mark.parametrize("events", [(), (STARTED,), (STARTED, OPENED, SAID), (STARTED, OPENED, SAID, CLOSED)])
async def test_a_run_that_stops_is_never_finished(events: tuple[Play, ...]) -> None:
    items = await play(*events)
    assert items[-1] == Failure(message="the agent's stream stopped before its run was over", retryable=True)


async def test_an_error_of_the_agent_is_told_by_its_code_alone() -> None:
    usage = sdk.TokenUsage(output_tokens=2)
    error = sdk.RunErrorEvent(message="secret", code="out_of_stock", usage=[usage])
    items = await play(STARTED, OPENED, SAID, error)
    assert items == [
        HELLO,
        Failure(
            message="the agent says that it failed (out_of_stock)",
            retryable=True,
            usage=(Usage(output_tokens=2),),
        ),
    ]
    (failure,) = await play(sdk.RunErrorEvent(message="secret", code="secret words"))
    assert failure == Failure(message="the agent says that it failed (…)", retryable=True)


async def test_a_run_that_was_cancelled_elsewhere_is_no_success() -> None:
    outcome = sdk.RunFinishedCancelledOutcome()
    items = await play(STARTED, sdk.RunFinishedEvent(thread_id="t", run_id="r", outcome=outcome))
    assert items == [Cancelled()]


async def test_a_stream_that_stays_open_after_the_end_is_left() -> None:
    items, scripts = await ask((STARTED, OPENED, SAID, CLOSED, FINISHED, None), request())
    assert items == [HELLO, Finished()]
    await asyncio.wait_for(scripts.left.wait(), 5)


async def test_an_agent_that_falls_silent_is_not_waited_for() -> None:
    items, scripts = await ask((STARTED, OPENED, SAID, None), request(), silence_ms=300)
    assert items == [HELLO, Failure(message="the agent did not go on in time", retryable=True)]
    await asyncio.wait_for(scripts.left.wait(), 5)


async def test_a_stopped_answer_closes_the_connection() -> None:
    scripts = Scripts({"run": (STARTED, OPENED, SAID, None)})
    async with (
        asyncio.timeout(30),
        served(scripts.application()) as address,
        aclosing(AguiAgent(AguiOptions(url=f"{address}/run"))) as agent,
    ):
        async with aclosing(agent.run(request(), Shelf())) as items:
            assert await anext(items) == HELLO
        await asyncio.wait_for(scripts.left.wait(), limits.CANCEL_MS / 1000)


async def test_an_answer_is_missing_is_told_before_anything_is_sent() -> None:
    interrupts = (Interrupt(interrupt_id="i", reason="r"), Interrupt(interrupt_id="j", reason="r"))
    asked = request(interrupts=interrupts, resume=(Answer(interrupt_id="i", status="cancelled"),))
    items, scripts = await ask((STARTED, FINISHED), asked)
    assert items == [Failure(message="not every question of the agent has its answer", retryable=False)]
    assert scripts.runs == []


async def test_nobody_there_is_told() -> None:
    async with aclosing(AguiAgent(AguiOptions(url=f"http://127.0.0.1:{free_port()}/run"))) as agent:
        items = [item async for item in agent.run(request(), Shelf())]
    assert items == [Failure(message="the agent cannot be reached", retryable=True)]
