"""Where a conversation goes that leaves its agent: the first rule that fits, or what was asked for. Pure."""

from collections.abc import Mapping
from typing import Final

from duologue.model.base import Value
from duologue.model.handoff import HandOff, HandoffCause, RouteDecision
from duologue.runtime.desk.rules import DeskRules, Queue, Rule

OPERATOR: Final = "operator:"
"""Begins a target that is one operator."""

NAMED: Final = "named by who asked"


class Facts(Value, kw_only=True):
    """What the rules look at.

    Attributes:
        agent: who has the conversation.
        said: what the person said last.
        signals: the latest score of each intent and sentiment, by its name.
    """

    language: str
    agent: str
    cause: HandoffCause
    said: str = ""
    signals: Mapping[str, float] = {}


class Routed(Value, kw_only=True):
    """Where it goes: into a queue, perhaps for one operator there, or to an agent."""

    decision: RouteDecision
    queue: Queue | None = None
    agent: str = ""
    operator_id: str = ""
    skills: tuple[str, ...] = ()
    priority: int = 0


class NoWay(Value, kw_only=True):
    """It goes nowhere; `reason` is for people."""

    reason: str


def route(asked: HandOff, facts: Facts, rules: DeskRules, *, now_ms: int) -> Routed | NoWay:
    """Decide where a conversation goes."""
    if asked.transfer == "bot_to_bot":
        return _to_agent(asked, facts, rules)
    return _to_queue(asked, facts, rules, now_ms=now_ms)


def _to_agent(asked: HandOff, facts: Facts, rules: DeskRules) -> Routed | NoWay:
    if asked.target:
        found, decision = asked.target, RouteDecision(target=asked.target, reasons=(NAMED,))
    else:
        rule, reasons = _first(asked, facts, tuple(one for one in rules.rules if one.agent))
        if rule is None:
            return NoWay(reason="no rule says which agent is meant, and none was named")
        found, decision = rule.agent, RouteDecision(target=rule.agent, rule=rule.name, reasons=reasons)
    if found not in rules.agents:
        return NoWay(reason=f"there is no agent {found!r}")
    if found == facts.agent:
        return NoWay(reason=f"the agent {found!r} has the conversation already")
    return Routed(decision=decision, agent=found)


def _to_queue(asked: HandOff, facts: Facts, rules: DeskRules, *, now_ms: int) -> Routed | NoWay:
    operator_id = asked.target.removeprefix(OPERATOR) if asked.target.startswith(OPERATOR) else ""
    named = "" if operator_id else asked.target
    rule, reasons = (None, (NAMED,)) if named else _first(asked, facts, tuple(one for one in rules.rules if one.queue))
    name = named or (rule.queue if rule is not None else rules.queues[0].name)
    queue = next((one for one in rules.queues if one.name == name), None)
    if queue is None:
        return NoWay(reason=f"there is no queue {name!r}")
    if not queue.hours.is_open(now_ms):
        return NoWay(reason=_closed(queue, now_ms))
    if not named and rule is None:
        reasons = ("no rule fits",)
    skills = dict.fromkeys((*queue.skills, *asked.skills, *(rule.skills if rule is not None else ())))
    return Routed(
        decision=RouteDecision(
            target=queue.name,
            rule="" if rule is None else rule.name,
            reasons=(*reasons, *_effects(rule), *([f"for {operator_id} alone"] if operator_id else [])),
        ),
        queue=queue,
        operator_id=operator_id,
        skills=tuple(skills),
        priority=asked.priority + (rule.priority if rule is not None else 0),
    )


def _effects(rule: Rule | None) -> tuple[str, ...]:
    """What a rule does besides naming a queue."""
    if rule is None:
        return ()
    priority = (f"priority {rule.priority:+}",) if rule.priority else ()
    return (*(f"takes {skill}" for skill in rule.skills), *priority)


def _closed(queue: Queue, now_ms: int) -> str:
    opens = queue.hours.opens_at(now_ms)
    until = "" if opens is None else f" until {opens:%Y-%m-%d %H:%M} ({queue.hours.zone})"
    return f"nobody is at the desk {queue.name!r} now; it is closed{until}"


def _first(asked: HandOff, facts: Facts, rules: tuple[Rule, ...]) -> tuple[Rule | None, tuple[str, ...]]:
    for rule in rules:
        reasons = _reasons(rule, asked, facts)
        if reasons is not None:
            return rule, reasons
    return None, ()


def _reasons(rule: Rule, asked: HandOff, facts: Facts) -> tuple[str, ...] | None:
    """Why a rule fits, a reason for each of its conditions; `None` where it does not."""
    said = f"{asked.reason}\n{facts.said}".casefold()
    checks: list[tuple[tuple[str, ...], str | None]] = [
        (rule.transfers, f"transfer {asked.transfer}" if asked.transfer in rule.transfers else None),
        (rule.languages, f"language {facts.language}" if _speaks(facts.language, rule.languages) else None),
        (rule.agents, f"agent {facts.agent}" if facts.agent in rule.agents else None),
        (rule.asked_skills, _either("skill", [one for one in asked.skills if one in rule.asked_skills])),
        (rule.signals, _signal(rule, facts)),
        (rule.words, _either("word", [one for one in rule.words if one.casefold() in said])),
        (rule.causes, f"asked by {facts.cause}" if facts.cause in rule.causes else None),
    ]
    found = [reason for asked_for, reason in checks if asked_for]
    return tuple(one for one in found if one is not None) if None not in found else None


def _either(kind: str, found: list[str]) -> str | None:
    return f"{kind} {found[0]}" if found else None


def _signal(rule: Rule, facts: Facts) -> str | None:
    found = [name for name in rule.signals if facts.signals.get(name, 0.0) >= rule.above]
    return f"signal {found[0]} at {facts.signals[found[0]]:.2f}" if found else None


def _speaks(language: str, languages: tuple[str, ...]) -> bool:
    tag = language.casefold()
    return any(tag == one.casefold() or tag.startswith(f"{one.casefold()}-") for one in languages)
