"""Draws charts from the tables of their own page, so that the two cannot differ.

A line `<!-- chart NAME: SIDE, SIDE -->` becomes a chart of the first table after `<!-- NAME -->`.
Each column named has a mark in each row that has a number for all of them. Places are logarithmic.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import log
from typing import Any

SHAPES = {
    "ours": "M-5.5 0 a5.5 5.5 0 1 0 11 0 a5.5 5.5 0 1 0 -11 0 z",
    "flat ORC": "M-5 -5 h10 v10 h-10 z",
    "delta": "M0 -6 l6 11 h-12 z",
    "iceberg": "M0 -6.5 l6.5 6.5 l-6.5 6.5 l-6.5 -6.5 z",
}
"""The columns that can be drawn, each with the outline of its mark."""

_CHART = re.compile(r"^<!-- chart (\w+): (.+) -->$", re.MULTILINE)
_LEFT, _RIGHT, _WIDTH, _ROW, _TOP = 212, 20, 500, 21, 54


@dataclass(frozen=True)
class Row:
    """One measured work: its group, its name within the group, and the seconds of each side."""

    group: str
    name: str
    seconds: Mapping[str, float]


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Puts each chart in place of its line. MkDocs calls this for every page."""
    return _CHART.sub(lambda found: draw(read_rows(markdown, found[1], found[2].split(", "))), markdown)


def read_rows(markdown: str, name: str, sides: Sequence[str]) -> list[Row]:
    """The rows of a named table in which each side has a number. Raises ValueError if there is no such table."""
    named = re.search(rf"<!-- {name} -->\n.*?^(\|.*?)\n\n.*?<!-- /{name} -->", markdown, re.DOTALL | re.MULTILINE)
    if not named:
        raise ValueError(f"the page has no table {name}")
    head, _, *lines = ([cell.strip() for cell in line[1:-1].split("|")] for line in named[1].split("\n"))
    works = [dict(zip(head, line, strict=True)) for line in lines]
    return [
        Row(*place_work(work["Work"]), {side: float(work[side]) for side in sides})
        for work in works
        if all(work[side] for side in sides)
    ]


def place_work(work: str) -> tuple[str, str]:
    """The group of a work, and its name within the group."""
    single = re.fullmatch(r"(\w+) of (one row of [\d,]+)", work)
    if single:
        return f"Statements about {single[2]}", single[1]
    if work.startswith("scan"):
        group, _, name = work.partition(": ")
        return group.capitalize(), name
    verb, _, name = work.partition(" ")
    return (verb, name.removeprefix("of ")) if name else ("Whole table", work)


def draw(rows: Sequence[Row]) -> str:
    """The chart as a block of HTML."""
    groups = {row.group: [each for each in rows if each.group == row.group] for row in rows}
    height = _TOP + _ROW * (len(rows) + len(groups)) + 8
    sides = list(rows[0].seconds)
    axis = _Axis.around([seconds for row in rows for seconds in row.seconds.values()])
    parts = [*_draw_legend(sides), *_draw_axis(axis, height)]
    top = _TOP
    for group, members in groups.items():
        parts.append(f'<text class="group" x="4" y="{top + 15}">{escape(group)}</text>')
        for row in members:
            top += _ROW
            parts += _draw_row(row, axis, top + _ROW // 2)
        top += _ROW
    title = f"Seconds of {', '.join(sides)}"
    svg = f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(title)}">{"".join(parts)}</svg>'
    return f'<div class="chart">{svg}</div>'


@dataclass(frozen=True)
class _Axis:
    """A logarithmic axis of seconds."""

    least: float
    greatest: float

    @classmethod
    def around(cls, seconds: Sequence[float]) -> _Axis:
        return cls(min(seconds) / 1.15, max(seconds) * 1.15)

    def place(self, seconds: float) -> float:
        share = log(seconds / self.least) / log(self.greatest / self.least)
        return round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 1)

    def ticks(self) -> list[float]:
        steps = (step * power for power in (0.01, 0.1, 1, 10, 100) for step in (1, 2, 5))
        return [step for step in steps if self.least < step < self.greatest]


def _draw_legend(sides: Sequence[str]) -> list[str]:
    return [
        f'{_mark(side, 10 + 110 * number, 12)}<text x="{22 + 110 * number}" y="17">{escape(side)}</text>'
        for number, side in enumerate(sides)
    ]


def _draw_axis(axis: _Axis, height: int) -> list[str]:
    unit = f'<text class="name" x="{_LEFT - 12}" y="{_TOP - 10}">seconds</text>'
    ticks = [
        f'<path class="tick" d="M{axis.place(tick)} {_TOP - 4} V{height}"/>'
        f'<text class="tick" x="{axis.place(tick)}" y="{_TOP - 10}">{tick:g}</text>'
        for tick in axis.ticks()
    ]
    return [unit, *ticks]


def _draw_row(row: Row, axis: _Axis, middle: int) -> list[str]:
    places = {side: axis.place(seconds) for side, seconds in row.seconds.items()}
    hint = "; ".join(f"{side} {seconds:.2f} s" for side, seconds in row.seconds.items())
    return [
        f"<g><title>{escape(f'{row.group}, {row.name}: {hint}')}</title>",
        f'<text class="name" x="{_LEFT - 12}" y="{middle + 5}">{escape(row.name)}</text>',
        f'<path class="span" d="M{min(places.values())} {middle} H{max(places.values())}"/>',
        *(_mark(side, place, middle) for side, place in reversed(places.items())),
        "</g>",
    ]


def _mark(side: str, across: float, down: int) -> str:
    name = side.replace(" ", "-").lower()
    return f'<path class="{name}" transform="translate({across} {down})" d="{SHAPES[side]}"/>'
