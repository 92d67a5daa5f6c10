"""The columns of the tables that are measured, of which only Spark needs to know."""

from __future__ import annotations

COLUMNS: dict[str, tuple[str, str]] = {
    "id": ("BIGINT", "id"),
    "small": ("SMALLINT", "CAST(id % 1000 AS SMALLINT)"),
    "number": ("INT", "CAST(xxhash64(id) % 1000000 AS INT)"),
    "flag": ("BOOLEAN", "id % 3 = 0"),
    "price": ("DOUBLE", "xxhash64(id, 1) / 1e15"),
    "ratio": ("FLOAT", "CAST(id % 997 / 997 AS FLOAT)"),
    "amount": ("DECIMAL(12,2)", "CAST(id % 100000 / 100 AS DECIMAL(12,2))"),
    "day": ("DATE", "date_add(DATE'2020-01-01', CAST(id % 1461 AS INT))"),
    "at": ("TIMESTAMP", "timestamp_seconds(1577836800 + id)"),
    "city": ("STRING", "concat('city ', id % 500)"),
    "code": ("STRING", "substr(sha2(CAST(id AS STRING), 256), 1, 12)"),
    "remark": ("STRING", "IF(id % 10 = 0, NULL, concat('remark on number ', id % 50000))"),
}
"""Name → type and expression over the `id` of spark.range."""
