"""Chat: the rules, each with an example."""

from typing import Final

from duologue.check.findings import Rule

_STAMP: Final = '"requestId":"m-1","timestamp":"2026-01-02T03:04:05.678Z"'


def _event(kind: str, more: str = "", *, stamp: str = _STAMP, response: str = "r") -> str:
    return f'{{"type":"{kind}",{stamp},"responseId":"{response}"{more}}}'


def _result(status: str, more: str = "") -> str:
    return _event("tool.result", f',"toolCallId":"c","output":{{}},"status":"{status}"{more}')


_START: Final = _event("response.started")
_END: Final = _event("response.completed")
_WORD: Final = _event("text.delta", ',"delta":"Hi"')
_TEXT: Final = _event("text.completed", ',"text":"Hi"')
_CALL: Final = _event("tool.call", ',"toolCallId":"c","toolName":"look_up","input":{}')
_OVER: Final = f'{{"type":"session.ended",{_STAMP},"reason":"user"}}'


def _answer(*events: str) -> tuple[str, ...]:
    return (_START, *events, _END)


_CONTRACT: Final = "TransportEvent, draft-07 schema"
_PAIRS: Final = "TransportEvent, response.started and response.completed"
_TOOLS: Final = "TransportEvent, tool.result `status`"


def _asking(status: str) -> str:
    return _result(status, ',"approvalPolicy":"user_confirm"')


def _better() -> tuple[str, str]:
    started = _event("response.started", ',"replaces":"r"', response="r2")
    return started, _event("response.completed", response="r2")


def _handoff(status: str) -> str:
    return _event("handoff.status", f',"handoffId":"h-1","status":"{status}"', response="turn-1")


