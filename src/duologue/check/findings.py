"""What a check says: rules, frames and findings, as frozen data."""

import json
from typing import Final, Literal, TypeAlias

from duologue.model.base import Value
from duologue.model.jsonwire import Json

Protocol = Literal["agentcall", "chat", "ghost", "jambonz", "agui"]

PROTOCOLS: Final[tuple[Protocol, ...]] = ("agentcall", "agui", "chat", "ghost", "jambonz")

Severity = Literal["error", "warning"]

JsonObject: TypeAlias = "dict[str, Json]"

SHOWN_CHARS: Final = 80
"""How much of a value a finding repeats: enough to find it."""


class Rule(Value, kw_only=True):
    """One thing that frames are checked for.

    Attributes:
        id: stable; begins with its protocol.
        severity: an error breaks the contract; a warning is legal, and most likely not meant.
        meaning: what has to hold.
        mend: what to do where it does not.
        source: where the contract says it.
        failing: frames, a line of JSON each, of which this rule finds something.
        passing: the same frames, mended: no rule finds anything.
    """

    id: str
    severity: Severity = "error"
    meaning: str
    mend: str
    source: str
    failing: tuple[str, ...]
    passing: tuple[str, ...]


class Frame(Value, kw_only=True):
    """One frame of a recording: its number from 1, the line that it begins on, and its JSON as text."""

    number: int
    line: int
    data: bytes


class Finding(Value, kw_only=True):
    """One thing that is wrong.

    Attributes:
        rule: the rule's id.
        frame: number of the frame from 1; 0 where the recording as a whole is meant.
        line: line of the recording from 1.
        pointer: JSON pointer into the frame (RFC 6901); empty for all of it.
        found: what is there.
        expected: what should be.
        mend: what to do.
    """

    rule: str
    severity: Severity
    frame: int
    line: int
    pointer: str
    found: str
    expected: str
    mend: str

    @property
    def message(self) -> str:
        """All of it in one sentence."""
        return f"found {self.found}; expected {self.expected}"


class Report(Value, kw_only=True):
    """What came out of a recording.

    Attributes:
        frames: how many were read.
        skipped: frames that the protocol's rules say nothing about, such as other messages of a jambonz socket.
        findings: in the order of the frames.
        dropped: findings beyond `limits.CHECK_FINDINGS`, counted and not kept.
        whole: the recording was read to its end; false where bounds cut it.
    """

    protocol: Protocol
    frames: int
    skipped: int = 0
    findings: tuple[Finding, ...]
    dropped: int = 0
    whole: bool = True

    @property
    def errors(self) -> int:
        """How many findings break the contract."""
        return sum(finding.severity == "error" for finding in self.findings)


def shown(value: Json) -> str:
    """Write a value as a finding repeats it: JSON, shortened."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN_CHARS else text[:SHOWN_CHARS] + "…"


def pointer(*steps: str | int) -> str:
    """Write a JSON pointer. Source: RFC 6901, section 3."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)
