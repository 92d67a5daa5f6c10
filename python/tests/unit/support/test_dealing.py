"""How tests are dealt out to processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.dealing import LONG_SECONDS, SHARING_FOLDERS, find_unit, guess_seconds

ROOT = Path(__file__).resolve().parents[4]


@pytest.mark.parametrize("folder", SHARING_FOLDERS)
def test_tests_that_share_servers_are_one_unit(folder: str) -> None:
    assert find_unit(f"{folder}/test_a.py::TestA::test_b[c/d::e]") == find_unit(f"{folder}/test_f.py::test_g") == folder


def test_any_other_file_is_a_unit() -> None:
    assert find_unit("python/tests/unit/test_config.py::test_a") == "python/tests/unit/test_config.py"


def test_the_last_run_tells_how_long_a_unit_takes() -> None:
    assert guess_seconds("python/tests/contract", 900, {"python/tests/contract": 3.5}) == 3.5


def test_before_any_run_a_session_of_spark_is_thought_slower_than_pure_code() -> None:
    of_spark = guess_seconds("python/tests/integration/test_new.py", 20, {})
    assert of_spark > guess_seconds("python/tests/unit/test_new.py", 200, {})


@pytest.mark.parametrize("unit", [*LONG_SECONDS, *SHARING_FOLDERS])
def test_the_units_named_exist(unit: str) -> None:
    assert (ROOT / unit).exists()
