"""What can be set: every key with its default, its bounds and its meaning, said once.

The example file, the page in the docs, the JSON Schema and the error messages are all made from this.
"""

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta, field

from duologue.model import limits
from duologue.server.settings_agents import (
    AGENTS_MAX,
    NAME_CHARS,
    AgentFolder,
    AgentFunction,
    AgentKind,
    AguiSettings,
    LlmSettings,
    OtherAgent,
)
from duologue.server.settings_auth import AuthSettings
from duologue.server.settings_handoff import HandoffSettings
from duologue.server.settings_limits import LimitsSettings
from duologue.server.settings_memory import MemorySettings
from duologue.server.settings_photos import PhotosSettings
from duologue.server.settings_section import PATH_CHARS, Section
from duologue.server.settings_signals import SignalsSettings
from duologue.server.settings_telemetry import TelemetrySettings
from duologue.server.settings_tiers import ConditionSettings, TiersSettings
from duologue.server.settings_tools import ToolsSettings
from duologue.server.settings_voice import VoiceSettings
from duologue.server.settings_webhooks import WebhookSettings

DAY_MS: Final = 86_400_000
"""Longest time that a setting takes: what lasts longer than a day is meant as "never" and should say so."""

HEARTBEAT_MS_MAX: Final = 15_000
"""Slowest heartbeat: some proxies cut a connection after 15 s of silence."""

DRAIN_MS_MAX: Final = 600_000
"""Longest drain: longer than any answer may last."""

SESSIONS_MAX: Final = 1_000_000
"""Most sessions that can be asked for; beyond it one process has no memory for them."""

EVENTS_MAX: Final = 2**31 - 1
"""Most events that can be kept when trimming; beyond it, keep all."""

BYTES_MIN: Final = 1_024
"""Smallest frame or upload bound: less does not hold one message."""

ORIGINS: Final = 256
"""Most extra origins: each is compared on every browser's request."""


ApiKey: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^(sha256:[0-9a-fA-F]{64}|(?!sha256:)[!-+\--~]{16,512})$",
        extra={"allowed": "16 to 512 visible ASCII characters without a comma, or sha256:<64 hex digits>"},
    ),
]

Origin: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^[a-z][a-z0-9+.-]*://[^/?#\s,*]+$",
        max_length=PATH_CHARS,
        extra={"allowed": "an origin as browsers send it, such as https://app.example.com"},
    ),
]


Network: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^[0-9a-fA-F.:]{2,45}(/\d{1,3})?$",
        extra={"allowed": "an address, or a network such as 10.0.0.0/8"},
    ),
]


class ServerSettings(Section):
    """Where the server listens, and how much it takes on."""

    host: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=255,
            description="Address to listen on. Any other than a loopback address needs [auth] as well.",
            extra={"allowed": "a host name or an address"},
        ),
    ] = "127.0.0.1"
    port: Annotated[
        int, Meta(ge=0, le=65_535, description="Port to listen on; 0 takes any that is free and prints it.")
    ] = 8420
    data: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=PATH_CHARS,
            description="Folder of the journals and uploads; relative to where the server is started.",
            extra={"allowed": "a path"},
        ),
    ] = "duologue-data"
    public_url: Annotated[
        str,
        Meta(
            pattern=r"^(https?://[^/?#\s@]+(/[^?#\s]*)?)?$",
            max_length=PATH_CHARS,
            description=(
                "Address under which people reach the server, behind a proxy for instance;"
                " the agent card names it. Empty: the address that the request used."
            ),
            extra={"allowed": "empty, or an http:// or https:// address without a query"},
        ),
    ] = ""
    allowed_origins: Annotated[
        tuple[Origin, ...],
        Meta(
            max_length=ORIGINS,
            description=(
                "Web pages of these origins may connect, besides the server's own pages."
                " The way to let a front end on another host in."
            ),
        ),
    ] = ()
    trusted_proxies: Annotated[
        tuple[Network, ...],
        Meta(
            max_length=ORIGINS,
            description=(
                "Proxies whose X-Forwarded-For and X-Forwarded-Proto are believed; clients are counted by the address"
                " that these name."
            ),
        ),
    ] = ("127.0.0.1", "::1")
    max_sessions: Annotated[
        int,
        Meta(
            ge=1,
            le=SESSIONS_MAX,
            description="Most sessions in memory at once; one more is refused with server_full.",
        ),
    ] = limits.SESSIONS_LIVE
    heartbeat_ms: Annotated[
        int, Meta(ge=50, le=HEARTBEAT_MS_MAX, description="Silence on a stream before a heartbeat is sent.")
    ] = limits.HEARTBEAT_MS
    drain_ms: Annotated[
        int, Meta(ge=0, le=DRAIN_MS_MAX, description="How long running answers may go on after SIGTERM.")
    ] = limits.DRAIN_MS
    frame_bytes: Annotated[
        int,
        Meta(
            ge=BYTES_MIN,
            le=limits.FRAME_BYTES,
            description="Largest frame or request body, uploads aside. A photo in base64 has to fit.",
        ),
    ] = limits.FRAME_BYTES
    upload_bytes: Annotated[int, Meta(ge=BYTES_MIN, le=limits.UPLOAD_BYTES, description="Largest upload or photo.")] = (
        limits.UPLOAD_BYTES
    )
    log: Annotated[
        Literal["text", "json"],
        Meta(description="How log lines on stderr are written: text for people, json for machines."),
    ] = "text"
    log_pii: Annotated[
        bool, Meta(description="Let what people wrote into the log, under keys that begin with pii.")
    ] = False


