"""Counting tokens."""

from duologue.model import limits
from duologue.model.content import Usage
from duologue.runtime.figures import count_tokens


def test_tokens_are_added_up_by_model_and_kind() -> None:
    tokens: dict[str, dict[str, int]] = {}
    count_tokens(tokens, (Usage(model="m", input_tokens=5, output_tokens=2, cached_tokens=1), Usage(output_tokens=0)))
    count_tokens(tokens, (Usage(model="m", input_tokens=1, reasoning_tokens=4),))
    assert tokens == {"m": {"input": 6, "output": 2, "cached": 1, "reasoning": 4}, "unknown": {}}


def test_agents_cannot_fill_the_memory_with_names() -> None:
    tokens: dict[str, dict[str, int]] = {}
    for number in range(limits.COUNTED_MODELS + 5):
        count_tokens(tokens, (Usage(model=f"{number}" * 100, input_tokens=1),))
    assert len(tokens) == limits.COUNTED_MODELS + 1
    assert tokens["other"] == {"input": 5}
