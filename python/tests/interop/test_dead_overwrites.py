"""The base of an overwrite that died just before its commit, as real Hive reads it while a later write is under way."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.model.names import OVERWRITE_FILE
from hive_acid.model.table import TableName
from interop.hive_engine import HiveEngine, HiveError
from interop.hive_table import HiveTable, acid_table

pytestmark = pytest.mark.interop

NAME = TableName("default", "died")


@contextmanager
def a_later_write(hive: HiveEngine, table: HiveTable) -> Iterator[Path]:
    """The base that the overwrite has left, with the rows of a delta; a write ID after its own is open meanwhile."""
    client = ThriftMetastore(hive.metastore_uri)
    died, later = (client.open_transaction("somebody", "here", "a test") for _ in range(2))
    base = table.location() / f"base_{client.allocate_write_id(died, NAME):07d}"
    client.allocate_write_id(later, NAME)
    base.mkdir()
    (base / OVERWRITE_FILE).write_text(str(died))
    shutil.copy(table.location() / "delta_0000002_0000002_0000" / "bucket_00000", base)
    client.abort(died)
    yield base
    client.abort(later)
    client.close()


def test_no_engine_reads_its_rows_and_the_next_statement_here_removes_it(hive: HiveEngine, spark: SparkSession) -> None:
    table = acid_table(hive, NAME.table, "id INT")
    for number in (1, 2):
        spark.sql(f"INSERT INTO died VALUES ({number})")
    with a_later_write(hive, table) as base:
        if hive.version.startswith("3."):
            with pytest.raises(HiveError, match="Not enough history"):
                table.rows_plain()
        else:
            table.check_rows("id", [(1,), (2,)])
        assert sorted(spark.table("died").collect()) == [(1,), (2,)]
        spark.sql("INSERT INTO died VALUES (3)")
        assert not base.exists()
        table.check_rows("id", [(1,), (2,), (3,)])
