"""The state of handoffs: who has the conversation."""

import msgspec


class HandoffState(msgspec.Struct):
    """Who has the conversation.

    Attributes:
        with_person: a person answers in the agent's place; no agent is run then.
    """

    with_person: bool = False
