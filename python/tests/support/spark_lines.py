"""What tests expect of the lines of Spark that differ from the newest one."""

from __future__ import annotations

from typing import Final

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from hive_acid.spark_lines import LINES, find_line, is_before

_OLD_NAMES: Final = {"PARTITIONS_NOT_FOUND": "_LEGACY_ERROR_TEMP_1231"}
NEWEST_ALONE: Final = pytest.mark.skipif(find_line() != LINES[-1], reason="it is about the tests of the newest line")


FAILED_JOB: Final = (PySparkException, Py4JJavaError)
"""As what a job that fails by an error of Spark's reaches the user. Before 4.0 it is py4j's."""


def since(line: str, feature: str) -> pytest.MarkDecorator:
    """A test of what Spark has only from that line on."""
    return pytest.mark.skipif(is_before(line), reason=f"Spark has had {feature} since {line}")


def named_by_spark(condition: str) -> str:
    """What Spark calls this error of its own on the running line."""
    return _OLD_NAMES.get(condition, condition) if is_before("4.0") else condition


def raised_in_tasks(condition: str) -> str | None:
    """The condition of a job that failed by this error of Spark's. Before 4.0 only the text of the job's tells it."""
    return None if is_before("4.0") else condition


def spell_like_the_newest() -> None:
    """Gives exceptions of PySpark 3.5 the methods that tests ask, so that these need not care."""
    if hasattr(PySparkException, "getCondition"):
        return

    from pyspark.errors.exceptions.captured import CapturedException

    old_parameters = CapturedException.getMessageParameters

    def condition(self: PySparkException) -> str | None:
        return self.getErrorClass()

    def parameters(self: CapturedException) -> dict[str, str] | None:
        found = old_parameters(self)
        return None if found is None else dict(found)

    PySparkException.getCondition = condition
    CapturedException.getMessageParameters = parameters
