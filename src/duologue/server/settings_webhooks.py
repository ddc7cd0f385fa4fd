"""What can be set of webhooks."""

from typing import Annotated, Any, Final, Literal

from msgspec import Meta

from duologue.model import limits
from duologue.server.settings_section import SECRET, Section

RETRIES_MAX: Final = 1_000
"""Most retries: at ten minutes each, a week."""

SECRET_CHARS_MIN: Final = 16
"""Shortest secret: shorter ones are guessed."""

Kind = Literal["user_transcript", "llm_response", "turn_end", "user_interruption"]
"""What a webhook can be told of."""


class WebhookSettings(Section):
    """What becomes of each turn, posted to an address of yours. See docs/webhooks.md."""

    url: Annotated[
        str,
        Meta(
            pattern=r"^(https?://[^/?#\s@]+([/?][^#\s]*)?)?$",
            max_length=limits.WEBHOOK_URL_CHARS,
            description=(
                "Address that is told of all sessions. Empty: none is; what waited for it is forgotten."
                " A session may have a webhook of its own as well."
            ),
            extra={"allowed": "empty, or an http:// or https:// address"},
        ),
    ] = ""
    secret: Annotated[
        str,
        Meta(
            pattern=rf"^(.{{{SECRET_CHARS_MIN},{limits.WEBHOOK_SECRET_CHARS}}})?$",
            description=(
                "Signs what is posted (the header Jambonz-Signature), also for sessions' own webhooks that bring none."
            ),
            extra={
                "allowed": f"empty, or {SECRET_CHARS_MIN} to {limits.WEBHOOK_SECRET_CHARS} characters"
                " (random ones: openssl rand -hex 32)"
            },
            extra_json_schema=SECRET,
        ),
    ] = ""
    kinds: Annotated[
        tuple[Kind, ...],
        Meta(max_length=limits.WEBHOOK_KINDS, description="What url is told of. Empty: everything."),
    ] = ()
    retries: Annotated[
        int,
        Meta(ge=0, le=RETRIES_MAX, description="How often it is tried again before it becomes a dead letter."),
    ] = limits.WEBHOOK_RETRIES
    backoff_ms: Annotated[
        int,
        Meta(
            ge=10,
            le=limits.WEBHOOK_BACKOFF_MAX_MS,
            description="Longest pause before the first retry; doubled for each later one, up to ten minutes.",
        ),
    ] = limits.WEBHOOK_BACKOFF_MS
    timeout_ms: Annotated[
        int, Meta(ge=100, le=limits.WEBHOOK_BACKOFF_MAX_MS, description="How long one attempt may take in all.")
    ] = limits.WEBHOOK_MS
    allow_http: Annotated[
        bool,
        Meta(description="Let webhooks go to other machines over plain http, which anybody on the way can read."),
    ] = False

    def __repr__(self) -> str:
        return f"WebhookSettings(url {'set' if self.url else 'not set'}, secret {'set' if self.secret else 'not set'})"

    # Any because that is what msgspec's own method returns.
    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Keep the secret out of rich's tracebacks too, which do not ask `__repr__`."""
        return [("url", bool(self.url)), ("secret", bool(self.secret))]
