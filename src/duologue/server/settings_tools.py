"""What can be set of tools: where they are, who lets them run, and which machines may be reached for them."""

from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec import Meta, field

from duologue.model import limits
from duologue.server.settings_agents import HEADERS, Header
from duologue.server.settings_section import PATH_CHARS, SECRET, Section

MODULES: Final = 32
"""Most modules of tools."""

NETWORKS: Final = 64
"""Most networks that may be reached."""

SOURCES: Final = 16
"""Most servers of tools: each is a connection that is kept, or a process."""

WORDS: Final = 64
"""Most words of a command, and most scopes and hidden fields of a tool."""

RETRIES_MAX: Final = 10
"""Most retries of a tool: somebody waits for it."""

WAIT_MS_MAX: Final = 600_000
"""Longest that one attempt at a tool may take."""

APPROVAL_MS_MAX: Final = 30 * 86_400_000
"""Longest wait for a decision: what nobody has decided in a month, nobody will."""

DESCRIPTION_CHARS: Final = 4_096
"""Longest description of a tool: models read it in every turn."""

SECRET_CHARS_MIN: Final = 16
"""Shortest secret: shorter ones are guessed."""

Name: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z_][A-Za-z0-9_-]*$",
        max_length=limits.TOOL_NAME_CHARS,
        description="By which agents call it; no other tool has it.",
        extra={"allowed": "letters, digits, _ and -, such as order_status"},
    ),
]
Description: TypeAlias = Annotated[
    str, Meta(min_length=1, max_length=DESCRIPTION_CHARS, description="What it is for, as agents are told.")
]
Word: TypeAlias = Annotated[str, Meta(min_length=1, max_length=PATH_CHARS)]
Pointer: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^(/([^~/]|~[01])*)+$",
        max_length=256,
        extra={"allowed": "a JSON pointer, such as /card/number"},
    ),
]
"""Where a field stands. Source: RFC 6901."""

Network: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^[0-9a-fA-F.:]{2,45}(/\d{1,3})?$",
        extra={"allowed": "an address, or a network such as 10.0.0.0/8"},
    ),
]
Policy: TypeAlias = Literal["", "auto", "user_confirm", "supervisor_approve", "async_pending", "denied"]
# JSON Schema: JSON of many shapes.
InputSchema: TypeAlias = Annotated[
    dict[str, Any], Meta(description="JSON Schema of its arguments, an object. Left out: it takes none.")
]
# As above.
OutputSchema: TypeAlias = Annotated[
    dict[str, Any], Meta(description="JSON Schema of what it gives. Left out: it may give anything.")
]


class RepeatSettings(Section):
    """How a repeated call is recognised."""

    mode: Annotated[
        Literal["none", "input", "key"],
        Meta(
            description=(
                "What makes two calls the same. none: nothing. input: tool and arguments. key: the arguments that"
                " key_arguments names."
            )
        ),
    ] = "none"
    key_arguments: Annotated[
        tuple[Word, ...], Meta(max_length=WORDS, description="Names of the arguments that make the key.")
    ] = ()
    on_duplicate: Annotated[
        Literal["replay", "reject"],
        Meta(description="What a call with the same key gets: the recorded result again, or a refusal."),
    ] = "replay"
    ttl_ms: Annotated[
        int, Meta(ge=1, le=APPROVAL_MS_MAX, description="How long a call is remembered, from its end.")
    ] = 86_400_000
    safe_to_repeat: Annotated[
        bool,
        Meta(
            description=(
                "Whoever carries it out takes the key and does it once. Then it is sent again after a crash or where"
                " no answer came."
            )
        ),
    ] = False


