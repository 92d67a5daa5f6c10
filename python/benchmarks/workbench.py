"""A metastore, a Spark session and the source data of one benchmark run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from columns import COLUMNS
from pyspark.sql import SparkSession

import hive_acid
from hive_acid.local import EmbeddedMetastore
from hive_acid.session.session import Attachment, attach


@dataclass(frozen=True)
class Workbench:
    """What every series works with; `rows` is the size of a table, `rounds` includes the one that is dropped."""

    spark: SparkSession
    metastore: EmbeddedMetastore
    folder: Path
    rows: int
    rounds: int

    @property
    def source(self) -> Path:
        """The folder of the source data, in Parquet."""
        return self.folder / "source"

    @property
    def attachment(self) -> Attachment:
        """The Python half of the session, with its metastore client."""
        return attach(self.spark)

    def create(self, table: str, more: str = "", *, transactional: bool = True) -> None:
        """A table of COLUMNS, empty; `more` are clauses of its own."""
        columns = ", ".join(f"{name} {kind}" for name, (kind, _) in COLUMNS.items())
        self.spark.sql(f"DROP TABLE IF EXISTS {table}")
        properties = "TBLPROPERTIES ('transactional'='true')" if transactional else ""
        self.spark.sql(f"CREATE TABLE {table} ({columns}) {more} STORED AS ORC {properties}")

    def insert(self, table: str) -> int:
        """Insert all source data; the number of rows reported."""
        self.spark.read.parquet(str(self.source)).createOrReplaceTempView("source")
        return int(self.spark.sql(f"INSERT INTO {table} SELECT * FROM source").collect()[0][0])


def build_session(metastore_uri: str, warehouse: Path, folder: Path, memory: str) -> SparkSession:
    """A local session on all cores, its scratch in `folder`. The flat files it writes have the ACID files' codec."""
    builder = (
        SparkSession.builder.master("local[*]")
        .config("spark.driver.memory", memory)
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.local.dir", str(folder))
        .config("spark.log.level", "ERROR")
        .config("spark.sql.orc.compression.codec", "zstd")
        .config("spark.sql.shuffle.partitions", "8")
        .config("spark.sql.warehouse.dir", warehouse.as_uri())
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
    )
    return hive_acid.configure(builder, metastore=metastore_uri).getOrCreate()


@contextmanager
def started_workbench(folder: Path, rows: int, rounds: int) -> Iterator[Workbench]:
    """Metastore and session on, source data written; all stopped in the end."""
    with EmbeddedMetastore.start(folder / "metastore") as metastore:
        spark = build_session(metastore.uri, metastore.warehouse, folder, "4g")
        try:
            bench = Workbench(spark, metastore, folder, rows, rounds)
            expressions = (f"{expression} AS {name}" for name, (_, expression) in COLUMNS.items())
            tasks = max(2 * spark.sparkContext.defaultParallelism, 8)
            spark.range(0, rows, 1, tasks).selectExpr(*expressions).write.parquet(str(bench.source))
            yield bench
        finally:
            spark.stop()
