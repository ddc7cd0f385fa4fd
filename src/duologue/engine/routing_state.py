"""The state of routing: the rules, and which tier answered last."""

import msgspec

from duologue.model.content import Tier
from duologue.model.routing import JudgedBy, RoutingRules


class Route(msgspec.Struct, frozen=True):
    """Where a turn was routed to.

    Attributes:
        complexity: 0 to 1.
        target: which tier answers.
        required: no tier below the workhorse may answer it.
        reasons: what made it so, the weightiest first.
        judged_by: who told the complexity.
        detail_of: the answer about which more detail is asked for, where a smaller tier gave it; empty for none.
    """

    complexity: float
    target: Tier
    required: bool
    reasons: tuple[str, ...] = ()
    judged_by: JudgedBy = "rules"
    detail_of: str = ""


class Routing(msgspec.Struct):
    """How turns are routed.

    Attributes:
        rules: as set when the session was opened.
        last_id: the answer that was given last; empty where there was none.
        last_tier: which tier gave it; `None` where the first agent did without being routed to.
    """

    rules: RoutingRules = RoutingRules()
    last_id: str = ""
    last_tier: Tier | None = None
