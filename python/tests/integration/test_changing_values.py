"""Values that are another at each evaluation, as random ones and the time: one for each row, one time per statement."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf

from hive_acid.model.table import TableName
from integration.conftest import Tables

LAYOUTS = {
    "flat": "",
    "partitioned": "PARTITIONED BY (k STRING)",
    "bucketed": "CLUSTERED BY (v) INTO 4 BUCKETS",
}
UUID = r"^[0-9a-f-]{36}$"
NOW = "date_format(current_timestamp(), 'HHmmssSSSSSS')"
ELSEWHERE = "replace(reflect('java.util.UUID', 'randomUUID'), '-', '')"
"""Another at each evaluation, and not only in each row: it takes no seed from the plan."""


@pytest.fixture(scope="module", autouse=True)
def pairs(spark: SparkSession) -> Iterator[None]:
    """A function whose value is a struct of two equal numbers, others at each evaluation."""

    def draw(_: int) -> tuple[str, int]:
        number = random.randrange(10**9)
        return str(number), number

    spark.udf.register("pair", udf(draw, "a STRING, b INT").asNondeterministic())
    yield
    spark.sql("DROP TEMPORARY FUNCTION pair")


@pytest.mark.beyond_the_gate("one cell of each", but=["partitioned"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_updated_row_gets_a_random_value_of_its_own(tables: Tables, layout: str) -> None:
    columns = "id INT, v STRING" if layout == "partitioned" else "id INT, v STRING, k STRING"
    tables.create("t", columns, LAYOUTS[layout])
    tables.sql("INSERT INTO t SELECT id, 'old', concat('k', id % 3) FROM range(20)")
    assert tables.sql("UPDATE t SET v = uuid() WHERE id >= 5") == [(15,)]
    assert tables.sql(f"SELECT count(*), count(DISTINCT v) FROM t WHERE v RLIKE '{UUID}'") == [(15, 15)]
    assert tables.sql("SELECT count(*), count(DISTINCT id) FROM t") == [(20, 20)]


@pytest.mark.beyond_the_gate("one cell of each", but=["bucketed"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_merged_row_gets_a_random_value_of_its_own(tables: Tables, layout: str) -> None:
    columns = "id INT, v STRING" if layout == "partitioned" else "id INT, v STRING, k STRING"
    tables.create("t", columns, LAYOUTS[layout])
    tables.sql("INSERT INTO t SELECT id, 'old', 'k' FROM range(10)")
    merged = tables.sql("""
        MERGE INTO t USING (SELECT id FROM range(5, 15)) s ON t.id = s.id
        WHEN MATCHED AND t.id = 5 THEN DELETE
        WHEN MATCHED THEN UPDATE SET v = uuid()
        WHEN NOT MATCHED THEN INSERT (id, v, k) VALUES (s.id, uuid(), 'new')""")
    assert merged == [(10, 4, 1, 5)]
    assert tables.sql(f"SELECT count(*), count(DISTINCT v) FROM t WHERE v RLIKE '{UUID}'") == [(9, 9)]
    assert tables.sql("SELECT sort_array(collect_list(id)) FROM t") == [([0, 1, 2, 3, 4, *range(6, 15)],)]


@pytest.mark.beyond_the_gate("one cell of each", but=["uuid()"])
@pytest.mark.parametrize("value", ["uuid()", ELSEWHERE, f"concat({NOW}, id % 2)"])
def test_a_row_moves_to_the_one_partition_and_bucket_of_its_changing_value(tables: Tables, value: str) -> None:
    tables.create("t", "id INT, v STRING", "PARTITIONED BY (k STRING) CLUSTERED BY (v) INTO 3 BUCKETS")
    tables.sql("INSERT INTO t SELECT id, 'old', 'k' FROM range(12)")
    assert tables.sql(f"UPDATE t SET k = {value}, v = {value}") == [(12,)]
    rows = tables.sql("SELECT id, v, k FROM t ORDER BY id")
    assert [id_ for id_, _, _ in rows] == list(range(12))
    # found where the value leads
    for id_, v, k in rows[:3]:
        assert tables.sql(f"SELECT id FROM t WHERE k = '{k}' AND v = '{v}' AND id = {id_}") == [(id_,)]
    # and every row is one that a next statement can change
    assert tables.sql("UPDATE t SET v = 'last'") == [(12,)]
    assert tables.sql("DELETE FROM t") == [(12,)]
    assert tables.sql("SELECT * FROM t") == []


def test_fields_keys_and_elements_of_a_changing_value_are_parts_of_one_value(tables: Tables) -> None:
    tables.create("t", "id INT, s STRUCT<a: STRING, b: BIGINT>, m MAP<STRING, BIGINT>")
    source = "SELECT CAST(id AS INT) AS id FROM range(10, 30)"
    as_map = "map_from_entries(array(pair(t.id)))"
    tables.sql("INSERT INTO t SELECT id, NULL, NULL FROM range(20)")
    assert tables.sql(f"UPDATE t SET s = pair(id), m = {as_map} WHERE id < 10") == [(10,)]
    merged = tables.sql(f"""
        MERGE INTO t USING ({source}) s ON t.id = s.id
        WHEN MATCHED AND t.id = 10 THEN UPDATE SET m = {as_map}
        WHEN MATCHED THEN UPDATE SET s = pair(s.id), m = {as_map}
        WHEN NOT MATCHED THEN INSERT (id, s, m) VALUES (s.id, pair(s.id), map_from_entries(array(pair(s.id))))""")
    assert merged == [(20, 10, 0, 10)]
    inserted = tables.sql(f"""
        MERGE INTO t USING (SELECT id + 100 AS id FROM ({source})) s ON t.id = s.id
        WHEN NOT MATCHED AND s.id < 115 THEN INSERT (id, s) VALUES (s.id, pair(s.id))""")
    assert inserted == [(5, 0, 0, 5)]
    torn = "s.a <> CAST(s.b AS STRING) OR CAST(map_keys(m)[0] AS BIGINT) <> map_values(m)[0]"
    assert tables.sql(f"SELECT * FROM t WHERE {torn}") == []
    assert tables.sql("SELECT count(s), count(m), count(DISTINCT s.b) FROM t") == [(34, 30, 34)]


def test_a_value_of_a_clause_is_evaluated_for_the_clauses_own_rows_only(tables: Tables) -> None:
    tables.create("t", "id INT, s STRUCT<a: STRING, b: BIGINT>")
    tables.sql("INSERT INTO t SELECT id, NULL FROM range(4)")
    failing = "named_struct('a', uuid(), 'b', IF(t.id = 1, raise_error('evaluated'), 1))"
    merged = tables.sql(f"""
        MERGE INTO t USING (SELECT CAST(id AS INT) AS id FROM range(4)) s ON t.id = s.id
        WHEN MATCHED AND t.id = 1 THEN DELETE
        WHEN MATCHED THEN UPDATE SET s = {failing}""")
    assert merged == [(4, 3, 1, 0)]


@pytest.mark.beyond_the_gate(
    "one cell of each", but=["DELETE FROM t WHERE rand() < 2-INVALID_NON_DETERMINISTIC_EXPRESSIONS"]
)
@pytest.mark.parametrize(
    "statement, condition",
    [
        ("DELETE FROM t WHERE rand() < 2", "INVALID_NON_DETERMINISTIC_EXPRESSIONS"),
        ("UPDATE t SET v = uuid() WHERE rand() < 2", "INVALID_NON_DETERMINISTIC_EXPRESSIONS"),
        (
            "MERGE INTO t USING s ON t.id = s.id AND rand() < 2 WHEN MATCHED THEN DELETE",
            "UNSUPPORTED_MERGE_CONDITION.NON_DETERMINISTIC",
        ),
        (
            "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND rand() < 2 THEN UPDATE SET v = uuid()",
            "UNSUPPORTED_MERGE_CONDITION.NON_DETERMINISTIC",
        ),
        (
            "MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED AND rand() < 2 THEN INSERT (v) VALUES (uuid())",
            "UNSUPPORTED_MERGE_CONDITION.NON_DETERMINISTIC",
        ),
        ("UPDATE t SET v = max(uuid())", "UNSUPPORTED_EXPR_FOR_OPERATOR"),
        ("UPDATE t SET v = explode(array(uuid()))", "UNSUPPORTED_EXPR_FOR_OPERATOR"),
        ("UPDATE t SET v = row_number() OVER (ORDER BY rand())", "UNSUPPORTED_EXPR_FOR_OPERATOR"),
    ],
)
def test_a_condition_or_a_value_of_several_rows_that_changes_is_refused(
    tables: Tables, statement: str, condition: str
) -> None:
    tables.create("t", "id INT, v STRING")
    tables.create("s", "id INT, v STRING")
    tables.sql("INSERT INTO t VALUES (1, 'a')")
    with pytest.raises(AnalysisException) as refused:
        tables.sql(statement)
    assert refused.value.getCondition() == condition
    assert tables.sql("SELECT * FROM t") == [(1, "a")]


@pytest.mark.beyond_the_gate("one cell of each")
@pytest.mark.parametrize("value", [NOW, ELSEWHERE])
def test_rows_go_to_partitions_that_nobody_could_foretell(tables: Tables, value: str) -> None:
    table = tables.create("p", "id INT, v STRING", "PARTITIONED BY (k STRING)")
    tables.create("s", "id INT, v STRING")
    tables.sql("INSERT INTO s VALUES (1, 's')")
    for statement, rows in (
        ("INSERT INTO p SELECT 1, 'a', {value}", 1),
        ("INSERT INTO p SELECT id, 'b', {value} FROM VALUES (1), (2) AS x(id)", 2),
        ("INSERT INTO p SELECT 1, 'c', {value} UNION ALL SELECT 2, 'c', 'fixed'", 2),
        ("FROM s INSERT INTO p SELECT id, 'd', {value} INSERT INTO p SELECT id, 'd', {value}", 2),
        ("MERGE INTO p USING s ON p.v = s.v WHEN NOT MATCHED THEN INSERT (id, v, k) VALUES (s.id, 'e', {value})", 1),
        ("INSERT OVERWRITE p SELECT 1, 'f', {value}", 1),
    ):
        assert tables.sql(statement.format(value=value))[0][0] == rows
    assert tables.sql("SELECT v, count(*) FROM p GROUP BY v ORDER BY v") == [
        *(("a", 1), ("b", 2), ("c", 2), ("d", 2), ("e", 1), ("f", 1)),
    ]
    written = {f"k={k}" for (k,) in tables.sql("SELECT DISTINCT k FROM p")}
    assert written == set(tables.client.partition_names(table))


def test_a_statement_has_one_time(tables: Tables) -> None:
    tables.create("p", "id INT, v STRING", "PARTITIONED BY (k STRING)")
    tables.create("s", "id INT, v STRING")
    tables.sql("INSERT INTO s SELECT id, 's' FROM range(3)")
    times = f"{NOW}, (SELECT {NOW})"
    tables.sql(f"FROM s INSERT INTO p SELECT id, {times} INSERT INTO p SELECT id, {times}")
    assert tables.sql("SELECT count(DISTINCT v), count(DISTINCT k), count_if(v = k) FROM p") == [(1, 1, 6)]


def create_two_targets(tables: Tables) -> None:
    """Tables `one` and `two`, and `s` with 40 rows for them."""
    for name in ("s", "one", "two"):
        tables.create(name, "id INT")
    tables.sql("INSERT INTO s SELECT id FROM range(40)")


@pytest.mark.beyond_the_gate(
    "two of the sources that change, one of those that stay",
    but=["SELECT id, rand() < 0.5 AS pick FROM s", "SELECT id, id IN (SELECT id FROM s LIMIT 20) AS pick FROM s"],
)
@pytest.mark.parametrize(
    "source",
    [
        "SELECT id, rand() < 0.5 AS pick FROM s",
        "SELECT id, id % 2 = 0 AS pick FROM s LIMIT 20",
        "SELECT id, id IN (SELECT id FROM s LIMIT 20) AS pick FROM s",
        "SELECT id, r < 0.5 AS pick FROM s LATERAL VIEW explode(array(rand())) e AS r",
    ],
)
def test_rows_that_are_others_at_each_evaluation_are_not_split_between_tables(tables: Tables, source: str) -> None:
    create_two_targets(tables)
    split = "FROM {} v INSERT INTO one SELECT id WHERE pick INSERT INTO two SELECT id WHERE NOT pick"
    with pytest.raises(AnalysisException) as caught:
        tables.sql(split.format(f"({source})"))
    assert caught.value.getCondition() == "HIVE_ACID_UNSUPPORTED_STATEMENT.CHANGING_SOURCE"
    assert caught.value.getMessageParameters()["source"] == "v"
    drawn = tables.spark.sql(source).cache()
    try:
        drawn.createOrReplaceTempView("drawn")
        rows = len(drawn.collect())
        assert tables.sql(split.format("drawn")) == [(rows,)]
    finally:
        drawn.unpersist()
    both = "SELECT * FROM one UNION ALL SELECT * FROM two"
    assert tables.sql(f"SELECT count(*), count(DISTINCT id) FROM ({both})") == [(rows, rows)]


@pytest.mark.beyond_the_gate(
    "two of the sources that change, one of those that stay",
    but=["SELECT id FROM s WHERE id >= (SELECT id FROM s ORDER BY id LIMIT 1)"],
)
@pytest.mark.parametrize(
    "source",
    [
        "SELECT id FROM s WHERE id >= (SELECT id FROM s ORDER BY id LIMIT 1)",
        "SELECT id, input_file_name() AS f FROM s WHERE EXISTS (SELECT 1 FROM s LIMIT 1)",
        "SELECT id, current_timestamp() AS t FROM s LATERAL VIEW explode(array(1)) e AS r",
    ],
)
def test_a_source_that_stays_may_go_to_several_tables(tables: Tables, source: str) -> None:
    create_two_targets(tables)
    assert tables.sql(f"FROM ({source}) v INSERT INTO one SELECT id INSERT INTO two SELECT id") == [(80,)]


def test_a_constant_partition_is_locked_alone_whatever_else_changes(tables: Tables) -> None:
    tables.create("p", "id INT, v STRING", "PARTITIONED BY (k STRING)")
    for value in ("uuid()", ELSEWHERE):
        facts = dict(tables.sql(f"EXPLAIN ACID INSERT INTO p PARTITION (k = 'a') SELECT id, {value} FROM range(3)"))
        assert facts["lock"] == f"SHARED_READ for INSERT on {TableName(tables.database, 'p')} k=a"
