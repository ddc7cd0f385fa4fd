"""An answer that a better one takes the place of: clean in every protocol, for a client that keeps what it is told."""

import json
from typing import Any, Final, TypeAlias

import ag_ui_validate
import pytest

from duologue.check.findings import Frame, Protocol
from duologue.check.recording import check
from duologue.model import events as e
from duologue.model.content import Figures, Message
from duologue.ports.dialect import Dialect
from duologue.protocols.agentcall import AgentCallDialect
from duologue.protocols.agui import AguiDialect, FollowedRun
from duologue.protocols.chat import ChatDialect
from duologue.protocols.ghost import GhostDialect
from duologue.protocols.jambonz import JambonzDialect
from duologue.server.schemas import for_checks

# Any: JSON of no known shape.
Json: TypeAlias = Any

FIGURES: Final = Figures(ttft_ms=5, duration_ms=9, total_tokens=2, tps=1.5, quality_pass=True, language="en")
DIALECTS: Final[dict[Protocol, Dialect]] = {
    "agentcall": AgentCallDialect(),
    "chat": ChatDialect(),
    "ghost": GhostDialect(),
    "jambonz": JambonzDialect(),
}
BODY: Final = json.dumps(
    {"messages": [{"id": "u-0", "role": "user", "content": "Hello"}, {"id": "u-1", "role": "user", "content": "Why?"}]}
).encode()
BEFORE: Final = (Message(role="user", text="Hello", turn=1, message_id="u-0"),)


def told() -> list[e.AnyEvent]:
    """A turn whose first answer hedges, and gives way."""
    seq = iter(range(1, 100))
    events: list[e.AnyEvent] = []

    # Any: the fields are those of the kind.
    def tell(kind: type[e.AnyEvent], state: e.State, **fields: Any) -> None:
        events.append(kind(seq=next(seq), at_ms=1, state=state, **fields))

    of_turn: dict[str, Any] = {"turn": 1, "request_id": "u-1"}
    tell(
        e.SessionStarted, "idle", session_id="s", agent="a", tier="reflex", language="en", tiers=("reflex", "workhorse")
    )
    tell(e.TurnAccepted, "thinking", text="Why?", source="typed", language="en", **of_turn)
    tell(
        e.TurnRouted,
        "thinking",
        response_id="r-1",
        complexity=0.2,
        target="reflex",
        workhorse_required=False,
        **of_turn,
    )
    _answer(tell, "r-1", "reflex", "I am not sure.", of_turn)
    tell(e.AnswerUpgraded, "speaking", response_id="r-1", reason="hedging", target="workhorse", **of_turn)
    tell(
        e.TextCompleted,
        "thinking",
        response_id="r-1",
        message_id="m-r-1",
        text="I am not sure.",
        whole=False,
        **of_turn,
    )
    _ended(tell, "thinking", "r-1", "reflex", "replaced", of_turn)
    _answer(tell, "r-2", "workhorse", "Because it rains.", of_turn, replaces="r-1")
    tell(e.TextCompleted, "speaking", response_id="r-2", message_id="m-r-2", text="Because it rains.", **of_turn)
    _ended(tell, "idle", "r-2", "workhorse", "completed", of_turn)
    tell(
        e.TurnEnded,
        "idle",
        outcome="completed",
        response_id="r-2",
        figures=FIGURES,
        text="Why?",
        answer="Because it rains.",
        **of_turn,
    )
    return events


# Any: `tell` of `told`.
def _answer(tell: Any, response: str, tier: str, text: str, of_turn: dict[str, Any], *, replaces: str = "") -> None:
    started: dict[str, Any] = {"session_id": "s", "response_id": response, "tier": tier, "replaces": replaces}
    tell(e.ResponseStarted, "thinking", **started, **of_turn)
    tell(e.TextStarted, "speaking", response_id=response, message_id=f"m-{response}", tier=tier, **of_turn)
    tell(
        e.TextDelta,
        "speaking",
        response_id=response,
        message_id=f"m-{response}",
        text=text,
        length=len(text),
        **of_turn,
    )


