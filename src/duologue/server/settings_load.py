"""Settings from the file, the environment and the command line, strictly, with every mistake told at once."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

import msgspec

from duologue.model.errors import SettingsError
from duologue.server.settings import Settings
from duologue.server.settings_contradictions import contradictions
from duologue.server.settings_keys import CONFIG_ENV, ENV_PREFIX, Key, all_keys, lists, section_types
from duologue.server.settings_values import Given, convert, nearest

FILE_NAME: Final = "duologue.toml"

NO_FLAGS: Final[Mapping[str, object]] = MappingProxyType({})

_PROMPTS: Final = frozenset({"system_prompt", "system_prompt_file"})
"""Keys of which one stands in place of the other."""

_CLUSTER_NAME: Final = re.compile(r"DUOLOGUE_(SERVICE_(HOST|PORT)(_\w+)?|PORT_\d+_\w+)")
_CLUSTER_ADDRESS: Final = re.compile(r"(tcp|udp|sctp)://")


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
    values: dict[str, object] = {}
    sections: dict[str, dict[str, object]] = {}
    path = settings_file(env, folder, config)
    for given in (*_from_file(path), *_from_env(env, keys), *_from_flags(flags)):
        key = keys.get(given.name)
        if key is None:
            faults.append(_unknown(given, keys))
            continue
        before = len(faults)
        value = convert(key, given, faults)
        if len(faults) > before:
            continue
        section, _, field = key.name.rpartition(".")
        (sections.setdefault(section, {}) if section else values)[field] = value
    if "agents" in values:
        values["agents"] = [_as_the_first(agent, sections) for agent in _tables(values["agents"])]
    settings = msgspec.convert({**sections, **values}, Settings)
    faults.extend(contradictions(settings))
    if faults:
        raise SettingsError("\n".join(faults))
    return settings


def _tables(value: object) -> list[dict[str, object]]:
    return msgspec.convert(value, list[dict[str, object]])


def _as_the_first(agent: dict[str, object], sections: Mapping[str, Mapping[str, object]]) -> dict[str, object]:
    """Fill in what a further agent leaves out of what [llm] and [agui] say of the first."""
    filled = dict(agent)
    for section in ("llm", "agui"):
        own = msgspec.convert(agent.get(section, {}), dict[str, object])
        theirs = dict(sections.get(section, {}))
        if own.keys() & _PROMPTS:
            theirs = {key: value for key, value in theirs.items() if key not in _PROMPTS}
        filled[section] = theirs | own
    return filled


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
        if section in lists() or section not in section_types():
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


def _unknown(given: Given, keys: Mapping[str, Key]) -> str:
    if given.name in section_types():
        return f"{given.name}: expected a table, [{given.name}] ({given.where})"
    if given.name.startswith(ENV_PREFIX):
        near = nearest(given.name, (key.env for key in keys.values()))
    elif isinstance(given.value, dict):
        near = nearest(given.name, section_types())
    else:
        near = _same_field(given.name, keys) or nearest(given.name, keys)
    hint = f"did you mean {near}?" if near else f"sections are {', '.join(section_types())}"
    return f"{given.name}: unknown key ({given.where}); {hint}"


def _same_field(name: str, keys: Iterable[str]) -> str:
    """Find the key that stands in another section than was thought."""
    field = name.rpartition(".")[2]
    return next((key for key in keys if key.partition(".")[2] == field), "")
