"""Every rule finds its failing example, and nothing is found in its passing one."""

from collections import Counter

import pytest

from duologue.check.findings import PROTOCOLS, Protocol, Report, Rule
from duologue.check.recording import RULES, check
from duologue.server.schemas import for_checks

ALL = [(protocol, rule) for protocol in PROTOCOLS for rule in RULES[protocol]]
EACH = pytest.mark.parametrize(("protocol", "rule"), ALL, ids=[rule.id for _, rule in ALL])


def judged(protocol: Protocol, frames: tuple[str, ...]) -> Report:
    return check("\n".join(frames).encode(), protocol, for_checks)


@EACH
def test_a_failing_example_is_found_by_its_rule_and_no_other(protocol: Protocol, rule: Rule) -> None:
    report = judged(protocol, rule.failing)
    assert {finding.rule for finding in report.findings} == {rule.id}, report.findings
    assert {finding.severity for finding in report.findings} == {rule.severity}


@EACH
def test_a_passing_example_has_no_finding(protocol: Protocol, rule: Rule) -> None:
    assert judged(protocol, rule.passing).findings == ()


@EACH
def test_a_finding_says_where_and_what_to_do(protocol: Protocol, rule: Rule) -> None:
    for finding in judged(protocol, rule.failing).findings:
        assert 1 <= finding.line <= len(rule.failing)
        assert finding.frame == finding.line
        assert finding.found
        assert finding.expected
        assert finding.mend


def test_ids_are_told_apart_and_begin_with_their_protocol() -> None:
    assert [name for name, times in Counter(rule.id for _, rule in ALL).items() if times > 1] == []
    assert all(rule.id.startswith(f"{protocol}-") for protocol, rule in ALL)
