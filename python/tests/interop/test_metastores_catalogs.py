"""Another catalog of a metastore than `hive`: real Trino works in it too."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from interop.hive_engine import HiveEngine
from interop.trino_server import TrinoServer
from support.metastores_catalogs import client_of_new_catalog
from support.other_metastore import ACID

pytestmark = pytest.mark.interop
CATALOG = "inner_catalog"


@pytest.fixture
def trino(hive: HiveEngine, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrinoServer]:
    """A server on the same catalog of the engine's metastore as the session has."""
    folder = tmp_path_factory.mktemp("catalog")
    key = f"spark.sql.catalog.{CATALOG}"
    with client_of_new_catalog(hive.metastore_uri, folder / "warehouse") as (name, _):
        spark.conf.set(key, "hiveacid.Catalog")
        spark.conf.set(f"{key}.hive.metastore.uris", hive.metastore_uri)
        spark.conf.set(f"{key}.metastore.catalog.default", name)
        with TrinoServer.started(folder / "trino", hive.metastore_uri, metastores_catalog=name) as server:
            yield server


@pytest.mark.releases("4.1.0")
def test_trino_reads_and_changes_what_we_write_there_and_we_read_it(spark: SparkSession, trino: TrinoServer) -> None:
    spark.sql(f"CREATE DATABASE {CATALOG}.deep")
    t = f"{CATALOG}.deep.t"
    spark.sql(f"CREATE TABLE {t} (id INT, name STRING) PARTITIONED BY (day STRING) {ACID}")
    spark.sql(f"INSERT INTO {t} VALUES (1, 'a', 'mon'), (2, 'b', 'mon'), (3, 'c', 'tue')")
    spark.sql(f"UPDATE {t} SET name = 'changed' WHERE id = 1")
    spark.sql(f"DELETE FROM {t} WHERE id = 3")
    query = "SELECT id, name, day FROM t ORDER BY id"
    assert trino.sql(query, "deep").rows == [(1, "changed", "mon"), (2, "b", "mon")]
    trino.sql("INSERT INTO t VALUES (4, 'trino', 'wed')", "deep")
    trino.sql("DELETE FROM t WHERE id = 2", "deep")
    expected = [(1, "changed", "mon"), (4, "trino", "wed")]
    assert [tuple(row) for row in spark.sql(f"SELECT * FROM {t} ORDER BY id").collect()] == expected
    spark.sql(f"UPDATE {t} SET name = concat(name, '!')")
    assert trino.sql(query, "deep").rows == [(id_, f"{name}!", day) for id_, name, day in expected]
