"""Partitions of every type a column can have: found again by their values, and named as Hive names them.

The names are those that Hive 3.1.3 and 4.1.0 give, which `python/tests/interop` compares.
"""

from __future__ import annotations

import pytest
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql.functions import col

from hive_acid.model.table import TableName
from integration.conftest import Tables, refusal
from support.polling import eventually

DEFAULT = "__HIVE_DEFAULT_PARTITION__"
VALUES = {
    "DECIMAL(10,2)": {"1.50": "1.5", "0.00": "0", "-3.10": "-3.1", "100.00": "100"},
    "DECIMAL(38,18)": {"0.000000000000000001": "0.000000000000000001", "123456789012345678": "123456789012345678"},
    "TIMESTAMP": {
        "TIMESTAMP '2024-01-01 00:00:00'": "2024-01-01 00%3A00%3A00",
        "TIMESTAMP '2024-01-01 10:20:30.500'": "2024-01-01 10%3A20%3A30.5",
        "TIMESTAMP '1899-12-31 23:59:59.000001'": "1899-12-31 23%3A59%3A59.000001",
    },
    "DOUBLE": {
        "1.0D": "1.0",
        "1e10D": "1.0E10",
        "1e-10D": "1.0E-10",
        "0.1D": "0.1",
        "DOUBLE('NaN')": "NaN",
        "DOUBLE('-0.0')": "0.0",
        "123456789.125D": "1.23456789125E8",
    },
    "FLOAT": {"FLOAT('1.0')": "1.0", "FLOAT('1e10')": "1.0E10", "FLOAT('0.1')": "0.1", "FLOAT('-0')": "0.0"},
    "CHAR(5)": {"'ab'": "ab   ", "'ab   x'": None, "'ab  x'": "ab  x"},
    "VARCHAR(5)": {"'ab'": "ab", "'ab  '": "ab  "},
    "STRING": {
        "' '": " ",
        "'a/b=c%2Fd'": "a%2Fb%3Dc%252Fd",
        "'..'": "..",
        "'Ünï数😀'": "Ünï数😀",
        "'a:b?c*d'": "a%3Ab%3Fc%2Ad",
        "'%20'": "%2520",
        "''": DEFAULT,
    },
    "BOOLEAN": {"true": "true", "false": "false"},
    "TINYINT": {"-128Y": "-128", "7Y": "7"},
    "SMALLINT": {"-32768S": "-32768"},
    "INT": {"-2147483648": "-2147483648"},
    "BIGINT": {"9223372036854775807L": "9223372036854775807"},
    "DATE": {"DATE '2024-01-02'": "2024-01-02", "DATE '0001-01-01'": "0001-01-01"},
}


IN_THE_GATE = ("DECIMAL(10,2)", "TIMESTAMP", "DOUBLE", "CHAR(5)", "STRING", "DATE")


