"""Tiers: which one answers a turn, by how hard it is, what is loaded and what the machine's condition allows."""

from typing import Final

from duologue.engine import complexity, condition
from duologue.engine.complexity import Complexity, Facts
from duologue.engine.detail import asks_for_detail
from duologue.engine.progress import Progress
from duologue.engine.routing_state import Route
from duologue.engine.state import OpenResponse, OpenTurn, SessionState
from duologue.model.content import PhotoObservation, Tier
from duologue.model.effects import JudgeComplexity
from duologue.model.events import AnswerUpgraded, TurnRouted
from duologue.model.inputs import UserTurn
from duologue.model.routing import UpgradeReason

ORDER: Final[tuple[Tier, ...]] = ("gate", "reflex", "workhorse")
"""From the smallest to the largest."""

MORE_DETAIL: Final = "asks for more detail about the last answer"

GOES_ON: Final = "goes on with what that tier has asked for"


def tier_of(state: SessionState, response: OpenResponse) -> Tier:
    """Which tier makes a response."""
    return response.tier or state.tier


def routes(state: SessionState) -> bool:
    """Whether turns are routed at all: not while another agent than the first has the conversation."""
    return len(state.routing.rules.tiers) > 1 and not state.agent_name


def usable(state: SessionState) -> tuple[Tier, ...]:
    """The tiers that may answer now, the smallest first; never none, as somebody has to."""
    tiers = state.routing.rules.tiers
    loaded = condition.loaded(state)
    left: list[Tier] = [tier for tier in tiers if tier in loaded] or list(tiers)
    spared = "reflex" in left and not condition.policy(state).workhorse
    return tuple([tier for tier in left if not (spared and tier == "workhorse")])


def larger(state: SessionState, than: Tier) -> Tier | None:
    """The tier that takes over from one: the largest that may answer now; `None` where none is larger."""
    largest = usable(state)[-1] if routes(state) else than
    return largest if ORDER.index(largest) > ORDER.index(than) else None


def upgradable(state: SessionState, turn: OpenTurn, reason: UpgradeReason) -> Tier | None:
    """Which tier would take the place of the running answer for a reason; `None` where none may.

    A run that has called a tool which may do harm twice is not made again.
    """
    response = turn.response
    allowed = reason in state.routing.rules.upgrade and reason in condition.policy(state).upgrade
    if not allowed or response.tier is None or not response.repeatable:
        return None
    return larger(state, response.tier)


def facts(state: SessionState, said: UserTurn, response: OpenResponse | None = None) -> Facts:
    """What is known of a turn besides its words."""
    photo = isinstance(said.observation, PhotoObservation)
    pictures = sum(item.media_type.startswith("image/") for item in said.attachments)
    calls = [] if response is None else [known.call for known in response.calls]
    return Facts(
        earlier_turns=sum(message.role == "user" for message in state.history[-complexity.EARLIER_MESSAGES :]),
        pictures=pictures + photo,
        files=len(said.attachments) - pictures,
        tool_calls=len(calls),
        result_chars=sum(len(call.result or "") for call in calls),
    )


def decide(state: SessionState, said: UserTurn, *, judged: float | None = None, goes_on: bool = False) -> Route:
    """Decide which tier answers a turn.

    Args:
        goes_on: it answers what the last run asked for.
        judged: what the gate's agent made of it; `None` takes the rules' word.
    """
    told = complexity.assess(said.text, facts(state, said))
    asked_by = state.routing.last_tier
    if (goes_on or said.resume or said.tool_results) and asked_by in usable(state):
        required = told.score >= state.routing.rules.workhorse_above
        return Route(complexity=told.score, target=asked_by, required=required, reasons=(GOES_ON, *told.reasons))
    detail_of = _detail_of(state, said)
    if detail_of:
        told = Complexity(score=told.score, reasons=(MORE_DETAIL, *told.reasons))
    score = told.score if judged is None else min(1.0, max(0.0, judged))
    required = bool(detail_of) or score >= state.routing.rules.workhorse_above
    return Route(
        complexity=score,
        target=_target(state, score, required=required),
        required=required,
        reasons=told.reasons if judged is None else ("the gate's agent says so", *told.reasons),
        judged_by="rules" if judged is None else "gate",
        detail_of=detail_of,
    )


def _target(state: SessionState, score: float, *, required: bool) -> Tier:
    tiers = usable(state)
    if "gate" in tiers and score < state.routing.rules.gate_below:
        return "gate"
    answering: list[Tier] = [tier for tier in tiers if tier != "gate"] or list(tiers)
    return answering[-1] if required else answering[0]


def _detail_of(state: SessionState, said: UserTurn) -> str:
    """The answer of a smaller tier about which a turn asks for more detail; empty where it does not."""
    routing = state.routing
    reason: UpgradeReason = "user_requested_detail"
    if not routing.last_id or routing.last_tier is None or reason not in routing.rules.upgrade:
        return ""
    if reason not in condition.policy(state).upgrade or larger(state, routing.last_tier) is None:
        return ""
    return routing.last_id if asks_for_detail(said.text) else ""


def route(step: Progress) -> bool:
    """Route the open turn, where turns are routed and it was not: its response gets its tier.

    Returns:
        Whether it has to wait for the gate's agent to be judged; then the gate has it until that is there.
    """
    state, turn = step.state, step.open_turn()
    response = turn.response
    if not routes(state):
        return False
    if turn.route is None:
        found = decide(state, turn.said, goes_on=bool(turn.answers))
        if _to_be_judged(state, turn, found):
            response.tier, response.judging = "gate", True
            return True
        settle(step, found)
    elif response.tier is None:
        response.tier = turn.route.target
    return False


def again(state: SessionState, response: OpenResponse) -> None:
    """Let the tier that answered last go on, in a turn that is taken up again; another where it may not now."""
    if routes(state):
        tiers, last = usable(state), state.routing.last_tier
        response.tier = last if last in tiers else tiers[-1]


def settle(step: Progress, found: Route) -> None:
    """Note where the open turn goes, and tell it."""
    turn = step.open_turn()
    turn.route, turn.response.tier, turn.response.judging = found, found.target, False
    tell(step, found)
    if found.detail_of:
        step.emit(
            AnswerUpgraded,
            response_id=found.detail_of,
            reason="user_requested_detail",
            target=found.target,
            next_id=turn.response.response_id,
            replaced=False,
        )


def tell(step: Progress, found: Route) -> None:
    """Tell where the open turn goes."""
    step.emit(
        TurnRouted,
        response_id=step.open_turn().response.response_id,
        complexity=found.complexity,
        target=found.target,
        workhorse_required=found.required,
        reasons=found.reasons,
        judged_by=found.judged_by,
    )


def _to_be_judged(state: SessionState, turn: OpenTurn, found: Route) -> bool:
    """Whether the gate's agent is asked: not where the rules are sure, as of a greeting or a wish for more detail."""
    if not state.routing.rules.gate_judges or not condition.policy(state).gate_model or "gate" not in usable(state):
        return False
    return bool(turn.said.text.strip()) and found.complexity > 0 and not found.detail_of


def ask(step: Progress) -> None:
    """Ask the gate's agent how hard the open turn is."""
    turn = step.open_turn()
    step.effects.append(
        JudgeComplexity(
            response_id=turn.response.response_id, text=turn.said.text, wait_ms=step.state.routing.rules.gate_ms
        )
    )
