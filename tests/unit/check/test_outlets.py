"""Reports for other programs hold what their formats ask for."""

import json
from typing import Any
from xml.etree import ElementTree as xml

from duologue.check import outlets
from duologue.check.findings import PROTOCOLS, Protocol
from duologue.check.outlets import Checked
from duologue.check.recording import RULES, check, known_rules
from duologue.model import limits
from duologue.server.schemas import for_checks

CASES: list[tuple[Protocol, Checked]] = [
    (protocol, Checked(source="a b/x.jsonl", report=check("\n".join(rule.failing).encode(), protocol, for_checks)))
    for protocol in PROTOCOLS
    for rule in RULES[protocol]
]


def test_sarif_has_what_its_schema_requires() -> None:
    """SARIF 2.1.0: 3.13, 3.14, 3.18, 3.19, 3.27, 3.28 to 3.30, 3.33, 3.49."""
    for protocol, checked in CASES:
        log: Any = json.loads(outlets.as_sarif(checked, known_rules(protocol).values(), version="1.2.3"))
        assert log["version"] == "2.1.0"
        assert log["$schema"].endswith("sarif-schema-2.1.0.json")
        (run,) = log["runs"]
        driver = run["tool"]["driver"]
        assert driver["name"]
        ids = [rule["id"] for rule in driver["rules"]]
        assert len(ids) == len(set(ids))
        assert all(rule["shortDescription"]["text"] and rule["help"]["text"] for rule in driver["rules"])
        assert len(run["results"]) == len(checked.report.findings) > 0
        for result in run["results"]:
            assert ids[result["ruleIndex"]] == result["ruleId"]
            assert result["level"] in ("error", "warning")
            assert result["message"]["text"]
            (where,) = result["locations"]
            assert where["physicalLocation"]["region"]["startLine"] >= 1
            assert where["physicalLocation"]["artifactLocation"] == {"uri": "a%20b/x.jsonl", "index": 0}


def test_junit_is_xml_that_counts_right() -> None:
    for protocol, checked in CASES:
        root = xml.fromstring(outlets.as_junit(checked, known_rules(protocol).values()))
        (suite,) = root
        cases = suite.findall("testcase")
        assert {case.get("name") for case in cases} == set(known_rules(protocol))
        failed = [case for case in cases if case.find("failure") is not None]
        assert root.get("failures") == suite.get("failures") == str(len(failed))
        assert bool(failed) == bool(checked.report.errors)
        assert suite.get("tests") == str(len(cases))


def test_junit_leaves_out_what_xml_cannot_hold() -> None:
    checked = Checked(source="x", report=check(b'{"type":"\\u0000\\ufffe"}', "agui", for_checks))
    assert xml.fromstring(outlets.as_junit(checked, known_rules("agui").values())) is not None


def test_json_says_all_of_it() -> None:
    for _, checked in CASES:
        told: Any = json.loads(outlets.as_json(checked))
        assert told["errors"] + told["warnings"] == len(told["findings"]) == len(checked.report.findings)
        assert all(finding["mend"] for finding in told["findings"])


def test_findings_are_bounded_and_the_rest_is_counted() -> None:
    broken = b"no\n" * (limits.CHECK_FINDINGS + 7)
    report = check(broken, "chat", for_checks)
    assert (len(report.findings), report.dropped) == (limits.CHECK_FINDINGS, 7)