@pytest.mark.beyond_the_gate("`unit/model/test_names.py`; one type", but=["DECIMAL(10,2)"])
@pytest.mark.parametrize("column", [c if c in IN_THE_GATE else pytest.param(c, marks=pytest.mark.slow) for c in VALUES])
def test_a_partition_is_named_as_hive_names_it_and_found_again(tables: Tables, column: str) -> None:
    tables.create("p", "id INT, name STRING", f"PARTITIONED BY (k {column})")
    named = {value: text for value, text in VALUES[column].items() if text}
    rows = [f"({i}, 'new', CAST({value} AS {column}))" for i, value in enumerate(named)]
    tables.sql(f"INSERT INTO p VALUES {', '.join(rows)}, (100, 'null', NULL)")
    # twice: what finds its partition by the value makes no other
    tables.sql("INSERT INTO p SELECT id, 'again', k FROM p")
    for value in named:
        literal = f"CAST({value} AS {column})"
        is_literal = "(" not in value and value != "''"  # Spark takes only such in a PARTITION clause
        into = f"p PARTITION (k = {value}) SELECT 200, 'static'" if is_literal else f"p SELECT 200, 'static', {literal}"
        tables.sql(f"INSERT INTO {into}")
    assert set(tables.client.partition_names(TableName(tables.database, "p"))) == {
        f"k={text}" for text in (*named.values(), DEFAULT)
    }
    for i, value in enumerate(named):
        where = f"k = CAST({value} AS {column})" if value != "''" else "k IS NULL AND name <> 'null'"
        expected = [(i, "again"), (i, "new"), (200, "static")]
        if value == "''":
            expected = sorted([*expected, (100, "again")])
        assert sorted(tables.sql(f"SELECT id, name FROM p WHERE {where}")) == expected
        assert tables.sql(f"UPDATE p SET name = 'changed' WHERE {where} AND name = 'new'") == [(1,)]
        assert tables.sql(f"DELETE FROM p WHERE {where} AND name = 'again'") == [(len(expected) - 2,)]
        assert sorted(tables.sql(f"SELECT id, name FROM p WHERE {where}")) == [(i, "changed"), (200, "static")]
    tables.sql("INSERT OVERWRITE p SELECT id, 'replaced', k FROM p WHERE id = 0")
    assert tables.sql("SELECT id, name FROM p WHERE name = 'replaced'") == [(0, "replaced")]
    kept = 2 * len(named) + (column != "STRING")  # an empty text shares its partition with NULL
    assert tables.sql("SELECT count(*) FROM p") == [(kept,)]


def test_what_does_not_fit_a_partition_column_is_refused_and_leaves_nothing(tables: Tables) -> None:
    tables.create("c", "id INT", "PARTITIONED BY (k CHAR(2))")
    with pytest.raises(Exception, match="EXCEED_LIMIT_LENGTH"):
        tables.sql("INSERT INTO c VALUES (1, 'abc')")
    tables.create("s", "id INT", "PARTITIONED BY (k STRING)")
    with pytest.raises(Exception, match="302 bytes"):
        tables.sql("INSERT INTO s VALUES (1, repeat('x', 300))")
    assert tables.sql("SELECT count(*) FROM c") == tables.sql("SELECT count(*) FROM s") == [(0,)]
    assert tables.files("c") == tables.files("s") == []
    assert eventually(lambda: tables.open_transactions() == [])


def test_the_values_of_alter_table_mean_the_partitions_of_an_insert(tables: Tables) -> None:
    tables.create("p", "id INT", "PARTITIONED BY (d DECIMAL(10,2), c CHAR(3))")
    name = TableName(tables.database, "p")
    tables.sql("ALTER TABLE p ADD PARTITION (d = 1.50, c = 'a') PARTITION (d = 2, c = 'b')")
    assert tables.client.partition_names(name) == ["d=1.5/c=a  ", "d=2/c=b  "]
    tables.sql("INSERT INTO p VALUES (1, 1.5, 'a'), (2, 2.00, 'b')")
    tables.sql("ALTER TABLE p PARTITION (d = 2.0, c = 'b') RENAME TO PARTITION (d = 3.10, c = 'c')")
    tables.sql("TRUNCATE TABLE p PARTITION (d = 1.50)")
    assert tables.sql("SELECT id, CAST(d AS STRING), c FROM p") == [(2, "3.10", "c  ")]
    tables.sql("ALTER TABLE p DROP PARTITION (d = 1.500, c = 'a')")
    assert tables.client.partition_names(name) == ["d=3.1/c=c  "]


