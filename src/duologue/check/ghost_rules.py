"""Ghost AG-UI: the rules, each with an example."""

from typing import Final

from duologue.check.findings import Rule


def _event(kind: str, sequence: int, state: str, payload: str = "{}", *, at: int = 1767323045678) -> str:
    return f'{{"type":"{kind}","sequence":{sequence},"timestamp":{at},"state":"{state}","payload":{payload}}}'


def _start(sequence: int) -> str:
    payload = '{"source":"typed","language_detected":"en","turn_id":"t-1","text":"Hello"}'
    return _event("turn.start", sequence, "thinking", payload)


def _thinking(sequence: int, state: str = "thinking") -> str:
    return _event("turn.thinking", sequence, state, '{"tier":"workhorse","is_thinking":true}')


def _token(sequence: int, state: str = "speaking", length: int = 2) -> str:
    return _event("turn.token", sequence, state, f'{{"token":"Hi","cumulative_length":{length}}}')


def _end(sequence: int, state: str = "idle") -> str:
    payload = '{"tier_used":"workhorse","total_tokens":1,"ttft_ms":5,"tps":9.5,"quality_pass":true,"language":"en"}'
    return _event("turn.complete", sequence, state, payload)


def _tool(kind: str, sequence: int) -> str:
    more = '"arguments":{}' if kind == "tool.invoked" else '"result":{},"duration_ms":3'
    return _event(kind, sequence, "thinking", f'{{"tool_name":"look_up",{more}}}')


def _word(sequence: int) -> str:
    return _event("voice.speaking", sequence, "speaking", '{"word":"Hi","language":"en","begin":0,"end":2}')


def _cut(sequence: int) -> str:
    return _event("turn.error", sequence, "listening", '{"error":"interrupted","recoverable":true,"heard":2}')


def _moved(sequence: int, trigger: str, previous: str, state: str) -> str:
    return _event("ghost.state", sequence, state, f'{{"trigger":"{trigger}","previous":"{previous}"}}')


_READY: Final = _event("agent.ready", 1, "idle", '{"models_loaded":["workhorse"],"memory_items":0,"language":"en"}')
_OVER: Final = '{"reason":"user"}'
_SPOKEN: Final = (_READY, _start(2), _thinking(3), _token(4))
_MODEL: Final = "Ghost AG-UI 1.0, stateModel"
_CONVERSATION: Final = "Ghost AG-UI 1.0, events of the conversation"
_OURS: Final = "Duologue, the frame around Ghost's events"
_TURN: Final = (_READY, _start(2), _thinking(3), _token(4), _end(5))

