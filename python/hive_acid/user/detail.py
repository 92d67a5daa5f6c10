"""`AcidTable.detail`: one row about a table."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from hive_acid.operators.describe_detail import build_detail_row
from hive_acid.snapshot.acid_state import TableContent
from hive_acid.sql.operator_statements import DescribeDetail
from hive_acid.user.rows import build_frame
from hive_acid.wire.table_detail import TableDetail


def build_detail_frame(spark: SparkSession, described: TableDetail, content: TableContent) -> DataFrame:
    """The row that `AcidTable.detail` tells of; `described` is what the catalog knows, `content` what lies there."""
    return build_frame(spark, DescribeDetail.COLUMNS, [build_detail_row(described, content)])
