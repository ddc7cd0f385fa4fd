"""Folding a journal, and the round trip of a snapshot."""

import json

import msgspec
import pytest
from tests.unit.engine.conversation import Conversation, kinds

from duologue.engine.replay import ReplayError, fold, restore, snapshot
from duologue.engine.state import SessionState
from duologue.model.content import ContextItem
from duologue.model.errors import Code
from duologue.model.inputs import (
    AgentFailed,
    AgentShowed,
    CapabilitiesDeclared,
    EndRequested,
    ServerRestarted,
    UserTurn,
)
from duologue.model.records import decode_events, decode_records, encode_records


def long_talk() -> Conversation:
    """A bit of everything; a run is open at its end."""
    talk = Conversation()
    talk.give(CapabilitiesDeclared(modalities=("nfc", "photo")))
    talk.exchange("hello", "hi", " there")
    talk.pull("user_activates_mic", "speech_end")
    context = (ContextItem(description="page", value="/"),)
    talk.give(UserTurn(text="spoken", source="voice", language="de", context=context))
    talk.speak("ein", " Wort")
    talk.pull("barge_in")
    talk.say("typed", request_id="m-1", key="k-1", after_ms=40)
    talk.give(AgentShowed(response_id=talk.response_id, payload_type="card", data={"a": [1.5, None]}))
    talk.give(ServerRestarted(), after_ms=60_000)
    talk.speak("again 🙂")
    failed = AgentFailed(response_id=talk.response_id, code=Code.AGENT_FAILED, message="no", retryable=True)
    talk.give(failed)
    talk.say("last")
    talk.speak("not", " yet", after_ms=7)
    return talk


def test_a_stored_journal_folds_to_the_live_state() -> None:
    talk = long_talk()
    stored = encode_records(talk.records)
    assert fold(SessionState(), decode_records(stored)) == talk.state


def test_stepping_the_inputs_again_gives_the_same_bytes() -> None:
    talk = long_talk()
    again = Conversation()
    for record in list(decode_records(encode_records(talk.records)))[1:]:
        again.now_ms = record.at_ms
        again.give(record.input)
    assert encode_records(again.records) == encode_records(talk.records)


def test_a_snapshot_comes_back_equal_at_every_point() -> None:
    talk = long_talk()
    state = SessionState()
    for record in talk.records:
        fold(state, [record])
        assert restore(snapshot(state)) == state
        assert snapshot(restore(snapshot(state))) == snapshot(state)


def test_a_snapshot_and_the_tail_give_the_whole() -> None:
    talk = long_talk()
    for cut in range(len(talk.records)):
        early = fold(SessionState(), talk.records[:cut])
        assert fold(restore(snapshot(early)), talk.records[cut:]) == talk.state


def test_a_restored_session_goes_on() -> None:
    talk = long_talk()
    seq = talk.state.seq
    talk.state = restore(snapshot(talk.state))
    talk.finish()
    assert kinds(talk.events)[seq:] == ["TextCompleted", "ResponseEnded", "TurnEnded"]
    assert talk.events[seq].seq == seq + 1


def test_an_ended_session_stays_ended() -> None:
    talk = long_talk()
    talk.give(EndRequested())
    assert restore(snapshot(talk.state)).ended


def test_events_can_be_read_without_the_inputs() -> None:
    talk = long_talk()
    assert list(decode_events(encode_records(talk.records))) == talk.events


def test_a_journal_with_a_gap_does_not_replay() -> None:
    talk = long_talk()
    with pytest.raises(ReplayError, match="the journal of s-1 does not replay"):
        fold(SessionState(), talk.records[:2] + talk.records[3:])


def test_what_is_no_state_is_refused() -> None:
    with pytest.raises(msgspec.MsgspecError):
        restore(b'{"seq":"one"}')


def test_a_state_of_before_there_were_tools_is_restored_and_goes_on() -> None:
    talk = Conversation()
    talk.exchange("hello", "hi")
    talk.say("and now?")
    old = json.loads(snapshot(talk.state))
    for name in ("last", "due", "handoff", "signals", "tools", "observations", "routing", "agent_name"):
        old.pop(name, None)
    for name in ("news", "resumed", "author", "since", "asks", "earlier"):
        old["open"].pop(name, None)
    for name in ("leg", "waiting", "requested", "asked", "observe", "usage", "tokens", "confident"):
        old["open"]["response"].pop(name, None)
    talk.state = restore(json.dumps(old).encode())
    talk.give(ServerRestarted())
    assert [one.text for one in talk.requests[-1].history] == ["hello", "hi"] and talk.requests[-1].so_far == ()
    talk.speak("fine")
    talk.finish()
    talk.say("thanks")
    assert [one.text for one in talk.requests[-1].history] == ["hello", "hi", "and now?", "fine"]
    assert talk.requests[-1].so_far == ()
