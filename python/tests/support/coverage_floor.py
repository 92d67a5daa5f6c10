"""The share of the package's lines that the fast tests run, which may only rise.

`./dev coverage` measures it. As a program this compares a report of `coverage json` with the recorded share: a lower
one is an error, and a higher one is recorded, for the next commit.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

RECORD = Path(__file__).parents[1] / "coverage.txt"


def read_share(report: Path) -> float:
    """Covered lines in per cent, cut after one digit."""
    percent = json.loads(report.read_text("utf-8"))["totals"]["percent_covered"]
    return math.floor(percent * 10) / 10


def compare(share: float, record: Path) -> str | None:
    """An error if the share is less than what is recorded; a higher one is recorded."""
    recorded = float(record.read_text("utf-8"))
    if share < recorded:
        return f"coverage has fallen from {recorded} to {share} per cent: test what is new, or what lost its tests"
    if share > recorded:
        record.write_text(f"{share}\n", "utf-8")
        print(f"coverage has risen from {recorded} to {share} per cent: commit {record.name}")
    return None


if __name__ == "__main__":
    sys.exit(compare(read_share(Path(sys.argv[1])), RECORD))
