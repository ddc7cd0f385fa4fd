"""Which tier answers, and when a better answer takes the place of the first."""

import msgspec
import pytest
from tests.unit.engine.conversation import OPENED, Conversation, kinds, of, only

from duologue.model.agent import AgentRequest
from duologue.model.condition import ConditionState, Readings
from duologue.model.content import Tier
from duologue.model.effects import JudgeComplexity
from duologue.model.events import (
    AgentDegraded,
    AnswerUpgraded,
    ResponseEnded,
    ResponseStarted,
    SessionStarted,
    TextCompleted,
    TextStarted,
    TurnEnded,
    TurnRouted,
)
from duologue.model.inputs import (
    AgentCalled,
    AgentReturned,
    ComplexityJudged,
    ConditionChanged,
    ServerRestarted,
    UpgradeAsked,
)
from duologue.model.replies import Ignored
from duologue.model.routing import RoutingRules, UpgradeReason

TWO: tuple[Tier, ...] = ("reflex", "workhorse")
THREE: tuple[Tier, ...] = ("gate", "reflex", "workhorse")
HARD = "Compare A and B for a small team, explain the pros and cons of each, and write a plan with at most five steps."
EASY = "What time is it?"


def routed(rules: RoutingRules | None = None, *, tiers: tuple[Tier, ...] = TWO) -> Conversation:
    rules = rules or RoutingRules(tiers=tiers)
    return Conversation(msgspec.structs.replace(OPENED, routing=rules, loaded=rules.tiers))


def changed(condition: ConditionState, tiers: tuple[Tier, ...] = TWO) -> ConditionChanged:
    return ConditionChanged(condition=condition, reason="battery", readings=Readings(battery=0.2), tiers=tiers)


def last(talk: Conversation) -> AgentRequest:
    return talk.requests[-1]


def test_with_one_tier_nothing_is_routed() -> None:
    talk = Conversation()
    talk.exchange(HARD, "yes")
    assert not of(talk.events, TurnRouted)
    assert last(talk).tier == "workhorse"
    assert only(talk.events, SessionStarted).tiers == ("workhorse",)


@pytest.mark.parametrize(("text", "tier"), [(EASY, "reflex"), (HARD, "workhorse")])
def test_a_turn_goes_to_the_tier_that_it_is_hard_enough_for(text: str, tier: Tier) -> None:
    talk = routed()
    talk.say(text)
    told = only(talk.events, TurnRouted)
    assert kinds(talk.events)[-3:] == ["TurnAccepted", "TurnRouted", "ResponseStarted"]
    assert (told.target, told.workhorse_required) == (tier, tier == "workhorse")
    assert (told.response_id, told.judged_by) == (talk.response_id, "rules")
    assert only(talk.events, ResponseStarted).tier == last(talk).tier == tier
    talk.speak("It is noon.")
    talk.finish()
    assert only(talk.events, TextStarted).tier == only(talk.events, ResponseEnded).tier == tier


def test_the_thresholds_decide() -> None:
    talk = routed(RoutingRules(tiers=TWO, workhorse_above=0.05))
    talk.say(EASY)
    assert only(talk.events, TurnRouted).target == "workhorse"


def test_the_gate_answers_itself_what_is_easy_enough() -> None:
    talk = routed(RoutingRules(tiers=THREE, gate_below=0.05))
    talk.exchange("Hi!", "Hello!")
    talk.say(EASY)
    assert [told.target for told in of(talk.events, TurnRouted)] == ["gate", "reflex"]


def test_what_the_gate_has_no_answer_for_it_passes_on_and_nothing_is_replaced() -> None:
    talk = routed(RoutingRules(tiers=THREE, gate_below=0.5))
    talk.say(EASY)
    first = talk.response_id
    talk.give(UpgradeAsked(response_id=first, reason="complexity"))
    told = of(talk.events, TurnRouted)
    assert [(one.target, one.judged_by) for one in told] == [("gate", "rules"), ("reflex", "gate")]
    assert talk.response_id == first
    assert [request.tier for request in talk.requests] == ["gate", "reflex"]
    assert not of(talk.events, AnswerUpgraded)
    talk.speak("Noon.")
    assert only(talk.events, TextStarted).tier == "reflex"


def test_a_gate_that_judges_is_asked_before_anybody_answers() -> None:
    talk = routed(RoutingRules(tiers=THREE, gate_judges=True, gate_ms=300))
    talk.say(EASY)
    asked = only(talk.effects, JudgeComplexity)
    assert (asked.response_id, asked.text, asked.wait_ms) == (talk.response_id, EASY, 300)
    assert only(talk.events, ResponseStarted).tier == "gate"
    assert not talk.requests
    talk.give(ComplexityJudged(response_id=talk.response_id, score=0.9, judge_ms=20))
    told = only(talk.events, TurnRouted)
    assert (told.complexity, told.target, told.judged_by) == (0.9, "workhorse", "gate")
    assert last(talk).tier == "workhorse"
    assert isinstance(talk.give(ComplexityJudged(response_id=talk.response_id, score=0.1)).reply, Ignored)


