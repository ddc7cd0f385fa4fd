"""AG-UI: the rules, each with an example. Source of all: AG-UI 1.0, its specification of events."""

from typing import Final

from duologue.check.findings import Rule

_START: Final = '{"type":"RUN_STARTED","threadId":"t","runId":"r"}'
_END: Final = '{"type":"RUN_FINISHED","threadId":"t","runId":"r"}'
_TEXT: Final = '{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}'
_WORD: Final = '{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"Hi"}'
_TEXT_END: Final = '{"type":"TEXT_MESSAGE_END","messageId":"m"}'
_CALL: Final = '{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"look_up"}'
_ARGS: Final = '{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\\"a\\":1}"}'
_CALL_END: Final = '{"type":"TOOL_CALL_END","toolCallId":"c"}'
_RESULT: Final = '{"type":"TOOL_CALL_RESULT","messageId":"m2","toolCallId":"c","content":"7"}'
_STEP: Final = '{"type":"STEP_STARTED","stepName":"plan"}'
_STEP_END: Final = '{"type":"STEP_FINISHED","stepName":"plan"}'
_THOUGHT: Final = '{"type":"REASONING_MESSAGE_START","messageId":"g","role":"reasoning"}'
_THOUGHT_WORD: Final = '{"type":"REASONING_MESSAGE_CONTENT","messageId":"g","delta":"So"}'
_THOUGHT_END: Final = '{"type":"REASONING_MESSAGE_END","messageId":"g"}'
_STATE: Final = '{"type":"STATE_SNAPSHOT","snapshot":{"done":0}}'
_SUB: Final = '{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"helper"}'
_SUB_END: Final = '{"type":"SUBAGENT_FINISHED","subagentRunId":"s"}'
_INTERRUPT: Final = (
    '{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i"}]}}'
)
_RESUMED: Final = (
    '{"type":"RUN_STARTED","threadId":"t","runId":"r2","input":{"resume":[{"interruptId":"i","status":"resolved"}]}}'
)


_CUSTOM: Final = '{"type":"CUSTOM","timestamp":1767323045678,"name":"duologue.'
_SPOKEN_WORD: Final = (
    f'{_CUSTOM}voice.word","value":{{"state":"speaking","responseId":"r",'
    '"word":"Hi","begin":0,"end":2,"language":"en"}}'
)
_BARGE_IN: Final = f'{_CUSTOM}voice.barge_in","value":{{"state":"listening","responseId":"r","heard":2}}}}'


def _heard(final: str) -> str:
    value = f'{{"state":"transcribing","segment":1,"text":"Hi","final":{final},"soFar":"Hi","sttMs":80}}'
    return f'{_CUSTOM}voice.transcript","value":{value}}}'


def _run(*events: str) -> tuple[str, ...]:
    return (_START, *events, _END)


def _waited(total: int) -> str:
    latency = f'{{"transcriberMs":200,"modelMs":100,"totalMs":{total}}}'
    return f'{_END[:-1]},"metadata":{{"duologue":{{"latency":{latency}}}}}}}'


_EVENTS: Final = "AG-UI 1.0, events"
_LIFECYCLE: Final = "AG-UI 1.0, run lifecycle"
_MESSAGES: Final = "AG-UI 1.0, text messages"
_TOOLS: Final = "AG-UI 1.0, tool calls"

