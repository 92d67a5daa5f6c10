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
    """Two tables with a row for each step, of seconds and of processor seconds.

    The first also names the sides to which ours is lost: they take less of both.
    """
    others = [name for name in dict.fromkeys(name for row in medians for name in row["sides"]) if name != OURS]
    seconds = [[*_figures(row, others, "wall_s"), ", ".join(_find_winners(row, others))] for row in medians]
    processors = [_figures(row, others, "cpu_s") for row in medians]
    head = ["Work", OURS, *others]
    return "\n\n".join(
        [
            "Seconds by the clock:",
            _format([*head, "lost to"], seconds),
            "Processor seconds:",
            _format(head, processors),
        ]
    )


def _figures(row: Mapping[str, Any], others: Sequence[str], measure: str) -> list[str]:
    sides = row["sides"]
    return [row["step"], *(f"{sides[name][measure]:.2f}" if name in sides else "" for name in (OURS, *others))]


def _find_winners(row: Mapping[str, Any], others: Sequence[str]) -> list[str]:
    ours = row["sides"][OURS]
    found = {name: row["sides"][name] for name in others if name in row["sides"]}
    return [name for name, side in found.items() if all(ours[each] > side[each] for each in ("wall_s", "cpu_s"))]


def _format(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---", *("---:" for _ in head[1:])], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def publish(result: Mapping[str, Any], mark: str, title: str, *, is_kept: bool) -> str:
    """The table in Markdown, written into the page too, at the mark, if it is to be kept."""
    size = f"{result['rows']:,} rows of 12 columns, {describe_rounds(result['rounds'])}"
    text = f"{size}{title}; {describe_machine(result)}\n\n{format_table(result['medians'])}"
    if is_kept:
        put(mark, text)
    return text