def test_a_gate_that_does_not_say_in_time_leaves_it_to_the_rules() -> None:
    talk = routed(RoutingRules(tiers=THREE, gate_judges=True))
    talk.say(EASY)
    talk.give(ComplexityJudged(response_id=talk.response_id, score=None))
    told = only(talk.events, TurnRouted)
    assert (told.target, told.judged_by) == ("reflex", "rules")


def test_a_turn_that_is_given_up_while_the_gate_judges_has_an_end() -> None:
    talk = routed(RoutingRules(tiers=THREE, gate_judges=True))
    talk.say(EASY)
    judged = talk.response_id
    talk.say("Hi!")
    assert talk.stopped == [judged]
    assert isinstance(talk.give(ComplexityJudged(response_id=judged, score=0.9)).reply, Ignored)
    assert only(talk.events, TurnEnded).outcome == "interrupted"
    assert last(talk).tier == "reflex"


def test_an_answer_that_hedges_at_its_begin_is_replaced_at_once() -> None:
    talk = routed()
    talk.say(EASY)
    first = talk.response_id
    events = talk.speak("Well, ", "I'm ", "not ", "sure")
    upgraded = only(events, AnswerUpgraded)
    assert (upgraded.reason, upgraded.response_id, upgraded.next_id) == ("hedging", first, talk.response_id)
    assert (upgraded.target, upgraded.replaced, upgraded.why) == ("workhorse", True, "i'm not sure")
    assert (upgraded.messages, upgraded.heard, upgraded.text) == ((f"{first}-message",), None, "")
    assert kinds(events)[-5:] == [
        "TextDelta",
        "AnswerUpgraded",
        "TextCompleted",
        "ResponseEnded",
        "ResponseStarted",
    ]
    assert only(events, TextCompleted).whole is False
    assert only(events, ResponseEnded).outcome == "replaced"
    assert only(events, ResponseStarted).replaces == first
    assert talk.stopped == [first]
    assert (last(talk).tier, last(talk).response_id, last(talk).so_far) == ("workhorse", talk.response_id, ())
    talk.speak("It is noon.")
    talk.finish()
    ended = only(talk.events, TurnEnded)
    assert (ended.outcome, ended.answer) == ("completed", "It is noon.")
    assert [message.text for message in talk.state.history] == [EASY, "It is noon."]


@pytest.mark.parametrize(("words", "confident"), [("It is noon. But I might be wrong.", True), ("Noon.", False)])
def test_an_answer_that_hedges_later_is_replaced_at_its_end(words: str, confident: bool) -> None:
    talk = routed()
    talk.say(EASY)
    first = talk.response_id
    talk.speak("It is noon, I am told. ", words)
    finished = talk.finish(confident=confident)
    assert only(finished.events, AnswerUpgraded).reason == "hedging"
    assert talk.stopped == []
    assert talk.response_id != first
    assert talk.state.open is not None


def test_the_workhorse_may_hedge() -> None:
    talk = routed()
    talk.say(HARD)
    talk.speak("I am not sure.")
    talk.finish(confident=False)
    assert not of(talk.events, AnswerUpgraded)
    assert only(talk.events, TurnEnded).outcome == "completed"


def test_an_answer_that_is_sure_is_left_alone_and_takes_the_short_way_after_its_first_sentence() -> None:
    talk = routed()
    talk.say(EASY)
    talk.speak("It is noon.")
    assert talk.open_turn.response.writing == ""
    talk.speak(" Enjoy", " it.")
    assert talk.open_turn.response.writing
    talk.finish()
    assert not of(talk.events, AnswerUpgraded)


def test_an_agent_may_say_itself_that_a_better_one_has_to_answer() -> None:
    talk = routed()
    talk.say(EASY)
    talk.speak("Hm. ")
    upgraded = only(talk.give(UpgradeAsked(response_id=talk.response_id, reason="complexity")).events, AnswerUpgraded)
    assert (upgraded.reason, upgraded.target) == ("complexity", "workhorse")


@pytest.mark.parametrize(("words", "outcome"), [((), "failed"), (("Hm.",), "completed")])
def test_where_no_better_one_is_there_it_keeps_what_it_has(words: tuple[str, ...], outcome: str) -> None:
    talk = Conversation()
    talk.say(EASY)
    talk.speak(*words)
    talk.give(UpgradeAsked(response_id=talk.response_id, reason="complexity"))
    assert only(talk.events, TurnEnded).outcome == outcome


def test_tools_that_tell_more_make_a_turn_too_hard() -> None:
    talk = routed(RoutingRules(tiers=TWO, workhorse_above=0.3))
    talk.say(EASY)
    for number in (1, 2, 3, 4):
        called = AgentCalled(
            response_id=talk.response_id, call_id=f"c-{number}", name="look_up", arguments="{}", repeatable=True
        )
        talk.give(called)
        talk.give(AgentReturned(response_id=talk.response_id, call_id=f"c-{number}", result="x" * 900))
        if of(talk.events, AnswerUpgraded):
            break
    upgraded = only(talk.events, AnswerUpgraded)
    assert (upgraded.reason, upgraded.messages) == ("complexity", ())
    kept = last(talk).so_far
    assert {call.result for message in kept for call in message.calls} == {"x" * 900}
    assert all(message.interrupted and not message.text for message in kept)
    talk.speak("Noon.")
    talk.finish()
    assert [bool(message.calls) for message in talk.state.history] == [False, *(True for _ in kept), False]


