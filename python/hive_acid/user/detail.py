"""`AcidTable.detail`: one row about a table."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from hive_acid.model.table import TableKind
from hive_acid.snapshot.acid_state import TableContent
from hive_acid.user.instants import build_instant
from hive_acid.wire.table_detail import TableDetail

_SCHEMA = """
    format STRING, name STRING, kind STRING, location STRING, createdAt TIMESTAMP_LTZ, owner STRING,
    partitionColumns ARRAY<STRING>, bucketColumns ARRAY<STRING>, numBuckets INT, properties MAP<STRING, STRING>,
    numFiles BIGINT, sizeInBytes BIGINT, numDeltas BIGINT, numDeleteDeltas BIGINT, latestWriteId BIGINT
"""


def build_detail_frame(spark: SparkSession, described: TableDetail, content: TableContent) -> DataFrame:
    """The row that `AcidTable.detail` tells of; `described` is what the catalog knows, `content` what lies there."""
    row = (
        "hive-acid",
        str(described.name),
        TableKind.of(described.properties).value,
        described.location,
        build_instant(described.created_at_ms),
        described.owner,
        list(described.partition_columns),
        list(described.bucket_columns),
        described.num_buckets,
        dict(described.properties),
        content.files,
        content.total_bytes,
        content.deltas,
        content.delete_deltas,
        content.latest_write_id,
    )
    return spark.createDataFrame([row], _SCHEMA)
