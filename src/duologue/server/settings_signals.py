"""What can be set of signals: who estimates, which intents there are, and when a person is to go on."""

from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec import Meta

from duologue.model import limits
from duologue.model.signals import SentimentCategory
from duologue.server.settings_agents import KEY_CHARS, MODEL_CHARS, Address
from duologue.server.settings_section import SECRET, Section

TIMEOUT_MS_MAX: Final = 30_000
"""Longest wait for a model's estimate: nobody acts on a mood that old."""

SKILLS: Final = 16
"""Most skills that a rule asks for."""

PRIORITY_MAX: Final = 100
"""Highest priority: what is beyond is meant as "first" as well."""

SKILL_CHARS: Final = 100
"""Longest skill: it is shown on one line."""

Name: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^[^\s\x00-\x1f](.*[^\s])?$",
        max_length=limits.SIGNAL_NAME_CHARS,
        extra={"allowed": f"1 to {limits.SIGNAL_NAME_CHARS} characters on one line"},
    ),
]

Example: TypeAlias = Annotated[str, Meta(min_length=1, max_length=limits.SIGNAL_EXAMPLE_CHARS)]

Examples: TypeAlias = Annotated[
    tuple[Example, ...],
    Meta(min_length=1, max_length=limits.SIGNAL_EXAMPLES, description="What such people say, in any language."),
]

Part: TypeAlias = Annotated[float, Meta(ge=0, le=1)]


class IntentSettings(Section):
    """What somebody may want."""

    name: Annotated[Name, Meta(description="How it is told; no other intent has it.")]
    examples: Examples


class MoodSettings(Section):
    """Sentences of yours whose mood is known: the local classifier learns them."""

    mood: Annotated[SentimentCategory, Meta(description="The mood of all its examples.")]
    examples: Examples
    language: Annotated[
        str,
        Meta(
            pattern=r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$",
            max_length=64,
            description="Their language.",
            extra={"allowed": "a BCP 47 tag, such as en or pt-BR"},
        ),
    ] = "en"


class EscalationSettings(Section):
    """When the conversation is to be passed to a person."""

    name: Annotated[Name, Meta(description="How the rule is called, in the reason of the handoff.")]
    signal: Annotated[Name, Meta(description="A mood, such as anger, or the name of an intent.")]
    above: Annotated[Part, Meta(description="Least score that counts.")] = 0.7
    confidence: Annotated[Part, Meta(description="Least confidence that counts.")] = 0.0
    turns: Annotated[int, Meta(ge=1, le=limits.ESCALATION_TURNS, description="In how many turns it has to be so.")] = 1
    within: Annotated[
        int, Meta(ge=1, le=limits.ESCALATION_TURNS, description="How many of the latest turns are looked at.")
    ] = 5
    queue: Annotated[
        str,
        Meta(
            max_length=limits.SIGNAL_NAME_CHARS,
            description="Queue that it goes to. Empty: as the rules of handoffs say.",
        ),
    ] = ""
    skills: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=SKILL_CHARS)], ...],
        Meta(max_length=SKILLS, description="What who takes it should be able to do."),
    ] = ()
    priority: Annotated[int, Meta(ge=0, le=PRIORITY_MAX, description="0 is usual; higher ones are taken first.")] = 0
    cooldown_turns: Annotated[
        int, Meta(ge=0, le=limits.ESCALATION_TURNS, description="Turns after a handoff in which the rule is silent.")
    ] = 5


class SignalsSettings(Section):
    """What is estimated of each turn: mood and intent. See docs/signals.md."""

    sources: Annotated[
        tuple[Literal["rule", "local", "model"], ...],
        Meta(
            max_length=3,
            description=(
                "Who estimates. rule: word lists, at once. local: a small classifier, in a thread, needs the extra"
                " signals. model: a language model, a request a message, needs the extra llm. Empty: nobody, but a"
                " backend may over /api."
            ),
        ),
    ] = ()
    model: Annotated[
        str,
        Meta(
            max_length=MODEL_CHARS,
            description="Model of the source model, as llm.model. Empty: that of [llm].",
            extra={"allowed": "such as openai:gpt-5-mini, or empty"},
        ),
    ] = ""
    base_url: Annotated[Address, Meta(description="Its server, as llm.base_url.")] = ""
    api_key: Annotated[
        str, Meta(max_length=KEY_CHARS, description="Its key, as llm.api_key.", extra_json_schema=SECRET)
    ] = ""
    timeout_ms: Annotated[
        int, Meta(ge=100, le=TIMEOUT_MS_MAX, description="How long the model may take for an estimate.")
    ] = limits.SIGNALS_MODEL_MS
    model_scopes: Annotated[
        tuple[Literal["message", "turn"], ...],
        Meta(
            min_length=1,
            max_length=2,
            description="What the model is asked about, each a request: the message, and the turn with its answer.",
        ),
    ] = ("message",)
    intents: Annotated[
        tuple[IntentSettings, ...],
        Meta(max_length=limits.SIGNAL_INTENTS, description="What people may want. Without any, no intent is told."),
    ] = ()
    moods: Annotated[
        tuple[MoodSettings, ...],
        Meta(max_length=limits.SIGNAL_INTENTS, description="Sentences that the local classifier learns, beside ours."),
    ] = ()
    escalation: Annotated[
        tuple[EscalationSettings, ...],
        Meta(
            max_length=limits.ESCALATION_RULES, description="When a person is to go on; the first that fits is taken."
        ),
    ] = ()

    def __repr__(self) -> str:
        return f"SignalsSettings(sources={self.sources!r}, api_key {'set' if self.api_key else 'not set'})"

    # Any because that is what msgspec's own method returns.
    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Keep the key out of rich's tracebacks too, which do not ask `__repr__`."""
        return [("sources", self.sources), ("api_key", bool(self.api_key))]
