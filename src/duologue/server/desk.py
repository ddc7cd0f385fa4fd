"""The desk as the settings have it, and who its operators are."""

from collections.abc import Iterable

from duologue.model.errors import SettingsError
from duologue.ports.clock import Clock
from duologue.runtime.desk.asking import Asking
from duologue.runtime.desk.desk import Desk
from duologue.runtime.desk.hours import read_hours
from duologue.runtime.desk.placing import Summarise
from duologue.runtime.desk.rules import SUPERVISORS, Card, DeskRules, Queue, Rule
from duologue.server.auth import BACKEND_SUBJECT, Identity
from duologue.server.log import event_log
from duologue.server.settings_handoff import HandoffSettings, QueueSettings, RuleSettings


def make_desk(
    settings: HandoffSettings, *, agents: Iterable[str], clock: Clock, summarise: Summarise | None = None
) -> Desk | None:
    """Make the desk; `None` where conversations are not passed on.

    Args:
        settings: of handoffs.
        agents: the names of all agents, the usual one first.
        clock: tells the time.
        summarise: sums up by a model.
    Raises:
        SettingsError: hours cannot be read, or a rule leads nowhere.
    """
    if not settings.enabled:
        return None
    rules = desk_rules(settings, agents=tuple(agents))
    asking = Asking(settings.phrases, built_in=settings.built_in_phrases)
    return Desk(rules, clock=clock, log=event_log("duologue"), asking=asking, summarise=summarise)


def queue_names(settings: HandoffSettings) -> tuple[str, ...]:
    """The names of the queues that are set; none where conversations are not passed on."""
    return tuple(queue.name for queue in settings.queues) if settings.enabled else ()


def desk_rules(settings: HandoffSettings, *, agents: tuple[str, ...]) -> DeskRules:
    """The rules of the desk.

    Raises:
        SettingsError: hours cannot be read, or a rule leads nowhere.
    """
    queues = tuple(_queue(one) for one in settings.queues) or (Queue(name="default"),)
    names = [queue.name for queue in queues]
    if len(set(names)) < len(names) or SUPERVISORS in names:
        raise SettingsError(f"handoff.queues: each needs a name of its own, other than {SUPERVISORS}")
    for rule in settings.rules:
        _check_rule(rule, queues=names, agents=agents)
    return DeskRules(
        queues=queues,
        rules=tuple(_rule(one) for one in settings.rules),
        agents=agents,
        wait_ms=settings.wait_ms,
        connect_ms=settings.connect_ms,
        away_ms=settings.away_ms,
        operator_away_ms=settings.operator_away_ms,
        elsewhere=bool(settings.desk_url),
    )


def _queue(given: QueueSettings) -> Queue:
    try:
        hours = read_hours(given.hours, given.timezone, given.closed)
    except ValueError as error:
        raise SettingsError(f"handoff.queues: {given.name}: {error}") from error
    return Queue(name=given.name, skills=given.skills, hours=hours)


def _check_rule(rule: RuleSettings, *, queues: Iterable[str], agents: Iterable[str]) -> None:
    if bool(rule.queue) == bool(rule.agent):
        raise SettingsError(f"handoff.rules: {rule.name}: write a queue or an agent, and not both")
    if rule.queue and rule.queue not in queues:
        raise SettingsError(f"handoff.rules: {rule.name}: there is no queue {rule.queue!r}")
    if rule.agent and rule.agent not in agents:
        raise SettingsError(f"handoff.rules: {rule.name}: there is no agent {rule.agent!r}")


def _rule(given: RuleSettings) -> Rule:
    return Rule(
        name=given.name,
        queue=given.queue,
        agent=given.agent,
        skills=given.skills,
        priority=given.priority,
        transfers=given.transfers,
        languages=given.languages,
        agents=given.agents,
        asked_skills=given.asked_skills,
        signals=given.signals,
        above=given.above,
        words=given.words,
        causes=given.causes,
    )


def card_of(identity: Identity, settings: HandoffSettings) -> Card:
    """Who somebody is at the desk: the person whom they name or are, or the key that they have."""
    named = identity.subject if not identity.is_backend or identity.subject != BACKEND_SUBJECT else ""
    operator_id = named or identity.name or identity.subject
    known = next((one for one in settings.operators if one.id == operator_id), None)
    supervises = "supervise" in identity.scopes
    if known is None:
        return Card(operator_id=operator_id, name=operator_id, at_most=settings.at_most, supervises=supervises)
    skills = frozenset(known.skills) if known.skills else None
    return Card(
        operator_id=operator_id,
        name=known.name or operator_id,
        skills=skills,
        at_most=known.at_most,
        supervises=supervises,
    )
