"""Settings from the file, the environment and the command line, strictly, with every mistake told at once."""

import difflib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

import msgspec

from duologue.model.base import Value
from duologue.model.errors import SettingsError
from duologue.server.settings import Settings
from duologue.server.settings_keys import CONFIG_ENV, ENV_PREFIX, Key, all_keys, section_types
from duologue.server.webhook_address import fault_of

FILE_NAME: Final = "duologue.toml"

SHOWN_CHARS: Final = 60
"""How much of a wrong value is repeated in its error: enough to find it."""

NO_FLAGS: Final[Mapping[str, object]] = MappingProxyType({})

_CLUSTER_NAME: Final = re.compile(r"DUOLOGUE_(SERVICE_(HOST|PORT)(_\w+)?|PORT_\d+_\w+)")
_CLUSTER_ADDRESS: Final = re.compile(r"(tcp|udp|sctp)://")


class Given(Value, kw_only=True):
    """One value that somebody set: the key as they wrote it, and where it stands."""

    name: str
    value: object
    where: str


def load_settings(
    env: Mapping[str, str],
    folder: Path,
    *,
    config: Path | None = None,
    flags: Mapping[str, object] = NO_FLAGS,
) -> Settings:
    """Read the settings: defaults, then the file, then the environment, then flags; the later one holds.

    Args:
        env: the process's environment.
        folder: where `duologue.toml` is looked for when no file is named.
        config: the file that was named on the command line.
        flags: by dotted key; `None` means that the flag was not given.
    Raises:
        SettingsError: something is wrong; the message has a line for each mistake, and no secret.
    """
    keys = {key.name: key for key in all_keys()}
    faults: list[str] = []
    values: dict[str, dict[str, object]] = {}
    path = settings_file(env, folder, config)
    for given in (*_from_file(path), *_from_env(env, keys), *_from_flags(flags)):
        key = keys.get(given.name)
        if key is None:
            faults.append(_unknown(given, keys))
            continue
        try:
            value = _convert(key, given.value)
        except ValueError as error:
            faults.append(_wrong(key, given, error))
            continue
        section, _, field = key.name.partition(".")
        values.setdefault(section, {})[field] = value
    settings = msgspec.convert(values, Settings)
    faults.extend(_contradictions(settings))
    if faults:
        raise SettingsError("\n".join(faults))
    return settings


def settings_file(env: Mapping[str, str], folder: Path, config: Path | None = None) -> Path | None:
    """Return the file that settings are read from: the named one, or `duologue.toml` where there is one."""
    if config is not None:
        return config
    if named := env.get(CONFIG_ENV):
        return folder / named
    usual = folder / FILE_NAME
    return usual if usual.exists() else None


def _from_file(path: Path | None) -> Iterator[Given]:
    if path is None:
        return
    for section, table in _read(path).items():
        if section not in section_types():
            yield Given(name=section, value=table, where=str(path))
            continue
        try:
            keys = msgspec.convert(table, dict[str, object])
        except msgspec.ValidationError:
            yield Given(name=section, value=None, where=str(path))
            continue
        yield from (Given(name=f"{section}.{key}", value=keys[key], where=str(path)) for key in keys)


def _read(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}; name a file that exists") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path}: is not UTF-8, at byte {error.start}") from error
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path}: is not TOML: {error}") from error


def _from_env(env: Mapping[str, str], keys: Mapping[str, Key]) -> Iterator[Given]:
    names = {key.env: key.name for key in keys.values()}
    for name in sorted(env):
        if name.startswith(ENV_PREFIX) and name != CONFIG_ENV and not _set_by_cluster(name, env[name]):
            yield Given(name=names.get(name, name), value=env[name], where=f"environment variable {name}")


def _set_by_cluster(name: str, value: str) -> bool:
    """Whether Kubernetes set it, which it does in every pod beside a Service that is called duologue."""
    return _CLUSTER_NAME.fullmatch(name) is not None or (
        name == "DUOLOGUE_PORT" and _CLUSTER_ADDRESS.match(value) is not None
    )


def _from_flags(flags: Mapping[str, object]) -> Iterator[Given]:
    for name, value in flags.items():
        if value is not None:
            yield Given(name=name, value=value, where="command line")


def _convert(key: Key, value: object) -> object:
    if not isinstance(value, str):
        # A flag that may be repeated arrives as a list or a tuple; both become the tuple that is kept.
        return msgspec.convert(value, key.kind)
    if key.listed:
        return msgspec.convert(_split(value), key.kind)
    return msgspec.convert(value, key.kind, strict=False)


def _split(text: str) -> object:
    """Read a list that came as text: a JSON array, or words between commas."""
    if text.lstrip().startswith("["):
        return json.loads(text)
    return [word for part in text.split(",") if (word := part.strip())]


def _unknown(given: Given, keys: Mapping[str, Key]) -> str:
    if given.name in section_types():
        return f"{given.name}: expected a table, [{given.name}] ({given.where})"
    if given.name.startswith(ENV_PREFIX):
        near = _nearest(given.name, (key.env for key in keys.values()))
    elif isinstance(given.value, dict):
        near = _nearest(given.name, section_types())
    else:
        near = _same_field(given.name, keys) or _nearest(given.name, keys)
    hint = f"did you mean {near}?" if near else f"sections are {', '.join(section_types())}"
    return f"{given.name}: unknown key ({given.where}); {hint}"


def _same_field(name: str, keys: Iterable[str]) -> str:
    """Find the key that stands in another section than was thought."""
    field = name.rpartition(".")[2]
    return next((key for key in keys if key.partition(".")[2] == field), "")


def _nearest(name: str, known: Iterable[str]) -> str:
    return next(iter(difflib.get_close_matches(name, tuple(known), n=1, cutoff=0.6)), "")


def _wrong(key: Key, given: Given, error: ValueError) -> str:
    got = "" if key.secret else f", got {_shown(given.value)}"
    # msgspec says which item of a list it is; the rest of its text is about types and is said better here.
    at = re.search(r"`\$((?:\[\d+\]|\.\w+)+)`", str(error))
    return f"{key.name}{at[1] if at else ''}: expected {key.allowed}{got} ({given.where})"


def _shown(value: object) -> str:
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= SHOWN_CHARS else text[:SHOWN_CHARS] + "…"


def _contradictions(settings: Settings) -> Iterator[str]:
    """Find keys that are each right and do not go together."""
    agent, auth = settings.agent, settings.auth
    if bool(auth.issuer) != bool(auth.jwks_url):
        yield "auth.issuer: goes with auth.jwks_url; set both or neither"
    if agent.kind == "python" and not agent.function:
        yield 'agent.function: is needed for agent.kind = "python"; write module:name, like my_agent:answer'
    llm = settings.llm
    if agent.kind == "llm" and not llm.model:
        yield 'llm.model: is needed for agent.kind = "llm"; write provider:model, like openai:gpt-5-mini'
    if agent.kind == "agui" and not settings.agui.url:
        yield 'agui.url: is needed for agent.kind = "agui"; write where its runs are posted to'
    if llm.system_prompt and llm.system_prompt_file:
        yield "llm.system_prompt_file: stands in place of llm.system_prompt; write one of them"
    webhooks = settings.webhooks
    if webhooks.url and not webhooks.secret:
        yield "webhooks.secret: is needed with webhooks.url, to sign what is posted"
    if webhooks.url and (fault := fault_of(webhooks.url, allow_http=webhooks.allow_http)):
        yield f"webhooks.url: {fault}"
