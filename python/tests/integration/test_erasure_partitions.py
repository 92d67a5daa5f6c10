"""Partitions that subjects fill alone, or whose value is NULL, lose the bytes, too; names of partitions show nobody."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from hive_acid.errors import HiveAcidError
from hive_acid.model.table import TableName
from hive_acid_erasure.engine import Key, KeyedHashes, Matcher
from hive_acid_erasure.spark.erasure_engine import SparkErasureEngine
from integration.conftest import Tables
from support.erasure_calls import erase_once

pytestmark = pytest.mark.beyond_the_gate("`unit/erasure`; a flat table; two types")

ADA = "ada.lovelace@example.org"
INSERT_ONLY = "'transactional'='true', 'transactional_properties'='insert_only'"
FULL_ACID = "'transactional'='true'"
PARTITIONED = "PARTITIONED BY (day STRING)"
ROWS = [
    f"(1, '{ADA}', 'mon')",
    f"(2, '{ADA}', 'tue')",
    "(3, 'cyd@example.org', 'tue')",
    f"(4, '{ADA}', NULL)",
    "(5, 'cyd@example.org', 'wed')",
]


@pytest.mark.beyond_the_gate("`unit/erasure`; a flat table; two types", but=["-ORC-'transactional'='true'"])
@pytest.mark.parametrize(("word", "kind"), [("ORC", INSERT_ONLY), ("PARQUET", INSERT_ONLY), ("ORC", FULL_ACID)])
@pytest.mark.parametrize("clause", [PARTITIONED, ""])
def test_the_bytes_of_emptied_partitions_and_tables_are_gone(
    spark: SparkSession, tables: Tables, tmp_path: Path, word: str, kind: str, clause: str
) -> None:
    columns = "id INT, email STRING" if clause else "id INT, email STRING, day STRING"
    tables.sql(f"CREATE TABLE sales ({columns}) {clause} STORED AS {word} TBLPROPERTIES ({kind})")
    rows = ROWS if clause else [row for row in ROWS if ADA in row]
    tables.sql(f"INSERT INTO sales VALUES {', '.join(rows)}")
    outcome = erase_once(spark, tmp_path, [ADA], {f"{tables.database}.sales": {"keys": {"email": "email"}}}, ["email"])
    assert outcome.verdict.state.value == "erased", outcome.verdict
    files = [path for path in tables.location("sales").rglob("*") if path.is_file()]
    assert not [path for path in files if b"lovelace" in path.read_bytes()]
    assert tables.sql("SELECT id FROM sales ORDER BY id") == ([(3,), (5,)] if clause else [])
    assert outcome.certificate is not None
    compacted = {entry["partition"] for entry in outcome.certificate.payload["tables"][0]["compactions"]}
    assert compacted == ({"day=mon", "day=tue", "day=__HIVE_DEFAULT_PARTITION__"} if clause else {""})


@pytest.mark.beyond_the_gate("a DATE; `unit/erasure`", but=["DATE-values3"])
@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("CHAR(4)", ("'ab'", "'abcd'")),
        ("VARCHAR(4)", ("'ab'", "'a b'")),
        ("STRING", ("'a/b=c%d'", "'ä ö'")),
        ("DATE", ("DATE'2024-02-29'", "DATE'1900-01-01'")),
        ("DECIMAL(10, 2)", ("1.50", "0.00")),
        ("DOUBLE", ("1.5D", "1e20D")),
        ("BOOLEAN", ("true", "false")),
        ("TIMESTAMP", ("TIMESTAMP'2024-02-29 01:02:03.5'", "TIMESTAMP'2024-03-01 00:00:00'")),
    ],
)
def test_partitions_of_any_type_are_matched(
    spark: SparkSession, tables: Tables, kind: str, values: tuple[str, str]
) -> None:
    tables.sql(
        f"CREATE TABLE t (id INT, name STRING) PARTITIONED BY (p {kind}) STORED AS ORC TBLPROPERTIES ({INSERT_ONLY})"
    )
    first, second = values
    rows = [f"(1, 'Ada', {first})", f"(2, 'Ada', {second})", f"(3, 'Bob', {second})", "(4, 'Ada', NULL)"]
    tables.sql(f"INSERT INTO t VALUES {', '.join(rows)}, (5, 'Bob', NULL)")
    engine, table, key = SparkErasureEngine(spark, b"x" * 32), TableName(tables.database, "t"), Key(("name",))
    matcher = Matcher(table, (KeyedHashes(key, engine.spell(table, key, [("Ada",)])),))
    names = engine._attachment.metastore.partition_names(table)
    assert len(names) == 3
    for condition in (f"p = {first}", f"p <=> {second}", "p IS NULL", f"p IN ({first}, {second})"):
        assert engine.choose_partitions(table, condition, names) == engine.count(matcher, condition).by_partition.keys()
    for wrong in ("id = 1", "p =", "q = 1"):
        with pytest.raises(HiveAcidError) as caught:
            engine.choose_partitions(table, wrong, ())
        assert caught.value.getCondition() == "HIVE_ACID_ERASURE.PLAN_PARTITIONS"
    assert sorted(engine.count(matcher, None).by_partition.values()) == [1, 1, 1]
    deletion = engine.delete([matcher], {})[0]
    assert (deletion.row_count, deletion.partitions) == (3, frozenset(names))
    assert tables.sql("SELECT id FROM t ORDER BY id") == [(3,), (5,)]
    assert len(list(tables.location("t").glob("p=*/base_*"))) == 3
