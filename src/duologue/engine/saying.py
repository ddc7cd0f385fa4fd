"""Saying: words of the open answer, whoever they are of."""

from duologue.engine import endings, speaking, tiers, tools
from duologue.engine.progress import Progress
from duologue.engine.state import OpenResponse, OpenTurn
from duologue.model import limits
from duologue.model.effects import StopAgent
from duologue.model.errors import Code
from duologue.model.events import TextDelta, TextStarted


def speak(step: Progress, turn: OpenTurn, text: str) -> None:
    """Add words to the open answer; one that grows beyond all bounds fails."""
    response = turn.response
    if response.length + len(text) > limits.RESPONSE_TEXT_CHARS:
        step.effects.append(StopAgent(response_id=response.response_id))
        limit = f"{limits.RESPONSE_TEXT_CHARS:,} characters"
        endings.fail(step, code=Code.AGENT_TOO_LONG, message=f"the answer grew beyond {limit}", retryable=False)
        return
    if response.first_text_ms is None:
        response.first_text_ms = step.now_ms
    if response.paused or not response.pieces:
        open_output(step, response)
        response.paused = False
        step.emit(
            TextStarted,
            response_id=response.response_id,
            message_id=tools.message_id(response),
            tier=tiers.tier_of(step.state, response),
            author=turn.author,
        )
    message_id = tools.message_id(response)
    # What is watched takes the long way, so that ordinary tokens need not ask.
    response.writing = "" if response.watched else message_id
    response.pieces.append(text)
    response.length += len(text)
    step.emit(
        TextDelta,
        response_id=response.response_id,
        message_id=message_id,
        text=text,
        length=response.length,
    )


def open_output(step: Progress, response: OpenResponse) -> None:
    """Move the state machine with the first of an answer that can be seen or heard."""
    if not (response.pieces or response.shown) and step.state.state == "thinking":
        step.move("first_token")
        # Whoever is speaking now was not heard in time, and may mean to interrupt.
        speaking.give_way(step)
