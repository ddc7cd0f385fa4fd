"""By which triggers each event may move the machine of six states."""

from typing import Final, get_args

from duologue.engine import machine
from duologue.model import events as e
from duologue.model.inputs import (
    AgentInput,
    Trigger,
)

Path = tuple[Trigger, ...]

AGENT_INPUTS: Final[tuple[type[AgentInput], ...]] = get_args(AgentInput)

PATHS: Final[dict[type[e.AnyEvent], tuple[Path, ...]]] = {
    e.TurnAccepted: (
        ("user_sends_text",),
        ("stt_complete",),
        ("cancel", "user_sends_text"),
        ("speech_end", "stt_complete"),
        ("user_activates_mic", "speech_end", "stt_complete"),
    ),
    e.TurnResumed: (("user_sends_text",), ("cancel", "user_sends_text")),
    e.ResponseStarted: ((), ("cancel", "user_sends_text")),
    e.TextStarted: ((), ("first_token",)),
    e.Showed: ((), ("first_token",)),
    e.ToolCalled: ((), ("first_token",)),
    e.ResponseEnded: (
        (),
        ("tts_complete",),
        ("first_token",),
        ("first_token", "tts_complete"),
        ("auto_resume",),
        ("first_token", "auto_resume"),
        ("cancel",),
        ("barge_in",),
        ("error",),
    ),
    e.ResponseFailed: (("error",),),
    e.StateChanged: (
        (),
        ("user_activates_mic",),
        ("speech_end",),
        ("tts_complete",),
        ("auto_resume",),
        ("barge_in",),
        ("cancel",),
        ("error",),
    ),
    e.SessionEnded: ((), ("cancel",)),
    e.HandoffMoved: ((), ("cancel",)),
    e.TurnEnded: ((), ("cancel",)),
    e.CallBegan: ((), ("cancel",)),
    e.CallFinished: ((), ("cancel",)),
    e.ListeningBegan: ((), ("user_activates_mic",), ("cancel", "user_activates_mic")),
    e.SpeechPaused: ((), ("speech_end",)),
    e.NothingHeard: ((), ("cancel",)),
    e.SpeakingPaused: ((), ("first_token",)),
    e.SpeakingFinished: (("auto_resume",), ("tts_complete",)),
    e.BargedIn: (("barge_in",),),
}
"""By which triggers each event may have moved the machine; an event that is not here moves nothing."""


def _walk(state: e.State, path: Path) -> e.State | None:
    """Where a path leads from a state; `None` where a trigger on it is not legal."""
    for trigger in path:
        target = machine.target(state, trigger)
        if target is None:
            return None
        state = target
    return state


LEGAL: Final[frozenset[tuple[type[e.AnyEvent], e.State, e.State | None]]] = frozenset(
    (kind, state, _walk(state, path))
    for kind in get_args(e.AnyEvent)
    for state in machine.STATES
    for path in PATHS.get(kind, ((),))
)
"""Every event with the state before and after it."""
