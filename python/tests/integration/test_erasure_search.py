"""The engine of an erasure finds a subject in files that no snapshot shows, and gives it away nowhere."""

from __future__ import annotations

import shutil

import pyarrow as pa
import pytest
from pyarrow import orc
from pyspark.sql import SparkSession

from hive_acid.errors import HiveAcidError
from hive_acid.metastore.compaction_types import CompactionKind
from hive_acid.model.table import TableName
from hive_acid_erasure.engine import FileFinding, Key, KeyedHashes, Matcher
from hive_acid_erasure.spark.erasure_engine import SparkErasureEngine
from integration.conftest import Compactions, Tables
from support.erasure_searches import matcher, matches, search

SECRET = b"a secret that is nowhere to be seen"


@pytest.fixture
def engine(spark: SparkSession) -> SparkErasureEngine:
    return SparkErasureEngine(spark, SECRET)


def test_deleted_rows_are_found_until_their_files_are_gone(
    tables: Tables, engine: SparkErasureEngine, compactions: Compactions
) -> None:
    table = tables.create("t")
    tables.sql("INSERT INTO t VALUES (1, 'Ada')")
    tables.sql("INSERT INTO t VALUES (2, 'Bob')")
    compactions.run(table, CompactionKind.MAJOR)
    tables.sql("INSERT INTO t VALUES (3, 'Ada')")
    ada = matcher(engine, table, "Ada")
    assert engine.count(ada, None).by_partition == {"": 2}
    deletion = engine.delete([ada], {})[0]
    assert (deletion.row_count, deletion.write_id) == (2, 4)
    assert deletion.txn_id > 0
    assert engine.count(ada, None).by_partition == {}

    findings = search(engine, tables, ada)
    assert matches(findings, "base_") == [(2, 1)]
    assert matches(findings, "delta_0000003") == [(1, 1)]
    assert all(count == 0 for _, count in matches(findings, "delete_delta_"))
    masks = {path: finding for path, finding in findings.items() if path.startswith("delete_delta_")}
    assert sum(finding.row_count for finding in masks.values()) == 2, [finding.problem for finding in masks.values()]

    (compaction,) = engine.compact(table, [""])
    assert compaction.id
    assert compaction.failure is None
    newest = max(path for path in search(engine, tables, ada) if path.startswith("base_"))
    assert matches(search(engine, tables, ada), newest) == [(1, 0)]


def test_leftovers_and_hidden_files_are_read(tables: Tables, engine: SparkErasureEngine) -> None:
    table = tables.create("t")
    tables.sql("INSERT INTO t VALUES (1, 'Ada')")
    root = tables.location("t")
    source = next(root.glob("delta_*/bucket_*"))
    for place in ("_tmp.hidden/part", ".staging/_x", "delta_0000009_0000009_0000/bucket_00000", "000000_0"):
        copy = root / place
        copy.parent.mkdir(exist_ok=True)
        shutil.copy(source, copy)
    findings = search(engine, tables, matcher(engine, table, "Ada"))
    rows = {path: finding.match_count for path, finding in findings.items() if finding.problem is None}
    assert rows == dict.fromkeys(
        [
            str(source.relative_to(root)),
            "_tmp.hidden/part",
            ".staging/_x",
            "delta_0000009_0000009_0000/bucket_00000",
            "000000_0",
        ],
        1,
    )
    assert all(finding.in_statistics for finding in findings.values() if finding.problem is None)
    nobody = search(engine, tables, matcher(engine, table, "Bob"))
    assert not any(finding.match_count or finding.in_statistics for finding in nobody.values())


def test_a_damaged_file_hides_no_other(tables: Tables, engine: SparkErasureEngine) -> None:
    table = tables.create("t")
    tables.sql("INSERT INTO t VALUES (1, 'Ada')")
    root = tables.location("t")
    source = next(root.glob("delta_*/bucket_*"))
    (root / "cut").write_bytes(source.read_bytes()[:-30])
    (root / "text").write_text("Ada")
    (root / "empty").write_bytes(b"")
    findings = search(engine, tables, matcher(engine, table, "Ada"))
    assert findings["cut"].problem
    assert findings["text"].problem == "it is neither ORC nor Parquet"
    assert findings["empty"] == FileFinding(str(root / "empty"), 0, 0, in_statistics=False)
    assert matches(findings, "delta_") == [(1, 1)]


