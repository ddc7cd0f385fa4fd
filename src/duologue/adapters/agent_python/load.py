"""Finds a user's function by its name in the settings."""

import difflib
import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import TypeGuard, cast

from duologue.adapters.agent_python.agent import Answer, PythonAgent, unfit
from duologue.model.errors import SettingsError
from duologue.ports.agent import Agent

SHAPE = "write package.module:name, as in my_agent:answer"


def load_agent(spec: str, *, folder: Path | None = None) -> Agent:
    """Import the agent that the settings name.

    Args:
        spec: `package.module:name`. The name is a function for `PythonAgent`, or an `Agent` object.
        folder: searched first, before what is installed; where the settings file is, or the working
            directory. It stays on `sys.path`, since the module may import its neighbours later.
    Raises:
        SettingsError: the spec is badly shaped, or the module or name is missing, fails or does not fit.
    """
    module_name, colon, name = spec.partition(":")
    if not colon or not name.isidentifier():
        raise SettingsError(f"agent {spec!r}: {SHAPE}")
    if module_name.endswith(".py") or not all(part.isidentifier() for part in module_name.split(".")):
        hint = _module_of_path(module_name)
        raise SettingsError(f"agent {spec!r}: {module_name!r} is not a module's name; {SHAPE}{hint}")
    module = _import(spec, module_name, folder)
    found = _attribute(spec, module, name)
    if is_agent(found):
        return found
    complaint = unfit(found)
    if complaint is not None:
        raise SettingsError(f"agent {spec!r}: {name} {complaint}")
    # `unfit` has checked what can be checked of it; what it yields is checked while it runs.
    return PythonAgent(cast(Answer, found), name=name)


def _import(spec: str, module_name: str, folder: Path | None) -> ModuleType:
    if folder is not None and str(folder.resolve()) not in sys.path:
        sys.path.insert(0, str(folder.resolve()))
        importlib.invalidate_caches()
    try:
        return importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        missing = error.name or str(error)
        if module_name == missing or module_name.startswith(f"{missing}."):
            where = f" in {folder.resolve()}" if folder is not None else ""
            message = f"there is no module {missing!r}{where} or among the installed packages"
        else:
            message = f"{module_name} imports {missing!r}, which is not installed"
        raise SettingsError(f"agent {spec!r}: {message}") from error
    # The user's own code runs here and may raise anything; all of it means that the setting does not work.
    except Exception as error:
        raise SettingsError(
            f"agent {spec!r}: importing {module_name} failed: {type(error).__name__}: {error}"
        ) from error


def _attribute(spec: str, module: ModuleType, name: str) -> object:
    # What a user's module holds has no type that we could know.
    names = cast(dict[str, object], vars(module))
    if name in names:
        return names[name]
    public = [other for other in names if not other.startswith("_") and callable(names[other])]
    near = difflib.get_close_matches(name, public, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise SettingsError(f"agent {spec!r}: {module.__name__} has no {name!r}{hint}")


def is_agent(found: object) -> TypeGuard[Agent]:
    """Tell whether something is an `Agent`, as far as a structural type with a property can be checked."""
    if isinstance(found, type):
        return False
    return callable(getattr(found, "run", None)) and isinstance(getattr(found, "name", None), str)


def _module_of_path(text: str) -> str:
    """Say what the module of a file path is, where it looks like one."""
    if not text.endswith(".py"):
        return ""
    return f" (for that file: {'.'.join(Path(text).with_suffix('').parts)})"
