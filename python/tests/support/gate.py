"""Which tests the gate leaves to `./dev test --all`, and where it proves the same.

`beyond_the_gate.toml` says it, beside the marks `slow` in the tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from hive_acid.older_python import tomllib

TESTS: Final = Path(__file__).resolve().parents[1]
LIST: Final = TESTS / "beyond_the_gate.toml"
_PREFIX: Final = "python/tests/"


@dataclass(frozen=True)
class LeftOut:
    """Tests of one promise, each named as `folder/file.py`, `folder/file.py::test` or `folder/file.py::test[cell]`.

    `gate` says where the gate proves the promise. `kept` are those of `tests` that the gate runs all the same.
    """

    promise: str
    gate: str
    tests: tuple[str, ...]
    kept: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the tests, in order."""
        return tuple(dict.fromkeys(test.split("::", 1)[0] for test in self.tests))

    def holds(self, test_id: str) -> bool:
        """True for a test that the gate leaves out, by pytest's ID."""
        name = test_id.removeprefix(_PREFIX)
        return _is_one_of(name, self.tests) and not _is_one_of(name, self.kept)


@lru_cache(maxsize=1)
def load_left_out() -> tuple[LeftOut, ...]:
    """All of them, in the order of the file."""
    found = tomllib.loads(LIST.read_text("utf-8"))["left_out"]
    return tuple(
        LeftOut(entry["promise"], entry["gate"], tuple(entry["tests"]), tuple(entry.get("kept", ()))) for entry in found
    )


def _is_one_of(name: str, tests: Sequence[str]) -> bool:
    return not _names(name).isdisjoint(tests)


@lru_cache(maxsize=1)
def _names(test_id: str) -> frozenset[str]:
    """The cell, its test and its file: one test is looked for in entry after entry."""
    test = test_id.split("[", 1)[0]
    return frozenset((test_id, test, test.split("::", 1)[0]))