RULES: Final = (
    Rule(
        id="ghost-json",
        meaning="A frame is one JSON object, with no member twice.",
        mend="write one event a frame, as JSON",
        source=_OURS,
        failing=(_READY, "agent.ready"),
        passing=(_READY,),
    ),
    Rule(
        id="ghost-type",
        meaning="`type` is the name of a Ghost event, or of what a client sends.",
        mend="use a name of the contract; `first_token` is the server's own",
        source="Ghost AG-UI 1.0, events",
        failing=(_event("turn.words", 1, "idle"),),
        passing=(_READY,),
    ),
    Rule(
        id="ghost-schema",
        meaning="A frame has the members of its type, each of its own kind.",
        mend="give the member as the schema of the event has it",
        source="Ghost AG-UI 1.0, payloads",
        failing=(_READY, _start(2), _event("turn.token", 3, "speaking", '{"token":"Hi"}'), _end(4)),
        passing=_TURN,
    ),
    Rule(
        id="ghost-sequence",
        meaning="`sequence` rises.",
        mend="number the events of a session upwards, and send each once on a connection",
        source=_OURS,
        failing=(_READY, _start(3), _thinking(3), _token(4), _end(5)),
        passing=_TURN,
    ),
    Rule(
        id="ghost-time",
        severity="warning",
        meaning="`timestamp` does not fall within a session.",
        mend="take the time from a clock that never runs backwards",
        source=_OURS,
        failing=(_READY, _event("voice.listening", 2, "listening", at=1767323040000)),
        passing=(_READY, _event("voice.listening", 2, "listening")),
    ),
    Rule(
        id="ghost-ready",
        meaning="The first event of a session is agent.ready.",
        mend="send agent.ready first",
        source="Ghost AG-UI 1.0, lifecycle",
        failing=(_event("voice.listening", 1, "listening"),),
        passing=(_READY, _event("voice.listening", 2, "listening")),
    ),
    Rule(
        id="ghost-transition",
        meaning="The state changes only by the ten transitions; where text interrupts, by `cancel` and one more.",
        mend="move by a trigger that the state allows; any other is a diagnostic and no change",
        source=_MODEL,
        failing=(_READY, _event("voice.transcribing", 2, "transcribing", '{"language_detected":"en"}')),
        passing=(
            _READY,
            _event("voice.listening", 2, "listening"),
            _event("voice.transcribing", 3, "transcribing", '{"language_detected":"en"}'),
        ),
    ),
    Rule(
        id="ghost-state",
        meaning="An event comes in a state that fits it: tokens while speaking, for instance.",
        mend="move the machine before the event is sent",
        source=_MODEL,
        failing=(_READY, _start(2), _token(3, "thinking"), _end(4)),
        passing=_TURN,
    ),
    Rule(
        id="ghost-trigger",
        meaning="A reported trigger leads from the state before to the state after.",
        mend="report the trigger that moved the machine",
        source=_MODEL,
        failing=(_READY, _moved(2, "auto_resume", "idle", "listening")),
        passing=(_READY, _moved(2, "cancel", "listening", "idle")),
    ),
    Rule(
        id="ghost-client",
        severity="warning",
        meaning="A client pulls only triggers that the last state it was told allows.",
        mend="wait for the state; a trigger that crosses a change on its way is refused and harmless",
        source=_MODEL,
        failing=('{"type":"session.open"}', _READY, '{"type":"barge_in"}'),
        passing=('{"type":"session.open"}', _READY, '{"type":"user_activates_mic"}'),
    ),
    Rule(
        id="ghost-open-first",
        meaning="A client opens a session before it sends anything else.",
        mend="send session.open first",
        source="Duologue, Ghost over a WebSocket",
        failing=('{"type":"user_sends_text","text":"Hello"}',),
        passing=('{"type":"session.open"}', '{"type":"user_sends_text","text":"Hello"}'),
    ),
    Rule(
        id="ghost-turn-first",
        meaning="A turn starts before anything of it comes.",
        mend="send turn.start first",
        source=_CONVERSATION,
        failing=(_READY, _thinking(2), _token(3), _end(4)),
        passing=_TURN,
    ),
    Rule(
        id="ghost-turn-twice",
        meaning="A turn ends before the next one starts.",
        mend="end what was interrupted with turn.error, recoverable",
        source=_CONVERSATION,
        failing=(_READY, _start(2), _start(3), _thinking(4), _token(5), _end(6)),
        passing=_TURN,
    ),
    Rule(
        id="ghost-turn-open",
        meaning="A turn ends, with turn.complete or turn.error.",
        mend="end it; a cut answer is a turn.error",
        source=_CONVERSATION,
        failing=(_READY, _start(2), _thinking(3)),
        passing=_TURN,
    ),
    Rule(
        id="ghost-length",
        meaning="`cumulative_length` counts the code points of all tokens of the answer so far.",
        mend="add the token's code points; begin again at 0 with another run or turn.upgrade",
        source="Ghost AG-UI 1.0, turn.token",
        failing=(_READY, _start(2), _thinking(3), _token(4, length=3), _end(5)),
        passing=_TURN,
    ),
    Rule(
        id="ghost-words",
        meaning="The words of a spoken answer go forward, and none comes after it was interrupted or heard to its end.",
        mend="tell each word once, as it begins to be heard; drop what is left when the person interrupts",
        source="Ghost AG-UI 1.0, voice.speaking; Duologue, `begin` and `end` in it",
        failing=(*_SPOKEN, _word(5), _word(6), _end(7)),
        passing=(*_SPOKEN, _word(5), _event("voice.barge_in", 6, "listening"), _cut(7)),
    ),
    Rule(
        id="ghost-tool",
        meaning="A tool gives a result after it was invoked.",
        mend="send tool.invoked first, under the same name",
        source="Ghost AG-UI 1.0, tool calls",
        failing=(_READY, _start(2), _tool("tool.result", 3), _token(4), _end(5)),
        passing=(_READY, _start(2), _tool("tool.invoked", 3), _tool("tool.result", 4), _token(5), _end(6)),
    ),
    Rule(
        id="ghost-after-end",
        meaning="After the session's end comes no event.",
        mend="end the session last",
        source="Duologue, ghost.session_ended",
        failing=(_READY, _event("ghost.session_ended", 2, "idle", _OVER), _event("voice.listening", 3, "listening")),
        passing=(_READY, _event("voice.listening", 2, "listening"), _event("ghost.session_ended", 3, "idle", _OVER)),
    ),
)
