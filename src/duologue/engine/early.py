"""Early generation: on a likely end of turn the agent is asked what it would be asked then.

What it says is kept back. When the turn ends with the same words it is let out, a hit; with others it is thrown away,
a miss; where it had said nothing yet, it is let out as it comes, pending. One answer is prepared for each pause, and
none while questions or a client's tools are open, since a turn closes those.
"""

import msgspec

from duologue.engine import condition, listening, starting, tiers
from duologue.engine.call_state import Call, Early, Utterance
from duologue.engine.progress import Progress
from duologue.engine.spoken_words import plain
from duologue.engine.state import OpenTurn
from duologue.model import limits
from duologue.model.effects import PrepareAnswer
from duologue.model.inputs import UserTurn
from duologue.model.voice import Preflight


def consider(step: Progress, call: Call, utterance: Utterance) -> None:
    """Let an answer be prepared for what is known to be said, where a pause may be the end."""
    state = step.state
    if utterance.early is None and (not call.rules.early or utterance.speaking or state.open is not None):
        # The usual case, and a partial comes several times a second.
        return
    said = plain(utterance.so_far)
    if not utterance.waits and utterance.early is not None and utterance.early.words != said:
        # The final says otherwise.
        listening.drop_early(step, call, utterance)
    if not call.rules.early or utterance.speaking or not said or state.open is not None:
        return
    if not condition.policy(state).early:
        return
    if state.interrupts or state.calls or state.handoff.with_person or utterance.early_runs >= limits.VOICE_EARLY_RUNS:
        return
    early = utterance.early
    if utterance.early_segment == utterance.last_segment or (early is not None and early.words == said):
        return
    listening.drop_early(step, call, utterance)
    _prepare(step, call, utterance, said)


def _prepare(step: Progress, call: Call, utterance: Utterance, words: str) -> None:
    state = step.state
    response = starting.opening(state, attempt=1, now_ms=step.now_ms)
    number = utterance.audio_turn or state.last_turn + 1
    turn = OpenTurn(
        number=number,
        request_id=f"turn-{number}",
        said=UserTurn(text=utterance.so_far, source="voice", language=utterance.language, granted=call.granted),
        response=response,
        since=number,
    )
    if tiers.routes(state):
        turn.route = tiers.decide(state, turn.said)
        response.tier = turn.route.target
    request = starting.request_for(state, turn)
    request = msgspec.structs.replace(request, language=utterance.language or state.language)
    utterance.early = Early(response_id=response.response_id, words=words, route=turn.route)
    utterance.early_segment = utterance.last_segment
    utterance.early_runs += 1
    utterance.missed = False
    step.effects.append(PrepareAnswer(call_id=call.call_id, request=request))


def settle(step: Progress, call: Call, utterance: Utterance, text: str) -> tuple[Early | None, Preflight | None]:
    """Decide what becomes of what was prepared, now that the turn has ended with a text.

    Returns:
        The one that is to be let out, or `None`; and what became of it, `None` where nothing was prepared.
    """
    early = utterance.early
    if early is not None and early.words == plain(text) and step.state.open is None:
        utterance.early = None
        # A hit, as soon as it is told that something had waited.
        return early, "pending"
    listening.drop_early(step, call, utterance)
    return None, "miss" if utterance.missed else None
