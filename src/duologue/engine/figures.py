"""The figures of a response, measured once, the same on every channel."""

from duologue.engine import quality
from duologue.engine.state import OpenResponse
from duologue.model.content import Figures, Usage


def measure(
    response: OpenResponse,
    *,
    now_ms: int,
    whole: bool,
    confident: bool,
    total_tokens: int | None,
    language: str,
    usage: tuple[Usage, ...] = (),
) -> Figures:
    """Measure a response that ends now.

    Args:
        whole: the agent said that the answer is finished.
        confident: the agent did not say that it does not know.
        total_tokens: as the agent counts them; `None` takes the output tokens of `usage`, or counts the pieces of text.
        language: BCP 47 tag.
        usage: what the run's models counted.
    """
    first_ms = response.first_text_ms
    written = [one.output_tokens for one in usage if one.output_tokens is not None]
    own = response.pieces[response.bridge :] if response.bridge else response.pieces
    counted = sum(written) if written else len(own)
    tokens = counted if total_tokens is None else total_tokens
    speaking_ms = 0 if first_ms is None else now_ms - first_ms
    return Figures(
        ttft_ms=None if first_ms is None else first_ms - response.started_ms,
        duration_ms=now_ms - response.started_ms,
        total_tokens=tokens,
        tps=round(tokens * 1000 / speaking_ms, 2) if speaking_ms > 0 else 0.0,
        quality_pass=quality.passes(whole=whole, confident=confident, text="".join(own), shown=response.shown),
        language=language,
        usage=usage,
    )
