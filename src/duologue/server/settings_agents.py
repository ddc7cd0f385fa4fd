"""What can be set of agents: what all have, of those that are reached over the network, and of further ones."""

from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec import Meta, field

from duologue.model import limits
from duologue.server.settings_section import PATH_CHARS, SECRET, Section

NAME_CHARS: Final = 200
"""Longest name of an agent: it is shown on one line."""

AGENTS_MAX: Final = 64
"""Most further agents: a specialist for each desk of a large house."""

ANSWERS_MAX: Final = 1_000
"""Most canned answers: with more, a knowledge agent answers better."""

ABOUT_CHARS: Final = 2_000
"""Longest description of an agent: a few sentences."""

MODEL_CHARS: Final = 256
"""Longest name of a model: the longest of today's have a hundred."""

KEY_CHARS: Final = 4_096
"""Longest key of a provider: some are signed tokens."""

PROMPT_CHARS: Final = 100_000
"""Longest system prompt: it is sent, and paid for, with every turn."""

TOKENS_MAX: Final = 10_000_000
"""Most tokens that can be asked for: more than any model reads or writes at once."""

WAIT_MS_MAX: Final = 3_600_000
"""Longest wait for an agent's next word: nobody waits an hour."""

HEADERS: Final = 32
"""Most headers: a few say who calls."""

ATTEMPTS_MAX: Final = 10
"""Most attempts: with the waits between them, more take minutes."""

Address: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^(https?://[^/?#\s@]+(/[^?#\s]*)?)?$",
        max_length=PATH_CHARS,
        extra={"allowed": "empty, or an http:// or https:// address without a query"},
    ),
]
"""Where a server is. Keys do not belong into it."""


AgentKind: TypeAlias = Annotated[
    Literal["knowledge", "python", "llm", "agui"],
    Meta(
        description=(
            "knowledge: answers from a folder of Markdown, with citations, without a model."
            " python: a function of yours. llm: a language model, see [llm]."
            " agui: an agent that runs elsewhere, see [agui]."
        )
    ),
]

AgentFolder: TypeAlias = Annotated[
    str,
    Meta(
        max_length=PATH_CHARS,
        description="Folder of Markdown files for kind knowledge. Empty: Duologue's own documentation.",
        extra={"allowed": "a path, or empty"},
    ),
]

AgentFunction: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^([A-Za-z_][\w.]*:[A-Za-z_]\w*)?$",
        max_length=PATH_CHARS,
        description="Function for kind python, as module:name; the module must be importable.",
        extra={"allowed": "module:name, such as my_agent:answer"},
    ),
]

Header: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}: ?[!-~]([ -~]*[!-~])?$(?!\n)",
        max_length=KEY_CHARS,
        extra={"allowed": "a header as Name: value"},
    ),
]
"""A header that is sent. Source: RFC 9110, 5."""


class LlmSettings(Section):
    """The language model that answers, for agent.kind llm. Needs the extra: pip install 'duologue[llm]'."""

    model: Annotated[
        str,
        Meta(
            max_length=MODEL_CHARS,
            description=("Model by Pydantic AI's name, provider:model; with base_url, the server's own name for it."),
            extra={"allowed": "such as openai:gpt-5-mini or anthropic:claude-sonnet-4-5"},
        ),
    ] = ""
    base_url: Annotated[
        Address,
        Meta(description="OpenAI-compatible server, up to and including /v1. Empty: where the provider is."),
    ] = ""
    api_key: Annotated[
        str,
        Meta(
            max_length=KEY_CHARS,
            description="Key for the provider. Empty: its own environment variable, such as OPENAI_API_KEY.",
            extra_json_schema=SECRET,
        ),
    ] = ""
    fallback_model: Annotated[
        str,
        Meta(
            max_length=MODEL_CHARS,
            description="Model that is asked where the first cannot answer and has said nothing yet. Empty: none.",
        ),
    ] = ""
    fallback_base_url: Annotated[Address, Meta(description="Its server, as base_url.")] = ""
    fallback_api_key: Annotated[
        str, Meta(max_length=KEY_CHARS, description="Its key, as api_key.", extra_json_schema=SECRET)
    ] = ""
    system_prompt: Annotated[
        str,
        Meta(
            max_length=PROMPT_CHARS,
            description="Instructions for the model. Nothing that a client sends gets into them.",
        ),
    ] = ""
    system_prompt_file: Annotated[
        str,
        Meta(
            max_length=PATH_CHARS,
            description="File with the instructions, read on start, in place of system_prompt.",
            extra={"allowed": "a path, or empty"},
        ),
    ] = ""
    history_tokens: Annotated[
        int,
        Meta(
            ge=0,
            le=TOKENS_MAX,
            description=(
                "Most tokens of earlier messages that are sent, taken as a third of their UTF-8 bytes; the newest stay."
            ),
        ),
    ] = limits.LLM_HISTORY_TOKENS
    max_tokens: Annotated[
        int, Meta(ge=0, le=TOKENS_MAX, description="Most tokens of an answer. 0 leaves it to the provider.")
    ] = 0
    images: Annotated[bool, Meta(description="Show pictures of the turn to models that take them.")] = True
    silence_ms: Annotated[
        int,
        Meta(
            ge=100,
            le=WAIT_MS_MAX,
            description="Longest wait for the first piece of an answer, and between two, before the model has failed.",
        ),
    ] = limits.LLM_SILENCE_MS
    attempts: Annotated[
        int,
        Meta(ge=1, le=ATTEMPTS_MAX, description="How often a model is asked as long as it has said nothing."),
    ] = limits.LLM_ATTEMPTS

    def __repr__(self) -> str:
        keys = ["set" if key else "not set" for key in (self.api_key, self.fallback_api_key)]
        return f"LlmSettings(model={self.model!r}, api_key {keys[0]}, fallback_api_key {keys[1]})"

    # Any because that is what msgspec's own method returns.
    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Keep secrets out of rich's tracebacks too, which do not ask `__repr__`."""
        return [("model", self.model), ("api_key", bool(self.api_key))]


