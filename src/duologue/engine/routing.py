"""Routing: what the gate's agent says of a turn, and when a better answer takes the place of the running one.

What was shown of the replaced answer is no longer valid; what was heard of it in a call stays heard, and the better
one is told so. Tools that were called stay called.
"""

import msgspec

from duologue.engine import bridges, condition, endings, heard, history, speaking, starting, tiers, tools
from duologue.engine.complexity import Complexity, assess
from duologue.engine.hedging import hedge
from duologue.engine.progress import Progress
from duologue.engine.state import OpenResponse, OpenTurn
from duologue.model.content import Tier, Usage
from duologue.model.effects import StopAgent
from duologue.model.errors import Code
from duologue.model.events import AnswerUpgraded, TextDelta, TextStarted
from duologue.model.inputs import ComplexityJudged, UpgradeAsked
from duologue.model.replies import Accepted, Ignored, Reply
from duologue.model.routing import UpgradeReason

SENTENCE_CHARS = 200
"""How much of an answer is watched as its first sentence: longer ones say by then whether they are sure."""

_ENDS = (".", "!", "?", "\n", "。", "！", "？", "।")


def take(step: Progress, happened: ComplexityJudged) -> Reply:
    """Take the gate's word on how hard the open turn is, and let the tier answer that it leads to."""
    turn = step.state.open
    if turn is None or not turn.response.judging or turn.response.response_id != happened.response_id:
        return Ignored()
    tiers.settle(step, tiers.decide(step.state, turn.said, judged=happened.score))
    turn.response.last_item_ms = step.now_ms
    starting.order(step)
    return Accepted(turn=turn.number, seq=step.events[0].seq)


def heard_more(step: Progress, response: OpenResponse) -> bool:
    """Look at the first sentence of an answer that is watched, as it grows; true where it is replaced."""
    text = "".join(response.pieces[response.bridge :])
    if (why := hedge(text)) is not None and _upgrade(step, "hedging", why=why, running=True):
        return True
    begun = text.lstrip()
    if len(begun) > SENTENCE_CHARS or begun.rstrip().endswith(_ENDS):
        response.watched = False
    return False


def finished(
    step: Progress, turn: OpenTurn, *, confident: bool, usage: tuple[Usage, ...], total_tokens: int | None
) -> bool:
    """Replace an answer that is whole and hedges; true where it is.

    Args:
        confident: its agent did not say that it does not know.
        usage: what the run's models counted.
        total_tokens: as the agent counts them.
    """
    response = turn.response
    if tools.pending(response) or tiers.upgradable(step.state, turn, "hedging") is None:
        return False
    why = hedge("".join(response.pieces[response.bridge :]))
    if why is None and confident:
        return False
    return _upgrade(step, "hedging", why=why or "", usage=usage, total_tokens=total_tokens)


def returned(step: Progress, turn: OpenTurn) -> bool:
    """Look at a turn again once tools have told more; true where its answer is replaced, as it is too hard."""
    response, said = turn.response, turn.said
    if turn.route is None or tiers.upgradable(step.state, turn, "complexity") is None:
        return False
    told: Complexity = assess(said.text, tiers.facts(step.state, said, response))
    if told.score < step.state.routing.rules.workhorse_above or told.score <= turn.route.complexity:
        return False
    return _upgrade(step, "complexity", why=told.reasons[0], running=True)


def asked(step: Progress, turn: OpenTurn, item: UpgradeAsked) -> None:
    """Let a better tier answer, as the run that answered says itself that it should."""
    response = turn.response
    target = tiers.larger(step.state, tiers.tier_of(step.state, response))
    untouched = not (response.pieces or response.shown or response.calls)
    if target is not None and untouched and response.tier == "gate":
        _pass_on(step, turn, target)
    elif target is not None and _may(step, item.reason):
        _replace(step, item.reason, target)
    elif untouched:
        message = "the agent wants a better one to answer, and there is none"
        endings.fail(step, code=Code.AGENT_EMPTY, message=message, retryable=False)
    else:
        endings.end(step, "completed", confident=False)


