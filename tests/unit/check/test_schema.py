"""Judging by the schema of a type agrees with judging by the whole schema, and says it in words."""

import json
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.conformance.protocols.schema_instances import Instances

from duologue.check import agentcall, chat, ghost
from duologue.check.findings import JsonObject
from duologue.check.recording import SCHEMAS
from duologue.check.schema import Judge, branches
from duologue.server.schemas import for_checks

NAMES = ("agentcall-client", "chat-event", "chat-client", "ghost-event", "ghost-client")
OBSERVATION = for_checks("agentcall-physical-observation")
INSTANCES = {name: Instances(for_checks(name), documents=(OBSERVATION,)) for name in NAMES}
UNHURRIED = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]


def whole(name: str) -> jsonschema_rs.Validator:
    registry = jsonschema_rs.Registry([(str(OBSERVATION["$id"]), OBSERVATION)])
    return jsonschema_rs.validator_for(for_checks(name), registry=registry, validate_formats=True)


@pytest.mark.parametrize("name", NAMES)
def test_each_type_has_a_branch(name: str) -> None:
    schema = for_checks(name)
    choices = schema["oneOf"]
    assert isinstance(choices, list)
    assert len(branches(schema)) >= len(choices)


@pytest.mark.parametrize("name", NAMES)
@settings(suppress_health_check=UNHURRIED, max_examples=25)
@given(data=st.data())
def test_a_type_is_judged_as_the_whole_schema_judges_it(name: str, data: st.DataObject) -> None:
    judge = Judge(branches(for_checks(name)), others=(OBSERVATION,))
    drawn = data.draw(INSTANCES[name].valid() | INSTANCES[name].mutated())
    if not isinstance(drawn, dict):
        return
    # Any: what is drawn is JSON; this tells the type checker as well.
    frame: JsonObject = msgspec.convert(drawn, dict[str, Any])
    kind = frame.get("type")
    if not isinstance(kind, str) or kind not in judge:
        return
    faults = list(judge.faults(kind, frame))
    assert (faults == []) == whole(name).is_valid(frame)
    assert all(fault.expected and fault.found for fault in faults)


def fault(judge: Judge, frame: JsonObject) -> tuple[str, str, str]:
    (only,) = judge.faults(str(frame["type"]), frame)
    return "/".join(map(str, only.where)), only.found, only.expected


def test_faults_name_the_place_what_is_there_and_what_should_be() -> None:
    judge = ghost.judge({name: for_checks(name) for name in SCHEMAS["ghost"]})
    frame: JsonObject = {"type": "turn.token", "sequence": 1, "timestamp": 1, "state": "speaking"}
    assert fault(judge, frame)[2] == "a member `payload` as well"
    payload: JsonObject = {"token": "a", "cumulative_length": "1"}
    frame["payload"] = payload
    assert fault(judge, frame) == ("payload/cumulative_length", '"1"', "an integer")
    payload["cumulative_length"] = 1
    spoken: JsonObject = frame | {"state": "asleep"}
    where, found, expected = fault(judge, spoken)
    assert (where, found) == ("state", '"asleep"')
    assert '"idle"' in expected
    extra: JsonObject = spoken | {"state": "speaking", "more": 1}
    assert fault(judge, extra) == ("more", "a member `more`", "no member of this name")


def test_of_alternatives_the_likely_one_is_told() -> None:
    judge = chat.judge({name: for_checks(name) for name in SCHEMAS["chat"]})
    signal: JsonObject = {"kind": "sentiment", "category": "anger", "score": 2, "confidence": 1}
    frame: JsonObject = {
        "type": "signal.update",
        "requestId": "m",
        "timestamp": "2026-01-02T03:04:05Z",
        "responseId": "r",
        "source": "rule",
        "adapter": "a",
        "signal": signal,
    }
    assert fault(judge, frame) == ("signal/score", "2", "at most 1")


def test_custom_events_of_agentcall_have_their_own_shapes() -> None:
    names = ("agentcall-client", "agentcall-server", "agentcall-physical-observation")
    judges = agentcall.judge({name: for_checks(name) for name in names})
    ended: JsonObject = json.loads('{"type":"CUSTOM","name":"duologue.session.ended","timestamp":1,"value":{}}')
    (only,) = judges.custom.faults("duologue.session.ended", ended)
    assert only.where == ("value",)
