"""The report of a run names what was left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.report import build_report, main

XML = """<testsuites><testsuite>
<testcase classname="python.tests.unit.sql.test_rewrite" name="a"/>
<testcase classname="python.tests.unit.sql.test_rewrite" name="b"><failure message="x"/></testcase>
<testcase classname="python.tests.interop.test_hive" name="c"><skipped message="no Hive here"/></testcase>
<testcase classname="python.tests.interop.test_hive" name="d"><error message="x"/></testcase>
</testsuite></testsuites>"""
OTHER_XML = '<testsuite><testcase classname="python.tests.unit.sql.test_rewrite" name="c"/></testsuite>'


def test_what_ran_and_what_did_not_is_told_by_folder() -> None:
    lines = [line.split() for line in build_report([XML]).splitlines()]
    assert ["python/tests/unit/sql", "1", "1", "0"] in lines
    assert ["python/tests/interop", "0", "1", "1"] in lines
    assert lines[-1] == ["1", "in", "python/tests/interop:", "no", "Hive", "here"]


def test_a_run_of_everything_says_so() -> None:
    assert build_report(["<testsuites/>"]).endswith("nothing was left out")


def test_several_runs_are_told_as_one() -> None:
    lines = [line.split() for line in build_report([XML, OTHER_XML]).splitlines()]
    assert ["python/tests/unit/sql", "2", "1", "0"] in lines
    assert ["all", "2", "2", "1"] in lines


def test_runs_that_ran_one_test_twice_are_not_told_as_one() -> None:
    with pytest.raises(ValueError, match=r"two runs tell of python\.tests\.unit\.sql\.test_rewrite::a"):
        build_report([XML, XML])


def test_a_part_that_was_not_run_is_told(tmp_path: Path) -> None:
    (tmp_path / "slow-1-of-2.xml").write_text(XML, "utf-8")
    (tmp_path / "interop-2-of-2.xml").write_text(OTHER_XML, "utf-8")
    (tmp_path / "slow-1-of-1.xml").write_text(XML, "utf-8")
    assert main(tmp_path, 2).splitlines()[-3:] == ["  all of gate", "  all of slow-2-of-2", "  all of interop-1-of-2"]
