"""Writes `docs/check-rules.md` from the rules.

Run it at the root of the repository: `python -m duologue.server.check_docs`.
"""

import textwrap
from pathlib import Path
from typing import Final

from duologue.check.findings import PROTOCOLS, Protocol, Rule
from duologue.check.recording import RULES

PAGE: Final = Path("docs/check-rules.md")

TITLES: Final[dict[Protocol, str]] = {
    "agentcall": "AgentCall",
    "agui": "AG-UI",
    "chat": "Chat",
    "ghost": "Ghost",
    "jambonz": "jambonz",
}

_HEAD: Final = """# Rules of duologue check

What `duologue check` looks for, protocol by protocol. [Checking frames](check.md) says how to run it. An error breaks
the contract; a warning is legal, and most likely not meant. Each example is run by the tests.

<!-- This page is made by `python -m duologue.server.check_docs`; the words are in src/duologue/check/. -->
"""

_NOTES: Final[dict[Protocol, str]] = {
    "agentcall": "The AG-UI events inside `agui.event` are judged by the rules of AG-UI as well.",
}


def page() -> str:
    """Write the page."""
    return _HEAD + "".join(map(_protocol, PROTOCOLS))


def _protocol(protocol: Protocol) -> str:
    title = TITLES[protocol]
    note = f"\n{_NOTES[protocol]}\n" if protocol in _NOTES else ""
    head = f"\n## Which rules does the {title} check have?\n{note}\n"
    head += "| rule | severity | what has to hold |\n|---|---|---|\n"
    rows = "".join(f"| `{rule.id}` | {rule.severity} | {rule.meaning} |\n" for rule in RULES[protocol])
    return head + rows + "".join(map(_rule, RULES[protocol]))


def _rule(rule: Rule) -> str:
    kind = "error" if rule.severity == "error" else "warning"
    # No heading: the knowledge agent would take each of a hundred rules for a topic of its own.
    said = f"**{rule.id}**: {kind}. {rule.meaning} Source: {rule.source}. To mend: {rule.mend}."
    words = textwrap.fill(said, 118, break_on_hyphens=False)
    failing = _example("Something is found here:", rule.failing)
    return f"\n{words}\n\n{failing}\n{_example('Nothing is found here:', rule.passing)}"


def _example(what: str, frames: tuple[str, ...]) -> str:
    return f"{what}\n\n```json\n" + "".join(f"{frame}\n" for frame in frames) + "```\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
