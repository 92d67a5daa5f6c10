"""Rows of operator statements as a DataFrame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone

from pyspark.sql import DataFrame, SparkSession

from hive_acid.model.table import Column
from hive_acid.sql.operator_statements import build_schema
from hive_acid.wire.operators import Row


def build_frame(spark: SparkSession, columns: Sequence[Column], rows: Sequence[Row]) -> DataFrame:
    """The rows with these columns; a timestamp is told by its milliseconds since 1970."""
    return spark.createDataFrame([_build_row(columns, row) for row in rows], build_schema(columns))


def _build_row(columns: Sequence[Column], row: Row) -> tuple[object, ...]:
    return tuple(_build_value(column.type, value) for column, value in zip(columns, row, strict=True))


def _build_value(type_: str, value: object) -> object:
    if type_ == "timestamp_ltz" and isinstance(value, int):
        return build_instant(value)
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value


def build_instant(time_ms: int | None) -> datetime | None:
    """The instant, in milliseconds since 1970, with a zone: one without is taken for a reading of the local clock."""
    return None if time_ms is None else datetime.fromtimestamp(time_ms / 1000, timezone.utc)
