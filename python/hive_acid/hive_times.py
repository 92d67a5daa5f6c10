"""How Hive spells times."""

from __future__ import annotations

import re

_DURATION = re.compile(r"(\d+)\s*([a-z]*)")
_UNITS_NS = (
    ("ns", "nsec", 1),
    ("us", "usec", 1_000),
    ("ms", "msec", 1_000_000),
    ("s", "sec", 1_000_000_000),
    ("m", "min", 60_000_000_000),
    ("h", "hour", 3_600_000_000_000),
    ("d", "day", 86_400_000_000_000),
)
"""Hive's units of time: the short name, how longer ones begin, nanoseconds (HiveConf.unitFor)."""


def parse_duration_ms(text: str) -> int:
    """Hive's spelling of a time, e.g. `300s`, `300000ms`, `5 minutes`; a bare number is seconds. Raises ValueError."""
    match = _DURATION.fullmatch(text.strip().lower())
    unit = (match[2] or "s") if match else ""
    sizes = [size for short, long, size in _UNITS_NS if unit == short or unit.startswith(long)]
    if match is None or not sizes:
        raise ValueError(f"not a duration: {text!r}")
    return int(match[1]) * sizes[0] // 1_000_000
