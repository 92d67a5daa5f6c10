"""A subject is found by the exact value of a key, whatever its type is, or the key is refused by name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import hive_acid
from hive_acid.errors import HiveAcidError
from hive_acid.local import EmbeddedMetastore
from hive_acid.model.table import TableName
from hive_acid_erasure.certificate.signing import HASH_KEY_FILE, PUBLIC_KEY_FILE, SIGNING_KEY_FILE, make_keys
from hive_acid_erasure.engine import Key, KeyedHashes, Matcher, PhysicalFile
from hive_acid_erasure.plan.key_types import find_change
from hive_acid_erasure.run import Outcome
from hive_acid_erasure.spark.erasure_engine import SparkErasureEngine
from integration.conftest import Tables
from support.metastore_setup import thrift_setup
from support.session_settings import set_for

CHARS = "id INT, code CHAR(4), codes ARRAY<CHAR(4)>, named MAP<CHAR(4), STRING>, inner STRUCT<code: CHAR(4)>"
FULL_ACID = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"


@pytest.fixture
def engine(spark: SparkSession) -> SparkErasureEngine:
    return SparkErasureEngine(spark, b"a secret that is nowhere to be seen")


def condition_of(call: Any) -> str:
    with pytest.raises(HiveAcidError) as caught:
        call()
    return str(caught.value.getCondition()).removeprefix("HIVE_ACID_ERASURE.")


def matcher(engine: SparkErasureEngine, table: TableName, part: str, *subjects: str) -> Matcher:
    key = Key((part,))
    types = engine.types(table, key)
    return Matcher(table, (KeyedHashes(key, engine.spell(table, key, [(each,) for each in subjects]), types),))


def search(engine: SparkErasureEngine, tables: Tables, found: Matcher) -> int:
    paths = (path for path in sorted(tables.location(found.table.table).rglob("bucket_*")) if path.is_file())
    files = [PhysicalFile(str(path), path.stat().st_size, path.stat().st_mtime_ns // 1_000_000) for path in paths]
    return sum(finding.match_count for finding in engine.search(found, files))


def test_a_key_is_of_the_columns_alone(spark: SparkSession, tables: Tables) -> None:
    table = TableName(tables.database, "t")
    tables.sql(f"CREATE TABLE t (id INT, name STRING, names ARRAY<STRING>) PARTITIONED BY (day DATE) {FULL_ACID}")
    spark.udf.register("spell_out", str)
    engine = SparkErasureEngine(spark, b"a secret that is nowhere to be seen")
    refused = {
        "spell_out(name)": "spell_out",
        "if(rand() < 0.5, name, '')": "rand",
        "shuffle(names)": "shuffle",
        "if(input_file_name() LIKE 'x%', name, '')": "input_file_name",
        f"(SELECT max(name) FROM {table})": "a subquery",
        "CAST(row__id.rowid AS STRING)": "row__id",
        "if(day < current_date(), name, '')": "current_date",
        "concat(name, now())": "now",
        "concat(name, current_user())": "current_user",
        "lower('ADA')": "constants",
        "1 + 1": "constants",
    }
    for part, what in refused.items():
        key, told = Key((part,)), f"the key {re.escape(part)} of {table} is made of {what}, not only"
        with pytest.raises(HiveAcidError, match=told) as caught:
            engine.types(table, key)
        assert caught.value.getCondition() == "HIVE_ACID_ERASURE.PLAN_KEY"
    assert condition_of(lambda: engine.types(table, Key(("name", "1")))) == "PLAN_KEY"
    taken = (
        "name",
        "day",
        "nvl(name, 'x')",
        "transform(names, each -> lower(each))",
        "if(id BETWEEN 1 AND 2, name, '')",
        "concat(names, array())",
        "nullif(name, '')",
    )
    for part in taken:
        assert engine.types(table, Key((part,))).columns
    spark.sql("DROP TEMPORARY FUNCTION spell_out")


@pytest.mark.parametrize(
    ("kind", "value", "subject"),
    [
        ("DECIMAL(10, 0)", "100", "100.4"),
        ("DECIMAL(10, 0)", "100", "99.6"),
        ("DATE", "DATE'1984-01-01'", "1984"),
        ("DATE", "DATE'1984-01-01'", "1984-01"),
        ("DOUBLE", "9007199254740992D", "9007199254740993"),
        ("TIMESTAMP", "TIMESTAMP'1984-01-01 00:00:00'", "1984"),
        ("INT", "7", "7.9"),
    ],
)
def test_a_subject_near_the_key_of_another_person_is_refused(
    tables: Tables, engine: SparkErasureEngine, kind: str, value: str, subject: str
) -> None:
    table = tables.create("t", f"ident {kind}")
    tables.sql(f"INSERT INTO t VALUES ({value})")
    with pytest.raises(HiveAcidError) as caught:
        engine.spell(table, Key(("ident",)), [(subject,)])
    assert caught.value.getCondition() == "HIVE_ACID_ERASURE.SUBJECT_TYPE"
    assert subject not in str(caught.value)


@pytest.mark.parametrize("is_ansi", ["true", "false"])
def test_small_decimals_are_spelled_alike_whatever_a_session_shows(
    spark: SparkSession, tables: Tables, engine: SparkErasureEngine, is_ansi: str
) -> None:
    """So that a certificate of one session is checked in another."""
    table = tables.create("t", "ident DECIMAL(10, 8)")
    tables.sql("INSERT INTO t VALUES (0.0000001), (1)")
    found = matcher(engine, table, "ident", "0.0000001")
    with set_for(spark, {"spark.sql.ansi.enabled": is_ansi}):
        other = SparkErasureEngine(spark, b"a secret that is nowhere to be seen")
        assert other.count(found, None).matched == 1
        assert matcher(other, table, "ident", "0.0000001") == found


@pytest.mark.beyond_the_gate(
    "`unit/erasure/test_key_types.py`, the Scala tests; the other tests of the file; some keys and links",
    but=["lower(rtrim(code))-types3", "map_keys(named)-types6"],
)
@pytest.mark.parametrize(
    ("part", "types"),
    [
        ("code", ("char(4)",)),
        ("(t.code)", ("char(4)",)),
        ("rtrim(code)", ("string",)),
        ("lower(rtrim(code))", ("string",)),
        ("codes", ("char(4)",)),
        ("codes[0]", ("char(4)",)),
        ("map_keys(named)", ("char(4)",)),
        ("inner.code", ("char(4)",)),
        ("upper(trim(inner.code))", ("string",)),
        ("if(code = 'ab' AND id = 1, 'ab', 'nobody')", ("string",)),
    ],
)
def test_the_blanks_of_a_char_hide_nobody(
    tables: Tables, engine: SparkErasureEngine, part: str, types: tuple[str, ...]
) -> None:
    table = tables.create("t", CHARS)
    tables.sql("INSERT INTO t SELECT 1, 'ab', array('ab'), map('ab', 'x'), named_struct('code', 'ab')")
    tables.sql("INSERT INTO t SELECT 2, 'cd', array('cd'), map('cd', 'ab'), named_struct('code', 'cd')")
    assert engine.types(table, Key((part,))).parts == types
    found = matcher(engine, table, part, "AB" if "upper" in part else "ab")
    assert engine.count(found, None).matched == 1
    assert search(engine, tables, found) == 1
    assert engine.delete([found], {})[0].row_count == 1
    assert tables.sql("SELECT id FROM t") == [(2,)]


@pytest.mark.parametrize(
    "part",
    [
        "lower(code)",
        "coalesce(code, '')",
        "concat(code, 'x')",
        "CAST(code AS STRING)",
        "upper(inner.code)",
        "lower(codes[0])",
        "transform(codes, each -> lower(each))",
        "CAST(inner AS STRING)",
    ],
)
def test_a_key_that_would_keep_the_blanks_of_a_char_is_refused(
    tables: Tables, engine: SparkErasureEngine, part: str
) -> None:
    table = tables.create("t", CHARS)
    assert condition_of(lambda: engine.types(table, Key((part,)))) == "PLAN_CHAR"


@pytest.mark.parametrize(
    ("setting", "value"),
    [("spark.sql.readSideCharPadding", "false"), ("spark.sql.legacy.charVarcharAsString", "true")],
)
def test_char_is_compared_with_its_blanks_also_for_a_session_that_pads_none(
    spark: SparkSession, tables: Tables, setting: str, value: str
) -> None:
    table = tables.create("t", "id INT, code CHAR(4), codes ARRAY<CHAR(4)>")
    tables.sql("INSERT INTO t VALUES (1, 'ab', array('cd')), (2, 'xy', NULL)")
    with set_for(spark, {setting: value}):
        engine = SparkErasureEngine(spark, b"a secret that is nowhere to be seen")
        assert engine.types(table, Key(("code",))).parts == ("char(4)",)
        for part, subject in (("code", "ab"), ("codes", "cd")):
            found = matcher(engine, table, part, subject)
            assert (engine.count(found, None).matched, search(engine, tables, found)) == (1, 1)


def test_a_key_that_is_computed_by_the_time_zone_is_another_key_in_another_zone(
    spark: SparkSession, tables: Tables
) -> None:
    table, key = tables.create("t", "seconds BIGINT, day STRING"), Key(("from_unixtime(seconds)", "lower(day)"))
    types = {}
    for zone in ("UTC", "Asia/Tokyo"):
        with set_for(spark, {"spark.sql.session.timeZone": zone}):
            types[zone] = SparkErasureEngine(spark, b"a secret that is nowhere to be seen").types(table, key)
    change = find_change(key, types["UTC"], types["Asia/Tokyo"])
    assert change == "column seconds was of type bigint in Z, and is of type bigint in Asia/Tokyo"
    assert [column.data_type for column in types["UTC"].columns] == ["bigint in Z", "string"]


class Request:
    """An erasure of Ada and its check, by files of one folder."""

    def __init__(self, spark: SparkSession, folder: Path, tables: dict[str, Any], subject: str) -> None:
        make_keys(folder / "keys")
        self.spark, self.folder, self.subject = spark, folder, subject
        self.plan = {"tables": tables, "columns": ["who"]}
        self.hash_key = bytes.fromhex((folder / "keys" / HASH_KEY_FILE).read_text().strip())

    def erase(self) -> Outcome:
        return hive_acid.erase(
            self.spark,
            subjects=[self.subject],
            hash_key=self.hash_key,
            signing_key=self.folder / "keys" / SIGNING_KEY_FILE,
            ledger=self.folder / "ledger",
            certificate=self.folder / "certificate.json",
            **self.plan,
        )

    def recheck(self) -> list[str]:
        found = hive_acid.verify_certificate(
            self.spark, self.folder / "certificate.json", self.hash_key, self.folder / "keys" / PUBLIC_KEY_FILE
        )
        return [f"{place.kind.value}: {place.detail}" for each in found for place in each.places]


@pytest.mark.beyond_the_gate(
    "`unit/erasure/test_key_types.py`, the Scala tests; the other tests of the file; some keys and links",
    but=["CHAR(4)-'ab'-STRING-ident-False"],
)
@pytest.mark.parametrize(
    ("given", "value", "wanted", "link", "is_right"),
    [
        ("CHAR(4)", "'ab'", "STRING", "ident", False),
        ("CHAR(4)", "'ab'", "STRING", "rtrim(ident)", True),
        ("CHAR(4)", "'ab'", "CHAR(6)", "ident", False),
        ("DECIMAL(12, 2)", "7", "INT", "ident", False),
        ("DECIMAL(12, 2)", "7", "INT", "CAST(ident AS INT)", True),
        ("DOUBLE", "7D", "INT", "ident", False),
        ("TIMESTAMP", "TIMESTAMP'2024-02-29 00:00:00'", "DATE", "ident", False),
        ("BIGINT", "7L", "DECIMAL(10, 0)", "ident", True),
    ],
)
def test_a_link_between_types_that_spell_values_otherwise_is_refused(
    spark: SparkSession,
    tables: Tables,
    tmp_path: Path,
    given: str,
    value: str,
    wanted: str,
    link: str,
    is_right: bool,
) -> None:
    tables.sql(f"CREATE TABLE people (name STRING, ident {given}) {FULL_ACID}")
    tables.sql(f"CREATE TABLE visits (ident {wanted}) {FULL_ACID}")
    tables.sql(f"INSERT INTO people VALUES ('Ada', {value})")
    tables.sql(f"INSERT INTO visits SELECT CAST({value} AS {wanted})")
    step = {"table": f"{tables.database}.people", "keys": {"who": "name"}, "link": {"ident": link}}
    plan = {f"{tables.database}.visits": {"keys": {"ident": "ident"}, "via": [step]}}
    request = Request(spark, tmp_path, plan, "Ada")
    if not is_right:
        assert condition_of(request.erase) == "PLAN_LINK_TYPE"
        assert len(tables.sql("SELECT * FROM visits")) == 1
        return
    assert request.erase().verdict.state.value == "erased"
    assert tables.sql("SELECT * FROM visits") == []


@pytest.fixture
def numbered(spark: SparkSession, tables: Tables, tmp_path: Path) -> Request:
    """A table whose rows name people by a number."""
    tables.sql(f"CREATE TABLE people (id INT, name STRING) {FULL_ACID}")
    tables.sql("INSERT INTO people VALUES (7, 'Ada'), (8, 'Bob')")
    return Request(spark, tmp_path, {f"{tables.database}.people": {"keys": {"who": "id"}}}, "7")


@pytest.mark.beyond_the_gate("`unit/erasure/test_key_types.py`")
def test_a_certificate_tells_that_the_type_of_a_key_has_changed_since(
    numbered: Request, tables: Tables, metastore: EmbeddedMetastore
) -> None:
    assert numbered.erase().verdict.state.value == "erased"
    with thrift_setup(metastore.uri) as setup:
        setup.alter_columns(TableName(tables.database, "people"), {"id": "bigint"})
        assert numbered.recheck() == []
        setup.alter_columns(TableName(tables.database, "people"), {"id": "double"})
    tables.sql("INSERT INTO people VALUES (7D, 'Ada')")
    (place,) = numbered.recheck()
    assert place.startswith("changed-table") and "column id was of type int, and is of type double" in place


def test_an_erasure_goes_not_on_by_a_key_whose_type_has_changed(
    numbered: Request, tables: Tables, metastore: EmbeddedMetastore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(SparkErasureEngine, "delete", end)
        with pytest.raises(KeyboardInterrupt):
            numbered.erase()
    with thrift_setup(metastore.uri) as setup:
        setup.alter_columns(TableName(tables.database, "people"), {"id": "double"})
    assert condition_of(numbered.erase) == "CHANGED_KEY"
    assert tables.sql("SELECT name FROM people ORDER BY name") == [("Ada",), ("Bob",)]


def test_a_key_whose_type_changes_while_rows_are_deleted_takes_the_deletion_back(
    engine: SparkErasureEngine, tables: Tables, metastore: EmbeddedMetastore
) -> None:
    table = tables.create("people")
    tables.sql("INSERT INTO people VALUES (7, 'Ada'), (8, 'Bob')")
    found = matcher(engine, table, "id", "7")
    with thrift_setup(metastore.uri) as setup:
        setup.alter_columns(table, {"id": "decimal(12,0)"})
        assert engine.count(found, None).matched == 1
        setup.alter_columns(table, {"id": "double"})
    assert condition_of(lambda: engine.delete([found], {})) == "CHANGED_KEY"
    assert tables.open_transactions() == []
    assert len(tables.sql("SELECT * FROM people")) == 2