RULES: Final = (
    Rule(
        id="agui-json",
        meaning="A frame is one JSON object, with no member twice.",
        mend="write one event per `data:` field or line, as JSON",
        source="AG-UI 1.0, transport",
        failing=_run('{"type":"TEXT_MESSAGE_START",'),
        passing=_run(),
    ),
    Rule(
        id="agui-type",
        meaning="`type` is the name of an AG-UI event.",
        mend="use a type of the protocol; what has none travels as CUSTOM",
        source=_EVENTS,
        failing=_run('{"type":"TextMessageStart","messageId":"m"}'),
        passing=_run(_TEXT, _TEXT_END),
    ),
    Rule(
        id="agui-schema",
        meaning="An event has the members of its type, each of its own kind.",
        mend="give the member as the schema of the event has it",
        source=_EVENTS,
        failing=_run('{"type":"TOOL_CALL_START","toolCallId":"c"}', _CALL_END),
        passing=_run(_CALL, _CALL_END),
    ),
    Rule(
        id="agui-run-first",
        meaning="Nothing comes before the run has started.",
        mend="send RUN_STARTED first",
        source=_LIFECYCLE,
        failing=(_TEXT, _TEXT_END, _END),
        passing=_run(_TEXT, _TEXT_END),
    ),
    Rule(
        id="agui-run-twice",
        meaning="A run starts once, and the next one after its end.",
        mend="end the first run before the next one starts",
        source=_LIFECYCLE,
        failing=(_START, '{"type":"RUN_STARTED","threadId":"t","runId":"r2"}', _END),
        passing=_run(),
    ),
    Rule(
        id="agui-run-open",
        meaning="A run ends, with RUN_FINISHED or RUN_ERROR.",
        mend="send RUN_FINISHED, or RUN_ERROR where it failed; a cut stream is no success",
        source=_LIFECYCLE,
        failing=(_START, _TEXT, _WORD, _TEXT_END),
        passing=_run(_TEXT, _WORD, _TEXT_END),
    ),
    Rule(
        id="agui-after-run",
        meaning="After a run's end nothing follows but the start of another.",
        mend="send it before the end, and only one end",
        source=_LIFECYCLE,
        failing=(_START, _END, '{"type":"RUN_ERROR","message":"too late"}'),
        passing=(_START, '{"type":"RUN_ERROR","message":"in time"}'),
    ),
    Rule(
        id="agui-run-ids",
        severity="warning",
        meaning="A run ends under the ids that it started with.",
        mend="repeat `threadId` and `runId` of RUN_STARTED",
        source=_LIFECYCLE,
        failing=(_START, '{"type":"RUN_FINISHED","threadId":"t","runId":"other"}'),
        passing=_run(),
    ),
    Rule(
        id="agui-resume",
        meaning="The run after an interrupt answers every open interrupt of the thread.",
        mend="put an entry for each interrupt into `resume`; cancel what is not wanted any more",
        source="AG-UI 1.0, interrupts",
        failing=(
            _START,
            _INTERRUPT,
            '{"type":"RUN_STARTED","threadId":"t","runId":"r2","input":{"messages":[]}}',
            '{"type":"RUN_FINISHED","threadId":"t","runId":"r2"}',
        ),
        passing=(_START, _INTERRUPT, _RESUMED, '{"type":"RUN_FINISHED","threadId":"t","runId":"r2"}'),
    ),
    Rule(
        id="agui-text-unopened",
        meaning="Text comes for a message that is open on this stream.",
        mend="open the message first; a stream that resumes in a message opens it again",
        source=_MESSAGES,
        failing=_run(_WORD),
        passing=_run(_TEXT, _WORD, _TEXT_END),
    ),
    Rule(
        id="agui-text-open",
        meaning="A run that ends well has closed its messages.",
        mend="send TEXT_MESSAGE_END before RUN_FINISHED",
        source=_MESSAGES,
        failing=_run(_TEXT, _WORD),
        passing=_run(_TEXT, _WORD, _TEXT_END),
    ),
    Rule(
        id="agui-text-twice",
        meaning="A message is opened once in a run.",
        mend="give every message an id of its own",
        source=_MESSAGES,
        failing=_run(_TEXT, _TEXT, _TEXT_END),
        passing=_run(_TEXT, _TEXT_END),
    ),
    Rule(
        id="agui-text-empty",
        severity="warning",
        meaning="A piece of text is not empty.",
        mend="leave the event out where there is nothing to say",
        source=_MESSAGES,
        failing=_run(_TEXT, '{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":""}', _TEXT_END),
        passing=_run(_TEXT, _WORD, _TEXT_END),
    ),
    Rule(
        id="agui-chunk",
        meaning="The first chunk says what it opens: the id, and for a tool call its name.",
        mend="name it in the first chunk; later ones may leave it out",
        source="AG-UI 1.0, chunks",
        failing=_run('{"type":"TEXT_MESSAGE_CHUNK","delta":"Hi"}'),
        passing=_run('{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"Hi"}'),
    ),
    Rule(
        id="agui-tool-unopened",
        meaning="Arguments come for a tool call that is open.",
        mend="send TOOL_CALL_START first",
        source=_TOOLS,
        failing=_run(_ARGS),
        passing=_run(_CALL, _ARGS, _CALL_END),
    ),
    Rule(
        id="agui-tool-open",
        meaning="A run that ends well has closed its tool calls.",
        mend="send TOOL_CALL_END before RUN_FINISHED",
        source=_TOOLS,
        failing=_run(_CALL, _ARGS),
        passing=_run(_CALL, _ARGS, _CALL_END),
    ),
    Rule(
        id="agui-tool-twice",
        meaning="A tool call is opened once in a run.",
        mend="give every call an id of its own",
        source=_TOOLS,
        failing=_run(_CALL, _CALL, _CALL_END),
        passing=_run(_CALL, _CALL_END),
    ),
    Rule(
        id="agui-tool-args",
        meaning="The pieces of a call's arguments make JSON together.",
        mend="send all pieces before TOOL_CALL_END, each once and in order",
        source=_TOOLS,
        failing=_run(_CALL, '{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\\"a\\":"}', _CALL_END),
        passing=_run(_CALL, _ARGS, _CALL_END),
    ),
    Rule(
        id="agui-tool-early",
        severity="warning",
        meaning="A result comes after the call is whole.",
        mend="send TOOL_CALL_END before the result",
        source=_TOOLS,
        failing=_run(_CALL, _RESULT, _CALL_END),
        passing=_run(_CALL, _CALL_END, _RESULT),
    ),
    Rule(
        id="agui-tool-unknown",
        meaning="A result is of a call that the stream or a snapshot of messages has shown.",
        mend="repeat the call's id",
        source=_TOOLS,
        failing=_run(_RESULT),
        passing=_run(_CALL, _CALL_END, _RESULT),
    ),
    Rule(
        id="agui-step-unopened",
        meaning="A step ends that has started.",
        mend="send STEP_STARTED with the same name first",
        source="AG-UI 1.0, steps",
        failing=_run(_STEP_END),
        passing=_run(_STEP, _STEP_END),
    ),
    Rule(
        id="agui-step-open",
        meaning="A run that ends well has ended its steps.",
        mend="send STEP_FINISHED before RUN_FINISHED",
        source="AG-UI 1.0, steps",
        failing=_run(_STEP),
        passing=_run(_STEP, _STEP_END),
    ),
    Rule(
        id="agui-patch",
        meaning="A patch is one, and applies to the document that the last snapshot and the patches since have led to.",
        mend="send a new snapshot where producer and consumer have come apart",
        source="AG-UI 1.0, state; RFC 6902",
        failing=_run(_STATE, '{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/gone","value":1}]}'),
        passing=_run(_STATE, '{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/done","value":1}]}'),
    ),
    Rule(
        id="agui-reasoning-unopened",
        meaning="Reasoning comes for a message that is open.",
        mend="send REASONING_MESSAGE_START first",
        source="AG-UI 1.0, reasoning",
        failing=_run(_THOUGHT_WORD),
        passing=_run(_THOUGHT, _THOUGHT_WORD, _THOUGHT_END),
    ),
    Rule(
        id="agui-reasoning-open",
        severity="warning",
        meaning="A run that ends well has closed its reasoning.",
        mend="send the end before RUN_FINISHED",
        source="AG-UI 1.0, reasoning",
        failing=_run('{"type":"REASONING_START","messageId":"g"}'),
        passing=_run('{"type":"REASONING_START","messageId":"g"}', '{"type":"REASONING_END","messageId":"g"}'),
    ),
    Rule(
        id="agui-subagent-unopened",
        meaning="A subagent ends that has started.",
        mend="send SUBAGENT_STARTED with the same id first",
        source="AG-UI 1.0, subagents",
        failing=_run(_SUB_END),
        passing=_run(_SUB, _SUB_END),
    ),
    Rule(
        id="agui-subagent-open",
        meaning="A run that ends well has ended its subagents.",
        mend="send SUBAGENT_FINISHED or SUBAGENT_ERROR before RUN_FINISHED",
        source="AG-UI 1.0, subagents",
        failing=_run(_SUB),
        passing=_run(_SUB, _SUB_END),
    ),
    Rule(
        id="agui-subagent-twice",
        meaning="A subagent starts once, unless it was suspended.",
        mend="give every subagent's run an id of its own",
        source="AG-UI 1.0, subagents",
        failing=_run(_SUB, _SUB, _SUB_END),
        passing=_run(_SUB, _SUB_END),
    ),
    Rule(
        id="agui-custom",
        meaning="The value of a CUSTOM event of Duologue's has the members of its name.",
        mend="give the member as the published schema `agui-custom` has it",
        source="Duologue, CUSTOM events of a run",
        failing=_run(f'{_CUSTOM}retry","value":{{"attempt":2}}}}'),
        passing=_run(f'{_CUSTOM}retry","value":{{"attempt":2,"responseId":"response-2"}}}}'),
    ),
    Rule(
        id="agui-voice-words",
        meaning="The words of a spoken answer go forward, and none comes after it was interrupted or heard to its end.",
        mend="tell each word once, as it begins to be heard; drop what is left when the person interrupts",
        source="Duologue, duologue.voice.word",
        failing=_run(_SPOKEN_WORD, _SPOKEN_WORD),
        passing=_run(_SPOKEN_WORD, _BARGE_IN),
    ),
    Rule(
        id="agui-voice-final",
        meaning="Nothing more is recognised of a segment after its final transcript.",
        mend="count a segment further with each final; drop what comes late",
        source="Duologue, duologue.voice.transcript",
        failing=_run(_heard("true"), _heard("false")),
        passing=_run(_heard("false"), _heard("true")),
    ),
    Rule(
        id="agui-latency",
        meaning="What a turn of a call waited for sums to the whole.",
        mend="measure each part from where the one before it ends, on one clock",
        source="Duologue, metadata of RUN_FINISHED and RUN_ERROR",
        failing=(_START, _waited(301)),
        passing=(_START, _waited(300)),
    ),
)
