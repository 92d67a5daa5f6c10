"""What the tests promise, of python/tests/promises.toml: which promise has a file of tests, and which a change touches.

A change of a file that no promise rests on, and no test uses, touches all of them.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, Final

import pytest

from hive_acid.older_python import tomllib
from support.dealing import LONG_SECONDS
from support.importers import find_users

TESTS: Final = "python/tests/"
_DATA: Final = Path(__file__).parents[1] / "promises.toml"


@dataclass(frozen=True)
class Promise:
    """One promise.

    `gate` and `whole` say in words where the gate and a run of everything prove it; each may be empty. `tests` are
    patterns of files below python/tests, `rests_on` of files of the repository.
    """

    says: str
    gate: str
    whole: str
    tests: tuple[str, ...]
    rests_on: tuple[str, ...]

    def has_file(self, test_file: str) -> bool:
        """Whether one of its patterns names the file, whose path is from the root of the repository."""
        return _is_one_of(test_file.removeprefix(TESTS), self.tests)

    def can_break_by(self, file: str) -> bool:
        """Whether a change of this file of the repository can break it."""
        return _is_one_of(file, self.rests_on)


def load_promises(data: Path = _DATA) -> tuple[Promise, ...]:
    """All promises, in the order in which they claim files of tests."""
    read = tomllib.loads(data.read_text("utf-8"))
    return tuple(_build_promise(entry, read["groups"]) for entry in read["promises"])


def _build_promise(entry: Mapping[str, Any], groups: Mapping[str, Sequence[str]]) -> Promise:
    rests_on = [pattern for name in entry["rests_on"] for pattern in groups.get(name, (name,))]
    return Promise(entry["says"], entry.get("gate", ""), entry.get("whole", ""), tuple(entry["tests"]), tuple(rests_on))


def find_promise(test_file: str, promises: Sequence[Promise]) -> Promise:
    """The first promise that names a file of tests, given from the root of the repository.

    Raises:
        LookupError: none does.
    """
    found = next((promise for promise in promises if promise.has_file(test_file)), None)
    if found is None:
        raise LookupError(f"no promise of promises.toml has {test_file}")
    return found


def sum_minutes(promises: Sequence[Promise]) -> Mapping[Promise, int]:
    """How long the tests of each take one process of a run of everything, as far as `LONG_SECONDS` knows."""
    seconds: Counter[Promise] = Counter()
    for unit, known in LONG_SECONDS.items():
        file = unit.partition("[")[0]
        if is_test_file(file):
            seconds[find_promise(file, promises)] += round(known)
    return {promise: round(seconds[promise] / 60) for promise in promises}


def find_touched(
    changed_files: Iterable[str], promises: Sequence[Promise], texts: Mapping[str, str]
) -> tuple[Promise, ...]:
    """The promises that a change of these files can break, in their order.

    `texts` has the Python files of the tests (`load_texts`). What tests share breaks the promises of its users.
    """
    touched: set[Promise] = set()
    for file in changed_files:
        if not is_test_file(file):
            broken = {promise for promise in promises if promise.can_break_by(file)}
            users = find_users(file.removeprefix(TESTS), texts) if file.startswith(TESTS) else set()
            broken |= {find_promise(user, promises) for user in map(TESTS.__add__, users) if is_test_file(user)}
            touched |= broken or set(promises)
    return tuple(promise for promise in promises if promise in touched)


def load_texts() -> dict[str, str]:
    """The Python files of the tests, by their paths below python/tests."""
    root = _DATA.parent
    return {file.relative_to(root).as_posix(): file.read_text("utf-8") for file in root.rglob("*.py")}


def is_test_file(file: str) -> bool:
    """True for a file of tests, which breaks no promise."""
    return file.startswith(TESTS) and PurePosixPath(file).match("test_*.py")


def _is_one_of(text: str, patterns: Sequence[str]) -> bool:
    return any(_compile(pattern).fullmatch(text) for pattern in patterns)


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*?)", pattern)
    wild = {"**": ".*", "*": "[^/]*"}
    return re.compile("".join(wild.get(part) or re.escape(part) for part in parts))


class TouchedChoice:
    """A plugin that leaves to a run the tests that changed, and those of the promises that a change touches."""

    def __init__(self, changed_files: Sequence[str]) -> None:
        self._changed = frozenset(changed_files)
        self._promises = load_promises()
        self._touched = find_touched(changed_files, self._promises, load_texts())

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Before parts are dealt."""
        others = [item for item in items if not self._is_chosen(item.nodeid.split("::", 1)[0])]
        items[:] = [item for item in items if self._is_chosen(item.nodeid.split("::", 1)[0])]
        config.hook.pytest_deselected(items=others)

    def _is_chosen(self, test_file: str) -> bool:
        return test_file in self._changed or find_promise(test_file, self._promises) in self._touched


def main(changed_files: Sequence[str]) -> str:
    """A line for each promise that a change of these files touches, with its minutes and its tests."""
    promises = load_promises()
    minutes = sum_minutes(promises)
    lines = [
        f"{minutes[promise]:4} min  {promise.says}: {', '.join(promise.tests)}"
        for promise in find_touched(changed_files, promises, load_texts())
    ]
    return "\n".join([*lines, "and the tests that changed"])


if __name__ == "__main__":
    sys.stdout.write(main(Path(sys.argv[1]).read_text("utf-8").splitlines()) + "\n")
