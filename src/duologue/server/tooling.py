"""The tools that the settings name, made: the registry, and what reaches the machines that they are on."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import random
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from duologue.adapters.agent_python import PythonAgent
from duologue.adapters.post_http import HttpPost
from duologue.model.errors import SettingsError
from duologue.model.tools import ApprovalPolicy, Idempotency, SideEffect, ToolSpec
from duologue.ports.agent import Agent
from duologue.ports.clock import Clock
from duologue.ports.tool import Tool, ToolSource
from duologue.runtime.companions import Companion
from duologue.runtime.tools.approvals import Approvals
from duologue.runtime.tools.approver import Approver
from duologue.runtime.tools.sources import Sources
from duologue.runtime.tools.toolbox import Toolbox
from duologue.server import signing
from duologue.server.audit import Audit
from duologue.server.log import event_log
from duologue.server.settings import Settings
from duologue.server.settings_tools import (
    ClientToolSettings,
    HttpToolSettings,
    McpSettings,
    RepeatSettings,
    ToolRules,
    ToolsSettings,
)
from duologue.server.tools_trail import ToolsTrail

if TYPE_CHECKING:
    from duologue.adapters.guarded_http import Reach
    from duologue.adapters.tool_http import SharedClient
    from duologue.adapters.tool_mcp import Listed

MCP_PACKAGE: Final = "mcp"
"""What the extra `mcp` brings."""

DECLARING: Final = "duologue.adapters.tool_python"
"""What a function is made a tool with."""

NO_ARGUMENTS: Final[dict[str, object]] = {"type": "object", "additionalProperties": False}


class Tooling(NamedTuple):
    """The tools of a server, and what belongs to them.

    Attributes:
        toolbox: the registry.
        approvals: finds what waits for a decision.
        audit: the trail, which is everybody's.
        trail: notes and counts calls.
        companions: of the hub, in the order in which they are entered.
    """

    toolbox: Toolbox
    approvals: Approvals
    audit: Audit
    trail: ToolsTrail
    companions: tuple[Companion, ...]


def make_tooling(settings: Settings, *, own: Iterable[Tool], clock: Clock) -> Tooling:
    """Make the tools of the settings, and those that are given.

    Raises:
        SettingsError: as `make_toolbox` and `make_sources`.
    """
    audit = Audit(Path(settings.server.data), clock=clock, log=event_log("duologue"))
    shared = _shared(settings.tools)
    toolbox = make_toolbox(settings.tools, own=own, shared=shared)
    trail = ToolsTrail(audit, toolbox)
    sources = Sources(
        make_sources(settings.tools),
        toolbox=toolbox,
        log=event_log("duologue"),
        closing=() if shared is None else (shared.aclose,),
    )
    approver = _approver(settings.tools, clock)
    companions: tuple[Companion, ...] = (sources, trail) if approver is None else (sources, trail, approver)
    return Tooling(toolbox, Approvals(toolbox, listener=approver), audit, trail, companions)


def _approver(settings: ToolsSettings, clock: Clock) -> Approver | None:
    if not settings.approver_url:
        return None
    from duologue.adapters.guarded_http import guarded_client

    reach, secret = reach_of(settings), settings.approver_secret

    def prove(approval_id: str, body: bytes) -> dict[str, str]:
        return {signing.HEADER: signing.sign(secret, approval_id, body, now_ms=clock.now_ms())}

    return Approver(
        url=settings.approver_url,
        post=HttpPost(client=lambda: guarded_client(reach)),
        prove=prove,
        clock=clock,
        chance=random,
        log=event_log("duologue"),
    )


def tools_beside(*agents: Agent) -> list[Tool]:
    """The tools that stand in the modules of agents that are functions."""
    # Whoever has one has imported this; nobody else waits for it.
    if DECLARING not in sys.modules:
        return []
    from duologue.adapters.tool_python import PythonTool

    found: dict[int, Tool] = {}
    for agent in agents:
        if isinstance(agent, PythonAgent) and (module := sys.modules.get(agent.function.__module__)):
            # What a user's module holds has no type that we could know.
            beside: Iterable[object] = vars(module).values()
            found |= {id(one): one for one in beside if isinstance(one, PythonTool)}
    return [*found.values()]


def make_toolbox(settings: ToolsSettings, *, own: Iterable[Tool] = (), shared: "SharedClient | None" = None) -> Toolbox:
    """Make the registry, with all tools that are known without asking a server of them.

    Args:
        settings: what is set of tools.
        own: tools that a program gives, or that stand in the agent's module.
        shared: what sends the requests of endpoints, where there are any.
    Raises:
        SettingsError: a module is not there or has no tool, two tools have one name, or a schema cannot be used.
    """
    tools: list[Tool] = [*own]
    if settings.modules:
        from duologue.adapters.tool_python import load_tools

        found = (one for name in settings.modules for one in load_tools(name, folder=Path.cwd()))
        tools += (one for one in dict.fromkeys(found) if one not in tools)
    if shared is not None:
        tools += _endpoints(settings, shared)
    return Toolbox(tools, [_spec(one, "client", side_effect="read") for one in settings.client])


def make_sources(settings: ToolsSettings) -> Sequence[ToolSource]:
    """Make the servers of tools; nothing is connected yet.

    Raises:
        SettingsError: the extra is not installed, or one has neither command nor url, or both.
    """
    if not settings.mcp:
        return ()
    for one in settings.mcp:
        if bool(one.command) == bool(one.url):
            raise SettingsError(f"tools.mcp, {one.name!r}: needs either command or url")
    try:
        # Not at the top: the extra is not always installed, and takes a second to import.
        from duologue.adapters.tool_mcp import McpOptions, McpSource
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != MCP_PACKAGE:
            raise
        raise SettingsError('tools.mcp: needs the extra: pip install "duologue[mcp]"') from error
    from duologue.adapters.guarded_http import guarded_client

    reach = reach_of(settings)
    return [
        McpSource(
            McpOptions(
                name=one.name,
                command=one.command,
                env=tuple(one.env.items()),
                url=one.url,
                headers=_headers(one.headers),
            ),
            over=_Over(one),
            client=lambda: guarded_client(reach),
        )
        for one in settings.mcp
    ]


def reach_of(settings: ToolsSettings) -> "Reach":
    """Say which machines may be reached for tools and approvals.

    Raises:
        SettingsError: a network is none.
    """
    from duologue.adapters.guarded_http import Reach, read_networks

    try:
        return Reach(read_networks(settings.allow_networks))
    except ValueError as error:
        raise SettingsError(f"tools.allow_networks: {error}") from error


def _shared(settings: ToolsSettings) -> "SharedClient | None":
    if not settings.http:
        return None
    from duologue.adapters.guarded_http import guarded_client
    from duologue.adapters.tool_http import SharedClient

    reach = reach_of(settings)
    return SharedClient(lambda: guarded_client(reach))


def _endpoints(settings: ToolsSettings, shared: "SharedClient") -> list[Tool]:
    from duologue.adapters.tool_http import Endpoint, HttpTool

    return [
        HttpTool(
            _spec(one, "http", side_effect="read" if one.method == "GET" else "write"),
            Endpoint(url=one.url, method=one.method, headers=_headers(one.headers)),
            client=shared,
        )
        for one in settings.http
    ]


class _Over:
    """Decides what is declared of a tool that an MCP server lists: the settings do, and none is allowed by itself."""

    def __init__(self, settings: McpSettings) -> None:
        self._settings = settings
        self._named = {one.name: one for one in settings.tools}

    def __call__(self, listed: "Listed") -> ToolSpec | None:
        rules: ToolRules = self._named.get(listed.name, self._settings)
        name = self._settings.prefix + listed.name.replace(".", "_").replace("/", "_")
        return _ruled(
            rules,
            ToolSpec(
                name=name,
                kind="mcp",
                description=listed.description,
                input_schema=listed.input_schema,
                output_schema=listed.output_schema,
                side_effect=rules.side_effect or listed.side_effect,
                policy=rules.policy or "denied",
            ),
        )


def _spec(declared: HttpToolSettings | ClientToolSettings, kind: str, *, side_effect: SideEffect) -> ToolSpec:
    effect: SideEffect = declared.side_effect or side_effect
    usual: ApprovalPolicy = "auto" if effect in ("none", "read") else "user_confirm"
    return _ruled(
        declared,
        ToolSpec(
            name=declared.name,
            kind="client" if kind == "client" else "http",
            description=declared.description,
            input_schema=declared.input or NO_ARGUMENTS,
            output_schema=declared.output or None,
            side_effect=effect,
            policy=declared.policy or usual,
        ),
    )


def _ruled(rules: ToolRules, spec: ToolSpec) -> ToolSpec:
    """Take over what the settings say of a tool of any kind."""
    return msgspec.structs.replace(
        spec,
        idempotency=_idempotency(rules.idempotency),
        scopes=rules.scopes,
        redact=rules.redact,
        timeout_ms=rules.timeout_ms,
        retries=rules.retries,
        confirm=rules.confirm,
        approval_ttl_ms=rules.approval_ttl_ms,
        repeatable=rules.repeatable,
    )


def _idempotency(repeats: RepeatSettings) -> Idempotency:
    return Idempotency(
        mode=repeats.mode,
        key_arguments=repeats.key_arguments,
        on_duplicate=repeats.on_duplicate,
        ttl_ms=repeats.ttl_ms,
        safe_to_repeat=repeats.safe_to_repeat,
    )


def _headers(headers: Iterable[str]) -> tuple[tuple[str, str], ...]:
    pairs = (header.partition(":") for header in headers)
    return tuple((name, value.strip()) for name, _, value in pairs)
