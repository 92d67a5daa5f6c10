"""What our statements cost by what flat ORC costs in the same run, and whether that has become worse.

`./dev bench statements --against "" --rows 200000 --rounds 3 --repeats 3` makes the result; `ratios.toml` keeps ratios.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import tomllib
from peers.environments import OURS
from peers.statements import FLAT, LOAD

KEPT: Final = Path(__file__).with_name("ratios.toml")
ARGUMENTS: Final = ("--against", "", "--rows", "200000", "--rounds", "3", "--repeats", "3")
TOLERANCE: Final = 4 / 3


def find_ratios(medians: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Processor seconds of ours by those of flat files, for each kind of work.

    Scans are added up by what was done before them. What flat files cannot do is divided by the load of flat files.
    """
    ours: dict[str, float] = defaultdict(float)
    flat: dict[str, float] = defaultdict(float)
    for row in medians:
        work, sides = row["step"].partition(":")[0], row["sides"]
        ours[work] += sides[OURS]["cpu_s"]
        if FLAT in sides:
            flat[work] += sides[FLAT]["cpu_s"]
    return {work: round(seconds / flat.get(work, flat[LOAD.name]), 2) for work, seconds in ours.items()}


def load_kept() -> dict[str, float]:
    """The ratios that are kept."""
    kept: dict[str, float] = tomllib.loads(KEPT.read_text("utf-8"))["cpu"]
    return kept


def find_worse(found: Mapping[str, float], kept: Mapping[str, float]) -> dict[str, tuple[float, float]]:
    """The ratios that are more than a third above what is kept, each with that; those that are not kept count too."""
    return {
        work: (ratio, kept.get(work, 0.0)) for work, ratio in found.items() if ratio > TOLERANCE * kept.get(work, 0.0)
    }


def main(result: str) -> None:
    """Prints the ratios of a result as the file keeps them."""
    found = find_ratios(json.loads(Path(result).read_text("utf-8"))["medians"])
    print("[cpu]\n" + "\n".join(f'"{work}" = {ratio}' for work, ratio in found.items()))


if __name__ == "__main__":
    main(sys.argv[1])
