"""Spark's whole way on a real metastore of each release, set up as its makers ship it: only the addresses are set."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from interop.hive_jars import hive_installation
from support.metastore_releases import AS_SHIPPED, VERSIONS, started_release
from support.session_process import SessionProcess, StatementFailed

NEWEST = VERSIONS[-1]
"""The gate has one table on it, for each release sets something else by default. The rest is for `--all`."""
COLUMNS = "(id INT, amount INT) PARTITIONED BY (day STRING)"

NOBODY = "thrift://127.0.0.1:1"
"""The first address of each, where none listens."""


@pytest.fixture(
    scope="module", params=[NEWEST, *(pytest.param(version, marks=pytest.mark.slow) for version in VERSIONS[:-1])]
)
def spark(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SessionProcess]:
    """A session on a metastore of the release, in a new database."""
    folder = tmp_path_factory.mktemp(request.param)
    with (
        started_release(request.param, folder / "metastore", AS_SHIPPED) as metastore,
        SessionProcess(folder / "spark", f"{NOBODY},{metastore.uri}", metastore.warehouse) as session,
    ):
        session.sql("CREATE DATABASE shop")
        session.sql("USE shop")
        yield session


def create(spark: SessionProcess, name: str) -> None:
    spark.sql(f"CREATE TABLE shop.{name} {COLUMNS} STORED AS ORC TBLPROPERTIES ('transactional'='true')")


@pytest.mark.beyond_the_gate("3.1.3 and 4.0.0 in `contract`; 4.0.0 in all other tests")
def test_a_table_is_created_written_changed_read_and_dropped(spark: SessionProcess) -> None:
    create(spark, "sales")
    spark.sql("INSERT INTO sales VALUES (1, 10, 'mon'), (2, 20, 'mon'), (3, 30, 'tue')")
    assert spark.sql("UPDATE sales SET amount = amount + 1 WHERE day = 'mon'") == [(2,)]
    assert spark.sql("DELETE FROM sales WHERE id = 1") == [(1,)]
    assert spark.sql("SELECT * FROM sales ORDER BY id") == [(2, 21, "mon"), (3, 30, "tue")]
    assert ("sales",) in [row[1:2] for row in spark.sql("SHOW TABLES")]
    spark.sql("DROP TABLE sales")
    assert ("sales",) not in [row[1:2] for row in spark.sql("SHOW TABLES")]


@pytest.mark.slow
def test_updates_of_one_row_at_the_same_time_both_count(spark: SessionProcess) -> None:
    create(spark, "counted")
    spark.sql("INSERT INTO counted VALUES (1, 0, 'mon'), (2, 0, 'tue')")
    updates = [spark.submit(f"UPDATE shop.counted SET amount = amount + {step} WHERE id = 1") for step in (1, 10)]
    assert [update.result(120) for update in updates] == [[(1,)]] * 2
    assert spark.sql("SELECT id, amount FROM counted ORDER BY id") == [(1, 11), (2, 0)]


@pytest.mark.slow
def test_compactions_locks_and_transactions_are_shown(spark: SessionProcess) -> None:
    create(spark, "shown")
    spark.sql("INSERT INTO shown VALUES (1, 10, 'Mon'), (2, 20, 'tue')")
    spark.sql("SET spark.hiveacid.compaction.runIn = queue")
    requested = spark.sql("ALTER TABLE shown COMPACT 'major'")
    assert [row[2:4] for row in requested] == [("day=Mon", "MAJOR"), ("day=tue", "MAJOR")]
    assert {row[5:7] for row in requested} == {("initiated", True)}
    assert {row[6] for row in spark.sql("ALTER TABLE shown COMPACT 'minor'")} == {False}
    (queued,) = spark.sql("SHOW COMPACTIONS shown PARTITION (day = 'Mon') TYPE 'major' STATUS 'initiated'")
    assert queued[0] == requested[0][4]
    assert spark.sql("SHOW LOCKS shown PARTITION (day = 'Mon')") == []
    assert [row for row in spark.sql("SHOW TRANSACTIONS") if row[1] == "OPEN"] == []
    spark.sql("RESET spark.hiveacid.compaction.runIn")


@pytest.mark.slow
def test_an_insert_only_table_is_read_and_dropped_or_never_made(spark: SessionProcess) -> None:
    """By default a metastore hides them from clients of Hive 2.3, of which Spark's own is one."""
    kind = "TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')"
    client = dict(spark.sql("SET spark.sql.hive.metastore.version"))["spark.sql.hive.metastore.version"]
    create = f"CREATE TABLE shop.inserted (id INT) STORED AS PARQUET {kind}"
    if client.startswith("4."):
        spark.sql(create)
        spark.sql("INSERT INTO inserted VALUES (1)")
        assert spark.sql("SELECT * FROM inserted") == [(1,)]
        spark.sql("DROP TABLE inserted")
    else:
        spark.sql("CREATE TABLE shop.still_plain (id INT) STORED AS PARQUET")
        for statement in (create, f"ALTER TABLE shop.still_plain SET {kind}"):
            with pytest.raises(StatementFailed, match=r"INSERT_ONLY_UNSEEN.*capability\.check=false"):
                spark.sql(statement)
        spark.sql("DROP TABLE shop.still_plain")
    assert ("inserted",) not in [row[1:2] for row in spark.sql("SHOW TABLES IN shop")]