@pytest.mark.beyond_the_gate(
    "two types of each kind; the other tests of the file", cells=["INT-k=01-k=1-1", "DECIMAL(4,2)-k=1.50-k=1.5-1.5"]
)
@pytest.mark.parametrize(
    ("column", "misspelled", "wanted", "value"),
    [
        ("INT", "k=01", "k=1", "1"),
        ("DATE", "k=2024-1-2", "k=2024-01-02", "DATE '2024-01-02'"),
        ("DECIMAL(4,2)", "k=1.50", "k=1.5", "1.5"),
        ("TIMESTAMP", "k=2024-01-01 00%3A00%3A00.123456789", "k=2024-01-01 00%3A00%3A00.123456", "NULL"),
    ],
)
def test_nothing_is_written_beside_a_partition_whose_name_hides_its_value(
    tables: Tables, column: str, misspelled: str, wanted: str, value: str
) -> None:
    name = tables.create("p", "id INT", f"PARTITIONED BY (k {column})")
    tables.sql(f"INSERT INTO p VALUES (1, {value})")
    txn_id = tables.client.open_transaction("test", "here", "test")
    write_id = tables.client.allocate_write_id(txn_id, name)
    write_ids = tables.client.valid_write_ids([name], tables.client.valid_transactions(txn_id))[name]
    folder = next(path for path in tables.location("p").iterdir() if path.is_dir())
    tables.client.add_partitions(name, {misspelled: f"file:{folder}"}, write_id, write_ids)
    tables.client.commit(txn_id)
    assert tables.sql("SELECT count(*) FROM p") == [(2,)]
    for statement in (
        "INSERT INTO p VALUES (2, NULL)",
        "UPDATE p SET id = 5",
        "DELETE FROM p WHERE id = 1",
        "INSERT OVERWRITE p VALUES (2, NULL)",
        "TRUNCATE TABLE p",
        "MERGE INTO p USING (SELECT 1 AS n) ON id = n WHEN MATCHED THEN DELETE",
    ):
        with pytest.raises(AnalysisException) as refused:
            tables.sql(statement)
        assert refused.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.MISSPELT_PARTITION", statement
        assert misspelled in str(refused.value) and wanted in str(refused.value)
    assert eventually(lambda: tables.open_transactions() == [])