class ToolRules(Section):
    """What a tool may do."""

    policy: Annotated[
        Policy,
        Meta(
            description=(
                "Who lets a call run. auto: nobody has to. user_confirm: the person. supervisor_approve: somebody with"
                " the scope supervise. async_pending: another system, by a signed callback. denied: nobody does."
                " Empty: auto where it does not change anything, else user_confirm; of an MCP server's tools: denied."
            )
        ),
    ] = ""
    side_effect: Annotated[
        Literal["", "none", "read", "write", "destructive"],
        Meta(
            description=(
                "What running it does to the world. Empty: read for GET, write for others; of an MCP server's tools: as"
                " it hints."
            )
        ),
    ] = ""
    idempotency: Annotated[RepeatSettings, Meta(description="How a repeated call is recognised.")] = field(
        default_factory=RepeatSettings
    )
    scopes: Annotated[
        tuple[Word, ...],
        Meta(max_length=WORDS, description="What the person's token has to grant (its claim tool_scopes)."),
    ] = ()
    redact: Annotated[
        tuple[Pointer, ...],
        Meta(
            max_length=WORDS,
            description=(
                "Fields of arguments and results that the audit trail, lists of approvals and operators are not told."
            ),
        ),
    ] = ()
    timeout_ms: Annotated[int, Meta(ge=10, le=WAIT_MS_MAX, description="How long one attempt may take.")] = 30_000
    retries: Annotated[
        int,
        Meta(
            ge=0,
            le=RETRIES_MAX,
            description="How often a failed attempt is made again; where it may have been done only if that is safe.",
        ),
    ] = 0
    confirm: Annotated[
        str,
        Meta(
            max_length=limits.APPROVAL_REASON_CHARS,
            description="What the person is asked, with {argument} in places. Empty: its name and arguments.",
        ),
    ] = ""
    approval_ttl_ms: Annotated[
        int, Meta(ge=1_000, le=APPROVAL_MS_MAX, description="How long a decision is waited for.")
    ] = 900_000
    repeatable: Annotated[bool, Meta(description="A second run does no harm, whatever side_effect says.")] = False


class HttpToolSettings(ToolRules, kw_only=True):
    """An endpoint that is a tool."""

    name: Name
    description: Description
    url: Annotated[
        str,
        Meta(
            pattern=r"^https?://[^/?#\s@{}]+(/[^#\s]*)?$",
            max_length=limits.WEBHOOK_URL_CHARS,
            description=(
                "Where it is. {argument} in path or query stands for an argument; the others are the query of GET and"
                " DELETE, and else the body, as JSON."
            ),
            extra={"allowed": "an http:// or https:// address"},
        ),
    ]
    method: Annotated[Literal["GET", "POST", "PUT", "PATCH", "DELETE"], Meta(description="How it is asked.")] = "POST"
    headers: Annotated[
        tuple[Header, ...],
        Meta(
            max_length=HEADERS,
            description='Sent with each call, such as ["Authorization: Bearer <key>"].',
            extra_json_schema=SECRET,
        ),
    ] = ()
    input: InputSchema = field(default_factory=dict[str, Any])
    output: OutputSchema = field(default_factory=dict[str, Any])

    def __repr__(self) -> str:
        return f"HttpToolSettings({self.name!r})"

    # Any because that is what msgspec's own method returns.
    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Keep headers out of rich's tracebacks too, which do not ask `__repr__`."""
        return [("name", self.name)]


class ClientToolSettings(ToolRules, kw_only=True):
    """A tool that a browser or an app carries out, where it says that it can."""

    name: Name
    description: Description
    input: InputSchema = field(default_factory=dict[str, Any])
    output: OutputSchema = field(default_factory=dict[str, Any])


class McpToolSettings(ToolRules, kw_only=True):
    """What one tool of an MCP server may do, in place of what its server's table says."""

    name: Annotated[Word, Meta(description="As its server calls it.", extra={"allowed": "the name of a tool"})]


