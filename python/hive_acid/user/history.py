"""`AcidTable.history`: who wrote what into a table, as rows."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession

from hive_acid.history.entries import HistoryEntry
from hive_acid.user.instants import build_instant

_SCHEMA = """
    writeId BIGINT, firstWriteId BIGINT, timestamp TIMESTAMP_LTZ, operation STRING, statement STRING,
    application STRING, applicationId STRING, `user` STRING, txnId BIGINT,
    numInsertedRows BIGINT, numUpdatedRows BIGINT, numDeletedRows BIGINT,
    numFiles BIGINT, sizeInBytes BIGINT, numPartitions BIGINT,
    partitions ARRAY<STRING>, folders ARRAY<STRING>, foldedInto ARRAY<STRING>, remark STRING
"""


def build_history_frame(spark: SparkSession, entries: Sequence[HistoryEntry]) -> DataFrame:
    """The rows that `AcidTable.history` tells of."""
    return spark.createDataFrame([_build_row(entry) for entry in entries], _SCHEMA)


def _build_row(entry: HistoryEntry) -> tuple[object, ...]:
    return (
        entry.write_id,
        entry.first_write_id,
        build_instant(entry.time_ms),
        entry.operation,
        entry.statement,
        entry.application,
        entry.application_id,
        entry.user,
        entry.txn_id,
        entry.inserted,
        entry.updated,
        entry.deleted,
        entry.files,
        entry.bytes,
        entry.partition_count,
        list(entry.partitions),
        list(entry.folders),
        list(entry.folded_into),
        entry.remark,
    )
