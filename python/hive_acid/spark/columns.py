"""Conditions and values of the Python API, which are texts or Columns, for the JVM; and values of partitions."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from pyspark.errors import PySparkTypeError
from pyspark.sql import Column
from pyspark.sql.functions import expr

PartitionValue = str | bool | int | date | None


def build_condition(condition: str | Column | None) -> Any:
    """The JVM's column, or None for all rows. Raises what `build_column` raises."""
    return None if condition is None else build_column("condition", condition)


def build_column(name: str, value: str | Column) -> Any:
    """The JVM's column of a text or Column. Raises PySparkTypeError, naming the argument, for anything else."""
    if isinstance(value, str):
        value = expr(value)
    if not isinstance(value, Column):
        raise build_type_error(name, "a Column or a str", value)
    return value._jc


def build_partition_text(value: PartitionValue) -> str | None:
    """The value of a partition column as a text that Spark casts to the column's type; None for NULL.

    Raises PySparkTypeError for other types, whose values no partition column has.
    """
    if isinstance(value, bool):
        return str(value).lower()
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int) or (isinstance(value, date) and not isinstance(value, datetime)):
        return str(value)
    raise build_type_error("partition", "a str, bool, int, date or None", value)


def build_type_error(name: str, expected: str, value: object) -> PySparkTypeError:
    """The error for an argument of another type. PySpark has this condition, and with it its text, since 4.2 only."""
    parameters = {"arg_name": name, "expected_type": expected, "arg_type": type(value).__name__}
    text = f"Argument `{name}` should be {expected}, got {parameters['arg_type']}."
    return PySparkTypeError(text, errorClass="NOT_EXPECTED_TYPE", messageParameters=parameters)