@pytest.mark.slow
def test_a_client_of_hive_3_sees_insert_only_tables_of_a_metastore_3_1(tmp_path: Path) -> None:
    names = ("hive-exec", "calcite", "avatica", "guava", "commons-", "javax.servlet", "http", "libfb303", "libthrift")
    jars = [jar for jar in hive_installation("3.1.3").jars if jar.name.startswith(names)]
    client = {
        "spark.sql.hive.metastore.version": "3.1.3",
        "spark.sql.hive.metastore.jars": "path",
        "spark.sql.hive.metastore.jars.path": ",".join(f"file:{jar}" for jar in jars),
    }
    kind = "TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')"
    with (
        started_release("3.1.3", tmp_path / "metastore", AS_SHIPPED) as metastore,
        SessionProcess(tmp_path / "spark", metastore.uri, metastore.warehouse, client) as spark,
    ):
        spark.sql(f"CREATE TABLE made (id INT) PARTITIONED BY (day STRING) STORED AS PARQUET {kind}")
        spark.sql("INSERT INTO made VALUES (1, 'mon'), (2, 'tue')")
        spark.sql("INSERT OVERWRITE made PARTITION (day = 'tue') VALUES (3)")
        assert spark.sql("SELECT id, day FROM made ORDER BY id") == [(1, "mon"), (3, "tue")]
        spark.sql("CREATE TABLE turned (id INT) STORED AS ORC")
        spark.sql(f"ALTER TABLE turned SET {kind}")
        spark.sql("INSERT INTO turned VALUES (1)")
        assert spark.sql("SELECT * FROM turned") == [(1,)]
        for name in ("made", "turned"):
            spark.sql(f"DROP TABLE {name}")
        assert spark.sql("SHOW TABLES") == []


@pytest.mark.slow
def test_plain_tables_are_sparks_as_ever(spark: SessionProcess) -> None:
    spark.sql("CREATE TABLE plain (id INT) PARTITIONED BY (day STRING) STORED AS ORC")
    spark.sql("INSERT INTO plain VALUES (1, 'mon'), (2, 'tue')")
    assert spark.sql("SELECT id FROM plain WHERE day = 'tue'") == [(2,)]
    spark.sql("ALTER TABLE plain DROP PARTITION (day = 'mon')")
    assert spark.sql("SHOW PARTITIONS plain") == [("day=tue",)]


@pytest.mark.slow
def test_new_tables_lie_in_the_warehouse_of_managed_ones_where_that_is_another(tmp_path: Path) -> None:
    external = tmp_path / "external"
    settings = {"metastore.warehouse.external.dir": f"file:{external}"}
    with (
        started_release("4.1.0", tmp_path / "metastore", settings) as metastore,
        SessionProcess(tmp_path / "spark", metastore.uri, metastore.warehouse) as spark,
    ):
        spark.sql("CREATE DATABASE shop")
        for name, folder in (("shop.managed", "shop.db/managed"), ("default.managed", "managed")):
            database, table = name.split(".")
            spark.sql(f"USE {database}")
            spark.sql(f"CREATE TABLE {table} (id INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
            spark.sql(f"INSERT INTO {table} VALUES (1)")
            assert spark.sql(f"SELECT * FROM {table}") == [(1,)]
            assert list((metastore.warehouse / folder).glob("delta_*"))
        assert list(external.rglob("delta_*")) == []