@pytest.mark.beyond_the_gate(
    "`unit/erasure`, the Scala tests; a field of a struct, an element of an array; "
    "a field of a structure; `unit/erasure`",
    but=["contact.email-ada@x.org"],
)
@pytest.mark.parametrize(
    ("part", "subject"),
    [
        ("contact.email", "ada@x.org"),
        ("lower(contact.email)", "ada@x.org"),
        ("contact.phone", "1"),
        ("reverse(contact.phone)", "1"),
        ("map_keys(attributes)", "Ada"),
        ("tags", "a"),
        ("id", "007"),
        ("day", "2024-02-29"),
        ("price", "1.5"),
        ("code", "ab"),
        ("place", "Oslo"),
    ],
)
def test_keys_of_many_forms(tables: Tables, engine: SparkErasureEngine, part: str, subject: str) -> None:
    columns = """id INT, contact STRUCT<email: STRING, phone: STRING>, attributes MAP<STRING, STRING>,
        tags ARRAY<STRING>, day DATE, price DECIMAL(10, 2), code CHAR(4)"""
    table = tables.create("t", columns, "PARTITIONED BY (place STRING) CLUSTERED BY (id) INTO 2 BUCKETS")
    tables.sql("""INSERT INTO t VALUES
        (7, named_struct('email', 'ada@x.org', 'phone', '1'), map('Ada', 'x'), array('z', 'a'), DATE'2024-02-29', 1.5,
         'ab', 'Oslo'),
        (8, named_struct('email', 'bob@x.org', 'phone', '2'), map('Bob', 'Ada'), array('b'), DATE'2024-03-01', 2.5,
         'cd', 'Rome'),
        (9, NULL, NULL, NULL, NULL, NULL, NULL, 'Rome')""")
    found = matcher(engine, table, subject, key=Key((part,)))
    assert engine.count(found, None).by_partition == {"place=Oslo": 1}
    assert engine.count(found, None).total == 3
    named = next(iter(found.keys[0].hashes))
    assert engine.links(found, Key(("id",))) == {named: engine.spell(table, Key(("id",)), [("7",)])}
    assert engine.links(found, Key(("tags",))) == {named: engine.spell(table, Key(("tags",)), [("a",), ("z",)])}
    for link, count in (("id", 1), ("nullif(id, 7)", 0)):
        with_link = Key((f"if(({link}) IS NOT NULL, ({part}), NULL)",))
        linked = Matcher(table, (KeyedHashes(with_link, found.keys[0].hashes),))
        assert sum(each.match_count for each in search(engine, tables, linked, "place").values()) == count
    findings = search(engine, tables, found, "place")
    assert sum(finding.match_count for finding in findings.values()) == 1
    assert sum(count for _, count in matches(findings, "place=Oslo")) == 1
    assert engine.delete([found], {table: "place = 'Rome'"})[0].row_count == 0
    assert engine.delete([found], {table: "place = 'Oslo'"})[0].row_count == 1


def test_links_are_given_by_the_subjects_that_rows_name(tables: Tables, engine: SparkErasureEngine) -> None:
    table = tables.create("t", "name STRING, tags ARRAY<STRING>, account INT")
    tables.sql("""INSERT INTO t VALUES ('Ada', array('Bob', NULL), 1), ('Ada', NULL, NULL), ('Cyd', array('Bob'), 3),
        ('Eve', array(), NULL), ('Zoe', array('Zoe'), 9)""")
    names, account = Key(("name",)), Key(("account",))
    hashes = {text: engine.spell_each(table, names, [(text,)])[0] for text in ("Ada", "Bob", "Eve", "Nobody")}
    known = frozenset(hashes.values())
    found = Matcher(table, tuple(KeyedHashes(key, known) for key in (names, Key(("tags",)))))
    numbers = {text: engine.spell(table, account, [(text,)]) for text in ("1", "3")}
    expected = {"Ada": numbers["1"], "Bob": numbers["1"] | numbers["3"], "Eve": frozenset[bytes]()}
    assert engine.links(found, account) == {hashes[name]: links for name, links in expected.items()}
    assert engine.links(Matcher(table, (KeyedHashes(names, frozenset()),)), account) == {}
    to_tags = engine.links(Matcher(table, (KeyedHashes(names, known),)), Key(("tags",)))
    assert to_tags == {hashes["Ada"]: frozenset({hashes["Bob"]}), hashes["Eve"]: frozenset()}


