"""The text in which the metastore keeps a map of strings: `org.apache.hadoop.hive.common.StringableMap` (3.1.3, 4.1.0).

The number of entries, then key and value of each, with their lengths in UTF-16 units before them: `1:1:a2:bc`.
"""

from __future__ import annotations

from collections.abc import Mapping


def format_map(entries: Mapping[str, str]) -> str:
    """The text of a map."""
    parts = (f"{_length(text)}:{text}" for entry in entries.items() for text in entry)
    return f"{len(entries)}:{''.join(parts)}"


def parse_map(text: str) -> dict[str, str]:
    """The map of a text. Raises ValueError for what is none."""
    units = text.encode("utf-16-be")
    place = 0

    def read_number() -> int:
        nonlocal place
        end = units.index(b"\0:", place)
        number = int(units[place:end].decode("utf-16-be"))
        place = end + 2
        return number

    def read_text() -> str:
        nonlocal place
        end = 2 * read_number() + place
        if not place <= end <= len(units):
            raise ValueError(f"{text!r} is no map")
        found, place = units[place:end].decode("utf-16-be"), end
        return found

    return {read_text(): read_text() for _ in range(read_number())}


def _length(text: str) -> int:
    return len(text.encode("utf-16-be")) // 2
