"""Settings that a session has for a while."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pyspark.sql import SparkSession


@contextmanager
def set_for(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """The settings within the block, and those of before after it: set again, or unset if the session had none."""
    session: Any = spark
    own = session._jsparkSession.sessionState().conf().settings()
    before = {key: own.get(key) for key in settings}
    for key, value in settings.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, kept in before.items():
            spark.conf.unset(key) if kept is None else spark.conf.set(key, str(kept))