# Any: as above.
def _ended(tell: Any, state: str, response: str, tier: str, outcome: str, of_turn: dict[str, Any]) -> None:
    ended: dict[str, Any] = {"session_id": "s", "response_id": response, "tier": tier, "figures": FIGURES}
    tell(e.ResponseEnded, state, outcome=outcome, **ended, **of_turn)


def frames(dialect: Dialect) -> list[bytes]:
    return [frame for event in told() if (frame := dialect.project(event)) is not None]


@pytest.mark.parametrize("protocol", DIALECTS)
def test_nothing_is_found_in_it(protocol: Protocol) -> None:
    numbered = [
        Frame(number=place, line=place, data=frame) for place, frame in enumerate(frames(DIALECTS[protocol]), 1)
    ]
    assert check(numbered, protocol, for_checks).findings == ()


def test_chat_says_which_answer_gives_way() -> None:
    sent = [json.loads(frame) for frame in frames(DIALECTS["chat"])]
    starts = [one.get("replaces") for one in sent if one["type"] == "response.started"]
    assert starts == [None, "r-1"]
    assert [one["outcome"] for one in sent if one["type"] == "response.completed"] == ["replaced", "completed"]
    whole = json.loads(ChatDialect().summary("s", told()))
    assert (whole["text"], whole["responseId"], whole["outcome"]) == ("Because it rains.", "r-2", "completed")


def test_ghost_upgrades_the_turn() -> None:
    sent = [json.loads(frame) for frame in frames(DIALECTS["ghost"])]
    assert [one["type"] for one in sent] == [
        "agent.ready",
        "turn.start",
        "turn.routing",
        "turn.thinking",
        "turn.thinking",
        "turn.token",
        "turn.upgrade",
        "turn.thinking",
        "turn.thinking",
        "turn.token",
        "turn.complete",
    ]
    assert sent[-1]["payload"]["tier_used"] == "workhorse"


def test_jambonz_tells_of_one_turn_with_the_better_answer() -> None:
    sent = [json.loads(frame)["data"] for frame in frames(DIALECTS["jambonz"])]
    assert [one["type"] for one in sent] == ["user_transcript", "llm_response", "turn_end"]
    assert sent[-1]["response"] == "Because it rains."


def client_keeps(stream: list[Json]) -> list[str]:
    """What a client that does as AG-UI says shows in the end, of the assistant."""
    texts: dict[str, str] = {}
    for event in stream:
        match event["type"]:
            case "TEXT_MESSAGE_START":
                texts[event["messageId"]] = ""
            case "TEXT_MESSAGE_CONTENT":
                texts[event["messageId"]] += event["delta"]
            case "MESSAGES_SNAPSHOT":
                kept = {message["id"] for message in event["messages"]}
                texts = {name: text for name, text in texts.items() if name in kept}
            case _:
                pass
    return list(texts.values())


def test_a_run_of_agui_takes_the_poorer_answer_back() -> None:
    dialect = AguiDialect()
    stream: list[Json] = []
    for event in told()[3:]:
        if isinstance(event, e.ResponseStarted) and event.replaces:
            stream.append(json.loads(dialect.void(BEFORE, BODY, at_ms=event.at_ms)))
        elif (frame := dialect.project(event)) is not None:
            stream.append(json.loads(frame))
    assert client_keeps(stream) == ["Because it rains."]
    snapshot = next(one for one in stream if one["type"] == "MESSAGES_SNAPSHOT")
    assert [message["id"] for message in snapshot["messages"]] == ["u-0", "u-1"]
    _judged(stream)


def test_who_follows_sees_it_taken_back_too() -> None:
    run = FollowedRun(thread_id="s", run_id="look")
    opening = run.opening(state="idle", in_call=False, history=BEFORE, body=b'{"messages":[]}', now_ms=1)
    later = [frame for event in told()[1:] for frame in run.write(event)]
    stream = [json.loads(frame) for frame in (*opening, *later)]
    assert client_keeps(stream) == ["Because it rains."]
    _judged(stream)


def _judged(stream: list[Json]) -> None:
    validator = ag_ui_validate.create_validator()
    for event in stream:
        validator.feed(event)
    validator.finalize()
    assert validator.report().diagnostics == []
    numbered = [Frame(number=place, line=place, data=json.dumps(one).encode()) for place, one in enumerate(stream, 1)]
    assert check(numbered, "agui", for_checks).findings == ()
