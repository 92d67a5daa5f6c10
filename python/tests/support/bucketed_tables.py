"""Bucketed full-ACID tables, and a look at each row of their files: in which bucket it lies and should lie."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from pyarrow import orc

from hive_acid.model.bucket import BucketProperty
from hive_acid.model.names import BucketFileName
from support.hive_bucketing import bucket_of

BUCKETS = 5
CREATE = (
    "CREATE TABLE {name} ({columns}) {partitions} CLUSTERED BY ({by}) INTO {buckets} BUCKETS STORED AS ORC "
    "TBLPROPERTIES ('transactional'='true', 'bucketing_version'='{version}')"
)


class Bucketed:
    """A table `t (k STRING, n BIGINT, v INT)` clustered by `(k, n)`, flat or partitioned by `d`."""

    def __init__(self, tables: Any, is_partitioned: bool, version: int) -> None:
        self.tables = tables
        self.version = version
        self.is_partitioned = is_partitioned
        columns = "k STRING, n BIGINT, v INT" + ("" if is_partitioned else ", d INT")
        partitions = "PARTITIONED BY (d INT)" if is_partitioned else ""
        self.create("t", columns, "k, n", partitions=partitions)

    def create(self, name: str, columns: str, by: str, buckets: int = BUCKETS, partitions: str = "") -> None:
        self.sql(
            CREATE.format(
                name=name, columns=columns, by=by, buckets=buckets, partitions=partitions, version=self.version
            )
        )

    def sql(self, text: str) -> list[Any]:
        rows: list[Any] = self.tables.sql(text)
        return rows

    def check(self, rows: list[tuple[Any, ...]]) -> None:
        """The table has these rows, and each row of its files lies where it belongs."""
        assert Counter(self.sql("SELECT * FROM t")) == Counter(rows)
        check_places(self.tables, "t", {"k": "string", "n": "bigint"}, BUCKETS, self.version)


def check_places(tables: Any, name: str, by: dict[str, str], buckets: int, version: int) -> list[int]:
    """The number of the file, the bucket in the property and the hash agree. The buckets with new rows, sorted."""
    seen = set()
    for folder, file, row in raw_rows(tables, name):
        number = BucketFileName.parse(file)
        assert number and number.bucket == BucketProperty.decode(row["bucket"]).bucket, (folder, file, row)
        if row["operation"] != 2:
            values = [row["row"][column] for column in by]
            assert number.bucket == bucket_of(values, list(by.values()), version, buckets), (folder, file, row)
            seen.add(number.bucket)
    return sorted(seen)


def raw_rows(tables: Any, name: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Folder, file and the six ACID columns of each row of each file."""
    root = tables.location(name)
    for path in tables.files(name):
        folder, _, file = path.rpartition("/")
        for row in orc.ORCFile(root / path).read().to_pylist():
            yield folder, file, row
