"""What can be set of handoffs: queues, rules, operators, and another desk."""

from datetime import date
from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec import Meta

from duologue.model import limits
from duologue.server.settings_section import SECRET, Section
from duologue.server.settings_webhooks import SECRET_CHARS_MIN

NAME_CHARS: Final = 64
"""Longest name of a queue, rule, skill or operator: they stand in lists."""

HOURS: Final = 32
"""Most spans of hours of a queue: four for each day."""

CLOSED: Final = 366
"""Most days on which a queue is closed."""

LISTED: Final = 32
"""Most entries of one condition of a rule."""

PHRASES: Final = 256
"""Most phrases with which a human is asked for."""

PHRASE_CHARS: Final = 200
"""Longest of them."""

ID_CHARS: Final = 256
"""Longest id of an operator, as of a person."""

AT_MOST_MAX: Final = 1_000
"""Most conversations of one operator; a desk elsewhere may be one."""

WAIT_MS_MAX: Final = 86_400_000
"""Longest wait: a day."""

Name: TypeAlias = Annotated[
    str,
    Meta(
        pattern=rf"^[^\s:][^:\r\n]{{0,{NAME_CHARS - 1}}}$",
        extra={"allowed": f"a name of at most {NAME_CHARS} characters without a colon"},
    ),
]
MaybeName: TypeAlias = Annotated[
    str, Meta(max_length=NAME_CHARS, extra={"allowed": f"empty, or a name of at most {NAME_CHARS} characters"})
]
Names: TypeAlias = Annotated[tuple[Name, ...], Meta(max_length=LISTED)]
Phrase: TypeAlias = Annotated[str, Meta(min_length=1, max_length=PHRASE_CHARS)]
Transfer: TypeAlias = Literal["bot_to_human", "human_to_human", "supervisor_consult", "blind", "warm", "bot_to_bot"]
Cause: TypeAlias = Literal["agent", "person", "rule", "operator", "api"]


class QueueSettings(Section):
    """A queue: what it takes to serve it, and when somebody does."""

    name: Annotated[Name, Meta(description="Its name; rules and agents send conversations to it by that.")]
    skills: Annotated[Names, Meta(description="What who takes one of it has to be able to do.")] = ()
    hours: Annotated[
        tuple[Phrase, ...],
        Meta(
            max_length=HOURS,
            description="When somebody is there. Empty: always.",
            extra={"allowed": "a list of hours such as Mo-Fr 08:00-18:00"},
        ),
    ] = ()
    timezone: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=NAME_CHARS,
            description="Where these hours are.",
            extra={"allowed": "a time zone such as Europe/Berlin"},
        ),
    ] = "UTC"
    closed: Annotated[
        tuple[date, ...],
        Meta(
            max_length=CLOSED,
            description="Days on which nobody is there.",
            extra={"allowed": "a list of days such as 2026-12-25"},
        ),
    ] = ()


class RuleSettings(Section):
    """A rule: what fits all its conditions goes into its queue, or to its agent."""

    name: Annotated[Name, Meta(description="Its name, which routeDecision tells.")]
    queue: Annotated[MaybeName, Meta(description="The queue into which it goes.")] = ""
    agent: Annotated[
        MaybeName,
        Meta(description="In its place: the agent that goes on, where another is asked for and none is named."),
    ] = ""
    skills: Annotated[Names, Meta(description="What it takes besides the queue's skills.")] = ()
    priority: Annotated[
        int,
        Meta(
            ge=-limits.HANDOFF_PRIORITY,
            le=limits.HANDOFF_PRIORITY,
            description="Added to its own; the highest is taken first.",
        ),
    ] = 0
    words: Annotated[
        tuple[Phrase, ...],
        Meta(
            max_length=LISTED,
            description="One of these stands in the reason, or in what the person said last.",
            extra={"allowed": f"a list of at most {LISTED} words or phrases"},
        ),
    ] = ()
    languages: Annotated[Names, Meta(description="The conversation's language is one of these; pt fits pt-BR.")] = ()
    agents: Annotated[Names, Meta(description="One of these agents had the conversation.")] = ()
    asked_skills: Annotated[Names, Meta(description="One of these skills is asked for.")] = ()
    signals: Annotated[
        Names, Meta(description="One of these intents or sentiments was last estimated, at least at `above`.")
    ] = ()
    above: Annotated[float, Meta(ge=0, le=1, description="The least score of such a signal.")] = 0.5
    transfers: Annotated[
        tuple[Transfer, ...], Meta(max_length=6, description="It is one of these kinds of transfer.")
    ] = ()
    causes: Annotated[tuple[Cause, ...], Meta(max_length=5, description="One of these asked for it.")] = ()


