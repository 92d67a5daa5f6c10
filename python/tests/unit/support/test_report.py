"""The report of a run names what was left out."""

from __future__ import annotations

from support.report import build_report

XML = """<testsuites><testsuite>
<testcase classname="python.tests.unit.sql.test_rewrite" name="a"/>
<testcase classname="python.tests.unit.sql.test_rewrite" name="b"><failure message="x"/></testcase>
<testcase classname="python.tests.interop.test_hive" name="c"><skipped message="no Hive here"/></testcase>
<testcase classname="python.tests.interop.test_hive" name="d"><error message="x"/></testcase>
</testsuite></testsuites>"""


def test_what_ran_and_what_did_not_is_told_by_folder() -> None:
    lines = [line.split() for line in build_report([XML]).splitlines()]
    assert ["python/tests/unit/sql", "1", "1", "0"] in lines
    assert ["python/tests/interop", "0", "1", "1"] in lines
    assert lines[-1] == ["1", "in", "python/tests/interop:", "no", "Hive", "here"]


def test_a_run_of_everything_says_so() -> None:
    assert build_report(["<testsuites/>"]).endswith("nothing was left out")


def test_several_runs_are_told_as_one() -> None:
    lines = [line.split() for line in build_report([XML, XML]).splitlines()]
    assert ["python/tests/unit/sql", "2", "2", "0"] in lines
