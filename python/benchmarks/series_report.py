"""A series of `./dev bench` on the page of benchmarks: a table and a picture of its ratios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import tomllib
from bars import Bar, build_bars
from measures import Measure
from peers.environments import ROOT
from peers.page import PAGE, put

TARGETS = Path(__file__).resolve().parent / "targets.toml"
IMAGES = ROOT / "docs" / "images"


@cache
def load_targets() -> Mapping[str, Mapping[str, float]]:
    """By series and the end of a measure's name: the greatest ratio that is to be reached."""
    return tomllib.loads(TARGETS.read_text("utf-8"))


def find_target(series: str, name: str) -> float | None:
    """The ratio that a measure is to reach, by the longest end of its name that has one; None without one."""
    ends = load_targets().get(series, {})
    fitting = [end for end in ends if name.endswith(end)]
    return ends[max(fitting, key=len)] if fitting else None


def publish(series: str, title: str, facts: Mapping[str, Any], measures: Sequence[Measure]) -> None:
    """Writes the table of a series and its picture into the documents, at the series' mark."""
    bars = [
        Bar(measure.name, measure.ratio, find_target(series, measure.name)) for measure in measures if measure.ratio
    ]
    picture = f"bench-{series}.svg"
    if bars:
        (IMAGES / picture).write_text(build_bars(f"Seconds, ours by flat ORC's: {title}", bars), "utf-8")
    image = [f"![Ratios of the series {series}]({IMAGES.relative_to(PAGE.parent)}/{picture})"] if bars else []
    put(series, "\n\n".join([_describe(facts), format_table(series, measures), *image]))


def _describe(facts: Mapping[str, Any]) -> str:
    loads = (facts["load_average_before"][0], facts["load_average_after"][0])
    return (
        f"{facts['rows']:,} rows of 12 columns, medians of {facts['rounds_kept']} rounds; {facts['cores']} cores, "
        f"a heap of {facts['heap']}, {facts['system']}; spark-hive-acid {facts['version']} on Spark {facts['spark']}. "
        f"Load average {loads[0]:.1f} before and {loads[1]:.1f} after."
    )


def format_table(series: str, measures: Sequence[Measure]) -> str:
    """A row for each measure; a ratio above its target says `missed`."""
    lines = ["| Work | ours | flat ORC | ratio | CPU | to reach |", "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for measure in measures:
        target = find_target(series, measure.name)
        missed = ", missed" if target and measure.ratio and measure.ratio > target else ""
        cells = (
            measure.name + (f" ({measure.note})" if measure.note else ""),
            f"{measure.seconds:.3f} s",
            "" if measure.baseline_seconds is None else f"{measure.baseline_seconds:.3f} s",
            *("" if ratio is None else f"{ratio:.2f}" for ratio in (measure.ratio, measure.cpu_ratio)),
            (f"{target:.2f}" if target else "") + missed,
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
