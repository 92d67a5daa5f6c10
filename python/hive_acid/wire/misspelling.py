"""A partition whose name is not Hive's."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Misspelling:
    """The partition's name, and the one that Hive gives its values."""

    name: str
    wanted: str
