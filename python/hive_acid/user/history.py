"""`AcidTable.history`: who wrote what into a table, as rows."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from hive_acid.sql.operator_statements import DescribeHistory
from hive_acid.user.looks import show_history
from hive_acid.user.rows import build_frame
from hive_acid.wings import load_wing


def build_history_frame(spark: SparkSession, told: str) -> DataFrame:
    """The rows that `AcidTable.history` tells of; `told` is the message of the entries.

    Raises HIVE_ACID_CONFIGURATION.EXTRA_MISSING.
    """
    entries = load_wing("hive_acid_ops.history.entries", "the history of a table").read_entries(told)
    return show_history(build_frame(spark, DescribeHistory.COLUMNS, [entry.row for entry in entries]), entries)
