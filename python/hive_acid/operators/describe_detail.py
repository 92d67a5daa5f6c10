"""The row of DESCRIBE DETAIL and of `AcidTable.detail`."""

from __future__ import annotations

from hive_acid.model.table import TableKind
from hive_acid.snapshot.acid_state import TableContent
from hive_acid.wire.operators import Row
from hive_acid.wire.table_detail import TableDetail


def build_detail_row(described: TableDetail, content: TableContent) -> Row:
    """`described` is what the catalog knows, `content` what lies there; the time is in milliseconds since 1970."""
    return (
        "hive-acid",
        str(described.name),
        TableKind.of(described.properties).value,
        described.location,
        described.created_at_ms,
        described.owner,
        described.partition_columns,
        described.bucket_columns,
        described.num_buckets,
        described.properties,
        content.files,
        content.total_bytes,
        content.bases,
        content.deltas,
        content.delete_deltas,
        content.latest_write_id,
    )
