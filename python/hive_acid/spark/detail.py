"""`AcidTable.detail`: one row about a table."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from hive_acid.model.table import TableKind, TableName
from hive_acid.spark.session import attach, find_own_settings

_SCHEMA = """
    format STRING, name STRING, kind STRING, location STRING, createdAt TIMESTAMP, owner STRING,
    partitionColumns ARRAY<STRING>, bucketColumns ARRAY<STRING>, numBuckets INT, properties MAP<STRING, STRING>,
    numFiles BIGINT, sizeInBytes BIGINT, numDeltas BIGINT, numDeleteDeltas BIGINT, latestWriteId BIGINT
"""


def load_detail(spark: SparkSession, described: Mapping[str, Any]) -> DataFrame:
    """The row that `AcidTable.detail` tells of; `described` is what the catalog knows (`AcidTableApi.description`)."""
    database, _, table = described["name"].partition(".")
    content = attach(spark).find_content(TableName(database, table), find_own_settings(spark))
    row = (
        "hive-acid",
        described["name"],
        TableKind.of(described["properties"]).value,
        described["location"],
        datetime.fromtimestamp(described["createdAtMs"] / 1000),
        described["owner"],
        described["partitionColumns"],
        described["bucketColumns"],
        described["numBuckets"],
        described["properties"],
        content.files,
        content.total_bytes,
        content.deltas,
        content.delete_deltas,
        content.latest_write_id,
    )
    return spark.createDataFrame([row], _SCHEMA)
