"""Reports as JUnit XML, for build servers."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from hive_acid_sqltest.runner import Report, Verdict

_UNPRINTABLE = {code: "\N{REPLACEMENT CHARACTER}" for code in range(32) if code not in (9, 10, 13)}


def format_junit(reports: Sequence[Report], seed: int) -> str:
    """One test suite with a test case for each report; a difference is a failure, what could not be run an error."""
    failures = sum(report.verdict is Verdict.DIFFERS for report in reports)
    errors = sum(report.verdict is Verdict.BROKEN for report in reports)
    seconds = sum(report.seconds for report in reports)
    suite = ElementTree.Element(
        "testsuite",
        name="hive-acid sqltest",
        tests=str(len(reports)),
        failures=str(failures),
        errors=str(errors),
        skipped=str(sum(report.verdict is Verdict.SKIPPED for report in reports)),
        time=f"{seconds:.3f}",
    )
    properties = ElementTree.SubElement(suite, "properties")
    ElementTree.SubElement(properties, "property", name="seed", value=str(seed))
    for report in reports:
        case = ElementTree.SubElement(
            suite, "testcase", classname="sqltest", name=report.name, time=f"{report.seconds:.3f}"
        )
        if report.verdict is Verdict.SKIPPED:
            ElementTree.SubElement(case, "skipped", message=report.text)
        if not report.is_good:
            tag = "failure" if report.verdict is Verdict.DIFFERS else "error"
            ElementTree.SubElement(case, tag, message=report.verdict.value).text = report.text.translate(_UNPRINTABLE)
    ElementTree.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suite, encoding="unicode") + "\n"
