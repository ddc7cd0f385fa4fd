"""Summing a conversation up without a model, and saying how long a wait is."""

import msgspec
import pytest
from tests.unit.engine.tool_talk import CONFIRM, ToolTalk

from duologue.engine.bundle import make_bundle
from duologue.engine.summary import summarise
from duologue.engine.waits import wait_text
from duologue.model.content import Message
from duologue.model.handoff import HandOff


def said(*texts: str) -> list[Message]:
    """Messages, by turns of the person and the agent."""
    return [
        Message(role="assistant" if place % 2 else "user", text=text, turn=place // 2 + 1)
        for place, text in enumerate(texts)
    ]


def test_nothing_said_is_nothing_summed_up() -> None:
    assert summarise([]) == ""
    assert summarise(said("… !?")) == ""


def test_the_first_and_the_last_wish_are_in_it_whatever_they_score() -> None:
    words = ["My washing machine leaks."] + ["Ok."] * 60 + ["Can I have my money back?"]
    summary = summarise(said(*words), chars=120)
    assert summary.splitlines()[0] == "Customer: My washing machine leaks."
    assert summary.splitlines()[-1].endswith("Can I have my money back?")


def test_sentences_that_tell_much_go_first_and_stand_in_their_order() -> None:
    history = said(
        "Hello there. My router loses the connection.",
        "Which router is it?",
        "The router is a Fritz. The connection drops every hour. Nice weather.",
        "A reset of the router helps the connection.",
        "It did not.",
    )
    summary = summarise(history, chars=180)
    assert "My router loses the connection." in summary
    assert "Nice weather" not in summary
    places = [summary.index(part) for part in ("Hello there", "loses the connection", "It did not")]
    assert places == sorted(places)
    assert len(summary) <= 180


def test_who_said_it_is_told() -> None:
    history = [Message(role="assistant", text="I am Mia and will help.", turn=1, author="Mia")]
    assert summarise(history) == "Mia: I am Mia and will help."


@pytest.mark.parametrize(
    ("wait_ms", "language", "text"),
    [
        (None, "en", ""),
        (0, "en", "less than a minute"),
        (89_999, "en-GB", "about a minute"),
        (180_000, "de", "etwa 3 Minuten"),
        (300_000, "tlh", "about 5 minutes"),
    ],
)
def test_a_wait_is_told_in_the_conversations_language(wait_ms: int | None, language: str, text: str) -> None:
    assert wait_text(wait_ms, language) == text


def test_what_a_tool_hides_stands_in_no_bundle() -> None:
    spec = msgspec.structs.replace(
        CONFIRM, policy="supervisor_approve", confirm="Refund {amount} to {card}?", redact=("/card",)
    )
    talk = ToolTalk()
    talk.asked(spec, arguments='{"amount":40,"card":"4111"}')
    bundle = make_bundle(talk.state, HandOff(reason="about money"), handoff_id="s~1")
    (pending,) = bundle["pendingApprovals"]
    assert pending["prompt"] == "Refund 40 to [hidden]?"
    assert pending["approvalId"] == talk.approval.approval_id
    assert "4111" not in str(bundle)
