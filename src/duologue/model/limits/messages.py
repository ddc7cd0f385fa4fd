"""What a client may send: texts, ids, numbers, and what comes with a turn."""

from typing import Final

TURN_TEXT_CHARS: Final = 65_536
"""Longest user text, in code points. Source: AgentCall 0.1, `user.turn.text`; kept for all dialects."""

FRAME_BYTES: Final = 12 * 2**20
"""Largest frame from a client: the largest photo in base64, and room for the rest."""

SESSION_ID_CHARS: Final = 128
"""Longest session id. Source: AgentCall 0.1, `session.start.sessionId`."""

REQUEST_ID_CHARS: Final = 256
"""Longest client message id (`requestId`, `Idempotency-Key`, `turn_id`): ids of other systems fit."""

CONTEXT_ITEMS: Final = 16
"""Most context items of a turn. Source: AgentCall 0.1, `user.turn.context`."""

CONTEXT_DESCRIPTION_CHARS: Final = 1_024
"""Longest context description. Source: AgentCall 0.1, `aguiContext`."""

CONTEXT_VALUE_CHARS: Final = 8_192
"""Longest context value. Source: AgentCall 0.1, `aguiContext`."""

TURN_ATTACHMENTS: Final = 8
"""Most uploads referred to by one turn: a model takes few images well, and a turn stays readable."""

CLIENT_TOOLS: Final = 128
"""Most tools that a client may offer with a turn: models choose badly among more."""

CLIENT_DATA_BYTES: Final = 128 * 1024
"""Largest JSON of a turn's offered tools, its state and its forwarded values, each: they are stored with the turn."""

TOOL_RESULT_CHARS: Final = 65_536
"""Longest result of a client's tool, in code points, as for what a person writes."""

TURN_NUMBER_MAX: Final = 2**31 - 1
"""Highest turn number: an ordinal that every client language holds exactly."""

INTEGER_MAX: Final = 2**53 - 1
"""Largest integer that we write: the last that every JSON reader holds exactly. Source: RFC 8259, 6."""
