"""How tests are dealt out to processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.dealing import APART, LONG_SECONDS, SHARING_FOLDERS, find_unit, guess_seconds
from support.gate import load_left_out

ROOT = Path(__file__).resolve().parents[4]


@pytest.mark.parametrize("folder", SHARING_FOLDERS)
def test_tests_that_share_servers_are_one_unit(folder: str) -> None:
    assert find_unit(f"{folder}/test_a.py::TestA::test_b[c/d::e]") == find_unit(f"{folder}/test_f.py::test_g") == folder


@pytest.mark.parametrize("file", APART)
def test_a_long_file_of_theirs_that_the_gate_leaves_out_is_a_unit(file: str) -> None:
    assert find_unit(f"{file}::test_a[b]") == file
    assert any(entry.holds(f"{file}::test_a") for entry in load_left_out())


def test_any_other_file_is_a_unit() -> None:
    assert find_unit("python/tests/unit/test_config.py::test_a") == "python/tests/unit/test_config.py"


def test_the_last_run_tells_how_long_a_unit_takes() -> None:
    assert guess_seconds("python/tests/contract", 900, {"python/tests/contract": 3.5}) == 3.5


def test_before_any_run_a_session_of_spark_is_thought_slower_than_pure_code() -> None:
    of_spark = guess_seconds("python/tests/integration/test_new.py", 20, {})
    assert of_spark > guess_seconds("python/tests/unit/test_new.py", 200, {})


@pytest.mark.parametrize("unit", [*LONG_SECONDS, *SHARING_FOLDERS, *APART])
def test_the_units_named_exist(unit: str) -> None:
    assert (ROOT / unit).exists()
