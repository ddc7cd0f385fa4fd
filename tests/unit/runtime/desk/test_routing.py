"""Where a conversation goes."""

from datetime import UTC, date, datetime

import pytest

from duologue.model.handoff import HandOff, RouteDecision
from duologue.runtime.desk.hours import read_hours
from duologue.runtime.desk.routing import Facts, NoWay, Routed, route
from duologue.runtime.desk.rules import DeskRules, Queue, Rule

MONDAY_NOON_MS = int(datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp() * 1000)
HOUR_MS = 3_600_000

RULES = DeskRules(
    queues=(
        Queue(name="general"),
        Queue(name="billing", skills=("billing",)),
        Queue(name="night", hours=read_hours(("Mo-Fr 20:00-23:00",), "UTC")),
    ),
    rules=(
        Rule(name="refunds", queue="billing", words=("refund",), priority=5, skills=("refunds",)),
        Rule(name="german", queue="general", languages=("de",), skills=("german",)),
        Rule(name="angry", queue="billing", signals=("anger", "frustration"), above=0.7),
        Rule(name="flights", agent="travel", transfers=("bot_to_bot",), words=("flight",)),
    ),
    agents=("guide", "travel", "bank"),
)


def facts(**more: object) -> Facts:
    """Facts of an English conversation with the first agent."""
    given: dict[str, object] = {"language": "en", "agent": "guide", "cause": "agent", **more}
    # Names and types are those of the Struct, which checks them.
    return Facts(**given)  # pyright: ignore[reportArgumentType]


def routed(asked: HandOff, known: Facts, *, now_ms: int = MONDAY_NOON_MS) -> Routed:
    """Route what can be routed."""
    found = route(asked, known, RULES, now_ms=now_ms)
    assert isinstance(found, Routed)
    return found


def no_way(asked: HandOff, known: Facts, *, now_ms: int = MONDAY_NOON_MS) -> str:
    """Route what cannot be."""
    found = route(asked, known, RULES, now_ms=now_ms)
    assert isinstance(found, NoWay)
    return found.reason


def test_the_first_rule_that_fits_decides_and_says_why() -> None:
    found = routed(HandOff(reason="a Refund, please", skills=("phone",), priority=1), facts(language="de-AT"))
    assert (found.decision.target, found.decision.rule) == ("billing", "refunds")
    assert found.decision.reasons == ("word refund", "takes refunds", "priority +5")
    assert found.skills == ("billing", "phone", "refunds")
    assert found.priority == 6


def test_a_language_fits_its_regions_and_no_other_language() -> None:
    assert routed(HandOff(reason="x"), facts(language="de-AT")).decision.rule == "german"
    assert routed(HandOff(reason="x"), facts(language="den")).decision.rule == ""


def test_a_signal_fits_from_its_score_on() -> None:
    assert routed(HandOff(reason="x"), facts(signals={"frustration": 0.7})).decision.reasons == (
        "signal frustration at 0.70",
    )
    assert routed(HandOff(reason="x"), facts(signals={"frustration": 0.69})).decision.target == "general"


def test_what_was_said_last_counts_as_the_reason_does() -> None:
    assert routed(HandOff(reason="x"), facts(said="I want a refund")).decision.target == "billing"


def test_who_names_a_queue_is_believed_and_a_queue_that_is_not_there_is_refused() -> None:
    assert routed(HandOff(reason="refund", target="general"), facts()).decision.target == "general"
    assert no_way(HandOff(reason="x", target="nowhere"), facts()) == "there is no queue 'nowhere'"