def test_what_may_not_be_done_twice_is_not_made_again() -> None:
    talk = routed()
    talk.say(EASY)
    talk.give(AgentCalled(response_id=talk.response_id, call_id="c", name="pay", arguments="{}"))
    talk.give(AgentReturned(response_id=talk.response_id, call_id="c", result="paid"))
    talk.speak("I am not sure.")
    talk.finish()
    assert not of(talk.events, AnswerUpgraded)


def test_who_asks_for_more_detail_gets_the_workhorse_and_the_first_answer_stays() -> None:
    talk = routed()
    talk.exchange(EASY, "It is noon.")
    first = of(talk.events, ResponseEnded)[0].response_id
    talk.say("Tell me more, please.")
    upgraded = only(talk.events, AnswerUpgraded)
    assert (upgraded.reason, upgraded.response_id) == ("user_requested_detail", first)
    assert (upgraded.next_id, upgraded.replaced, upgraded.target) == (talk.response_id, False, "workhorse")
    assert kinds(talk.events)[-4:] == ["TurnAccepted", "TurnRouted", "AnswerUpgraded", "ResponseStarted"]
    assert of(talk.events, ResponseStarted)[-1].replaces == ""
    talk.speak("Exactly 12:00.")
    talk.finish()
    assert [message.text for message in talk.state.history][1::2] == ["It is noon.", "Exactly 12:00."]


def test_more_detail_about_the_workhorse_s_own_answer_is_no_upgrade() -> None:
    talk = routed()
    talk.exchange(HARD, "A.")
    talk.say("Tell me more.")
    assert not of(talk.events, AnswerUpgraded)


@pytest.mark.parametrize(
    ("condition", "reasons"),
    [
        ("full_power", {"hedging", "user_requested_detail"}),
        ("balanced", {"hedging", "user_requested_detail"}),
        ("conservative", {"user_requested_detail"}),
        ("minimal", set[str]()),
        ("emergency", set[str]()),
    ],
)
def test_the_condition_says_which_upgrades_there_are(condition: ConditionState, reasons: set[str]) -> None:
    talk = routed()
    talk.give(changed(condition))
    talk.exchange(EASY, "It is noon.")
    talk.say("Tell me more.")
    talk.speak("More.")
    talk.finish()
    talk.say(EASY)
    talk.speak("I am not sure.")
    assert {one.reason for one in of(talk.events, AnswerUpgraded)} == reasons


def test_the_rules_say_which_upgrades_there_are() -> None:
    reasons: tuple[UpgradeReason, ...] = ("user_requested_detail",)
    talk = routed(RoutingRules(tiers=TWO, upgrade=reasons))
    talk.say(EASY)
    talk.speak("I am not sure.")
    talk.finish()
    assert not of(talk.events, AnswerUpgraded)


def test_without_power_the_reflex_answers_what_the_workhorse_should() -> None:
    talk = routed()
    talk.give(changed("minimal"))
    talk.say(HARD)
    told = only(talk.events, TurnRouted)
    assert (told.target, told.workhorse_required) == ("reflex", True)


def test_a_tier_that_is_not_loaded_is_not_asked() -> None:
    talk = routed()
    talk.give(changed("conservative", ("reflex",)))
    talk.say(HARD)
    assert last(talk).tier == "reflex"
    talk.speak("A.")
    talk.finish(confident=False)
    talk.give(changed("balanced", ("workhorse",)))
    talk.say(EASY)
    assert last(talk).tier == "workhorse"


def test_a_change_of_condition_is_told_once() -> None:
    talk = routed()
    talk.give(changed("balanced"))
    assert isinstance(talk.give(changed("balanced")).reply, Ignored)
    talk.give(changed("full_power"))
    told = of(talk.events, AgentDegraded)
    assert [(one.previous, one.condition) for one in told] == [("full_power", "balanced"), ("balanced", "full_power")]
    assert (told[0].reason, told[0].readings.battery, told[0].tiers) == ("battery", 0.2, TWO)


def test_a_run_that_was_lost_is_made_again_by_the_same_tier() -> None:
    talk = routed()
    talk.say(EASY)
    talk.speak("I don't know")
    talk.give(ServerRestarted())
    assert [request.tier for request in talk.requests] == ["reflex", "workhorse", "workhorse"]
    assert len(of(talk.events, TurnRouted)) == 1


def test_who_was_asked_for_something_goes_on_with_the_answer() -> None:
    talk = routed(RoutingRules(tiers=THREE, gate_below=0.5))
    talk.say(EASY)
    talk.give(UpgradeAsked(response_id=talk.response_id, reason="complexity"))
    assert last(talk).tier == "reflex"
    talk.speak("Which clock?")
    talk.finish()
    assert talk.state.routing.last_tier == "reflex"
