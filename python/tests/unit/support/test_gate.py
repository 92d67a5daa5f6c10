"""The gate leaves out what its list says, and the list names tests that are there."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from support.gate import TESTS, LeftOut, load_left_out
from support.spark_lines import NEWEST_ALONE

ENTRY = LeftOut(
    "a promise",
    "where",
    ("integration/test_a.py", "integration/test_b.py::test_one", "integration/test_c.py::test_x[1]"),
    ("integration/test_a.py::test_kept", "integration/test_b.py::test_one[cell]"),
)


@pytest.mark.parametrize(
    ("test", "is_left_out"),
    [
        ("integration/test_a.py::test_any", True),
        ("integration/test_a.py::TestAll::test_any[1]", True),
        ("integration/test_a.py::test_kept", False),
        ("integration/test_a.py::test_kept[every cell]", False),
        ("integration/test_a.py::test_kept_not", True),
        ("integration/test_b.py::test_one", True),
        ("integration/test_b.py::test_one[cell]", False),
        ("integration/test_b.py::test_one[cell-2]", True),
        ("integration/test_b.py::test_one_more", False),
        ("integration/test_c.py::test_x[1]", True),
        ("integration/test_c.py::test_x[2]", False),
        ("integration/test_abc.py::test_any", False),
    ],
)
def test_a_test_is_left_out_by_its_file_its_name_or_its_cell(test: str, is_left_out: bool) -> None:
    assert ENTRY.holds(f"python/tests/{test}") is is_left_out


@pytest.mark.parametrize("entry", load_left_out(), ids=lambda entry: entry.promise)
def test_a_name_in_the_list_is_that_of_a_test(entry: LeftOut) -> None:
    for test in (*entry.tests, *entry.kept):
        file, _, name = test.partition("::")
        tree = ast.parse((TESTS / file).read_text("utf-8"))
        functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert not name or name.partition("[")[0] in functions, test


@pytest.mark.parametrize("entry", load_left_out(), ids=lambda entry: entry.promise)
def test_a_test_that_is_kept_is_one_of_a_kind_that_is_left_out(entry: LeftOut) -> None:
    everything = LeftOut(entry.promise, entry.gate, entry.tests)
    assert [test for test in entry.kept if not everything.holds(test)] == []


@NEWEST_ALONE
def test_a_cell_in_the_list_is_one_that_its_test_has() -> None:
    cells = [test for entry in load_left_out() for test in (*entry.tests, *entry.kept) if "[" in test]
    files = sorted({test.split("::", 1)[0] for test in cells})
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *files]
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, check=True, timeout=300)
    found = {line.removeprefix("python/tests/") for line in done.stdout.splitlines() if "::" in line}
    assert [cell for cell in cells if cell not in found] == []
