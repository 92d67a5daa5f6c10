"""An erasure finds a person in what no row of a table shows: dictionaries, columns that are gone, encrypted columns."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc
from pyspark.sql import SparkSession

from hive_acid.local import EmbeddedMetastore
from hive_acid.model.table import TableName
from hive_acid_erasure.engine import FileFinding, Key, KeyedHashes, Matcher
from hive_acid_erasure.spark.erasure_engine import SparkErasureEngine
from hive_acid_erasure.subjects.keyed_hash import HashKey
from integration.conftest import Tables
from support.encrypted_files import encrypt_rows, make_key_store
from support.erasure_calls import erase_once
from support.erasure_searches import matcher, search
from support.metastore_setup import thrift_setup

SECRET = b"a secret that is nowhere to be seen"
ADA = "ada@x.org"


@pytest.fixture
def engine(spark: SparkSession) -> SparkErasureEngine:
    return SparkErasureEngine(spark, SECRET)


def plain_table(tables: Tables, form: str, columns: str) -> TableName:
    tables.sql(f"CREATE TABLE plain ({columns}) STORED AS {form}")
    tables.location("plain").mkdir(exist_ok=True)
    return TableName(tables.database, "plain")


def the_one(findings: dict[str, FileFinding]) -> FileFinding:
    (found,) = findings.values()
    assert found.problem is None
    return found


def test_a_category_that_no_row_has_is_found_in_the_dictionary_page(tables: Tables, engine: SparkErasureEngine) -> None:
    table = plain_table(tables, "PARQUET", "email STRING, contact STRUCT<mail: STRING>, n INT")
    texts = pa.DictionaryArray.from_arrays(pa.array([0, 2, 0], pa.int8()), pa.array(["a", ADA, "z"]))
    contact = pa.StructArray.from_arrays([pa.array(["a", "z", "z"])], ["mail"])
    file = tables.location("plain") / "000000_0"
    pq.write_table(pa.table({"email": texts, "contact": contact, "n": pa.array([1, 2, 3], pa.int32())}), file)
    assert pq.read_table(file).column("email").to_pylist() == ["a", "z", "a"]
    found = the_one(search(engine, tables, matcher(engine, table, ADA, key=Key(("email",)))))
    assert (found.match_count, found.in_statistics, found.in_dictionary) == (0, False, True)
    upper = the_one(search(engine, tables, matcher(engine, table, ADA.upper(), key=Key(("upper(email)",)))))
    assert upper.in_dictionary
    for key, subject in (("email", "b"), ("contact.mail", ADA), ("n", "4")):
        other = the_one(search(engine, tables, matcher(engine, table, subject, key=Key((key,)))))
        assert not other.in_dictionary, key
    shown = the_one(search(engine, tables, matcher(engine, table, "z", key=Key(("contact.mail",)))))
    assert (shown.match_count, shown.in_dictionary) == (2, False)


def test_bytes_that_are_no_text_are_found_in_a_dictionary_page_and_in_statistics(
    tables: Tables, engine: SparkErasureEngine
) -> None:
    table = plain_table(tables, "PARQUET", "id BINARY, n INT")
    ids = pa.DictionaryArray.from_arrays(pa.array([0, 0], pa.int8()), pa.array([b"a", b"\xff\x01"], pa.binary()))
    pq.write_table(pa.table({"id": ids, "n": pa.array([1, 2], pa.int32())}), tables.location("plain") / "000000_0")
    key = HashKey(SECRET)
    for stored, finds in ((b"\xff\x01", (0, False, True)), (b"\xfe\x01", (0, False, False)), (b"a", (2, True, False))):
        keyed = KeyedHashes(Key(("id",)), frozenset({key.hash_bytes((stored,))}))
        found = the_one(search(engine, tables, Matcher(table, (keyed,))))
        assert (found.match_count, found.in_statistics, found.in_dictionary) == finds, stored


def test_the_least_and_the_greatest_moment_are_looked_at(tables: Tables, engine: SparkErasureEngine) -> None:
    moments = ["1969-12-30 23:59:59.999999", "2020-01-02 03:04:05.123456"]
    tables.create("t", "id INT, at TIMESTAMP")
    rows = ", ".join(f"(1, TIMESTAMP '{moment}')" for moment in moments)
    tables.sql(f"INSERT INTO t SELECT /*+ COALESCE(1) */ * FROM VALUES {rows}")
    plain_table(tables, "PARQUET", "id INT, at TIMESTAMP")
    stored = pa.array(moments).cast(pa.timestamp("us"))
    pq.write_table(pa.table({"id": pa.array([1, 2], pa.int32()), "at": stored}), tables.location("plain") / "000000_0")
    for name in ("t", "plain"):
        for moment, is_there in ((moments[0], True), (moments[1], True), ("2020-01-02 03:04:05", False)):
            whom = matcher(engine, TableName(tables.database, name), moment, key=Key(("at",)))
            found = [each for each in search(engine, tables, whom).values() if each.problem is None]
            assert [each.in_statistics for each in found] == [is_there], (name, moment)


def test_a_text_of_an_orc_dictionary_that_no_row_refers_to_is_found(tables: Tables, engine: SparkErasureEngine) -> None:
    """No writer makes one: the file is changed in place, as by a tool that masks rows."""
    table = plain_table(tables, "ORC", "email STRING, n INT")
    file = tables.location("plain") / "000000_0"
    texts = ["a", ADA, "z"] * 40
    orc.write_table(
        pa.table({"email": texts, "n": pa.array(range(120), pa.int32())}),
        file,
        compression="uncompressed",
        dictionary_key_size_threshold=1.0,
    )
    hide_second_entry(file)
    assert {row.email for row in tables.spark.read.orc(str(file)).collect()} == {"a", "z"}
    found = the_one(search(engine, tables, matcher(engine, table, ADA, key=Key(("email",)))))
    assert (found.match_count, found.in_statistics, found.in_dictionary) == (0, False, True)
    assert not the_one(search(engine, tables, matcher(engine, table, "b", key=Key(("email",))))).in_dictionary


def hide_second_entry(file: Path) -> None:
    """Lets each row that refers to the second of three texts of a dictionary refer to the first."""
    content = file.read_bytes()
    assert content.count(pack([0, 1, 2] * 40)) == 1
    file.write_bytes(content.replace(pack([0, 1, 2] * 40), pack([0, 0, 2] * 40)))


def pack(numbers: list[int]) -> bytes:
    """As ORC stores numbers of two bits."""
    bits = "".join(f"{number:02b}" for number in numbers)
    return int(bits, 2).to_bytes(len(bits) // 8, "big")


@pytest.mark.beyond_the_gate("the same of ORC, and of a dictionary of Parquet", cells=["PARQUET"])
@pytest.mark.parametrize("form", ["ORC", "PARQUET"])
def test_a_person_is_found_in_columns_that_the_table_has_no_more(
    tables: Tables, engine: SparkErasureEngine, form: str
) -> None:
    table = plain_table(tables, form, "id INT, email STRING, contact STRUCT<phone: STRING>, code BIGINT")
    contact = pa.StructArray.from_arrays([pa.array(["1", "2"]), pa.array(["x", f" {ADA.upper()}"])], ["phone", "mail"])
    tags = pa.array([["x", ADA], []])
    rows = pa.table(
        {
            "id": pa.array([1, 2], pa.int32()),
            "email": ["bob@x.org", "cyd@x.org"],
            "contact": contact,
            "mail": [None, ADA],
            "code": ["4711", ADA],
            "tags": tags,
            "owner": pa.array([7, 4711], pa.int64()),
            "count": ["7", "12345"],
            "note": [f"of {ADA}", "x"],
        }
    )
    file = tables.location("plain") / "000000_0"
    (orc.write_table if form == "ORC" else pq.write_table)(rows, file)
    by_mail = the_one(search(engine, tables, matcher(engine, table, ADA, key=Key(("email",)))))
    assert by_mail.match_count == 0
    assert [name.split(".")[0] for name in sorted(by_mail.former_columns)] == ["code", "contact", "mail", "tags"]
    by_number = the_one(search(engine, tables, matcher(engine, table, "4711", "7", "12345", key=Key(("id",)))))
    assert by_number.former_columns == ("owner",), "short numbers in texts name nobody"
    nobody = the_one(search(engine, tables, matcher(engine, table, "4711", key=Key(("email",)))))
    assert nobody.former_columns == (), "a number is compared by keys of numbers"


@pytest.mark.beyond_the_gate("`unit/erasure/test_phases.py`, and the search of files above")
def test_an_erasure_takes_a_person_out_of_a_column_that_was_dropped(
    tables: Tables, spark: SparkSession, metastore: EmbeddedMetastore, tmp_path: Path
) -> None:
    table = tables.create("people", "id INT, email STRING, former STRING")
    tables.sql(f"INSERT INTO people VALUES (1, 'bob@x.org', '{ADA}')")
    with thrift_setup(metastore.uri) as setup:
        setup.drop_columns(table, ["former"])
    tables.sql("INSERT INTO people VALUES (2, 'cyd@x.org')")
    assert len(tables.spark.table("people").columns) == 2
    plan = {str(table): {"keys": {"who": "email"}}}
    outcome = erase_once(spark, tmp_path, [ADA], plan, ["who"])
    assert outcome.verdict.state.value == "erased", outcome.verdict
    assert tables.sql("SELECT id, email FROM people ORDER BY id") == [(1, "bob@x.org"), (2, "cyd@x.org")]
    (file,) = tables.location("people").rglob("bucket_*")
    assert orc.ORCFile(file).schema.field("row").type.num_fields == 2


def test_an_encrypted_column_without_its_key_is_not_searched(
    tables: Tables, engine: SparkErasureEngine, spark: SparkSession
) -> None:
    store = make_key_store(spark)
    table = plain_table(tables, "ORC", "id INT, email STRING")
    file = tables.location("plain") / "000000_0"
    encrypt_rows(store, file, f"SELECT 1 AS id, '{ADA}' AS email, 'x' AS former", "email,former")
    ada = matcher(engine, table, ADA, key=Key(("email",)))
    (found,) = search(engine, tables, ada).values()
    assert found.problem == "its columns email, former are encrypted, and the session has none of the keys pii"
    (by_id,) = search(engine, tables, matcher(engine, table, "1", key=Key(("id",)))).values()
    assert "former" in (by_id.problem or "")
    assert "email" not in (by_id.problem or "")
    with store.known():
        assert the_one(search(engine, tables, ada)).match_count == 1
