"""Writing a report for other programs: JSON, SARIF 2.1.0 and JUnit XML."""

import json
import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import quote
from xml.etree import ElementTree as xml

from duologue.check.findings import Finding, Report, Rule
from duologue.model.base import Value
from duologue.model.jsonwire import Json

SARIF_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


_NO_XML: Final = re.compile(r"[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Source: XML 1.0, 2.2."""


class Checked(Value, kw_only=True):
    """A report, and where its recording came from."""

    source: str
    report: Report


def as_json(checked: Checked) -> str:
    """Write a report as one JSON object."""
    report = checked.report
    findings: list[Json] = [
        {
            "rule": finding.rule,
            "severity": finding.severity,
            "frame": finding.frame,
            "line": finding.line,
            "pointer": finding.pointer,
            "found": finding.found,
            "expected": finding.expected,
            "mend": finding.mend,
        }
        for finding in report.findings
    ]
    whole: dict[str, Json] = {
        "source": checked.source,
        "protocol": report.protocol,
        "frames": report.frames,
        "skipped": report.skipped,
        "whole": report.whole,
        "errors": report.errors,
        "warnings": len(findings) - report.errors,
        "dropped": report.dropped,
        "findings": findings,
    }
    return _text(whole)


def as_sarif(checked: Checked, rules: Iterable[Rule], *, version: str) -> str:
    """Write a report as a SARIF log with one run. Source: SARIF 2.1.0, OASIS.

    Args:
        rules: all that were looked at.
        version: this program's.
    """
    known = list(rules)
    places = {rule.id: place for place, rule in enumerate(known)}
    results: list[Json] = [_result(finding, checked.source, places) for finding in checked.report.findings]
    driver: dict[str, Json] = {
        "name": "duologue check",
        "version": version,
        "rules": [
            {
                "id": rule.id,
                "shortDescription": {"text": rule.meaning},
                "help": {"text": f"{rule.mend}. Source: {rule.source}"},
                "defaultConfiguration": {"level": rule.severity},
            }
            for rule in known
        ],
    }
    run: dict[str, Json] = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "artifacts": [{"location": {"uri": _uri(checked.source)}}],
        "results": results,
    }
    return _text({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]})


def as_junit(checked: Checked, rules: Iterable[Rule]) -> str:
    """Write a report as JUnit XML: a test case for each rule; warnings do not fail one, and stand in its output."""
    report = checked.report
    by_rule: dict[str, list[Finding]] = {rule.id: [] for rule in rules}
    for finding in report.findings:
        by_rule[finding.rule].append(finding)
    failed = sum(any(finding.severity == "error" for finding in findings) for findings in by_rule.values())
    counts = {"tests": str(len(by_rule)), "failures": str(failed), "errors": "0", "skipped": "0"}
    root = xml.Element("testsuites", {"name": "duologue check", **counts})
    suite = xml.SubElement(root, "testsuite", {"name": _plain(checked.source), **counts})
    for rule, findings in by_rule.items():
        case = xml.SubElement(suite, "testcase", {"classname": report.protocol, "name": rule, "time": "0"})
        errors = [finding for finding in findings if finding.severity == "error"]
        if errors:
            failure = xml.SubElement(case, "failure", {"message": _plain(_sentence(errors[0])), "type": rule})
            failure.text = _plain("\n".join(map(_sentence, errors)))
        if warnings := [finding for finding in findings if finding.severity == "warning"]:
            xml.SubElement(case, "system-out").text = _plain("\n".join(map(_sentence, warnings)))
    xml.indent(root)
    return xml.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def _result(finding: Finding, source: str, places: dict[str, int]) -> Json:
    where: dict[str, Json] = {
        "artifactLocation": {"uri": _uri(source), "index": 0},
        "region": {"startLine": max(1, finding.line)},
    }
    logical: dict[str, Json] = {"fullyQualifiedName": f"frame {finding.frame}{finding.pointer}", "kind": "value"}
    return {
        "ruleId": finding.rule,
        "ruleIndex": places[finding.rule],
        "level": finding.severity,
        "message": {"text": f"{finding.message}. To mend: {finding.mend}."},
        "locations": [{"physicalLocation": where, "logicalLocations": [logical]}],
    }


def _sentence(finding: Finding) -> str:
    where = f"line {finding.line}, frame {finding.frame}{' ' + finding.pointer if finding.pointer else ''}"
    return f"{where}: {finding.message}; {finding.mend}"


def _uri(source: str) -> str:
    """Write a path as a reference: what is no letter of one is escaped."""
    return "stdin" if source == "-" else quote(source, safe="/:?&=%@#~!$'()*+,;")


def _plain(text: str) -> str:
    """Put a mark where XML 1.0 cannot hold what is there."""
    return _NO_XML.sub("\ufffd", text)


def _text(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