def test_a_partition_lies_where_the_metastore_says_and_unknown_folders_are_no_partitions(
    tables: Tables, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tables.create("p", "id INT", "PARTITIONED BY (k INT)")
    elsewhere = tmp_path_factory.mktemp("else where=1%20")
    tables.sql(f"ALTER TABLE p ADD PARTITION (k = 1) LOCATION 'file:{elsewhere}'")
    tables.sql("INSERT INTO p VALUES (1, 1), (2, 2)")
    (stray := tables.location("p") / "k=9").mkdir()
    (tables.location("p") / "k=2" / "delta_0000001_0000001_0000").rename(stray / "delta_0000001_0000001_0000")
    assert tables.sql("SELECT * FROM p") == [(1, 1)]
    tables.sql("UPDATE p SET id = 10 WHERE k = 1")
    with pytest.raises(AnalysisException, match="HIVE_ACID_FOLDER_NOT_EMPTY"):
        tables.sql("INSERT INTO p VALUES (9, 9)")
    assert [path.name for path in sorted(elsewhere.iterdir())] == [
        "delete_delta_0000002_0000002_0000",
        "delta_0000001_0000001_0000",
        "delta_0000002_0000002_0001",
    ]
    assert tables.sql("SELECT * FROM p") == [(10, 1)]
    with pytest.raises(AnalysisException, match="HIVE_ACID_FOLDER_NOT_EMPTY"):
        tables.sql("ALTER TABLE p ADD PARTITION (k = 9)")


def test_a_table_with_a_partition_column_whose_folders_hive_does_not_see_is_not_made(tables: Tables) -> None:
    with pytest.raises(AnalysisException, match="hidden from Hive and Trino"):
        tables.create("p", "id INT", "PARTITIONED BY (_k INT)")
    with pytest.raises(AnalysisException, match="partition column k has type binary"):
        tables.create("b", "id INT", "PARTITIONED BY (k BINARY)")
    assert tables.sql("SHOW TABLES") == []


def test_hives_spelling_of_null_is_that_of_a_number_too(tables: Tables) -> None:
    table = tables.create("numbered", "id INT", "PARTITIONED BY (k INT)")
    tables.sql("INSERT INTO numbered VALUES (1, NULL), (2, 2)")
    clause = f"PARTITION (k = '{DEFAULT}')"
    (row,) = tables.sql(f"ALTER TABLE numbered {clause} COMPACT 'major' AND WAIT")
    assert (row[2], row[5]) == (f"k={DEFAULT}", "not needed")
    tables.sql(f"TRUNCATE TABLE numbered {clause}")
    assert tables.sql("SELECT * FROM numbered") == [(2, 2)]
    tables.sql(f"ALTER TABLE numbered DROP {clause}")
    assert tables.client.partition_names(table) == ["k=2"]
    tables.sql(f"ALTER TABLE numbered ADD {clause}")
    assert sorted(tables.client.partition_names(table)) == ["k=2", f"k={DEFAULT}"]


@pytest.mark.beyond_the_gate(
    "two types of each kind; the other tests of the file", cells=["-VARCHAR(40)", "__HIVE_DEFAULT_PARTITION__-STRING"]
)
@pytest.mark.parametrize("kind", ["STRING", "VARCHAR(40)"])
@pytest.mark.parametrize("value", ["", DEFAULT])
def test_a_new_row_is_judged_by_the_partition_that_it_is_put_into(tables: Tables, value: str, kind: str) -> None:
    """REPLACE WHERE would not find it again, so that it would be there twice after a second run."""
    tables.create("replaced", "id INT", f"PARTITIONED BY (k {kind})")
    with pytest.raises(PySparkException, match="HIVE_ACID_REPLACE_WHERE_MISMATCH"):
        tables.sql(f"INSERT INTO replaced REPLACE WHERE k = '{value}' VALUES (1, '{value}')")
    for _ in range(2):
        tables.sql(f"INSERT INTO replaced REPLACE WHERE k IS NULL OR k = 'x' VALUES (1, '{value}'), (2, 'x')")
        assert tables.sql("SELECT * FROM replaced ORDER BY id") == [(1, None), (2, "x")]


def test_a_new_row_of_a_dataframe_is_judged_by_its_partition_too(tables: Tables) -> None:
    tables.create("replaced", "id INT", "PARTITIONED BY (k STRING)")
    frame = tables.spark.sql("SELECT 1 AS id, '' AS k")
    writer = frame.writeTo(f"{tables.database}.replaced")
    with pytest.raises(PySparkException, match="HIVE_ACID_REPLACE_WHERE_MISMATCH"):
        writer.overwrite(col("k") == "")
    for _ in range(2):
        writer.overwrite(col("k").isNull())
    assert tables.sql("SELECT * FROM replaced") == [(1, None)]


@pytest.mark.parametrize("more", ["", ", 'transactional_properties'='insert_only'"], ids=["full", "insert-only"])
def test_values_that_are_no_utf_8_are_refused_instead_of_becoming_one(tables: Tables, more: str) -> None:
    tables.sql(
        f"CREATE TABLE t (id INT) PARTITIONED BY (k STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true'{more})"
    )
    statements = [
        "INSERT INTO t VALUES (1, CAST(X'FF' AS STRING)), (2, CAST(X'FE' AS STRING))",
        "INSERT OVERWRITE t SELECT 1, CAST(X'61C328' AS STRING)",
    ]
    if not more:
        tables.sql("INSERT INTO t VALUES (1, 'a')")
        statements += [
            "UPDATE t SET k = CAST(X'FF' AS STRING)",
            "MERGE INTO t USING (SELECT CAST(X'FF' AS STRING) AS k) s ON true WHEN MATCHED THEN UPDATE SET k = s.k",
        ]
    before = tables.sql("SELECT * FROM t")
    for statement in statements:
        assert refusal(tables, statement) in (None, "HIVE_ACID_UNWRITABLE_VALUE.NOT_UTF_8")
    assert tables.sql("SELECT * FROM t") == before
    tables.sql("INSERT INTO t VALUES (3, '\ufffd')")  # a character as any other
    assert tables.sql("SELECT id FROM t WHERE k = '\ufffd'") == [(3,)]
