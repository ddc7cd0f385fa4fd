"""Reading what an AgentCall client sends."""

import re
from typing import Final, TypeVar, assert_never

import msgspec
from msgspec import UNSET, UnsetType

from duologue.model import commands, content, jsonwire, limits
from duologue.model.errors import Code, Problem
from duologue.model.inputs import (
    AudioTurnCancelled,
    AudioTurnCommitted,
    AudioTurnStarted,
    CancelRequested,
    EndRequested,
    UserTurn,
)
from duologue.protocols.agentcall import wire
from duologue.protocols.observation import check

T = TypeVar("T")

_messages: msgspec.json.Decoder[wire.ClientMessage] = msgspec.json.Decoder(wire.ClientMessage)
_BY_TYPE: Final[dict[str, msgspec.json.Decoder[wire.ClientMessage]]] = dict.fromkeys(wire.TYPES, _messages)
_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")


def decode(frame: bytes) -> commands.Decoded:
    """Read one client message.

    Args:
        frame: UTF-8 JSON, already within `limits.FRAME_BYTES`.
    Returns:
        What it means, or a `Problem` that names the place. Whether it fits the session (sequences, turns,
        interactions) is not looked at here; what an observation holds is.
    Source: AgentCall AG-UI WebSocket binding 0.1; `schemas/agentcall-client.schema.json`.
    """
    message = jsonwire.read_tagged(frame, _BY_TYPE)
    match message:
        case Problem():
            return message
        case wire.Ack():
            return commands.Ack(seq=_exact(message.sequence))
        case wire.UserTurn():
            return _user_turn(message)
        case wire.UserObservation():
            return _user_observation(message)
        case wire.SessionStart():
            return _join(message)
        case wire.ResponseCancel():
            return CancelRequested()
        case wire.SessionEnd():
            return EndRequested(reason="user")
        case wire.AudioTurnStart(turn=turn):
            return _too_high(turn) or AudioTurnStarted(turn=turn)
        case wire.AudioTurnCommit(turn=turn):
            return _too_high(turn) or AudioTurnCommitted(turn=turn)
        case wire.AudioTurnCancel(turn=turn):
            return _too_high(turn) or AudioTurnCancelled(turn=turn)
        case _:
            assert_never(message)


def _join(message: wire.SessionStart) -> commands.Join | Problem:
    capabilities = _given(message.client_capabilities)
    modalities = None
    if capabilities is not None and capabilities.physical_observations is not UNSET:
        modalities = capabilities.physical_observations.modalities
        if len(set(modalities)) != len(modalities):
            return Problem(
                code=Code.BAD_MESSAGE,
                message="a modality is named twice",
                path="$.clientCapabilities.physicalObservations.modalities",
            )
    control = None if capabilities is None else _given(capabilities.audio_turn_control)
    return commands.Join(
        session_id=message.session_id,
        after=_exact(_given(message.resume_from_sequence) or 0),
        modalities=modalities,
        audio_turns=None if control is None else control.mode,
    )


def _user_turn(message: wire.UserTurn) -> UserTurn | Problem:
    refused = _too_high(message.turn)
    if refused is not None:
        return refused
    speech = _given(message.speech_metadata)
    return UserTurn(
        turn=message.turn,
        text=message.text,
        source="typed" if speech is None else "voice",
        language=None if speech is None else _language(_given(speech.locale_identifier)),
        context=_context(message.context),
        speech=None if speech is None else _speech(speech),
    )


def _user_observation(message: wire.UserObservation) -> commands.Decoded:
    refused = _too_high(message.turn)
    if refused is not None:
        return refused
    turn = UserTurn(
        turn=message.turn,
        text="",
        interaction_id=_given(message.interaction_id),
        context=_context(message.context),
    )
    shown = check.command(turn, message.observation)
    return msgspec.structs.replace(shown, turn=message.turn) if isinstance(shown, Problem) else shown


def _too_high(turn: int) -> Problem | None:
    if turn <= limits.TURN_NUMBER_MAX:
        return None
    return Problem(
        code=Code.BAD_MESSAGE,
        message=f"the turn is above {limits.TURN_NUMBER_MAX}; count turns from 1",
        path="$.turn",
        limit=limits.TURN_NUMBER_MAX,
    )


def _speech(speech: wire.SpeechMetadata) -> content.SpeechMetadata:
    revision, final = _given(speech.actionable_revision_ms), _given(speech.stable_final_ms)
    return content.SpeechMetadata(
        engine=_given(speech.recognition_engine),
        model=_given(speech.model),
        locale=_given(speech.locale_identifier),
        actionable_revision_ms=None if revision is None else _exact(revision),
        stable_final_ms=None if final is None else _exact(final),
        thermal_state=_given(speech.thermal_state),
    )


def _language(locale: str | None) -> str | None:
    """Turn a platform's locale into a BCP 47 tag, `en_GB@calendar=buddhist` into `en-GB`, or into nothing."""
    tag = (locale or "").partition("@")[0].replace("_", "-")
    return tag if _LANGUAGE.fullmatch(tag) else None


def _context(items: tuple[wire.ContextItem, ...]) -> tuple[content.ContextItem, ...]:
    return tuple(content.ContextItem(description=item.description, value=item.value) for item in items)


def _exact(number: int) -> int:
    """Keep a number within what we can write; nothing of ours ever counts so far, so its meaning stays."""
    return min(number, limits.INTEGER_MAX)


def _given(value: T | UnsetType) -> T | None:
    return None if value is UNSET else value
