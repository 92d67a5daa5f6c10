"""What a run of the tests has run, and what not and why: from pytest's JUnit XML, as a table on standard output.

The arguments are a folder, which holds what runs of one commit have left, and the number of parts of the run. Each
part leaves `slow-I-of-N.xml`, and `interop-I-of-N.xml` for its tests with real Hive engines; the gate `gate.xml`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.etree import ElementTree


def find_outcome(case: ElementTree.Element) -> str:
    """`passed`, `failed` or `skipped`."""
    if case.find("skipped") is not None:
        return "skipped"
    broken = case.find("failure") is not None or case.find("error") is not None
    return "failed" if broken else "passed"


def build_report(junit_xmls: Iterable[str], missing_runs: Sequence[str] = ()) -> str:
    """Numbers of tests per folder, and what was not run: tests that were skipped, and whole runs of pytest.

    Raises:
        ValueError: two of the XML texts tell of one test, so that they are not parts of one run.
    """
    counts: dict[str, Counter[str]] = {}
    reasons: Counter[str] = Counter()
    for case in find_cases(junit_xmls):
        folder = "/".join(case.get("classname", "").split(".")[:-1])
        counts.setdefault(folder, Counter())[find_outcome(case)] += 1
        skipped = case.find("skipped")
        if skipped is not None:
            reasons[f"{folder}: {skipped.get('message', '')}"] += 1
    lines = [f"{'tests in':45}{'passed':>8}{'failed':>8}{'skipped':>8}"]
    for folder, count in [*sorted(counts.items()), ("all", sum(counts.values(), Counter()))]:
        lines.append(f"{folder:45}{count['passed']:8}{count['failed']:8}{count['skipped']:8}")
    not_run = [f"  {number} in {reason}" for reason, number in sorted(reasons.items())]
    not_run += [f"  all of {run}" for run in missing_runs]
    return "\n".join([*lines, "not run:", *(not_run or ["  nothing was left out"])])


def find_cases(junit_xmls: Iterable[str]) -> list[ElementTree.Element]:
    """The tests of all runs; raises ValueError for a test that two runs tell of."""
    cases: list[ElementTree.Element] = []
    runs_of_test: dict[tuple[str | None, str | None], int] = {}
    for run, text in enumerate(junit_xmls):
        for case in ElementTree.fromstring(text).iter("testcase"):
            test = case.get("classname"), case.get("name")
            if runs_of_test.setdefault(test, run) != run:
                raise ValueError(f"two runs tell of {test[0]}::{test[1]}: they are not parts of one run")
            cases.append(case)
    return cases


def name_runs(part_count: int) -> tuple[str, ...]:
    """The runs of pytest that a run of everything is made of."""
    parts = range(1, part_count + 1)
    return ("gate", *(f"{marks}-{number}-of-{part_count}" for marks in ("slow", "interop") for number in parts))


def main(folder: Path, part_count: int) -> str:
    """The report of what was run."""
    files = {run: folder / f"{run}.xml" for run in name_runs(part_count)}
    return build_report(
        (file.read_text("utf-8") for file in files.values() if file.exists()),
        [run for run, file in files.items() if not file.exists()],
    )


if __name__ == "__main__":
    sys.stdout.write(main(Path(sys.argv[1]), int(sys.argv[2])) + "\n")
