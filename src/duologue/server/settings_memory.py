"""What can be set of memory."""

from typing import Annotated, Any, Final, Literal

from msgspec import Meta

from duologue.model import limits
from duologue.runtime.memory.options import IMPORTANCE
from duologue.server.settings_agents import KEY_CHARS, MODEL_CHARS, Address
from duologue.server.settings_section import SECRET, Section

RECALL_MS_MAX: Final = 5_000
"""Longest wait for what is remembered: the person waits for it before each answer."""

RECALLED_MAX: Final = 64
"""Most memories that a run can be given: more is a profile, and belongs into the agent's own hands."""

ITEMS_MAX: Final = 100_000
"""Most memories of one person: beyond it finding what matters takes longer than a run waits."""

AGE_DAYS_MAX: Final = 36_500
"""Longest time that is kept: a century."""


class MemorySettings(Section):
    """What is remembered of people across sessions. See docs/memory.md."""

    enabled: Annotated[
        bool,
        Meta(description="Remember what people say of themselves. They can see it, delete it and switch it off."),
    ] = False
    extract: Annotated[
        Literal["rules", "model"],
        Meta(
            description=(
                "Who tells what a turn leaves. rules: patterns in seven languages, without a model."
                " model: a language model, and the rules where it fails; needs the extra duologue[llm]."
            )
        ),
    ] = "rules"
    model: Annotated[
        str,
        Meta(
            max_length=MODEL_CHARS,
            description="Model for extract model, as llm.model. Empty: that of [llm], with its server and key.",
        ),
    ] = ""
    base_url: Annotated[Address, Meta(description="Its server, as llm.base_url.")] = ""
    api_key: Annotated[
        str, Meta(max_length=KEY_CHARS, description="Its key, as llm.api_key.", extra_json_schema=SECRET)
    ] = ""
    embedding_model: Annotated[
        str,
        Meta(
            max_length=MODEL_CHARS,
            description=(
                "Embedding model by which memories are found by what they mean, also where no word is the same."
                " Needs the extra duologue[memory]. Empty: they are found by their words."
            ),
        ),
    ] = ""
    embedding_url: Annotated[
        Address,
        Meta(description="OpenAI-compatible server that has it, up to and including /v1."),
    ] = "https://api.openai.com/v1"
    embedding_key: Annotated[
        str, Meta(max_length=KEY_CHARS, description="Key for that server. Empty: none.", extra_json_schema=SECRET)
    ] = ""
    embedding_floor: Annotated[
        float,
        Meta(
            ge=-1,
            le=0.99,
            description=(
                "How alike two texts are, by that model, that have nothing to do with one another (cosine)."
                " 0.3 suits most; some models give 0.7."
            ),
        ),
    ] = 0.3
    recall_ms: Annotated[
        int,
        Meta(ge=1, le=RECALL_MS_MAX, description="How long an answer waits for what is remembered at most."),
    ] = limits.MEMORY_RECALL_MS
    recalled: Annotated[int, Meta(ge=1, le=RECALLED_MAX, description="Most memories that an answer is given.")] = (
        limits.MEMORY_RECALLED
    )
    items: Annotated[int, Meta(ge=1, le=ITEMS_MAX, description="Most memories of one person.")] = limits.MEMORY_ITEMS
    age_days: Annotated[
        int,
        Meta(
            ge=0,
            le=AGE_DAYS_MAX,
            description="How long a memory is kept that is neither said again nor recalled. 0: for ever.",
        ),
    ] = limits.MEMORY_AGE_DAYS
    importance: Annotated[
        float, Meta(ge=0, le=1, description="How important something has to be to be remembered, 0 to 1.")
    ] = IMPORTANCE

    def __repr__(self) -> str:
        keys = ["set" if key else "not set" for key in (self.api_key, self.embedding_key)]
        return f"MemorySettings(enabled={self.enabled}, api_key {keys[0]}, embedding_key {keys[1]})"

    # Any because that is what msgspec's own method returns.
    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Keep secrets out of rich's tracebacks too, which do not ask `__repr__`."""
        return [("enabled", self.enabled), ("api_key", bool(self.api_key)), ("embedding_key", bool(self.embedding_key))]
