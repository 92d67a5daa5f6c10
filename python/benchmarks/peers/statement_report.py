"""The results of the benchmark of statements, and their table in the documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from peers.environments import OURS
from peers.page import describe_machine, describe_rounds, put
from peers.statement_run import Cell


def summarise(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """For each step the median seconds of each side, over rounds and repetitions."""
    steps = dict.fromkeys(cell.step for cell in cells)
    sides = dict.fromkeys(cell.side for cell in cells)
    found = []
    for step in steps:
        by_side = {side: [cell for cell in cells if (cell.step, cell.side) == (step, side)] for side in sides}
        found.append(
            {
                "step": step,
                "sides": {
                    side: {"wall_s": median(c.wall_s for c in same), "cpu_s": median(c.cpu_s for c in same)}
                    for side, same in by_side.items()
                    if same
                },
            }
        )
    return found


def format_table(medians: Sequence[Mapping[str, Any]]) -> str:
    """A row for each step: seconds of ours, and of each other with ours by them; `lost` where ours takes longer."""
    others = [name for name in dict.fromkeys(name for row in medians for name in row["sides"]) if name != OURS]
    head = ["Work", "ours", *others]
    lines = [head, ["---", *("---:" for _ in head[1:])]]
    for row in medians:
        ours = row["sides"][OURS]
        cells = [_compare(ours, row["sides"][name]) if name in row["sides"] else "" for name in others]
        lines.append([row["step"], _seconds(ours), *cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _seconds(side: Mapping[str, float]) -> str:
    return f"{side['wall_s']:.2f} s, CPU {side['cpu_s']:.2f}"


def _compare(ours: Mapping[str, float], other: Mapping[str, float]) -> str:
    wall, cpu = (ours[name] / max(other[name], 0.001) for name in ("wall_s", "cpu_s"))
    is_lost = wall > 1 and cpu > 1
    return f"{_seconds(other)}: {wall:.2f}, CPU {cpu:.2f}" + (", lost" if is_lost else "")


def publish(result: Mapping[str, Any], mark: str, title: str, *, is_kept: bool) -> str:
    """The table in Markdown, written into the page too, at the mark, if it is to be kept."""
    size = f"{result['rows']:,} rows of 12 columns, {describe_rounds(result['rounds'])}"
    text = f"{size}{title}; {describe_machine(result)}\n\n{format_table(result['medians'])}"
    if is_kept:
        put(mark, text)
    return text
