"""The gate leaves out what marks beside the tests say, and they name cells that are there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from support.spark_lines import NEWEST_ALONE

TESTS = Path(__file__).resolve().parents[2]
EXAMPLE = """
import pytest

pytestmark = pytest.mark.beyond_the_gate("elsewhere")

def test_as_its_file(): ...

@pytest.mark.in_the_gate
def test_kept(): ...

@pytest.mark.beyond_the_gate("another", but=["one", "th*"])
@pytest.mark.parametrize("cell", ["one", "two", "three"])
def test_but(cell): ...

@pytest.mark.beyond_the_gate("another", cells=["one", "four"])
@pytest.mark.parametrize("cell", ["one", "two"])
def test_cells(cell): ...
"""


CONFTEST = """
from support.gate import find_unknown_patterns, is_left_out

def pytest_collection_modifyitems(items):
    print("left out:", sorted(item.name for item in items if is_left_out(item)))
    print("unknown:", find_unknown_patterns(items))
"""


def collect(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *arguments]
    environment = os.environ | {"PYTHONPATH": str(TESTS)}
    return subprocess.run(command, cwd=TESTS, env=environment, capture_output=True, text=True, timeout=300, check=False)


def test_a_test_is_left_out_by_its_file_its_mark_or_its_cell(tmp_path: Path) -> None:
    for name, text in (("pytest.ini", "[pytest]\n"), ("conftest.py", CONFTEST), ("test_example.py", EXAMPLE)):
        (tmp_path / name).write_text(text, "utf-8")
    told = collect("-c", str(tmp_path / "pytest.ini"), str(tmp_path)).stdout.splitlines()
    assert "left out: ['test_as_its_file', 'test_but[two]', 'test_cells[one]']" in told
    assert "unknown: [('test_example.py::test_cells', 'four')]" in told


@NEWEST_ALONE
def test_a_cell_in_a_mark_is_one_that_its_test_has() -> None:
    files = [path for path in TESTS.rglob("test_*.py") if "beyond_the_gate(" in path.read_text("utf-8")]
    done = collect("--check-marks", *map(str, files))
    assert done.returncode == 0, done.stdout + done.stderr