def _may(step: Progress, reason: UpgradeReason) -> bool:
    return reason in condition.policy(step.state).upgrade


def _pass_on(step: Progress, turn: OpenTurn, target: Tier) -> None:
    """Nothing was said yet, so there is nothing to replace: the turn is routed once more."""
    route = turn.route or tiers.decide(step.state, turn.said)
    answering: list[Tier] = [tier for tier in tiers.usable(step.state) if tier != "gate"]
    if answering and not route.required:
        target = answering[0]
    reasons = ("the gate has no answer", *route.reasons)
    tiers.settle(step, msgspec.structs.replace(route, target=target, reasons=reasons, judged_by="gate", detail_of=""))
    starting.order(step)


def _upgrade(
    step: Progress,
    reason: UpgradeReason,
    *,
    why: str = "",
    running: bool = False,
    usage: tuple[Usage, ...] = (),
    total_tokens: int | None = None,
) -> bool:
    target = tiers.upgradable(step.state, step.open_turn(), reason)
    if target is None:
        return False
    _replace(step, reason, target, why=why, running=running, usage=usage, total_tokens=total_tokens)
    return True


def _replace(
    step: Progress,
    reason: UpgradeReason,
    target: Tier,
    *,
    why: str = "",
    running: bool = False,
    usage: tuple[Usage, ...] = (),
    total_tokens: int | None = None,
) -> None:
    """Let a better answer take the place of the running one.

    Args:
        reason: why.
        target: which tier gives it.
        why: the words that decided it.
        running: the run goes on and has to be stopped.
        usage: what the run's models counted.
        total_tokens: as the agent counts them.
    """
    state, turn = step.state, step.open_turn()
    old = turn.response
    new = starting.opening(state, attempt=old.attempt, now_ms=step.now_ms)
    new.tier, new.repeatable = target, old.repeatable
    leading_over = bridges.bridge(state.language, state.routing.rules.bridge) if turn.said.source == "voice" else ""
    heard_chars = heard.so_far(turn)
    step.emit(
        AnswerUpgraded,
        response_id=old.response_id,
        reason=reason,
        target=target,
        heard=heard_chars,
        text=leading_over,
        next_id=new.response_id,
        messages=_messages(old),
        why=why,
    )
    speaking.flush(step)
    if running:
        step.effects.append(StopAgent(response_id=old.response_id))
    endings.replace(step, usage=usage, total_tokens=total_tokens)
    # Of what was shown nothing stays, but calls that were made; of what was heard, all of it.
    kept = history.delivered(turn, heard_chars=heard_chars or 0)
    turn.earlier += kept
    turn.heard_before += "".join(f"{message.text.rstrip()} " for message in kept if message.text)
    if turn.first_text_ms is None:
        turn.first_text_ms = old.first_text_ms
    if turn.route is not None:
        turn.route = msgspec.structs.replace(turn.route, target=target)
    if state.state != "thinking":
        step.move("cancel")
        step.move("user_sends_text")
    turn.response = new
    starting.start(step, replaces=old.response_id)
    if leading_over:
        _lead_over(step, turn, leading_over)


def _messages(response: OpenResponse) -> tuple[str, ...]:
    """The ids of the messages of a response that were shown."""
    told = tuple(part.message_id for part in response.parts if part.text)
    return (*told, tools.message_id(response)) if response.pieces and not response.paused else told


def _lead_over(step: Progress, turn: OpenTurn, text: str) -> None:
    """Say something before the better answer is there; it belongs to that answer, and is no token of its model."""
    response = turn.response
    message_id = tools.message_id(response)
    step.move("first_token")
    step.emit(
        TextStarted,
        response_id=response.response_id,
        message_id=message_id,
        tier=tiers.tier_of(step.state, response),
    )
    response.pieces.append(text)
    response.length, response.bridge, response.writing = len(text), 1, message_id
    step.emit(TextDelta, response_id=response.response_id, message_id=message_id, text=text, length=response.length)
