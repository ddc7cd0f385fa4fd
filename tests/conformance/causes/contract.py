"""Everything that the four contracts name: each message, each member of it, and each value that a member may have.

The contracts are walked, not listed: what is in a schema is in the table. Source: `schemas/` of the protocols, which
hold the contracts in words of our own; a test of each protocol holds them against the contract's own lists.
"""

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast

# Any: JSON of no known shape.
Json: TypeAlias = Any

Contract = Literal["agentcall", "chat", "ghost", "jambonz"]

CONTRACTS: Final[tuple[Contract, ...]] = ("agentcall", "chat", "ghost", "jambonz")

TITLES: Final[Mapping[Contract, str]] = {
    "agentcall": "AgentCall AG-UI WebSocket binding 0.1: what a client sends",
    "chat": "Chat, TransportEvent: what a client is sent",
    "ghost": "Ghost AG-UI 1.0: what a client is sent, the state machine, and how it travels",
    "jambonz": "jambonz agent events: what an application is sent",
}

TRANSPORTS: Final = ("in_process", "websocket", "sse")
"""How Ghost's events travel. Source: Ghost AG-UI 1.0, `transport`."""

STATES: Final = ("idle", "listening", "transcribing", "thinking", "speaking", "error")
TRANSITIONS: Final = (
    ("idle", "listening", "user_activates_mic"),
    ("idle", "thinking", "user_sends_text"),
    ("listening", "transcribing", "speech_end"),
    ("transcribing", "thinking", "stt_complete"),
    ("thinking", "speaking", "first_token"),
    ("speaking", "idle", "tts_complete"),
    ("speaking", "listening", "auto_resume"),
    ("speaking", "listening", "barge_in"),
    ("any", "idle", "cancel"),
    ("any", "error", "error"),
)
"""Source: Ghost AG-UI 1.0, `stateModel`."""

EVERY: Final = "every event"
"""What all of chat's events have."""

_OURS: Final = ("Ours: ", "Duologue's own.")
"""Begin the description of a member that the contract does not have."""


class Item(NamedTuple):
    """One thing that a contract names.

    Attributes:
        message: the message's type, or what else it belongs to.
        member: the path of a member, `[]` standing for each item of a list; empty for the message itself.
        value: one of the values that the contract lists for it; empty for the member itself.
    """

    contract: Contract
    message: str
    member: str = ""
    value: str = ""


def items(contract: Contract) -> list[Item]:
    """Everything that a contract names, in its order."""
    match contract:
        case "agentcall":
            return [*_whole(contract, "agentcall", "agentcall-client")]
        case "chat":
            return [*_base(), *_whole(contract, "chat", "chat-event")]
        case "jambonz":
            return [*_whole(contract, "jambonz", "jambonz-agent-event")]
        case "ghost":
            return [*_ghost()]


def seen(contract: Contract, message: Json) -> set[Item]:
    """What of a contract a message shows; more than it names may be among it."""
    kind, inside = str(message["type"]), message["payload"] if contract == "ghost" else message
    found = set(_found(inside, ""))
    return {Item(contract, kind), *(Item(contract, name, *one) for one in found for name in (kind, EVERY))}


def load(protocol: str, name: str) -> Json:
    """Read a schema of a protocol."""
    folder = files(f"duologue.protocols.{protocol}") / "schemas"
    return json.loads((folder / f"{name}.schema.json").read_text("utf-8"))


def _base() -> Iterator[Item]:
    schema = load("chat", "chat-event")
    yield from _told("chat", EVERY, dict(_members(schema, schema["definitions"]["Base"])))


def _whole(contract: Contract, protocol: str, name: str) -> Iterator[Item]:
    schema = load(protocol, name)
    for choice in schema["oneOf"]:
        members = dict(_members(schema, choice))
        kind = members.pop("type")[0]
        yield from _told(contract, kind, members)


def _ghost() -> Iterator[Item]:
    schema = load("ghost", "ghost-event")
    for choice in schema["oneOf"]:
        kind = choice["properties"]["type"]["const"]
        payload = choice["properties"].get("payload")
        if payload is None or kind.startswith("ghost."):
            continue
        yield from _told("ghost", kind, dict(_members(schema, payload)))
    for state in STATES:
        yield Item("ghost", "stateModel", "states", state)
    for source, target, trigger in TRANSITIONS:
        yield Item("ghost", "stateModel", "transitions", f"{source} → {target} by {trigger}")
    for transport in TRANSPORTS:
        yield Item("ghost", "transport", "", transport)


def _told(contract: Contract, kind: str, members: Mapping[str, list[str]]) -> Iterator[Item]:
    yield Item(contract, kind)
    for member, values in members.items():
        yield Item(contract, kind, member)
        for value in values:
            yield Item(contract, kind, member, value)


def _members(root: Json, schema: Json, path: str = "") -> Iterator[tuple[str, list[str]]]:
    """The members below a schema, by their path, each with the values that it may have."""
    gathered: dict[str, list[str]] = {}
    for name, values in _walk(root, schema, path):
        known = gathered.setdefault(name, [])
        known += [value for value in values if value not in known]
    yield from gathered.items()


def _walk(root: Json, schema: Json, path: str) -> Iterator[tuple[str, list[str]]]:
    reference = schema.get("$ref")
    if reference is not None:
        root, schema = _resolved(root, reference)
        yield from _walk(root, schema, path)
        return
    for part in (*schema.get("allOf", ()), *schema.get("oneOf", ()), *schema.get("anyOf", ())):
        if part.get("$ref") != "#/definitions/Base":
            yield from _walk(root, part, path)
    for name, inner in schema.get("properties", {}).items():
        if str(inner.get("description", "")).startswith(_OURS):
            continue
        below = f"{path}.{name}" if path else name
        yield below, _values(root, inner)
        yield from _walk(root, inner, below)
    if isinstance(schema.get("items"), dict):
        yield from _walk(root, schema["items"], f"{path}[]")
        values = _values(root, schema["items"])
        if values:
            yield path, values


def _values(root: Json, schema: Json) -> list[str]:
    reference = schema.get("$ref")
    if reference is not None:
        root, schema = _resolved(root, reference)
        return _values(root, schema)
    if "const" in schema:
        return [str(schema["const"])]
    if schema.get("type") == "boolean":
        return ["true", "false"]
    return [str(value) for value in schema.get("enum", ())]


def _resolved(root: Json, reference: str) -> tuple[Json, Json]:
    if reference.startswith("#/"):
        found = root
        for step in reference[2:].split("/"):
            found = found[step]
        return root, found
    # AgentCall's contract names the schema of the observation by its file; ours has it beside.
    other = load("agentcall", "agentcall-physical-observation")
    return other, other


def _found(value: Json, path: str) -> Iterator[tuple[str, str]]:
    """The members of a message by their path, and their values where those may be listed ones."""
    # What is parsed JSON has no narrower type.
    if isinstance(value, dict):
        for name, inner in cast(dict[str, Json], value).items():
            below = f"{path}.{name}" if path else name
            yield below, ""
            yield from _found(inner, below)
    elif isinstance(value, list):
        for inner in cast(list[Json], value):
            yield from _found(inner, path if isinstance(inner, str) else f"{path}[]")
    elif isinstance(value, bool):
        yield path, "true" if value else "false"
    elif isinstance(value, str):
        yield path, value
