"""jambonz: the rules, each with an example."""

from typing import Final

from duologue.check.findings import Rule

_HEARD: Final = '{"type":"user_transcript","transcript":"And rice?"}'
_SAID: Final = '{"type":"llm_response","response":"Aisle seven."}'
_CUT: Final = '{"type":"user_interruption"}'


def _end(*, transcript: str = "And rice?", response: str = "Aisle seven.", cut: str = "false", more: str = "") -> str:
    return (
        f'{{"type":"turn_end","transcript":"{transcript}","response":"{response}",'
        f'"interrupted":{cut},"latency":{{"transcriber_latency":120{more}}}}}'
    )


_EVENTS: Final = "jambonz, agent eventHook events"

RULES: Final = (
    Rule(
        id="jambonz-json",
        meaning="A frame is one JSON object, with no member twice.",
        mend="write one event a frame, as JSON",
        source=_EVENTS,
        failing=(_HEARD, '["turn_end"]'),
        passing=(_HEARD, _SAID, _end()),
    ),
    Rule(
        id="jambonz-type",
        meaning="`type` is one of the four events; other messages of the platform's socket are skipped.",
        mend="name it turn_end, user_transcript, llm_response or user_interruption",
        source=_EVENTS,
        failing=('{"type":"turn_start"}',),
        passing=(_HEARD,),
    ),
    Rule(
        id="jambonz-schema",
        meaning="An event has the members of its type and no others.",
        mend="give the member as the schema of the event has it",
        source=_EVENTS,
        failing=('{"type":"user_transcript","transcript":7}',),
        passing=(_HEARD,),
    ),
    Rule(
        id="jambonz-transcript",
        meaning="turn_end repeats the transcript that user_transcript reported.",
        mend="report the final transcript in both",
        source=_EVENTS,
        failing=(_HEARD, _SAID, _end(transcript="And ice?")),
        passing=(_HEARD, _SAID, _end()),
    ),
    Rule(
        id="jambonz-spoken",
        meaning="turn_end holds the whole response, or, where it was interrupted, a beginning of it.",
        mend="cut the response only where the person interrupted it, and only at its end",
        source=_EVENTS,
        failing=(_HEARD, _SAID, _end(response="Aisle")),
        passing=(_HEARD, _SAID, _CUT, _end(response="Aisle", cut="true")),
    ),
    Rule(
        id="jambonz-response",
        severity="warning",
        meaning="A turn has one response.",
        mend="report the response once, when the model has finished it",
        source=_EVENTS,
        failing=(_HEARD, _SAID, _SAID, _end()),
        passing=(_HEARD, _SAID, _end()),
    ),
    Rule(
        id="jambonz-interrupted",
        meaning="user_interruption and `interrupted` of the turn's end go together.",
        mend="send both or neither",
        source=_EVENTS,
        failing=(_HEARD, _SAID, _end(cut="true")),
        passing=(_HEARD, _SAID, _CUT, _end(cut="true")),
    ),
    Rule(
        id="jambonz-latency",
        meaning="A latency is 0 ms or more.",
        mend="measure on one clock that does not run backwards; leave out what does not apply",
        source=_EVENTS,
        failing=(_HEARD, _SAID, _end(more=',"voice_latency":-3')),
        passing=(_HEARD, _SAID, _end(more=',"voice_latency":3')),
    ),
    Rule(
        id="jambonz-preflight",
        meaning="On a preflight hit there is no model_latency, and only then are there tokens.",
        mend="leave the member out where it does not apply",
        source=_EVENTS,
        failing=(_HEARD, _SAID, _end(more=',"preflight":{"result":"miss","tokens":4}')),
        passing=(_HEARD, _SAID, _end(more=',"preflight":{"result":"hit","tokens":4}')),
    ),
)
