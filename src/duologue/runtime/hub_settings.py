"""How the hub behaves, as it can be set."""

from duologue.model import limits
from duologue.model.base import Value
from duologue.model.content import Tier
from duologue.model.inputs import IfBusy
from duologue.model.routing import RoutingRules


class HubSettings(Value, kw_only=True):
    """How the hub behaves; `model/limits/` has the reasons of the defaults.

    Attributes:
        tier: which model tier the agent is.
        language: BCP 47 tag of a new session.
        detect_language: whether the language of a turn that comes without one is told by its text.
        silence_ms: how long a run may say nothing.
        response_ms: how long a run may last.
        if_busy: what a new turn does to an answer that is still running.
        sessions_live: most sessions in memory.
        idle_unload_ms: when an unused session leaves memory.
        drain_ms: how long running answers may go on when the server stops.
        retain_events: how many events of a session are kept at least; 0 keeps all.
        photos_as_sent: whether photos keep their metadata, such as where they were taken.
        routing: how turns are routed, where there are several tiers; the hub knows which.
    """

    tier: Tier = "workhorse"
    language: str = "en"
    detect_language: bool = True
    silence_ms: int = limits.AGENT_SILENCE_MS
    response_ms: int = limits.RESPONSE_MS
    if_busy: IfBusy = "interrupt"
    sessions_live: int = limits.SESSIONS_LIVE
    idle_unload_ms: int = limits.IDLE_UNLOAD_MS
    drain_ms: int = limits.DRAIN_MS
    retain_events: int = 0
    photos_as_sent: bool = False
    routing: RoutingRules = RoutingRules()
