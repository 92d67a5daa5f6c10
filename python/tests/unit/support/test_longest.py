"""What a run tells of the things that took longest."""

from __future__ import annotations

from pathlib import Path

from support.longest import find_longest


def test_tests_of_a_unit_are_summed_and_stand_among_the_checks(tmp_path: Path) -> None:
    results = tmp_path / "tests.xml"
    results.write_text(
        """<testsuites><testsuite>
        <testcase classname="python.tests.contract.test_a" name="one[x]" time="7.4"/>
        <testcase classname="python.tests.contract.test_b.TestC" name="two" time="8.4"/>
        <testcase classname="python.tests.unit.test_d" name="three" time="3.0"/>
        </testsuite></testsuites>""",
        "utf-8",
    )
    (tmp_path / "check-scala.seconds").write_text("12\n", "utf-8")
    assert find_longest([str(results), "scala", "stopped", str(tmp_path / "absent.xml")], tmp_path) == [
        ("python/tests/contract", 16),
        ("check: scala", 12),
        ("python/tests/unit/test_d.py", 3),
    ]


def test_ten_are_told(tmp_path: Path) -> None:
    checks = [str(number) for number in range(12)]
    for check in checks:
        (tmp_path / f"check-{check}.seconds").write_text(check, "utf-8")
    assert [seconds for _, seconds in find_longest(checks, tmp_path)] == list(range(11, 1, -1))
