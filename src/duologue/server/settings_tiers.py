"""What can be set of tiers, and of the machine's condition."""

from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec import Meta

from duologue.engine.standing import Steps, Thresholds
from duologue.model import limits
from duologue.model.routing import RoutingRules, UpgradeReason
from duologue.server.settings_section import PATH_CHARS, Section

BRIDGE_CHARS: Final = 200
"""Longest bridge: it is spoken while somebody waits."""

GATE_MS_MAX: Final = 10_000
"""Longest wait for the gate: beyond it nobody is served by knowing."""

EVERY_MS_MAX: Final = 600_000
"""Longest time between two readings: a battery lasts longer, a hot machine does not."""

STEPS: Final = 4
"""One step for each state below full power."""

Share: TypeAlias = Annotated[float, Meta(ge=0, le=1, extra={"allowed": "a number from 0 to 1"})]
Reading: TypeAlias = Annotated[float, Meta(ge=0, extra={"allowed": "a number"})]


def _share(about: str) -> Any:
    return Meta(ge=0, le=1, description=about, extra={"allowed": "a number from 0 to 1"})


def _steps(about: str) -> Any:
    return Meta(
        min_length=STEPS,
        max_length=STEPS,
        description=f"{about} from which on it is balanced, conservative, minimal, emergency.",
        extra={"allowed": "four numbers, each worse than the one before"},
    )


class TiersSettings(Section):
    """How turns are routed, where several agents have a tier; see [[agents]]."""

    workhorse_above: Annotated[float, _share("Complexity from which on the workhorse answers at once.")] = 0.6
    gate_below: Annotated[
        float, _share("Complexity below which the gate answers itself, where it has an agent. 0: never.")
    ] = 0.05
    gate_judges: Annotated[
        bool, Meta(description="Ask the gate's agent how hard a turn is, instead of telling it by rules alone.")
    ] = False
    gate_ms: Annotated[
        int, Meta(ge=10, le=GATE_MS_MAX, description="How long it has for that; then the rules tell it.")
    ] = limits.GATE_MS
    upgrade: Annotated[
        tuple[Literal["complexity", "hedging", "user_requested_detail"], ...],
        Meta(max_length=3, description="Why a smaller tier's answer is replaced by a larger one's."),
    ] = ("complexity", "hedging", "user_requested_detail")
    bridge: Annotated[
        str,
        Meta(
            max_length=BRIDGE_CHARS,
            description="What is said by voice before the better answer. Empty: a sentence in the person's language.",
        ),
    ] = ""

    def rules(self) -> RoutingRules:
        """As the engine takes them; which tiers there are, the hub knows."""
        upgrade: tuple[UpgradeReason, ...] = self.upgrade
        return RoutingRules(
            workhorse_above=self.workhorse_above,
            gate_below=self.gate_below,
            gate_judges=self.gate_judges,
            gate_ms=self.gate_ms,
            upgrade=upgrade,
            bridge=self.bridge,
        )


class ConditionSettings(Section):
    """How the machine's readings are judged, and so what is switched off while it has little left."""

    watch: Annotated[bool, Meta(description="Read the sensors. If not, everything is always on.")] = True
    every_ms: Annotated[int, Meta(ge=100, le=EVERY_MS_MAX, description="How often they are read.")] = (
        limits.CONDITION_EVERY_MS
    )
    settle_ms: Annotated[
        int, Meta(ge=0, le=EVERY_MS_MAX, description="How long all readings have to be better before the condition is.")
    ] = limits.CONDITION_RETRY_MS
    temperature_c: Annotated[tuple[Reading, ...], _steps("Degrees Celsius of the processor")] = (85, 90, 95, 100)
    battery: Annotated[tuple[Share, ...], _steps("Share of the battery, while it is not being charged,")] = (
        0.4,
        0.2,
        0.1,
        0.05,
    )
    free_memory_mb: Annotated[tuple[Reading, ...], _steps("MiB of memory that can still be had")] = (768, 512, 256, 128)
    readings_file: Annotated[
        str,
        Meta(
            max_length=PATH_CHARS,
            description=(
                "JSON file whose readings count in place of the sensors', to try what happens, such as"
                ' {"battery": 0.1}. Read again each time.'
            ),
            extra={"allowed": "a path, or empty"},
        ),
    ] = ""

    def thresholds(self) -> Thresholds:
        """As they are judged by; the margins are those of `engine.standing`."""
        usual = Thresholds()
        return Thresholds(
            temperature_c=_made(self.temperature_c, usual.temperature_c),
            battery=_made(self.battery, usual.battery),
            free_memory_mb=_made(self.free_memory_mb, usual.free_memory_mb),
            settle_ms=self.settle_ms,
        )

    def faults(self) -> list[str]:
        """The keys whose steps are not in order."""
        falling = {"temperature_c": False, "battery": True, "free_memory_mb": True}
        given = {
            "temperature_c": self.temperature_c,
            "battery": self.battery,
            "free_memory_mb": self.free_memory_mb,
        }
        return [name for name, steps in given.items() if list(steps) != sorted(set(steps), reverse=falling[name])]


def _made(steps: tuple[float, ...], usual: Steps) -> Steps:
    balanced, conservative, minimal, emergency = steps
    return Steps(
        balanced=balanced,
        conservative=conservative,
        minimal=minimal,
        emergency=emergency,
        margin=usual.margin,
        falling=usual.falling,
    )
