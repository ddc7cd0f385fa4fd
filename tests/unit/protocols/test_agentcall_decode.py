"""What AgentCall's client messages mean."""

import json
from typing import Any

import pytest

from duologue.model import commands, limits
from duologue.model.content import SpeechMetadata
from duologue.model.errors import Code, Problem
from duologue.model.inputs import (
    AudioTurnCancelled,
    AudioTurnCommitted,
    AudioTurnStarted,
    CancelRequested,
    EndRequested,
    UserTurn,
)
from duologue.protocols.agentcall.decode import decode


# Any: JSON of no known shape.
def _decoded(**message: Any) -> commands.Decoded:
    return decode(json.dumps(message).encode())


def test_a_start_joins_from_a_sequence() -> None:
    assert _decoded(type="session.start", sessionId="s") == commands.Join(session_id="s")
    assert _decoded(type="session.start", sessionId="s", resumeFromSequence=7) == commands.Join(session_id="s", after=7)
    assert _decoded(type="session.start", sessionId="s", resumeFromSequence=7.0) == commands.Join(
        session_id="s", after=7
    )


@pytest.mark.parametrize(
    ("capabilities", "modalities"),
    [
        ({}, None),
        ({"physicalObservations": {"modalities": []}}, ()),
        ({"physicalObservations": {"modalities": ["photo", "nfc"], "x": 1}}, ("photo", "nfc")),
    ],
)
# Any: JSON of no known shape.
def test_a_start_names_modalities_or_says_nothing(capabilities: Any, modalities: tuple[str, ...] | None) -> None:
    joined = _decoded(type="session.start", sessionId="s", clientCapabilities=capabilities)
    assert isinstance(joined, commands.Join) and joined.modalities == modalities


def test_a_start_asks_for_explicit_audio_turns() -> None:
    capabilities = {"audioTurnControl": {"mode": "explicit"}}
    joined = _decoded(type="session.start", sessionId="s", clientCapabilities=capabilities)
    assert isinstance(joined, commands.Join) and joined.audio_turns == "explicit"
    silent = _decoded(type="session.start", sessionId="s", clientCapabilities={})
    assert isinstance(silent, commands.Join) and silent.audio_turns is None


@pytest.mark.parametrize(
    ("kind", "meant"),
    [
        ("audio.turn.start", AudioTurnStarted(turn=3)),
        ("audio.turn.commit", AudioTurnCommitted(turn=3)),
        ("audio.turn.cancel", AudioTurnCancelled(turn=3)),
    ],
)
def test_audio_turns(kind: str, meant: object) -> None:
    assert _decoded(type=kind, turn=3) == meant
    too_high = _decoded(type=kind, turn=2**31)
    assert isinstance(too_high, Problem) and (too_high.code, too_high.path) == (Code.BAD_MESSAGE, "$.turn")
    malformed = _decoded(type=kind, turn=3, extra=1)
    assert isinstance(malformed, Problem) and malformed.code is Code.BAD_MESSAGE


def test_a_typed_turn() -> None:
    assert _decoded(type="user.turn", turn=2, text="hi", x=1) == UserTurn(text="hi", turn=2)


def test_speech_metadata_makes_a_turn_spoken() -> None:
    metadata = {
        "recognitionEngine": "e", "model": "m", "localeIdentifier": "en_GB", "actionableRevisionMs": 1,
        "stableFinalMs": 2**70, "thermalState": "fair",
    }  # fmt: skip
    spoken = _decoded(type="user.turn", turn=2, text="hi", speechMetadata=metadata)
    assert isinstance(spoken, UserTurn)
    assert (spoken.source, spoken.language) == ("voice", "en-GB")
    assert spoken.speech == SpeechMetadata(
        engine="e",
        model="m",
        locale="en_GB",
        actionable_revision_ms=1,
        stable_final_ms=limits.INTEGER_MAX,
        thermal_state="fair",
    )


@pytest.mark.parametrize(
    ("locale", "language"),
    [
        ("de", "de"),
        ("zh_Hant_TW", "zh-Hant-TW"),
        ("th_TH@calendar=buddhist", "th-TH"),
        ("", None),
        ("e\n", None),
    ],
)
def test_a_locale_becomes_a_language_where_it_is_one(locale: str, language: str | None) -> None:
    spoken = _decoded(type="user.turn", turn=2, text="hi", speechMetadata={"localeIdentifier": locale})
    assert isinstance(spoken, UserTurn) and spoken.language == language


@pytest.mark.parametrize("kind", ["user.turn", "user.observation", "audio.turn.commit"])
def test_a_turn_number_beyond_the_limit_names_it(kind: str) -> None:
    tag = {"kind": "nfc", "tagId": "04", "observedAt": "2026-01-02T03:04:05Z"}
    # Any: JSON of no known shape.
    bodies: dict[str, dict[str, Any]] = {
        "user.turn": {"text": "x"},
        "user.observation": {"observation": tag},
    }
    refused = _decoded(type=kind, turn=limits.TURN_NUMBER_MAX + 1, **bodies.get(kind, {}))
    assert isinstance(refused, Problem)
    assert (refused.path, refused.limit) == ("$.turn", limits.TURN_NUMBER_MAX)


def test_the_short_messages() -> None:
    assert _decoded(type="response.cancel", x=1) == CancelRequested()
    assert _decoded(type="session.end") == EndRequested(reason="user")
    assert _decoded(type="ack", sequence=9) == commands.Ack(seq=9)
    assert _decoded(type="ack", sequence=2**80) == commands.Ack(seq=limits.INTEGER_MAX)


@pytest.mark.parametrize(
    ("message", "path", "limit"),
    [
        ({"type": "ack", "sequence": 0}, "$.sequence", 1),
        ({"type": "ack", "sequence": None}, "$.sequence", None),
        ({"type": "user.turn", "turn": 1, "text": "x" * 65_537}, "$.text", 65_536),
        ({"type": "user.turn", "turn": 1, "text": "x", "context": ["x"] * 17}, "$.context", None),
        ({"type": "user.turn", "turn": 1, "text": "x", "speechMetadata": None}, "$.speechMetadata", None),
        ({"type": "session.start", "sessionId": "x" * 129}, "$.sessionId", 128),
        ({"type": "session.start"}, "$", None),
        ({"turn": 1}, "$.type", None),
        ({"type": 5}, "$.type", None),
        ([], "$", None),
    ],
)
# Any: JSON of no known shape.
def test_a_refusal_names_the_place_and_the_bound(message: Any, path: str, limit: int | None) -> None:
    refused = decode(json.dumps(message).encode())
    assert isinstance(refused, Problem)
    assert refused.code is Code.BAD_MESSAGE and refused.path.startswith(path)
    assert limit is None or refused.limit == limit


def test_text_is_counted_in_code_points() -> None:
    assert isinstance(_decoded(type="user.turn", turn=1, text="😀" * 65_536), UserTurn)


def test_an_unknown_type_lists_the_known_ones() -> None:
    refused = _decoded(type="user.shout")
    assert isinstance(refused, Problem) and refused.code is Code.UNKNOWN_TYPE
    assert "user.turn" in refused.message
