"""Programs that have such a catalog by settings alone, also without Hive."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive_acid.local import EmbeddedMetastore
from support.other_metastore import ACID, CATALOG, Other
from support.polling import eventually
from support.spark_programs import program_settings, started

from .conftest import Tables

pytestmark = pytest.mark.slow


ALONE = """
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
print("INSERTED", *spark.sql("INSERT INTO {t} SELECT int(id) FROM range(5)").first())
print("DELETED", *spark.sql("DELETE FROM {t} WHERE id = :gone", args={{"gone": 4}}).first())
spark.sql("SELECT int(id + 10) AS id FROM {t}").write.saveAsTable("plain_of_spark")
merge = "MERGE INTO {t} t USING plain_of_spark s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *"
print("MERGED", *spark.sql(merge).first())
for text in ("SELEC 1", "SHOW LOCKS", "ALTER TABLE {t} ADD COLUMNS (v INT)"):
    try:
        spark.sql(text)
    except PySparkException as error:
        print("REFUSED", error.getCondition())
spark.stop()
"""


def test_a_session_without_hive_and_by_settings_alone_has_the_catalog(
    tables: Tables, lake: Other, metastore: EmbeddedMetastore, tmp_path: Path
) -> None:
    lake.sql(f"CREATE TABLE t (id INT) {ACID}")
    settings = {
        **program_settings(metastore, tmp_path),
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.warehouse.dir": (tmp_path / "warehouse").as_uri(),
        **lake.catalog_settings,
    }
    del settings["spark.hadoop.hive.metastore.uris"]
    script = tmp_path / "alone.py"
    script.write_text(ALONE.format(t=tables.in_catalog(CATALOG, "t")))
    with started(["spark-submit", str(script)], settings, tmp_path / "run") as program:
        assert program.process.wait(300) == 0, program.log.read_text()
        assert [line for line in program.output.read_text().splitlines() if line.isupper() or " " in line] == [
            "INSERTED 5",
            "DELETED 1",
            "MERGED 4 0 0 4",
            "REFUSED PARSE_SYNTAX_ERROR",
            "REFUSED HIVE_ACID_CONFIGURATION.SESSION_WITHOUT_METASTORE",
            "REFUSED HIVE_ACID_UNSUPPORTED_STATEMENT.OWN_CATALOG",
        ]
    assert lake.sql("SELECT sum(id), count(*) FROM t") == [(6 + 46, 8)]
    assert eventually(lambda: not lake.open()), lake.open()


def test_spark_sql_has_the_catalog_beside_its_own(
    tables: Tables, lake: Other, metastore: EmbeddedMetastore, tmp_path: Path
) -> None:
    lake.sql(f"CREATE TABLE t (id INT) {ACID}")
    tables.create("t", "id INT")
    tables.sql("INSERT INTO t VALUES (1), (2)")
    settings = {
        **program_settings(metastore, tmp_path),
        **lake.catalog_settings,
    }
    t = tables.in_catalog(CATALOG, "t")
    text = f"INSERT INTO {t} SELECT * FROM {tables.database}.t; DELETE FROM {t} WHERE id = 1; SELECT id FROM {t};"
    with started(["spark-sql", "-e", text], settings, tmp_path / "run") as program:
        assert program.process.wait(300) == 0, program.log.read_text()
        assert program.output.read_text().split()[-1] == "2"
    assert lake.sql("SELECT * FROM t") == [(2,)]
    assert eventually(lambda: not lake.open()), lake.open()
    assert eventually(lambda: not tables.open_transactions()), tables.open_transactions()
