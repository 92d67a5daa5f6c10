"""Insert-only transactional tables of ORC and Parquet: every statement that writes whole rows, and every type."""

from __future__ import annotations

from datetime import datetime
from functools import partial

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

import hive_acid
from hive_acid import AcidTable
from integration.conftest import Tables
from interop.all_types import COLUMNS, SPARK_ROW, VALUES
from support.insert_only_tables import INSERT_ONLY, WRITTEN, create, refusal
from support.polling import eventually

IN_THE_GATE = [pytest.param("ORC", marks=pytest.mark.slow), "PARQUET"]


@pytest.mark.parametrize("form", IN_THE_GATE)
def test_each_statement_that_writes_whole_rows_works(tables: Tables, spark: SparkSession, form: str) -> None:
    create(tables, "t", form)
    assert tables.sql("INSERT INTO t VALUES (1, 'a'), (2, NULL)") == [(2,)]
    assert tables.sql("INSERT INTO t (id) SELECT id + 10 FROM t") == [(2,)]
    assert tables.files("t") == ["delta_0000001_0000001_0000/000000_0", "delta_0000002_0000002_0000/000000_0"]
    assert not list(tables.location("t").rglob("_orc_acid_version"))
    assert sorted(tables.sql("SELECT * FROM t WHERE id > 1")) == [(2, None), (11, None), (12, None)]

    assert tables.sql("INSERT OVERWRITE t SELECT id, 'new' FROM t WHERE id < 10") == [(2,)]
    assert sorted(tables.sql("SELECT * FROM t")) == [(1, "new"), (2, "new")]
    spark.createDataFrame([(3, "df")], "id int, name string").writeTo("t").append()
    with hive_acid.transaction(spark):
        tables.sql("INSERT INTO t VALUES (4, 'x')")
        tables.sql("INSERT INTO t SELECT id + 1, name FROM t WHERE id = 4")
    assert sorted(tables.sql("SELECT id FROM t")) == [(1,), (2,), (3,), (4,), (5,)]
    detail = AcidTable.forName(spark, "t").detail().first()
    assert detail and (detail.kind, detail.numFiles, detail.numDeltas, detail.latestWriteId) == ("insert_only", 4, 3, 5)

    AcidTable.forName(spark, "t").truncate()
    assert tables.sql("SELECT * FROM t") == []
    assert "base_0000006/000000_0" in tables.files("t")
    tables.sql("INSERT INTO t VALUES (7, 'g')")
    assert tables.sql("INSERT OVERWRITE t SELECT * FROM t WHERE false") == [(0,)]
    assert tables.sql("SELECT count(*) FROM t") == [(0,)]
    assert eventually(lambda: tables.open_transactions() == [])


@pytest.mark.slow
@pytest.mark.parametrize("form", WRITTEN)
def test_partitions_are_written_and_replaced(tables: Tables, form: str) -> None:
    create(tables, "p", form, "id INT", "PARTITIONED BY (d STRING)")
    tables.sql("INSERT INTO p VALUES (1, 'x'), (2, 'y'), (3, NULL)")
    assert tables.sql("SELECT id FROM p WHERE d = 'y'") == [(2,)]
    tables.sql("INSERT OVERWRITE p PARTITION (d = 'x') SELECT 10")
    tables.sql("INSERT OVERWRITE p SELECT 20, 'y'")
    assert sorted(tables.sql("SELECT id, d FROM p"), key=str) == [(10, "x"), (20, "y"), (3, None)]
    tables.sql("TRUNCATE TABLE p PARTITION (d = 'y')")
    tables.sql("ALTER TABLE p PARTITION (d = 'x') RENAME TO PARTITION (d = 'z')")
    tables.sql("ALTER TABLE p ADD COLUMNS (more STRING)")
    assert sorted(tables.sql("SELECT id, more, d FROM p"), key=str) == [(10, None, "z"), (3, None, None)]
    tables.sql("ALTER TABLE p DROP PARTITION (d = 'z')")
    assert tables.sql("SELECT id FROM p") == [(3,)]


