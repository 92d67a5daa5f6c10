"""`AcidTable.history`: who wrote what into a table, as rows."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession

from hive_acid.history.entries import HistoryEntry
from hive_acid.operators.describe_history import build_history_row
from hive_acid.sql.operator_statements import DescribeHistory, build_schema
from hive_acid.user.instants import build_instant

_NAMES = [column.name for column in DescribeHistory.COLUMNS]


def build_history_frame(spark: SparkSession, entries: Sequence[HistoryEntry]) -> DataFrame:
    """The rows that `AcidTable.history` tells of."""
    return spark.createDataFrame([_build_row(entry) for entry in entries], build_schema(DescribeHistory.COLUMNS))


def _build_row(entry: HistoryEntry) -> tuple[object, ...]:
    row = [list(value) if isinstance(value, tuple) else value for value in build_history_row(entry)]
    values = dict(zip(_NAMES, row, strict=True)) | {"timestamp": build_instant(entry.time_ms)}
    return tuple(values.values())
