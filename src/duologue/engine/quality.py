"""Whether an answer passes: `quality_pass`.

An answer passes when it was delivered whole, the agent did not say that it does not know, it holds a letter
or a digit (or something that is not text was shown), and no fenced code block is left open.
"""


def passes(*, whole: bool, confident: bool, text: str, shown: bool) -> bool:
    """Apply the rule above to one answer."""
    says_something = shown or any(map(str.isalnum, text))
    fences = sum(line.lstrip().startswith("```") for line in text.splitlines())
    return whole and confident and says_something and fences % 2 == 0