@pytest.mark.parametrize("form", IN_THE_GATE)
def test_every_type_comes_back_in_every_time_zone(tables: Tables, spark: SparkSession, form: str) -> None:
    nested = "tn ARRAY<TIMESTAMP>, tm MAP<STRING,STRUCT<at:TIMESTAMP>>"
    create(tables, "a", form, f"{COLUMNS}, {nested}")
    clock = "TIMESTAMP '1969-07-20 20:17:40.25'"
    values = f"{VALUES}, ARRAY({clock}, NULL), MAP('k', NAMED_STRUCT('at', {clock}))"
    moment = datetime(1969, 7, 20, 20, 17, 40, 250000)
    row = (*SPARK_ROW, [moment, None], {"k": (moment,)})
    zone = spark.conf.get("spark.sql.session.timeZone")
    try:
        tables.sql("SET TIME ZONE 'Asia/Kolkata'")
        tables.sql(f"INSERT INTO a SELECT {values}")
        tables.sql("INSERT INTO a (id) VALUES (2)")
        for other in ("Asia/Kolkata", "America/Los_Angeles", "UTC"):
            tables.sql(f"SET TIME ZONE '{other}'")
            texts = "CAST(ts AS STRING), CAST(tn[0] AS STRING), CAST(tm['k'].at AS STRING)"
            shown = tables.sql(f"SELECT {texts} FROM a WHERE ts = {clock}")
            assert shown == [("1969-07-20 20:17:40.25",) * 3], other
            assert tables.sql("SELECT id, ch, length(ch), de FROM a WHERE ch = 'ch'") == [(1, "ch   ", 5, SPARK_ROW[6])]
        tables.sql("SET TIME ZONE 'UTC'")
        plain = [c for c in spark.table("a").columns if c not in ("ts", "tn", "tm")]
        expected = tuple(v for c, v in zip(spark.table("a").columns, row, strict=True) if c in plain)
        (got,) = spark.table("a").where("id = 1").select(*plain).collect()
        assert tuple(got) == expected
        assert tables.sql("SELECT count(*) FROM a WHERE ts IS NULL AND tn IS NULL AND sr IS NULL") == [(1,)]
    finally:
        spark.conf.set("spark.sql.session.timeZone", str(zone))


@pytest.mark.slow
def test_rows_are_not_changed_one_by_one(tables: Tables, spark: SparkSession) -> None:
    tables.create("acid")
    for form in WRITTEN:
        create(tables, f"t_{form}", form)
        for statement in (
            "DELETE FROM {}",
            "DELETE FROM {} WHERE id = 1",
            "UPDATE {} SET name = 'x'",
            "MERGE INTO {} t USING acid s ON t.id = s.id WHEN MATCHED THEN DELETE",
            "INSERT INTO {} REPLACE WHERE id = 1 VALUES (1, 'x')",
        ):
            assert "insert-only" in refusal(partial(tables.sql, statement.format(f"t_{form}")))
        assert "insert-only" in refusal(AcidTable.forName(spark, f"t_{form}").delete)
        with pytest.raises(AnalysisException) as caught:
            tables.sql(f"SELECT ROW__ID FROM t_{form}")
        assert caught.value.getCondition() == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    assert tables.open_transactions() == []


@pytest.mark.slow
@pytest.mark.parametrize("form", WRITTEN)
def test_it_is_a_source_of_changes_to_other_tables(tables: Tables, form: str) -> None:
    tables.create("acid")
    tables.sql("INSERT INTO acid VALUES (1, 'a'), (2, 'b')")
    create(tables, "s", form)
    tables.sql("INSERT INTO s VALUES (2, 'B'), (3, 'C')")
    assert tables.sql("DELETE FROM acid WHERE id NOT IN (SELECT id FROM s)") == [(1,)]
    tables.sql(
        "MERGE INTO acid t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = s.name "
        "WHEN NOT MATCHED THEN INSERT *"
    )
    assert sorted(tables.sql("SELECT * FROM acid")) == [(2, "B"), (3, "C")]


@pytest.mark.slow
@pytest.mark.parametrize("form", WRITTEN)
def test_a_table_is_created_from_a_query_or_not_at_all(tables: Tables, form: str) -> None:
    tables.sql(f"CREATE TABLE c STORED AS {form} {INSERT_ONLY} AS SELECT 1 AS id, 'x' AS name")
    assert tables.sql("SELECT * FROM c") == [(1, "x")]
    with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
        tables.sql(f"CREATE TABLE d STORED AS {form} {INSERT_ONLY} AS SELECT 1/0 AS id")
    assert tables.sql("SHOW TABLES LIKE 'd'") == []
    tables.sql("DROP TABLE c")


def test_other_formats_are_not_written(tables: Tables) -> None:
    create(tables, "x", "TEXTFILE")
    assert "TEXTFILE" in refusal(lambda: tables.sql("INSERT INTO x VALUES (1, 'a')"))


def test_explain_reads_nothing_and_a_dry_run_tells_what_would_be_written(tables: Tables, spark: SparkSession) -> None:
    create(tables, "t", "PARQUET")
    tables.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    tables.sql("EXPLAIN EXTENDED SELECT * FROM t")
    assert tables.open_transactions() == []
    dry = hive_acid.dry_run(spark, "INSERT OVERWRITE t SELECT * FROM t WHERE id = 1")
    assert (dry.rows.inserted, dry.rows.replaced, dry.files, dry.buckets) == (1, 2, 1, (0,))
    assert len(tables.sql("SELECT * FROM t")) == 2
