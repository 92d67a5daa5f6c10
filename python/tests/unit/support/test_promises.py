"""Which promises a change touches, and that the list of promises has all tests and all code."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.promises import Promise, find_promise, find_touched, is_test_file, load_promises

ROOT = Path(__file__).resolve().parents[4]
PROMISES = load_promises()


def tracked(*patterns: str) -> list[str]:
    done = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


def promise(says: str, tests: str, *rests_on: str) -> Promise:
    return Promise(says, "", "", (tests,), rests_on)


TWO = (
    promise("first", "unit/**", "python/a/**", "both.txt"),
    promise("second", "integration/*", "python/b/*.py", "both.txt"),
)


@pytest.mark.parametrize(
    ("changed", "touched"),
    [
        (["python/a/x/y.py"], ["first"]),
        (["python/b/y.py"], ["second"]),
        (["both.txt"], ["first", "second"]),
        (["python/b/x/y.py"], ["first", "second"]),  # nobody's
        (["python/tests/support/data.txt"], ["first", "second"]),
        (["python/tests/support/shared.py"], ["second"]),
        (["python/tests/integration/conftest.py"], ["second"]),
        (["python/tests/integration/test_a.py"], []),
        ([], []),
    ],
)
def test_a_change_touches_what_rests_on_it_and_everything_if_nothing_does(
    changed: list[str], touched: list[str]
) -> None:
    texts = {
        "unit/test_u.py": "import os",
        "integration/conftest.py": "from support.shared import fixture",
        "integration/test_i.py": "def test_it(fixture): ...",
        "support/shared.py": "",
    }
    assert [found.says for found in find_touched(changed, TWO, texts)] == touched


def test_the_first_promise_that_names_a_file_has_it() -> None:
    assert find_promise("python/tests/unit/x/test_a.py", TWO).says == "first"
    with pytest.raises(LookupError, match="no promise"):
        find_promise("python/tests/integration/x/test_a.py", TWO)


def test_each_promise_has_tests_of_its_own() -> None:
    files = filter(is_test_file, tracked("python/tests"))
    assert {find_promise(file, PROMISES) for file in files} == set(PROMISES)


def test_each_file_of_the_product_is_under_a_promise_beside_the_documents() -> None:
    files = tracked("python/hive_acid*", "jvm-shim/*/src/main/*", "sql-tests/inputs")
    alone = [file for file in files if len(find_touched([file], PROMISES[1:], {})) in {0, len(PROMISES) - 1}]
    assert alone == []


def test_each_pattern_of_a_promise_names_a_file() -> None:
    files = tracked()
    unused = [
        pattern
        for each in PROMISES
        for pattern in each.rests_on
        if not any(Promise("", "", "", (), (pattern,)).can_break_by(file) for file in files)
    ]
    assert unused == []


def test_a_page_of_the_documents_touches_the_documents_alone() -> None:
    assert [found.says for found in find_touched(["docs/guide/sql.md", "README.md"], PROMISES, {})] == [
        PROMISES[0].says
    ]