RULES: Final = (
    Rule(
        id="chat-json",
        meaning="A frame is one JSON object, with no member twice.",
        mend="write one event per `data:` field or frame, as JSON",
        source=_CONTRACT,
        failing=(_START, _END, '{"type":"text.delta"'),
        passing=_answer(_WORD),
    ),
    Rule(
        id="chat-type",
        meaning="`type` is the name of a TransportEvent, or of a message that a chat client sends.",
        mend="use a type of the contract; what has none travels as rich.payload or diagnostic",
        source=_CONTRACT,
        failing=_answer('{"type":"text.piece","delta":"Hi"}'),
        passing=_answer(_WORD),
    ),
    Rule(
        id="chat-schema",
        meaning="A frame has the members of its type, each of its own kind.",
        mend="give the member as the schema of the event has it",
        source=_CONTRACT,
        failing=_answer(_event("citation", ',"title":"Hours"')),
        passing=_answer(_event("citation", ',"title":"Hours","url":"https://example.com/hours"')),
    ),
    Rule(
        id="chat-utc",
        severity="warning",
        meaning="A timestamp is in UTC.",
        mend="write the moment in UTC, with Z",
        source="Chat, known from its public documentation: `timestamp` is RFC 3339, UTC",
        failing=_answer(_event("text.delta", ',"delta":"Hi"', stamp=_STAMP.replace("678Z", "678+02:00"))),
        passing=_answer(_WORD),
    ),
    Rule(
        id="chat-sequence",
        meaning="`sequence` rises within a response; only the same frame may come again under its number.",
        mend="number the events of a response upwards, and send the same bytes when you send one again",
        source="TransportEvent, `sequence`: monotonic per responseId",
        failing=_answer(
            _event("text.delta", ',"delta":"H","sequence":5'), _event("text.delta", ',"delta":"i","sequence":4')
        ),
        passing=_answer(
            _event("text.delta", ',"delta":"H","sequence":4'), _event("text.delta", ',"delta":"i","sequence":5')
        ),
    ),
    Rule(
        id="chat-request",
        meaning="All events of a response name the request that it answers.",
        mend="repeat the `requestId` of the client's message",
        source="TransportEvent, `requestId`",
        failing=_answer(_event("text.delta", ',"delta":"Hi"', stamp=_STAMP.replace("m-1", "m-2"))),
        passing=_answer(_WORD),
    ),
    Rule(
        id="chat-response-first",
        meaning="A response starts before anything of it comes.",
        mend="send response.started first",
        source=_PAIRS,
        failing=(_WORD, _END),
        passing=_answer(_WORD),
    ),
    Rule(
        id="chat-response-twice",
        meaning="A response starts once.",
        mend="give every response an id of its own",
        source=_PAIRS,
        failing=(_START, _event("response.started", ',"attempt":2'), _END),
        passing=(_START, _END, _event("response.started", response="r2"), _event("response.completed", response="r2")),
    ),
    Rule(
        id="chat-response-open",
        meaning="A response ends, with response.completed or an error that names it.",
        mend="end it; a cut stream is no success",
        source=_PAIRS,
        failing=(_START, _WORD),
        passing=_answer(_WORD),
    ),
    Rule(
        id="chat-after-response",
        meaning="After a response's end come no more of its words.",
        mend="send it before the end, and only one end",
        source=_PAIRS,
        failing=(*_answer(), _event("error", ',"code":"SEND_FAILED","message":"too late","retryable":true')),
        passing=(_START, _event("error", ',"code":"SEND_FAILED","message":"in time","retryable":true')),
    ),
    Rule(
        id="chat-text",
        meaning=(
            "text.completed holds what the deltas hold together; a beginning of it where a spoken one was cut short."
        ),
        mend="send every delta once, and the whole text at the end",
        source="TransportEvent, text.completed",
        failing=_answer(_WORD, _event("text.completed", ',"text":"Hi there"')),
        passing=_answer(_WORD, _TEXT),
    ),
    Rule(
        id="chat-text-over",
        meaning="After text.completed no more text of the response comes, unless a tool was called meanwhile.",
        mend="send text.completed when the text is whole",
        source="TransportEvent, text.completed",
        failing=_answer(_WORD, _TEXT, _WORD),
        passing=_answer(_WORD, _TEXT),
    ),
    Rule(
        id="chat-after-end",
        meaning="After session.ended comes no event.",
        mend="end the session last",
        source="TransportEvent, session.ended",
        failing=(_OVER, *_answer()),
        passing=(*_answer(), _OVER),
    ),
    Rule(
        id="chat-open-first",
        meaning="A client opens a session before it sends anything else.",
        mend="send session.start first",
        source="Duologue, Chat over a WebSocket",
        failing=('{"type":"message.send","requestId":"m-1","text":"Hello"}',),
        passing=('{"type":"session.start"}', '{"type":"message.send","requestId":"m-1","text":"Hello"}'),
    ),
    Rule(
        id="chat-retryable",
        severity="warning",
        meaning="`retryable` says of a known code what the SDK expects of it.",
        mend="take another code, or say that a retry helps where the code says so",
        source="Chat, known from its public documentation: error codes",
        failing=(_START, _event("error", ',"code":"AUTH_FAILED","message":"no","retryable":true')),
        passing=(_START, _event("error", ',"code":"AUTH_FAILED","message":"no","retryable":false')),
    ),
    Rule(
        id="chat-tool-twice",
        meaning="A tool call has an id of its own.",
        mend="make a new id for each call",
        source="TransportEvent, tool.call",
        failing=_answer(_CALL, _CALL),
        passing=_answer(_CALL, _result("completed")),
    ),
    Rule(
        id="chat-tool-unknown",
        meaning="A result is of a call that was shown.",
        mend="send tool.call first, and repeat its id",
        source="TransportEvent, tool.result",
        failing=_answer(_result("completed")),
        passing=_answer(_CALL, _result("completed")),
    ),
    Rule(
        id="chat-tool-status",
        meaning="A call's status only goes on: requested, waiting, approved or denied, executing, and its end.",
        mend="report the statuses in their order; what was denied is not executed",
        source=_TOOLS,
        failing=_answer(_CALL, _result("denied"), _result("executing")),
        passing=_answer(_CALL, _result("awaiting_approval"), _result("approved"), _result("completed")),
    ),
    Rule(
        id="chat-tool-duplicate",
        meaning="A duplicate says what was made of it, and only a duplicate does.",
        mend="send `duplicateDisposition` together with the status duplicate",
        source="TransportEvent, tool.result `duplicateDisposition`",
        failing=_answer(_CALL, _result("duplicate")),
        passing=_answer(_CALL, _result("duplicate", ',"duplicateDisposition":"replayed"')),
    ),
    Rule(
        id="chat-tool-approval",
        meaning="A call that somebody has to approve runs only once it is approved.",
        mend="report `approved` when the decision is there, and run the tool then",
        source=_TOOLS,
        failing=_answer(_CALL, _asking("awaiting_approval"), _asking("executing")),
        passing=_answer(_CALL, _asking("awaiting_approval"), _asking("approved"), _asking("executing")),
    ),
    Rule(
        id="chat-replaces",
        meaning="A response takes the place of one that ended as replaced.",
        mend="end the poorer answer with the outcome replaced before the better one starts",
        source="Duologue, response.started `replaces`",
        failing=(_START, _END, *_better()),
        passing=(_START, _event("response.completed", ',"outcome":"replaced"'), *_better()),
    ),
    Rule(
        id="chat-handoff-over",
        meaning="After a handoff is resolved, cancelled or failed nothing follows of it.",
        mend="give another handoff an id of its own",
        source="Duologue, handoff.status `handoffId`",
        failing=(_handoff("resolved"), _handoff("connected")),
        passing=(_handoff("connected"), _handoff("resolved")),
    ),
)
