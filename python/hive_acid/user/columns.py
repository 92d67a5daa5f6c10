"""Conditions and values of the Python API, which are texts or Columns; and values of partitions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, TypeVar, cast

from pyspark.errors import PySparkException, PySparkTypeError, PySparkValueError
from pyspark.sql import Column
from pyspark.sql.functions import expr

from hive_acid.spark_lines import is_before

E = TypeVar("E", bound=PySparkException)
PartitionValue = str | bool | int | date | None


def build_condition(condition: str | Column | None) -> Column | None:
    """The Column, or None for all rows. Raises what `build_column` raises."""
    return None if condition is None else build_column("condition", condition)


def build_column(name: str, value: str | Column) -> Column:
    """The Column of a text or Column. Raises PySparkTypeError, naming the argument, for anything else."""
    if isinstance(value, str):
        value = expr(value)
    if not isinstance(value, Column):
        raise build_type_error(name, "a Column or a str", value)
    return value


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
    return _build_error(PySparkTypeError, "NOT_EXPECTED_TYPE", parameters, text)


def build_empty_error(item: str) -> PySparkValueError:
    """The error where not one of them is given."""
    return _build_error(PySparkValueError, "CANNOT_BE_EMPTY", {"item": item}, f"At least one {item} must be specified.")


def build_value_error(name: str, value: object, allowed: Sequence[str] = ()) -> PySparkValueError:
    """The error for a value that is none of those allowed or, if none are given, not positive."""
    if allowed:
        values = ", ".join(repr(known) for known in allowed)
        text = f"Value for `{name}` has to be amongst the following values: {values}."
        return _build_error(PySparkValueError, "VALUE_NOT_ALLOWED", {"arg_name": name, "allowed_values": values}, text)
    text = f"Value for `{name}` must be positive, got '{value}'."
    return _build_error(PySparkValueError, "VALUE_NOT_POSITIVE", {"arg_name": name, "arg_value": str(value)}, text)


def _build_error(kind: type[E], condition: str, parameters: dict[str, str], text: str) -> E:
    """PySpark takes either a text or a condition before 4.0, and has fewer conditions then."""
    if not is_before("4.0"):
        return kind(text, errorClass=condition, messageParameters=parameters)
    error: Any = kind(text)
    error.error_class, error.message_parameters = condition, parameters
    return cast("E", error)
