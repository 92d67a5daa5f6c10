"""What an erasure and a verification find does not depend on the settings of the session that asks for them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import orc, parquet
from pyspark.sql import SparkSession

import hive_acid
from hive_acid.errors import HiveAcidError
from hive_acid.metastore.generated.ttypes import FieldSchema
from hive_acid.metastore.statistics.withdrawal import keep_statistics
from hive_acid.model.table import TableName
from hive_acid_erasure.engine import Key
from hive_acid_erasure.spark.erasure_engine import SparkErasureEngine
from hive_acid_erasure.spark.pinned_session import FAMILIES, FIXED, KEPT, pin_session
from integration.conftest import Tables
from support.erasure_calls import erase_once
from support.erasure_searches import matcher, search
from support.session_settings import set_for

SECRET = b"a secret that is nowhere to be seen"
BY_POSITION = "spark.hiveacid.read.columnsByPosition"
OTHERWISE = {
    "orc.force.positional.evolution": "true",
    "orc.force.positional.evolution.level": "2",
    "orc.proleptic.gregorian.default": "true",
    "orc.skip.corrupt.data": "true",
    "parquet.filter.stats.enabled": "false",
    "spark.hiveacid.READ.columnsByPosition": "false",
    "spark.sql.ansi.enabled": "false",
    "spark.sql.caseSensitive": "true",
    "spark.sql.files.ignoreCorruptFiles": "true",
    "spark.sql.files.ignoreMissingFiles": "true",
    "spark.sql.hive.convertMetastoreOrc": "false",
    "spark.sql.hive.convertMetastoreParquet": "false",
    "spark.sql.legacy.charVarcharAsString": "true",
    "spark.sql.legacy.timeParserPolicy": "LEGACY",
    "spark.sql.mapKeyDedupPolicy": "LAST_WIN",
    "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.ConstantFolding",
    "spark.sql.orc.enableVectorizedReader": "false",
    "spark.sql.orc.mergeSchema": "true",
    "spark.sql.parquet.binaryAsString": "true",
    "spark.sql.parquet.datetimeRebaseModeInRead": "LEGACY",
    "spark.sql.parquet.fieldId.read.enabled": "true",
    "spark.sql.parquet.fieldId.read.ignoreMissing": "true",
    "spark.sql.parquet.int96RebaseModeInRead": "LEGACY",
    "spark.sql.parquet.int96TimestampConversion": "true",
    "spark.sql.readSideCharPadding": "false",
    "spark.sql.storeAssignmentPolicy": "LEGACY",
}
"""Settings by which a session may read or compare otherwise, with another value than they have by default."""


def settings_of(session: SparkSession) -> Any:
    jsession: Any = session._jsparkSession
    return jsession.sessionState().conf()


def test_a_key_says_what_the_plan_says(spark: SparkSession, tables: Tables) -> None:
    table = tables.create("t")
    jsession: Any = spark._jsparkSession
    functions = jsession.sessionState().functionRegistry()
    names = functions.listFunction()
    lower, upper = (
        next(names.apply(at) for at in range(names.length()) if names.apply(at).funcName() == name)
        for name in ("lower", "upper")
    )
    own = functions.lookupFunction(lower).get(), functions.lookupFunctionBuilder(lower).get()
    functions.registerFunction(
        lower, functions.lookupFunction(upper).get(), functions.lookupFunctionBuilder(upper).get()
    )
    try:
        with set_for(spark, {"tail": "x"}):
            engine = SparkErasureEngine(spark, SECRET)
    finally:
        functions.registerFunction(lower, *own)
    for key, subject in (("lower(name)", "ada"), ("concat(name, '${tail}')", "Ada${tail}")):
        asked = matcher(engine, table, subject, key=Key((key,)))
        assert engine.judge_values(asked, [{"name": "Ada"}]) == (True,)


def test_each_setting_has_its_default_or_is_kept_by_name(spark: SparkSession) -> None:
    with set_for(spark, OTHERWISE):
        pinned = settings_of(pin_session(spark))
    names = {row.key for row in spark.sql("SET -v").collect()}
    assert len(names) > 100
    for name in sorted(names | OTHERWISE.keys()):
        is_ours = name.startswith(FAMILIES) and not name.startswith(KEPT)
        if name in FIXED:
            assert pinned.getConfString(name) == FIXED[name], name
        elif is_ours and (not name.startswith("spark.") or pinned.isModifiable(name)):
            assert not pinned.contains(name), name
    assert pinned.getConfString(BY_POSITION) == ""
    assert not pinned.contains("spark.hiveacid.READ.columnsByPosition")


def test_the_session_that_asks_keeps_its_settings_functions_and_catalogs(spark: SparkSession) -> None:
    with set_for(spark, {"spark.sql.caseSensitive": "true", "spark.sql.session.timeZone": "Asia/Tokyo"}):
        pinned = pin_session(spark)
        assert spark.conf.get("spark.sql.caseSensitive") == "true"
        assert pinned.conf.get("spark.sql.caseSensitive") == "false"
        assert pinned.conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"
    assert pinned.conf.get("spark.sql.shuffle.partitions") == spark.conf.get("spark.sql.shuffle.partitions")
    assert pinned.catalog.currentDatabase() == spark.catalog.currentDatabase()


def rename(tables: Tables, name: str, columns: Mapping[str, str]) -> None:
    """As Hive does; the files stay as they are."""
    table = TableName(tables.database, name)
    stored = tables.client._raw_table(table)
    stored.sd.cols = [FieldSchema(column, kind, None) for column, kind in columns.items()]
    del stored.parameters["transient_lastDdlTime"]
    tables.client._change(
        "alter_table_with_environment_context", table.database, table.table, stored, keep_statistics()
    )


KINDS = {
    "full": "'transactional'='true'",
    "insert-only": "'transactional'='true', 'transactional_properties'='insert_only'",
    "plain": "'made.by'='nobody'",
}


@pytest.mark.beyond_the_gate("a full ACID table; `unit/erasure/test_cross_check.py`", but=["full"])
@pytest.mark.parametrize("kind", KINDS)
def test_renamed_columns_are_searched_by_name_and_by_position(spark: SparkSession, tables: Tables, kind: str) -> None:
    tables.sql(f"CREATE TABLE t (id INT, name STRING, city STRING) STORED AS ORC TBLPROPERTIES ({KINDS[kind]})")
    tables.sql("INSERT INTO t VALUES (1, 'Ada', 'Ulm'), (2, 'Bo', 'Ada'), (3, 'Cyd', 'Rom'), (4, 'Ada', 'Ada')")
    rename(tables, "t", {"id": "int", "city": "string", "name": "string"})
    table = TableName(tables.database, "t")
    for settings in ({}, {BY_POSITION: "false"}, {BY_POSITION: "true"}, {"orc.force.positional.evolution": "true"}):
        with set_for(spark, settings):
            engine = SparkErasureEngine(spark, SECRET)
            found = search(engine, tables, matcher(engine, table, "Ada")).values()
        assert sum(file.match_count for file in found) == 3, settings
        assert sum(file.row_count for file in found) == 4, settings
        assert {file.problem for file in found if file.problem} <= {"it is neither ORC nor Parquet"}, settings


def test_an_erasure_is_done_where_columns_are_found_as_hive_does_and_refused_elsewhere(
    spark: SparkSession, tables: Tables, tmp_path: Path
) -> None:
    tables.create("t", "id INT, name STRING, city STRING")
    tables.sql("INSERT INTO t VALUES (1, 'Ada', 'Ulm'), (2, 'Bo', 'Rom')")
    rename(tables, "t", {"id": "int", "who": "string", "city": "string"})
    named = {f"{tables.database}.t": {"keys": {"who": "who"}}}
    with set_for(spark, {BY_POSITION: "false"}):
        with pytest.raises(HiveAcidError) as caught:
            erase_once(spark, tmp_path / "refused", ["Ada"], named, ["who"])
        searched = hive_acid.verify(spark, subjects=["Ada"], tables=named, columns=["who"], hash_key=SECRET)
    assert caught.value.getCondition() == "HIVE_ACID_ERASURE.COLUMNS_SETTING"
    assert {place.kind.value for place in searched.verdict.places} >= {"rows", "visible-rows"}
    assert tables.sql("SELECT who FROM t ORDER BY id") == [("Ada",), ("Bo",)]
    outcome = erase_once(spark, tmp_path / "done", ["Ada"], named, ["who"])
    assert outcome.verdict.state.value == "erased", outcome.verdict
    assert tables.sql("SELECT * FROM t") == [(2, "Bo", "Rom")]
    assert not [path for path in tables.location("t").rglob("*") if path.is_file() and b"Ada" in path.read_bytes()]


def test_an_erasure_within_a_transaction_of_the_session_is_refused(
    spark: SparkSession, tables: Tables, tmp_path: Path
) -> None:
    """Its own session would wait for the locks of that one."""
    tables.create("t", "id INT, who STRING")
    tables.sql("INSERT INTO t VALUES (1, 'Ada')")
    with pytest.raises(HiveAcidError) as caught, hive_acid.transaction(spark):
        tables.sql("DELETE FROM t WHERE id = 2")
        erase_once(spark, tmp_path, ["Ada"], {f"{tables.database}.t": {"keys": {"who": "who"}}}, ["who"])
    assert caught.value.getCondition() == "HIVE_ACID_TRANSACTION_STATE.NESTED"
    assert tables.sql("SELECT who FROM t") == [("Ada",)]


@pytest.mark.beyond_the_gate("the renamed columns of a full ACID table; the erasure of a renamed column")
def test_a_row_that_names_a_person_by_one_way_alone_is_rewritten_and_nobody_elses_value_is_changed(
    spark: SparkSession, tables: Tables, tmp_path: Path
) -> None:
    tables.create("t", "id INT, name STRING, city STRING")
    tables.sql("INSERT INTO t VALUES (1, 'Ada', 'Ulm'), (2, 'Bo', 'Ada'), (3, 'Cyd', 'Rom'), (4, 'Ada', 'Ada')")
    rename(tables, "t", {"id": "int", "city": "string", "name": "string"})
    outcome = erase_once(spark, tmp_path, ["Ada"], {f"{tables.database}.t": {"keys": {"who": "name"}}}, ["who"])
    assert outcome.verdict.state.value == "erased", outcome.verdict
    assert tables.sql("SELECT id, city, name FROM t ORDER BY id") == [(1, "Ada", "Ulm"), (3, "Cyd", "Rom")]


@pytest.mark.beyond_the_gate("each setting has its default; the other tests of the file")
def test_an_erasure_in_a_session_of_other_settings_is_that_of_any_session(
    spark: SparkSession, tables: Tables, tmp_path: Path
) -> None:
    tables.create("t", "id INT, code CHAR(5), price DECIMAL(12,9)")
    tables.sql("INSERT INTO t VALUES (1, 'Ada', 0.000000001), (2, 'Bo', 0.000000002), (3, 'Cyd', 0.000000003)")
    keys = {f"{tables.database}.t": {"keys": {"who": "price"}}}
    others = {key: value for key, value in OTHERWISE.items() if key.lower() != BY_POSITION.lower()}
    with set_for(spark, others):
        refused = hive_acid.verify(spark, subjects=["0.000000002"], tables=keys, columns=["who"], hash_key=SECRET)
    assert "rows" in {place.kind.value for place in refused.verdict.places}
    with set_for(spark, others):
        named = {f"{tables.database}.t": {"keys": {"who": "code"}}}
        outcome = erase_once(spark, tmp_path, ["Ada"], named, ["who"])
    assert outcome.verdict.state.value == "erased", outcome.verdict
    assert [row[0] for row in tables.sql("SELECT id FROM t ORDER BY id")] == [2, 3]


@pytest.mark.beyond_the_gate("a table of PARQUET; `unit/erasure/test_cross_check.py`", but=["PARQUET"])
@pytest.mark.parametrize("form", ["ORC", "PARQUET"])
def test_a_plain_table_is_searched_without_regard_to_case_in_files_of_any_size(
    spark: SparkSession, tables: Tables, form: str
) -> None:
    tables.sql(f"CREATE TABLE t (id INT, who STRING) STORED AS {form}")
    path = tables.location("t") / "000000_0"
    path.parent.mkdir(exist_ok=True)
    count = 300_000
    noise = [f"{number * 2654435761 % 2**32:08x}{number:056}" for number in range(count)]
    noise[count // 2] = "4711"  # neither the least nor the greatest
    content = pa.table({"ID": pa.array(range(count), pa.int32()), "WHO": noise})
    if form == "ORC":
        orc.write_table(content, path, compression="uncompressed")
    else:
        parquet.write_table(content, path, compression="none", use_dictionary=False)
    assert path.stat().st_size > 16 << 20
    named = {f"{tables.database}.t": {"keys": {"who": "who"}}}
    with set_for(spark, {"spark.sql.caseSensitive": "true"}):
        outcome = hive_acid.verify(spark, subjects=["4711"], tables=named, columns=["who"], hash_key=SECRET)
        nobody = hive_acid.verify(spark, subjects=["Zoe"], tables=named, columns=["who"], hash_key=SECRET)
    assert {place.kind.value for place in outcome.verdict.places} == {"rows", "visible-rows"}
    assert nobody.verdict.places == ()
    compared = nobody.payload["tables"][0]["cross_check"]
    assert (compared["files"], compared["rows"], compared["not_checked"]) == (1, count, [])


@pytest.mark.parametrize(
    "setting", ["textinputformat.record.delimiter", "mapreduce.input.linerecordreader.line.maxlength"]
)
def test_a_table_of_lines_is_not_erased_where_a_setting_makes_other_lines_of_it(
    spark: SparkSession, tables: Tables, tmp_path: Path, setting: str
) -> None:
    """Each line would be passed over, or all would be one: that of the person."""
    more = "'transactional'='true', 'transactional_properties'='insert_only'"
    tables.sql(f"CREATE TABLE t (who STRING, city STRING) STORED AS TEXTFILE TBLPROPERTIES ({more})")
    writer = tables.client.open_transaction("other", "host", "agent")
    folder = (
        tables.location("t") / f"base_{tables.client.allocate_write_id(writer, TableName(tables.database, 't')):07d}"
    )
    folder.mkdir()
    (folder / "000000_0").write_text("Ada\x01Ulm\nBo\x01Rom\n")
    tables.client.commit(writer)
    assert tables.sql("SELECT who FROM t ORDER BY who") == [("Ada",), ("Bo",)]
    plan = {f"{tables.database}.t": {"keys": {"who": "who"}}}
    with set_for(spark, {setting: "3"}):
        searched = hive_acid.verify(spark, subjects=["Ada"], tables=plan, columns=["who"], hash_key=SECRET)
        with pytest.raises(HiveAcidError, match="NOT_COUNTED"):
            erase_once(spark, tmp_path, ["Ada"], plan, ["who"])
    assert "unsearched" in {place.kind.value for place in searched.verdict.places}
