"""AgentCall: the rules, each with an example. The AG-UI events inside the frames are judged by AG-UI's rules."""

from typing import Final

from duologue.check.findings import Rule

_BINDING: Final = "AgentCall AG-UI WebSocket binding 0.1"
_OURS: Final = "AgentCall 0.1 as Duologue publishes its server side"


def _event(sequence: int, event: str) -> str:
    return f'{{"type":"agui.event","sequence":{sequence},"turn":1,"event":{event}}}'


_OPEN: Final = '{"type":"session.start","sessionId":"s"}'
_OPENED: Final = '{"type":"session.opened","sessionId":"s","resumedFrom":0,"lastSequence":0,"resume":true}'
_RUN: Final = '{"type":"RUN_STARTED","threadId":"s","runId":"r"}'
_END: Final = '{"type":"RUN_FINISHED","threadId":"s","runId":"r"}'
_TURN: Final = '{"type":"user.turn","turn":1,"text":"Where is the oat milk?"}'
_OVER: Final = '{"type":"CUSTOM","name":"duologue.session.ended","value":{"reason":"user"},"timestamp":1767323045678}'
_FIGURES: Final = '{"durationMs":500,"totalTokens":2,"tps":9.5,"qualityPass":true,"language":"en"}'


def _waited(total: int) -> str:
    latency = f'{{"transcriberMs":200,"modelMs":100,"totalMs":{total}}}'
    value = f'{{"outcome":"completed","responseId":"r","figures":{_FIGURES},"latency":{latency}}}'
    return f'{{"type":"CUSTOM","name":"duologue.turn.ended","value":{value},"timestamp":1767323045678}}'


_EXPLICIT: Final = (
    '{"type":"session.start","sessionId":"s","clientCapabilities":{"audioTurnControl":{"mode":"explicit"}}}'
)


def _tag(text: str) -> str:
    record = f'{{"tnf":1,"type":"T","payload":"AmVuSGk=","text":"{text}"}}'
    seen = f'{{"kind":"nfc","tagId":"04a1","records":[{record}],"observedAt":"2026-01-02T03:04:05Z"}}'
    return f'{{"type":"user.observation","turn":1,"observation":{seen}}}'


RULES: Final = (
    Rule(
        id="agentcall-json",
        meaning="A frame is one JSON object, with no member twice.",
        mend="write one message a frame, as JSON",
        source=_BINDING,
        failing=(_OPEN, '{"type":"ack","sequence":1,"sequence":2}'),
        passing=(_OPEN,),
    ),
    Rule(
        id="agentcall-type",
        meaning="`type` is one of the binding's messages, of either side.",
        mend="use a type of the binding; what AG-UI has no event for is a CUSTOM one inside agui.event",
        source=_BINDING,
        failing=(_OPEN, '{"type":"user.text","turn":1,"text":"Hello"}'),
        passing=(_OPEN, _TURN),
    ),
    Rule(
        id="agentcall-schema",
        meaning="A frame has the members of its type, each of its own kind and within its bounds.",
        mend="give the member as the schema of the message has it",
        source=_BINDING,
        failing=(_OPEN, '{"type":"user.turn","turn":1,"text":""}'),
        passing=(_OPEN, _TURN),
    ),
    Rule(
        id="agentcall-sequence",
        meaning=(
            "`sequence` begins at 1, or behind the number that was resumed from, and has no gap and no repeat."
            " A MESSAGES_SNAPSHOT that stands for what retention removed may come first, under its own number."
        ),
        mend="send every event of the session once, under its own number",
        source=f"{_BINDING}, sequence",
        failing=(_OPEN, _OPENED, _event(1, _RUN), _event(3, _END)),
        passing=(_OPEN, _OPENED, _event(1, _RUN), _event(2, _END)),
    ),
    Rule(
        id="agentcall-opened",
        meaning="session.opened begins where session.start asked for.",
        mend="go on behind `resumeFromSequence`, or refuse it with an error",
        source=_OURS,
        failing=('{"type":"session.start","sessionId":"s","resumeFromSequence":4}', _OPENED),
        passing=(_OPEN, _OPENED),
    ),
    Rule(
        id="agentcall-resume",
        meaning="A client resumes from a number that exists.",
        mend="resume from the highest sequence that was durably processed",
        source=f"{_BINDING}, resumeFromSequence",
        failing=(_OPEN, _OPENED, '{"type":"session.start","sessionId":"s","resumeFromSequence":4}'),
        passing=(
            _OPEN,
            _OPENED,
            _event(1, _RUN),
            '{"type":"session.start","sessionId":"s","resumeFromSequence":1}',
        ),
    ),
    Rule(
        id="agentcall-ack",
        meaning="A client acknowledges what was sent.",
        mend="acknowledge the highest contiguous sequence that was durably processed",
        source=f"{_BINDING}, ack",
        failing=(_OPEN, _OPENED, _event(1, _RUN), '{"type":"ack","sequence":2}'),
        passing=(_OPEN, _OPENED, _event(1, _RUN), '{"type":"ack","sequence":1}'),
    ),
    Rule(
        id="agentcall-open-first",
        meaning="A client opens the session before it sends anything else.",
        mend="send session.start first",
        source=f"{_BINDING}, session.start",
        failing=(_TURN,),
        passing=(_OPEN, _TURN),
    ),
    Rule(
        id="agentcall-turn",
        meaning="`turn` only goes up; a repeat of a turn has the same content.",
        mend="give each turn the next number; repeat a turn unchanged, or not at all",
        source=f"{_BINDING}, turn",
        failing=(_OPEN, _TURN, '{"type":"user.turn","turn":1,"text":"Where is the rice?"}'),
        passing=(_OPEN, _TURN, _TURN),
    ),
    Rule(
        id="agentcall-audio",
        meaning="Explicit audio turns are agreed on, started, and then committed or cancelled under the same number.",
        mend="ask for `audioTurnControl` explicit, start the turn, then end that turn",
        source=f"{_BINDING}, audio.turn.*",
        failing=(_EXPLICIT, '{"type":"audio.turn.start","turn":1}', '{"type":"audio.turn.commit","turn":2}'),
        passing=(_EXPLICIT, '{"type":"audio.turn.start","turn":1}', '{"type":"audio.turn.commit","turn":1}'),
    ),
    Rule(
        id="agentcall-observation",
        meaning="An observation is what it says: a photo's hash and header, a tag's id and records.",
        mend="send the bytes that were observed, and what describes them",
        source="AgentCall physical observation, as Duologue publishes it; NFC Forum, NDEF 1.0",
        failing=(_OPEN, _tag("Ho")),
        passing=(_OPEN, _tag("Hi")),
    ),
    Rule(
        id="agentcall-latency",
        meaning="What a turn waited for sums to the whole.",
        mend="measure each part from where the one before it ends, on one clock",
        source=_OURS,
        failing=(_OPEN, _OPENED, _event(1, _waited(301))),
        passing=(_OPEN, _OPENED, _event(1, _waited(300))),
    ),
    Rule(
        id="agentcall-after-end",
        meaning="After the session's end comes no event.",
        mend="end the session last",
        source=_OURS,
        failing=(_OPEN, _OPENED, _event(1, _OVER), _event(2, _RUN), _event(3, _END)),
        passing=(_OPEN, _OPENED, _event(1, _RUN), _event(2, _END), _event(3, _OVER)),
    ),
)
