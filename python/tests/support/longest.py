"""The ten things that a run spent longest on: units of tests, from pytest's JUnit XML, and the checks beside them.

The arguments are XML files and names of checks, whose seconds lie in `.build/check-NAME.seconds`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.etree import ElementTree

from support.dealing import find_unit
from support.report import find_cases

_MOST = 10


def sum_units(junit_xmls: Iterable[str]) -> Counter[str]:
    """The seconds of each unit, rounded."""
    seconds: Counter[str] = Counter()
    for case in find_cases(junit_xmls):
        seconds[find_unit(_find_id(case))] += float(case.get("time", "0"))  # type: ignore[assignment]
    return Counter({unit: round(sum_) for unit, sum_ in seconds.items()})


def _find_id(case: ElementTree.Element) -> str:
    """pytest's ID of the test; its class is left out."""
    parts = case.get("classname", "").split(".")
    file = next((number for number, part in enumerate(parts) if part.startswith("test_")), len(parts) - 1)
    return f"{'/'.join(parts[: file + 1])}.py::{case.get('name')}"


def find_longest(arguments: Sequence[str], folder: Path) -> list[tuple[str, int]]:
    """The longest first, each with its seconds. What left no results, because it was stopped, is left out.

    `folder` holds the seconds of the checks.
    """
    files = [Path(argument) for argument in arguments if argument.endswith(".xml")]
    seconds = sum_units(file.read_text("utf-8") for file in files if file.exists())
    for check in arguments:
        noted = folder / f"check-{check}.seconds"
        if noted.exists():
            seconds[f"check: {check}"] = int(noted.read_text("utf-8"))
    return seconds.most_common(_MOST)


if __name__ == "__main__":
    for name, value in find_longest(sys.argv[1:], Path(".build")):
        sys.stdout.write(f"{value:7} s  {name}\n")
