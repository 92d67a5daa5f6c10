"""The lines of Spark that have a jar of ours, and what a session of one needs beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar, cast

import pyspark
from pyspark import inheritable_thread_target
from pyspark.sql import SparkSession

from hive_acid import __version__
from hive_acid.errors import build_error

T = TypeVar("T")

LINES: Final = ("3.5", "4.0", "4.1", "4.2", "4.3")
"""Oldest first."""

SHUFFLE_CHECK: Final = "spark.sql.shuffle.orderIndependentChecksum.enableFullRetryOnMismatch"
"""Without it no write is begun (`WriteJob`)."""


def find_line() -> str:
    """The line of the running PySpark. Raises HIVE_ACID_CONFIGURATION if it has no jar of ours."""
    line = line_of(pyspark.__version__)
    if line not in LINES:
        found = {"version": pyspark.__version__, "packageVersion": __version__}
        raise build_error(
            "HIVE_ACID_CONFIGURATION.UNKNOWN_SPARK_LINE", **found, lines=", ".join(LINES), newest=f"{LINES[-1]}.*"
        )
    return line


def line_of(version: str) -> str:
    """The first two numbers of a version of Spark."""
    return ".".join(version.split(".")[:2])


def line_settings(line: str, configured: Mapping[str, str]) -> dict[str, str]:
    """The settings that writes need and a line does not have by default; what is configured already stays as it is."""
    if line != "4.1" or SHUFFLE_CHECK in configured:  # true by default since 4.2
        return {}
    return {SHUFFLE_CHECK: "true"}


def is_before(line: str) -> bool:
    """True if the running PySpark is of an older line."""
    return LINES.index(find_line()) < LINES.index(line)


def session_class(jvm: Any) -> Any:
    """The class of the JVM's sessions, which has had a package of its own since 4.0."""
    package = "sql" if is_before("4.0") else "sql.classic"
    return getattr(jvm, f"org.apache.spark.{package}.SparkSession")


def inheriting(session: SparkSession, function: Callable[[], T]) -> Callable[[], T]:
    """Wraps a function for another thread, so that its jobs have the current properties of this thread's jobs."""
    if is_before("4.0"):
        wrapped: Callable[[], T] = inheritable_thread_target(function)
        return wrapped
    decorate: Any = inheritable_thread_target(session)
    return cast("Callable[[], T]", decorate(function))