class AguiSettings(Section):
    """The agent elsewhere that answers over AG-UI, for agent.kind agui."""

    url: Annotated[Address, Meta(description="Where runs are posted to.")] = ""
    headers: Annotated[
        tuple[Header, ...],
        Meta(
            max_length=HEADERS,
            description='Sent with each run, such as ["Authorization: Bearer <key>"].',
            extra_json_schema=SECRET,
        ),
    ] = ()
    remembers: Annotated[
        bool,
        Meta(
            description=(
                "Whether the agent keeps the conversation itself, by its thread id, as LangGraph does with a"
                " checkpointer. Then it is sent only what is new, and not the messages before."
            )
        ),
    ] = False
    images: Annotated[bool, Meta(description="Send the pictures of the turn.")] = True
    silence_ms: Annotated[
        int,
        Meta(ge=100, le=WAIT_MS_MAX, description="Longest wait for anything more from the agent before it has failed."),
    ] = limits.AGUI_SILENCE_MS

    def __repr__(self) -> str:
        return f"AguiSettings(url={self.url!r}, {len(self.headers)} headers)"

    # Any because that is what msgspec's own method returns.
    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Keep secrets out of rich's tracebacks too, which do not ask `__repr__`."""
        return [("url", self.url), ("headers", len(self.headers))]


Phrase: TypeAlias = Annotated[str, Meta(min_length=1, max_length=ABOUT_CHARS)]


class CannedAnswer(Section):
    """An answer, and the messages that it is given to."""

    said: Annotated[
        tuple[Phrase, ...],
        Meta(
            min_length=1,
            max_length=ANSWERS_MAX,
            description="Whole messages that it answers, but for case and marks.",
        ),
    ]
    answer: Annotated[str, Meta(min_length=1, max_length=PROMPT_CHARS, description="The answer.")]


class OtherAgent(Section):
    """An agent beside the one of [agent]: another tier of it, or a specialist that conversations are handed to."""

    name: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=NAME_CHARS,
            description="Its name, which no other agent has. Rules and handoffs name it so.",
        ),
    ]
    kind: Annotated[
        Literal["knowledge", "python", "llm", "agui", "canned"],
        Meta(
            description=(
                "As agent.kind; or canned, for the gate: answers greetings and thanks in the person's language, and"
                " what answers says, without a model."
            )
        ),
    ] = "knowledge"
    tier: Annotated[
        Literal["", "gate", "reflex", "workhorse"],
        Meta(
            description=(
                "Tier whose turns it answers, which no other agent has. Empty: none; conversations are handed to it."
            )
        ),
    ] = ""
    about: Annotated[
        str,
        Meta(max_length=ABOUT_CHARS, description="What it is for, in a few words for people and for other agents."),
    ] = ""
    folder: AgentFolder = ""
    function: AgentFunction = ""
    answers: Annotated[
        tuple[CannedAnswer, ...],
        Meta(max_length=ANSWERS_MAX, description="For kind canned: what it answers to what."),
    ] = ()
    llm: Annotated[LlmSettings, Meta(description="For kind llm: as [llm]. What is left out holds as there.")] = field(
        default_factory=LlmSettings
    )
    agui: Annotated[AguiSettings, Meta(description="For kind agui: as [agui]. What is left out holds as there.")] = (
        field(default_factory=AguiSettings)
    )
