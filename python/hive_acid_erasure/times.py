"""Times as people read them."""

from __future__ import annotations

import datetime


def show_time(at: str) -> str:
    """A time of ISO 8601 as a date and a time of day in UTC; another text as it is."""
    try:
        found = datetime.datetime.fromisoformat(at)
    except ValueError:
        return at
    return f"{found.astimezone(datetime.timezone.utc):%Y-%m-%d %H:%M:%S} UTC"


def show_ms(ms: int) -> str:
    """Milliseconds since 1970 likewise; a number that is no such time as it is."""
    try:
        return show_time(datetime.datetime.fromtimestamp(ms / 1000, datetime.timezone.utc).isoformat())
    except (ValueError, OverflowError, OSError):
        return str(ms)