class OperatorSettings(Section):
    """An operator. Who is not listed is called by their id, can do everything, and has at_most conversations."""

    id: Annotated[
        str,
        Meta(min_length=1, max_length=ID_CHARS, description="The subject of their token, or the name of their key."),
    ]
    name: Annotated[MaybeName, Meta(description="What customers see. Empty: the id.")] = ""
    skills: Annotated[Names, Meta(description="What they can do. Empty: everything.")] = ()
    at_most: Annotated[int, Meta(ge=1, le=AT_MOST_MAX, description="Conversations that they have at once at most.")] = (
        limits.HANDOFFS_PER_OPERATOR
    )


class HandoffSettings(Section):
    """Passing conversations on: to people, who answer at /operator, or between agents. See docs/handoff.md."""

    enabled: Annotated[
        bool,
        Meta(description="Whether conversations can be passed on. If not, whoever asks is told so."),
    ] = True
    queues: Annotated[
        tuple[QueueSettings, ...],
        Meta(
            max_length=limits.DESK_QUEUES,
            description=(
                "Where conversations wait; the first takes what no rule sends elsewhere. None: one queue, default,"
                " for everything, always open. With at least one, agents of kind llm have the tool hand_off."
            ),
        ),
    ] = ()
    rules: Annotated[
        tuple[RuleSettings, ...],
        Meta(
            max_length=limits.DESK_RULES,
            description="Where conversations go: the first rule whose conditions all fit decides.",
        ),
    ] = ()
    operators: Annotated[
        tuple[OperatorSettings, ...],
        Meta(
            max_length=limits.DESK_OPERATORS,
            description=(
                "What is known of operators, by the subject of their token or the name of their key."
                " Who is not listed is called by that, can do everything, and has at_most conversations."
            ),
        ),
    ] = ()
    at_most: Annotated[
        int,
        Meta(ge=1, le=AT_MOST_MAX, description="Conversations that an operator who is not listed has at once at most."),
    ] = limits.HANDOFFS_PER_OPERATOR
    wait_ms: Annotated[
        int,
        Meta(ge=1_000, le=WAIT_MS_MAX, description="How long one waits in a queue before it is given up."),
    ] = limits.HANDOFF_WAIT_MS
    connect_ms: Annotated[
        int,
        Meta(ge=1_000, le=WAIT_MS_MAX, description="How long an operator may read before they take a conversation."),
    ] = limits.HANDOFF_CONNECT_MS
    away_ms: Annotated[
        int,
        Meta(
            ge=0,
            le=WAIT_MS_MAX,
            description="How long somebody who waits may have no connection before they count as gone. 0: for ever.",
        ),
    ] = limits.HANDOFF_AWAY_MS
    operator_away_ms: Annotated[
        int,
        Meta(
            ge=0,
            le=WAIT_MS_MAX,
            description=(
                "How long an operator who has a conversation may have no page open and do nothing before it goes back"
                " into its queue, and to the agent meanwhile. 0: for ever."
            ),
        ),
    ] = limits.HANDOFF_OPERATOR_AWAY_MS
    built_in_phrases: Annotated[
        bool,
        Meta(
            description=(
                'Whether people are heard who ask for a human in common words of eight languages ("talk to a human").'
            )
        ),
    ] = True
    phrases: Annotated[
        tuple[Phrase, ...],
        Meta(
            max_length=PHRASES,
            description="More words with which a person asks for a human.",
            extra={"allowed": f"a list of at most {PHRASES} phrases"},
        ),
    ] = ()
    summary: Annotated[
        Literal["extract", "model"],
        Meta(
            description=(
                "Who sums a conversation up for whoever takes it. extract: the most telling sentences, without a model."
                " model: the model of [llm]; the extract is there until it has answered."
            )
        ),
    ] = "extract"
    desk_url: Annotated[
        str,
        Meta(
            pattern=r"^(https?://[^/?#\s@]+([/?][^#\s]*)?)?$",
            max_length=limits.WEBHOOK_URL_CHARS,
            description=(
                "Address of another desk, which is told of each handoff and of what people say while it has them,"
                " and which answers by signed calls to /handoff/desk. Empty: none is."
            ),
            extra={"allowed": "empty, or an http:// or https:// address"},
        ),
    ] = ""
    desk_secret: Annotated[
        str,
        Meta(
            pattern=rf"^(.{{{SECRET_CHARS_MIN},{limits.WEBHOOK_SECRET_CHARS}}})?$",
            description="Signs what that desk is told, and what it calls (the header Duologue-Signature).",
            extra={
                "allowed": f"empty, or {SECRET_CHARS_MIN} to {limits.WEBHOOK_SECRET_CHARS} characters"
                " (random ones: openssl rand -hex 32)"
            },
            extra_json_schema=SECRET,
        ),
    ] = ""

    def __repr__(self) -> str:
        return f"HandoffSettings({len(self.queues)} queues, desk {'set' if self.desk_url else 'not set'})"

    # Any because that is what msgspec's own method returns.
    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Keep the secret out of rich's tracebacks too, which do not ask `__repr__`."""
        return [("queues", len(self.queues)), ("desk_url", bool(self.desk_url))]
