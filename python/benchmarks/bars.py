"""Bars of ratios as SVG: one for each measure, with a line at 1 and a mark at what is to be reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_ROW = 22
_LEFT = 300
_WIDTH = 420
_TOP = 40
_GREATEST = 3.0
"""The ratio at the right end; longer bars are cut, their numbers are not."""


@dataclass(frozen=True)
class Bar:
    """A ratio; `target` is the greatest that is wanted, None if none is."""

    name: str
    ratio: float
    target: float | None


def build_bars(title: str, bars: Sequence[Bar]) -> str:
    """The picture, its numbers at the right. Bars are red above their target, or above 1 without one, and blue else."""
    greatest = min(_GREATEST, max([1.2, *(bar.ratio for bar in bars), *(bar.target or 0.0 for bar in bars)]))
    height = _TOP + _ROW * len(bars) + 10

    def place(ratio: float) -> float:
        return _LEFT + _WIDTH * min(ratio, greatest) / greatest

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH + 60} {height}" '
        f'font-family="sans-serif" font-size="12" role="img">',
        f'<rect width="100%" height="100%" fill="white"/><text x="10" y="20" font-weight="bold">{escape(title)}</text>',
    ]
    for number, bar in enumerate(bars):
        top = _TOP + _ROW * number
        fill = "#c0392b" if bar.ratio > (bar.target or 1.0) else "#2980b9"
        parts.append(
            f'<text x="{_LEFT - 8}" y="{top + 13}" text-anchor="end">{escape(bar.name)}</text>'
            f'<rect x="{_LEFT}" y="{top + 2}" width="{place(bar.ratio) - _LEFT:.1f}" height="14" fill="{fill}"/>'
            f'<text x="{_LEFT + _WIDTH + 8}" y="{top + 13}">{bar.ratio:.2f}</text>'
        )
        if bar.target:
            at = place(bar.target)
            parts.append(f'<path d="M{at:.1f} {top} v18" stroke="black" stroke-width="2"/>')
    parts.append(f'<path d="M{place(1.0):.1f} {_TOP - 6} V{height - 6}" stroke="gray" stroke-dasharray="4 3"/></svg>')
    return "\n".join(parts) + "\n"
