"""Writing what came of recordings for other programs: JSON and JUnit XML."""

import json
import re
from collections.abc import Sequence
from typing import Final
from xml.etree import ElementTree as xml

import msgspec

from duologue.server.replay.suite import Replayed, TurnResult

_NO_XML: Final = re.compile(r"[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Source: XML 1.0, 2.2."""


def as_json(replayed: Sequence[Replayed]) -> str:
    """Write all of it as one JSON object."""
    told = [msgspec.to_builtins(one) | {"different": one.different, "failed": one.failed} for one in replayed]
    whole = {"failed": any(one.failed for one in replayed), "sessions": told}
    return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"


def as_junit(replayed: Sequence[Replayed]) -> str:
    """Write a test suite for each recording: the law, and each turn."""
    root = xml.Element("testsuites", {"name": "duologue replay"})
    tests = failed = 0
    for one in replayed:
        suite = xml.SubElement(root, "testsuite", {"name": _plain(one.name)})
        cases = [("law", _law(one)), *((f"turn {result.pair.turn}", _turn(result, one)) for result in one.turns)]
        for name, problem in cases:
            case = xml.SubElement(suite, "testcase", {"classname": _plain(one.session_id), "name": name, "time": "0"})
            if problem:
                first = problem.partition("\n")[0]
                xml.SubElement(case, "failure", {"message": _plain(first), "type": name}).text = _plain(problem)
        wrong = sum(bool(problem) for _, problem in cases)
        suite.attrib |= {"tests": str(len(cases)), "failures": str(wrong), "errors": "0", "skipped": "0"}
        tests, failed = tests + len(cases), failed + wrong
    root.attrib |= {"tests": str(tests), "failures": str(failed), "errors": "0", "skipped": "0"}
    xml.indent(root)
    return xml.tostring(root, encoding="unicode") + "\n"


def _law(one: Replayed) -> str:
    if one.law.breach is not None:
        breach = one.law.breach
        return f"event {breach.seq} comes out differently\nstored:  {breach.stored}\nstepped: {breach.stepped}"
    if one.stopped:
        return one.stopped
    return "run again as it was, the journal has other bytes" if one.same_bytes is False else ""


def _turn(result: TurnResult, one: Replayed) -> str:
    return "\n".join(result.failures) if one.judged else ""


def _plain(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)