def test_a_composite_key_needs_all_parts(tables: Tables, engine: SparkErasureEngine) -> None:
    table = tables.create("t", "first STRING, last STRING")
    tables.sql("INSERT INTO t VALUES ('Ada', 'Lovelace'), ('Ada', NULL), ('AdaLove', 'lace')")
    key = Key(("first", "last"))
    found = Matcher(table, (KeyedHashes(key, engine.spell(table, key, [("Ada", "Lovelace")])),))
    assert engine.count(found, None).matched == 1
    assert [finding.match_count for finding in search(engine, tables, found).values() if not finding.problem] == [1]


def test_a_file_of_no_partition_is_not_taken_for_searched_by_a_key_of_partition_columns(
    tables: Tables, engine: SparkErasureEngine
) -> None:
    table = tables.create("t", more="PARTITIONED BY (place STRING)")
    tables.sql("INSERT INTO t VALUES (1, 'Ada', 'Oslo')")
    root = tables.location("t")
    (root / "lost").mkdir()
    shutil.copy(next(root.glob("place=Oslo/delta_*/bucket_*")), root / "lost" / "000000_0")
    key = Key(("name", "place"))
    both = Matcher(table, (KeyedHashes(key, engine.spell(table, key, [("Ada", "Oslo")])),))
    found = search(engine, tables, both, "place")
    assert sum(finding.match_count for finding in found.values()) == 1
    assert "partition" in (found["lost/000000_0"].problem or "")
    alone = search(engine, tables, matcher(engine, table, "Ada"), "place")
    assert (alone["lost/000000_0"].match_count, alone["lost/000000_0"].problem) == (1, None)


def test_a_subject_that_is_no_value_of_the_type_is_told_without_saying_it(
    tables: Tables, engine: SparkErasureEngine
) -> None:
    table = tables.create("t")
    with pytest.raises(HiveAcidError) as raised:
        engine.spell(table, Key(("id",)), [("7",), ("Ada",)])
    assert raised.value.getCondition() == "HIVE_ACID_ERASURE.SUBJECT_TYPE"
    assert "Ada" not in str(raised.value)


@pytest.mark.beyond_the_gate(
    "`unit/erasure`, the Scala tests; tables of Parquet; the other tests of the file", cells=["ORC"]
)
@pytest.mark.parametrize("word", ["ORC", "PARQUET"])
def test_partitions_of_insert_only_tables_are_written_anew(
    tables: Tables, engine: SparkErasureEngine, word: str
) -> None:
    more = "'transactional'='true', 'transactional_properties'='insert_only'"
    tables.sql(f"CREATE TABLE t (id INT, name STRING) PARTITIONED BY (p INT) STORED AS {word} TBLPROPERTIES ({more})")
    table = TableName(tables.database, "t")
    tables.sql("INSERT INTO t VALUES (1, 'Ada', 1), (2, 'Bob', 1), (3, 'Ada', 2), (4, 'Cyd', 2), (5, 'Cyd', 3)")
    ada = matcher(engine, table, "Ada")
    findings = search(engine, tables, ada, "p")
    assert sum(finding.match_count for finding in findings.values()) == 2
    assert all(finding.in_statistics == (finding.match_count > 0) for finding in findings.values())
    deletion = engine.delete([ada], {})[0]
    assert (deletion.row_count, deletion.write_id) == (2, 2)
    assert tables.sql("SELECT id FROM t ORDER BY id") == [(2,), (4,), (5,)]
    assert matches(search(engine, tables, ada, "p"), "p=1/base_") == [(1, 0)]
    assert not list(tables.location("t").glob("p=3/base_*")), "a partition without a subject stays as it is"


