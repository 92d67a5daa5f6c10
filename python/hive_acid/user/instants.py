"""Instants as values of Spark's rows."""

from __future__ import annotations

from datetime import datetime, timezone


def build_instant(time_ms: int | None) -> datetime | None:
    """The instant, in milliseconds since 1970, with a zone: one without is taken for a reading of the local clock."""
    return None if time_ms is None else datetime.fromtimestamp(time_ms / 1000, timezone.utc)
