"""A catalog of Spark's that is another catalog of the session's own metastore: what is done there, and what is not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow.orc
import pytest

from hive_acid.local import EmbeddedMetastore
from hive_acid.model.table import TableName
from hive_acid_catalogs.catalog_metastore import CatalogMetastore
from support.metastores_catalogs import client_of_new_catalog
from support.other_metastore import ACID, INSERT_ONLY
from support.polling import eventually
from support.session_process import SessionProcess

from .conftest import Tables, refusal

INNER = "inner_catalog"


class Inner:
    """The catalog, an observer of it, and another application that has it too."""

    def __init__(self, client: CatalogMetastore, process: SessionProcess, database: str) -> None:
        self.client = client
        self.database = database
        self._process = process

    def name(self, table: str) -> str:
        return f"{INNER}.{self.database}.{table}"

    def read(self, table: str) -> list[tuple[Any, ...]]:
        """As the other application reads it."""
        return sorted(tuple(row) for row in self._process.sql(f"SELECT * FROM {self.name(table)}"))

    def folder(self, table: str) -> Path:
        return Path(self.client.table(TableName(self.database, table)).location.removeprefix("file:"))


@pytest.fixture(scope="module")
def inner(
    metastore: EmbeddedMetastore, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Inner]:
    spark, folder = request.getfixturevalue("spark"), tmp_path_factory.mktemp("inner")
    with client_of_new_catalog(metastore.uri, folder / "warehouse") as (name, client):
        key = f"spark.sql.catalog.{INNER}"
        settings = {
            key: "hiveacid.Catalog",
            f"{key}.hive.metastore.uris": metastore.uri,
            f"{key}.metastore.catalog.default": name,
        }
        for each, value in settings.items():
            spark.conf.set(each, value)
        with SessionProcess(folder / "spark", metastore.uri, metastore.warehouse, settings) as process:
            spark.sql(f"CREATE DATABASE {INNER}.deep")
            yield Inner(client, process, "deep")


@pytest.mark.beyond_the_gate(
    "whole rows; the forgotten write IDs of a flat table; `contract/test_catalogs_of_a_metastore.py`"
)
def test_the_properties_of_a_new_table_are_spelled_as_hive_has_them(tables: Tables, inner: Inner) -> None:
    t = inner.name("spelled")
    tables.sql(f"CREATE TABLE {t} (id INT) STORED AS ORC TBLPROPERTIES ('TRANSACTIONAL' = 'true')")
    tables.sql(f"INSERT INTO {t} VALUES (1)")
    assert inner.read("spelled") == [(1,)]
    parameters = inner.client.table(TableName(inner.database, "spelled")).parameters
    assert {key: value for key, value in parameters.items() if key.lower().startswith("transactional")} == {
        "transactional": "true",
        "transactional_properties": "default",
    }


@pytest.mark.beyond_the_gate(
    "whole rows; the forgotten write IDs of a flat table; `contract/test_catalogs_of_a_metastore.py`",
    cells=["partitioned"],
)
@pytest.mark.parametrize("layout", ["", "PARTITIONED BY (day STRING)"], ids=["flat", "partitioned"])
def test_rows_whose_write_ids_a_drop_in_hive_has_forgotten_are_never_read_as_none_nor_written_over(
    tables: Tables, inner: Inner, layout: str
) -> None:
    database = "forgotten_parts" if layout else "forgotten"
    tables.sql(f"CREATE DATABASE {INNER}.{database}")
    t, name = f"{INNER}.{database}.t", TableName(database, "t")
    tables.sql(f"CREATE TABLE {t} (id INT) {layout} {ACID}")
    rest = ", 'mon'" if layout else ""
    tables.sql(f"INSERT OVERWRITE {t} VALUES (1{rest})")
    tables.sql(f"INSERT INTO {t} VALUES (2{rest})")
    folder = Path(inner.client.table(name).location.removeprefix("file:"))
    before = sorted(path.relative_to(folder) for path in folder.rglob("*"))
    tables.sql(f"CREATE DATABASE {database}")
    tables.sql(f"DROP DATABASE {database}")
    for statement in (
        f"SELECT * FROM {t}",
        *2 * (f"INSERT INTO {t} VALUES (3{rest})",),
        f"DELETE FROM {t} WHERE id = 1",
        f"INSERT OVERWRITE {t} VALUES (4{rest})",
        f"TRUNCATE TABLE {t}",
        f"MERGE INTO {t} t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE",
        f"EXPLAIN ACID DELETE FROM {t} WHERE id = 1",
    ):
        assert refusal(tables, statement) == "HIVE_ACID_UNSUPPORTED_TABLE.FORGOTTEN_WRITE_IDS"
    assert sorted(path.relative_to(folder) for path in folder.rglob("*")) == before
    inner.client.restore_write_ids(name, 2, "admin", "host")
    assert sorted(row[0] for row in tables.sql(f"SELECT * FROM {t}")) == [1, 2]


@pytest.mark.beyond_the_gate("`contract/test_catalogs_of_a_metastore.py`; the other tests of the file")
@pytest.mark.parametrize("table", ["rows", pytest.param("buckets", marks=pytest.mark.slow)])
def test_every_change_of_rows(tables: Tables, inner: Inner, table: str) -> None:
    t, name = inner.name(table), TableName(inner.database, table)
    more = "CLUSTERED BY (id) INTO 2 BUCKETS" if table == "buckets" else ""
    tables.sql(f"CREATE TABLE {t} (id INT, v STRING) PARTITIONED BY (day STRING) {more} {ACID}")
    tables.sql(f"INSERT INTO {t} SELECT int(id), 'a', if(id < 5, 'mon', 'tue') FROM range(10)")
    assert tables.sql(f"DELETE FROM {t} WHERE id IN (1, 7)") == [(2,)]
    assert tables.sql(f"UPDATE {t} SET v = 'b' WHERE id IN (2, 8)") == [(2,)]
    tables.sql(f"UPDATE {t} SET day = 'wed' WHERE id = 9")
    tables.sql(
        f"MERGE INTO {t} t USING (SELECT int(id) AS id FROM range(0, 20, 10)) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET v = 'm' WHEN NOT MATCHED THEN INSERT VALUES (s.id, 'new', 'wed')"
    )
    expected = [
        (0, "m", "mon"),
        (2, "b", "mon"),
        (3, "a", "mon"),
        (4, "a", "mon"),
        (5, "a", "tue"),
        (6, "a", "tue"),
        (8, "b", "tue"),
        (9, "a", "wed"),
        (10, "new", "wed"),
    ]
    assert sorted(tables.sql(f"SELECT * FROM {t}")) == expected
    assert inner.read(table) == expected
    assert inner.client.partition_names(name) == ["day=mon", "day=tue", "day=wed"]
    tables.sql(f"INSERT OVERWRITE {t} PARTITION (day = 'mon') SELECT 77, 'o'")
    tables.sql(f"TRUNCATE TABLE {t} PARTITION (day = 'tue')")
    assert inner.read(table) == [(9, "a", "wed"), (10, "new", "wed"), (77, "o", "mon")]
    with closing(CatalogMetastore(tables.client.uri)) as hive:
        assert hive.described_table(name) is None, "the catalog `hive` has no such table"
    tables.sql(f"DROP TABLE {t}")
    assert inner.client.described_table(name) is None


@pytest.mark.slow
def test_files_lie_in_the_folder_of_the_catalog_with_the_write_ids_of_the_table(tables: Tables, inner: Inner) -> None:
    t = inner.name("files")
    tables.sql(f"CREATE TABLE {t} (id INT) {ACID}")
    tables.sql(f"INSERT INTO {t} VALUES (1), (2)")
    folder = inner.folder("files")
    assert "/inner" in str(folder)
    (file,) = folder.glob("delta_0000001_0000001_*/bucket_00000")
    assert [row["row"]["id"] for row in pyarrow.orc.read_table(file).to_pylist()] == [1, 2]


@pytest.mark.slow
def test_rows_go_from_either_catalog_into_the_other(tables: Tables, inner: Inner) -> None:
    tables.create("ours")
    t = inner.name("theirs")
    tables.sql(f"CREATE TABLE {t} (id INT, name STRING) {INSERT_ONLY}")
    tables.sql("INSERT INTO ours VALUES (1, 'ours')")
    tables.sql(f"INSERT INTO {t} SELECT * FROM ours")
    tables.sql(f"MERGE INTO ours o USING {t} t ON o.id = t.id WHEN MATCHED THEN UPDATE SET name = 'met'")
    assert tables.sql(f"SELECT o.name, t.name FROM ours o JOIN {t} t ON o.id = t.id") == [("met", "ours")]
    assert inner.read("theirs") == [(1, "ours")]


@pytest.mark.slow
def test_a_failed_statement_leaves_nothing(tables: Tables, inner: Inner) -> None:
    t = inner.name("failed")
    tables.sql(f"CREATE TABLE {t} (id INT) {ACID}")
    tables.sql(f"INSERT INTO {t} VALUES (1)")
    before = sorted(inner.folder("failed").rglob("*"))
    refusal(tables, f"INSERT INTO {t} SELECT int(raise_error('on purpose'))")
    assert sorted(inner.folder("failed").rglob("*")) == before
    assert inner.read("failed") == [(1,)]
    assert eventually(lambda: not tables.open_transactions())


def test_a_compaction_is_refused_and_an_overwrite_by_its_own_rows_serves_instead(tables: Tables, inner: Inner) -> None:
    t = inner.name("folded")
    tables.sql(f"CREATE TABLE {t} (id INT) {ACID}")
    for number in range(3):
        tables.sql(f"INSERT INTO {t} VALUES ({number})")
    condition = "HIVE_ACID_UNSUPPORTED_TABLE.COMPACTION_IN_CATALOG"
    assert refusal(tables, f"ALTER TABLE {t} COMPACT 'major' AND WAIT") == condition
    assert not tables.open_transactions()
    tables.sql(f"INSERT OVERWRITE {t} SELECT * FROM {t}")
    assert inner.read("folded") == [(0,), (1,), (2,)]


def test_a_database_that_is_also_in_hive_is_refused_for_transactions(tables: Tables, inner: Inner) -> None:
    tables.sql(f"CREATE DATABASE {INNER}.{tables.database}")
    t = tables.in_catalog(INNER, "twin")
    condition = "HIVE_ACID_UNSUPPORTED_TABLE.DATABASE_IN_CATALOGS"
    assert refusal(tables, f"CREATE TABLE {t} (id INT) {ACID}") == condition
    assert refusal(tables, f"CREATE TABLE {INNER}.default.twin (id INT) {ACID}") == condition, "each catalog has it"
    tables.sql(f"DROP DATABASE {INNER}.{tables.database}")


def test_a_catalog_that_is_not_there_is_told(tables: Tables, metastore: EmbeddedMetastore) -> None:
    key = "spark.sql.catalog.absent"
    tables.spark.conf.set(key, "hiveacid.Catalog")
    tables.spark.conf.set(f"{key}.hive.metastore.uris", metastore.uri)
    tables.spark.conf.set(f"{key}.metastore.catalog.default", "absent")
    assert refusal(tables, "SHOW DATABASES IN absent") == "HIVE_ACID_CONFIGURATION.METASTORE_CATALOG_MISSING"


@pytest.mark.slow
def test_a_table_of_a_query_that_fails_is_gone_and_its_name_used_up(tables: Tables, inner: Inner) -> None:
    t, name = inner.name("half"), TableName(inner.database, "half")
    refusal(tables, f"CREATE TABLE {t} {ACID} AS SELECT int(raise_error('on purpose')) AS id")
    assert inner.client.described_table(name) is None
    condition = "HIVE_ACID_UNSUPPORTED_TABLE.NAME_USED_IN_CATALOG"
    assert refusal(tables, f"CREATE TABLE {t} {ACID} AS SELECT 1 AS id") == condition
