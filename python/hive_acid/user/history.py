"""`AcidTable.history`: who wrote what into a table, as rows."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession

from hive_acid.history.entries import HistoryEntry
from hive_acid.operators.describe_history import build_history_row
from hive_acid.sql.operator_statements import DescribeHistory
from hive_acid.user.looks import show_history
from hive_acid.user.rows import build_frame


def build_history_frame(spark: SparkSession, entries: Sequence[HistoryEntry]) -> DataFrame:
    """The rows that `AcidTable.history` tells of."""
    rows = [build_history_row(entry) for entry in entries]
    return show_history(build_frame(spark, DescribeHistory.COLUMNS, rows), entries)