class StoreSettings(Section):
    """How conversations are kept."""

    durability: Annotated[
        Literal["process", "power"],
        Meta(
            description=(
                "What an acknowledged event survives. process: the death of the server."
                " power: the loss of power as well, at one fsync for each group of writes."
            )
        ),
    ] = "process"
    retain_events: Annotated[
        int,
        Meta(
            ge=0,
            le=EVENTS_MAX,
            description="Events kept of each session; older ones cannot be replayed. 0 keeps all.",
        ),
    ] = 0
    idle_unload_ms: Annotated[
        int,
        Meta(
            ge=0,
            le=DAY_MS,
            description="How long a session that nobody uses stays in memory before it is unloaded.",
        ),
    ] = limits.IDLE_UNLOAD_MS


class AgentSettings(Section):
    """The agent that answers."""

    kind: AgentKind = "knowledge"
    name: Annotated[
        str,
        Meta(min_length=1, max_length=NAME_CHARS, description="Name that people and the agent card see."),
    ] = "Duologue"
    folder: AgentFolder = ""
    function: AgentFunction = ""
    tier: Annotated[
        Literal["gate", "reflex", "workhorse"],
        Meta(description="Model tier that Ghost clients are told for this agent's answers."),
    ] = "workhorse"
    language: Annotated[
        str,
        Meta(
            pattern=r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$",
            max_length=64,
            description="Language of a conversation until its client or the person's words tell another.",
            extra={"allowed": "a BCP 47 tag, such as en or pt-BR"},
        ),
    ] = "en"
    detect_language: Annotated[
        bool,
        Meta(description="Whether the language of a message that comes without one is told by its text."),
    ] = True
    silence_ms: Annotated[
        int, Meta(ge=100, le=DAY_MS, description="Silence after which a run is stopped as failed.")
    ] = limits.AGENT_SILENCE_MS
    response_ms: Annotated[int, Meta(ge=100, le=DAY_MS, description="How long one run may last in all.")] = (
        limits.RESPONSE_MS
    )


class TurnsSettings(Section):
    """What happens when turns meet."""

    while_busy: Annotated[
        Literal["interrupt", "refuse"],
        Meta(
            description=(
                "What a new turn does while an answer runs. interrupt: stops the answer and takes its place."
                " refuse: is refused with busy, which can be retried."
            )
        ),
    ] = "interrupt"


class Settings(Section):
    """All that can be set."""

    server: ServerSettings = field(default_factory=ServerSettings)
    store: StoreSettings = field(default_factory=StoreSettings)
    agent: AgentSettings = field(default_factory=AgentSettings)
    agents: Annotated[
        tuple[OtherAgent, ...],
        Meta(max_length=AGENTS_MAX, description="Further agents, a table for each."),
    ] = ()
    tiers: TiersSettings = field(default_factory=TiersSettings)
    condition: ConditionSettings = field(default_factory=ConditionSettings)
    llm: LlmSettings = field(default_factory=LlmSettings)
    agui: AguiSettings = field(default_factory=AguiSettings)
    turns: TurnsSettings = field(default_factory=TurnsSettings)
    photos: PhotosSettings = field(default_factory=PhotosSettings)
    memory: MemorySettings = field(default_factory=MemorySettings)
    tools: ToolsSettings = field(default_factory=ToolsSettings)
    auth: AuthSettings = field(default_factory=AuthSettings)
    limits: LimitsSettings = field(default_factory=LimitsSettings)
    telemetry: TelemetrySettings = field(default_factory=TelemetrySettings)
    webhooks: WebhookSettings = field(default_factory=WebhookSettings)
    voice: VoiceSettings = field(default_factory=VoiceSettings)
    handoff: HandoffSettings = field(default_factory=HandoffSettings)
    signals: SignalsSettings = field(default_factory=SignalsSettings)