@pytest.mark.beyond_the_gate("`unit/erasure`, the Scala tests; tables of Parquet; the other tests of the file")
def test_a_flat_insert_only_table_may_become_empty(tables: Tables, engine: SparkErasureEngine) -> None:
    more = "'transactional'='true', 'transactional_properties'='insert_only'"
    tables.sql(f"CREATE TABLE t (id INT, name STRING) STORED AS ORC TBLPROPERTIES ({more})")
    tables.sql("INSERT INTO t VALUES (1, 'Ada')")
    assert engine.delete([matcher(engine, TableName(tables.database, "t"), "Ada")], {})[0].row_count == 1
    assert tables.sql("SELECT count(*) FROM t") == [(0,)]


def test_partitions_of_subjects_alone_become_empty_and_null_is_a_partition_too(
    tables: Tables, engine: SparkErasureEngine
) -> None:
    more = "'transactional'='true', 'transactional_properties'='insert_only'"
    tables.sql(
        f"CREATE TABLE t (id INT, name STRING) PARTITIONED BY (who STRING, p INT) STORED AS ORC TBLPROPERTIES ({more})"
    )
    table = TableName(tables.database, "t")
    tables.sql(
        "INSERT INTO t VALUES (1, 'Ada', 'Ada', 1), (2, 'Ada', NULL, 1), (3, 'Bob', NULL, 1), (4, 'Ada', 'x', NULL),"
        " (5, 'Bob', 'x', 7)"
    )
    deletion = engine.delete([matcher(engine, table, "Ada")], {})[0]
    assert (deletion.row_count, deletion.write_id) == (3, 2), "one transaction, one write ID"
    assert tables.sql("SELECT id FROM t ORDER BY id") == [(3,), (5,)]
    bases = {str(path.relative_to(tables.location("t")).parent) for path in tables.location("t").rglob("base_*")}
    null = "__HIVE_DEFAULT_PARTITION__"
    assert bases == {"who=Ada/p=1", f"who={null}/p=1", f"who=x/p={null}"}


@pytest.mark.beyond_the_gate(
    "`unit/erasure`, the Scala tests; tables of Parquet; the other tests of the file", cells=["ORC"]
)
@pytest.mark.parametrize("word", ["ORC", "PARQUET"])
def test_plain_tables_are_searched(tables: Tables, engine: SparkErasureEngine, word: str) -> None:
    tables.sql(f"CREATE TABLE t (id INT, name STRING) PARTITIONED BY (p INT) STORED AS {word}")
    table = TableName(tables.database, "t")
    tables.sql("INSERT INTO t VALUES (1, 'Ada', 1), (2, 'Bob', 1), (3, 'Bob', 2)")
    findings = search(engine, tables, matcher(engine, table, "Ada"), "p")
    assert sum(finding.match_count for finding in findings.values()) == 1
    assert sum(count for _, count in matches(findings, "p=1")) == 1


@pytest.mark.beyond_the_gate("`unit/erasure`, the Scala tests; tables of Parquet; the other tests of the file")
def test_two_tables_are_changed_in_one_transaction(tables: Tables, engine: SparkErasureEngine) -> None:
    one, two = tables.create("one"), tables.create("two")
    tables.sql("INSERT INTO one VALUES (1, 'Ada')")
    tables.sql("INSERT INTO two VALUES (1, 'Ada'), (2, 'Ada')")
    deletions = engine.delete([matcher(engine, one, "Ada"), matcher(engine, two, "Ada")], {})
    assert [deletion.row_count for deletion in deletions] == [1, 2]
    assert deletions[0].txn_id == deletions[1].txn_id
    assert [deletion.write_id for deletion in deletions] == [2, 2]


def test_columns_without_names_in_some_files_hide_nobody_in_others(tables: Tables, engine: SparkErasureEngine) -> None:
    """Spark's reader of ORC keeps what it makes of a file in a configuration that all its tasks share."""
    tables.sql("CREATE TABLE mixed (ident STRING, names STRING, place STRING) STORED AS ORC")
    root, columns = tables.location("mixed"), (["_col0", "_col1", "_col2"], ["ident", "names", "place"])
    for number in range(400):  # all of one length, so that tasks read both kinds at the same time
        row = pa.table([["1"], ["ada"], ["york"]], columns[number % 2])
        orc.write_table(row, root / f"{number:06}_0")
    place = matcher(engine, TableName(tables.database, "mixed"), "york", key=Key(("place",)))
    for _ in range(5):
        findings = search(engine, tables, place)
        assert len(findings) == 400
        assert [path for path, finding in findings.items() if finding.match_count != 1] == []
