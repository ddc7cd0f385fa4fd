"""Traces, as they can be set."""

from typing import Annotated

from msgspec import Meta

from duologue.server.settings_section import PATH_CHARS, Section


class TelemetrySettings(Section):
    """Traces of turns and agent runs, for OpenTelemetry."""

    traces: Annotated[
        bool,
        Meta(description="Send a span for each turn and each run over OTLP; needs the extra duologue[telemetry]."),
    ] = False
    endpoint: Annotated[
        str,
        Meta(
            pattern=r"^(https?://[^\s#@]+)?$",
            max_length=PATH_CHARS,
            description="Where spans are sent, OTLP over HTTP. Empty: what OTEL_EXPORTER_OTLP_ENDPOINT says.",
            extra={"allowed": "empty, or an address such as http://127.0.0.1:4318/v1/traces"},
        ),
    ] = ""
    text: Annotated[bool, Meta(description="Let what people and the agent said into spans, as gen_ai.*.messages.")] = (
        False
    )
