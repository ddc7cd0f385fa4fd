"""Physical observations that an agent asks for: a tag to read, a photo to take. Source: AgentCall 0.1."""

from duologue.model.base import Value
from duologue.model.content import Modality
from duologue.model.kinds import Input

REASON = "observation"
"""The `reason` of an interrupt that asks for an observation; its `metadata` has `modality` and `interactionId`."""


class ObservationAsked(Input, kw_only=True):
    """The run stopped until the person has shown something.

    Attributes:
        prompt: for the person.
        wait_ms: how long it is waited for.
    """

    response_id: str
    modality: Modality
    prompt: str
    wait_ms: int


class Observe(Value, kw_only=True):
    """An agent's item: the person is asked to read a tag or take a photo, and the run stops here.

    Only in a modality of `AgentRequest.modalities`. The next run has the answer in `resume`, and what was shown in
    `observation`.
    """

    modality: Modality
    prompt: str
    wait_ms: int = 120_000
