"""How long something has been so."""

from __future__ import annotations

from collections.abc import Iterable

from hive_acid.api.storage import Listing


def find_old(listing: Listing, names: Iterable[str], now_ms: int, age_ms: int) -> list[str]:
    """The names directly below the root in which no file was changed for `age_ms`.

    The age of an empty folder is not known, so it is none of them.
    """
    changed_ms: dict[str, int] = {}
    for file in listing.files:
        top = file.relative_path.partition("/")[0]
        changed_ms[top] = max(file.modified_ms, changed_ms.get(top, file.modified_ms))
    return [name for name in names if name in changed_ms and is_old(changed_ms[name], now_ms, age_ms)]


def is_old(modified_ms: int, now_ms: int, age_ms: int) -> bool:
    """True if it has been so for `age_ms`. Clocks differ: a time to come is not old."""
    return now_ms - modified_ms >= age_ms


def format_age(age_ms: int) -> str:
    """For people: whole minutes, hours or days."""
    minutes = max(0, age_ms) // 60_000
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // 1440} days"