class McpSettings(ToolRules, kw_only=True):
    """A server that speaks MCP: a program, or an address. Its rules hold for the tools that it does not name."""

    name: Name
    command: Annotated[
        tuple[Word, ...],
        Meta(
            max_length=WORDS, description="Program and arguments of a server that is talked to over stdin and stdout."
        ),
    ] = ()
    env: Annotated[
        dict[str, str],
        Meta(
            description="Variables that the program gets, besides the few that every one needs.",
            extra_json_schema=SECRET,
        ),
    ] = field(default_factory=dict[str, str])
    url: Annotated[
        str,
        Meta(
            pattern=r"^(https?://[^/?#\s@]+(/[^#\s]*)?)?$",
            max_length=limits.WEBHOOK_URL_CHARS,
            description="Where a server is that is talked to over streamable HTTP.",
            extra={"allowed": "empty, or an http:// or https:// address"},
        ),
    ] = ""
    headers: Annotated[
        tuple[Header, ...],
        Meta(max_length=HEADERS, description="Sent with each request to url.", extra_json_schema=SECRET),
    ] = ()
    prefix: Annotated[
        str,
        Meta(
            pattern=r"^[A-Za-z0-9_-]*$",
            max_length=64,
            description="Stands before the names of its tools, so that no other tool has them.",
            extra={"allowed": "letters, digits, _ and -, or empty"},
        ),
    ] = ""
    tools: Annotated[
        tuple[McpToolSettings, ...],
        Meta(max_length=limits.TOOLS, description="What single tools of it may do, a table for each."),
    ] = ()

    def __repr__(self) -> str:
        return f"McpSettings({self.name!r})"

    # Any because that is what msgspec's own method returns.
    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Keep variables and headers out of rich's tracebacks too, which do not ask `__repr__`."""
        return [("name", self.name)]


class ToolsSettings(Section):
    """What an agent may have done: your functions, endpoints, MCP servers, and clients. See docs/tools.md."""

    modules: Annotated[
        tuple[
            Annotated[
                str,
                Meta(
                    pattern=r"^[A-Za-z_][\w.]*$",
                    max_length=PATH_CHARS,
                    extra={"allowed": "a module's name, such as my_tools"},
                ),
            ],
            ...,
        ],
        Meta(
            max_length=MODULES,
            description=(
                "Modules of Python tools: functions that are marked with @tool. Those in the agent's own module are"
                " found without."
            ),
        ),
    ] = ()
    allow_networks: Annotated[
        tuple[Network, ...],
        Meta(
            max_length=NETWORKS,
            description=(
                "Networks besides the internet in which tools may be reached, such as 127.0.0.1 or 10.0.0.0/8."
                " Where a cloud tells a machine its credentials has to be named by itself."
            ),
        ),
    ] = ()
    approver_url: Annotated[
        str,
        Meta(
            pattern=r"^(https?://[^/?#\s@]+([/?][^#\s]*)?)?$",
            max_length=limits.WEBHOOK_URL_CHARS,
            description=(
                "Address that is asked about calls with the policy async_pending. Empty: nobody is asked; the approvals"
                " stand in /api/approvals."
            ),
            extra={"allowed": "empty, or an http:// or https:// address"},
        ),
    ] = ""
    approver_secret: Annotated[
        str,
        Meta(
            pattern=rf"^(.{{{SECRET_CHARS_MIN},{limits.WEBHOOK_SECRET_CHARS}}})?$",
            description="Signs what approver_url is asked, and checks what it answers.",
            extra={
                "allowed": f"empty, or {SECRET_CHARS_MIN} to {limits.WEBHOOK_SECRET_CHARS} characters"
                " (random ones: openssl rand -hex 32)"
            },
            extra_json_schema=SECRET,
        ),
    ] = ""
    http: Annotated[
        tuple[HttpToolSettings, ...], Meta(max_length=limits.TOOLS, description="Endpoints, a table for each.")
    ] = ()
    mcp: Annotated[
        tuple[McpSettings, ...],
        Meta(
            max_length=SOURCES,
            description="Servers that speak MCP, a table for each. Needs the extra: pip install 'duologue[mcp]'.",
        ),
    ] = ()
    client: Annotated[
        tuple[ClientToolSettings, ...],
        Meta(max_length=limits.TOOLS, description="Tools that clients carry out, a table for each."),
    ] = ()

    def __repr__(self) -> str:
        counts = (len(self.modules), len(self.http), len(self.mcp), len(self.client))
        return f"ToolsSettings({counts}, approver_secret {'set' if self.approver_secret else 'not set'})"

    # Any because that is what msgspec's own method returns.
    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Keep the secret out of rich's tracebacks too, which do not ask `__repr__`."""
        return [("modules", self.modules), ("approver_secret", bool(self.approver_secret))]
