"""How tests are dealt out to processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.dealing import LONG_SECONDS, SECONDS_OF_A_TEST, SHARING_FOLDERS, find_next, find_unit, guess_seconds

ROOT = Path(__file__).resolve().parents[4]


@pytest.mark.parametrize("folder", SHARING_FOLDERS)
def test_tests_that_share_servers_are_one_unit(folder: str) -> None:
    assert find_unit(f"{folder}/test_a.py::TestA::test_b[c/d::e]") == find_unit(f"{folder}/test_f.py::test_g") == folder


@pytest.mark.parametrize("folder", SHARING_FOLDERS)
def test_in_a_run_of_everything_each_of_their_files_is_a_unit(folder: str) -> None:
    assert find_unit(f"{folder}/test_a.py::test_b", is_whole_run=True) == f"{folder}/test_a.py"


@pytest.mark.parametrize(
    ("test", "unit"),
    [
        ("gallery/test_changes.py::test_a[hive-3.1.3-case]", "gallery/test_changes.py[hive-3.1.3]"),
        ("test_b.py::test_c[hive-4.1.0]", "test_b.py[hive-4.1.0]"),
        ("test_b.py::test_c[case-hive-4.1.0]", "test_b.py[hive-4.1.0]"),
        ("test_b.py::test_c", "test_b.py"),
        ("test_b.py::test_c[other-hive-sql]", "test_b.py"),
    ],
)
def test_each_release_of_hive_is_a_unit_of_a_file(test: str, unit: str) -> None:
    assert find_unit(f"python/tests/interop/{test}") == f"python/tests/interop/{unit}"


@pytest.mark.parametrize("file", SECONDS_OF_A_TEST)
def test_in_a_run_of_everything_each_test_that_shares_nothing_is_a_unit(file: str) -> None:
    unit = find_unit(f"{file}::test_a[b-c]", is_whole_run=True)
    assert unit == f"{file}::test_a[b-c]"
    assert guess_seconds(unit, 1, {}) == SECONDS_OF_A_TEST[file]
    assert find_unit(f"{file}::test_a[b-c]") == file


def test_any_other_file_is_a_unit() -> None:
    assert find_unit("python/tests/unit/test_config.py::test_a") == "python/tests/unit/test_config.py"


def test_the_last_run_tells_how_long_a_unit_takes() -> None:
    assert guess_seconds("python/tests/contract", 900, {"python/tests/contract": 3.5}) == 3.5


def test_before_any_run_a_session_of_spark_is_thought_slower_than_pure_code() -> None:
    of_spark = guess_seconds("python/tests/integration/test_new.py", 20, {})
    assert of_spark > guess_seconds("python/tests/unit/test_new.py", 200, {})


@pytest.mark.parametrize("unit", [*LONG_SECONDS, *SECONDS_OF_A_TEST, *SHARING_FOLDERS])
def test_the_units_named_exist(unit: str) -> None:
    assert (ROOT / unit.split("[", 1)[0]).exists()


def test_a_process_begins_the_longest_unit_that_is_left() -> None:
    assert find_next({"a.py": 1.0, "b.py[hive-4.1.0]": 3.0, "c.py": 2.0}, "") == "b.py[hive-4.1.0]"


def test_a_process_that_runs_an_engine_of_hive_goes_on_with_its_release() -> None:
    seconds = {"a.py[hive-3.1.3]": 9.0, "b.py[hive-4.1.0]": 3.0, "c.py[hive-4.1.0]": 4.0, "d.py": 5.0}
    assert find_next(seconds, "x.py[hive-4.1.0]") == "c.py[hive-4.1.0]"
    assert find_next({"a.py[hive-3.1.3]": 1.0, "d.py": 5.0}, "x.py[hive-4.1.0]") == "d.py"
