"""What a run of the tests has run, and what not and why: from pytest's JUnit XML, as a table on standard output."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree


def find_outcome(case: ElementTree.Element) -> str:
    """`passed`, `failed` or `skipped`."""
    if case.find("skipped") is not None:
        return "skipped"
    broken = case.find("failure") is not None or case.find("error") is not None
    return "failed" if broken else "passed"


def build_report(junit_xmls: Iterable[str]) -> str:
    """Numbers of tests per folder, and the reasons of those that were skipped; one text per run of pytest."""
    counts: dict[str, Counter[str]] = {}
    reasons: Counter[str] = Counter()
    for case in (case for text in junit_xmls for case in ElementTree.fromstring(text).iter("testcase")):
        folder = "/".join(case.get("classname", "").split(".")[:-1])
        outcome = find_outcome(case)
        counts.setdefault(folder, Counter())[outcome] += 1
        skipped = case.find("skipped")
        if skipped is not None:
            reasons[f"{folder}: {skipped.get('message', '')}"] += 1
    lines = [f"{'tests in':45}{'passed':>8}{'failed':>8}{'skipped':>8}"]
    for folder, count in sorted(counts.items()):
        lines.append(f"{folder:45}{count['passed']:8}{count['failed']:8}{count['skipped']:8}")
    not_run = [f"  {number} in {reason}" for reason, number in sorted(reasons.items())]
    return "\n".join([*lines, "not run:", *(not_run or ["  nothing was left out"])])


if __name__ == "__main__":
    sys.stdout.write(build_report(Path(name).read_text("utf-8") for name in sys.argv[1:]) + "\n")
