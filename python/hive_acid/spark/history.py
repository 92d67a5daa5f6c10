"""`AcidTable.history`: who wrote what into a table, as rows."""

from __future__ import annotations

from datetime import datetime

from pyspark.sql import DataFrame, SparkSession

from hive_acid.history.entries import HistoryEntry
from hive_acid.history.reader import load_history
from hive_acid.spark.session import attach
from hive_acid.wire.table_detail import TableDetail

_SCHEMA = """
    writeId BIGINT, firstWriteId BIGINT, timestamp TIMESTAMP, operation STRING, statement STRING, application STRING,
    applicationId STRING, userName STRING, txnId BIGINT, numInsertedRows BIGINT, numUpdatedRows BIGINT,
    numDeletedRows BIGINT, numFiles BIGINT, sizeInBytes BIGINT, numPartitions BIGINT,
    partitions ARRAY<STRING>, folders ARRAY<STRING>, foldedInto ARRAY<STRING>, remark STRING
"""


def load_history_frame(spark: SparkSession, described: TableDetail, limit: int | None) -> DataFrame:
    """The rows that `AcidTable.history` tells of; `described` is what the catalog knows of the table."""
    side = attach(spark).side_of(described.catalog)
    entries = load_history(side.metastore, side.file_system, described.name, limit)
    return spark.createDataFrame([_build_row(entry) for entry in entries], _SCHEMA)


def _build_row(entry: HistoryEntry) -> tuple[object, ...]:
    return (
        entry.write_id,
        entry.first_write_id,
        None if entry.time_ms is None else datetime.fromtimestamp(entry.time_ms / 1000),
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
