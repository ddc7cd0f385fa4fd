"""The registry of tools: what is declared, who may be offered it, and what carries it out."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from duologue.model import limits
from duologue.model.content import ClientTool
from duologue.model.errors import SettingsError
from duologue.model.tools import ToolSpec
from duologue.ports.tool import Tool
from duologue.runtime.tools.judging import Judge

_read: Final = msgspec.json.Decoder(dict[str, Any])


class Toolbox:
    """Knows every tool by its name. Some are known from the start, others once a server of them is reached.

    Args:
        tools: those of the start.
        declared: those that a client carries out, which are only declared here.
    Raises:
        SettingsError: two have one name, a name or schema cannot be used, or there are too many.
    """

    def __init__(self, tools: Iterable[Tool] = (), declared: Iterable[ToolSpec] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        self._specs: dict[str, ToolSpec] = {}
        self._inputs: dict[str, Judge] = {}
        self._outputs: dict[str, Judge] = {}
        self._of_source: dict[str, tuple[str, ...]] = {}
        for tool in tools:
            self._add(tool.spec, tool)
        for spec in declared:
            self._add(spec, None)

    def __len__(self) -> int:
        return len(self._specs)

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """All that is declared, in order."""
        return (*self._specs.values(),)

    def replace(self, source: str, tools: Sequence[Tool]) -> tuple[str, ...]:
        """Take over what a source tells now, in place of what it told before.

        Returns:
            Why some of them cannot be used; those are left out.
        """
        for name in self._of_source.pop(source, ()):
            self._remove(name)
        added: list[str] = []
        faults: list[str] = []
        for tool in tools:
            try:
                self._add(tool.spec, tool)
            except SettingsError as error:
                faults.append(str(error))
            else:
                added.append(tool.spec.name)
        self._of_source[source] = (*added,)
        return (*faults,)

    def find(self, name: str) -> ToolSpec | None:
        """Look up what is declared of a tool; `None` where there is none of that name."""
        return self._specs.get(name)

    def tool(self, name: str) -> Tool | None:
        """Look up what carries a tool out; `None` where nothing here does."""
        return self._tools.get(name)

    def offered(self, *, granted: Sequence[str] | None, client: Iterable[str] = ()) -> tuple[ClientTool, ...]:
        """Say what a run may ask for.

        Args:
            granted: the scopes that the person has; `None` for all.
            client: names of tools that the person's client can run.
        """
        can = frozenset(client)
        return tuple(
            ClientTool(name=spec.name, description=spec.description, parameters=spec.input_schema)
            for spec in self._specs.values()
            if spec.policy != "denied"
            and (spec.kind != "client" or spec.name in can)
            and (granted is None or set(spec.scopes) <= set(granted))
        )

    def wrong_with(self, name: str, arguments: str) -> str:
        """Say what is wrong with a call's arguments, in words for the agent; empty where nothing is.

        Args:
            name: of a tool that is known.
            arguments: a JSON object, as text.
        """
        judge = self._inputs.get(name)
        return "" if judge is None else judge.fault_of(_read.decode(arguments or "{}"), told=True)

    # What a tool gave: JSON of its own design.
    def wrong_with_output(self, name: str, output: Any) -> str:
        """Say what is wrong with what a tool gave, without a word of it; empty where nothing is."""
        judge = self._outputs.get(name)
        return "" if judge is None else judge.fault_of(output, told=False)

    def _add(self, spec: ToolSpec, tool: Tool | None) -> None:
        if spec.name in self._specs:
            raise SettingsError(f"tool {spec.name!r}: there are two of that name; rename one, or set a prefix")
        if len(self._specs) >= limits.TOOLS:
            raise SettingsError(f"tool {spec.name!r}: more than {limits.TOOLS} tools")
        if not 0 < len(spec.name) <= limits.TOOL_NAME_CHARS:
            raise SettingsError(f"tool {spec.name!r}: a name has 1 to {limits.TOOL_NAME_CHARS} characters")
        if spec.input_schema is not None:
            self._inputs[spec.name] = _judge(spec.name, "input", spec.input_schema)
        if spec.output_schema is not None:
            self._outputs[spec.name] = _judge(spec.name, "output", spec.output_schema)
        self._specs[spec.name] = spec
        if tool is not None:
            self._tools[spec.name] = tool

    def _remove(self, name: str) -> None:
        for known in (self._tools, self._specs, self._inputs, self._outputs):
            known.pop(name, None)


# JSON Schema: JSON of many shapes.
def _judge(name: str, which: str, schema: dict[str, Any]) -> Judge:
    try:
        return Judge(schema)
    except ValueError as error:
        raise SettingsError(f"tool {name!r}: its {which} schema cannot be used, {error}") from error
