"""Finds a user's tools by the name of their module."""

import importlib
import sys
from pathlib import Path
from typing import cast

from duologue.adapters.tool_python.tool import PythonTool
from duologue.model.errors import SettingsError

SHAPE = "write package.module, as in my_tools"


def load_tools(module_name: str, *, folder: Path | None = None) -> tuple[PythonTool, ...]:
    """Import a module, and give the tools that stand in it by a name of their own, in order.

    Args:
        module_name: `package.module`.
        folder: searched first, before what is installed. It stays on `sys.path`.
    Raises:
        SettingsError: there is no such module, it fails, or has no tool.
    """
    if not all(part.isidentifier() for part in module_name.split(".")):
        raise SettingsError(f"tools.modules: {module_name!r} is not a module's name; {SHAPE}")
    if folder is not None and str(folder.resolve()) not in sys.path:
        sys.path.insert(0, str(folder.resolve()))
        importlib.invalidate_caches()
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise SettingsError(f"tools.modules: {module_name!r}: there is no module {error.name!r}") from error
    # The user's own code runs here and may raise anything; all of it means that the setting does not work.
    except Exception as error:
        message = f"tools.modules: importing {module_name} failed: {type(error).__name__}: {error}"
        raise SettingsError(message) from error
    # What a user's module holds has no type that we could know.
    found = cast(dict[str, object], vars(module)).values()
    tools = tuple(dict.fromkeys(one for one in found if isinstance(one, PythonTool)))
    if not tools:
        raise SettingsError(f"tools.modules: {module_name} has no tool; mark a function with @tool")
    return tools
