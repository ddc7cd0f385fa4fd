"""The context bundle: what whoever takes a conversation over gets to know of it."""

from typing import Any, Final

from duologue.engine.approvals import prompt
from duologue.engine.handoff_steps import agent_of, path_of
from duologue.engine.state import SessionState
from duologue.engine.summary import summarise
from duologue.model import limits
from duologue.model.content import Message
from duologue.model.handoff import HandOff
from duologue.model.redaction import redacted
from duologue.model.signals import Sentiment, Signal

WITHOUT: Final = frozenset({"blind", "supervisor_consult", "bot_to_bot"})
"""Transfers in whose events no bundle is told: nobody is briefed, or it is not the customer's to see."""

PENDING: Final = frozenset({"awaiting_approval", "pending_supervisor", "async_pending"})
"""Calls in these states wait for somebody's decision."""


# Any: JSON that clients are told as it is.
def make_bundle(state: SessionState, asked: HandOff, *, handoff_id: str, summary: str = "") -> dict[str, Any]:
    """Make the bundle of a conversation as it stands.

    Args:
        state: of the session.
        asked: what was asked for.
        handoff_id: for whom it is.
        summary: of a model's; empty takes the agent's own, or else an extract.
    """
    said = list(state.history)
    if state.open is not None and state.open.resumed is None:
        said.append(Message(role="user", text=state.open.said.text, turn=state.open.number))
    by = "model" if summary else "agent" if asked.summary else "extract"
    bundle: dict[str, Any] = {
        "bundleId": bundle_id(handoff_id),
        "sessionId": state.session_id,
        "reason": asked.reason,
        "summary": summary or asked.summary or summarise(said),
        "summaryBy": by,
        "customer": {"id": state.subject, "language": state.language, "modalities": list(state.modalities)},
        "agent": agent_of(state),
        "graphPath": list(path_of(state)),
        "signals": _signals(state),
        "pendingApprovals": [
            {
                "approvalId": call.approval.approval_id,
                "tool": call.name,
                "prompt": prompt(call.spec.confirm, call.name, redacted(call.arguments, call.spec.redact)),
                "expiresAt": call.approval.expires_ms,
            }
            for call in state.tools.calls
            if call.approval is not None and call.status in PENDING
        ],
        "transcript": _transcript(said),
    }
    return bundle


def signal_scores(state: SessionState) -> dict[str, float]:
    """The latest score of each intent and sentiment, by its name."""
    standing = [] if state.signals is None else state.signals.standing
    latest = sorted(standing, key=lambda one: one.of_turn)
    return {_name(one.signal): one.signal.score for one in latest}


def _signals(state: SessionState) -> list[dict[str, Any]]:
    """The latest estimate of each intent and sentiment, the newest last."""
    standing = [] if state.signals is None else state.signals.standing
    latest = {_name(one.signal): one for one in sorted(standing, key=lambda one: one.of_turn)}
    return [
        {
            "kind": "sentiment" if isinstance(one.signal, Sentiment) else "intent",
            "name": name,
            "score": one.signal.score,
            "confidence": one.signal.confidence,
            "turn": one.of_turn,
        }
        for name, one in latest.items()
    ]


def _name(signal: Signal) -> str:
    return signal.category if isinstance(signal, Sentiment) else signal.intent


def bundle_id(handoff_id: str) -> str:
    """The id of a handoff's bundle."""
    return f"{handoff_id}~bundle"


def _transcript(said: list[Message]) -> list[dict[str, Any]]:
    """The latest messages within the bounds, oldest first."""
    told: list[dict[str, Any]] = []
    left = limits.HANDOFF_TRANSCRIPT_CHARS
    for message in reversed(said[-limits.HANDOFF_MESSAGES :]):
        if left <= 0:
            break
        text = message.text[-left:]
        left -= len(text)
        if text or message.calls:
            told.append(_line(message, text))
    return told[::-1]


def _line(message: Message, text: str) -> dict[str, Any]:
    who = "customer" if message.role == "user" else "operator" if message.author else "agent"
    line: dict[str, Any] = {"role": who, "text": text, "turn": message.turn}
    if message.author:
        line["author"] = message.author
    if message.interrupted:
        line["interrupted"] = True
    if message.calls:
        line["tools"] = [
            {"name": call.name, "status": call.status or ("failed" if call.is_error else "completed")}
            for call in message.calls
        ]
    return line
