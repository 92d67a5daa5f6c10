"""The clocks of this machine, and how old something is."""

from hive_acid.clock import format_age, is_old, monotonic_ms, pause_ms, wall_clock_ms

__all__ = [
    "format_age",
    "is_old",
    "monotonic_ms",
    "pause_ms",
    "wall_clock_ms",
]