def test_one_operator_is_named_within_a_queue() -> None:
    found = routed(HandOff(reason="refund", target="operator:mia"), facts())
    assert (found.operator_id, found.decision.target) == ("mia", "billing")
    assert found.decision.reasons == ("word refund", "takes refunds", "priority +5", "for mia alone")
    alone = routed(HandOff(reason="x", target="operator:mia"), facts())
    assert alone.decision == RouteDecision(target="general", reasons=("no rule fits", "for mia alone"))


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (Rule(name="r", queue="night", transfers=("warm",)), "transfer warm"),
        (Rule(name="r", queue="night", languages=("de",)), "language de-AT"),
        (Rule(name="r", queue="night", agents=("bank", "guide")), "agent guide"),
        (Rule(name="r", queue="night", asked_skills=("phone",)), "skill phone"),
        (Rule(name="r", queue="night", signals=("joy", "anger"), above=0.7), "signal anger at 0.80"),
        (Rule(name="r", queue="night", words=("Refund",)), "word Refund"),
        (Rule(name="r", queue="night", causes=("rule",)), "asked by rule"),
    ],
)
def test_each_condition_of_a_rule_is_told_as_a_reason(rule: Rule, reason: str) -> None:
    asked = HandOff(reason="a refund", transfer="warm", skills=("phone",))
    known = facts(language="de-AT", cause="rule", signals={"anger": 0.8})
    rules = DeskRules(queues=(Queue(name="day"), Queue(name="night")), rules=(rule,))
    found = route(asked, known, rules, now_ms=MONDAY_NOON_MS)
    assert isinstance(found, Routed)
    assert found.decision == RouteDecision(target="night", rule="r", reasons=(reason,))


def test_all_conditions_have_to_fit() -> None:
    rule = Rule(name="r", queue="night", words=("refund",), signals=("anger",), above=0.7)
    rules = DeskRules(queues=(Queue(name="day"), Queue(name="night")), rules=(rule,))
    for signals, target in (({"anger": 0.6}, "day"), ({"anger": 0.7}, "night")):
        found = route(HandOff(reason="refund"), facts(signals=signals), rules, now_ms=MONDAY_NOON_MS)
        assert isinstance(found, Routed)
        assert found.decision.target == target


def test_a_closed_queue_says_when_it_opens() -> None:
    asked = HandOff(reason="x", target="night")
    assert no_way(asked, facts()).endswith("closed until 2026-11-30 20:00 (UTC)")
    assert routed(asked, facts(), now_ms=MONDAY_NOON_MS + 8 * HOUR_MS).decision.target == "night"


def test_another_agent_is_named_or_found_by_a_rule() -> None:
    named = HandOff(reason="x", transfer="bot_to_bot", target="bank")
    assert routed(named, facts()).agent == "bank"
    found = routed(HandOff(reason="a flight", transfer="bot_to_bot"), facts())
    assert (found.agent, found.decision.rule) == ("travel", "flights")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (HandOff(reason="x", transfer="bot_to_bot", target="nobody"), "there is no agent 'nobody'"),
        (HandOff(reason="x", transfer="bot_to_bot", target="guide"), "the agent 'guide' has the conversation already"),
        (HandOff(reason="x", transfer="bot_to_bot"), "no rule says which agent is meant, and none was named"),
    ],
)
def test_an_agent_that_cannot_be_meant_is_refused(asked: HandOff, said: str) -> None:
    assert no_way(asked, facts()) == said


def test_hours_are_of_a_place_and_have_holidays() -> None:
    hours = read_hours(("Mo-Fr 08:00-18:00", "Sa 09:00-13:00"), "Europe/Berlin", (date(2026, 12, 25),))
    at = datetime(2026, 11, 30, 6, 59, tzinfo=UTC)
    assert not hours.is_open(int(at.timestamp() * 1000))
    assert hours.is_open(int(at.timestamp() * 1000) + 60_000)
    christmas = int(datetime(2026, 12, 25, 10, tzinfo=UTC).timestamp() * 1000)
    assert not hours.is_open(christmas)
    opens = hours.opens_at(christmas)
    assert opens is not None
    assert f"{opens:%a %d %H:%M}" == "Sat 26 09:00"


@pytest.mark.parametrize(
    "text", ["Mo 8-18", "Mo-Fr 18:00-08:00", "Mo 08:60-09:00", "Mo 20:00-24:01", "lunes 08:00-09:00"]
)
def test_hours_that_cannot_be_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"Mo|end"):
        read_hours((text,), "UTC")


def test_a_week_may_go_round_and_a_day_may_end_at_midnight() -> None:
    hours = read_hours(("Sa-Mo 00:00-24:00",), "UTC")
    assert [span.day for span in hours.spans] == [5, 6, 0]
    assert hours.is_open(MONDAY_NOON_MS)
    with pytest.raises(ValueError, match="no time zone"):
        read_hours((), "Europe/Nowhere")
