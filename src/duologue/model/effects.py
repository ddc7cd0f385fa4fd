"""Effects: what the engine orders. The runtime carries them out once their cause is stored."""

from typing import TypeAlias

from duologue.model.agent import AgentRequest
from duologue.model.base import Value
from duologue.model.handoff import CloseHandoff, HandoffEffect, PlaceHandoff
from duologue.model.routing import JudgeComplexity
from duologue.model.tools import RunTool, StopTool


class RunAgent(Value, kw_only=True):
    """Start the agent; its items come back as inputs that name `request.response_id`."""

    request: AgentRequest


class StopAgent(Value, kw_only=True):
    """Stop the run; what it still says is ignored."""

    response_id: str


class CallEffect(Value, kw_only=True):
    """The base of what is ordered of a call; an order for a call that is gone is void."""

    call_id: str


class StartSpeaking(CallEffect, kw_only=True):
    """Speak the text of this response as it comes, and tell of it by `SpeechMade`, `Played` and `PlaybackEnded`."""

    response_id: str


class FlushSpeech(CallEffect, kw_only=True):
    """Say no more of this response: drop what is queued, sent and buffered, wherever it is, also where all was sent."""

    response_id: str


class PauseSpeech(CallEffect, kw_only=True):
    """Fall silent within this response, and keep the place."""

    response_id: str


class ResumeSpeech(CallEffect, kw_only=True):
    """Go on from where it fell silent."""

    response_id: str


class FinishTranscript(CallEffect, kw_only=True):
    """End the recogniser's segment, which has this number, and ask for its final."""

    segment: int


class DropTranscript(CallEffect, kw_only=True):
    """Forget the audio of the recogniser's open segment; its number stays."""


class JudgeEnd(CallEffect, kw_only=True):
    """Ask the end-of-turn model about the pause after this segment; `text` is what is known to be said so far."""

    segment: int
    text: str


class PrepareAnswer(CallEffect, kw_only=True):
    """Run the agent, and keep all of it back: nothing is stored, shown or spoken, and no tool is let run."""

    request: AgentRequest


class ReleaseAnswer(CallEffect, kw_only=True):
    """Let out what was prepared as `request.response_id`: give `AnswerReleased`, then its items as inputs.

    The request is as it would be now; where the prepared run has failed meanwhile, run it as `RunAgent` says.
    """

    request: AgentRequest


class DropAnswer(CallEffect, kw_only=True):
    """Stop a run that prepared something, and forget what it said."""

    response_id: str


class HangUp(CallEffect, kw_only=True):
    """Close the link, telling its client the reason; the engine has let go of the call."""

    reason: str


VoiceEffect: TypeAlias = (
    StartSpeaking
    | FlushSpeech
    | PauseSpeech
    | ResumeSpeech
    | FinishTranscript
    | DropTranscript
    | JudgeEnd
    | PrepareAnswer
    | ReleaseAnswer
    | DropAnswer
    | HangUp
)
"""What is ordered of a call."""

Effect: TypeAlias = RunAgent | StopAgent | RunTool | StopTool | HandoffEffect | JudgeComplexity | VoiceEffect
"""Everything that the engine orders."""

__all__ = [
    "CallEffect",
    "CloseHandoff",
    "DropAnswer",
    "DropTranscript",
    "Effect",
    "FinishTranscript",
    "FlushSpeech",
    "HandoffEffect",
    "HangUp",
    "JudgeComplexity",
    "JudgeEnd",
    "PauseSpeech",
    "PlaceHandoff",
    "PrepareAnswer",
    "ReleaseAnswer",
    "ResumeSpeech",
    "RunAgent",
    "RunTool",
    "StartSpeaking",
    "StopAgent",
    "StopTool",
    "VoiceEffect",
]
